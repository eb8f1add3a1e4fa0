import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findings } from '../../scripts/check-js.js';

const planted = {
  'a status compared': 'if (response.status === 429) retry();',
  'a lower bound of statuses': 'if (response.status >= 500) retry();',
  'an unusual bound of statuses': 'if (450 < status) stop();',
  'a class of statuses by division': 'if (Math.floor(res.status / 100) === 5) retry();',
  'a table of statuses': 'const RETRYABLE = new Set([408, 503]);',
  'a status in hexadecimal': 'const TOO_MANY = 0x1ad;',
  'a status as a string': "if (String(code) === '503') retry();",
  'a status in a switch': 'switch (status) { case 404: break; }',
  'the Retry-After header': "const value = headers.get('Retry-After');",
  'a wait header in a template': 'headers += `retry-after-ms\\n${ms}`;',
  'a rate limit header': "headers.get('x-ratelimit-reset-tokens');",
  'a sensitive header as a property': 'delete headers.authorization;',
  'a sensitive header in a table': "const SENSITIVE = ['x-api-key', 'cookie'];",
  'a sensitive header in a regular expression': 'const SENSITIVE = /^(set-cookie|x-auth-token)$/i;',
  'a word that tells secrets': "if (segments.includes('password')) remove();",
  'a sign that is not ASCII': "const more = '\u2026';",
  'a power': 'const base = initialMs * 2 ** attempt;',
  'a power assigned': 'factor **= 2;',
  'Math.pow': 'const base = initialMs * Math.pow(2, attempt);',
  'Math.random': 'const ms = cap * Math.random();',
  'a delay multiplied': 'delayMs = delayMs * factor;',
  'a delay doubled in place': 'this.delayMs *= 2;',
  'a wait shifted': 'const next = waitMs << 1;',
};
for (const [what, source] of Object.entries(planted)) {
  test(`${what} in js/ is found`, () => {
    assert.equal(findings(`// line 1\n${source}`)[0]?.line, 2);
  });
}

const harmless = {
  'the two statuses that fetch treats apart': 'if (status === 101 || status === 304) deliver(response);',
  'whether a number is a status': 'if (status < 100 || status > 999) throw error;',
  'a comment': '// 429, Retry-After and 2 ** n are the engine\'s\n/* authorization */ go();',
  'a size in bytes': 'const HOLD_BYTES = 256 * 1024;',
  'a count of tokens': 'const total = usage.tokens * 1;',
  'another header': "headers.get('content-type');",
};
for (const [what, source] of Object.entries(harmless)) {
  test(`${what} in js/ is no finding`, () => {
    assert.deepEqual(findings(source), []);
  });
}
