import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { createFetch, historyOf, retry, RetryError } from 'dacapo';
import { assertNoSecret, canaries } from './lib/canaries.js';
import { fakeClock } from './lib/clock.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';
import { vectors } from './lib/vectors.js';

const SENSITIVE = [
  'authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'set-cookie', 'x-amz-security-token',
  'ocp-apim-subscription-key', 'x-functions-key', 'cf-aig-authorization', 'cf-access-client-secret', 'x-auth-token', 'x-auth-key',
  'x-auth-user-service-key', 'x-vendor-token', 'client_secret', 'x-password', 'my-credential-id', 'x-signature', 'session-id', 'x-apikey', 'x-vendor-api-key',
];
const QUERY = [
  'key', 'api-key', 'api_key', 'apikey', 'token', 'access_token', 'id_token', 'refresh_token', 'auth', 'sig', 'signature', 'code', 'password', 'passwd',
  'secret', 'client_secret', 'X-Amz-Signature', 'X-Amz-Credential', 'X-Amz-Security-Token', 'X-Goog-Signature', 'X-Goog-Credential', 'AWSAccessKeyId',
];
const POST = { method: 'POST', body: '{}' };

/**
 * Makes a call that fails, and gives everything that a user of it can come to see: the
 * result, its history, and what the hooks and events were given.
 */
async function seen(answers, input, init = POST, options = {}) {
  const shown = [];
  const spy = (...args) => {
    shown.push(...args);
  };
  const fetch = createFetch({
    fetch: stubFetch(...answers), clock: fakeClock(), onRetry: spy, onEvent: spy, shouldRetry: spy, ...options,
  });
  // In a box: a hostile error must not be asked whether it is a promise.
  const [result, rejected] = await fetch(input, init).then((response) => [response, false], (error) => [error, true]);
  const history = historyOf(result);
  assert.ok(history, 'the call failed and has a history');
  const things = [...shown, history];
  if (rejected) things.push(result);
  return { result, history, things };
}

function assertAllClean({ things }, secrets, about) {
  for (const thing of things) assertNoSecret(thing, secrets, about);
}

test('no sensitive header is in a snapshot, in any shape that fetch takes', async () => {
  const shapes = {
    Headers: (fields) => new Headers(fields),
    'a list of pairs': (fields) => fields.map(([name, value]) => [name.toUpperCase(), value]),
    'an object': (fields) => Object.fromEntries(fields.map(([name, value]) => [name.replace(/^./, (letter) => letter.toUpperCase()), value])),
    'an object with lists': (fields) => Object.fromEntries(fields.map(([name, value]) => [name, [value, value]])),
    'a Map': (fields) => new Map(fields),
  };
  for (const [shape, make] of Object.entries(shapes)) {
    const secrets = canaries();
    const fields = SENSITIVE.filter((name) => name !== 'set-cookie' || shape !== 'Headers').map((name) => [name, secrets.next()]);
    const call = await seen([503], URL_, { ...POST, headers: make([...fields, ['x-trace', 'kept']]) });
    assertAllClean(call, secrets.all, shape);
    assert.deepEqual(call.history.last.request.headers, { 'x-trace': shape === 'an object with lists' ? 'kept, kept' : 'kept' }, shape);
  }
});

test('no sensitive header of a Request is in a snapshot', async () => {
  const secrets = canaries();
  const headers = SENSITIVE.filter((name) => !name.includes('cookie')).map((name) => [name, secrets.next()]);
  assertAllClean(await seen([503], new Request(URL_, { ...POST, headers })), secrets.all);
});

test('the outgoing request is not touched', async () => {
  const stub = stubFetch(503);
  const headers = { Authorization: 'Bearer canary-of-the-request', 'X-Api-Key': 'another-canary-here' };
  const url = 'https://api.example/v1?key=canary-in-the-query';
  await createFetch({ fetch: stub, clock: fakeClock() })(url, { headers });
  for (const { input, init } of stub.calls) assert.deepEqual([input, init?.headers], [url, headers]);
});

test('a secret header is not echoed out of a body, a message or a code, plain or encoded', async () => {
  for (const wrap of [(text) => text, encodeURIComponent, (text) => JSON.stringify(text), (text) => `prefix${text}suffix`]) {
    const secrets = canaries();
    const odd = `${secrets.next()}/"+=`;
    const headers = { authorization: secrets.next('Bearer '), 'x-api-key': secrets.next(), cookie: `a=${secrets.next()}; b=${secrets.next()}`, 'x-vendor-token': odd };
    const echo = Object.values(headers).map(wrap).join(' and ');
    const bodies = [
      { error: { message: echo } }, { error: { code: echo } }, { error: { type: echo, message: 'm' } }, { message: echo }, { error: echo },
      { detail: echo },
    ];
    for (const body of bodies) {
      assertAllClean(await seen([() => json(body, { status: 503 })], URL_, { ...POST, headers }), secrets.all, JSON.stringify(body));
    }
    assertAllClean(await seen([() => json({ error: { message: echo } })], URL_, { ...POST, headers }), secrets.all, 'in a 200');
  }
});

test('user and password of a URL are not shown', async () => {
  for (const make of [
    (s) => `https://USERPART:${s}@host.example/feed`, (s) => `https://${s}@host.example/`, (s) => `https://user:p%40${s}@host.example/`,
    (s) => `//u:${s}@host.example/x`, (s) => new URL(`https://u:${s}@host.example/`),
  ]) {
    const secrets = canaries();
    const url = make(secrets.next());
    const quoting = new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url}`);
    const call = await seen([quoting], url);
    assertAllClean(call, [...secrets.all, 'USERPART:'], String(url));
    assertAllClean(await seen([503], url), secrets.all, String(url));
  }
});

test('a real fetch that quotes the credentials of a URL does not get them out', async () => {
  const secrets = canaries();
  const url = `http://user:${secrets.next()}@127.0.0.1:9/`;
  const error = await createFetch({ clock: fakeClock() })(url).catch((thrown) => thrown);
  assert.equal(error.name, 'TypeError');
  assert.ok(error instanceof TypeError);
  assertNoSecret(error, secrets.all);
  assertNoSecret(historyOf(error), secrets.all);
  assert.equal(historyOf(error).retry.totalAttempts, 1, 'and it is permanent');
});

test('the query values of the known names are not shown, in any letter case, in the URL and in what quotes it', async () => {
  for (const change of [(name) => name, (name) => name.toUpperCase(), (name) => name.toLowerCase()]) {
    const secrets = canaries();
    const query = QUERY.map((name) => `${change(name)}=${secrets.next()}`).join('&');
    const url = `https://host.example/v1/models/m:generate?alt=sse&${query}`;
    const quoting = new Error(`request to ${url} failed`, { cause: new Error(`see ${encodeURIComponent(url)}`) });
    const call = await seen([quoting, () => json({ error: { message: `bad url ${url}` } }, { status: 503 }), () => failed(503, { location: url })], url);
    assertAllClean(call, secrets.all);
    assert.match(call.history.last.request.url, /alt=sse/);
    assert.match(call.history.last.request.url, /=REDACTED/);
  }
});

test('a URL in free text loses its secrets although it was not the request\'s', async () => {
  const secrets = canaries();
  const text = `see https://u:${secrets.next()}@other.example/?token=${secrets.next()}&x=1 or /relative?api_key=${secrets.next()}`;
  assertAllClean(await seen([() => json({ error: { message: text } }, { status: 503 })], URL_), secrets.all);
});

test('the known shapes of keys are masked wherever they come from', async () => {
  const tail = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd';
  const shapes = [
    `sk-${tail}`, `sk-proj-${tail}`, `sk-ant-api03-${tail}`, `sk-or-v1-${tail}`, `AIza${tail.slice(0, 35)}`, `xai-${tail}`, `gsk_${tail}`, `hf_${tail}`, `pplx-${tail}`,
    `ghp_${tail.slice(0, 36)}`, `github_pat_${tail}`, `ya29.${tail}`, 'AKIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE',
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${tail}`,
  ];
  for (const key of shapes) {
    for (const text of [`your key ${key} is bad`, `key=${key},`, `"${key}"`, `(${key})`, `${key}`]) {
      assertAllClean(await seen([() => json({ error: { message: text } }, { status: 401 })], URL_), [key], text);
    }
    assert.doesNotMatch(new RetryError({ kind: 'auth', message: `got ${key}` }).message, new RegExp(key.slice(-12)));
  }
  for (const credentials of ['Bearer abcdefghijk12345', 'bearer ABCDEFGHIJK12345', 'Basic dXNlcjpwYXNzd29yZA==']) {
    const [, secret] = credentials.split(' ');
    assertAllClean(await seen([() => json({ error: { message: `sent ${credentials}.` } }, { status: 401 })], URL_), [secret], credentials);
  }
});

test('what the caller calls secret is masked by value, header and query name', async () => {
  const secrets = canaries();
  const [value, header, query] = [secrets.next(), secrets.next(), secrets.next()];
  const redact = { values: [value], headers: ['X-Internal-Id'], query: ['tenant'] };
  const url = `https://host.example/${value}?tenant=${query}&x=1`;
  const init = { ...POST, body: `the body has ${value}`, headers: { 'x-internal-id': header, 'x-note': `has ${value}` } };
  const echo = () => json({ error: { message: `${value} ${header} ${query}` } }, { status: 503 });
  assertAllClean(await seen([echo, new Error(`${url} ${value}`), echo], url, init, { redact, snapshotBody: true, provider: 'acme' }), secrets.all);
});

test('a body that is kept in a snapshot is masked', async () => {
  const secrets = canaries();
  const init = { ...POST, headers: { 'x-api-key': secrets.next() } };
  init.body = JSON.stringify({ key: secrets.all[0], other: 'sk-AbCdEfGhIjKlMnOpQrStUvWxYz012345' });
  const call = await seen([503], URL_, init, { snapshotBody: true });
  assertAllClean(call, [...secrets.all, 'sk-AbCdEfGhIjKlMnOpQrStUvWxYz012345']);
  assert.match(call.history.last.request.body, /"key":/);
});

test('a text is masked before it is cut, so that no half of a secret is left', async () => {
  const secret = 'canaryHalfOfASecret0123456789zQ7vX2wK9';
  for (let before = 960; before <= 1002; before += 3) {
    const message = `${'x'.repeat(before)}${secret}`;
    const { things } = await seen([() => json({ error: { message } }, { status: 503 })], URL_, { ...POST, headers: { 'x-api-key': secret } });
    for (const thing of things) assertNoSecret(thing, [secret.slice(0, 8)], `after ${before} characters`);
  }
});

test('an error without a secret leaves by identity', async () => {
  for (const error of [
    new TypeError('fetch failed', { cause: new AggregateError([new Error('x')], '') }), Object.freeze(new Error('plain')),
    new DOMException('gone', 'NetworkError'),
  ]) {
    const { result } = await seen([error], `${URL_}?key=canary-in-the-query`, { ...POST, headers: { authorization: 'Bearer canary-of-the-request' } });
    assert.equal(result, error);
  }
});

test('an error with a secret leaves as a masked copy of the same name, its causes too', async () => {
  const secrets = canaries();
  const [key, deep, deeper] = [secrets.next(), secrets.next(), secrets.next()];
  const headers = { 'x-api-key': key, 'x-auth-token': deep, cookie: `a=${deeper}` };
  for (const Class of [TypeError, Error, RangeError]) {
    const error = new Class(`sent ${key}`, { cause: new Error('clean', { cause: new AggregateError([
      new Error('clean'), Object.assign(new Error(deep), { code: 'ECONNRESET', config: { headers } }),
    ], deeper) }) });
    const { result, things } = await seen([error], URL_, { ...POST, headers });
    assert.notEqual(result, error);
    assert.equal(result.name, Class.name);
    assert.ok(result instanceof Error);
    assert.match(result.message, /^sent /);
    assertAllClean({ things }, secrets.all, Class.name);
    assert.equal(result.cause.message, 'clean');
    assert.equal(result.cause.cause.errors[1].code, 'ECONNRESET');
  }
});

test('what a Response or a Request inside an error says of itself is looked at', async () => {
  const secrets = canaries();
  const key = secrets.next();
  // As platforms have it that keep it where nobody can enumerate it.
  class Answer { get statusText() { return `no ${key}`; } }
  class Asked { get referrer() { return `https://host.example/?ticket=${key}`; } }
  for (const member of [new Answer(), new Asked()]) {
    const error = Object.assign(new TypeError('fetch failed'), { member });
    const { result } = await seen([error], URL_, { ...POST, headers: { 'x-api-key': key } });
    assert.notEqual(result, error);
    assert.deepEqual([result.name, result.message, 'member' in result], ['TypeError', 'fetch failed', false]);
  }
});

test('hostile errors are got over: cycles, getters that throw, proxies', async () => {
  const secrets = canaries();
  const key = secrets.next();
  const fail = () => { throw new Error('hostile'); };
  const cycle = new Error(`cycle ${key}`);
  cycle.cause = cycle;
  const getter = Object.defineProperty(new Error(`getter ${key}`), 'cause', { get: fail, enumerable: true });
  const members = Object.assign(new Error(`list ${key}`), { errors: [cycle, getter, null, 1, key] });
  for (const error of [cycle, getter, members]) {
    assertAllClean(await seen([() => { throw error; }], URL_, { ...POST, headers: { 'x-api-key': key } }), secrets.all);
  }
  for (const error of [new Proxy(new Error('p'), { get: fail }), new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail })]) {
    const { history } = await seen([() => { throw error; }], URL_, { ...POST, headers: { 'x-api-key': key } });
    assertNoSecret(history, secrets.all);
  }
});

test('a RetryError shows its cause masked, and leaves it out of JSON', async () => {
  const secrets = canaries();
  const key = secrets.next();
  const cause = new Error(`outer ${key} sk-AbCdEfGhIjKlMnOpQrStUvWxYz012345`, { cause: Object.assign(new Error(`inner ${key}`), { config: { headers: { authorization: key } } }) });
  const error = await retry(() => Promise.reject(cause), { clock: fakeClock(), redact: { values: [key] } }).catch((thrown) => thrown);
  assert.equal(error.cause, cause);
  assertNoSecret(error, [...secrets.all, 'sk-AbCdEfGhIjKlMnOpQrStUvWxYz012345']);
  assert.match(inspect(error), /\[cause\].*outer/);
  assert.ok(!('cause' in error.toJSON()));
});

test('the texts of the shared vectors are masked in the error that leaves and in its record', async () => {
  for (const { text, url = URL_, headers = [], values = [], expect } of vectors('redaction').text) {
    const { result, history } = await seen([new Error(text)], url, { ...POST, headers }, { redact: { values } });
    assert.equal(result.message, expect);
    if (text !== '') assert.equal(history.last.error.message, expect);
  }
});

test('a refused redirect shows no secret of the request', async () => {
  const secrets = canaries();
  const url = `https://host.example/?api_key=${secrets.next()}`;
  const init = { ...POST, headers: { authorization: `Bearer ${secrets.next()}` } };
  assertAllClean(await seen([() => failed(307, { location: `${url}&again=${secrets.all[1]}` })], url, init), secrets.all);
});

test('a secret deep in a member of a platform error makes the error leave as a masked copy', async () => {
  const secrets = canaries();
  const key = secrets.next();
  const cycle = { headers: { authorization: key } };
  cycle.self = cycle;
  const members = {
    originalError: new Error(key), config: cycle, big: { n: 1n, key }, headers: new Headers({ 'x-echo': key }), map: new Map([['a', key]]),
    own: { toJSON: () => ({}), key }, [`named ${key}`]: 1, [Symbol('s')]: key, deep: { a: { b: { c: { d: key } } } }, errors: { a: key },
  };
  for (const name of Reflect.ownKeys(members)) {
    const thrown = Object.assign(new TypeError('fetch failed'), { [name]: members[name] });
    const call = await seen([() => { throw thrown; }], URL_, { ...POST, headers: { 'x-api-key': key } });
    assert.notEqual(call.result, thrown, String(name));
    assert.deepEqual([call.result.name, call.result.message], ['TypeError', 'fetch failed'], String(name));
    assertAllClean(call, secrets.all, String(name));
  }
});

test('what a caller raises is masked in records and in the error of the call', async () => {
  const secrets = canaries();
  const key = secrets.next();
  const raise = () => { throw new RetryError({ kind: 'server_error', message: key, code: key, provider: key, capability: key }); };
  const error = await retry(raise, { maxAttempts: 1, redact: { values: [key] } }).catch((thrown) => thrown);
  assertNoSecret(JSON.stringify(error), secrets.all);
  assertNoSecret(JSON.stringify(historyOf(error)), secrets.all);
});

test('a secret that holds a line break is hidden from what quotes it, with the break and without', async () => {
  const [one, two, three] = ['FIRSTPART1', 'SECONDPART2', 'THIRDPART3'];
  const url = `https://api.example.com/?to\nken=${one}`;
  for (const headers of [{ authorization: `Bearer ${one}\n${two}` }, { 'x-api-key': `${one}\n${two}\n${three}` }, { cookie: `a=${one}\nb=${two}` }]) {
    const told = (text) => createFetch({ initialDelayMs: 0, maxAttempts: 2, fetch: async () => new Response(text, { status: 503 }) });
    for (const secret of Object.values(headers)) {
      for (const quoted of [secret, secret.replaceAll('\n', '')]) {
        const shown = JSON.stringify(historyOf(await told(`refused: "${quoted}" is not it`)(url, { method: 'POST', headers })));
        for (const part of [one, two, three]) assert.ok(!shown.includes(part), shown);
      }
    }
    const refused = await createFetch()('https://api.example.com/', { headers }).catch((error) => error);
    for (const part of [one, two, three]) assert.ok(!JSON.stringify(historyOf(refused)).includes(part));
  }
});
