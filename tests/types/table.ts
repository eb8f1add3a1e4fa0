// A table of options: a row for each, with values that its type takes and values that it refuses.

interface Row<Option> {
  readonly takes: readonly [Option, ...Option[]];
  readonly refuses: readonly [unknown, ...unknown[]];
}

/** The values, of which one that the type takes after all becomes `never`, which nothing is. */
type Refused<Option, Values extends readonly unknown[]> = { readonly [I in keyof Values]: Values[I] extends Option ? never : Values[I] };

/** `table<Options>()({ … })` compiles when it has a row for every option and for nothing else, and every row is true. */
export declare function table<Options>(): <const Rows extends { readonly [K in keyof Options]-?: Row<Exclude<Options[K], undefined>> }>(
  rows: Rows & {
    readonly [K in keyof Rows]: K extends keyof Options ? { readonly refuses: Refused<Options[K], Rows[K]['refuses']> } : never;
  },
) => void;

// ---------------------------------------------------------------- the table itself can fail

interface Sample {
  count?: number | undefined;
  mode?: 'a' | 'b' | undefined;
  hook?: ((count: number) => boolean) | undefined;
}

table<Sample>()({
  count: { takes: [1], refuses: ['1', null] },
  mode: { takes: ['a', 'b'], refuses: ['c'] },
  hook: { takes: [(count) => count > 1], refuses: [() => 1, true] },
});
table<Pick<Sample, 'count'>>()({
  // @ts-expect-error A value that the option refuses.
  count: { takes: ['1'], refuses: [null] },
});
table<Pick<Sample, 'count'>>()({
  // @ts-expect-error A value that the option takes.
  count: { takes: [1], refuses: [2] },
});
table<Pick<Sample, 'count'>>()({
  // @ts-expect-error An option that nothing is known to be refused by.
  count: { takes: [1], refuses: [] },
});
// @ts-expect-error An option without a row.
table<Sample>()({ count: { takes: [1], refuses: [null] } });
table<Pick<Sample, 'count'>>()({
  count: { takes: [1], refuses: [null] },
  // @ts-expect-error A row that is no option.
  colour: { takes: [1], refuses: [null] },
});
