// What dacapo's own parts cost, called as a user calls them. node pieces.js <rounds>; prints a sheet of report.js as JSON.

import { backoffDelay, classify, createFetch, explain, historyOf, parseRetryAfter, redactHeaders, retry, RetryPolicy, sanitizeUrl } from '../js/load/inline.js';
import { measure } from './measure.js';
import { answering, init, overloaded, stubWaits, textAnswer, url } from './world.js';

stubWaits();
const policy = new RetryPolicy({ initialDelayMs: 10, maxDelayMs: 10 });
const headers = { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT', date: 'Thu, 15 Jan 2026 12:00:00 GMT', server: 'bench' };
const error = { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } };
const broken = Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
const fetch = createFetch({ policy, fetch: answering(overloaded(0), textAnswer) });
const signedUrl = 'https://user:pass@api.example.com/v1/files?api_key=abcdef&page=2';

/** The text of an error of about so many bytes. @param {number} bytes */
const errorOf = (bytes) => JSON.stringify({ error: { ...error.error, message: 'The upstream did not answer in time. '.repeat(bytes / 37 - 1) } });
const bodies = { '400 bytes': errorOf(400), '2 KB': errorOf(2048), '16 KB': errorOf(16_384) };

/** @type {Record<string, () => unknown>} */
const calls = {
  'retry(operation), succeeds at once': () => retry(() => 1, { policy }),
  'retry(operation), one retry': () => retry(({ attempt }) => { if (attempt === 1) throw broken; }, { policy }),
  'createFetch, one retry': () => fetch(url, init),
  'createFetch, one retry, then historyOf': async () => historyOf(await fetch(url, init)),
  'classify, a 429 with headers and body': () => classify({ status: 429, headers, body: error }, policy),
  ...Object.fromEntries(Object.entries(bodies).map(([size, body]) => [`classify, a body of ${size}`, () => classify({ status: 503, body }, policy)])),
  'classify, a TypeError with a cause': () => classify({ error: broken }, policy),
  'parseRetryAfter, seconds': () => parseRetryAfter('120'),
  'parseRetryAfter, HTTP-date': () => parseRetryAfter(headers['retry-after'], { nowMs: 1_768_478_400_000 }),
  backoffDelay: () => backoffDelay(policy, 3, 0.5),
  'redactHeaders, 5 fields': () => redactHeaders(init.headers),
  sanitizeUrl: () => sanitizeUrl(signedUrl),
  'new RetryPolicy(5 options)': () => new RetryPolicy({ maxAttempts: 4, initialDelayMs: 100, maxDelayMs: 2000, jitter: 'full', timeoutMs: 5000 }),
  explain: () => explain(policy),
};

const contestants = [
  { name: 'the bare call', bare: 'the bare call', call: async () => undefined },
  ...Object.entries(calls).map(([name, call]) => ({ name, bare: 'the bare call', call: async () => call() })),
];
const results = await measure(contestants, Number(process.argv[2]));
const text = 'Called as a user calls them; an `await` of an empty async function is subtracted';
process.stdout.write(JSON.stringify({ title: "dacapo's own parts", text, results }), () => process.exit());
