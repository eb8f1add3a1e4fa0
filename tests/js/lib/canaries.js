// Secrets that must never be seen again, and every way to look at a value.

import { inspect } from 'node:util';
import assert from 'node:assert/strict';

/** Numbered secrets of no known shape: only the request tells that they are secret. */
export function canaries() {
  let made = 0;
  const all = [];
  return {
    all,
    /** A new one. */
    next(prefix = '') {
      made += 1;
      const secret = `canary${String(made).padStart(3, '0')}zQ7vX2wK9`;
      all.push(secret);
      return prefix + secret;
    },
  };
}

/** Every text in which a value can be shown. */
export function renderings(value) {
  const texts = [
    String(value), inspect(value, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity }),
    inspect(value, { depth: Infinity, showHidden: true, compact: false }),
  ];
  const json = JSON.stringify(value);
  if (json !== undefined) texts.push(json);
  if (value instanceof Error) texts.push(value.message, String(value.stack), Error.prototype.toString.call(value));
  return texts;
}

/** Asserts that no rendering of `value` has any of `secrets` in it, plain or encoded. */
export function assertNoSecret(value, secrets, about = '') {
  const encoded = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  for (const text of renderings(value)) {
    for (const secret of encoded) {
      const at = text.indexOf(secret);
      assert.ok(at < 0, `${about} shows ${secret}: …${text.slice(Math.max(0, at - 80), at + 60)}…`);
    }
  }
}
