import assert from 'node:assert/strict';
import test from 'node:test';
import { backoffDelay, createFetch, explain, RetryPolicy } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { stubFetch, URL_ } from './lib/stub.js';

const UNITS = [0, Number.MIN_VALUE, 1e-9, 0.1, 0.25, 0.5, 0.75, 0.9999999, 1 - 2 ** -53];
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 10, 31, 32, 33, 64, 1023, 1024, 1025, 100_000, 2 ** 31, 2 ** 32 - 1];
const SHAPES = [
  {},
  { initialDelayMs: 1, maxDelayMs: 1 },
  { initialDelayMs: 7, maxDelayMs: 1000, factor: 3 },
  { initialDelayMs: 100, maxDelayMs: 500 },
  { initialDelayMs: 250, maxDelayMs: 100_000, factor: 1.5, firstExponent: 2 },
  { initialDelayMs: 1, maxDelayMs: Number.MAX_SAFE_INTEGER, factor: 10 },
  { initialDelayMs: 8000, maxDelayMs: 8000, factor: 1 },
];

/** The base of the wait before retry `n`. */
function base({ initialDelayMs = 500, maxDelayMs = 8000, factor = 2, firstExponent = 0 }, n) {
  return Math.min(initialDelayMs * factor ** (n - 1 + firstExponent), maxDelayMs);
}

const FORMULAS = {
  none: (b) => b,
  equal: (b, u) => b / 2 + (u * b) / 2,
  full: (b, u) => u * b,
};

/** `actual` is `exact`, rounded to a whole number either way. */
function isRounded(actual, exact, about) {
  assert.ok(Number.isSafeInteger(actual), about);
  // Beyond 2^52 a double has no fractions, and the formula itself rounds.
  const slack = exact > 2 ** 50 ? 4 : 1;
  assert.ok(Math.abs(actual - exact) < slack + 1e-6 * Math.min(1, exact), `${about}: ${actual}, not ${exact}`);
}

for (const [jitter, formula] of Object.entries(FORMULAS)) {
  test(`${jitter} jitter follows its formula at every retry and unit`, () => {
    for (const shape of SHAPES) {
      const policy = new RetryPolicy({ ...shape, jitter });
      for (const n of NUMBERS) {
        for (const unit of UNITS) isRounded(backoffDelay(policy, n, unit), formula(base(shape, n), unit), `${JSON.stringify(shape)} n=${n} u=${unit}`);
      }
    }
  });
}

test('additive jitter comes on top of the capped wait', () => {
  for (const additive of [0, 0.25, 1]) {
    for (const shape of SHAPES.filter(({ maxDelayMs }) => maxDelayMs !== Number.MAX_SAFE_INTEGER)) {
      const policy = new RetryPolicy({ ...shape, jitter: { additive } });
      for (const n of NUMBERS) {
        const b = base(shape, n);
        for (const unit of UNITS) {
          const delay = backoffDelay(policy, n, unit);
          isRounded(delay, b + unit * additive * b, `n=${n} u=${unit}`);
          assert.ok(delay >= Math.floor(b) && delay <= b * (1 + additive));
        }
      }
    }
  }
});

test('decorrelated jitter grows from the wait before, between the first delay and three times that', async () => {
  for (const unit of [0, 0.3, 0.5, 0.9]) {
    const clock = fakeClock();
    await createFetch({ fetch: stubFetch(503), clock, random: () => unit, jitter: 'decorrelated', maxAttempts: 9 })(URL_);
    let previous = 500;
    for (const wait of clock.waits) {
      isRounded(wait, Math.min(8000, 500 + unit * (3 * previous - 500)), `u=${unit}`);
      previous = wait;
    }
    clock.waits.forEach((wait, i) => assert.ok(Math.abs(wait - backoffDelay({ jitter: 'decorrelated' }, i + 1, unit)) <= 2 + i));
  }
});

test('every jitter stays a whole number in its bounds at every retry and unit', () => {
  for (const jitter of ['none', 'equal', 'full', 'decorrelated', { additive: 1 }]) {
    for (const shape of [...SHAPES, { initialDelayMs: 0 }, { initialDelayMs: 0, maxDelayMs: 0 }]) {
      const policy = new RetryPolicy({ ...shape, jitter });
      const most = (shape.maxDelayMs ?? 8000) * (typeof jitter === 'object' ? 2 : 1);
      for (const n of NUMBERS) {
        for (const unit of UNITS) {
          const delay = backoffDelay(policy, n, unit);
          assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= most, `${JSON.stringify([jitter, shape, n, unit])}: ${delay}`);
        }
      }
    }
  }
});

test('callers who are at the cap still differ', () => {
  for (const jitter of ['equal', 'full', { additive: 0.25 }, 'decorrelated']) {
    const policy = new RetryPolicy({ initialDelayMs: 100, maxDelayMs: 500, jitter });
    assert.notEqual(backoffDelay(policy, 10, 0), backoffDelay(policy, 10, 0.99), JSON.stringify(jitter));
  }
  assert.equal(backoffDelay({ initialDelayMs: 100, maxDelayMs: 500, jitter: 'none' }, 10, 0.5), 500);
});

test('the wait of a call is the backoff of its number and the random number drawn for it', async () => {
  for (const jitter of ['none', 'equal', 'full', { additive: 0.3 }]) {
    const units = [0.9, 0.1, 0.6, 0.2];
    const clock = fakeClock();
    let drawn = 0;
    await createFetch({ fetch: stubFetch(503), clock, jitter, maxAttempts: 4, random: () => units[drawn++ % 4] })(URL_);
    assert.equal(clock.waits.length, 3);
    clock.waits.forEach((wait, i) => assert.ok(units.some((unit) => backoffDelay({ jitter }, i + 1, unit) === wait), `${wait}`));
  }
});

test('without a random function waits differ from call to call and stay in their bounds', async () => {
  const waits = new Set();
  for (let call = 0; call < 20; call++) {
    const clock = fakeClock();
    await createFetch({ fetch: stubFetch(503), clock, maxAttempts: 2 })(URL_);
    assert.ok(clock.waits[0] >= 250 && clock.waits[0] <= 500);
    waits.add(clock.waits[0]);
  }
  assert.ok(waits.size > 3, `${[...waits]}`);
});

test('backoffDelay refuses an n or a unit that is none', () => {
  for (const n of [
    0, -1, 1.5, 2 ** 32, Number.NaN, Infinity, '1', null, undefined, true,
  ]) assert.throws(() => backoffDelay({}, n, 0), { kind: 'invalid_config', message: /\bn is/ });
  for (const unit of [1, -0.1, 2, Number.NaN, '0', undefined, null]) assert.throws(() => backoffDelay({}, 1, unit), { kind: 'invalid_config', message: /unit is/ }, String(unit));
  assert.throws(() => backoffDelay({ factor: 0 }, 1, 0), { kind: 'invalid_config' });
});

test('explain\'s bounds are those of backoffDelay', () => {
  for (const jitter of ['none', 'equal', 'full', 'decorrelated', { additive: 0.25 }]) {
    for (const { n, minMs, maxMs } of explain({ jitter, maxAttempts: 12 }).schedule) {
      for (const unit of UNITS) {
        const delay = backoffDelay({ jitter }, n, unit);
        assert.ok(delay >= minMs && delay <= maxMs, `${JSON.stringify(jitter)} n=${n} u=${unit}: ${delay} in ${minMs}..${maxMs}`);
      }
    }
  }
});

test('a wait longer than a timer can hold is slept in slices, and sends nothing in between', async () => {
  const clock = fakeClock();
  const day = 86_400_000;
  const stub = stubFetch(503);
  await createFetch({ fetch: stub, clock, jitter: 'none', maxAttempts: 2, initialDelayMs: 60 * day, maxDelayMs: 60 * day })(URL_);
  assert.ok(clock.waits.every((ms) => ms > 0 && ms <= 2 ** 31 - 1), `${clock.waits}`);
  assert.equal(clock.waits.reduce((sum, ms) => sum + ms, 0), 60 * day);
  assert.equal(stub.calls.length, 2);
});
