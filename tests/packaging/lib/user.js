// A user's program: a drop-in fetch against a server that fails once.

import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from './package.js';

/** Takes a fetch, gives what came of it. */
export const PROGRAM = `
const response = await fetchAgain(process.argv[2], { method: 'POST', body: 'hello' });
console.log(response.status, await response.text());
`;

/** Runs the program in `file` and gives what it printed and what the server saw. */
export async function runProgram(folder, file, source) {
  if (source !== undefined) writeFileSync(join(folder, file), source);
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.method);
    request.resume();
    response.statusCode = seen.length === 1 ? 503 : 200;
    response.end(seen.length === 1 ? 'busy' : 'served');
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const printed = await run(process.execPath, [file, `http://127.0.0.1:${server.address().port}/`], folder);
    return { printed: printed.trim(), seen };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
