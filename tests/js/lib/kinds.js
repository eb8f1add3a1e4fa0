/** The kinds, with what each is by default: [kind, type, retryable]. */
export const KINDS = [
  ['cancelled', 'aborted', false], ['timeout', 'timeout', true], ['transport', 'network', true], ['rate_limited', 'rate_limited', true],
  ['overloaded', 'api', true], ['server_error', 'api', true], ['quota_exhausted', 'quota_exceeded', false], ['spend_limit_reached', 'quota_exceeded', false],
  ['auth', 'api', false], ['permission', 'api', false], ['not_found', 'api', false], ['model_not_found', 'api', false], ['bad_request', 'api', false],
  ['conflict', 'api', true], ['request_too_large', 'api', false], ['context_exceeded', 'api', false], ['content_filtered', 'api', false], ['refused', 'api', false],
  ['malformed_response', null, true], ['response_truncated', null, false], ['schema_mismatch', 'validation', false], ['invalid_transcript', 'invalid_params', false],
  ['invalid_request', 'invalid_params', false], ['max_rounds_exceeded', null, false], ['tool_calls_already_executed', null, false],
  ['max_output_exceeds_context', 'invalid_params', false], ['budget_exceeded', null, false], ['capability_missing', null, false], ['bad_definition', null, false],
  ['redirected', null, false], ['circuit_open', 'circuit_open', false], ['retry_budget_exhausted', null, false], ['deadline_exceeded', 'timeout', false],
  ['fallback_exhausted', 'fallback_exhausted', false], ['invalid_config', 'invalid_params', false], ['retry_loop_exhausted', 'unknown', false], ['unknown', 'unknown', false],
];
