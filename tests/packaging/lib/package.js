// The package as a user gets it: packed, installed into a folder of its own.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const root = join(import.meta.dirname, '../../..');

/** Runs a command and gives what it printed; what it complained of is in the error. */
export async function run(command, args, cwd) {
  // Under `npm test`, npm's own settings would reach the npm that is run here.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST_CONTEXT$|^GIT_/.test(name)));
  try {
    return (await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  } catch ({ code, stdout, stderr }) {
    // Node prints the whole line that threw, which in a bundle is all of it.
    const told = `${stdout}${stderr}`.split('\n').map((line) => line.slice(0, 300)).join('\n');
    throw new Error(`${command} ${args.join(' ').slice(0, 200)}: exit code ${code}\n${told.slice(0, 4000)}`);
  }
}

/** A folder that is gone when the tests are over. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-packaging-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs the working tree into `folder`: the tarball's path and the files in it. */
export async function pack(folder) {
  const [{ filename, files }] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder], root));
  return { tarball: join(folder, filename), files: files.map(({ path }) => path).sort() };
}

/** Installs `what` into an empty project in `folder`. */
export async function install(folder, ...what) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await run('npm', ['install', '--no-audit', '--no-fund', ...what], folder);
}

/** A project of its own with the packed package and nothing else in node_modules; gone when the process ends. */
export async function userProject() {
  const folder = temporaryFolder();
  const { tarball } = await pack(folder);
  const project = join(folder, 'user');
  await install(project, tarball);
  return project;
}

/** A bare clone of a repository whose one commit is the working tree as it stands. */
export async function bareClone(folder) {
  const work = join(folder, 'work');
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  for (const file of listed.split('\0').filter(Boolean)) {
    cpSync(join(root, file), join(work, file), { force: true, errorOnExist: false });
  }
  const git = (...args) => run('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], work);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all', '--force');
  await git('commit', '--quiet', '--message=tree');
  const bare = join(folder, 'dacapo.git');
  await run('git', ['clone', '--quiet', '--bare', work, bare], folder);
  return bare;
}
