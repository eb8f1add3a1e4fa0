// Recorded and constructed streams of providers, through a fetch: tests/vectors/streams.json.

import assert from 'node:assert/strict';
import test from 'node:test';
import { historyOf } from 'dacapo';
import { answer, over, POST, readAll } from './lib/sources.js';
import { chat } from './lib/stream-frames.js';
import { stubFetch, URL_ } from './lib/stub.js';
import { vectors } from './lib/vectors.js';

const GOOD = [chat.start, chat.text('Da capo'), chat.stop, chat.done];

const streams = vectors('streams').map((row) => ({
  ...row,
  url: row.streamsArray ? 'https://api.example/v1beta/models/m:streamGenerateContent' : URL_,
  headers: { 'content-type': row.contentType },
  // Messages of an event stream are no text.
  bytes: row.frames.map((frame) => Buffer.from(frame, row.contentType.includes('amazon') ? 'base64' : 'utf8')),
})).filter(({ contentType, streamsArray }) => streamsArray || /event-stream|ndjson|eventstream/.test(contentType));

/** The same bytes in pieces of this size. */
function pieces(bytes, size) {
  const all = Buffer.concat(bytes);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => Uint8Array.from(all.subarray(i * size, (i + 1) * size)));
}

async function played({ url, headers }, chunks, options = {}) {
  const stub = stubFetch(() => answer(chunks, { headers }), () => answer(GOOD));
  const response = await over(stub, options)(url, POST);
  return { ...await readAll(response), response, sends: stub.calls.length };
}

test('there is a stream of every kind', () => {
  const count = (opening) => streams.filter((stream) => stream.opening === opening).length;
  assert.ok(count('failed') >= 45 && count('output') >= 40 && count('truncated') >= 5 && count('complete') >= 4, `${streams.length}`);
});

for (const size of [1, 13, 1 << 20]) {
  test(`what fails before its output is played again, and what does not comes through untouched, ${size} B at a time`, async () => {
    for (const stream of streams) {
      const { opening, name, bytes, retryable, kind, end } = stream;
      const { chunks, text, error, response, sends } = await played(stream, pieces(bytes, size));
      const fails = opening === 'failed' || opening === 'truncated';
      if (fails && (retryable ?? true)) {
        assert.deepEqual([text, error, sends], [GOOD.join(''), undefined, 2], name);
        const [{ error: failure, streamed }] = historyOf(response).attempts;
        assert.deepEqual([failure.kind, failure.status, streamed], [kind ?? 'transport', 200, false], name);
        continue;
      }
      assert.equal(sends, 1, name);
      assert.equal(Buffer.concat(chunks).compare(Buffer.concat(bytes)), 0, `${name}: its bytes`);
      if (fails) {
        assert.deepEqual([error, historyOf(response).last.error.kind, historyOf(response).mark], [undefined, kind, 'not_retryable'], name);
      } else if (opening !== 'complete') {
        assert.equal(error?.code, end === 'no' ? 'truncated' : undefined, name);
        const broken = end !== 'yes';
        assert.equal(historyOf(response)?.last?.streamed, broken ? true : undefined, name);
        if (end === 'failed' && kind !== undefined) assert.equal(historyOf(response).last.error.kind, kind, name);
      } else assert.equal(error, undefined, name);
    }
  });
}

test('every line end is one, also behind the output', async () => {
  let count = 0;
  for (const stream of streams) {
    if (stream.opening !== 'output' || !/event-stream|json/.test(stream.contentType)) continue;
    for (const end of ['\r\n', ...(stream.contentType.includes('ndjson') ? [] : ['\r'])]) {
      const bytes = [Buffer.from(Buffer.concat(stream.bytes).toString().replace(/\r?\n/g, end))];
      for (const size of [1, 50]) {
        const { error, response } = await played(stream, pieces(bytes, size));
        const { last } = historyOf(response) ?? {};
        assert.equal(error?.code, stream.end === 'no' ? 'truncated' : undefined, stream.name);
        assert.deepEqual([last?.error.kind, last?.streamed], stream.end === 'yes' ? [undefined, undefined] : [stream.kind, true], stream.name);
      }
      count += 1;
    }
  }
  assert.ok(count >= 100, `${count} are too few`);
});

test('with usage the tokens of every whole stream are those of its vector', async () => {
  let count = 0;
  for (const stream of streams) {
    if (stream.usage === undefined || stream.opening !== 'output' || stream.end !== 'yes') continue;
    const { response } = await played(stream, pieces(stream.bytes, 100), { usage: true });
    for (const [name, tokens] of Object.entries(stream.usage)) assert.equal(historyOf(response).usage[name], tokens, `${stream.name} ${name}`);
    count += 1;
  }
  assert.ok(count >= 10, `${count} are too few`);
});
