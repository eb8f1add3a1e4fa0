// Writes tests/vectors/sse.json: what eventsource-parser makes of arbitrary event streams.
//
//     node scripts/sse-vectors.js tests/vectors/sse.json
//
// The engine must find the same events in the same bytes (tests/sse.rs), however these are cut.

import { writeFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
import { randomFrom } from '../tests/js/lib/random.js';

const { unit: random, pick } = randomFrom(20_260_101);

const FIELDS = [
  'data: a', 'data:b', 'data', 'data:', 'data:  c', 'data: \u4f60', 'data: {"x":1}', 'event: e', 'event:', 'event',
  'id: 1', 'id', 'id: a\0b', 'retry: 10', 'retry: x', ': c', ':', 'datax: 1', ' data: 1', '\ufeffdata: d', 'data: \t', '"',
];
const ENDS = ['\n', '\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r', '\n\r', ''];
/** Bytes that are no UTF-8, or the middle of it. */
const BROKEN = [[], [], [], [], [0xff], [0xe4, 0xbd], [0xa0], [0xf0, 0x9f, 0x98]];

const cases = Array.from({ length: 300 }, () => {
  const lines = Array.from({ length: 1 + Math.floor(random() * 12) }, () => [
    Buffer.from(pick(FIELDS)), Buffer.from(pick(BROKEN)), Buffer.from(pick(ENDS)),
  ]);
  // The parser waits for what follows a carriage return.
  const bytes = Buffer.concat([...lines.flat(), Buffer.from(':')]);
  /** @type {[string, string, boolean][]} */
  const events = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => events.push([event ?? '', data, id !== undefined]),
  });
  parser.feed(new TextDecoder().decode(bytes, { stream: true }));
  return { bytes: bytes.toString('base64'), events };
});

writeFileSync(process.argv[2] ?? '', `[\n${cases.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]\n`);
