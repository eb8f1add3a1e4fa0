// Texts cross between JavaScript and the engine whole, whatever is in them; a lone surrogate, which UTF-8 cannot hold, as U+FFFD.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classify, createFetch, historyOf, retry, RetryPolicy, sanitizeUrl } from 'dacapo';

const TEXTS = {
  'Latin-1': 'é', emoji: '😀', 'right to left': 'שלום', 'a byte order mark': '\ufeffx', 'a NUL': 'a\0b', 'a line separator': 'a\u2028b',
  'quotes and backslashes': '"\\"', 'a lone high surrogate': 'a\ud83d', 'a lone low surrogate': '\udc00b', 'a swapped pair': '\udc00\ud83d',
};
const QUICK = { initialDelayMs: 0, jitter: 'none', maxAttempts: 2 };

for (const [name, text] of Object.entries(TEXTS)) {
  const crossed = text.toWellFormed?.() ?? text.replace(/\p{Surrogate}/gu, '\ufffd');
  describe(`of ${name}`, () => {
    test('a provider’s message and code, and a URL, are in the record', async () => {
      const body = JSON.stringify({ error: { message: `m ${text} e`, code: `c${text}` } });
      const fetch = createFetch({ ...QUICK, fetch: async () => new Response(body, { status: 503, headers: { 'content-type': 'application/json' } }) });
      const { attempts: [{ error, request }] } = historyOf(await fetch(`https://api.example.com/${text}?key=k${text}`, { method: 'POST', body: text }));
      assert.deepEqual([error.message, error.code], [`m ${crossed} e`, `c${crossed}`]);
      assert.equal(request.url, `https://api.example.com/${crossed}?key=REDACTED`);
    });

    test('a thrown message is in the record', async () => {
      const failed = await retry(() => { throw Object.assign(new Error(`m ${text} e`), { status: 503 }); }, QUICK).catch((error) => error);
      assert.equal(historyOf(failed).attempts[0].error.message, `m ${crossed} e`);
    });

    test('an option of that name, and such a value, are faults that show it', () => {
      const fault = (options) => {
        try {
          return new RetryPolicy(options);
        } catch ({ faults: [first] }) {
          return first;
        }
      };
      assert.equal(fault({ [`x${text}`]: 1 }).option, `x${crossed}`);
      assert.ok(fault({ jitter: text }).value.includes(JSON.stringify(text).slice(1, -1)));
    });

    test('what is classified and what is sanitized', () => {
      assert.equal(classify({ status: 429, body: { error: { code: text } } }).code, crossed);
      assert.equal(sanitizeUrl(`https://u:${text}@h.example/${text}?token=${text}`), `https://h.example/${crossed}?token=REDACTED`);
    });
  });
}
