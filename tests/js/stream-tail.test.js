// The failures that a stream tells behind its output, however large they are, wherever they are cut and whatever follows.

import assert from 'node:assert/strict';
import test from 'node:test';
import { historyOf } from 'dacapo';
import { answer, bytesOf, over, POST, readAll } from './lib/sources.js';
import { randomFrom } from './lib/random.js';
import { bedrock, chat, lines, TYPES } from './lib/stream-frames.js';
import { stubFetch, URL_ } from './lib/stub.js';

const GEMINI = 'https://generativelanguage.example/v1beta/models/m:streamGenerateContent';
const JSON_TYPE = { 'content-type': 'application/json' };
const decoded = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const joined = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
};
const pieces = (bytes, size) => Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));

/** What tells of the failure stands behind a message of this size, so that no beginning of it is enough. */
const failure = (size) => ({ error: { message: 'm"]}\\'.repeat(size / 8), code: 503, status: 'UNAVAILABLE' } });
const spread = (value) => JSON.stringify(value, null, 2);
const dataLines = (value) => `${spread(value).split('\n').map((line) => `data: ${line}\n`).join('')}\n`;
const candidate = (text) => ({ candidates: [{ content: { parts: [{ text }] }, index: 0 }] });

/** A message of an event stream with these headers. */
function message(headers, body) {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [[name.length], bytesOf(name), [7, value.length >> 8, value.length & 255], bytesOf(value)]);
  const head = joined(pairs);
  const bytes = new Uint8Array(16 + head.length + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(bytes.subarray(0, 8)));
  bytes.set(head, 12);
  bytes.set(body, 12 + head.length);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)));
  return bytes;
}

function crc32(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum >>> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

const thrown = (size) => message({ ':exception-type': 'throttlingException', ':message-type': 'exception' }, bytesOf(JSON.stringify({ message: 'm'.repeat(size) })));

/** Of each format: what comes first, a piece of output, a failure so large, and what may follow on it. */
const FORMATS = {
  'an event on one line': { headers: TYPES.sse, start: chat.start, text: chat.text('hi'), failed: (size) => `data: ${JSON.stringify(failure(size))}\n\n`, after: [chat.done, `: ping\n\n${chat.done}`] },
  'an event over lines': { headers: TYPES.sse, start: chat.start, text: chat.text('hi'), failed: (size) => dataLines({ ...failure(size / 2), lines: Array(size / 100).fill('a line') }), after: [chat.done, chat.stop] },
  'an event with line ends of two': { headers: TYPES.sse, start: chat.start, text: chat.text('hi').replaceAll('\n', '\r\n'), failed: (size) => dataLines(failure(size)).replaceAll('\n', '\r\n'), after: [chat.done.replaceAll('\n', '\r\n')] },
  'an event by its name': { headers: TYPES.sse, start: chat.start, text: chat.text('hi'), failed: (size) => `event: error\n${dataLines({ detail: 'x'.repeat(size), error: { code: 503 } })}`, after: [chat.done] },
  'a line': { headers: TYPES.ndjson, start: '', text: lines.text('hi'), failed: (size) => `${JSON.stringify(failure(size))}\n`, after: [lines.done, '\n'] },
  'an element on one line': { headers: JSON_TYPE, url: GEMINI, start: `[${JSON.stringify(candidate('Da'))}`, text: `,\n${JSON.stringify(candidate('"]'))}`, failed: (size) => `,\n${JSON.stringify(failure(size))}`, after: ['\n]\n', `,\n${JSON.stringify(candidate('da'))}\n]`] },
  'an element over lines': { headers: JSON_TYPE, url: GEMINI, start: `[${spread(candidate('Da'))}`, text: `\n,\r\n${spread(candidate('"]'))}`, failed: (size) => `\n,\r\n${spread(failure(size))}`, after: ['\n]\n', `\n,\r\n${spread({ usageMetadata: { promptTokenCount: 3 } })}\n]\n`] },
  'a message': { headers: TYPES.bedrock, start: decoded(bedrock.start), text: decoded(bedrock.text), failed: thrown, after: [decoded(bedrock.done)], kind: 'rate_limited' },
};

async function kindOf({ headers, url = URL_ }, chunks) {
  const response = await over(stubFetch(() => answer(chunks, { headers })))(url, POST);
  const { error, chunks: read } = await readAll(response);
  assert.equal(read.reduce((sum, { length }) => sum + length, 0), chunks.reduce((sum, { length }) => sum + length, 0));
  const last = historyOf(response)?.last;
  return last && [last.error.kind, last.streamed, error?.code];
}

for (const [name, format] of Object.entries(FORMATS)) {
  const { start, text, failed, after, kind = 'overloaded' } = format;
  const opening = joined([bytesOf(start), ...Array(60).fill(bytesOf(text))]);

  test(`${name} that tells of a failure is found up to 64 KiB, however it is cut and whatever follows`, async () => {
    for (const size of [200, 5000, 60_000]) {
      const told = bytesOf(failed(size));
      for (const end of ['', ...after]) {
        const bytes = joined([opening, told, bytesOf(end)]);
        for (const cut of [1000, 4097, 1 << 20]) assert.deepEqual(await kindOf(format, pieces(bytes, cut)), [kind, true, undefined], `${size} B by ${cut}, then ${end}`);
      }
    }
    const bytes = joined([bytesOf(start), bytesOf(text), bytesOf(failed(5000)), bytesOf(after[0])]);
    assert.deepEqual(await kindOf(format, pieces(bytes, 1)), [kind, true, undefined]);
  });

  test(`${name}: splitting a stream anywhere gives the same`, async () => {
    const { below, pick } = randomFrom(20_261_130);
    const parts = [text, text, failed(200), failed(5000), failed(70_000), failed(200_000)].map(bytesOf);
    for (let round = 0; round < 40; round += 1) {
      const frames = Array.from({ length: 1 + below(5) }, () => pick(parts));
      const bytes = joined([bytesOf(start), bytesOf(text), ...frames, bytesOf(pick(['', ...after])), ...Array(below(60)).fill(bytesOf(text)), bytesOf(after[0])]);
      const places = Array.from({ length: 1 + below(12) }, () => below(bytes.length)).sort((a, b) => a - b);
      const cut = [...places, bytes.length].map((end, i) => bytes.slice(places[i - 1] ?? 0, end)).filter(({ length }) => length > 0);
      const whole = await kindOf(format, [bytes.slice()]);
      assert.deepEqual(await kindOf(format, cut), whole, `round ${round}, cut at ${places}`);
      assert.deepEqual(await kindOf(format, pieces(bytes, 100 + below(5000))), whole, `round ${round}`);
    }
  });
}

test('of a failure above 64 KiB the beginning is looked at', async () => {
  const large = { code: 503, status: 'UNAVAILABLE', message: 'm'.repeat(200_000) };
  for (const [name, told] of Object.entries({
    'an event over lines': `event: error\n${dataLines({ error: large })}`,
    'a line': `${JSON.stringify({ error: large })}\n`,
    'an element over lines': `\n,\r\n${spread({ error: large })}`,
    'a message': thrown(200_000),
  })) {
    const format = FORMATS[name];
    for (const size of [1000, 70_000, 1 << 20]) {
      const bytes = joined([bytesOf(format.start), ...Array(60).fill(bytesOf(format.text)), bytesOf(told), bytesOf(format.after[0])]);
      assert.deepEqual(await kindOf(format, pieces(bytes, size)), [name === 'a message' ? 'server_error' : 'overloaded', true, undefined], `${name} by ${size}`);
    }
  }
});
