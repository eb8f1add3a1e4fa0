import './page.js';

globalThis.runInWorker = (...args) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }) => resolve(data));
    worker.addEventListener('error', ({ message }) => reject(new Error(`the worker failed: ${message}`)));
    worker.postMessage(args);
  });
