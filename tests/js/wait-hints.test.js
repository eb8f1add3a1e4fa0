import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, createFetch, historyOf, retry, RetryPolicy } from 'dacapo';
import { fakeClock, NOON } from './lib/clock.js';
import { stubFetch, URL_ } from './lib/stub.js';
import { vectors } from './lib/vectors.js';

const { failures: FAILURES } = vectors('wait_hints');
const TELLS = { error: { message: 'Rate limited. Please try again in 20s.' } };
const SPENT = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6s' };

/** The waits after an answer that fails once, and the failure's record. */
async function after({ status = 429, headers = {}, body }, options = {}) {
  const clock = fakeClock({ wallMs: NOON });
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const fetch = createFetch({ fetch: stubFetch(() => new Response(text, { status, headers })), clock, random: () => 0, jitter: 'none', maxAttempts: 2, ...options });
  const response = await fetch(URL_);
  const { attempts, last } = historyOf(response);
  return { waits: clock.waits, record: attempts?.[0] ?? last, text: await response.text() };
}

test('classify finds the hint of every shared vector', () => {
  assert.ok(FAILURES.length > 100);
  for (const { name, status, headers, body, nowMs, expectMs } of FAILURES) {
    assert.equal(classify({ status, headers, body, nowMs }).retryAfterMs, expectMs, name);
  }
});

test('a fetch records the hint of every shared vector, and waits for it where the failure is retried', async () => {
  const day = 86_400_000;
  const verbatim = { retryAfterCombine: 'replace', zeroHint: 'now', hintJitter: 0, maxRetryAfterMs: day, retryAfterBeyond: 'clamp' };
  for (const { name, status, headers, body, expectMs } of FAILURES) {
    const { waits, record, text } = await after({ status, headers, body }, verbatim);
    assert.equal(record.retryAfterMs ?? null, expectMs, name);
    assert.equal(text, body ?? '', name);
    const wait = classify({ status, body }).retryable ? Math.min(expectMs ?? 500, day) : 0;
    assert.equal(waits.reduce((sum, ms) => sum + ms, 0), wait, name);
  }
});

test('the sources can be chosen, and the presets read those of their pages', async () => {
  const read = async (options) => (await after({ headers: SPENT, body: TELLS }, options)).record.retryAfterMs;
  assert.deepEqual([
    await read({}), await read({ hintSources: ['body'] }), await read({ hintSources: ['reset'] }), await read({ hintSources: ['retry_after'] }),
  ], [20_000, 20_000, 6000, undefined]);
  for (const preset of ['elelem', 'vernllm', 'onellm']) assert.equal(await read({ preset }), undefined, preset);
  assert.equal(await read({ preset: 'onellm', hintSources: 'all' }), 20_000);
  assert.throws(() => new RetryPolicy({ hintSources: ['bodies'] }), /retry_after, body, reset/);
});

test('a hint in the body is a lower bound, limited as any other', async () => {
  const told = (wait) => ({ body: { error: { message: `Please try again in ${wait}.` } } });
  assert.deepEqual((await after(told('494ms'), { hintJitter: 0 })).waits, [500]);
  assert.deepEqual((await after(told('20s'), { hintJitter: 0 })).waits, [20_000]);
  assert.deepEqual((await after(told('20s'), { respectRetryAfter: false })).waits, [500]);
  const beyond = await after(told('1h2m3s'));
  assert.deepEqual([beyond.waits, beyond.record.retryAfterMs], [[], 3_723_000]);
});

test('a failure in band is waited for by what it says', async () => {
  const clock = fakeClock({ wallMs: NOON });
  const body = JSON.stringify({ error: { code: 429, message: 'Please retry after 3 seconds.' } });
  const answer = () => new Response(body, { status: 200, headers: { 'content-type': 'application/json' } });
  await createFetch({ fetch: stubFetch(answer), clock, hintJitter: 0, maxAttempts: 2 })(URL_, { method: 'POST', body: '{}' });
  assert.deepEqual(clock.waits, [3000]);
});

test('an error that keeps its response\'s body or headers is waited for by them', async () => {
  const thrown = (members) => Object.assign(new Error('429 Rate limited'), { status: 429, ...members });
  for (const [members, wait] of [
    [{ error: TELLS.error }, 20_000],
    [{ responseBody: JSON.stringify(TELLS) }, 20_000],
    [{ headers: SPENT }, 6000],
    [{ headers: new Headers(SPENT), error: { message: 'Rate limited' } }, 6000],
  ]) {
    const clock = fakeClock({ wallMs: NOON });
    const operation = () => { throw thrown(members); };
    await assert.rejects(retry(operation, { clock, jitter: 'none', hintJitter: 0, maxAttempts: 2 }));
    assert.deepEqual(clock.waits, [wait], JSON.stringify(members));
  }
});

test('an answer that was cut short tells no wait', async () => {
  const clock = fakeClock({ wallMs: NOON });
  const cut = () => new Response('{"message":"try again in 20s","choices":[{"mess', { headers: { 'content-type': 'application/json' } });
  const fetch = createFetch({ fetch: stubFetch(cut), clock, jitter: 'none', maxAttempts: 2 });
  await fetch(URL_, { method: 'POST', body: '{}' }).catch(() => {});
  assert.deepEqual(clock.waits, [500]);
});

test('only the beginning of a body is searched, and no heap of words and numbers is a hint', async () => {
  for (const body of [`${'5s '.repeat(20_000)}`, `${'again in '.repeat(8_000)}`, `${'wait '.repeat(10_000)}5s`, '9'.repeat(60_000), '\u{1f600}5s'.repeat(9_000)]) {
    const { waits } = await after({ body });
    assert.deepEqual(waits, [500], body.slice(0, 20));
  }
});
