// What the pages of the site run. A page's name is the scenario, and what that gives is told to the site.

import { runTest, watchRejections } from '../../js/lib/suites.js';
import * as contract from './contract.js';
import { takeAway } from './younger.js';

const parameters = Object.fromEntries(new URLSearchParams(location.search));

const scenarios = {
  ...Object.fromEntries(Object.entries(contract).map(([place, run]) => [place, ({ origin, script }) => run(origin, `?csp=${encodeURIComponent(script)}`)])),

  /** A call that fails once, and what the page's own policy forbids. */
  async policy({ url }) {
    const { createFetch } = await import('dacapo');
    const response = await createFetch({ initialDelayMs: 10 })(url);
    return { text: await response.text(), eval: errorOf(() => (0, eval)('1')), html: errorOf(() => (document.body.innerHTML = 'text')) };
  },

  /** What needs the engine, and what does not, where WebAssembly may not compile. */
  async refused() {
    const { createFetch, explain, historyOf, isRetryError, matchesKind, retry, RetryPolicy } = await import('dacapo');
    const slim = await import('dacapo/slim');
    const calls = {
      createFetch: () => createFetch(),
      RetryPolicy: () => new RetryPolicy(),
      retry: () => retry(async () => 1),
      explain: () => explain(),
      'dacapo/slim': () => slim.init('/node_modules/dacapo/pkg/dacapo_bg.wasm').then(() => slim.createFetch()),
    };
    const thrown = {};
    for (const [name, call] of Object.entries(calls)) {
      thrown[name] = await new Promise((resolve) => resolve(call())).then(() => ({}), ({ kind, message }) => ({ kind, message }));
    }
    return { thrown, engineless: [isRetryError(new Error()), historyOf(new Response()) === undefined, matchesKind(new Error(), 'timeout')] };
  },

  /** Those columns whose time is not the clock's, before the package comes in. */
  async older({ origin }) {
    takeAway();
    const [dacapo, { columns }] = await Promise.all([import('dacapo'), import('../lib/columns.js')]);
    const failed = {};
    for (const column of ['retry', 'stream', 'body', 'history', 'secrets', 'options']) {
      for (const title of columns[column]) failed[title] = await runTest(title, dacapo, origin);
    }
    return failed;
  },

  /** What a call makes of an answer of which the page may not read all. */
  async hidden({ url, mode }) {
    const { createFetch, historyOf } = await import('dacapo');
    const response = await createFetch({ initialDelayMs: 30, jitter: 'none', zeroHint: 'now' })(url, { mode });
    return { type: response.type, attempts: historyOf(response)?.attempts };
  },
};

function errorOf(run) {
  try {
    return void run();
  } catch (error) {
    return error.name;
  }
}

watchRejections();
const scenario = scenarios[location.pathname.slice(1)];
const told = await scenario(parameters).catch((error) => ({ failed: String(error?.stack ?? error) }));
await fetch(`/told?visit=${parameters.visit}`, { method: 'POST', body: JSON.stringify(told) });
