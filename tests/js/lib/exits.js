// Every way in which what a call shows can be looked at.

import { inspect } from 'node:util';
import assert from 'node:assert/strict';
import { classify, createFetch, historyOf, retry } from 'dacapo';
import { fakeClock } from './clock.js';
import { stubFetch } from './stub.js';

/** The shortest piece of a secret that must not be seen. */
const PIECE = 8;

/**
 * What a caller of a `createFetch` comes to see of a call that fails.
 *
 * @returns Exits by name, and what the call came back with.
 */
export async function exitsOfFetch({ input, init, options = {} }, answers) {
  const { exits, spies } = spied();
  const fetch = createFetch({ fetch: stubFetch(...answers), clock: fakeClock(), maxAttempts: 2, ...spies, ...options });
  return settled(exits, fetch(input, init), options);
}

/** The same of a `retry` whose operation throws this. */
export async function exitsOfRetry(thrown, options = {}) {
  const { exits, spies } = spied();
  return settled(exits, retry(() => { throw thrown; }, { clock: fakeClock(), maxAttempts: 2, ...spies, ...options }), options, thrown);
}

function spied() {
  const exits = new Map();
  const spy = (name) => (...args) => {
    args.forEach((arg, at) => exits.set(`${name} ${at} ${exits.size}`, arg));
  };
  return { exits, spies: { onRetry: spy('onRetry'), onEvent: spy('onEvent'), shouldRetry: spy('shouldRetry') } };
}

async function settled(exits, promise, options, thrown) {
  // In a box: an error that is a thenable must not be followed.
  const [result, rejected] = await promise.then((value) => [value, false], (error) => [error, true]);
  if (rejected) exits.set('the error', result);
  if (typeof result === 'object' && result !== null) {
    const history = historyOf(result);
    assert.ok(history, 'the call failed and has a history');
    exits.set('historyOf', history);
  }
  const { redact } = options;
  if (thrown !== undefined) exits.set('classify', classify({ error: thrown }, { redact }));
  return { exits, result };
}

/**
 * The exits that show a piece of a secret, in any encoding, and where.
 *
 * @param {Map<string, unknown>} exits
 * @param {string[]} secrets
 * @returns {string[]}
 */
export function leaksOf(exits, secrets) {
  const forms = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('hex'), btoa(secret)]);
  const pieces = forms.flatMap((form) => cut(form, PIECE, 1));
  // Every piece holds one of these whole: fewer to look for.
  const halves = forms.flatMap((form) => cut(form, PIECE / 2, PIECE / 2));
  const leaks = [];
  for (const [name, thing] of exits) {
    const text = [...new Set(textsOf(thing))].join('\0');
    const seen = `${text}\0${readable(text)}`;
    if (!halves.some((half) => seen.includes(half))) continue;
    const piece = pieces.find((one) => seen.includes(one));
    if (piece === undefined) continue;
    const at = seen.indexOf(piece);
    leaks.push(`${name}: …${seen.slice(Math.max(0, at - 60), at + 40)}…`);
  }
  return leaks;
}

function cut(text, length, step) {
  const pieces = [];
  for (let at = 0; at + length <= text.length; at += step) pieces.push(text.slice(at, at + length));
  return pieces;
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };

/** A text with everything undone that a reader would undo. */
function readable(text) {
  let before;
  let now = text;
  for (let layers = 0; layers < 4 && now !== before; layers++) {
    before = now;
    now = now
      .replace(/&(amp|lt|gt|quot|apos|#39);/g, (_, name) => ENTITIES[name])
      .replace(/\\+u([0-9a-f]{4})|\\+x([0-9a-f]{2})|%([0-9a-f]{2})/gi, (_, ...hex) => String.fromCharCode(Number.parseInt(hex.find(Boolean), 16)))
      .replace(/\\+[nr]/g, '')
      .replace(/[\r\n]|\\(?=["'/\\])/g, '');
  }
  return now;
}

/** All texts in which a thing can be shown: its members to the bottom, and its renderings. */
function textsOf(root) {
  const texts = [
    String(root), inspect(root, { depth: null, showHidden: true, maxArrayLength: null, maxStringLength: null }), `${JSON.stringify(root)}`,
  ];
  // What another thread is sent. An error takes its live cause with it.
  if (typeof root === 'object' && root.constructor === Object && root.signal === undefined) texts.push(inspect(structuredClone(root), { depth: null }));
  const seen = new Set();
  const queue = [root];
  for (const value of queue) {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'symbol') texts.push(String(value));
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    // The platform's own, which the caller made or was given.
    if (value instanceof Response || value instanceof AbortSignal) continue;
    seen.add(value);
    if (value instanceof Uint8Array) texts.push(new TextDecoder().decode(value));
    if (value instanceof Error) texts.push(String(value.name), String(value.message), String(value.stack), `${value}`);
    if (typeof value.toJSON === 'function') queue.push(value.toJSON());
    if (value instanceof Map || value instanceof Set || value instanceof Headers) queue.push(...value);
    for (const key of Reflect.ownKeys(value)) {
      // The live error, for code that needs it.
      if (key === 'cause' && value.name === 'RetryError') continue;
      queue.push(key, value[key]);
    }
  }
  return texts;
}
