// Credentials of one target are not sent to another, and no record of any shows those of any.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { assertNoSecret, canaries } from './lib/canaries.js';
import { serve } from './lib/server.js';
import { failed, stubFetch } from './lib/stub.js';
import { outcome } from './lib/targets.js';

const QUICK = { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1 };

/** Everything that a request of this kind can carry in secret, in each shape that fetch takes it in. */
function carrying(secrets, base, url = `${base}v1/chat?key=${secrets.next()}&alt=sse&tenant=${secrets.next()}&sig=${secrets.next()}#access_token=${secrets.next()}`) {
  const headers = {
    Authorization: secrets.next('Bearer '),
    'x-api-key': secrets.next(),
    'X-Goog-Api-Key': secrets.next(),
    Cookie: `sid=${secrets.next()}; theme=dark`,
    'x-amz-security-token': secrets.next(),
    'x-acme-secret': secrets.next(),
    'x-tenant': secrets.next(),
    referer: `https://app.example/?token=${secrets.next()}`,
    'x-forwarded-key': `sk-proj-${secrets.next()}${secrets.next()}`,
    'content-type': 'application/json',
    'x-kept': 'yes',
  };
  const init = { method: 'POST', headers, body: '{"model":"large"}' };
  return {
    'a record': [url, init],
    pairs: [url, { ...init, headers: Object.entries(headers) }],
    Headers: [new URL(url), { ...init, headers: new Headers(headers) }],
    'a Request': [new Request(url, init)],
    'a Request and headers': [new Request(url, { ...init, headers: { authorization: headers.Authorization } }), { headers }],
  };
}

/** Where in that the two stand that make one key. */
const KEY_AT = 12;

const REDACT = { headers: ['x-tenant'], query: ['tenant'] };

describe('on the wire', () => {
  for (const shape of Object.keys(carrying(canaries(), 'http://h/'))) {
    test(`nothing of a request’s secrets reaches another server: ${shape}`, async (t) => {
      const [one, two, three] = [await serve(t, 503), await serve(t, 503), await serve(t, 200)];
      const secrets = canaries();
      const [input, init] = carrying(secrets, one.url)[shape];
      const its = [...secrets.all];
      const targets = [
        { url: one.url },
        { url: two.url, headers: { authorization: secrets.next('Bearer '), 'x-two': '2' } },
        { url: `${three.url}?api-key=${secrets.next()}`, headers: [['x-api-key', secrets.next()]] },
      ];
      const [second, ...third] = secrets.all.slice(its.length);
      const response = await createFetch({ targets, redact: REDACT, ...QUICK })(input, init);
      assert.deepEqual([response.status, one.requests.length, two.requests.length, three.requests.length], [200, 2, 2, 1]);
      assertNoSecret([one.requests], [second, ...third], 'the first server');
      assertNoSecret([two.requests], [...its, ...third], 'the second server');
      assertNoSecret([three.requests], [...its, second], 'the third server');
      assert.ok(its.includes(one.requests[0].headers.authorization.replace('Bearer ', '')));
      const [{ url, headers, method, body }] = two.requests;
      assert.deepEqual([url, method, body, headers['x-kept'], headers['x-two']], ['/v1/chat?alt=sse', 'POST', '{"model":"large"}', 'yes', '2']);
      assert.equal(headers.authorization, `Bearer ${second}`);
      assert.deepEqual([three.requests[0].url, three.requests[0].headers['x-api-key']], [`/v1/chat?api-key=${third[0]}&alt=sse`, third[1]]);
      assert.deepEqual([three.requests[0].headers.authorization, three.requests[0].headers['x-two']], [undefined, undefined]);
    });
  }

  test('a flag in a cookie takes no parameter of the same value away', async (t) => {
    const [one, two] = [await serve(t, 503), await serve(t, 200)];
    const init = { method: 'POST', body: '{}', headers: { cookie: 'consent=true; seen=null' } };
    await createFetch({ targets: [{ url: one.url }, { url: two.url }], ...QUICK })(`${one.url}v1/chat?stream=true&after=null`, init);
    assert.equal(new URL(two.requests[0].url, two.url).search, '?stream=true&after=null');
  });

  test('a login in the URL does not travel, nor is a function of the URL shown any secret', async () => {
    const secrets = canaries();
    const url = `https://user:${secrets.next()}@one.example/v1?key=${secrets.next()}`;
    const shown = [];
    const urls = [
      'https://two.example', undefined,
      (from) => {
        shown.push(from.href);
        from.host = 'three.example';
        return from;
      },
    ];
    for (const second of urls) {
      const fetch = stubFetch(503, 200);
      await createFetch({ targets: [{}, { url: second }], fetch, maxAttempts: 1 })(url);
      assert.equal(fetch.calls[0].input, url);
      assertNoSecret(String(fetch.calls[1].input), [...secrets.all, 'user'], String(second));
    }
    assert.deepEqual(shown, ['https://one.example/v1']);
  });

  test('what redact calls secret for the first target alone does not travel either', async () => {
    const fetch = stubFetch(503, 200);
    const targets = [{ redact: { headers: ['x-org'], values: ['internal-7741'] } }, { url: 'https://two.example' }];
    await createFetch({ targets, fetch, maxAttempts: 1 })('https://one.example', { headers: { 'x-org': 'acme', 'x-note': 'by internal-7741', 'x-kept': '1' } });
    assert.deepEqual([...new Headers(fetch.calls[1].init.headers)], [['x-kept', '1']]);
  });
});

describe('a secret that the URL has under a name that tells nothing', () => {
  const KEY = 'sk-proj-abcdefghijklmnop1234567890';
  const asked = async (url, { targets = [{}, { url: 'https://two.example' }], ...options } = {}, init = {}) => {
    const fetch = stubFetch(503, 200);
    const { status } = await createFetch({ targets, fetch, maxAttempts: 1, ...options })(url, init).catch((error) => error);
    return [status, ...fetch.calls.slice(1).map(({ input }) => String(input))];
  };

  test('is left out with its parameter', async () => {
    const redact = { values: ['MYVALUE123'] };
    assert.deepEqual(await asked('https://one.example/x?z=MYVALUE123&n=1', { redact }), [200, 'https://two.example/x?n=1']);
    assert.deepEqual(await asked(`https://one.example/x?n=1&q=${KEY}`), [200, 'https://two.example/x?n=1']);
    assert.deepEqual(await asked('https://one.example/x?u=https%3A%2F%2Fuser%3AS3cretPass%40h.example%2F'), [200, 'https://two.example/x']);
    assert.deepEqual(await asked('https://one.example/x?to=S3cretValueOne', {}, { headers: { 'x-api-key': 'S3cretValueOne' } }), [200, 'https://two.example/x']);
  });

  test('keeps the request from other targets where it is in the path that they would get', async () => {
    const redact = { values: ['MYVALUE123'] };
    assert.deepEqual(await asked('https://one.example/tenant/MYVALUE123/x', { redact }), [503]);
    assert.deepEqual(await asked('https://one.example/bot/S3cretValueOne/x', {}, { headers: { 'x-api-key': 'S3cretValueOne' } }), [503]);
    const targets = [{ url: 'https://one.example/tenant/MYVALUE123' }, { url: 'https://two.example' }];
    assert.deepEqual(await asked('https://one.example/tenant/MYVALUE123/x', { redact, targets }), [200, 'https://two.example/x']);
  });

  test('does not travel in the referrer', async () => {
    const fetch = stubFetch(503, 200);
    const init = { referrer: 'https://one.example/page?token=S3cretValueOne', referrerPolicy: 'unsafe-url' };
    await createFetch({ targets: [{}, { url: 'https://two.example' }], fetch, maxAttempts: 1 })('https://one.example/x', init);
    assert.deepEqual(fetch.calls.map((call) => call.init.referrer), [init.referrer, '']);
  });
});

describe('in the records', () => {
  /** Servers that show everything they were sent and everything there is to know. */
  async function told(t, statuses, options) {
    const secrets = canaries();
    // A secret in a header whose name tells nothing is known by its shape, and only as a whole.
    const all = () => secrets.all.map((secret, i) => (i === KEY_AT ? `sk-proj-${secret}${secrets.all[i + 1]}` : secret)).filter((_, i) => i !== KEY_AT + 1);
    const echo = (status) => (request, response) => {
      response.writeHead(status, { 'content-type': 'text/plain', 'x-echo': secrets.all[0] });
      response.end(`${request.url} ${JSON.stringify(request.headers)} ${all().join(' ')}`);
    };
    const servers = [];
    for (const status of statuses) servers.push(await serve(t, echo(status)));
    const seen = [];
    const [input, init] = carrying(secrets, servers[0].url)['a record'];
    const targets = servers.map(({ url }, i) => ({
      provider: `p${i}`, url: i === 0 ? url : `${url}?key=${secrets.next()}`, headers: i === 0 ? undefined : { 'api-key': secrets.next() },
    }));
    const note = (...what) => void seen.push(...what);
    const result = await outcome(createFetch({
      targets, redact: REDACT, ...QUICK, onEvent: note, onRetry: note, shouldRetry: note, onFallback: note, fallbackOn: (kind, failure) => note(failure), snapshotBody: true, ...options,
    })(input, init));
    return { ...result, secrets, seen };
  }

  test('every target failed: none of any target’s secrets is shown of any', async (t) => {
    const { error, secrets, seen } = await told(t, [503, 401, 503]);
    assert.equal(error.kind, 'fallback_exhausted');
    assert.equal(secrets.all.length, 18, 'of the request and of both other targets');
    for (const shown of [error, error.attempts, error.cause, error.toJSON(), historyOf(error), seen]) assertNoSecret(shown, secrets.all);
    assert.match(JSON.stringify(error.attempts), /REDACTED/);
    assert.ok(seen.length > 10);
  });

  test('a later target answered, or failed in its own way', async (t) => {
    for (const statuses of [[503, 200], [503, 400, 200]]) {
      const { value, secrets, seen } = await told(t, statuses);
      assert.equal(value.status, statuses[1]);
      for (const shown of [historyOf(value), seen]) assertNoSecret(shown, secrets.all);
    }
  });

  test('options of one call do not bring them back', async () => {
    const secrets = canaries();
    const key = secrets.next();
    const targets = [{}, { url: 'https://two.example', headers: { 'x-api-key': key } }];
    const fetch = createFetch({ targets, fetch: stubFetch(() => failed(503, {}, `not ${key}`), 400), maxAttempts: 1 });
    const response = await fetch('https://one.example', undefined, { redact: { values: ['other'] } });
    assert.match(historyOf(response).fallback[0].error.message, /not REDACTED/);
    assertNoSecret(historyOf(response), secrets.all);
  });

  test('what a platform throws that quotes another target’s secret', async () => {
    const secrets = canaries();
    const key = secrets.next();
    const targets = [{}, { url: 'https://two.example' }];
    const fetch = stubFetch(401, () => new TypeError(`fetch failed for ${key}`));
    const { error } = await outcome(createFetch({ targets, fetch, maxAttempts: 1, fallbackOn: ['auth'] })('https://one.example', { headers: { 'x-api-key': key } }));
    assertNoSecret(error, secrets.all);
    assertNoSecret(historyOf(error), secrets.all);
  });
});
