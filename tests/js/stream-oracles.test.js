// sabotage: exempt, it compares the splitters with other parsers, and these decide nothing about retrying
// The engine's splitters against other parsers, on bytes that nobody would send, however they are cut. What a splitter
// found shows in what an opening comes to: so the events that the other parser found, written out anew, must come to the same.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as aws from '@smithy/eventstream-codec';
import { parseRetryAfter } from 'dacapo';
import * as sse from 'eventsource-parser';
import { Opening } from '../../pkg/dacapo.js';
import { randomFrom } from './lib/random.js';
import { chat, messages } from './lib/stream-frames.js';

// The first question starts the engine.
parseRetryAfter('1');

const RUNS = 2000;

/** What an opening of these bytes comes to, and what it tells. */
function openingOf(type, bytes, sizes = () => bytes.length) {
  const opening = new Opening(type, false);
  for (let at = 0; at < bytes.length;) {
    const size = sizes();
    opening.push(bytes.subarray(at, at + size));
    at += size;
  }
  const step = opening.end();
  const told = new TextDecoder().decode(opening.failure());
  opening.free();
  return `${step} ${told}`;
}

const lineOf = (frame) => frame.split('\n').filter((line) => line !== '');
const LINES = [chat.start, chat.text('x'), chat.stop, chat.done, chat.overloaded, messages.start, messages.text('你好'), messages.done, messages.overloaded]
  .flatMap(lineOf).concat('', '', '', ': ping', 'data', 'data:', 'event', 'event: ', 'retry: 5', 'datax: y', ' data: z', 'data: {"a":', 'data: 1}');
const ENDS = ['\n', '\n', '\n\n', '\r\n', '\r\n\r\n', '\r', '\r\r', '\n\r'];

test('events are those of eventsource-parser', () => {
  const { below, pick } = randomFrom(1);
  const seen = new Map();
  for (let run = 0; run < RUNS; run++) {
    const text = `${pick(['', '\ufeff'])}${Array.from({ length: 1 + below(8) }, () => pick(LINES) + pick(ENDS)).join('')}\n\n`;
    const bytes = new TextEncoder().encode(text);
    let events = '';
    const parser = sse.createParser({
      onEvent: ({ event, data }) => { events += `${event ? `event: ${event}\n` : ''}${data.split('\n').map((line) => `data: ${line}\n`).join('')}\n`; },
    });
    // The parser takes decoded text, and waits for what follows a carriage return.
    parser.feed(`${new TextDecoder().decode(bytes)}:`);
    const expected = openingOf('text/event-stream', new TextEncoder().encode(events));
    const most = pick([1, 2, 5, 40]);
    // A stream of which no event came is truncated either way.
    assert.equal(openingOf('text/event-stream', bytes, () => 1 + below(most)), expected, JSON.stringify(text));
    seen.set(expected[0], (seen.get(expected[0]) ?? 0) + 1);
  }
  assert.ok(seen.size >= 4, [...seen].join(' '));
});

test('messages are those of @smithy/eventstream-codec, and one with a wrong byte is none', () => {
  const { below, pick } = randomFrom(2);
  const text = (value) => ({ type: 'string', value });
  const codec = new aws.EventStreamCodec((bytes) => new TextDecoder().decode(bytes), (value) => new TextEncoder().encode(value));
  const message = (headers, body) => codec.encode({ headers, body: new TextEncoder().encode(body) });
  const event = (name, body) => message({ ':event-type': text(name), ':content-type': text('application/json'), ':message-type': text('event'), n: { type: 'integer', value: below(1e6) } }, body);
  const KINDS = {
    1: () => event('contentBlockDelta', '{"contentBlockIndex":0,"delta":{"text":"Hello"}}'),
    2: () => message({ ':message-type': text('exception'), ':exception-type': text('throttlingException') }, '{"message":"slow down"}'),
    3: () => event('messageStop', '{"stopReason":"end_turn"}'),
  };
  for (let run = 0; run < RUNS; run++) {
    const [step, make] = pick(Object.entries(KINDS));
    const bytes = Buffer.concat([event('messageStart', '{"role":"assistant"}'), make()]);
    const most = pick([1, 3, 50, 500]);
    const came = openingOf('application/vnd.amazon.eventstream', bytes, () => 1 + below(most));
    // After its output a stream without an end marker is cut short.
    assert.equal(came[0], step === '1' ? '5' : step);
    if (step === '2') assert.deepEqual(JSON.parse(came.slice(2)), { __type: 'throttlingException', message: 'slow down' });
    bytes[below(bytes.length)] ^= 1 << below(8);
    assert.equal(openingOf('application/vnd.amazon.eventstream', bytes, () => 1 + below(most))[0], '5');
  }
});
