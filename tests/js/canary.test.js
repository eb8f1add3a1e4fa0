import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { createFetch, explain, redactHeaders, retry, RetryError, RetryPolicy, sanitizeBaseUrl, sanitizeUrl } from 'dacapo';
import { canaries } from './lib/canaries.js';
import { fakeClock } from './lib/clock.js';
import { exitsOfFetch, exitsOfRetry, leaksOf } from './lib/exits.js';
import { ANSWERS, ENCODINGS, HEADS, PLACES, THROWN } from './lib/places.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };

/** What is seen of a secret in this place when the answer echoes it. */
async function leaks(place, name, answer) {
  const secrets = canaries();
  const { echo, ...call } = PLACES[place](secrets.next());
  const found = [];
  for (const text of echo) {
    const { exits } = await exitsOfFetch(call, [() => answer(text)]);
    found.push(...leaksOf(exits, secrets.all).map((leak) => `${place}, echoed in ${name}: ${leak}`));
  }
  return found;
}

/** The same for all of these answers, and for all things that fetch may throw. */
async function allLeaks(place, answers, encode = (text) => text) {
  const found = [];
  for (const [name, answer] of Object.entries(answers)) found.push(...await leaks(place, name, (text) => answer(encode(text))));
  return found;
}

const THROWING = Object.fromEntries(Object.entries(THROWN).map(([name, make]) => [name, (text) => {
  throw make(text);
}]));

for (const place of Object.keys(PLACES)) {
  test(`${place} is not seen when a response echoes it`, async () => {
    assert.deepEqual(await allLeaks(place, ANSWERS), []);
  });

  test(`${place} is not seen when a thrown thing holds it`, async () => {
    assert.deepEqual(await allLeaks(place, THROWING), []);
  });
}

test('a secret is not seen when the head of a response echoes it', async () => {
  for (const place of ['a header with odd characters', 'a parameter of the URL']) assert.deepEqual(await allLeaks(place, HEADS), []);
});

for (const [encoding, encode] of Object.entries(ENCODINGS)) {
  test(`a secret of the request is not seen ${encoding}`, async () => {
    assert.deepEqual(await allLeaks('a header with odd characters', { ...ANSWERS, ...THROWING }, encode), []);
    const { message, HTML, nested } = ANSWERS;
    assert.deepEqual(await allLeaks('a shared access signature of Azure', { message, HTML, nested }, encode), []);
  });
}

test('an operation that throws shows nothing of redact.values', async () => {
  for (const [name, make] of Object.entries(THROWN)) {
    const secrets = canaries();
    const { exits } = await exitsOfRetry(make(secrets.next()), { redact: { values: secrets.all } });
    assert.deepEqual(leaksOf(exits, secrets.all), [], name);
  }
});

test('wherever a message, a code or a body is cut, no piece of a secret is left', async () => {
  const answers = [
    (text) => json({ error: { message: text, code: text } }, { status: 503 }), (text) => failed(503, {}, text),
    (text) => json(JSON.stringify({ error: { message: text } }).slice(0, 64 * 1024), { status: 503 }),
    (text) => {
      throw new Error(text);
    },
  ];
  for (const limit of [1000, 16 * 1024, 64 * 1024]) {
    for (const before of [-40, -30, -20, -10, -5]) {
      const secrets = canaries();
      const call = { input: URL_, init: { ...POST, headers: { 'x-api-key': secrets.next(), authorization: secrets.next() } } };
      for (const answer of answers) {
        const { exits } = await exitsOfFetch(call, [() => answer('x '.repeat((limit + before) / 2) + secrets.all.join(' '))]);
        assert.deepEqual(leaksOf(exits, secrets.all), [], `${limit} ${before}`);
      }
      call.options = { snapshotBody: true };
      call.init.body = 'x '.repeat((limit + before) / 2) + secrets.all.join(' ');
      assert.deepEqual(leaksOf((await exitsOfFetch(call, [503])).exits, secrets.all), [], `body ${limit} ${before}`);
    }
  }
});

const TAIL = 'AbCdEfGhIj0123456789KlMnOpQrStUvWxYz012345';
const KEYS = [
  'sk-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-ant-api03-', 'sk-or-v1-', 'sk_', 'AIza', 'AQ.Ab8', 'xai-', 'gsk_', 'hf_', 'pplx-', 'ghp_', 'gho_', 'github_pat_',
  'ya29.', 'csk-', 'nvapi-', 'r8_', 'fw_', 'tgp_v1_', 'jina_', 'vck_', 'sess-', 'cfut_', 'cfat_', 'ABSK', 'bedrock-api-key-', 'dapi',
].map((prefix) => prefix + TAIL).concat(['AKIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${TAIL}`]);

/** Texts in which providers echo a credential, whoever's it is. */
const ECHOES = [
  (key) => `Incorrect API key provided: ${key}. You can find your API key at https://platform.example/account/api-keys.`,
  (key) => `Invalid bearer token ${key}`,
  (key) => `Request had invalid authentication credentials: Bearer ${key}`,
  (key) => `invalid x-api-key: "${key}"`,
  (key) => `<p>key=${key}&amp;x</p>`,
  (key) => JSON.stringify({ request: { headers: { Authorization: `Bearer ${key}` } } }),
  (key) => `The security token included in the request is invalid: ${key},`,
  (key) => encodeURIComponent(`https://h.example/?key=${key}&x=1`),
];

test('keys of every known shape are not seen, though the request did not have them', async () => {
  for (const key of KEYS) {
    for (const echo of ECHOES) {
      for (const shown of [key, `${key.slice(0, 14)}*********${key.slice(-4)}`]) {
        if (shown !== key && !key.startsWith('sk-')) continue;
        const { exits } = await exitsOfFetch({ input: URL_, init: POST }, [() => json({ error: { message: echo(shown), code: shown } }, { status: 401 })]);
        assert.deepEqual(leaksOf(exits, [shown.replace('bedrock-api-key-', '')]), [], echo(shown));
      }
    }
    const raised = new RetryError({ kind: 'auth', message: key, code: key, provider: key, capability: key, file: key, budgetKind: key, cause: new Error(key) });
    const { exits } = await exitsOfRetry(raised);
    assert.deepEqual(leaksOf(new Map([...exits, ['raised', raised]]), [key]), [], key);
  }
});

test('what a call inside a call went through is masked by the outer one as well, and so are issues', async () => {
  const secrets = canaries();
  const [value, shaped] = [secrets.next(), `sk-${TAIL}`];
  const inner = () => retry(() => {
    throw Object.assign(new Error(`fetch failed: ${value} ${shaped}`), { code: 'ECONNRESET' });
  }, { clock: fakeClock(), maxAttempts: 3 });
  const { exits, result } = await exitsOfRetry(await inner().catch((error) => error), { redact: { values: [value] }, shouldRetry: () => false });
  assert.equal(result.attempts, undefined);
  const attempts = exits.get('historyOf').last.error.attempts;
  assert.equal(attempts.length, 2);
  assert.match(attempts[0].error.message, /^fetch failed: REDACTED REDACTED$/);
  assert.deepEqual(leaksOf(exits, [value, shaped]), []);

  const issues = [{ path: ['a'], message: `not ${value}`, [value]: [{ at: value }] }];
  const { exits: raised } = await exitsOfRetry(new RetryError({ kind: 'schema_mismatch', issues }), { redact: { values: [value] } });
  assert.deepEqual(leaksOf(raised, [value]), []);
  assert.deepEqual(raised.get('the error').issues[0].path, ['a']);
});

test('an option that was given a secret does not show it in its fault', () => {
  const secrets = canaries();
  const [plain, shaped, called] = [secrets.next(), `sk-${TAIL}`, secrets.next()];
  for (const options of [
    { apiKey: plain }, { headers: { authorization: plain } }, { redact: { values: plain } }, { redact: plain }, { redact: { headers: [{ plain }] } },
    { timeoutMs: shaped }, { provider: [shaped] }, { preset: shaped }, { timeoutMs: called, redact: { values: [called] } }, { retryStatus: [called], redact: { values: [called] } },
    { idempotencyKey: { authorization: `Bearer ${shaped}` } }, { clock: `https://u:${plain}@h.example/` }, shaped,
  ]) {
    for (const make of [(given) => new RetryPolicy(given), createFetch, explain]) {
      let error;
      try {
        make(options);
      } catch (thrown) {
        error = thrown;
      }
      assert.equal(error?.kind, 'invalid_config', inspect(options));
      assert.deepEqual(leaksOf(new Map([['fault', error]]), [...secrets.all, shaped]), [], inspect(options));
    }
  }
});

test('a policy shows nothing of what is to be redacted', async () => {
  const secrets = canaries();
  const policy = new RetryPolicy({ redact: { values: [secrets.next()], query: [secrets.next()], headers: [secrets.next()] }, maxAttempts: 2 });
  const fetch = createFetch({ policy, fetch: stubFetch(503) });
  assert.deepEqual(leaksOf(new Map([['policy', policy], ['options', policy.options], ['explain', explain(policy)], ['fetch', fetch]]), secrets.all), []);
});

test('what the functions give that are asked without a call holds no secret', () => {
  const secrets = canaries();
  const s = secrets.next();
  assert.deepEqual(leaksOf(new Map([
    ['sanitizeUrl', sanitizeUrl(`https://u:${s}@h.example/p?key=${s}&x=1#access_token=${s}`)],
    ['sanitizeBaseUrl', sanitizeBaseUrl(`https://u:${s}@h.example/`)],
    ['redactHeaders', redactHeaders({ authorization: s, referer: `https://h.example/?token=${s}`, 'x-note': s }, { values: [s] })],
  ]), secrets.all), []);
});

test('a refused redirect, a key that is no text and a timeout show no secret', async () => {
  const secrets = canaries();
  const s = secrets.next();
  const call = { input: `https://u:${s}@api.example/?key=${s}`, init: { ...POST, headers: { authorization: `Bearer ${s}` } } };
  const redirect = () => failed(307, { location: `https://other.example/?sig=${s}` });
  assert.deepEqual(leaksOf((await exitsOfFetch(call, [redirect])).exits, secrets.all), []);
  const options = { idempotencyKey: () => ({ authorization: s }), redact: { values: [s] } };
  assert.deepEqual(leaksOf((await exitsOfFetch({ ...call, options }, [200])).exits, secrets.all), []);
  const hanging = () => new Promise(() => {});
  assert.deepEqual(leaksOf((await exitsOfFetch({ ...call, options: { timeoutMs: 5, maxAttempts: 1 } }, [hanging])).exits, secrets.all), []);
});

test('what the caller cancels with comes back as it is', async () => {
  const reason = new Error('my own sk-abcdefgh12345678');
  const controller = new AbortController();
  const onRetry = () => controller.abort(reason);
  const fetch = createFetch({ fetch: stubFetch(503), clock: fakeClock(), onRetry });
  assert.equal(await fetch(URL_, { ...POST, signal: controller.signal }).catch((error) => error), reason);
});

test('what providers say is left as it is when it holds no secret', async () => {
  for (const message of [
    'Rate limit reached for gpt-4o-mini in organization org-abc123DEF456ghi789 on tokens per min (TPM): Limit 200000, Used 199000, Requested 2000. Please try again in 300ms. Visit https://platform.openai.com/account/rate-limits to learn more.',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens. Please reduce the length of the messages.",
    'max_tokens: 4096 > 2048, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022',
    'invalid x-api-key', 'Your session expired: sign in again', 'token limit', 'session: not found', 'Unexpected token < in JSON at position 0',
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    'You have reached your specified API usage limits. You will regain access on 2026-02-01 at 00:00 UTC.',
    'The authorization header is malformed; the region is wrong; expecting us-east-1', 'Missing bearer or basic authentication in header',
    'Quota exceeded for quota metric generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20, model: gemini-2.5-flash',
    'The API deployment for this resource does not exist. Operation under Azure OpenAI API version 2024-10-21 exceeded call rate limit of your tier: retry after 26 seconds.',
    'request id: req_011CSHoEeqs5C35K2UUqR7Fy, trace: 4bf92f3577b34da6a3ce929d0e0e4736', 'ThrottlingException: Too many tokens, please wait before trying again.',
    'Model anthropic.claude-3-haiku-20240307-v1:0 (arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x) is not ready',
    'Error code: 400 - {"error": {"code": "1210", "message": "max_tokens=0"}}', 'Hint: set HF_TOKEN, see https://huggingface.co/settings/tokens?new=1',
    'Unrecognized request argument supplied: api_key', 'prompt tokens: 12, completion_tokens: 345, logprobs: null, stop_sequence="</s>"',
  ]) {
    const { exits } = await exitsOfFetch({ input: URL_, init: { ...POST, headers: { authorization: 'Bearer qwertyuiop0123456789' } } }, [() => failed(400, {}, message)]);
    assert.equal(exits.get('historyOf').last.error.message, message);
  }
});
