// Next.js: a project built and started as its command line does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { projectWith } from './project.js';

const require = createRequire(import.meta.url);
const NEXT = require.resolve('next/dist/bin/next');
/** No command outlives it, whatever becomes of the tests. */
const LIMIT_MS = 170_000;
const PACKAGES = ['next', 'react', 'react-dom'];

export const { version } = require('next/package.json');

/** @returns {Promise<string>} The folder of a project with Next.js beside the package. */
export async function nextProject() {
  const project = await projectWith('next');
  for (const name of PACKAGES) symlinkSync(join(require.resolve(`${name}/package.json`), '..'), join(project, 'node_modules', name));
  // Next.js does not find `dacapo/dacapo.wasm?module` among the package's exports.
  copyFileSync(join(project, 'node_modules/dacapo/pkg/dacapo_bg.wasm'), join(project, 'next/app/edge-slim/dacapo.wasm'));
  return project;
}

function next(project, command, ...args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', CI: '1' };
  const child = spawn(process.execPath, [NEXT, command, 'next', ...args], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
  const told = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (told.output += text));
  return told;
}

/** @returns {Promise<string>} What it printed. */
export async function build(project) {
  const told = next(project, 'build');
  const [code] = await once(told.child, 'close');
  if (code !== 0) throw new Error(`next build: exit code ${code}\n${told.output.slice(0, 4000)}`);
  return told.output;
}

/** Starts what was built, on a free port. */
export async function start(project) {
  const told = next(project, 'start', '--port', '0', '--hostname', '127.0.0.1');
  const { child } = told;
  while (!told.output.includes('Ready')) {
    const ended = once(child, 'exit').then(() => { throw new Error(`next start: ${told.output}`); });
    ended.catch(() => {});
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
  return {
    origin: /http:\/\/\S+/.exec(told.output)[0],
    complaints: () => told.output.split('\n').filter((line) => /[⚠⨯]/.test(line)),
    async stop() {
      if (child.exitCode === null && child.kill()) await once(child, 'exit');
    },
  };
}
