// The README's examples run and print what they say, and the pages in docs/ know every name that the package has.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import * as dacapo from 'dacapo';

const root = resolve(import.meta.dirname, '../..');
const read = (file) => readFileSync(join(root, file), 'utf8');
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];

/**
 * What each example of the README meets: `answers` of the global fetch, as the members of a Response, the last one again
 * and again; `sends`, how often it is called; `globals`, what the example takes for granted; `then`, what is done with it.
 */
const examples = {
  'first-call': { answers: [{ status: 429, headers: { 'retry-after': '1' } }, { status: 200 }], sends: 2 },
  operation: {
    globals: `let asked = 0;
      globalThis.client = {
        async complete({ prompt }, { signal }) {
          signal.throwIfAborted();
          if (++asked < 2) throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after-ms': '300' } });
          return prompt + ' to you';
        },
      };`,
    sends: 0,
  },
  sdk: { answers: [{ status: 503 }], sends: 3, globals: "globalThis.apiKey = 'sk-none';" },
  worker: {
    answers: [{ status: 503 }, { status: 200, body: 'asked' }],
    sends: 2,
    then: `const request = new Request('https://worker.example/', { method: 'POST', body: 'ask' });
      const response = await example.default.fetch(request);
      console.log(response.status, await response.text());`,
    prints: ['200 asked'],
  },
  stream: {
    globals: `let asked = 0;
      globalThis.client = {
        async *stream() {
          yield { type: 'message_start', message: { content: [], usage: { input_tokens: 9 } } };
          if (++asked < 2) throw Object.assign(new Error('Overloaded'), { status: 529 });
          for (const text of ['once', ' more']) yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
          yield { type: 'message_stop' };
        },
      };`,
    sends: 0,
  },
  driver: {
    globals: `let sends = 0;
      globalThis.Driver = class {
        #key = 'none';
        get model() { return this.#key && 'm-1'; }
        async complete() {
          if (++sends < 2) throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after-ms': '1' } });
          return 'sent ' + sends + ' times';
        }
        async *stream() { yield 'h'; }
      };`.replaceAll('sends', 'made'),
    sends: 0,
  },
  slim: { answers: [{ status: 200, file: join(root, 'pkg/dacapo_bg.wasm') }, { status: 503 }, { status: 200 }], sends: 3 },
  history: { answers: [{ status: 503 }, { status: 502 }], sends: 2 },
  testing: { sends: 0 },
  across: { answers: [{ status: 503 }], sends: 6, globals: 'globalThis.setTimeout = (run) => queueMicrotask(run);' },
  breaker: {
    answers: [{ status: 503 }],
    sends: 2,
    prints: ['503', 'https://api.example.com: closed → open', '503', 'come back in 30 s', '2'],
  },
  'shared-breaker': { globals: "globalThis.index = { search: async (query) => 'found ' + query };", sends: 0 },
  budget: { answers: [{ status: 503 }], sends: 4, prints: ['503 3 attempts_exhausted', '503 1 retry_budget_exhausted', '2'] },
};

/** Stand-ins for the SDKs: what they do with a fetch that they are given, retries included. */
const sdk = `export default class Client {
  constructor({ apiKey, fetch, maxRetries = 2 }) {
    const create = async (body) => {
      for (let left = maxRetries; ; left--) {
        const headers = new Headers({ authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' });
        const response = await fetch.call(undefined, 'https://sdk.example/v1', { method: 'POST', headers, body: JSON.stringify(body) });
        if (response.ok) return response.json();
        if (left === 0) throw Object.assign(new Error('SDK error'), { status: response.status, headers: response.headers });
      }
    };
    this.chat = { completions: { create } };
    this.messages = { create };
  }
}`;

const world = (example) => `import { readFileSync } from 'node:fs';
const answers = ${JSON.stringify(example.answers ?? [])};
let sends = 0;
globalThis.fetch = async () => {
  const { body = '{}', file, ...init } = answers[Math.min(sends++, answers.length - 1)];
  return new Response(file ? readFileSync(file) : body, init);
};
process.on('exit', () => process.stdout.write('sends ' + sends));
${example.globals ?? ''}`;

describe('the examples of the README and of docs/across-calls.md', { concurrency: 4 }, () => {
  const readme = read('README.md');
  const blocks = [...readme.matchAll(/^(?:<!-- example: (\S+) -->\n)?```js\n([^]*?)^```$/gm)].map(([, name, source]) => ({ name, source }));
  // There not every block is a program.
  const more = [...read('docs/across-calls.md').matchAll(/^<!-- example: (\S+) -->\n```js\n([^]*?)^```$/gm)];
  blocks.push(...more.map(([, name, source]) => ({ name, source })));
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'readme-'));
    await mkdir(join(folder, 'node_modules/@anthropic-ai/sdk'), { recursive: true });
    await mkdir(join(folder, 'node_modules/openai'));
    await symlink(root, join(folder, 'node_modules/dacapo'));
    for (const name of ['openai', '@anthropic-ai/sdk']) {
      await writeFile(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
      await writeFile(join(folder, 'node_modules', name, 'index.js'), sdk);
    }
  });
  after(() => rm(folder, { recursive: true }));

  test('every js block is an example that is run here, and none is run that is not there', () => {
    assert.deepEqual(blocks.map(({ name }) => name).sort(), Object.keys(examples).sort());
  });

  for (const { name, source } of blocks) {
    const example = examples[name];
    const printed = [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, text]) => text);
    const lines = example?.prints ?? printed;
    test(`${name} prints what it says and sends as many requests as it should`, { timeout: 60_000 }, async () => {
      assert.ok(lines.length > 0, 'an example says what it prints');
      await writeFile(join(folder, `${name}.world.mjs`), world(example));
      await writeFile(join(folder, `${name}.mjs`), source);
      await writeFile(join(folder, `${name}.main.mjs`), `import './${name}.world.mjs';\nconst example = await import('./${name}.mjs');\n${example.then ?? ''}`);
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [`${name}.main.mjs`], { cwd: folder });
      assert.deepEqual(stdout.split('\n'), [...lines, `sends ${example.sends}`]);
      assert.equal(stderr, '');
    });
  }

  test('the short table of presets has the values in force', () => {
    const rows = table(readme, ['', 'default', '`elelem`', '`vernllm`', '`onellm`']);
    const cells = (start) => rows.find(([name]) => name.startsWith(start)).slice(1);
    const inForce = [undefined, 'elelem', 'vernllm', 'onellm'].map((preset) => new dacapo.RetryPolicy({ preset }).options);
    assert.deepEqual(cells('attempts'), inForce.map((options) => String(options.maxAttempts)));
    assert.deepEqual(cells('delays'), inForce.map((options) => {
      const { schedule } = dacapo.explain({ initialDelayMs: options.initialDelayMs, maxDelayMs: options.maxDelayMs, factor: options.factor, firstExponent: options.firstExponent, jitter: 'none' });
      return `${schedule[0].maxMs}, ${options.maxDelayMs}`;
    }));
    const beyond = { stop: 'ends the call', clamp: 'is cut' };
    assert.deepEqual(cells('a hint beyond'), inForce.map((options) => beyond[options.retryAfterBeyond]));
    const codes = { first: 'before the status', override: 'after the status', ignore: 'not read' };
    assert.deepEqual(cells('code in the body'), inForce.map((options) => codes[options.bodyCodes]));
    assert.deepEqual(cells('retried statuses').slice(2), [`all but ${inForce[2].nonRetryableStatus.join(', ')}`, inForce[3].retryStatus.join(', ')]);
  });
});

describe('the pages in docs/', () => {
  const types = read('js/types.d.ts').replace(/\/\*[^]*?\*\//g, '');
  const membersOf = (name) => {
    const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([^]*?)^\\}`, 'm').exec(types)[1];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, member]) => member);
  };
  const wordsOf = (name) => [...new RegExp(`^export type ${name} =([^;]*);`, 'm').exec(types)[1].matchAll(/^ {2}\| '(\w+)'|'(\w+)'/gm)].map(([, a, b]) => a ?? b);
  const optionsPage = read('docs/options.md');
  const documented = [...optionsPage.matchAll(/^- `(\w+)`: /gm)].map(([, name]) => name);

  test('every option of the types has an entry, and every entry is an option', () => {
    const options = new Set(['PolicyOptions', 'FetchOptions', 'RetryOptions', 'RetryStreamOptions'].flatMap(membersOf));
    assert.ok(options.size > 40);
    assert.deepEqual([...documented].sort(), [...options].sort());
  });

  test('a policy knows every option that has an entry or a row', () => {
    const unknown = (name) => faultsOf({ [name]: undefined }).filter(({ code }) => code === 'unknown_option');
    assert.equal(unknown('colour').length, 1);
    const rows = table(optionsPage, ['option', 'default', 'elelem', 'vernllm', 'onellm', 'aws']).map(([name]) => name.slice(1, -1));
    for (const name of [...documented, ...rows]) {
      assert.deepEqual(unknown(name), [], name);
      assert.ok(documented.includes(name), `${name} has a row and no entry`);
    }
  });

  test('an option that no table shows is off, empty or absent under every preset', () => {
    const shown = table(optionsPage, ['option', 'default', 'elelem', 'vernllm', 'onellm', 'aws']).map(([name]) => name.slice(1, -1));
    for (const preset of [undefined, 'elelem', 'vernllm', 'onellm', 'aws']) {
      for (const name of Object.keys(new dacapo.RetryPolicy({ preset }).options)) assert.ok(shown.includes(name), name);
    }
  });

  test('the words of an option are in its entry', () => {
    for (const word of [...wordsOf('Jitter'), ...wordsOf('HintSourceName'), ...wordsOf('PresetName')]) {
      assert.ok(optionsPage.includes(`\`'${word}'\``), word);
    }
    for (const name of documented) {
      const choices = faultsOf({ [name]: 'no such word' }).find(({ code }) => code === 'choice')?.allowed.match(/(?<=')[^']+(?='(?: or |$))/g) ?? [];
      const entry = new RegExp(`^- \`${name}\`: ([^]*?)(?=^- |^#|^$)`, 'm').exec(optionsPage)[1];
      for (const choice of choices) assert.ok(entry.includes(`\`'${choice}'\``), `${name}: '${choice}'`);
    }
  });

  test('every fault code of the table occurs, and no other', () => {
    const faults = [
      { maxAttempts: 0 }, { initialDelayMs: -1 }, { initialDelayMs: 9000 }, { factor: 0 }, { inspectOk: 'yes' },
      { jitter: 'some' }, { retryStatus: [], nonRetryableStatus: [] }, { colour: 1 },
    ].flatMap(faultsOf);
    const codes = table(optionsPage, ['code', 'the value']).map(([code]) => code.slice(1, -1));
    assert.deepEqual([...new Set(faults.map(({ code }) => code))].sort(), codes.sort());
  });

  test('the tables of kinds and marks have the words of the types, in their order', () => {
    const kinds = read('docs/kinds.md');
    const first = (head) => table(kinds, head).map(([cell]) => cell.slice(1, -1));
    assert.deepEqual(first(['kind', 'means', 'retried', 'breaker', 'other provider', 'raised by', 'elelem', 'VernLLM `type`', 'OneLLM']), wordsOf('ErrorKind'));
    assert.deepEqual(first(['mark', 'why']), wordsOf('StopMark'));
  });

  test('every export of the package is told of somewhere', () => {
    const text = pages.map(read).join('\n');
    const told = new Set(text.match(/\w+/g));
    for (const name of [...Object.keys(dacapo), 'init']) assert.ok(told.has(name), name);
  });

  test('what the pages say of Retry-After values is so', () => {
    const nowMs = 784_111_747_000; // 30 s before the date of the table
    const ms = (value) => dacapo.parseRetryAfter(value, { nowMs });
    const values = table(read('docs/behaviour.md'), ['value of `Retry-After`', 'meaning']).map(([cell]) => cell.slice(1, -1));
    assert.deepEqual(values.map(ms), [120_000, 1500, 120_000, 30_000]);
    const [, bad] = /- Anything else \((.*?), an ISO date, an empty value\)/s.exec(read('docs/behaviour.md'));
    for (const value of [...bad.matchAll(/`([^`]+)`/g)].map(([, text]) => text).concat('', '2026-01-15T12:00:00Z')) assert.equal(ms(value), null, value);
  });

  test('links lead to files and headings that are there', () => {
    const slug = (heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-');
    const headings = (file) => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slug(heading));
    let followed = 0;
    for (const page of pages) {
      for (const [, file, anchor] of read(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
        const target = file === '' ? page : join(dirname(page), file);
        assert.ok(existsSync(join(root, target)), `${page}: ${target}`);
        if (anchor) assert.ok(headings(target).includes(anchor), `${page}: ${target}#${anchor}`);
        followed++;
      }
    }
    assert.ok(followed > 10);
  });
});

/** The rows of the only table with this head, as cells. */
function table(page, head) {
  const cells = (line) => line.split('|').slice(1, -1).map((cell) => cell.trim());
  const lines = page.split('\n');
  const starts = lines.flatMap((line, at) => (line.startsWith('|') && cells(line).join('|') === head.join('|') ? [at] : []));
  assert.equal(starts.length, 1, head.join(' | '));
  const rows = lines.slice(starts[0] + 2);
  return rows.slice(0, rows.findIndex((line) => !line.startsWith('|'))).map(cells);
}

function faultsOf(options) {
  try {
    new dacapo.RetryPolicy(options);
    return [];
  } catch (error) {
    assert.equal(error.kind, 'invalid_config');
    return error.faults ?? [];
  }
}
