// A provider that streams as fast as it is read, in a process of its own. Prints its port.
//
// POST /?chunk=64&mib=2 is answered with one frame a chunk of the transfer coding, `chunk` bytes each: an opening, then
// text deltas, then the end marker. The bytes are made once and written in large pieces, so that the client is what is
// measured.

import { createServer } from 'node:net';

/** What is written at once, in bytes. */
const PIECE = 256 * 1024;
/** When a stream without more output ends, so that its end does not come along with its beginning. */
const LATER_MS = 1;

/** @param {string | Buffer} bytes */
const coded = (bytes) => Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')]);
/** @param {object} delta @param {string | null} [reason] */
const frame = (delta, reason = null) => `data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n';
const OPENING = Buffer.concat([coded(frame({ role: 'assistant', content: '' })), coded(frame({ content: 'Da capo' }))]);
const END = Buffer.concat([coded(frame({}, 'stop')), coded('data: [DONE]\n\n'), Buffer.from('0\r\n\r\n')]);

/** Frames of exactly `chunk` bytes, as many as make a piece. @type {Map<number, { piece: Buffer, frames: number }>} */
const pieces = new Map();

/** @param {number} chunk */
function pieceOf(chunk) {
  let made = pieces.get(chunk);
  if (made === undefined) {
    const bare = 'data: {"choices":[{"delta":{"content":""}}]}\n\n';
    const one = coded(bare.replace('""', `"${'x'.repeat(chunk - bare.length)}"`));
    const frames = Math.max(1, Math.round(PIECE / chunk));
    pieces.set(chunk, (made = { piece: Buffer.concat(Array(frames).fill(one)), frames }));
  }
  return made;
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let request = '';
  socket.on('data', (bytes) => {
    request += bytes.toString('latin1');
    // Requests here have a body of two bytes.
    const [head, body] = request.split('\r\n\r\n');
    if (head === undefined || (body?.length ?? 0) < 2) return;
    request = '';
    const query = new URL(head.split(' ')[1] ?? '/', 'http://bench').searchParams;
    answer(socket, Number(query.get('chunk')), Number(query.get('mib')));
  });
});

/**
 * @param {import('node:net').Socket} socket
 * @param {number} chunk
 * @param {number} mib
 */
function answer(socket, chunk, mib) {
  socket.write(Buffer.concat([Buffer.from(HEAD), OPENING]));
  if (mib === 0) return void setTimeout(() => socket.write(END), LATER_MS);
  const { piece, frames } = pieceOf(chunk);
  let left = Math.ceil((mib * 2 ** 20) / (chunk * frames));
  const more = () => {
    while (left > 0) {
      left -= 1;
      if (!socket.write(piece)) return void socket.once('drain', more);
    }
    socket.write(END);
  };
  more();
}

server.listen(0, '127.0.0.1', () => console.log(/** @type {import('node:net').AddressInfo} */ (server.address()).port));
process.on('disconnect', () => process.exit());
