import assert from 'node:assert/strict';
import test from 'node:test';
import { redactHeaders, sanitizeBaseUrl, sanitizeUrl } from 'dacapo';
import { vectors } from './lib/vectors.js';

const VECTORS = vectors('redaction');

test('the shared vectors of header names hold', () => {
  assert.ok(VECTORS.sensitiveHeaders.length > 50);
  for (const { name, sensitive } of VECTORS.sensitiveHeaders) {
    assert.deepEqual(Object.keys(redactHeaders([[name, 'value']])), sensitive ? [] : [name.toLowerCase()], name);
  }
});

test('the shared vectors of URLs hold, and doing it again changes nothing', () => {
  for (const { url, expect } of VECTORS.sanitizeUrl) {
    assert.equal(sanitizeUrl(url), expect);
    assert.equal(sanitizeUrl(expect), expect);
  }
  for (const { url, expect, removed } of VECTORS.sanitizeBaseUrl) assert.deepEqual(sanitizeBaseUrl(url), { url: expect, removed });
});

test('redactHeaders keeps what is harmless in any shape, with lower-case names', () => {
  for (const headers of [
    new Headers({ Accept: 'a/b', Authorization: 's' }), [['ACCEPT', 'a/b'], ['x-api-key', 's']], { Accept: 'a/b', cookie: 's' },
    { accept: ['a/b'], authorization: ['s', 't'] }, new Map([['Accept', 'a/b'], ['Api-Key', 's']]),
    new Request('https://host.example/', { headers: { accept: 'a/b', 'x-auth-key': 's' } }).headers,
  ]) {
    assert.deepEqual(redactHeaders(headers), { accept: 'a/b' });
  }
});

test('a header whose name has a whole segment that tells of a secret is removed', () => {
  for (const name of [
    'x-token', 'token', 'my_secret', 'X-Password-Hash', 'user-credential', 'x-hub-signature', 'session', 'session_id', 'apikey',
    'x-apikey-2', 'api-key', 'API_KEY', 'vendor-api-key-id',
  ]) {
    assert.deepEqual(redactHeaders({ [name]: 'value' }), {}, name);
  }
});

test('a header that only sounds like one is kept, and rate limits are exempt', () => {
  for (const name of [
    'x-tokenizer', 'x-ratelimit-remaining-tokens', 'anthropic-ratelimit-tokens-remaining', 'x-ratelimit-reset-token', 'x-monkey',
    'keyboard', 'accept', 'x-request-id', 'openai-organization', 'x-sessions',
  ]) {
    assert.deepEqual(redactHeaders({ [name]: 'value' }), { [name]: 'value' }, name);
  }
});

test('names and values of the caller\'s own are redacted', () => {
  const headers = { 'X-Internal': 'a', note: 'it is hunter2-hunter2', plain: 'b' };
  const kept = redactHeaders(headers, { headers: ['x-INTERNAL'], values: ['hunter2-hunter2'] });
  assert.deepEqual(Object.keys(kept), ['note', 'plain']);
  assert.ok(!kept.note.includes('hunter2'));
});

test('a value of a harmless header that repeats a secret one is masked', () => {
  const kept = redactHeaders({ authorization: 'Bearer canary-value-0123456789', 'x-echo': 'canary-value-0123456789' });
  assert.ok(!kept['x-echo'].includes('canary'), kept['x-echo']);
});

test('what are no headers gives none, and throws nothing', () => {
  const fail = () => { throw new Error('hostile'); };
  for (const headers of [
    null, undefined, 1, 'authorization: x', true, [], {}, [[]], [['a']], [1, 2], { a: {} }, { a: null }, new Proxy({}, { ownKeys: fail }),
    { [Symbol.iterator]: fail }, () => 1,
  ]) {
    assert.deepEqual(redactHeaders(headers), {});
  }
});

test('a header name of an object\'s own members is only a name', () => {
  const kept = redactHeaders([['__proto__', 'a'], ['constructor', 'b'], ['toString', 'c']]);
  assert.equal(Object.getPrototypeOf(kept), Object.prototype);
  assert.deepEqual(Object.entries(kept).sort(), [['__proto__', 'a'], ['constructor', 'b'], ['tostring', 'c']]);
});

test('the lists of redactHeaders are checked', () => {
  for (const redact of [{ headers: 'x' }, { values: [1] }, { query: {} }]) {
    assert.throws(() => redactHeaders({}, redact), { kind: 'invalid_config' });
  }
});

test('sanitizeUrl drops userinfo and masks secret query values, and nothing else', () => {
  for (const [url, shown] of [
    ['https://host.example/a/b?x=1#f', 'https://host.example/a/b?x=1#f'],
    ['https://user:pass@host.example/', 'https://host.example/'],
    ['https://key@host.example:8443/a', 'https://host.example:8443/a'],
    ['https://host.example/?key=abc&alt=sse', 'https://host.example/?key=REDACTED&alt=sse'],
    ['https://host.example/?API_KEY=abc', 'https://host.example/?API_KEY=REDACTED'],
    ['https://host.example/?a=1&X-Amz-Signature=abc&b=2', 'https://host.example/?a=1&X-Amz-Signature=REDACTED&b=2'],
    ['//u:p@host.example/x?token=t', '//host.example/x?token=REDACTED'],
    ['/relative?sig=abc&y=2', '/relative?sig=REDACTED&y=2'],
    ['not a url at all ?secret=abc', 'not a url at all ?secret=REDACTED'],
    ['', ''],
  ]) {
    assert.equal(sanitizeUrl(url), shown);
    assert.equal(sanitizeUrl(shown), shown, 'once more changes nothing');
  }
});

test('sanitizeUrl reads names in any letter case and percent-encoding', () => {
  for (const name of [
    'key', 'Key', 'KEY', 'access_token', 'Access%5Ftoken', '%6Bey', 'client_secret', 'awsaccesskeyid', 'code', 'passwd', 'id_token',
    'refresh_token', 'auth', 'X-GOOG-CREDENTIAL',
  ]) {
    assert.ok(!sanitizeUrl(`https://host.example/?${name}=canary`).includes('canary'), name);
  }
  for (const name of ['keys', 'tokens', 'model', 'monkey', 'codec', 'x-key-count']) {
    assert.ok(sanitizeUrl(`https://host.example/?${name}=kept`).includes('kept'), name);
  }
});

test('sanitizeUrl takes a URL object', () => {
  assert.equal(sanitizeUrl(new URL('https://u:p@host.example/?key=x')), 'https://host.example/?key=REDACTED');
});

test('sanitizeBaseUrl drops the userinfo, says so, and leaves the rest for use', () => {
  for (const [url, clean, removed] of [
    ['https://user:pass@host.example/v1?key=abc', 'https://host.example/v1?key=abc', true],
    ['https://user@host.example', 'https://host.example', true],
    ['https://host.example/v1?key=abc', 'https://host.example/v1?key=abc', false],
    ['https://host.example/a@b?c=d@e', 'https://host.example/a@b?c=d@e', false],
    ['http://u:p@[::1]:8080/', 'http://[::1]:8080/', true],
    ['host.example/v1', 'host.example/v1', false],
    ['', '', false],
  ]) {
    assert.deepEqual(sanitizeBaseUrl(url), { url: clean, removed });
  }
  assert.deepEqual(sanitizeBaseUrl(new URL('https://u:p@host.example/')), { url: 'https://host.example/', removed: true });
});

test('what is no URL is a fault, and no URL however odd is one', () => {
  for (const url of [undefined, null, 3, {}, []]) {
    assert.throws(() => sanitizeUrl(url), { kind: 'invalid_config' });
    assert.throws(() => sanitizeBaseUrl(url), { kind: 'invalid_config' });
  }
  for (const url of [
    '\uD800', '://', '?', '?=&=&', '@', 'a@', 'https://@', 'https://%', 'https://host/?%ff=%', '?key', '?key=', 'x'.repeat(100_000),
    'https://host/?' + 'key=1&'.repeat(5000), 'é?token=é', '\0?key=\0',
  ]) {
    assert.equal(typeof sanitizeUrl(url), 'string');
    assert.equal(typeof sanitizeBaseUrl(url).url, 'string');
  }
});
