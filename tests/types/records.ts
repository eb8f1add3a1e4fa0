// What comes back, member by member: every member is there, of this type, and cannot be assigned.

import { expectTypeOf } from 'expect-type';
import type {
  AttemptContext, AttemptRecord, BreakerEvent, BreakerState, BreakerStateName, CallEvent, ConfigFault, ErrorKind, ErrorSnapshot, ErrorType,
  Explanation, FallbackAttempt, History, RequestSnapshot, ResolvedOptions, ResumeToken, RetryLedger, SavedStates, StopMark, StreamAttemptContext, StreamPartial,
  TargetContext, Tokens, Usage, Verdict,
} from 'dacapo';

// ---------------------------------------------------------------- names

expectTypeOf<ErrorKind>().toEqualTypeOf<
  | 'cancelled' | 'timeout' | 'transport' | 'rate_limited' | 'overloaded' | 'server_error' | 'quota_exhausted' | 'spend_limit_reached' | 'auth'
  | 'permission' | 'not_found' | 'model_not_found' | 'bad_request' | 'conflict' | 'request_too_large' | 'context_exceeded' | 'content_filtered'
  | 'refused' | 'malformed_response' | 'response_truncated' | 'schema_mismatch' | 'invalid_transcript' | 'invalid_request' | 'max_rounds_exceeded'
  | 'tool_calls_already_executed' | 'max_output_exceeds_context' | 'budget_exceeded' | 'capability_missing' | 'bad_definition' | 'redirected'
  | 'circuit_open' | 'retry_budget_exhausted' | 'deadline_exceeded' | 'fallback_exhausted' | 'invalid_config' | 'retry_loop_exhausted' | 'unknown'
>();
expectTypeOf<ErrorType>().toEqualTypeOf<
  | 'timeout' | 'api' | 'network' | 'parse' | 'validation' | 'invalid_params' | 'rate_limited' | 'quota_exceeded' | 'circuit_open'
  | 'fallback_exhausted' | 'aborted' | 'unknown'
>();
expectTypeOf<StopMark>().toEqualTypeOf<
  | 'not_retryable' | 'attempts_exhausted' | 'deadline_exceeded' | 'retry_after_beyond' | 'deferred' | 'retry_budget_exhausted' | 'circuit_open'
  | 'one_shot_body' | 'output_begun' | 'method_not_retried' | 'hook_veto' | 'hook_error' | 'cancelled'
>();
expectTypeOf<BreakerStateName>().toEqualTypeOf<'closed' | 'open' | 'half_open' | 'isolated'>();

// ---------------------------------------------------------------- records of a call

expectTypeOf<Tokens>().toEqualTypeOf<{ readonly prompt: number; readonly completion: number; readonly total: number }>();
expectTypeOf<Usage>().toEqualTypeOf<{
  readonly prompt: number;
  readonly completion: number;
  readonly total: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly billedTotalTokens: number;
}>();
expectTypeOf<ErrorSnapshot>().toEqualTypeOf<{
  readonly message: string;
  readonly kind: ErrorKind;
  readonly type: ErrorType;
  readonly code?: string;
  readonly status?: number;
  readonly provider?: string;
  readonly issues?: readonly unknown[];
  readonly retryAfterMs?: number;
  readonly retryable: boolean;
  readonly rule: string;
  readonly attempts?: readonly AttemptRecord[];
}>();
expectTypeOf<RequestSnapshot>().toEqualTypeOf<{
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly startedAt: number;
  readonly body?: string;
}>();
expectTypeOf<AttemptRecord>().toEqualTypeOf<{
  readonly index: number;
  readonly attempt: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly reason: string;
  readonly delayMs: number;
  readonly delayFrom?: 'backoff' | 'hint';
  readonly retryAfterMs?: number;
  readonly streamed: boolean;
  readonly tokens?: Tokens;
  readonly error: ErrorSnapshot;
  readonly request?: RequestSnapshot;
  readonly provider?: string;
  readonly model?: string;
}>();
expectTypeOf<FallbackAttempt>().toEqualTypeOf<AttemptRecord>();
expectTypeOf<RetryLedger>().toEqualTypeOf<{
  readonly totalAttempts: number;
  readonly failedAttempts: number;
  readonly wastedPromptTokens: number;
  readonly wastedCompletionTokens: number;
  readonly wastedTotalTokens: number;
  readonly wasteIsLowerBound: boolean;
}>();
expectTypeOf<History>().toEqualTypeOf<{
  readonly attempts?: readonly AttemptRecord[];
  readonly retry: RetryLedger;
  readonly usage?: Usage;
  readonly last?: AttemptRecord;
  readonly mark?: StopMark;
  readonly resume?: ResumeToken;
  readonly fallback?: readonly FallbackAttempt[];
}>();
expectTypeOf<ResumeToken>().toEqualTypeOf<{
  readonly version: 1;
  readonly notBefore: number;
  readonly retry: RetryLedger;
  readonly attempts: readonly AttemptRecord[];
}>();
expectTypeOf<StreamPartial>().toEqualTypeOf<{
  readonly text: string;
  readonly toolCalls: readonly { readonly id?: string; readonly name?: string; readonly arguments: string }[];
}>();
expectTypeOf<Verdict>().toEqualTypeOf<{
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  readonly code: string | null;
  readonly retryAfterMs: number | null;
  readonly provider?: string;
  readonly rule: string;
}>();
expectTypeOf<Extract<CallEvent, { type: 'failed' }>>().toEqualTypeOf<{
  readonly type: 'failed';
  readonly attempt: AttemptRecord;
  readonly verdict: Verdict;
}>();
expectTypeOf<Extract<CallEvent, { type: 'waiting' }>>().toEqualTypeOf<{
  readonly type: 'waiting';
  readonly attempt: AttemptRecord;
  readonly delayMs: number;
  readonly from: 'backoff' | 'hint';
}>();
expectTypeOf<Extract<CallEvent, { type: 'settled' }>>().toEqualTypeOf<{
  readonly type: 'settled';
  readonly outcome: 'delivered' | 'failed' | 'cancelled';
  readonly history: History;
}>();
expectTypeOf<CallEvent['type']>().toEqualTypeOf<'failed' | 'waiting' | 'settled'>();

// ---------------------------------------------------------------- what functions are called with

expectTypeOf<AttemptContext>().toEqualTypeOf<{ readonly attempt: number; readonly signal: AbortSignal }>();
expectTypeOf<StreamAttemptContext>().toEqualTypeOf<{ readonly attempt: number; readonly signal: AbortSignal }>();
expectTypeOf<TargetContext>().toEqualTypeOf<{
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}>();
expectTypeOf<TargetContext<'large'>['model']>().toEqualTypeOf<'large'>();

// ---------------------------------------------------------------- states, policies and their faults

expectTypeOf<BreakerEvent>().toEqualTypeOf<{
  readonly key: string;
  readonly from: BreakerStateName;
  readonly to: BreakerStateName;
  readonly retryAfterMs: number;
}>();
expectTypeOf<BreakerState>().toEqualTypeOf<{
  readonly state: BreakerStateName;
  readonly retryAfterMs: number;
  readonly failures: number;
  readonly trips: number;
}>();
expectTypeOf<SavedStates>().toEqualTypeOf<{
  readonly version: 1;
  readonly at: number;
  readonly keys: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}>();
expectTypeOf<ConfigFault>().toEqualTypeOf<{
  readonly option: string;
  readonly code: string;
  readonly value: string;
  readonly allowed: string;
}>();
expectTypeOf<Explanation>().toEqualTypeOf<{
  readonly schedule: readonly { readonly n: number; readonly minMs: number; readonly maxMs: number }[];
  readonly worstCaseMs: number | null;
  readonly worstBackoffMs: number;
  readonly maxAttempts: number;
  readonly options: ResolvedOptions;
}>();
