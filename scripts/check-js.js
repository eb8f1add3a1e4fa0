// js/ makes one attempt and knows the platform; every decision is the engine's. So it holds no HTTP status number but 101
// and 304, no table of sensitive or Retry-After headers, and no backoff arithmetic; and its code is ASCII. This check
// fails where that is not so.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'acorn';

import { root } from './setup.js';

// Without 101 and 304, which `fetch` treats apart, and 100, which it never shows: the least number that is a status.
const STATUS = new Set([
  102, 103, ...range(200, 208), 226, ...range(300, 303), ...range(305, 308), ...range(400, 431), 440, 444, 449, 451, 460, 463,
  ...range(494, 499), ...range(500, 511), ...range(520, 530), 561, 598, 599,
]);

const HEADERS = [
  'retry-after', 'retry-after-ms', 'x-ms-retry-after-ms', 'x-retry-after-ms', 'x-amz-retry-after',
  'authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'set-cookie',
  'x-amz-security-token', 'ocp-apim-subscription-key', 'x-functions-key', 'cf-aig-authorization',
  'cf-access-client-secret', 'x-auth-token', 'x-auth-key', 'x-auth-user-service-key',
];
const HEADER = new RegExp(`(?<![\\w-])(${HEADERS.join('|')}|[a-z-]*ratelimit-[a-z-]*)(?![\\w-])`, 'i');
/** The words by which a header name is told to be a secret. */
const SECRET_WORD = /^(apikey|credential|password|secret|session|signature|token)$/i;

const NOT_ASCII = /[^\0-\x7f]/;

const WAIT = /delay|backoff|wait|interval/i;

/**
 * What a source text has that belongs into the engine.
 *
 * @param {string} source
 * @returns {{ line: number, text: string, why: string }[]}
 */
export function findings(source) {
  const tokens = [];
  parse(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true, onToken: tokens });
  const found = [];
  tokens.forEach((token, index) => {
    const why = fault(token, tokens[index - 1], tokens[index + 1], tokens[index + 2]);
    if (why !== undefined) {
      found.push({ line: token.loc.start.line, text: source.slice(token.start, token.end), why });
    }
  });
  return found;
}

function fault(token, before, after, afterNext) {
  const { label } = token.type;
  if (label === 'num' || (label === 'string' && /^\d{3}$/.test(token.value))) {
    const number = Number(token.value);
    if (STATUS.has(number)) return 'an HTTP status number';
  }
  if (['string', 'template', 'name', 'regexp', 'privateId'].includes(label)) {
    const text = label === 'regexp' ? token.value.pattern : String(token.value);
    if (HEADER.test(text)) return 'a header that only the engine knows';
    // It also stands in bundles of other charsets, where it swallows what follows it.
    if (NOT_ASCII.test(text)) return 'a character that is not ASCII';
    if (label === 'string' && SECRET_WORD.test(text)) return 'a word by which the engine tells secrets';
  }
  // Acorn's label of an operator is its whole precedence class; the value is what stands there.
  const operator = token.value ?? label;
  if (label === '**' || operator === '**=') return 'backoff arithmetic';
  if (label === 'name' && token.value === 'Math' && ['pow', 'random', 'exp'].includes(afterNext?.value)) {
    return 'backoff arithmetic';
  }
  const beside = (name) => [before, after].some((side) => side?.type.label === 'name' && name.test(side.value));
  if (['*', '*=', '<<', '<<='].includes(operator) && beside(WAIT)) return 'backoff arithmetic';
  if (!beside(/status/i)) return undefined;
  if (['/', '%'].includes(operator)) return 'a class of HTTP statuses';
  // 100 and 999 ask whether a number is a status at all.
  const asksIfStatus = [before, after].some((side) => side?.value === 100 || side?.value === 999);
  if (['>=', '<=', '>', '<'].includes(operator) && !asksIfStatus) return 'a range of HTTP statuses';
  return undefined;
}

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

if (process.argv[1] === import.meta.filename) {
  const files = readdirSync(join(root, 'js'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  if (files.length === 0) throw new Error('js/ has no files');
  let count = 0;
  for (const file of files.sort()) {
    for (const { line, text, why } of findings(readFileSync(join(root, 'js', file), 'utf8'))) {
      count++;
      console.error(`js/${file}:${line}: ${text} is ${why}`);
    }
  }
  console.log(`${files.length} files of js/, ${count} findings`);
  process.exitCode = count > 0 ? 1 : 0;
}
