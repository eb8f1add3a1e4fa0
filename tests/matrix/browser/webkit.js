// WebKitGTK's own small browser, over classic WebDriver, on a display that nobody sees.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { onPath } from './on-path.js';

const START_MS = 15_000;

export async function start() {
  const children = [];
  process.once('SIGTERM', () => process.exit(1));
  process.once('exit', () => children.forEach((child) => child.kill()));
  const stop = async () => {
    for (const child of children.splice(0).reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill();
      await once(child, 'exit');
    }
  };
  try {
    const display = await startDisplay(children);
    const session = await startSession(children, display);
    return {
      name: `WebKitGTK ${session.version}`,
      goto: (url) => session.send('POST', '/url', { url }),
      async close() {
        await session.send('DELETE', '').finally(stop);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The number of a display that is free, as the X server chooses it. */
async function startDisplay(children) {
  const child = spawn(onPath('Xvfb'), ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  children.push(child);
  const [number] = await once(child.stdio[3], 'data', { signal: AbortSignal.timeout(START_MS) });
  return `:${String(number).trim()}`;
}

async function startSession(children, display) {
  const port = await freePort();
  const child = spawn(onPath('WebKitWebDriver'), [`--port=${port}`], { stdio: 'ignore', env: { ...process.env, DISPLAY: display } });
  children.push(child);
  const origin = `http://127.0.0.1:${port}`;
  const signal = AbortSignal.timeout(START_MS);
  // It does not say when it listens.
  while (!(await fetch(`${origin}/status`, { signal }).then(({ ok }) => ok, () => signal.throwIfAborted()))) await sleep(20);
  const { sessionId, capabilities } = await ask('POST', `${origin}/session`, { capabilities: {} });
  return { version: capabilities.browserVersion, send: (method, path, body) => ask(method, `${origin}/session/${sessionId}${path}`, body) };
}

async function ask(method, url, body) {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(START_MS) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`WebKitWebDriver: ${value.error}: ${value.message}`);
  return value;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
