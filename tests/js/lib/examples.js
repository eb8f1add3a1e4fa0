// Runs the examples of the documentation as programs, each in a thread and a world of its own.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

const root = resolve(import.meta.dirname, '../../..');

/**
 * What an example meets: `answers` of the global fetch, as the members of a Response, the last one again and again (or
 * `hangs: true`); `sends`, how often it is called; `globals`, what the example takes for granted; `then`, what is done
 * with its module, `example`; `prints`, where what it prints is not in its comments.
 *
 * @typedef {{ answers?: object[], sends: number, globals?: string, then?: string, prints?: string[] }} Example
 */

/**
 * The js and ts blocks of a page.
 *
 * @param {string} text
 * @returns {{ name: string | undefined, source: string }[]}
 */
export function blocksOf(text) {
  return [...text.matchAll(/^(?:<!-- example: (\S+) -->\n)?```[jt]sx?\n([^]*?)^```$/gm)].map(([, name, source]) => ({ name, source }));
}

/** Stand-ins for packages that examples import, by name. */
const packages = {
  openai: client('https://api.openai.com/v1/chat/completions'),
  '@anthropic-ai/sdk': client('https://api.anthropic.com/v1/messages'),
  // As much of hooks as one component needs.
  react: `let cells = [];
    let at = 0;
    export function useState(initial) {
      const cell = (cells[at++] ??= { value: initial });
      return [cell.value, (value) => { cell.value = value; }];
    }
    export function useEffect(effect, inputs) {
      const cell = (cells[at++] ??= {});
      if (cell.inputs?.every((input, index) => input === inputs[index])) return;
      cell.cleanup?.();
      Object.assign(cell, { inputs, cleanup: effect() });
    }
    export function render(component, ...props) {
      at = 0;
      return component(...props);
    }
    export function unmount() {
      for (const cell of cells) cell.cleanup?.();
      cells = [];
    }`,
};

/** What an SDK does with a fetch that it is given, retries included. */
function client(url) {
  return `export default class Client {
    constructor({ apiKey, fetch, maxRetries = 2 }) {
      const create = async (body) => {
        for (let left = maxRetries; ; left--) {
          const headers = new Headers({ authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' });
          const response = await fetch.call(undefined, '${url}', { method: 'POST', headers, body: JSON.stringify(body) });
          if (response.ok) return response.json();
          if (left === 0) throw Object.assign(new Error('SDK error'), { status: response.status, headers: response.headers });
        }
      };
      this.chat = { completions: { create } };
      this.messages = { create };
    }
  }`;
}

const LONGEST_RUN_MS = 30_000;

/** Waits are a hundredth of what they are; limits, which are longer, stay. */
const LONGEST_WAIT_MS = 5000;

/** @param {Example} example */
const world = (example) => `import { readFileSync } from 'node:fs';
const answers = ${JSON.stringify(example.answers ?? [])};
const timeout = setTimeout;
globalThis.setTimeout = (run, ms, ...rest) => timeout(run, ms <= ${LONGEST_WAIT_MS} ? ms / 100 : ms, ...rest);
globalThis.requests = [];
globalThis.fetch = async (input, init) => {
  const { body = '{}', file, hangs = false, ...answer } = answers[Math.min(requests.length, answers.length - 1)];
  requests.push({ url: String(input), ...init });
  globalThis.onSent?.();
  if (hangs) await new Promise(() => {});
  return new Response(file ? readFileSync(file) : body, answer);
};
process.on('exit', () => console.log('sends ' + requests.length));
${example.globals ?? ''}`;

/** A place where examples run. */
export async function playground() {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/dacapo'));
  for (const [name, source] of Object.entries(packages)) {
    const its = join(folder, 'node_modules', name);
    await mkdir(its, { recursive: true });
    await writeFile(join(its, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
    await writeFile(join(its, 'index.js'), source);
  }
  return {
    /**
     * Asserts that an example prints what its comments say, and sends as many requests as it should.
     *
     * @param {string} name
     * @param {string} source
     * @param {Example} example
     */
    async run(name, source, example) {
      const printed = example.prints ?? [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, text]) => text);
      assert.ok(printed.length > 0, 'an example says what it prints');
      await writeFile(join(folder, `${name}.world.mjs`), world(example));
      await writeFile(join(folder, `${name}.mjs`), source);
      await writeFile(join(folder, `${name}.main.mjs`), `import './${name}.world.mjs';\nconst example = await import('./${name}.mjs');\n${example.then ?? ''}`);
      const thread = new Worker(join(folder, `${name}.main.mjs`), { stdout: true, stderr: true });
      const late = setTimeout(() => thread.terminate(), LONGEST_RUN_MS);
      try {
        const [stdout, stderr] = await Promise.all([text(thread.stdout), text(thread.stderr), once(thread, 'exit')]);
        assert.equal(stderr, '');
        assert.deepEqual(stdout.split('\n'), [...printed, `sends ${example.sends}`, '']);
      } finally {
        clearTimeout(late);
      }
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
