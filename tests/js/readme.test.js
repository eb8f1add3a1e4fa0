// The examples of the documentation run and print what they say, and its pages know every name that the package has.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as dacapo from 'dacapo';
import { acrossCalls, guides, notRun, readme } from './lib/example-worlds.js';
import { blocksOf, playground } from './lib/examples.js';

const root = resolve(import.meta.dirname, '../..');
const read = (file) => readFileSync(join(root, file), 'utf8');
const docs = readdirSync(join(root, 'docs'), { recursive: true }).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs];

/** The pages whose examples are run here; those of docs/clients/ are run by tests/clients/. */
const runnable = ['README.md', ...['across-calls', 'behaviour', 'drivers', 'kinds', 'options'].map((name) => `docs/${name}.md`), ...docs.filter((page) => page.startsWith('docs/guides/'))];

describe('the examples', { concurrency: 4 }, () => {
  const blocks = runnable.flatMap((page) => blocksOf(read(page)));
  const examples = { ...readme, ...acrossCalls, ...guides };
  let place;
  before(async () => {
    place = await playground();
  });
  after(() => place.remove());

  test('every block of JavaScript or TypeScript is run here, or stands among those that cannot be', () => {
    const [named, others] = [blocks.filter(({ name }) => name), blocks.filter(({ name }) => !name)];
    assert.deepEqual(named.map(({ name }) => name).sort(), Object.keys(examples).sort());
    assert.deepEqual(others.map(({ source }) => source.split('\n')[0]).sort(), Object.keys(notRun).sort());
  });

  for (const { name, source } of blocks.filter((block) => block.name in examples)) {
    test(`${name} prints what it says and sends as many requests as it should`, { timeout: 60_000 }, () => place.run(name, source, examples[name]));
  }
});

describe('the README', () => {
  const readmePage = read('README.md');

  test('the short table of presets has the values in force', () => {
    const rows = table(readmePage, ['', 'default', '`elelem`', '`vernllm`', '`onellm`']);
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

  test('the comparison is with the versions that are installed, and its figures are those that were measured', () => {
    const peers = dependenciesOf('bench/package.json');
    const clients = dependenciesOf('tests/clients/package.json');
    const libraries = ['p-retry', 'fetch-retry', 'ky', 'cockatiel'];
    const rows = table(readmePage, ['', 'dacapo', ...libraries.map((name) => `${name} ${peers[name]}`), 'SDKs']);
    for (const name of ['openai', '@anthropic-ai/sdk', 'ai']) assert.ok(readmePage.includes(` ${name} ${clients[name]}`), name);

    const measured = (title) => {
      const [, section] = read('docs/benchmarks.md').split(`### ${title}\n`);
      const figures = table(section.split('\n###')[0], ['', 'added µs a call', 'spread', section.includes('× fetch-retry') ? '× fetch-retry' : '× p-retry']);
      const of = (name) => figures.find(([contestant]) => contestant === name)[1];
      return ['**dacapo**', ...libraries.map((name) => `${name} ${peers[name]}`)].map(of);
    };
    const told = (start) => rows.find(([name]) => name.startsWith(start)).slice(1, -1);
    assert.deepEqual(told('a call that succeeds at once'), measured('(a) A POST that succeeds at once, not inspected'));
    assert.deepEqual(told('one retry'), measured('(d) One retry: an empty 503, then a 200'));
    const [size] = table(read('docs/size.md'), ['what is bundled', 'raw', 'gzip', 'brotli']);
    assert.ok(readmePage.includes(`${size[3]} bytes of brotli`), size[3]);
  });
});

describe('CONTRIBUTING.md', () => {
  test('it tells of every section of npm test, in their order', () => {
    const sections = [...read('scripts/test.js').matchAll(/^ {2}(\w+): \(\) =>/gm)].map(([, name]) => name);
    assert.ok(sections.length > 10);
    assert.deepEqual(table(read('CONTRIBUTING.md'), ['section', 'what it checks']).map(([name]) => name.slice(1, -1)), sections);
  });
});

describe('the guides', () => {
  test('the numbers to start from are a policy that ends in time', () => {
    const rows = table(read('docs/guides/choosing-a-policy.md'), ['your app', '`maxAttempts`', '`timeoutMs`', '`deadlineMs`', 'besides']);
    assert.ok(rows.length > 4);
    for (const [app, maxAttempts, timeoutMs, deadlineMs, besides] of rows) {
      const more = [...besides.matchAll(/`(\w+): (\d+|true|'\w+')`/g)].map(([, name, value]) => [name, JSON.parse(value.replaceAll("'", '"'))]);
      const options = { maxAttempts: +maxAttempts, timeoutMs: +timeoutMs, deadlineMs: +deadlineMs, ...Object.fromEntries(more) };
      const { worstCaseMs } = dacapo.explain(options);
      assert.ok(options.deadlineMs === 0 || worstCaseMs <= options.deadlineMs, app);
      assert.ok(options.timeoutMs < worstCaseMs, app);
    }
  });

  test('a name in the manner of an option or a function is one of the package, or of the platform', () => {
    const known = new Set(`${read('js/types.d.ts')} ${read('js/slim.d.ts')} ${read('js/cloudflare.d.ts')}`.match(/\w+/g));
    const platform = new Set(['AbortError', 'TimeoutError', 'TypeError', 'AbortSignal', 'waitUntil', 'blockConcurrencyWhile', 'arrayBuffer', 'configPath', 'modulesRules', 'esModule']);
    for (const page of docs.filter((name) => name.startsWith('docs/guides/'))) {
      for (const [, code] of prose(read(page)).matchAll(/`([^`]+)`/g)) {
        for (const [name] of code.replace(/'[^']*'/g, '').matchAll(/\b[a-z]+(?:[A-Z]\w*)+/g)) {
          assert.ok(known.has(name) || platform.has(name), `${page}: ${name}`);
        }
      }
    }
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

  test('what an example of any page imports from the package is there', () => {
    const entries = { dacapo: Object.keys(dacapo), 'dacapo/slim': [...Object.keys(dacapo), 'init'], 'dacapo/cloudflare': ['DacapoState', 'durableStore'] };
    const types = new Set([...read('js/types.d.ts').matchAll(/^export (?:interface|type|class|function) (\w+)/gm)].map(([, name]) => name));
    let imported = 0;
    for (const page of pages) {
      for (const [, names, entry] of read(page).matchAll(/import (?:type )?\{([^}]*)\} from '(dacapo[\w/]*)'/g)) {
        for (const name of names.split(',').map((each) => each.trim().replace(/^type |\s+as .*$/g, '')).filter(Boolean)) {
          assert.ok(entries[entry]?.includes(name) || types.has(name), `${page}: ${name} from ${entry}`);
          imported++;
        }
      }
    }
    assert.ok(imported > 20);
  });

  test('the index has every page', () => {
    const listed = [...read('docs/README.md').matchAll(/^(?:- |\| )\[[^\]]+\]\(([^)]+\.md)\)/gm)].map(([, file]) => join('docs', file));
    assert.deepEqual(listed.filter((file) => file.startsWith('docs/')).sort(), docs.filter((page) => page !== 'docs/README.md').sort());
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

/** A page without its blocks of code. */
const prose = (text) => text.replace(/^```[^]*?^```$/gm, '');

const dependenciesOf = (file) => JSON.parse(read(file)).dependencies;

function faultsOf(options) {
  try {
    new dacapo.RetryPolicy(options);
    return [];
  } catch (error) {
    assert.equal(error.kind, 'invalid_config');
    return error.faults ?? [];
  }
}
