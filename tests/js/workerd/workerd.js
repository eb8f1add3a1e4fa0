// A workerd of its own, serving one Worker bundled as a deployment tool bundles it.

import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import workerd from 'workerd';

/** Without this flag `request.signal` never aborts. */
const FLAGS = ['enable_request_signal'];

const configuration = (engines, compatibilityDate, v8Flags) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ${JSON.stringify(v8Flags)},
  services = [
    (name = "main", worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        ${engines.map((name) => `(name = "${name}", wasm = embed "${name}"),`).join('\n        ')}
      ],
      compatibilityDate = "${compatibilityDate}",
      compatibilityFlags = ${JSON.stringify(FLAGS)},
      globalOutbound = "loopback",
    )),
    (name = "loopback", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/**
 * Bundles a Worker under the `workerd` condition and starts it on a free loopback port.
 *
 * @param {URL} entry
 * @param {object} [options]
 * @param {string} [options.compatibilityDate]
 * @param {string[]} [options.v8Flags] With any, workerd complains of its cache.
 */
export async function startWorker(entry, { compatibilityDate = '2026-11-01', v8Flags = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'dacapo-workerd-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    return await startIn(folder, entry, (engines) => configuration(engines, compatibilityDate, v8Flags), remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startIn(folder, entry, configured, remove) {
  const { warnings } = await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd'],
    loader: { '.wasm': 'copy' },
    assetNames: '[name]',
    logLevel: 'silent',
  });
  const engines = (await readdir(folder)).filter((name) => name.endsWith('.wasm'));
  await writeFile(join(folder, 'config.capnp'), configured(engines));

  const child = spawn(workerd.default, ['serve', '--control-fd=3', join(folder, 'config.capnp')], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  /** What the Worker and its runtime had to say. */
  let output = '';
  child.stdout.on('data', (bytes) => (output += bytes));
  child.stderr.on('data', (bytes) => (output += bytes));
  const port = await listening(child);
  if (port === undefined) throw new Error(`workerd did not start: ${output}`);

  return {
    origin: `http://127.0.0.1:${port}`,
    output: () => output,
    warnings: warnings.map(({ text, location }) => `${text} (${location?.file})`),
    async stop() {
      if (child.exitCode === null && child.kill()) await once(child, 'exit');
      await remove();
    },
  };
}

/**
 * The port, as workerd tells it on its control pipe.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number | undefined>} Undefined when it ended without one.
 */
async function listening(child) {
  let text = '';
  for await (const bytes of child.stdio[3]) {
    text += bytes;
    const [, port] = /"port":(\d+)/.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  return undefined;
}
