// Every function and class: what it takes, what it refuses, what it gives.

import { expectTypeOf } from 'expect-type';
import {
  backoffDelay, CircuitBreaker, classify, createFetch, explain, findRetryError, historyOf, isRetryError, matchesKind, parseRetryAfter, providerKind,
  redactHeaders, retry, RetryBudget, RetryError, RetryPolicy, retryStream, sanitizeBaseUrl, sanitizeUrl, withFallback, withRetry,
} from 'dacapo';
import type {
  AttemptContext, AttemptRecord, BreakerOptions, BreakerState, BudgetOptions, ClassifyInput, ConfigFault, ErrorKind, ErrorType, Explanation,
  FallbackTarget, FetchCallOptions, FetchOptions, History, MethodMode, MethodName, ModelTarget, OnlyOptions, PlainTarget, PolicyOptions, ResolvedOptions, ResumeToken,
  RetryErrorInit, RetryingFetch, RetryLedger, RetryOptions, SavedStates, StopMark, StreamAttemptContext, StreamLike, StreamPartial, TargetChunk, TargetInput,
  Verdict,
} from 'dacapo';

declare const caught: unknown;
declare const policy: RetryPolicy;

// ---------------------------------------------------------------- createFetch

expectTypeOf(createFetch).parameters.toEqualTypeOf<[options?: FetchOptions | undefined]>();
expectTypeOf(createFetch).returns.toEqualTypeOf<RetryingFetch>();
expectTypeOf<RetryingFetch>().parameters.toEqualTypeOf<[input: string | URL | Request, init?: RequestInit | undefined, options?: FetchCallOptions | undefined]>();
expectTypeOf<RetryingFetch>().returns.toEqualTypeOf<Promise<Response>>();
expectTypeOf<RetryingFetch['with']>().toEqualTypeOf<(options: FetchOptions) => RetryingFetch>();
expectTypeOf<RetryingFetch['policy']>().toEqualTypeOf<RetryPolicy>();
export const dropIn: typeof fetch = createFetch();
// @ts-expect-error A fetch has one policy.
createFetch().policy = policy;
// @ts-expect-error The URL is not left out.
createFetch()();

// ---------------------------------------------------------------- retry and retryStream

expectTypeOf(retry(() => 1)).toEqualTypeOf<Promise<number>>();
expectTypeOf(retry(async () => 'text', { maxAttempts: 2 })).toEqualTypeOf<Promise<string>>();
retry((context) => expectTypeOf(context).toEqualTypeOf<AttemptContext>());
expectTypeOf(retry).parameter(1).toEqualTypeOf<RetryOptions | undefined>();
// @ts-expect-error Without an operation.
retry();
// @ts-expect-error A promise is not an operation: it could not be made again.
retry(Promise.resolve(1));

expectTypeOf(retryStream(async function* () { yield 1; })).toEqualTypeOf<AsyncGenerator<number, any, undefined>>();
expectTypeOf(retryStream(async () => [Promise.resolve('text')])).toEqualTypeOf<AsyncGenerator<string, any, undefined>>();
expectTypeOf(retryStream(() => new ReadableStream<Uint8Array>())).toEqualTypeOf<AsyncGenerator<Uint8Array, any, undefined>>();
retryStream((context) => {
  expectTypeOf(context).toEqualTypeOf<StreamAttemptContext>();
  return [1];
});
expectTypeOf<StreamLike<number>>().toEqualTypeOf<AsyncIterable<number> | Iterable<number | PromiseLike<number>> | ReadableStream<number>>();
// @ts-expect-error What is no stream.
retryStream(() => 1);

// ---------------------------------------------------------------- withRetry

declare class Driver {
  readonly model: string;
  complete(prompt: string): Promise<string>;
  later?(): Promise<number>;
}
expectTypeOf<MethodName<Driver>>().toEqualTypeOf<'complete' | 'later'>();
expectTypeOf(withRetry({} as Driver, { methods: { complete: 'promise' } })).toEqualTypeOf<Driver>();
expectTypeOf<MethodMode<Promise<{ text: string }>>>().toEqualTypeOf<'promise'>();
expectTypeOf<MethodMode<Promise<string>>>().toEqualTypeOf<'promise'>();
expectTypeOf<MethodMode<AsyncGenerator<string>>>().toEqualTypeOf<'iterable'>();
expectTypeOf<MethodMode<ReadableStream<string>>>().toEqualTypeOf<'iterable'>();
expectTypeOf<MethodMode<Promise<ReadableStream<string>>>>().toEqualTypeOf<'promise' | 'iterable'>();
expectTypeOf<MethodMode<Promise<{ text: string } | AsyncIterable<string>>>>().toEqualTypeOf<'promise' | 'iterable'>();
expectTypeOf<MethodMode<Promise<any>>>().toEqualTypeOf<'promise' | 'iterable'>();
expectTypeOf<MethodMode<any>>().toEqualTypeOf<'promise' | 'iterable'>();
expectTypeOf<MethodMode<string>>().toEqualTypeOf<never>();
expectTypeOf<MethodMode<number>>().toEqualTypeOf<never>();
declare const mixed: { ask(): Promise<string>; stream(): AsyncGenerator<string>; count(): number };
// @ts-expect-error What gives a promise of a text gives no stream.
withRetry(mixed, { methods: { ask: 'iterable' } });
// @ts-expect-error What gives a stream at once gives no promise.
withRetry(mixed, { methods: { stream: 'promise' } });
// @ts-expect-error What gives neither cannot be retried.
withRetry(mixed, { methods: { count: 'promise' } });
// @ts-expect-error A driver is an object.
withRetry('driver', { methods: {} });

// ---------------------------------------------------------------- withFallback

type Targets = readonly [ModelTarget<{ text: string }, Promise<string>>, PlainTarget<{ images: number }, number>];
declare const targets: Targets;
expectTypeOf<FallbackTarget<string, number>>().toEqualTypeOf<ModelTarget<string, number> | PlainTarget<string, number>>();
expectTypeOf<TargetInput<Targets>>().toEqualTypeOf<{ text: string } & { images: number }>();
expectTypeOf<TargetChunk<Promise<AsyncIterable<'a'>>>>().toEqualTypeOf<'a'>();
expectTypeOf<TargetChunk<number>>().toBeNever();
expectTypeOf<Targets>().toExtend<OnlyOptions<Targets>>();
expectTypeOf<readonly [PlainTarget & { readonly modle: string }]>().not.toExtend<OnlyOptions<readonly [PlainTarget & { readonly modle: string }]>>();
expectTypeOf(withFallback(targets)).returns.toEqualTypeOf<Promise<string | number>>();
expectTypeOf(withFallback(targets)).parameter(1).toEqualTypeOf<{ signal?: AbortSignal | null | undefined } | undefined>();
expectTypeOf(withFallback([{ call: () => ['a'] }], { mode: 'iterable' })).returns.toEqualTypeOf<AsyncGenerator<string, any, undefined>>();
// @ts-expect-error Targets are a list.
withFallback({ call: () => 1 });

// ---------------------------------------------------------------- RetryPolicy, explain and backoffDelay

expectTypeOf(RetryPolicy).constructorParameters.toEqualTypeOf<[options?: PolicyOptions | undefined]>();
expectTypeOf(policy.with).toEqualTypeOf<(options: PolicyOptions) => RetryPolicy>();
expectTypeOf(policy.options).toEqualTypeOf<ResolvedOptions>();
expectTypeOf(policy.options.maxAttempts).toEqualTypeOf<number>();
expectTypeOf(policy.options.jitter).toEqualTypeOf<unknown>();
// @ts-expect-error A policy is immutable.
policy.options = {};
// @ts-expect-error So are its options.
policy.options['maxAttempts'] = 2;
// @ts-expect-error An option of a fetch is none of a policy.
new RetryPolicy({ markFinal: true });

expectTypeOf(explain).parameters.toEqualTypeOf<[options?: PolicyOptions | RetryPolicy | undefined]>();
expectTypeOf(explain).returns.toEqualTypeOf<Explanation>();
// @ts-expect-error An option that there is not.
explain({ colour: 'red' });
expectTypeOf(backoffDelay).parameters.toEqualTypeOf<[policy: PolicyOptions | RetryPolicy, n: number, unit: number]>();
expectTypeOf(backoffDelay).returns.toEqualTypeOf<number>();
// @ts-expect-error The random number is the caller's.
backoffDelay(policy, 1);

// ---------------------------------------------------------------- CircuitBreaker and RetryBudget

expectTypeOf(CircuitBreaker).constructorParameters.toEqualTypeOf<[options?: BreakerOptions | undefined]>();
expectTypeOf<CircuitBreaker['state']>().toEqualTypeOf<(key?: string) => BreakerState>();
expectTypeOf<CircuitBreaker['isolate']>().toEqualTypeOf<(key?: string) => void>();
expectTypeOf<CircuitBreaker['close']>().toEqualTypeOf<(key?: string) => void>();
expectTypeOf<CircuitBreaker['keys']>().toEqualTypeOf<() => string[]>();
expectTypeOf<CircuitBreaker['export']>().toEqualTypeOf<() => SavedStates>();
expectTypeOf<CircuitBreaker['import']>().toEqualTypeOf<(saved: SavedStates) => void>();
expectTypeOf<keyof CircuitBreaker>().toEqualTypeOf<'state' | 'isolate' | 'close' | 'keys' | 'export' | 'import'>();
// @ts-expect-error A key is a text.
new CircuitBreaker().state(new URL('https://a.example'));

expectTypeOf(RetryBudget).constructorParameters.toEqualTypeOf<[options?: BudgetOptions | undefined]>();
expectTypeOf<RetryBudget['tokens']>().toEqualTypeOf<(key?: string) => number>();
expectTypeOf<RetryBudget['keys']>().toEqualTypeOf<() => string[]>();
expectTypeOf<RetryBudget['export']>().toEqualTypeOf<() => SavedStates>();
expectTypeOf<RetryBudget['import']>().toEqualTypeOf<(saved: SavedStates) => void>();
expectTypeOf<keyof RetryBudget>().toEqualTypeOf<'tokens' | 'keys' | 'export' | 'import'>();
// @ts-expect-error What `export` does not give.
new RetryBudget().import({});

// ---------------------------------------------------------------- RetryError and what asks about one

expectTypeOf(RetryError).constructorParameters.toEqualTypeOf<[init: RetryErrorInit]>();
expectTypeOf<RetryError>().toExtend<Error>();
expectTypeOf<Omit<RetryError, 'name' | 'message' | 'stack'>>().toEqualTypeOf<{
  readonly kind: ErrorKind;
  readonly type: ErrorType;
  readonly retryable: boolean;
  readonly code?: string;
  readonly status?: number;
  readonly provider?: string;
  readonly retryAfterMs?: number;
  readonly issues?: readonly unknown[];
  readonly budgetKind?: string;
  readonly capability?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly faults?: readonly ConfigFault[];
  readonly attempts?: readonly AttemptRecord[];
  readonly retry?: RetryLedger;
  readonly mark?: StopMark;
  readonly resume?: ResumeToken;
  readonly partial?: StreamPartial;
  readonly cause?: unknown;
  toJSON: () => Record<string, unknown>;
}>();
// @ts-expect-error An error of no kind.
new RetryError({ message: 'no' });

expectTypeOf(isRetryError).parameters.toEqualTypeOf<[x: unknown]>();
expectTypeOf(isRetryError).guards.toEqualTypeOf<RetryError>();
// @ts-expect-error Asked of nothing.
isRetryError();
expectTypeOf(findRetryError).parameters.toEqualTypeOf<[x: unknown]>();
expectTypeOf(findRetryError(caught)).toEqualTypeOf<RetryError | undefined>();
// @ts-expect-error Asked of nothing.
findRetryError();
expectTypeOf(matchesKind).parameters.toEqualTypeOf<[x: unknown, kind: ErrorKind]>();
expectTypeOf(matchesKind(caught, 'auth')).toEqualTypeOf<boolean>();
expectTypeOf(historyOf).parameters.toEqualTypeOf<[x: unknown]>();
expectTypeOf(historyOf(caught)).toEqualTypeOf<History | undefined>();
// @ts-expect-error Whether there is a history is to be asked.
historyOf(caught).retry;

// ---------------------------------------------------------------- classify, providerKind and parseRetryAfter

expectTypeOf(classify).parameters.toEqualTypeOf<[input: ClassifyInput | Error, options?: PolicyOptions | RetryPolicy | undefined]>();
expectTypeOf(classify).returns.toEqualTypeOf<Verdict>();
expectTypeOf(providerKind).parameters.toEqualTypeOf<[status: number | null | undefined, code?: string | null | undefined]>();
expectTypeOf(providerKind).returns.toEqualTypeOf<ErrorKind | null>();
// @ts-expect-error A status is a number.
providerKind('429');
expectTypeOf(parseRetryAfter).parameters.toEqualTypeOf<
  [value: string | null | undefined, context?: { nowMs?: number | undefined; dateHeader?: string | null | undefined } | undefined]
>();
expectTypeOf(parseRetryAfter).returns.toEqualTypeOf<number | null>();
// @ts-expect-error A header's value is a text.
parseRetryAfter(2);

// ---------------------------------------------------------------- redaction

expectTypeOf(sanitizeUrl).toEqualTypeOf<(url: string | URL) => string>();
expectTypeOf(sanitizeBaseUrl).toEqualTypeOf<(url: string | URL) => { url: string; removed: boolean }>();
expectTypeOf(redactHeaders).returns.toEqualTypeOf<Record<string, string>>();
redactHeaders(new Headers(), { headers: ['x-tenant'], query: [], values: undefined });
redactHeaders([['authorization', 'Bearer x']]);
redactHeaders({ 'set-cookie': ['a', 'b'] });
redactHeaders(null);
// @ts-expect-error A request has headers and is none.
redactHeaders(1);
// @ts-expect-error Names are a list.
redactHeaders({}, { headers: 'x-tenant' });
// @ts-expect-error A URL is a text or a URL.
sanitizeUrl(1);
// @ts-expect-error
sanitizeBaseUrl(null);
