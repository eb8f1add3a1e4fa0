/** The scenarios that AWS publishes of its SDKs' standard retry mode, with all waits at their longest. */
export const SCENARIOS = [
  { name: 'two failures, then a success', calls: [{ answers: [500, 500, 200], waits: [50, 100], tokens: [486, 472, 486] }] },
  { name: 'no more attempts', calls: [{ answers: [502, 502, 502], waits: [50, 100], tokens: [486, 472, 472], mark: 'attempts_exhausted' }] },
  { name: 'tokens for one retry', initial: 14, calls: [{ answers: [500, 500], waits: [50], tokens: [0, 0], mark: 'retry_budget_exhausted' }] },
  { name: 'no tokens', initial: 0, calls: [{ answers: [500], waits: [], tokens: [0], mark: 'retry_budget_exhausted' }] },
  {
    name: 'five attempts', maxAttempts: 5,
    calls: [{ answers: [500, 500, 500, 500, 500], waits: [50, 100, 200, 400], tokens: [486, 472, 458, 444, 444], mark: 'attempts_exhausted' }],
  },
  { name: 'twenty tokens', initial: 20, maxAttempts: 5, calls: [{ answers: [500, 502], waits: [50], tokens: [6, 6], mark: 'retry_budget_exhausted' }] },
  {
    name: 'thirty tokens and a second call', initial: 30, maxAttempts: 5,
    calls: [
      { answers: [500, 500, 200], waits: [50, 100], tokens: [16, 2, 16] },
      { answers: [500, 200], waits: [50], tokens: [2, 16] },
    ],
  },
  { name: 'throttling', calls: [{ answers: [429, 200], waits: [1000], tokens: [495, 500] }] },
  { name: 'a success at once', initial: 5, calls: [{ answers: [200], waits: [], tokens: [6] }] },
];

/** Under a cap of 20 s. */
export const RAMP_MS = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000];
