// What a streamed answer costs through dacapo, over loopback. node --expose-gc streams.js <rounds> [throughput|first|memory];
// prints grids of report.js as JSON.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createFetch } from '../js/load/inline.js';

/** The size of a chunk in bytes, and how much is streamed in one round, in MiB. @type {[number, number][]} */
const FLOWS = [[64, 4], [1024, 32], [16384, 64], [65536, 64]];
const KIB = 1024;
const MIB = 2 ** 20;
const LONG_MIB = 1024;
/** A reader that rests so long after so many bytes is slower than the server by far. */
const SIP = { bytes: 2 * MIB, restMs: 5 };
const FIRST_CALLS = 20;
/** What stream-server.js sends first. */
const FIRST_OUTPUT = 'Da capo';
const decoder = new TextDecoder();

const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

/** @typedef {(url: string, init: RequestInit) => Promise<Response>} Send */

/** What others do to look at a stream. @type {Send} */
const piped = async (url, init) => {
  const { body, headers } = await fetch(url, init);
  return new Response(/** @type {ReadableStream<Uint8Array>} */ (body).pipeThrough(new TransformStream()), { headers });
};

const BARE = 'the bare fetch';
/** @type {Record<string, Send>} */
const contestants = {
  [BARE]: (url, init) => fetch(url, init),
  dacapo: createFetch(),
  'dacapo, idleTimeoutMs: 30000': createFetch({ idleTimeoutMs: 30_000 }),
  'dacapo, usage: true': createFetch({ usage: true }),
  'pipeThrough(new TransformStream())': piped,
};

const [, , given = '400', part = 'all'] = process.argv;
const rounds = Number(given);
const server = fork(fileURLToPath(new URL('stream-server.js', import.meta.url)), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
const [port] = await once(/** @type {import('node:stream').Readable} */ (server.stdout), 'data');
const origin = `http://127.0.0.1:${String(port).trim()}/`;

/** @type {Record<string, () => Promise<import('./report.js').Grid>>} */
const parts = { throughput, first, memory };
const grids = [];
for (const [name, measure] of Object.entries(parts)) if (part === 'all' || part === name) grids.push(await measure());
process.stdout.write(JSON.stringify(grids), () => process.exit());

/**
 * Reads to the end; how long that took after the first output.
 *
 * @param {Send} send
 * @param {number} chunk
 * @param {number} mib
 * @param {(bytes: number) => Promise<unknown> | undefined} [rest]
 */
async function drain(send, chunk, mib, rest) {
  const { body } = await send(`${origin}?chunk=${chunk}&mib=${mib}`, init);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
  // The opening and the first output, with what came along with them.
  const before = (await length(reader)) + (await length(reader));
  const begin = performance.now();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    const resting = rest?.(bytes);
    if (resting !== undefined) await resting;
  }
  const ms = performance.now() - begin;
  if (before + bytes < mib * MIB) throw new Error(`only ${before + bytes} bytes came`);
  return { ms, bytes };
}

/** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
async function length(reader) {
  return (await reader.read()).value?.length ?? 0;
}

async function throughput() {
  const rows = [];
  for (const [chunk, mib] of FLOWS) {
    /** @type {Record<string, number[]>} */
    const rates = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
    await inTurn(Math.ceil(rounds / 20), async (name, send, isWarm) => {
      const { ms, bytes } = await drain(send, chunk, mib);
      if (isWarm) rates[name]?.push(bytes / MIB / (ms / 1000));
    });
    const bare = median(rates[BARE]);
    rows.push([size(chunk), bare.toFixed(0), ...Object.keys(contestants).filter((name) => name !== BARE).map((name) => ratio(rates[name], rates[BARE]))]);
  }
  return {
    title: 'A stream after its first output: throughput',
    text: 'Server-sent events over loopback from another process, one frame a chunk of the transfer coding, read to the end; the first column is the bare `fetch` in MiB/s, the others are their share of it: the median of the rounds\' ratios',
    heads: ['chunk', ...Object.keys(contestants).map((name) => (name.startsWith('dacapo') ? `**${name}**` : name))],
    rows,
  };
}

async function first() {
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  await inTurn(Math.ceil(rounds / 4), async (name, send, isWarm) => {
    for (let i = 0; i < FIRST_CALLS; i++) {
      const begin = performance.now();
      const { body } = await send(`${origin}?chunk=64&mib=0`, init);
      const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
      // The server gives them in one packet; a client may be given them in one piece or in two.
      for (let heard = ''; !heard.includes(FIRST_OUTPUT);) heard += decoder.decode((await reader.read()).value);
      if (isWarm) times[name]?.push(performance.now() - begin);
      while (!(await reader.read()).done);
    }
  });
  const bare = median(times[BARE]);
  return {
    title: 'A stream up to its first output: time',
    text: 'From the call until the first text delta has been read, over loopback, the end coming later; medians',
    heads: ['', 'µs', 'added µs'],
    rows: Object.entries(times).map(([name, ms]) => [
      name.startsWith('dacapo') ? `**${name}**` : name, (median(ms) * 1000).toFixed(0), ((median(ms) - bare) * 1000).toFixed(0),
    ]),
  };
}

async function memory() {
  const rows = [];
  for (const name of [BARE, 'dacapo']) {
    const send = /** @type {Send} */ (contestants[name]);
    globalThis.gc?.();
    const before = held();
    let [most, sipped] = [0, 0];
    await drain(send, 16 * KIB, LONG_MIB, (bytes) => {
      if (bytes - sipped < SIP.bytes) return undefined;
      sipped = bytes;
      most = Math.max(most, held() - before);
      return sleep(SIP.restMs);
    });
    globalThis.gc?.();
    rows.push([name === BARE ? name : `**${name}**`, most.toFixed(1), (held() - before).toFixed(1)]);
  }
  return {
    title: 'A stream of 1 GiB with a slow reader: memory',
    text: `The most that JavaScript's heap and buffers together grew, in MiB, garbage included, while 1 GiB came in chunks of 16 KiB to a reader that rests ${SIP.restMs} ms after each ${SIP.bytes / MIB} MiB, and what of that was left in the end`,
    heads: ['', 'at most', 'left'],
    rows,
  };
}

/** Heap and buffers in MiB. */
function held() {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

/**
 * All contestants one after the other, so that a change of the machine's speed falls on all alike.
 *
 * @param {number} rounds
 * @param {(name: string, send: Send, isWarm: boolean) => Promise<void>} play
 */
async function inTurn(rounds, play) {
  const all = Object.entries(contestants);
  const warmUp = Math.ceil(rounds / 5);
  for (let round = 0; round < rounds + warmUp; round++) {
    for (let i = 0; i < all.length; i++) {
      const [name, send] = /** @type {[string, Send]} */ (all[(i + round) % all.length]);
      await play(name, send, round >= warmUp);
    }
  }
}

/** @param {number[]} [numbers] */
function median(numbers = []) {
  const middle = numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

/**
 * @param {number[]} [some]
 * @param {number[]} [others] Of the same rounds.
 */
function ratio(some = [], others = []) {
  return median(some.map((rate, i) => rate / /** @type {number} */ (others[i]))).toFixed(2);
}

/** @param {number} bytes */
function size(bytes) {
  return bytes < KIB ? `${bytes} B` : `${bytes / KIB} KiB`;
}
