// `npm start`: the package against a provider in trouble. `npm start -- URL`: against a URL of yours.

import { callUrl } from './url.js';
import { runScript } from './script.js';
import { Timeline } from './timeline.js';

const USAGE = `usage: npm start            calls a provider in trouble, on loopback
       npm start -- URL     calls an http or https URL of yours with GET`;

/** The script ends long before; a demo that hangs is a failure. */
const LONGEST_MS = 14_000;

// A reader who has seen enough, such as `head`, is no error.
process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const timeline = new Timeline(process.stdout);
const url = target(process.argv.slice(2));
if (url === undefined) {
  setTimeout(() => {
    timeline.print(`the demo did not end within ${LONGEST_MS / 1000} s`);
    process.exit(1);
  }, LONGEST_MS).unref();
  process.exitCode = (await runScript(timeline)) ? 0 : 1;
} else {
  process.exitCode = (await callUrl(timeline, url)) ? 0 : 1;
}

/**
 * The URL to call, if one is given. Ends the program when the arguments make no sense.
 *
 * @param {string[]} args
 */
function target(args) {
  const [text] = args;
  if (text === undefined) return undefined;
  if (args.length > 1) return refuse(`one URL at a time, and not ${args.length}`);
  if (text.startsWith('-')) return refuse(`there is no option ${text}`);
  if (!URL.canParse(text)) return refuse('that is not an absolute URL, such as https://api.example.com/health');
  const { href, protocol } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return refuse(`${protocol} URLs cannot be called, only http: and https:`);
  return href;
}

/**
 * @param {string} why
 * @returns {never}
 */
function refuse(why) {
  process.stderr.write(`${why}\n\n${USAGE}\n`);
  process.exit(2);
}
