/** The contract in the places that a site has for programs: `(origin, query) => outcomes by place`, the query of a worker's script. */

export async function page(origin) {
  const [dacapo, { runColumns }] = await Promise.all([import('dacapo'), import('../lib/columns.js')]);
  return { page: await runColumns(dacapo, origin) };
}

/** Side by side, since they mostly wait. */
export async function workers(origin, query) {
  const [web, service] = await Promise.all([webWorker(origin, query), serviceWorker(origin, query)]);
  return { 'web worker': web, 'service worker': service };
}

async function webWorker(origin, query) {
  const worker = new Worker(`/tests/matrix/browser/web-worker.js${query}`, { type: 'module' });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message ?? 'the worker did not start'));
      worker.postMessage(origin);
    });
  } finally {
    worker.terminate();
  }
}

async function serviceWorker(origin, query) {
  const registration = await navigator.serviceWorker.register(`/tests/matrix/browser/service-worker.js${query}`, { type: 'module' });
  try {
    const { port1, port2 } = new MessageChannel();
    const told = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
    // It takes messages while it is installed.
    (registration.installing ?? registration.waiting ?? registration.active).postMessage(origin, [port2]);
    return await told;
  } finally {
    await registration.unregister();
  }
}
