// Places that have room for a secret: of a request, of a response, of a thrown thing.

import { RetryError } from 'dacapo';
import { failed, json, URL_ } from './stub.js';

const POST = { method: 'POST', body: '{}' };

/** A secret that is written otherwise in every encoding. */
const odd = (secret) => `${secret.slice(0, 3)}&"<${secret.slice(3)}+/=%`;

/** Where a request has room for a secret; `echo` are the forms in which a server has it. */
export const PLACES = {
  'a header of Headers': (s) => at({ headers: new Headers({ 'x-api-key': s }) }, [s]),
  'a header of an object': (s) => at({ headers: { Authorization: `Bearer ${s}` } }, [s, `Bearer ${s}`]),
  'a header of pairs': (s) => at({ headers: [['API-KEY', s]] }, [s]),
  'a header of a Request': (s) => ({ input: new Request(URL_, { ...POST, headers: { 'x-goog-api-key': s } }), echo: [s] }),
  'a header with odd characters': (s) => at({ headers: { 'x-auth-token': odd(s) } }, [odd(s)]),
  'a cookie': (s) => at({ headers: { cookie: `theme=dark; sid=${s}` } }, [s, `sid=${s}`]),
  'a Basic value': (s) => at({ headers: { authorization: `Basic ${btoa(`user:${s}`)}` } }, [s, btoa(`user:${s}`)]),
  'a signature in a header': (s) => at({ headers: { authorization: `AWS4-HMAC-SHA256 Credential=A/b, Signature=${s}` } }, [s]),
  'a header of redact.headers': (s) => at({ headers: { 'X-Tenant': s } }, [s], { redact: { headers: ['x-tenant'] } }),
  'the password of the URL': (s) => ({ input: `https://user:${s}@api.example/v1`, init: POST, echo: [s] }),
  'the user of the URL': (s) => ({ input: new URL(`https://${s}@api.example/v1`), init: POST, echo: [s] }),
  'a parameter of the URL': (s) => ({ input: `${URL_}?alt=sse&key=${s}`, init: POST, echo: [s, `${URL_}?alt=sse&key=${s}`] }),
  'a parameter of redact.query': (s) => ({ input: `${URL_}?tenant=${s}`, init: POST, echo: [s], options: { redact: { query: ['Tenant'] } } }),
  'the fragment of the URL': (s) => ({ input: `${URL_}#access_token=${s}`, init: POST, echo: [s] }),
  'a signed URL of AWS': (s) => signed(`X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${s}%2F20260101%2Fs3&X-Amz-Security-Token=${s}&X-Amz-Signature=${s}`, s),
  'a signed URL of Google': (s) => signed(`X-Goog-Algorithm=GOOG4&X-Goog-Credential=${s}&X-Goog-Signature=${s}`, s),
  'a shared access signature of Azure': (s) => signed(`sv=2024-11-04&se=2026-01-01T00%3A00%3A00Z&sr=b&sp=r&sig=${s}%2B%2F%3D`, `${s}+/=`),
  'redact.values': (s) => ({ input: `https://api.example/${s}/v1`, init: { ...POST, headers: { 'x-note': `has ${s}` } }, echo: [s], options: { redact: { values: [s] } } }),
  'an idempotency key': (s) => at({}, [s], { idempotencyKey: () => s, redact: { headers: ['idempotency-key'] } }),
  'a body that is kept': (s) => at({ body: JSON.stringify({ user: s, text: `${s} ${s}` }) }, [s], { snapshotBody: true, redact: { values: [s] } }),
};

function at(init, echo, options) {
  return { input: URL_, init: { ...POST, ...init }, echo, options };
}

function signed(query, s) {
  return { input: `https://files.example/a.txt?${query}`, init: POST, echo: [s, `https://files.example/a.txt?${query}`, `https://other.example/?${query}`] };
}

/** What a text becomes on its way back. */
export const ENCODINGS = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent-encoded to the last letter': (text) => [...text].map((c) => `%${hex(c, 2).toUpperCase()}`).join(''),
  'percent-encoded in small letters': (text) => [...text].map((c) => `%${hex(c, 2)}`).join(''),
  'as JSON has it': (text) => JSON.stringify(text).slice(1, -1),
  'in escapes of JSON': (text) => [...text].map((c) => `\\u${hex(c, 4)}`).join(''),
  'in escapes of programs': (text) => [...text].map((c) => `\\x${hex(c, 2)}`).join(''),
  'as HTML has it': (text) => text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c]),
  'as a form has it': (text) => new URLSearchParams({ a: text }).toString(),
  'over several lines': (text) => text.replace(/(?:%[0-9a-f]{2}|.){5}/gi, '$&\n'),
  'in the middle of a word': (text) => `prefix${text}suffix`,
  'with stars in the middle': (text) => `${text.slice(0, 9)}********${text.slice(-4)}`,
  'cut short': (text) => `${text.slice(0, 12)}… (truncated)`,
};

function hex(character, digits) {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** Where a response has room for a text. */
export const ANSWERS = {
  message: (text) => json({ error: { message: `Invalid: ${text}` } }, { status: 503 }),
  code: (text) => json({ error: { message: 'm', code: text } }, { status: 503 }),
  type: (text) => json({ error: { type: text } }, { status: 503 }),
  param: (text) => json({ error: { message: 'm', param: text, input: text } }, { status: 503 }),
  status: (text) => json({ error: { status: text, message: text } }, { status: 503 }),
  details: (text) => json({ error: { code: 503, details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: text, metadata: { a: text } }] } }, { status: 503 }),
  detail: (text) => json({ detail: [{ loc: ['body'], msg: text, input: text }] }, { status: 503 }),
  raw: (text) => json({ error: { message: 'Provider returned error', metadata: { raw: JSON.stringify({ error: { message: text } }), provider_name: text } } }, { status: 503 }),
  nested: (text) => json({ error: { message: `litellm.APIError: ${JSON.stringify({ error: { message: text, code: text } })}` } }, { status: 503 }),
  'double-encoded': (text) => json(JSON.stringify(JSON.stringify({ error: { message: text, code: text } })), { status: 503 }),
  HTML: (text) => failed(502, { 'content-type': 'text/html' }, `<html><title>${text}</title><a href="${text}">${text}</a></html>`),
  text: (text) => failed(503, { 'content-type': 'text/plain' }, text),
  'an event stream': (text) => failed(503, { 'content-type': 'text/event-stream' }, `event: error\ndata: ${JSON.stringify({ error: { message: text, code: text } })}\n\n`),
  'JSON cut short': (text) => json(`{"error":{"code":"c","message":"${text}`, { status: 503 }),
  'a 200': (text) => json({ error: { message: text, code: text } }),
  usage: (text) => json({ error: { message: 'm' }, usage: { prompt_tokens: text, completion_tokens: [text], total_tokens: { a: text } } }, { status: 503 }),
  'an id': (text) => json({ error: { message: 'm' }, id: text, request_id: text, type: text, model: text }, { status: 503 }),
};

/** Where its head has room for one. */
export const HEADS = {
  'status text': (text) => new Response('no', { status: 503, statusText: text }),
  ...Object.fromEntries([
    'www-authenticate', 'location', 'x-request-id', 'set-cookie', 'x-amzn-errortype', 'x-amzn-requestid', 'x-ms-error-code', 'retry-after',
    'x-should-retry', 'retry-after-ms', 'x-ratelimit-reset', 'content-type', 'link', 'server', 'date',
  ].map((name) => [name, (text) => new Response('no', { status: 503, headers: { [name]: text } })])),
};

/** Where a thrown thing has room for one, whoever made it. */
export const THROWN = {
  message: (text) => new TypeError(`fetch failed: ${text}`),
  'JSON in the message': (text) => new Error(`503 ${JSON.stringify({ error: { message: text, code: text } })}`),
  name: (text) => Object.assign(new Error('m'), { name: text }),
  stack: (text) => Object.assign(new Error('m'), { stack: `Error: m\n    at ${text} (file.js:1:1)` }),
  code: (text) => Object.assign(new Error('m'), { code: text }),
  'a cause': (text) => new TypeError('fetch failed', { cause: new Error(text) }),
  'a cause that is a text': (text) => new TypeError('fetch failed', { cause: text }),
  'a cause at depth 6': (text) => nest(6, new Error(text)),
  'a cause at depth 20': (text) => nest(20, new Error(text)),
  'a member of an AggregateError': (text) => new AggregateError([new Error('m'), new Error(text)], 'all failed'),
  'config.headers': (text) => Object.assign(new Error('m'), { config: { headers: { Authorization: text } }, isAxiosError: true }),
  'response.config': (text) => Object.assign(new Error('m'), { response: { status: 503, data: {}, config: { headers: { Authorization: text } } } }),
  'response.data': (text) => Object.assign(new Error('m'), { response: { status: 503, data: { error: { message: text } } } }),
  '$response': (text) => Object.defineProperty(Object.assign(new Error('m'), { $fault: 'server', $metadata: { httpStatusCode: 503, requestId: text } }), '$response', { value: { headers: { a: text } } }),
  requestBodyValues: (text) => Object.assign(new Error('m'), { url: text, requestBodyValues: { key: text }, statusCode: 503, responseBody: text }),
  request: (text) => Object.assign(new Error('m'), { request: new Request(URL_, { headers: { authorization: fieldSafe(text) } }) }),
  'a URL': (text) => Object.assign(new Error('m'), { url: new URL(`${URL_}?key=${text.replaceAll('\n', '')}`) }),
  headers: (text) => Object.assign(new Error('m'), { headers: new Headers({ 'x-echo': fieldSafe(text) }) }),
  bytes: (text) => Object.assign(new Error('m'), { body: Buffer.from(text) }),
  'a symbol member': (text) => Object.assign(new Error('m'), { [Symbol(text)]: 1 }),
  'a member named so': (text) => Object.assign(new Error('m'), { [text]: 1 }),
  'a hidden member': (text) => Object.defineProperty(new Error('m'), 'request', { value: { text } }),
  'a getter': (text) => Object.defineProperty(new Error('m'), 'request', { get: () => text, enumerable: true }),
  'what its toJSON gives': (text) => Object.assign(new Error('m'), { toJSON: () => ({ text }) }),
  'a plain object': (text) => ({ message: text, code: text, status: 503 }),
  'a text': (text) => `failed: ${text}`,
  'a function': (text) => Object.assign(() => undefined, { text }),
  'a symbol': (text) => Symbol(text),
  'a raised error': (text) => new RetryError({ kind: 'server_error', message: text, code: text, provider: text, capability: text, file: text, budgetKind: text }),
  'a raised error with other values': (text) => new RetryError({ kind: 'server_error', code: { text }, provider: [text], capability: { text }, file: { text }, line: text, column: text, status: text }),
};

/** What a field value may hold of it. */
function fieldSafe(text) {
  return text.replaceAll('…', '...').replace(/[^ -~]/g, '');
}

function nest(depth, error) {
  return depth === 0 ? error : new Error('m', { cause: nest(depth - 1, error) });
}
