// sabotage: exempt, whether a second send is made and which of the two wins is nothing the wrong engine changes
import assert from 'node:assert/strict';
import test from 'node:test';
import { historyOf, retry, RetryError, retryStream, withRetry } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { brief, checkWhatIsLeft, HEDGE_MS, heldSends, OPTIONS } from './lib/legs.js';

checkWhatIsLeft();

test('an operation is hedged as a fetch is', async () => {
  for (const [winner, loser] of [[1, 2], [2, 1]]) {
    const { operation, sent, sends } = heldSends();
    const call = retry(operation, OPTIONS);
    await sent(2);
    assert.deepEqual(sends.map(({ attempt }) => attempt), [1, 2]);
    sends[winner - 1].answer({ usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 }, winner });
    const value = await call;
    assert.equal(value.winner, winner);
    const { attempts, retry: ledger, usage } = historyOf(value);
    assert.deepEqual(attempts.map(brief), [[loser - 1, loser, 'cancelled', 'cancelled', 'hedge_lost']]);
    assert.deepEqual([usage.total, usage.billedTotalTokens, ledger.totalAttempts, ledger.wasteIsLowerBound], [5, 5, 2, true]);
    assert.deepEqual([sends[winner - 1].signal.aborted, sends[loser - 1].signal.aborted], [false, true]);
    assert.equal(sends[loser - 1].reason.name, 'AbortError');
  }
});

test('an operation that fails twice ends as the policy says, with what was raised for each', async () => {
  const { operation, sent, sends } = heldSends();
  const call = retry(operation, { ...OPTIONS, clock: fakeClock() });
  call.catch(() => {});
  await sent(2);
  sends[1].fail(new RetryError({ kind: 'schema_mismatch', message: 'second', issues: ['of the second'] }));
  await settled();
  sends[0].fail(new RetryError({ kind: 'schema_mismatch', message: 'first', issues: ['of the first'] }));
  const error = await call.catch((thrown) => thrown);
  assert.deepEqual([error.kind, error.message, error.mark, error.issues], ['schema_mismatch', 'first', 'not_retryable', ['of the first']]);
  assert.deepEqual(error.attempts.map(({ index, error: { issues } }) => [index, issues]), [[1, ['of the second']]]);
  assert.equal(error.retry.totalAttempts, 2);
});

test('a driver is hedged where it gives promises, and no stream of chunks is', async () => {
  let sends = 0;
  let lost;
  const driver = {
    complete: ({ signal }) => {
      sends += 1;
      lost ??= signal;
      return sends === 2 ? 'second' : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    async* stream() {
      sends += 1;
      if (sends % 2 === 1) throw new RetryError({ kind: 'overloaded' });
      await new Promise((resolve) => setTimeout(resolve, 2 * HEDGE_MS));
      yield 'late';
    },
  };
  const retried = withRetry(driver, { ...OPTIONS, clock: fakeClock(), methods: { complete: 'promise', stream: 'iterable' } });
  assert.equal(await retried.complete({ signal: new AbortController().signal }), 'second');
  assert.equal(lost.aborted, true);
  sends = 0;
  for (const stream of [retried.stream(), retryStream(() => driver.stream(), { ...OPTIONS, clock: fakeClock() })]) {
    for await (const chunk of stream) assert.equal(chunk, 'late');
  }
  assert.equal(sends, 4);
});
