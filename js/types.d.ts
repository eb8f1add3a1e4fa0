/**
 * dacapo: the public contract.
 *
 * Units are in the names: `…Ms` is milliseconds, `…Bytes` is bytes. `n` counts waits
 * from 1, `attempt` counts sends from 1, `index` counts attempts from 0.
 */

// ---------------------------------------------------------------- kinds

/** What a failure is. The table of their properties is in `docs/kinds.md`. */
export type ErrorKind =
  | 'cancelled'
  | 'timeout'
  | 'transport'
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'quota_exhausted'
  | 'spend_limit_reached'
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'model_not_found'
  | 'bad_request'
  | 'conflict'
  | 'request_too_large'
  | 'context_exceeded'
  | 'content_filtered'
  | 'refused'
  | 'malformed_response'
  | 'response_truncated'
  | 'schema_mismatch'
  | 'invalid_transcript'
  | 'invalid_request'
  | 'max_rounds_exceeded'
  | 'tool_calls_already_executed'
  | 'max_output_exceeds_context'
  | 'budget_exceeded'
  | 'capability_missing'
  | 'bad_definition'
  | 'redirected'
  | 'circuit_open'
  | 'retry_budget_exhausted'
  | 'deadline_exceeded'
  | 'fallback_exhausted'
  | 'invalid_config'
  | 'retry_loop_exhausted'
  | 'unknown';

/** The coarser name VernLLM gives a kind. */
export type ErrorType =
  | 'timeout'
  | 'api'
  | 'network'
  | 'parse'
  | 'validation'
  | 'invalid_params'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'circuit_open'
  | 'fallback_exhausted'
  | 'aborted'
  | 'unknown';

/** Why a call was not (or no longer) played again. */
export type StopMark =
  /** The failure is not retried under this policy, nor did `shouldRetry` allow its kind before. */
  | 'not_retryable'
  /** `maxAttempts` sends were made. */
  | 'attempts_exhausted'
  /** The next wait would end at or after `deadlineMs`, or the deadline passed in flight. */
  | 'deadline_exceeded'
  /** The server asked for a longer wait than `maxRetryAfterMs`. */
  | 'retry_after_beyond'
  /** So it did under `retryAfterBeyond: 'defer'`: the call can be resumed later. */
  | 'deferred'
  /** The retry budget did not pay for another attempt. */
  | 'retry_budget_exhausted'
  /** The circuit breaker let the call not begin, or opened while it waited. */
  | 'circuit_open'
  /** The request body can be read only once and there is no `bodyFactory`. */
  | 'one_shot_body'
  /** Output of a streamed answer had begun when it failed. */
  | 'output_begun'
  /** The request's method is not in `methods`. */
  | 'method_not_retried'
  /** `shouldRetry` said no. */
  | 'hook_veto'
  /** A hook threw under `hookErrors: 'throw'`. */
  | 'hook_error'
  /** The caller's signal aborted. */
  | 'cancelled';

// ---------------------------------------------------------------- records

/** Tokens as one provider call reported them; a number that it did not report is 0. */
export interface Tokens {
  /** The request's, those read from and written to a cache included. */
  readonly prompt: number;
  /** The answer's, reasoning included. */
  readonly completion: number;
  /** As the provider adds them up; prompt and completion where it does not. */
  readonly total: number;
}

/** What a call used: the tokens of the attempt that succeeded, all 0 when none did. */
export interface Usage extends Tokens {
  /** The part of `completion` that was reasoning. */
  readonly reasoning: number;
  /** The part of `prompt` that was read from a cache. */
  readonly cacheRead: number;
  /** The part of `prompt` that was written to a cache. */
  readonly cacheWrite: number;
  /** `total` and the ledger's `wastedTotalTokens`: what the provider charges for. */
  readonly billedTotalTokens: number;
}

/** What failed, as a record: never the live error, never a secret of the request. */
export interface ErrorSnapshot {
  /** At most 1000 characters, masked before it was cut. */
  readonly message: string;
  /** What failed. */
  readonly kind: ErrorKind;
  /** The kind's coarser name. */
  readonly type: ErrorType;
  /** The provider's or the runtime's own code, such as `ECONNRESET`. */
  readonly code?: string;
  /** The HTTP status; absent when no response came. */
  readonly status?: number;
  /** The option `provider`, or what the answer tells of it; absent when neither is there. */
  readonly provider?: string;
  /** What a validator found, when the caller raised `schema_mismatch`. */
  readonly issues?: readonly unknown[];
  /** The server's wait hint in milliseconds. `0` is a hint of zero; absent is no hint. */
  readonly retryAfterMs?: number;
  /** Whether it may be retried, by kind and policy. */
  readonly retryable: boolean;
  /** Which rule decided, such as `status`, `transport`, `server_veto`. */
  readonly rule: string;
  /** The attempts inside this failure, when it was itself a retried call. */
  readonly attempts?: readonly AttemptRecord[];
}

/** What was sent, without credentials. */
export interface RequestSnapshot {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** With userinfo dropped and secret query values masked. */
  readonly url: string;
  /** Sensitive headers are removed. */
  readonly headers: Readonly<Record<string, string>>;
  /** When it was sent, in epoch milliseconds. */
  readonly startedAt: number;
  /** With `snapshotBody` only: text up to 16 KiB, or `[FormData]`, `[Blob 123 bytes]`, … */
  readonly body?: string;
}

/** One failed attempt, or a send that lost to the one beside it (`hedgeAfterMs`; its code is `hedge_lost`). Frozen. */
export interface AttemptRecord {
  /** The place of the attempt in its call, from 0. */
  readonly index: number;
  /** The number of the attempt in its call, from 1. */
  readonly attempt: number;
  /** When it was sent, in epoch milliseconds. */
  readonly startedAt: number;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** `rate_limited`, `server_error`, `timeout`, `transport`, or the kind. */
  readonly reason: string;
  /**
   * The wait after this attempt, in milliseconds. In `onRetry` the wait that is about to begin; in a history the wait
   * really slept (shorter when a cancel cut it), 0 on the last attempt.
   */
  readonly delayMs: number;
  /** Where `delayMs` came from; absent without a wait. */
  readonly delayFrom?: 'backoff' | 'hint';
  /** The server's wait hint in milliseconds, as in `error`; absent is no hint. */
  readonly retryAfterMs?: number;
  /** Whether output had begun. */
  readonly streamed: boolean;
  /** What it cost, when the provider said so. */
  readonly tokens?: Tokens;
  /** What it failed with. */
  readonly error: ErrorSnapshot;
  /** Absent for `retry()`, whose requests are not ours to see. */
  readonly request?: RequestSnapshot;
  /** In a {@link FallbackAttempt} only: the target's. */
  readonly provider?: string;
  /** In a {@link FallbackAttempt} only: the target's. */
  readonly model?: string;
}

/** The ledger of a call. */
export interface RetryLedger {
  /** Sends made. A clean run is 1. */
  readonly totalAttempts: number;
  /** Every failed send, the last one and those that lost to one beside them included. */
  readonly failedAttempts: number;
  /** Tokens of failed attempts' requests, as far as providers told of them. */
  readonly wastedPromptTokens: number;
  /** Tokens of failed attempts' answers, as far as providers told of them. */
  readonly wastedCompletionTokens: number;
  /** Both, as providers add them up. */
  readonly wastedTotalTokens: number;
  /** Whether a failed attempt may have cost tokens that nobody reported. */
  readonly wasteIsLowerBound: boolean;
}

/** What a call went through. Frozen. */
export interface History {
  /** The failures other than the one the call ended with, as they ended; absent when there are none. */
  readonly attempts?: readonly AttemptRecord[];
  /** The ledger: sends made, and what failed ones cost. */
  readonly retry: RetryLedger;
  /** Absent when no attempt's answer told of tokens. */
  readonly usage?: Usage;
  /** The failure the call ended with; absent when it succeeded. */
  readonly last?: AttemptRecord;
  /** Why the call ended without success; absent when it succeeded. */
  readonly mark?: StopMark;
  /** With `mark` `'deferred'`: what the call can be resumed with later, anywhere. */
  readonly resume?: ResumeToken;
  /**
   * Of a call over targets that went past some: one entry for each that failed, in their order (of a `fallback_exhausted`
   * call: for all). `retry`, and what is billed, are then over all targets; `attempts` and `last` are the last target's.
   */
  readonly fallback?: readonly FallbackAttempt[];
}

/** One target that failed, with all its attempts. Frozen. */
export interface FallbackAttempt extends AttemptRecord {
  /** -1 for the first target, then 0, 1, … */
  readonly index: number;
  /** 1 for the first target. */
  readonly attempt: number;
  /** The target's option `provider`. */
  readonly provider?: string;
  /** The target's option `model`. */
  readonly model?: string;
  /** What its last attempt failed with; `error.attempts` are the failures that it retried past. */
  readonly error: ErrorSnapshot;
  /** What all its attempts cost, as far as the provider said so. */
  readonly tokens?: Tokens;
}

/**
 * A deferred call, as plain JSON that may be stored: no credentials and no body in it. Given
 * as the option `resume` with the same request, the call goes on: it is sent at once, attempts
 * go on counting (`maxAttempts` is over all), and its history contains the earlier ones. A new
 * `deadlineMs` begins.
 */
export interface ResumeToken {
  /** The version of the format. */
  readonly version: 1;
  /** When the server wants to be asked again, in epoch milliseconds. */
  readonly notBefore: number;
  /** The ledger so far. */
  readonly retry: RetryLedger;
  /** Every failed attempt so far. */
  readonly attempts: readonly AttemptRecord[];
}

// ---------------------------------------------------------------- options

/** How a backoff is spread at random: see the option `jitter`. */
export type Jitter = 'none' | 'equal' | 'equal-below-cap' | 'full' | 'decorrelated' | { additive: number };

/** What the built-in rules say of a failure. */
export interface Verdict {
  /** What failed. */
  readonly kind: ErrorKind;
  /** Whether it may be retried, by kind and policy. */
  readonly retryable: boolean;
  /** The provider's or the runtime's own code; `null` when there is none. */
  readonly code: string | null;
  /** The server's wait hint in milliseconds, as far as `hintSources` lets it be read; `null` when there is none. */
  readonly retryAfterMs: number | null;
  /** The option `provider`, or what the answer tells of it; absent when neither is there. */
  readonly provider?: string;
  /** Which rule decided; the rules are in `docs/kinds.md`. */
  readonly rule: string;
}

/** Systems whose rules a preset has; `docs/options.md` has them. */
export type PresetName = 'elelem' | 'vernllm' | 'onellm' | 'aws';

/**
 * What may ask for a wait: the headers of these names, written with hyphens; `'body'`: what the body says of it;
 * `'reset'`: the reset headers of a spent rate limit.
 */
export type HintSourceName =
  | 'retry_after_ms' | 'x_ms_retry_after_ms' | 'x_retry_after_ms' | 'x_amz_retry_after' | 'retry_after' | 'body' | 'reset';

/**
 * What `onEvent` is told: of each attempt that failed, of each wait that begins (`delayMs` in milliseconds), and once
 * of the end of the call.
 */
export type CallEvent =
  | { readonly type: 'failed'; readonly attempt: AttemptRecord; readonly verdict: Verdict }
  | { readonly type: 'waiting'; readonly attempt: AttemptRecord; readonly delayMs: number; readonly from: 'backoff' | 'hint' }
  | { readonly type: 'settled'; readonly outcome: 'delivered' | 'failed' | 'cancelled'; readonly history: History };

/** A clock of your own. */
export interface Clock {
  /** The time of day, in epoch milliseconds. */
  now(): number;
  /** A monotonic time, in milliseconds. Default: `now` serves both. */
  mono?: (() => number) | undefined;
  /** Ends after `ms` milliseconds; may end early when `signal` aborts. Used for the waits between attempts. */
  sleep(ms: number, signal: AbortSignal | undefined): PromiseLike<unknown>;
}

/** Options that decide; the table of defaults and presets is in `docs/options.md`. */
export interface PolicyOptions {
  /**
   * Start from the rules of a documented system instead of the defaults; other options override it one by one.
   * Default: none.
   */
  preset?: PresetName | undefined;
  /** Sends in all, the first included. Default 3. Not together with `maxRetries`. */
  maxAttempts?: number | undefined;
  /** Sends after the first. Not together with `maxAttempts`. Default 2. */
  maxRetries?: number | undefined;
  /** The first backoff before jitter, in milliseconds; at most `maxDelayMs`. Default 500. */
  initialDelayMs?: number | undefined;
  /** The first backoff after a failure of kind `rate_limited`, in milliseconds; `0` is `initialDelayMs`. Default 0. */
  throttledDelayMs?: number | undefined;
  /**
   * Where the backoff stops growing, in milliseconds. A server's hint may be longer: `maxRetryAfterMs`. Default 8000.
   */
  maxDelayMs?: number | undefined;
  /** What the backoff is multiplied by from wait to wait. At least 1. Default 2. */
  factor?: number | undefined;
  /** The exponent of `factor` for the first wait. Default 0. */
  firstExponent?: number | undefined;
  /**
   * How a backoff is spread at random. `'equal'` (default): between half and all of it. `'equal-below-cap'`: the
   * same, but none once a multiplication reaches `maxDelayMs`. `'full'`: between nothing and all. `'decorrelated'`:
   * between `initialDelayMs` and three times the previous backoff. `{ additive: p }`: up to the share p (0 to 1) on
   * top. `'none'`: not at all.
   */
  jitter?: Jitter | undefined;
  /** Whether the server's wait hints are used. Default true. */
  respectRetryAfter?: boolean | undefined;
  /** Which hints are read. Default `'all'`. */
  hintSources?: 'all' | readonly HintSourceName[] | undefined;
  /** `'max'` (default): the longer of hint and backoff. `'replace'`: the hint alone. `'near'`: the hint, no sooner than the backoff and at most `hintSlackMs` later. */
  retryAfterCombine?: 'max' | 'replace' | 'near' | undefined;
  /**
   * How much later than the backoff a hint may make a wait under `retryAfterCombine: 'near'`, in milliseconds.
   * Default 5000.
   */
  hintSlackMs?: number | undefined;
  /** The longest hint that is waited out, in milliseconds. Default 60000. */
  maxRetryAfterMs?: number | undefined;
  /** A longer hint ends the call (`'stop'`, default), is cut (`'clamp'`), or ends the call with a token to resume it with (`'defer'`). */
  retryAfterBeyond?: 'stop' | 'clamp' | 'defer' | undefined;
  /** Share of a hinted wait added at random, 0 to 1. Default 0.1. */
  hintJitter?: number | undefined;
  /** What `Retry-After: 0` means: never sooner than backoff (`'floor'`, default), backoff, or at once. */
  zeroHint?: 'floor' | 'backoff' | 'now' | undefined;
  /**
   * Exactly these statuses are retried. `'default'` (default): 408, 409, 425, 429 and 5xx except 501, 505, 506, 510,
   * 511, 525, 526.
   */
  retryStatus?: 'default' | readonly number[] | undefined;
  /**
   * These statuses are not retried and all others from 400 on are. Not together with `retryStatus`. Default: not set.
   */
  nonRetryableStatus?: readonly number[] | undefined;
  /** Whether failures of an unknown kind are retried. Default false. */
  retryUnknown?: boolean | undefined;
  /** Whether faults that only look like transport failures (bad port, invalid header, TLS certificate) are permanent. Default true. */
  permanentTransport?: boolean | undefined;
  /** Whether a spent quota is retried. Default false. */
  retryQuota?: boolean | undefined;
  /**
   * What the provider's own code in the body decides: everything, before the status (`'first'`, default); the kind,
   * but no retry that the status does not allow (`'override'`); nothing (`'ignore'`).
   */
  bodyCodes?: 'first' | 'override' | 'ignore' | undefined;
  /** Whether `x-should-retry` is obeyed. Default true. */
  shouldRetryHeader?: boolean | undefined;
  /**
   * The longest time for one attempt, in milliseconds up to 2147483647; `0` is off. An attempt that takes longer is
   * aborted, and may be retried. Default off.
   */
  timeoutMs?: number | undefined;
  /** What `timeoutMs` covers. Default `'headers'`: until the response headers. `'response'`: until the body ends as well. */
  timeoutCovers?: 'headers' | 'response' | undefined;
  /**
   * The longest time from the start to the delivery, all attempts and waits together, in milliseconds; `0` is off. A
   * wait that would end at or after it is not begun. Default off.
   */
  deadlineMs?: number | undefined;
  /** What a throwing `shouldRetry` or `onRetry` does: end the call (`'throw'`, default) or nothing. */
  hookErrors?: 'throw' | 'swallow' | undefined;
  /** `'auto'` (default): `'refuse'` for methods other than GET and HEAD. `'refuse'`: a redirect is an error. `'platform'`: as fetch does. An explicit `init.redirect` always stands. */
  redirects?: 'auto' | 'refuse' | 'platform' | undefined;
  /** Whether a 2xx JSON answer to a POST is read before it is delivered. Default true. */
  inspectOk?: boolean | undefined;
  /** Whether request bodies are kept in snapshots. Default false. */
  snapshotBody?: boolean | undefined;
  /** The request methods that are retried, in any case; others are sent once. Default `'all'`. */
  methods?: 'all' | readonly string[] | undefined;
  /**
   * How many bytes of a Request's body may be kept for a replay; a larger one is sent once. Default 16777216 (16
   * MiB).
   */
  maxReplayBytes?: number | undefined;
  /** How many bytes of a 2xx JSON answer are inspected; a longer one is delivered. Default 1048576 (1 MiB). */
  inspectBytes?: number | undefined;
  /** How many bytes of a failed answer's body are read. Default 65536 (64 KiB). */
  errorBytes?: number | undefined;
  /**
   * How many bytes of a streamed answer's opening may be held back before its first output; a longer one is
   * delivered. `0` holds none. Default 262144 (256 KiB).
   */
  openingBytes?: number | undefined;
  /** How long it may be held back, in milliseconds; it is delivered then. `0` holds none. Default 120000. */
  holdOpeningMs?: number | undefined;
  /**
   * The longest time in which a streamed answer sends no byte while somebody waits for one, in milliseconds; `0` is
   * off. Default off.
   */
  idleTimeoutMs?: number | undefined;
  /**
   * The longest time from the send to the first output of a streamed answer, in milliseconds; `0` is off. Default
   * off.
   */
  firstOutputTimeoutMs?: number | undefined;
  /**
   * When an attempt has not been decided so many milliseconds after its send, a second one is sent beside it: it
   * counts as a send, and is made only where a retry could be. The first good answer is delivered and the other send
   * cancelled; when both fail the last failure decides. A streamed answer of `createFetch` is decided by its first
   * output. `retryStream` makes none. `0` is off. Default off.
   */
  hedgeAfterMs?: number | undefined;
  /**
   * Refuses calls to a target that keeps failing, with a {@link RetryError} of kind `circuit_open` and without a request.
   * The same object of options is the same breaker, wherever it is given; `true` is one of this policy's own. Among the
   * options of a single call an object that is written there is another breaker at each call, and never opens: keep it in
   * a constant. Default off.
   */
  breaker?: boolean | BreakerOptions | CircuitBreaker | undefined;
  /**
   * What all calls to a target together may spend on retries. When it is spent, a call ends with its last failure as it
   * is, marked `retry_budget_exhausted`. The same object of options is the same budget; one that is written among the
   * options of a single call is another, and full, at each call. Default off, on in preset `'aws'`, whose budget is one
   * for all calls that are given the preset themselves.
   */
  budget?: boolean | BudgetOptions | RetryBudget | undefined;
  /** A name for the provider, shown in records. Default: what the answer tells of it, if anything. */
  provider?: string | undefined;
  /**
   * `'json'`: a 2xx answer that is not JSON is `malformed_response`, and is retried. Needs `inspectOk`. Default: any
   * answer will do.
   */
  expect?: 'json' | undefined;
  /**
   * More names of headers and query parameters, and values, to redact; values of fewer than 4 characters are ignored.
   * Default: none but the known ones.
   */
  redact?: { headers?: readonly string[] | undefined; query?: readonly string[] | undefined; values?: readonly string[] | undefined } | undefined;
  /** Node.js: whether a wait lets the process end. Default false. */
  unref?: boolean | undefined;
  /**
   * Sees the built-in verdict and may overrule it either way; `undefined` lets it stand. May be asynchronous. Not
   * asked where no retry is possible. Default: the verdict stands.
   */
  shouldRetry?: ((failure: AttemptRecord, verdict: Verdict) => boolean | undefined | PromiseLike<boolean | undefined>) | undefined;
  /** Called before each wait, which begins when what it returns is fulfilled. Default: nothing is called. */
  onRetry?: ((attempt: AttemptRecord, context: { signal: AbortSignal | undefined }) => unknown) | undefined;
  /**
   * Of `withFallback` and of `createFetch` with `targets`: which failures go on to the next target. A list of kinds, or a
   * function, of which `undefined` leaves it to the default: the column "other provider" in `docs/kinds.md`.
   */
  fallbackOn?:
    | readonly ErrorKind[]
    | ((kind: ErrorKind, failure: ErrorSnapshot) => boolean | undefined | PromiseLike<boolean | undefined>)
    | undefined;
  /**
   * Told of every failed attempt, every wait and once of the end of the call; never waited for, and never fails a
   * call. A call that succeeds at once has no events. Default: nobody is told.
   */
  onEvent?: ((event: CallEvent) => unknown) | undefined;
  /** For tests: the time, and the waits between attempts. Default: the runtime's. */
  clock?: Clock | undefined;
  /**
   * For tests: a number in [0, 1), asked once for each wait. Default: a generator in the engine, seeded by the
   * runtime.
   */
  random?: (() => number) | undefined;
}

/**
 * What is one target of `createFetch`: by default the origin of the URL. A text makes all calls one, a function gives the
 * key of a URL, of which it is shown neither user and password nor secret parameters. Other calls, whose URL is not ours to see, have the key `''` unless it is a text. Keys are shown in errors
 * and events; at most 1024 are kept, and those go first of which nothing is known but success.
 */
export type TargetKey = string | ((url: string) => string);

/** `open`: calls are refused until the cool-down is over. `half_open`: a few pass as probes. `isolated`: refused until `close()`. */
export type BreakerStateName = 'closed' | 'open' | 'half_open' | 'isolated';

/** Options of a circuit breaker. A call counts once, by how it ended, its retries included. */
export interface BreakerOptions {
  /** What opens it: so many failed calls in a row (`'consecutive'`, default), or a share of the calls of a window. */
  mode?: 'consecutive' | 'rolling' | undefined;
  /** Consecutive: failed calls in a row that open it. Default 5. */
  failures?: number | undefined;
  /** Rolling: the stretch of time that is looked at, in milliseconds. Default 30000. */
  windowMs?: number | undefined;
  /** Rolling: fewer calls in the window never open it. Default 20. */
  minCalls?: number | undefined;
  /** Rolling: the share of failed calls that opens it, above 0 and up to 1. Default 0.5. */
  failureRatio?: number | undefined;
  /** The first cool-down, in milliseconds; at most `maxOpenMs`. Default 30000. */
  openMs?: number | undefined;
  /** The longest cool-down, in milliseconds: each failed probe doubles it up to here. Default 300000. */
  maxOpenMs?: number | undefined;
  /** The share of a cool-down that is added at random, 0 to 1. Default 0.1. */
  openJitter?: number | undefined;
  /** Calls let through at once after the cool-down, of which so many must succeed to close it. Default 1. */
  probes?: number | undefined;
  /** How long such a call may hold its place, in milliseconds; how it ends later counts all the same. `0` is the current cool-down. Default 0. */
  leaseMs?: number | undefined;
  /** Whether `rate_limited` counts as a failure. Default false. */
  countThrottling?: boolean | undefined;
  /** What is one target. Default: the origin of the URL. */
  key?: TargetKey | undefined;
  /**
   * Told of each change, in order, when a call or a method brings it about; never fails a call. Default: nobody is
   * told.
   */
  onStateChange?: ((event: BreakerEvent) => unknown) | undefined;
  /** Shares the state with other isolates or processes. Default: it is kept here alone. */
  store?: StateStore | undefined;
}

/** A change of a breaker's state. Frozen. */
export interface BreakerEvent {
  /** The target. */
  readonly key: string;
  /** The state until now. */
  readonly from: BreakerStateName;
  /** The state from now on. */
  readonly to: BreakerStateName;
  /** Milliseconds until a call is let through, as it is now; `Infinity` when isolated, which JSON writes as `null`. */
  readonly retryAfterMs: number;
}

/** The state of one key. Frozen. */
export interface BreakerState {
  /** One whose cool-down is over is still `open`, with a `retryAfterMs` of 0, until somebody calls. */
  readonly state: BreakerStateName;
  /**
   * Milliseconds until a call is let through; 0 when one would be now, `Infinity` when isolated, which JSON writes as
   * `null`.
   */
  readonly retryAfterMs: number;
  /** Failed calls that count: those in a row, or those of the window. */
  readonly failures: number;
  /** How often it has opened since it was last closed. */
  readonly trips: number;
}

/** The states of a breaker or a budget as plain JSON. Times in it are what was left of them. */
export interface SavedStates {
  /** The version of the format. */
  readonly version: 1;
  /** When they were saved, in epoch milliseconds. */
  readonly at: number;
  /** By key, each state in a form of its own. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * A circuit breaker that can be asked and set, and given to several policies. Where there is no option `key`, a URL given
 * for a key stands for its origin.
 */
export class CircuitBreaker {
  /**
   * Every key begins closed.
   *
   * @throws {RetryError} `invalid_config`, listing every fault.
   */
  constructor(options?: BreakerOptions);
  /**
   * Without a key: of the only one there is. A key that nobody has called is closed.
   *
   * @throws {RetryError} `invalid_config`, without a key where several are kept.
   */
  state(key?: string): BreakerState;
  /**
   * Refuses every call of a key until `close(key)`; without one all calls, those of later keys too, until `close()`.
   *
   * @throws {RetryError} `invalid_config` for a key that is no text.
   */
  isolate(key?: string): void;
  /**
   * Lets the calls of a key pass, and forgets what was counted; without one those of all keys.
   *
   * @throws {RetryError} `invalid_config` for a key that is no text.
   */
  close(key?: string): void;
  /** The keys that are kept. Throws nothing. */
  keys(): string[];
  /** The states of all keys, to be stored and given to `import` later or elsewhere. Throws nothing. */
  export(): SavedStates;
  /**
   * Takes over the states of an export; other keys stay as they are. What was left of a cool-down is less by the time since.
   *
   * @throws {RetryError} `invalid_config`, and nothing is taken over, for what `export` did not give.
   */
  import(saved: SavedStates): void;
}

/** Options of a retry budget. Those of the bucket are the numbers of the AWS SDKs. */
export interface BudgetOptions {
  /** A bucket that retries take from and successes fill (`'tokens'`, default), or a share of the calls of a window. */
  mode?: 'tokens' | 'ratio' | undefined;
  /** Tokens: the most it holds. Default 500. */
  capacity?: number | undefined;
  /** Tokens: what it holds at first. Default `capacity`. */
  initial?: number | undefined;
  /** Tokens: what a retry costs; a success gives back what the last retry of its call cost. Default 14. */
  transientCost?: number | undefined;
  /** Tokens: the same after `rate_limited`. Default 5. */
  throttlingCost?: number | undefined;
  /** Tokens: what a call pays in that succeeds at once. Default 1. */
  cleanCredit?: number | undefined;
  /** Ratio: retries as a share of the calls, 0 to 1. Default 0.2. */
  ratio?: number | undefined;
  /** Ratio: the stretch of time that is looked at, in milliseconds. Default 10000. */
  windowMs?: number | undefined;
  /** Ratio: retries on top of the share, for each second of the window. Default 10. */
  reservePerSecond?: number | undefined;
  /** What is one target. Default: the origin of the URL. */
  key?: TargetKey | undefined;
  /** Shares the state with other isolates or processes. Default: it is kept here alone. */
  store?: StateStore | undefined;
}

/**
 * A retry budget that can be asked, and given to several policies. Where there is no option `key`, a URL given for a key
 * stands for its origin.
 */
export class RetryBudget {
  /**
   * Every key begins with `initial` tokens, or an empty window.
   *
   * @throws {RetryError} `invalid_config`, listing every fault.
   */
  constructor(options?: BudgetOptions);
  /**
   * Tokens left, or retries left in the window. Without a key: of the only one there is.
   *
   * @throws {RetryError} `invalid_config`, without a key where several are kept.
   */
  tokens(key?: string): number;
  /** The keys that are kept. Throws nothing. */
  keys(): string[];
  /** The states of all keys, to be stored and given to `import` later or elsewhere. Throws nothing. */
  export(): SavedStates;
  /**
   * Takes over the states of an export; other keys stay as they are.
   *
   * @throws {RetryError} `invalid_config`, and nothing is taken over, for what `export` did not give.
   */
  import(saved: SavedStates): void;
}

/** Whether and how tokens are looked for: see the options `usage` of `createFetch` and of `retry`. */
export type UsageOption = boolean | ((resultOrError: any) => object | null | undefined);

/**
 * Where the state of breakers and budgets is shared, for runtimes that run a program in many
 * isolates. `dacapo/cloudflare` has one; any place with a compare-and-set will do.
 *
 * A call that succeeds while its breaker is closed and knows of no failure never touches it.
 * All else is told in the background: a store that fails, hangs or lies fails no call. Only a
 * probe of a half-open breaker waits for it, a second at most.
 */
export interface StateStore {
  /** The state under a key, such as `breaker:https://api.example`, and its version; `undefined` where there is none. */
  read(key: string): PromiseLike<{ readonly version: unknown; readonly state: Readonly<Record<string, unknown>> } | null | undefined>;
  /** Replaces the state by another, plain JSON, if its version is still this (`undefined`: if there still is none), and says whether it did. */
  compareAndSet(key: string, version: any, state: Readonly<Record<string, unknown>>): PromiseLike<boolean>;
  /** Keeps the runtime from ending this work with the request. Default: nothing does. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** Options of `createFetch`. */
export interface FetchOptions extends PolicyOptions {
  /** A policy to start from; options beside it override it one by one. Default: the default options. */
  policy?: RetryPolicy | undefined;
  /** What makes the attempts. Default: `globalThis.fetch`, looked up at each call. */
  fetch?: ((input: any, init?: any) => PromiseLike<Response>) | undefined;
  /**
   * A fresh body for each attempt after the first, for bodies that can be read only once. Default: such a request is
   * sent once.
   */
  bodyFactory?: (() => RequestInit['body'] | PromiseLike<RequestInit['body']>) | undefined;
  /**
   * One `Idempotency-Key` for all attempts of a call: a random UUID (`true`), or what the function gives. A browser
   * preflights it under CORS. Default: none is sent.
   */
  idempotencyKey?: boolean | (() => string) | undefined;
  /**
   * `true`: streamed answers are read for their tokens after the first output as well. A function is for `retry`.
   * Default false.
   */
  usage?: UsageOption | undefined;
  /** The name of a header that tells the number of retries (0 on the first attempt). Default: none is sent. */
  retryCountHeader?: string | undefined;
  /** Rebuild the last failed Response with `x-should-retry: false`, so that an SDK does not retry it; its `url` is then empty. Default false. */
  markFinal?: boolean | undefined;
  /**
   * Endpoints that are asked in order until one does not fail in a way that another may do better. The first is what
   * the request is made for. Default: the request alone.
   */
  targets?: readonly FetchTarget[] | undefined;
  /** With `targets`: called before the next one is asked. Default: nothing is called. */
  onFallback?: OnFallback | undefined;
}

/**
 * An endpoint, and what makes a request one for it. Its options win over those of all targets.
 *
 * No target after the first is sent the credentials of the request: its sensitive headers, what of its URL is user,
 * password or a secret parameter, and any header that holds one of these. What a target needs is in its own `headers`.
 */
export interface FetchTarget extends Omit<FetchOptions, 'targets' | 'onFallback'> {
  /**
   * A name for the model, which replaces the member `model` of a JSON body and the field `model` of a form, where
   * there is one. Default: the request keeps its own.
   */
  model?: string | undefined;
  /**
   * An absolute URL, in a page too, without user and password: what the request's URL has behind the first target's
   * `url`, or else behind its own origin, is appended; parameters that both have are this one's. Or a function, given
   * the request's URL without credentials, of which `undefined` says that the request is none for this target.
   *
   * The first target's text only says what that is. A request under another URL is sent as it was made, and no other
   * target is asked; so it is when the first target's function says `undefined`. Default: the request's URL, without
   * credentials.
   */
  url?: string | ((url: URL) => string | URL | null | undefined) | undefined;
  /** Set over the request's headers, or in place of those that do not travel. Default: none. */
  headers?: Headers | Iterable<readonly [string, string]> | Record<string, string> | undefined;
  /**
   * Given the parsed JSON body, after `model`; sends what it returns. Not called for any other body. Default: the
   * body is sent as it is.
   */
  body?: ((json: any) => unknown) | undefined;
}

/** Called before the next target is asked. May be asynchronous; what it throws ends the call, by `hookErrors`. */
export type OnFallback = (failed: FallbackAttempt, context: { signal: AbortSignal | undefined }) => unknown;

/** Options of one call of such a fetch. */
export interface FetchCallOptions extends Omit<FetchOptions, 'targets'> {
  /**
   * The token of a call that was deferred, to go on with it. The request is given anew, credentials included.
   * Default: a new call.
   */
  resume?: ResumeToken | null | undefined;
}

/** Options of `retry`. */
export interface RetryOptions extends PolicyOptions {
  /** A policy to start from; options beside it override it one by one. Default: the default options. */
  policy?: RetryPolicy | undefined;
  /** The caller's signal, whose abort ends the call at once with its reason. Default: nothing cancels the call. */
  signal?: AbortSignal | null | undefined;
  /** The token of a call that was deferred, to go on with it. Default: a new call. */
  resume?: ResumeToken | null | undefined;
  /**
   * The tokens of an attempt, by what it gave or threw: a usage object of any provider or client. `undefined`, or a
   * throw, leaves it to what is found there by itself. Not asked for a call that succeeds at once. A flag is for
   * `createFetch`, and for `retryStream`, where `true` looks at every chunk. Default: what is found by itself.
   */
  usage?: UsageOption | undefined;
}

/** Options of `retryStream`. */
export interface RetryStreamOptions<T = any> extends RetryOptions {
  /**
   * Whether a chunk is output, after which nothing is retried. With it only what it says counts, and a stream of a
   * known shape may be over without its end. A throw fails the attempt. Default: the shapes of providers and of their
   * clients are known, and a chunk of any other shape is output.
   */
  isOutput?: ((chunk: T) => boolean) | undefined;
  /**
   * Keep what the consumer has had, for `error.partial` should the stream fail after output:
   * so many characters, or with `true` 65536. Default off.
   */
  partial?: boolean | number | undefined;
}

/** Options of `withRetry`. A signal is the caller's of each method. */
export interface WithRetryOptions<D extends object = any> extends Omit<RetryStreamOptions, 'signal' | 'resume' | 'methods'> {
  /** The methods that are retried, and what each gives: a promise, or a stream (at once or as a promise). */
  methods: { readonly [name in MethodName<D>]?: MethodMode<ReturnType<Extract<D[name], (...args: any) => any>>> | undefined };
}

/** What a method that returns this can be named in `withRetry`; of an overloaded method the last signature counts. */
export type MethodMode<R> = unknown extends R
  ? 'promise' | 'iterable'
  : (Extract<R, PromiseLike<any>> extends never ? never : 'promise') | (unknown extends Awaited<R> ? 'iterable' : Extract<Exclude<Awaited<R>, string>, StreamLike<any>> extends never ? never : 'iterable');

/** The names of the methods of a driver. */
export type MethodName<D> = { [name in keyof D]-?: Extract<D[name], (...args: any) => any> extends never ? never : name }[keyof D];

/** What a function given to `retryStream` is called with. */
export interface StreamAttemptContext {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborts with the caller's signal, at the attempt's timeout, and when the attempt is dropped while it is under way. */
  readonly signal: AbortSignal;
}

/** What can be iterated over as a stream. */
export type StreamLike<T> = AsyncIterable<T> | Iterable<T | PromiseLike<T>> | ReadableStream<T>;

/** What a consumer had of a stream before it failed. Masked as all texts are. Frozen. */
export interface StreamPartial {
  /** The answer's text, without reasoning. */
  readonly text: string;
  /** The tool calls as far as they came. */
  readonly toolCalls: readonly { readonly id?: string; readonly name?: string; /** JSON, maybe cut. */ readonly arguments: string }[];
}

/** What an operation given to `retry` is called with. */
export interface AttemptContext {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborts with the caller's signal, at the attempt's timeout, and when one beside it was faster; without any of these it never does. */
  readonly signal: AbortSignal;
}

// ---------------------------------------------------------------- functions

/** A drop-in `fetch`, made by `createFetch`. */
export interface RetryingFetch {
  /**
   * `fetch`, retried. After the last failed status it resolves with that Response, the
   * original object. `options` override the policy for this call.
   *
   * Rejects with `signal.reason` when cancelled; with the platform's error (masked if it
   * held a secret of the request) after a transport failure; with a DOMException
   * `TimeoutError` that names the option; with what a hook threw; with a {@link RetryError} of
   * kind `redirected`, `circuit_open` (nothing was sent), `fallback_exhausted` (with `targets`,
   * when all failed) or `invalid_config`.
   */
  (input: string | URL | Request, init?: RequestInit, options?: FetchCallOptions): Promise<Response>;
  /**
   * The same fetch with some options changed.
   *
   * @throws {RetryError} `invalid_config`, listing every fault.
   */
  with(options: FetchOptions): RetryingFetch;
  /** The policy that it was made with. */
  readonly policy: RetryPolicy;
}

/**
 * Makes a drop-in `fetch`. Give it to any SDK that takes one, with the SDK's own retries off.
 *
 * @throws {RetryError} `invalid_config`, listing every fault.
 */
export function createFetch(options?: FetchOptions): RetryingFetch;

/**
 * Runs `operation` until it succeeds or the policy gives up.
 *
 * Rejects with a {@link RetryError} whose `cause` is the last error, or with
 * `signal.reason` when cancelled.
 */
export function retry<T>(operation: (context: AttemptContext) => T | PromiseLike<T>, options?: RetryOptions): Promise<T>;

/**
 * Iterates over the stream that `fn` gives, and calls it again when that fails before its
 * first output: it throws, ends too early, tells of a failure in a chunk, or is too slow.
 * Opening chunks are held back until the first output, so the consumer sees one start; a
 * failed attempt's iterator is returned and its opening dropped. `fn` is called when the
 * first chunk is asked for.
 *
 * After the first output chunks pass through as they come, and nothing is retried: a failure,
 * thrown or told in a chunk by an error or a finish reason such as `error`, is thrown as a
 * {@link RetryError} marked `output_begun` whose record says `streamed: true`. A stream that
 * ends without output is delivered, unless the reason for its end names a failure.
 *
 * `timeoutMs` covers an attempt until its first output, with `timeoutCovers: 'response'` until
 * its end; `deadlineMs` covers the call until its first output.
 *
 * Iterating rejects with `signal.reason` when cancelled. Leaving early (`break`, `return()`)
 * ends everything that is under way and waits at most a second for the source to let go.
 *
 * @throws {RetryError} `invalid_config`, listing every fault.
 */
export function retryStream<T>(
  fn: (context: StreamAttemptContext) => StreamLike<T> | PromiseLike<StreamLike<T>>,
  options?: RetryStreamOptions<T>,
): AsyncGenerator<T, any, undefined>;

/**
 * The driver, with the named methods retried: as by `retry` where a method gives a promise, as
 * by `retryStream` where it gives a stream. Everything else of it passes straight through,
 * private members, `instanceof` and assignments included. Inside its methods `this` is the
 * driver itself, so what they call of it is not retried once more.
 *
 * The caller's signal is the `signal` member of the last argument that has one. That member
 * is replaced, in a copy of a plain object, only under a timeout or deadline, or with hedging.
 *
 * @throws {RetryError} `invalid_config`, listing every fault.
 */
export function withRetry<D extends object>(driver: D, options: WithRetryOptions<D>): D;

/** What a target's function is called with; to be named where it is not known whether a target has a model. */
export interface TargetContext<M extends string | undefined = string | undefined> extends AttemptContext {
  /** The target's option `provider`. */
  readonly provider: string | undefined;
  /** The target's option `model`. */
  readonly model: M;
}

/** Options of a target: policy options, which win over those of all targets. */
export interface FallbackTargetOptions extends Omit<RetryStreamOptions, 'signal' | 'resume'> {}

/** A target that names its model. */
export interface ModelTarget<I = any, R = any> extends FallbackTargetOptions {
  /** A name for the model, shown in records. */
  model: string;
  /** Makes one attempt. */
  call: (input: I, context: TargetContext<string>) => R;
}

/** A target that names none. */
export interface PlainTarget<I = any, R = any> extends FallbackTargetOptions {
  /** Absent, which is its default. */
  model?: undefined;
  /** Makes one attempt. */
  call: (input: I, context: TargetContext<undefined>) => R;
}

/** A provider, or a model of one. Its options win over those of all targets. */
export type FallbackTarget<I = any, R = any> = ModelTarget<I, R> | PlainTarget<I, R>;

/** These targets, none of which has a member that is no option. */
export type OnlyOptions<T extends readonly FallbackTarget[]> = { readonly [K in keyof T]: T[K] & FallbackTargetOptions & { readonly [P in Exclude<keyof T[K], keyof ModelTarget>]: never } };

/** What every one of these targets takes. */
export type TargetInput<T extends readonly FallbackTarget[]> = T[number]['call'] extends (input: infer I, context: any) => unknown ? I : never;

/** What a stream, or a promise of one, gives. */
export type TargetChunk<R> = Awaited<R> extends StreamLike<infer C> ? C : never;

/** Options of `withFallback`: its own, and policy options for all targets. */
export interface FallbackOptions extends Omit<RetryStreamOptions, 'signal' | 'resume' | 'breaker'> {
  /**
   * One for each target. A {@link CircuitBreaker}, which would refuse all of them together, is for one target.
   * Default off.
   */
  breaker?: boolean | BreakerOptions | undefined;
  /** What the targets give: a promise (default), or a stream (at once or as a promise). */
  mode?: 'promise' | 'iterable' | undefined;
  /**
   * The longest time from the start to the delivery over all targets, in milliseconds: each has what is left of it.
   * `0` is off. Default off.
   */
  deadlineMs?: number | undefined;
  /** Called before the next target is asked. Default: nothing is called. */
  onFallback?: OnFallback | undefined;
}

/**
 * Asks targets in order: each is retried by its own policy, and when it has failed in a way that another may do better,
 * the next one is asked. Each has its own breaker and budget; one that is open is passed over without a request.
 *
 * Rejects with the last target's own error where another would do no better (a bad request, say), or where there is only
 * one; with a {@link RetryError} `fallback_exhausted` when every target failed, whose `attempts` have one entry a target;
 * with `signal.reason` when cancelled. A stream goes on to another target only before its first output.
 *
 * @throws {RetryError} `invalid_config`, listing every fault.
 */
export function withFallback<const T extends readonly FallbackTarget<any, StreamLike<any> | PromiseLike<StreamLike<any>>>[]>(
  targets: T & OnlyOptions<T>,
  options: FallbackOptions & { mode: 'iterable' },
): (input: TargetInput<T>, context?: { signal?: AbortSignal | null | undefined }) => AsyncGenerator<TargetChunk<ReturnType<T[number]['call']>>, any, undefined>;
export function withFallback<const T extends readonly FallbackTarget[]>(
  targets: T & OnlyOptions<T>,
  options?: FallbackOptions & { mode?: 'promise' | undefined },
): (input: TargetInput<T>, context?: { signal?: AbortSignal | null | undefined }) => Promise<Awaited<ReturnType<T[number]['call']>>>;

/** A validated, immutable set of policy options. Make one and share it. */
export class RetryPolicy {
  /**
   * Reads and checks all options at once.
   *
   * @throws {RetryError} `invalid_config`, listing every fault in `faults`.
   */
  constructor(options?: PolicyOptions);
  /**
   * This policy with some options changed, which replace the same options given earlier; a list or object as a whole.
   *
   * @throws {RetryError} `invalid_config`, listing every fault in `faults`.
   */
  with(options: PolicyOptions): RetryPolicy;
  /** The options in force, defaults and preset filled in. Frozen. */
  readonly options: ResolvedOptions;
}

/** Every option that is no function, as it is in force: `0` where one is off. */
export type ResolvedOptions = Readonly<Record<
  | 'maxAttempts' | 'initialDelayMs' | 'throttledDelayMs' | 'maxDelayMs' | 'factor' | 'firstExponent' | 'hintJitter' | 'hintSlackMs'
  | 'maxRetryAfterMs' | 'timeoutMs' | 'deadlineMs' | 'maxReplayBytes' | 'inspectBytes' | 'errorBytes' | 'openingBytes' | 'holdOpeningMs'
  | 'idleTimeoutMs' | 'firstOutputTimeoutMs' | 'hedgeAfterMs',
  number
>> & Readonly<Record<string, unknown>>;

/** One fault of one option. */
export interface ConfigFault {
  /** The name of the option, such as `maxAttempts` or `breaker.openMs`. */
  readonly option: string;
  /** Such as `type`, `range`, `unknown_option`, `retry_max_attempts`. */
  readonly code: string;
  /** What was given, as text; cut and masked. `not shown` for an unknown option and for what `redact` calls secret. */
  readonly value: string;
  /** What would be allowed, in words. */
  readonly allowed: string;
}

/** What a {@link RetryError} is made of. */
export interface RetryErrorInit {
  /** What failed. */
  kind: ErrorKind;
  /** What to say of it; masked. Default: the kind in words. */
  message?: string | undefined;
  /** The error that it stands for. Default: absent. */
  cause?: unknown;
  /** The provider's or the runtime's own code. Default: absent. */
  code?: string | undefined;
  /** The HTTP status. Default: absent. */
  status?: number | undefined;
  /** The name of the provider. Default: absent. */
  provider?: string | undefined;
  /** How long to wait before the next attempt, in milliseconds, as a server would ask for. Default: absent, no hint. */
  retryAfterMs?: number | undefined;
  /** Whether it may be retried. Default: what the kind's row in `docs/kinds.md` says. */
  retryable?: boolean | undefined;
  /** What a validator found, for `schema_mismatch`. Default: absent. */
  issues?: readonly unknown[] | undefined;
  /** Which budget was exceeded, for `budget_exceeded`. Default: absent. */
  budgetKind?: string | undefined;
  /** What the model lacks, for `capability_missing`. Default: absent. */
  capability?: string | undefined;
  /** Where a definition is wrong, for `bad_definition`: the file. Default: absent. */
  file?: string | undefined;
  /** The line there. Default: absent. */
  line?: number | undefined;
  /** The column there. Default: absent. */
  column?: number | undefined;
}

/** A failure with a kind: raised by the engine, or by a caller for `retry` to judge. */
export class RetryError extends Error {
  /**
   * An error to throw from an operation, which `retry` judges by its kind. Texts are masked.
   *
   * Throws a `TypeError` for a kind that there is not.
   */
  constructor(init: RetryErrorInit);
  /** What failed. */
  readonly kind: ErrorKind;
  /** The kind's coarser name. */
  readonly type: ErrorType;
  /** Whether the kind may heal, or what was given: see `docs/kinds.md`. */
  readonly retryable: boolean;
  /** The provider's or the runtime's own code; absent when there was none. */
  readonly code?: string;
  /** The HTTP status; absent when no response came. */
  readonly status?: number;
  /** The option `provider`, or what the answer tells of it, or what was given; absent when there is none. */
  readonly provider?: string;
  /** The server's wait hint in milliseconds. `0` is a hint of zero; absent is no hint. */
  readonly retryAfterMs?: number;
  /** What a validator found, as it was given. */
  readonly issues?: readonly unknown[];
  /** Which budget was exceeded, as it was given with kind `budget_exceeded`. */
  readonly budgetKind?: string;
  /** What the model lacks, as it was given with kind `capability_missing`. */
  readonly capability?: string;
  /** Where a definition is wrong, as it was given with kind `bad_definition`: the file. */
  readonly file?: string;
  /** The line there, as it was given. */
  readonly line?: number;
  /** The column there, as it was given. */
  readonly column?: number;
  /** `invalid_config`: every fault. */
  readonly faults?: readonly ConfigFault[];
  /** The failures retried past; absent when nothing was retried. `fallback_exhausted`: one {@link FallbackAttempt} a target. */
  readonly attempts?: readonly AttemptRecord[];
  /** The ledger of the call; absent on an error that a caller made. */
  readonly retry?: RetryLedger;
  /** Why the call was not (or no longer) played again; absent on an error that a caller made. */
  readonly mark?: StopMark;
  /** With `mark` `'deferred'`: what the call can be resumed with. */
  readonly resume?: ResumeToken;
  /** What the consumer of a `retryStream` had, with the option `partial`, when it failed after output. */
  readonly partial?: StreamPartial;
  /** The live error. Left out of `toJSON`; `util.inspect` shows it masked; a browser's console and Node's report of an uncaught error show it as it is. */
  readonly cause?: unknown;
  /** The members as plain data, without `cause` and `stack`. Throws nothing. */
  toJSON(): Record<string, unknown>;
}

/** Whether `x` itself is a RetryError, of this or another realm or copy. Throws nothing. */
export function isRetryError(x: unknown): x is RetryError;

/**
 * The first RetryError in `x`, its cause chain or an AggregateError's members; `undefined` when there is none. Throws
 * nothing.
 */
export function findRetryError(x: unknown): RetryError | undefined;

/**
 * Whether a failure is of this kind, through any wrapping: whether `findRetryError(x)` is, or, where there is no
 * RetryError, what the call of `createFetch` failed with that `x` came out of, such as an SDK's own error
 * (`historyOf(x)?.last?.error.kind`). Throws nothing.
 */
export function matchesKind(x: unknown, kind: ErrorKind): boolean;

/**
 * The history of a call, by what it came back with: a Response, a RetryError, the stream of a `retryStream`, the object
 * `createFetch` rejected with (its latest call), or an error that keeps the Response's
 * `headers` or `response`, also in its cause chain.
 *
 * `undefined` for anything else, and for a Response that succeeded at once. Throws nothing.
 */
export function historyOf(x: unknown): History | undefined;

/** What is known of a failure. */
export interface ClassifyInput {
  /** The HTTP status, 100 to 999. Default: no response came. */
  status?: number | null | undefined;
  /** The response's headers. Default: none. */
  headers?: Headers | Iterable<readonly [string, string]> | Record<string, string | readonly string[]> | null | undefined;
  /**
   * The response's body as text or bytes, or as parsed JSON. Of text and bytes as much is read as the larger of
   * `errorBytes` and `inspectBytes`, of JSON 1000 values. One that cannot be read (a stream, a detached buffer) is
   * absent. Default: none.
   */
  body?: unknown;
  /** What was thrown. Default: nothing was. */
  error?: unknown;
  /** The caller's own signal: aborted means cancelled, whatever the error looks like. Default: nobody cancelled. */
  signal?: AbortSignal | null | undefined;
  /** The time of day in epoch milliseconds, for HTTP dates. Default: now. */
  nowMs?: number | undefined;
}

/**
 * What the policy's rules say of a failure. The input is taken for one: a 2xx counts as an error told in band. An Error
 * stands for `{ error }`. A Response is an input as well, of which status and headers are read and no body.
 *
 * @throws {RetryError} `invalid_config` for an input that is no object, a status, signal or `nowMs` of another type, and
 * invalid options.
 */
export function classify(input: ClassifyInput | Error, options?: PolicyOptions | RetryPolicy): Verdict;

/** The kind a provider failure has by code, then by status (429, 401, 403, 404); else `null`. Throws nothing. */
export function providerKind(status: number | null | undefined, code?: string | null): ErrorKind | null;

/** What a policy will do, in numbers. Frozen. */
export interface Explanation {
  /** Each wait's bounds without a server hint, in milliseconds; `n` counts waits from 1. At most 100. */
  readonly schedule: readonly { readonly n: number; readonly minMs: number; readonly maxMs: number }[];
  /**
   * All attempts at their timeout and all waits at their longest, hints included, in milliseconds; `null` when
   * nothing bounds it. What comes after an attempt's headers is not in it, unless `deadlineMs` or
   * `timeoutCovers: 'response'` bounds that.
   */
  readonly worstCaseMs: number | null;
  /** All waits at their longest without a hint, in milliseconds. */
  readonly worstBackoffMs: number;
  /** Sends in all, the first included. */
  readonly maxAttempts: number;
  /** The options in force. */
  readonly options: ResolvedOptions;
}

/**
 * What a policy will do, in numbers. The schedule lists at most 100 waits.
 *
 * @throws {RetryError} `invalid_config`, listing every fault.
 */
export function explain(options?: PolicyOptions | RetryPolicy): Explanation;

/**
 * The wait a `Retry-After` value asks for, in milliseconds; `null` when it is not one. `nowMs` (epoch milliseconds,
 * default: now) and the response's `Date` header measure an HTTP-date.
 *
 * @throws {RetryError} `invalid_config` for a `nowMs` that is no number.
 */
export function parseRetryAfter(value: string | null | undefined, context?: { nowMs?: number | undefined; dateHeader?: string | null | undefined }): number | null;

/**
 * The backoff in milliseconds before retry `n` (1 for the first wait) for a random `unit` in [0, 1). With
 * `decorrelated` jitter the previous wait is taken as the one the same `unit` gave.
 *
 * @throws {RetryError} `invalid_config` for invalid options, an `n` or a `unit` out of its range.
 */
export function backoffDelay(policy: PolicyOptions | RetryPolicy, n: number, unit: number): number;

/**
 * The URL for display: userinfo dropped, secret query values masked. A text that is no URL is masked as text.
 *
 * @throws {RetryError} `invalid_config` for what is neither text nor URL.
 */
export function sanitizeUrl(url: string | URL): string;

/**
 * The URL for use without user and password, which `fetch` refuses, and whether there were any.
 *
 * @throws {RetryError} `invalid_config` for what is neither text nor URL.
 */
export function sanitizeBaseUrl(url: string | URL): { url: string; removed: boolean };

/**
 * The headers without the sensitive ones, values masked, by names in lower case. Takes any shape `fetch` takes, and
 * `redact` as the option of this name.
 *
 * @throws {RetryError} `invalid_config` for a `redact` of another shape.
 */
export function redactHeaders(
  headers: Headers | Iterable<readonly [string, string]> | Record<string, string | readonly string[]> | null | undefined,
  redact?: { headers?: readonly string[] | undefined; query?: readonly string[] | undefined; values?: readonly string[] | undefined },
): Record<string, string>;
