// What the types of the package allow and refuse. Compiled by tests/packaging/types.test.js, never run.

import { CircuitBreaker, classify, createFetch, matchesKind, parseRetryAfter, redactHeaders, retry, retryStream, RetryError, RetryPolicy, withFallback, withRetry } from 'dacapo';
import type { AttemptContext, BreakerEvent, BreakerOptions, BudgetOptions, ErrorKind, FallbackOptions, FallbackTarget, FetchCallOptions, FetchOptions, FetchTarget, History, PolicyOptions, RetryOptions, RetryStreamOptions, StateStore, TargetContext, WithRetryOptions } from 'dacapo';
import { DacapoState, durableStore } from 'dacapo/cloudflare';

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
none<BreakerOptions>(true);
none<BudgetOptions>(true);
none<StateStore>(true);
none<FallbackTarget>(true);
none<FallbackOptions>(true);
none<FetchTarget>(true);
none<FetchCallOptions>(true);
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

// ---------------------------------------------------------------- targets take and give what they have in common

const ask = withFallback(
  [
    { provider: 'a', call: async (prompt: { text: string; images: number }, { signal, model }) => ({ n: prompt.images, signal, model }), breaker: true },
    { call: ({ text }: { text: string }) => text, maxAttempts: 2, fallbackOn: ['auth'] },
  ],
  { deadlineMs: 1000, onFallback: ({ provider, model, error }) => [provider, model, error.attempts] },
);
export const asked: Promise<string | { readonly n: number }> = ask({ text: 'hello', images: 0 }, { signal: null });
// @ts-expect-error Every target has to understand the input.
ask({ text: 'hello' });
declare const client: { complete(request: { readonly model: string; readonly prompt: string }): Promise<string> };
declare const maybe: string | undefined;
export const named: Promise<string> = withFallback([
  { provider: 'a', model: 'large', call: (prompt: string, { model }) => client.complete({ model, prompt }) },
  { provider: 'b', model: 'small', call: (prompt: string, { model }) => client.complete({ model, prompt }), maxAttempts: 2 },
  { model: maybe, call: async (_: string, { model }: TargetContext) => model ?? '' },
  { provider: 'c', call: (prompt: string) => client.complete({ model: 'fixed', prompt }) },
], { breaker: true, fallbackOn: ['auth'] })('hello');
const list: FallbackTarget<string, Promise<string>>[] = [];
export const anyList: Promise<string> = withFallback(list)('hello');
// @ts-expect-error A target that names no model is given none.
withFallback([{ provider: 'a', call: (prompt: string, { model }) => client.complete({ model, prompt }) }]);
// @ts-expect-error What is no option of a target's.
withFallback([{ call: () => 1 }, { call: () => 1, modle: 'large' }]);
// @ts-expect-error
withFallback([{ call: () => [1], maxAttempt: 2 }], { mode: 'iterable' });
// @ts-expect-error One breaker would refuse all targets together.
withFallback([{ call: () => 1 }], { breaker: new CircuitBreaker() });
withFallback([{ call: () => 1, breaker: new CircuitBreaker() }], { breaker: { failures: 2 } });
export const nameOf = ({ attempts }: RetryError): string | undefined => attempts?.[0]?.provider ?? attempts?.[0]?.model;
const tell = withFallback([{ call: streams, partial: true }, { call: () => [{ delta: 'once' }] }], { mode: 'iterable' });
export const told: AsyncGenerator<{ readonly delta: string }> = tell({});
// @ts-expect-error A target without a function.
withFallback([{ provider: 'a' }]);
// @ts-expect-error What gives no stream.
withFallback([{ call: () => 1 }], { mode: 'iterable' });

const across = createFetch({ targets: [{}, { url: ({ pathname }) => (pathname === '/v1' ? 'https://b.example' : undefined) }, { url: (url) => url, model: 'm', headers: new Headers(), body: (json) => json, timeoutMs: 9 }] });
across('https://a.example', {}, { maxAttempts: 1 });
// @ts-expect-error The targets of a fetch are no option of one call.
across('https://a.example', {}, { targets: [] });

// ---------------------------------------------------------------- a Durable Object that TypeScript knows for one

// As the runtime's own types have it.
declare namespace Rpc {
  const __DURABLE_OBJECT_BRAND: '__DURABLE_OBJECT_BRAND';
  interface DurableObjectBranded { [__DURABLE_OBJECT_BRAND]: never }
}
declare class DurableObjectNamespace<T extends Rpc.DurableObjectBranded | undefined = undefined> {
  idFromName(name: string): { readonly of: T };
  get(id: { readonly of: T }): { readonly stub: T };
}
declare const env: { readonly DACAPO: DurableObjectNamespace<DacapoState>; readonly PLAIN: DurableObjectNamespace };
createFetch({ breaker: { store: durableStore(env.DACAPO) }, budget: { store: durableStore(env.PLAIN) } });
createFetch({ breaker: { onStateChange: ({ key, from, to, retryAfterMs }: BreakerEvent) => `${key} ${from} ${to} ${retryAfterMs}` } });

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
