// The example Workers as their wrangler.toml says, in miniflare: its queues and Durable Objects run in a real workerd.

import { build } from 'esbuild';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { parse } from 'smol-toml';

const root = resolve(import.meta.dirname, '../../..');

/** What miniflare and the Workers have to say for themselves. */
class Complaints extends Log {
  texts = [];

  constructor() {
    super(LogLevel.WARN);
  }

  logWithLevel(level, text) {
    if (level <= LogLevel.WARN) this.texts.push(text);
  }
}

/**
 * Starts an example. Each name is an isolate of its own; the first one has the Durable Objects, and the queue's consumer.
 *
 * @param {string} example A folder of examples/.
 * @param {Record<string, string>} bindings Variables and secrets.
 * @param {string[]} names
 */
export async function startExample(example, bindings, names = ['main']) {
  const folder = await mkdtemp(join(tmpdir(), 'dacapo-example-'));
  const log = new Complaints();
  try {
    const { config, modules } = await bundled(join(root, 'examples', example), folder);
    const workers = names.map((name) => ({ name, ...optionsOf(config, names[0], name === names[0]), modules, bindings: { ...config.vars, ...bindings } }));
    const miniflare = new Miniflare({ port: 0, cf: false, log, workers });
    await miniflare.ready;
    return {
      complaints: log.texts,
      /** Asks one of the isolates. */
      async ask(path, init, name = names[0]) {
        const worker = await miniflare.getWorker(name);
        return worker.fetch(`http://example.test${path}`, init);
      },
      async stop() {
        await miniflare.dispose();
        await rm(folder, { recursive: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

/** The Worker as a deployment tool bundles it, with the package as an install would have it. */
async function bundled(example, folder) {
  const config = parse(await readFile(join(example, 'wrangler.toml'), 'utf8'));
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/dacapo'));
  const output = join(folder, 'output');
  await build({
    entryPoints: [join(example, config.main)],
    outfile: join(output, 'index.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd'],
    nodePaths: [join(folder, 'node_modules')],
    external: ['cloudflare:*'],
    loader: { '.wasm': 'copy' },
    assetNames: '[name]',
    logLevel: 'silent',
  });
  const files = (await readdir(output)).sort((a) => (a === 'index.js' ? -1 : 1));
  const modules = await Promise.all(files.map(async (name) => {
    const type = name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule';
    return { type, path: join(output, name), contents: await readFile(join(output, name), type === 'ESModule' ? 'utf8' : undefined) };
  }));
  return { config, modules: modules.map((module) => ({ ...module, path: module.path.slice(output.length + 1) })) };
}

/** What a wrangler.toml of the examples means to miniflare. */
function optionsOf(config, owner, isOwner) {
  const { bindings: objects = [] } = config.durable_objects ?? {};
  const { producers = [], consumers = [] } = config.queues ?? {};
  return {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags ?? [],
    durableObjects: Object.fromEntries(objects.map(({ name, class_name: className }) => (
      [name, { className, useSQLite: true, ...(!isOwner && { scriptName: owner }) }]
    ))),
    kvNamespaces: (config.kv_namespaces ?? []).map(({ binding }) => binding),
    queueProducers: Object.fromEntries(producers.map(({ binding, queue }) => [binding, { queueName: queue }])),
    queueConsumers: !isOwner ? {} : Object.fromEntries(consumers.map(({ queue, max_batch_size, max_batch_timeout, max_retries }) => (
      [queue, { maxBatchSize: max_batch_size, maxBatchTimeout: max_batch_timeout, maxRetries: max_retries }]
    ))),
  };
}
