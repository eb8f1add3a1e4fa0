import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, parseRetryAfter } from 'dacapo';
import { fakeClock, NOON } from './lib/clock.js';
import { failed, stubFetch, unusual, URL_ } from './lib/stub.js';
import { vectors } from './lib/vectors.js';

const { parseRetryAfter: VALUES, headers: HEADERS } = vectors('retry_after');
const MOST = Number.MAX_SAFE_INTEGER;
const IN_30_S = 'Thu, 15 Jan 2026 12:00:30 GMT';

/** A Response with any header fields, also such as the Headers class refuses. */
function answer(status, fields) {
  try {
    const headers = new Headers();
    for (const [name, value] of fields) headers.append(name, value);
    return new Response('limited', { status, headers });
  } catch {
    const get = (name) => fields.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value).join(', ') || null;
    return unusual({ status, ok: false, headers: { get, [Symbol.iterator]: () => fields[Symbol.iterator]() } }, 'limited');
  }
}

/** The first wait after a 429 with these headers, and the failure's record. */
async function after(headers, options = {}, wallMs = NOON) {
  const clock = fakeClock({ wallMs });
  const fields = Array.isArray(headers) ? headers : Object.entries(headers);
  const fetch = createFetch({ fetch: stubFetch(() => answer(429, fields)), clock, random: () => 0, jitter: 'none', maxAttempts: 2, ...options });
  const response = await fetch(URL_);
  const { attempts, last, mark } = historyOf(response);
  return { waits: clock.waits, record: attempts?.[0] ?? last, mark, response };
}

test('parseRetryAfter reads every shared vector', () => {
  assert.ok(VALUES.length > 100);
  for (const { name, value, nowMs, dateHeader, expectMs } of VALUES) {
    assert.equal(parseRetryAfter(value, { nowMs, dateHeader }), expectMs, name);
  }
});

test('what is no text is no Retry-After', () => {
  for (const value of [undefined, null, 5, 0, Number.NaN, true, {}, ['5'], 5n, new Date()]) assert.equal(parseRetryAfter(value), null);
});

test('without a time a date is measured against now', () => {
  const inAnHour = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000).toUTCString();
  const ms = parseRetryAfter(inAnHour);
  assert.ok(ms > 3_590_000 && ms <= 3_601_000, `${ms}`);
});

test('a fetch records the hint of every shared vector of headers, and waits for it', async () => {
  assert.ok(HEADERS.length > 40);
  const day = 86_400_000;
  const verbatim = { retryAfterCombine: 'replace', zeroHint: 'now', hintJitter: 0, maxRetryAfterMs: day, retryAfterBeyond: 'clamp' };
  for (const { name, headers, nowMs, expectMs, expectSource } of HEADERS) {
    const { waits, record } = await after(headers, verbatim, nowMs);
    assert.equal(record.retryAfterMs ?? null, expectMs, name);
    assert.equal(waits.reduce((sum, ms) => sum + ms, 0), Math.min(expectMs ?? 500, day), name);
    assert.equal(record.delayFrom, expectMs === null ? 'backoff' : 'hint', name);
    if (expectSource === undefined) continue;
    const alone = await after(headers, { ...verbatim, hintSources: [expectSource] }, nowMs);
    assert.deepEqual([alone.record.retryAfterMs, alone.waits], [expectMs, waits], name);
  }
});

test('no wait is sooner than the server says, nor sooner than the backoff', async () => {
  assert.deepEqual((await after({ 'retry-after': '2' }, { hintJitter: 0 })).waits, [2000]);
  const { waits, record } = await after({ 'retry-after': '0.2' });
  assert.deepEqual([waits, record.delayFrom, record.retryAfterMs], [[500], 'backoff', 200]);
});

test('replace takes the hint alone, shorter or longer', async () => {
  for (const [value, wait] of [['0.2', 200], ['2', 2000]]) {
    assert.deepEqual((await after({ 'retry-after': value }, { retryAfterCombine: 'replace' })).waits, [wait]);
  }
});

test('a share of the hinted wait is added, so that those who were told the same do not return together', async () => {
  for (const [unit, wait] of [[0, 10_000], [0.5, 10_500], [0.999999, 10_999]]) {
    assert.deepEqual((await after({ 'retry-after': '10' }, { random: () => unit })).waits, [wait]);
  }
  assert.deepEqual((await after({ 'retry-after': '10' }, { random: () => 0.5, hintJitter: 1 })).waits, [15_000]);
  assert.deepEqual((await after({ 'retry-after': '10' }, { random: () => 0.999, hintJitter: 0 })).waits, [10_000]);
});

test('a hint beyond the longest accepted ends the call at once with the real answer', async () => {
  for (const value of ['61', '60.001', '86400', '2147484', '9999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT']) {
    const { waits, record, mark, response } = await after({ 'retry-after': value });
    assert.deepEqual([waits, mark, response.status], [[], 'retry_after_beyond', 429], value);
    assert.ok(record.retryAfterMs > 60_000, value);
    assert.equal(await response.text(), 'limited');
  }
  assert.deepEqual((await after({ 'retry-after': '60' })).waits, [60_000]);
});

test('a hint beyond the longest accepted is cut to it, and never to less than the backoff', async () => {
  const clamp = { retryAfterBeyond: 'clamp', hintJitter: 0 };
  for (const value of ['61', '9999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT']) {
    assert.deepEqual((await after({ 'retry-after': value }, clamp)).waits, [60_000], value);
    const short = { ...clamp, maxRetryAfterMs: 100 };
    assert.deepEqual((await after({ 'retry-after': value }, short)).waits, [500], value);
    assert.deepEqual((await after({ 'retry-after': value }, { ...short, retryAfterCombine: 'replace' })).waits, [500], value);
  }
});

test('a hint of more than a timer can hold is slept in slices when it is accepted', async () => {
  const { waits } = await after({ 'retry-after': '9999999' }, { maxRetryAfterMs: MOST, hintJitter: 0 });
  assert.ok(waits.length > 1 && waits.every((ms) => ms > 0 && ms <= 2 ** 31 - 1));
  assert.equal(waits.reduce((sum, ms) => sum + ms, 0), 9_999_999_000);
});

test('zero is a hint of zero, with a meaning that can be chosen', async () => {
  for (const [zeroHint, waits] of [['floor', [500]], ['backoff', [500]], ['now', []]]) {
    for (const value of ['0', '0.0', '000', 'Thu, 15 Jan 2026 11:00:00 GMT', '0, 0']) {
      const seen = await after({ 'retry-after': value }, { zeroHint });
      assert.deepEqual([seen.waits, seen.record.retryAfterMs], [waits, 0], `${zeroHint} ${value}`);
    }
  }
});

test('a hint that is not respected is recorded all the same', async () => {
  const { waits, record } = await after({ 'retry-after': '86400' }, { respectRetryAfter: false });
  assert.deepEqual([waits, record.retryAfterMs], [[500], 86_400_000]);
});

test('a hint on a failure that is not retried is recorded and not waited for', async () => {
  const clock = fakeClock();
  const response = await createFetch({ fetch: stubFetch(failed(400, { 'retry-after': '3' })), clock })(URL_);
  assert.deepEqual([clock.waits, historyOf(response).last.retryAfterMs, historyOf(response).mark], [[], 3000, 'not_retryable']);
});

test('each failure is waited for by its own hint', async () => {
  const clock = fakeClock();
  const stub = stubFetch(failed(429, { 'retry-after': '5' }), failed(503, {}), failed(429, { 'retry-after': '3' }), 200);
  await createFetch({ fetch: stub, clock, jitter: 'none', hintJitter: 0, maxAttempts: 4 })(URL_);
  assert.deepEqual(clock.waits, [5000, 1000, 3000]);
});

test('a hint that cannot be read means the ordinary backoff, never an instant retry', async () => {
  for (const value of [
    '', 'soon', 'NaN', 'Infinity', '-1', '+3', '1e3', '0x10', '5 s', '120junk', 'Thu, 31 Feb 2026 12:00:00 GMT', '2026-01-15T12:00:30Z',
    IN_30_S.replace('GMT', 'gmt'), IN_30_S.replace('Thu', 'Fri'), '5, 120junk', '5, -1',
  ]) {
    const { waits, record } = await after({ 'retry-after': value });
    assert.deepEqual([waits, 'retryAfterMs' in record], [[500], false], value);
  }
});

test('a server that sends a date is waited for until that date', async () => {
  assert.deepEqual((await after({ 'retry-after': IN_30_S }, { hintJitter: 0 })).waits, [30_000]);
});

test('the three forms of a date are read in GMT, whatever the local time zone', async (t) => {
  const { TZ } = process.env;
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  for (const zone of ['America/New_York', 'Asia/Kolkata', 'UTC']) {
    process.env.TZ = zone;
    for (const value of [IN_30_S, 'Thursday, 15-Jan-26 12:00:30 GMT', 'Thu Jan 15 12:00:30 2026']) {
      assert.equal(parseRetryAfter(value, { nowMs: NOON }), 30_000, `${zone} ${value}`);
    }
    assert.equal(parseRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', { nowMs: NOON }), 0);
    assert.equal(parseRetryAfter('Thu, 15 Jan 2026 12:00:60 GMT', { nowMs: NOON }), 60_000);
    assert.equal(parseRetryAfter('Thu, 15 Jan 2026 12:00:30', { nowMs: NOON }), null);
  }
});

test('a date is measured against the response\'s own Date, so a wrong local clock changes no wait', async () => {
  const headers = { 'retry-after': IN_30_S, date: 'Thu, 15 Jan 2026 12:00:00 GMT' };
  for (const wallMs of [NOON, NOON - 7_200_000, NOON + 7_200_000]) {
    assert.deepEqual((await after(headers, { hintJitter: 0 }, wallMs)).waits, [30_000]);
  }
  const cached = { ...headers, date: 'Thu, 15 Jan 2026 11:00:00 GMT', age: '3600' };
  assert.deepEqual((await after(cached, { hintJitter: 0 })).waits, [30_000]);
});

test('the finer header of a vendor wins, and a bad one falls through', async () => {
  for (const [headers, wait] of [
    [{ 'retry-after': '5' }, 5000],
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after': '2', 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after-ms': 'junk', 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': '1500.2' }, 1501],
    [{ 'x-ms-retry-after-ms': '1600', 'retry-after': '9' }, 1600],
    [{ 'x-retry-after-ms': '1700', 'retry-after': '9' }, 1700],
    [{ 'x-amz-retry-after': '1800', 'retry-after': '9' }, 1800],
    [{ 'retry-after-ms': '1', 'x-ms-retry-after-ms': '9000' }, 500],
  ]) {
    assert.deepEqual((await after(headers, { hintJitter: 0 })).waits, [wait], JSON.stringify(headers));
  }
});

test('a header that two layers have set counts as its longest member, and is not read by its front', async () => {
  assert.deepEqual((await after([['retry-after', '5'], ['retry-after', '20']], { hintJitter: 0 })).waits, [20_000]);
  assert.deepEqual((await after([['retry-after', '5'], ['retry-after', IN_30_S]])).waits, [500]);
});

test('only the sources that were chosen are read', async () => {
  const headers = { 'retry-after': '2', 'retry-after-ms': '7000' };
  const read = async (hintSources) => (await after(headers, { hintSources, hintJitter: 0 })).waits[0];
  assert.deepEqual([
    await read('all'), await read(['retry_after_ms']), await read(['retry_after']), await read([]), await read(['x_amz_retry_after']),
  ], [7000, 7000, 2000, 500, 500]);
});
