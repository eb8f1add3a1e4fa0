// A real HTTP server on the loopback interface.

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

/**
 * Serves HTTP for the length of a test. `answers` are called one after the other with
 * `(request, response)`, the last one again and again; a number is a status.
 */
export async function serve(t, ...answers) {
  /** @type {{ method: string, url: string, headers: object, body: string }[]} */
  const requests = [];
  const pending = new Set();
  const server = http.createServer(async (request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    const record = { method: request.method, url: request.url, headers: request.headers, body: '' };
    requests.push(record);
    pending.add(response);
    response.on('close', () => pending.delete(response));
    request.setEncoding('utf8');
    request.on('error', () => {});
    if (typeof answer === 'function' && answer.early) return answer(request, response);
    try {
      for await (const part of request) record.body += part;
    } catch {
      return;
    }
    if (typeof answer === 'function') return answer(request, response, requests.length);
    response.writeHead(answer, { 'content-type': 'text/plain' }).end(`status ${answer}`);
  });
  const url = await listening(t, server);

  /** How many answers are still held open by their clients, after a while of grace. */
  async function heldOpen() {
    for (let turn = 0; turn < 100 && pending.size > 0; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
    return pending.size;
  }
  return { url, requests, heldOpen };
}

/** Serves raw bytes: `answers` are called with each socket once its request's headers have come. */
export async function serveRaw(t, ...answers) {
  let served = 0;
  const server = net.createServer((socket) => {
    let head = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      head += bytes;
      if (!head.includes('\r\n\r\n')) return;
      head = '';
      answers[Math.min(served, answers.length - 1)](socket);
      served += 1;
    });
  });
  const url = await listening(t, server);
  return { url, served: () => served };
}

async function listening(t, server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    // The client hung up; Node's server would keep an unfinished answer's socket half open.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

/** A loopback port on which nothing listens. */
export async function deadPort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
