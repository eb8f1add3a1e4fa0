// Writes tests/vectors/event_stream.json: messages as @smithy/eventstream-codec encodes them, and whether it
// decodes them when one byte is wrong.
//
//     node scripts/event-stream-vectors.js tests/vectors/event_stream.json
//
// The engine must find the same messages in the same bytes (tests/event_stream.rs), however these are cut.

import { writeFileSync } from 'node:fs';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { randomFrom } from '../tests/js/lib/random.js';

const { unit: random, below: integer, pick } = randomFrom(20_260_102);

const encode = new TextEncoder();
const codec = new EventStreamCodec((bytes) => new TextDecoder().decode(bytes), (text) => encode.encode(text));

/** Headers of the types that say nothing to the engine. */
const OTHERS = [
  () => ({ type: 'boolean', value: random() < 0.5 }),
  () => ({ type: 'byte', value: integer(127) }),
  () => ({ type: 'short', value: integer(30_000) }),
  () => ({ type: 'integer', value: integer(1e9) }),
  () => ({ type: 'timestamp', value: new Date(integer(1e12)) }),
  () => ({ type: 'binary', value: Uint8Array.from({ length: integer(20) }, () => integer(256)) }),
  () => ({ type: 'uuid', value: '01234567-89ab-cdef-0123-456789abcdef' }),
  () => ({ type: 'string', value: pick(['', 'application/json', '\u4f60\u597d']) }),
];

const string = (/** @type {string} */ value) => ({ type: 'string', value });

/** A message, and what is to be found in it. */
function message() {
  const payload = pick(['', '{}', '{"p":"ab","role":"assistant"}', '{"message":"\u4f60"}', 'x'.repeat(integer(300))]);
  const sort = pick(['event', 'event', 'exception', 'error']);
  const name = pick(['messageStart', 'contentBlockDelta', 'throttlingException', 'InternalFailure']);
  const says = { ':message-type': string(sort) };
  if (sort === 'event') Object.assign(says, { ':event-type': string(name) });
  if (sort === 'exception') Object.assign(says, { ':exception-type': string(name) });
  if (sort === 'error') Object.assign(says, { ':error-code': string(name), ':error-message': string('m') });
  const others = Array.from({ length: integer(5) }, (_, at) => [`h${at}`, pick(OTHERS)()]);
  const headers = Object.fromEntries([...others, ...Object.entries(says)].sort(() => random() - 0.5));
  const bytes = codec.encode({ headers, body: encode.encode(payload) });
  return { bytes, found: [sort === 'event' ? 'event' : 'exception', name, sort === 'error' ? 'm' : payload] };
}

const base64 = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString('base64');

const streams = Array.from({ length: 60 }, () => {
  const messages = Array.from({ length: 1 + integer(4) }, message);
  return { bytes: base64(Buffer.concat(messages.map((each) => each.bytes))), found: messages.map((each) => each.found) };
});

const damaged = Array.from({ length: 60 }, () => {
  const { bytes } = message();
  const at = integer(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << integer(8));
  try {
    codec.decode(bytes);
    throw new Error('a wrong byte was not noticed');
  } catch (error) {
    if (!/checksum|length/i.test(String(error))) throw error;
  }
  return { bytes: base64(bytes), found: 'damaged' };
});

const rows = [...streams, ...damaged].map((row) => `  ${JSON.stringify(row)}`);
writeFileSync(process.argv[2] ?? '', `[\n${rows.join(',\n')}\n]\n`);
