// What the types of the package allow and refuse. Compiled by tests/js/types.test.js, never run.

import { classify, createFetch, matchesKind, parseRetryAfter, redactHeaders, retry, retryStream, RetryError, RetryPolicy, withRetry } from 'dacapo';
import type { AttemptContext, ErrorKind, FetchOptions, History, PolicyOptions, RetryOptions, RetryStreamOptions, WithRetryOptions } from 'dacapo';

// ---------------------------------------------------------------- `undefined` is an option that is not given

/** The members that may be left out and refuse `undefined`: `never` when there are none. */
type RefusesUndefined<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? ({ [P in K]: undefined } extends Pick<T, K> ? never : K) : never }[keyof T];
const none = <T>(_: [RefusesUndefined<T>] extends [never] ? true : RefusesUndefined<T>): void => {};

none<PolicyOptions>(true);
none<FetchOptions>(true);
none<RetryOptions>(true);
none<RetryStreamOptions>(true);
none<Omit<WithRetryOptions<Driver>, 'methods'>>(true);
none<WithRetryOptions<Driver>['methods']>(true);
none<NonNullable<FetchOptions['redact']>>(true);
none<NonNullable<FetchOptions['clock']>>(true);
none<Exclude<Parameters<typeof classify>[0], Error>>(true);
none<ConstructorParameters<typeof RetryError>[0]>(true);
none<NonNullable<Parameters<typeof parseRetryAfter>[1]>>(true);
none<NonNullable<Parameters<typeof redactHeaders>[1]>>(true);

declare const timeoutMs: number | undefined;
declare const signal: AbortSignal | undefined;
createFetch({ timeoutMs, onRetry: undefined, redact: { values: undefined } });
retry(() => 1, { signal, deadlineMs: timeoutMs });
classify({ status: timeoutMs, signal });
new RetryPolicy({ jitter: undefined }).with({ jitter: undefined });
// @ts-expect-error What is not an option stays one that is refused.
createFetch({ colour: undefined });
// @ts-expect-error
createFetch({ maxAttempts: null });

// ---------------------------------------------------------------- the signal of an attempt can be passed on

declare function asks(request: { readonly signal?: AbortSignal }): Promise<{ readonly text: string }>;
declare function streams(request: { readonly signal?: AbortSignal }): AsyncGenerator<{ readonly delta: string }>;

export const answer: Promise<{ readonly text: string }> = retry(({ signal: own }) => asks({ signal: own }));
export const fetched: Promise<Response> = retry(({ signal: own }) => fetch('https://api.example/', { signal: own }));
export const always = (context: AttemptContext): AbortSignal => context.signal;
export const deltas: AsyncGenerator<{ readonly delta: string }> = retryStream(({ signal: own }) => streams({ signal: own }), { isOutput: ({ delta }) => delta !== '' });
// @ts-expect-error A chunk has no such member.
retryStream(() => streams({}), { isOutput: ({ text }) => text !== '' });

// ---------------------------------------------------------------- a driver keeps its type

class Driver {
  readonly model: string = 'm';
  #key = 'none';
  complete(prompt: string, options?: { signal?: AbortSignal }): Promise<{ readonly text: string }>;
  complete(prompts: readonly string[]): Promise<readonly { readonly text: string }[]>;
  async complete(): Promise<never> {
    throw new Error(this.#key);
  }
  async *stream<T extends string>(prompt: T): AsyncGenerator<T> {
    yield prompt;
  }
  later?(): Promise<number>;
  protected hidden(): void {}
}

const driver = withRetry(new Driver(), { methods: { complete: 'promise', stream: 'iterable', later: 'promise' }, maxAttempts: 2 });
export const same: Driver = driver;
export const one: Promise<{ readonly text: string }> = driver.complete('hello', {});
export const more: Promise<readonly { readonly text: string }[]> = driver.complete(['hello']);
export const literal: AsyncGenerator<'hello'> = driver.stream('hello');
// @ts-expect-error The parameters are the driver's.
driver.complete(1);
// @ts-expect-error So is what it has no member for.
driver.missing;

// @ts-expect-error A name that the driver does not have.
withRetry(new Driver(), { methods: { compleat: 'promise' } });
// @ts-expect-error A member that is no method.
withRetry(new Driver(), { methods: { model: 'promise' } });
// @ts-expect-error A method that is not public.
withRetry(new Driver(), { methods: { hidden: 'promise' } });
// @ts-expect-error A mode that there is not.
withRetry(new Driver(), { methods: { complete: 'stream' } });
// @ts-expect-error The methods are not left out.
withRetry(new Driver(), {});
// @ts-expect-error A signal is the caller's of each method.
withRetry(new Driver(), { methods: {}, signal: new AbortController().signal });

declare const untyped: any;
withRetry(untyped, { methods: { anything: 'promise' } });

// ---------------------------------------------------------------- failures

declare const caught: unknown;
if (matchesKind(caught, 'quota_exhausted')) throw caught;
// @ts-expect-error A kind that there is not.
matchesKind(caught, 'quota');
classify(new Error('lost'));
classify(new Response(null, { status: 503 }));
// @ts-expect-error
classify('lost');
// @ts-expect-error
classify({ status: '503' });
export const kindOf = (history: History | undefined): ErrorKind | undefined => history?.last?.error.kind;
