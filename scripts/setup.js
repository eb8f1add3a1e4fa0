// Brings what the tests need: npm's packages, the pinned Rust toolchain, the browsers. Each is left alone when present.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** The folders with packages of their own. */
const PROJECTS = ['.', 'tests/matrix', 'tests/clients', 'tests/peers', 'tests/types/tools'];

/** Program to the package of Debian that has it. */
const BROWSERS = { chromium: 'chromium', 'firefox-esr': 'firefox-esr', WebKitWebDriver: 'webkit2gtk-driver', Xvfb: 'xvfb' };
const DEBIAN_RUST = ['rustc-web', 'cargo-web', 'rust-web-src', 'lld-19'];

/** Returns what has to be added to the environment of cargo. */
export function setup() {
  for (const project of PROJECTS) npmPackages(join(root, project));
  const env = rustToolchain();
  browsers();
  return env;
}

/** @param {string} folder */
function npmPackages(folder) {
  const locked = statSync(join(folder, 'package-lock.json')).mtimeMs;
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= locked) return;
  must('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder]);
}

function rustToolchain() {
  const version = /^channel = "(.+)"$/m.exec(readFileSync(join(root, 'rust-toolchain.toml'), 'utf8'))?.[1];
  // Nothing is to be downloaded behind the back of a build; RUSTUP_AUTO_INSTALL would.
  const env = { RUSTUP_AUTO_INSTALL: '0' };
  const active = () => output('rustc', ['--version'], env).split(' ')[1];
  if (active() !== version && !run('rustup', ['toolchain', 'install', version, '--profile', 'minimal'])) {
    // The same version may be here under the name of its channel; another one serves for all but the bytes of pkg/.
    const stable = output('rustup', ['run', 'stable', 'rustc', '--version']).split(' ')[1];
    if (stable !== undefined) env.RUSTUP_TOOLCHAIN = 'stable';
    if (stable !== version) console.log(`rustc ${version} cannot be had; stable is ${stable ?? 'missing'}`);
  }
  for (const component of ['rustfmt', 'clippy', 'rust-src']) run('rustup', ['component', 'add', component], env);
  run('rustup', ['target', 'add', 'wasm32-unknown-unknown'], env);
  const sources = join(output('rustc', ['--print', 'sysroot'], env), 'lib/rustlib/src/rust/library');
  if (!existsSync(sources)) {
    console.log(`rustc ${active()} has no sources of its standard library; trying Debian's`);
    apt(DEBIAN_RUST);
  }
  return env;
}

function browsers() {
  const missing = Object.keys(BROWSERS).filter((program) => output('which', [program]) === '');
  if (missing.length > 0) apt(missing.map((program) => BROWSERS[program]));
}

/** @param {string[]} packages */
function apt(packages) {
  if (run('apt-get', ['update', '-qq'])) run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

function must(command, args) {
  if (!run(command, args)) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** Whether the command could be run and succeeded. */
function run(command, args, env = {}) {
  console.log(`$ ${command} ${args.join(' ')}`);
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

function output(command, args, env = {}) {
  const ran = spawnSync(command, args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } });
  return ran.status === 0 ? ran.stdout.trim() : '';
}

if (process.argv[1] === import.meta.filename) setup();
