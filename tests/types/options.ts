// Every option: what it takes, and what it refuses.

import { expectTypeOf } from 'expect-type';
import { CircuitBreaker, RetryBudget, RetryPolicy } from 'dacapo';
import type {
  AttemptRecord, BreakerEvent, BreakerOptions, BudgetOptions, CallEvent, ClassifyInput, Clock, ErrorKind, ErrorSnapshot, FallbackAttempt,
  FallbackOptions, FallbackTargetOptions, FetchCallOptions, FetchOptions, FetchTarget, HintSourceName, Jitter, ModelTarget, OnFallback,
  PlainTarget, PolicyOptions, PresetName, ResumeToken, RetryErrorInit, RetryOptions, RetryStreamOptions, StateStore, TargetContext,
  TargetKey, UsageOption, Verdict, WithRetryOptions,
} from 'dacapo';

import { table } from './table.js';

declare const token: ResumeToken;
declare const signal: AbortSignal;
declare const store: StateStore;

/** The options that one type has beyond another. */
type Own<Options, Inherited> = Omit<Options, keyof Inherited>;

// ---------------------------------------------------------------- of every policy

table<PolicyOptions>()({
  preset: { takes: ['elelem', 'vernllm', 'onellm', 'aws'], refuses: ['none', null] },
  maxAttempts: { takes: [3], refuses: ['3', 3n, null] },
  maxRetries: { takes: [2], refuses: ['2', null] },
  initialDelayMs: { takes: [500], refuses: ['1s', null] },
  throttledDelayMs: { takes: [0], refuses: [false] },
  maxDelayMs: { takes: [8000], refuses: ['8s'] },
  factor: { takes: [1.5], refuses: ['2'] },
  firstExponent: { takes: [1], refuses: [true] },
  jitter: { takes: ['none', 'equal', 'equal-below-cap', 'full', 'decorrelated', { additive: 0.25 }], refuses: ['half', 0.5, {}, true] },
  respectRetryAfter: { takes: [false], refuses: [0] },
  hintSources: { takes: ['all', [], ['retry_after_ms', 'reset']], refuses: ['retry_after', ['retry-after']] },
  retryAfterCombine: { takes: ['max', 'replace', 'near'], refuses: ['min'] },
  hintSlackMs: { takes: [5000], refuses: ['5s'] },
  maxRetryAfterMs: { takes: [60_000], refuses: ['1m'] },
  retryAfterBeyond: { takes: ['stop', 'clamp', 'defer'], refuses: ['wait'] },
  hintJitter: { takes: [0.1], refuses: ['10%'] },
  zeroHint: { takes: ['floor', 'backoff', 'now'], refuses: ['zero'] },
  retryStatus: { takes: ['default', [503]], refuses: [503, ['503'], '5xx'] },
  nonRetryableStatus: { takes: [[400, 404]], refuses: [400, 'default'] },
  retryUnknown: { takes: [true], refuses: ['yes'] },
  permanentTransport: { takes: [false], refuses: [0] },
  retryQuota: { takes: [true], refuses: [1] },
  bodyCodes: { takes: ['first', 'override', 'ignore'], refuses: ['last', false] },
  shouldRetryHeader: { takes: [false], refuses: ['x-should-retry'] },
  timeoutMs: { takes: [10_000], refuses: ['10s', null] },
  timeoutCovers: { takes: ['headers', 'response'], refuses: ['body'] },
  deadlineMs: { takes: [30_000], refuses: [new Date()] },
  hookErrors: { takes: ['throw', 'swallow'], refuses: ['ignore'] },
  redirects: { takes: ['auto', 'refuse', 'platform'], refuses: ['follow'] },
  inspectOk: { takes: [false], refuses: [0] },
  snapshotBody: { takes: [true], refuses: [1024] },
  methods: { takes: ['all', ['GET', 'put']], refuses: ['GET', [1]] },
  maxReplayBytes: { takes: [1024], refuses: ['1k'] },
  inspectBytes: { takes: [1024], refuses: [1024n] },
  errorBytes: { takes: [1024], refuses: ['1k'] },
  openingBytes: { takes: [0], refuses: [false] },
  holdOpeningMs: { takes: [120_000], refuses: [false] },
  idleTimeoutMs: { takes: [9000], refuses: ['9s'] },
  firstOutputTimeoutMs: { takes: [9000], refuses: ['9s'] },
  hedgeAfterMs: { takes: [900], refuses: [true] },
  breaker: { takes: [true, false, { failures: 5 }, new CircuitBreaker()], refuses: ['on', { failures: '5' }, new RetryBudget()] },
  budget: { takes: [true, false, { capacity: 100 }, new RetryBudget()], refuses: [0.2, { capacity: '100' }, new CircuitBreaker()] },
  provider: { takes: ['openai'], refuses: [Symbol()] },
  expect: { takes: ['json'], refuses: ['text'] },
  redact: { takes: [{}, { headers: ['x-tenant'], query: ['tenant'], values: ['s3cret'] }], refuses: [['x-tenant'], { headers: 'x-tenant' }] },
  unref: { takes: [true], refuses: [1] },
  shouldRetry: {
    takes: [
      (failure, verdict) => (failure.error.status === 418 ? true : verdict.retryable),
      () => undefined,
      async ({ attempt }) => attempt < 2,
    ],
    refuses: [true, () => 'yes', async () => 1, (failure: string) => failure === ''],
  },
  onRetry: { takes: [({ delayMs }, { signal: own }) => own?.aborted ?? delayMs, async () => {}], refuses: ['log', (attempt: number) => attempt] },
  fallbackOn: {
    takes: [['auth'], (kind, failure) => kind === 'auth' && failure.status === 401, async () => undefined],
    refuses: ['auth', ['forbidden'], () => 'yes'],
  },
  onEvent: { takes: [(event) => (event.type === 'settled' ? event.history.retry.totalAttempts : event.attempt.index)], refuses: [console, (event: string) => event] },
  clock: { takes: [{ now: () => 0, sleep: async () => {} }, { now: () => 0, mono: () => 0, sleep: (ms, own) => Promise.resolve([ms, own?.aborted]) }], refuses: [{ now: () => 0 }, Date] },
  random: { takes: [() => 0.5], refuses: [0.5, () => '0.5'] },
});

expectTypeOf<PresetName>().toEqualTypeOf<'elelem' | 'vernllm' | 'onellm' | 'aws'>();
expectTypeOf<Jitter>().toEqualTypeOf<'none' | 'equal' | 'equal-below-cap' | 'full' | 'decorrelated' | { additive: number }>();
expectTypeOf<HintSourceName>().toEqualTypeOf<
  'retry_after_ms' | 'x_ms_retry_after_ms' | 'x_retry_after_ms' | 'x_amz_retry_after' | 'retry_after' | 'body' | 'reset'
>();
type Hook<Name extends keyof PolicyOptions> = Parameters<Extract<PolicyOptions[Name], (...args: never) => unknown>>;
expectTypeOf<Hook<'shouldRetry'>>().toEqualTypeOf<[failure: AttemptRecord, verdict: Verdict]>();
expectTypeOf<Hook<'onRetry'>>().toEqualTypeOf<[attempt: AttemptRecord, context: { signal: AbortSignal | undefined }]>();
expectTypeOf<Hook<'onEvent'>>().toEqualTypeOf<[event: CallEvent]>();
expectTypeOf<Hook<'fallbackOn'>>().toEqualTypeOf<[kind: ErrorKind, failure: ErrorSnapshot]>();
expectTypeOf<Clock>().toEqualTypeOf<{
  now(): number;
  mono?: (() => number) | undefined;
  sleep(ms: number, signal: AbortSignal | undefined): PromiseLike<unknown>;
}>();

// ---------------------------------------------------------------- of createFetch

expectTypeOf<FetchOptions>().toExtend<PolicyOptions>();
table<Own<FetchOptions, PolicyOptions>>()({
  policy: { takes: [new RetryPolicy()], refuses: [{ maxAttempts: 2 }] },
  fetch: { takes: [fetch, async () => new Response()], refuses: ['fetch', async () => 'text', {}] },
  bodyFactory: { takes: [() => 'text', async () => new Uint8Array(1), () => new ReadableStream(), () => null], refuses: ['text', () => 1] },
  idempotencyKey: { takes: [true, () => 'key'], refuses: ['key', () => 1, async () => 'key'] },
  usage: { takes: [true, () => undefined], refuses: ['all', () => 1] },
  retryCountHeader: { takes: ['x-retry-count'], refuses: [true] },
  markFinal: { takes: [true], refuses: [1] },
  targets: { takes: [[], [{}, { url: 'https://b.example' }]], refuses: [{}, ['https://b.example'], [{ url: 1 }]] },
  onFallback: { takes: [({ provider }, { signal: own }) => [provider, own], async () => {}], refuses: [true, (failed: string) => failed] },
});
expectTypeOf<UsageOption>().toEqualTypeOf<boolean | ((resultOrError: any) => object | null | undefined)>();
expectTypeOf<OnFallback>().toEqualTypeOf<(failed: FallbackAttempt, context: { signal: AbortSignal | undefined }) => unknown>();

expectTypeOf<keyof FetchCallOptions>().toEqualTypeOf<Exclude<keyof FetchOptions, 'targets'> | 'resume'>();
table<Own<FetchCallOptions, FetchOptions>>()({
  resume: { takes: [token, null], refuses: [{}, 'token', { version: 2 }] },
});

expectTypeOf<keyof FetchTarget>().toEqualTypeOf<Exclude<keyof FetchOptions, 'targets' | 'onFallback'> | 'model' | 'url' | 'headers' | 'body'>();
table<Own<FetchTarget, FetchOptions>>()({
  model: { takes: ['large'], refuses: [1] },
  url: { takes: ['https://b.example/v1', (url) => url.pathname, (url) => new URL(url), () => null, () => undefined], refuses: [new URL('https://b.example'), () => 1] },
  headers: { takes: [{ 'x-api-key': 'k' }, [['x-api-key', 'k']], new Headers(), new Map([['x-api-key', 'k']])], refuses: ['x-api-key: k', { 'x-api-key': 1 }] },
  body: { takes: [(json) => ({ ...json, stream: false })], refuses: [{ stream: false }] },
});

// ---------------------------------------------------------------- of retry, retryStream and withRetry

expectTypeOf<RetryOptions>().toExtend<PolicyOptions>();
table<Own<RetryOptions, PolicyOptions>>()({
  policy: { takes: [new RetryPolicy()], refuses: [{ maxAttempts: 2 }] },
  signal: { takes: [signal, null], refuses: [new AbortController()] },
  resume: { takes: [token, null], refuses: [{}] },
  usage: { takes: [false, ({ usage }) => usage], refuses: [{ total: 1 }, () => 'none'] },
});

expectTypeOf<RetryStreamOptions>().toExtend<RetryOptions>();
table<Own<RetryStreamOptions<{ readonly delta: string }>, RetryOptions>>()({
  isOutput: { takes: [({ delta }) => delta !== ''], refuses: [true, () => 1, (chunk: number) => chunk > 0] },
  partial: { takes: [true, 1024], refuses: ['text', null] },
});

declare class Driver {
  readonly model: string;
  complete(prompt: string): Promise<string>;
  stream(prompt: string): AsyncIterable<string>;
}
expectTypeOf<keyof WithRetryOptions<Driver>>().toEqualTypeOf<Exclude<keyof RetryStreamOptions, 'signal' | 'resume'>>();
table<Pick<WithRetryOptions<Driver>, 'methods'>>()({
  methods: {
    takes: [{}, { complete: 'promise' }, { complete: 'promise', stream: 'iterable' }, { stream: undefined }],
    refuses: ['complete', ['complete'], { complete: true }, { model: 'promise' }],
  },
});

// ---------------------------------------------------------------- of withFallback and its targets

expectTypeOf<keyof FallbackTargetOptions>().toEqualTypeOf<Exclude<keyof RetryStreamOptions, 'signal' | 'resume'>>();
expectTypeOf<keyof ModelTarget>().toEqualTypeOf<keyof FallbackTargetOptions | 'model' | 'call'>();
table<Own<ModelTarget<string, number>, FallbackTargetOptions>>()({
  model: { takes: ['large'], refuses: [1, undefined] },
  call: { takes: [(input, context) => input.length + context.model.length], refuses: ['call', () => 'text', (input: number) => input] },
});
expectTypeOf<keyof PlainTarget>().toEqualTypeOf<keyof ModelTarget>();
expectTypeOf<PlainTarget['model']>().toEqualTypeOf<undefined>();
expectTypeOf<PlainTarget<string, number>['call']>().toEqualTypeOf<(input: string, context: TargetContext<undefined>) => number>();

expectTypeOf<keyof FallbackOptions>().toEqualTypeOf<Exclude<keyof RetryStreamOptions, 'signal' | 'resume'> | 'mode' | 'onFallback'>();
table<Pick<FallbackOptions, 'breaker' | 'mode' | 'deadlineMs' | 'onFallback'>>()({
  breaker: { takes: [true, { failures: 2 }], refuses: [new CircuitBreaker(), 'on'] },
  mode: { takes: ['promise', 'iterable'], refuses: ['stream'] },
  deadlineMs: { takes: [30_000], refuses: ['30s'] },
  onFallback: { takes: [({ error }) => error.kind], refuses: [true] },
});

// ---------------------------------------------------------------- of a breaker, a budget and a store

expectTypeOf<TargetKey>().toEqualTypeOf<string | ((url: string) => string)>();
table<BreakerOptions>()({
  mode: { takes: ['consecutive', 'rolling'], refuses: ['window'] },
  failures: { takes: [5], refuses: ['5', null] },
  windowMs: { takes: [30_000], refuses: ['30s'] },
  minCalls: { takes: [20], refuses: [20n] },
  failureRatio: { takes: [0.5], refuses: ['50%'] },
  openMs: { takes: [30_000], refuses: ['30s'] },
  maxOpenMs: { takes: [300_000], refuses: ['5m'] },
  openJitter: { takes: [0.1], refuses: [true] },
  probes: { takes: [1], refuses: [true] },
  leaseMs: { takes: [0], refuses: [false] },
  countThrottling: { takes: [true], refuses: [1] },
  key: { takes: ['all', (url) => url.slice(0, 9)], refuses: [1, () => 1, (url: URL) => url.host] },
  onStateChange: { takes: [({ key, from, to }) => `${key} ${from} ${to}`], refuses: [true, (event: string) => event] },
  store: { takes: [store], refuses: [new Map(), { read: () => undefined }] },
});
expectTypeOf<Parameters<NonNullable<BreakerOptions['onStateChange']>>>().toEqualTypeOf<[event: BreakerEvent]>();
table<BudgetOptions>()({
  mode: { takes: ['tokens', 'ratio'], refuses: ['share'] },
  capacity: { takes: [500], refuses: ['500', null] },
  initial: { takes: [500], refuses: ['full'] },
  transientCost: { takes: [14], refuses: [14n] },
  throttlingCost: { takes: [5], refuses: ['5'] },
  cleanCredit: { takes: [1], refuses: [true] },
  ratio: { takes: [0.2], refuses: ['20%'] },
  windowMs: { takes: [10_000], refuses: ['10s'] },
  reservePerSecond: { takes: [10], refuses: ['10/s'] },
  key: { takes: ['all', (url) => url], refuses: [1] },
  store: { takes: [store], refuses: [{}] },
});
table<StateStore>()({
  read: {
    takes: [async () => undefined, async () => null, async (key) => ({ version: key.length, state: {} })],
    refuses: [() => undefined, async () => ({ version: 1 }), async (key: number) => ({ version: key, state: {} })],
  },
  compareAndSet: { takes: [async (key, version, state) => key in state && version === 1], refuses: [() => true, async () => 'set'] },
  waitUntil: { takes: [(work) => void work.then()], refuses: [true, (work: string) => void work] },
});
expectTypeOf<Parameters<StateStore['compareAndSet']>>().toEqualTypeOf<[key: string, version: any, state: Readonly<Record<string, unknown>>]>();

// ---------------------------------------------------------------- of classify and of a RetryError

table<Omit<ClassifyInput, 'body' | 'error'>>()({
  status: { takes: [503, null], refuses: ['503'] },
  headers: {
    takes: [new Headers(), { 'retry-after': '1', 'set-cookie': ['a', 'b'] }, [['retry-after', '1']], new Map([['retry-after', '1']]), null],
    refuses: ['retry-after: 1', { 'retry-after': 1 }],
  },
  signal: { takes: [signal, null], refuses: [new AbortController()] },
  nowMs: { takes: [0], refuses: [new Date(), null] },
});
expectTypeOf<Pick<ClassifyInput, 'body' | 'error'>>().toEqualTypeOf<{ body?: unknown; error?: unknown }>();

table<Omit<RetryErrorInit, 'cause'>>()({
  kind: { takes: ['auth', 'unknown'], refuses: ['forbidden', undefined] },
  message: { takes: ['no'], refuses: [new Error('no')] },
  code: { takes: ['invalid_api_key'], refuses: [401] },
  status: { takes: [401], refuses: ['401'] },
  provider: { takes: ['openai'], refuses: [1] },
  retryAfterMs: { takes: [0], refuses: ['1s'] },
  retryable: { takes: [true], refuses: ['yes'] },
  issues: { takes: [[], ['no member id', { path: ['id'] }]], refuses: ['no member id'] },
  budgetKind: { takes: ['tokens'], refuses: [1] },
  capability: { takes: ['vision'], refuses: [1] },
  file: { takes: ['a.json'], refuses: [new URL('file:///a.json')] },
  line: { takes: [1], refuses: ['1'] },
  column: { takes: [1], refuses: ['1'] },
});
expectTypeOf<Pick<RetryErrorInit, 'cause'>>().toEqualTypeOf<{ cause?: unknown }>();
