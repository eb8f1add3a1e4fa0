import { ask } from './ask.js';
import { blockOf, fieldsOf } from './headers.js';
import { givenOf, handleOf, settingsOf } from './policy.js';
import { race } from './race.js';
import { bringsBody, headersOf, isOneShot, isRequest, Replay, urlOf } from './request.js';

/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */
/** @typedef {import('./request.js').Input} Input */
/** @typedef {import('./targets.js').EndpointTarget} EndpointTarget */

/** What tells of the server or the body that a request was made for. */
const BOUND = ['host', 'content-length'];

/** What a Request hands on to another, with how it is sent. Not its `redirect`, which says nothing where it is the default. */
const MEMBERS = /** @type {const} */ (['method', 'signal', 'credentials', 'cache', 'mode', 'referrer', 'referrerPolicy', 'integrity', 'keepalive']);

/** A request, as each target is sent it. */
export class TargetRequest {
  #input;
  #init;
  #targets;
  /** @type {Replay | undefined} */
  #replay;
  /** @type {string[] | undefined} */
  #secrets;
  /** @type {Map<EndpointTarget, string | undefined>} */
  #addresses = new Map();

  /**
   * @param {Input} input
   * @param {any} init A copy of its own.
   * @param {readonly EndpointTarget[]} targets
   */
  constructor(input, init, targets) {
    this.#input = input;
    this.#init = init;
    this.#targets = targets;
    const [first] = /** @type {[EndpointTarget]} */ (targets);
    if ((targets.length > 1 || rewritesBody(first)) && bringsBody(input, init) && !input.bodyUsed) {
      this.#replay = new Replay(input, settingsOf(first.policy).maxReplayBytes);
    }
  }

  get #first() {
    return /** @type {EndpointTarget} */ (this.#targets[0]);
  }

  /** The secrets that were sent so far. */
  get secrets() {
    if (this.#secrets === undefined) {
      this.#secrets = ask(() => handleOf(this.#first.policy).secrets(urlOf(this.#input), blockOf(headersOf(this.#input, this.#init))));
    }
    return this.#secrets;
  }

  /**
   * Whether there is a body to send to another target.
   *
   * @param {EndpointTarget} target
   * @param {AbortSignal | undefined} signal
   */
  async isFit(target, signal) {
    if (givenOf(target.policy).bodyFactory !== undefined) return true;
    if (this.#replay !== undefined) return (await race(this.#replay.bytes(), signal)) !== undefined;
    return !isOneShot(this.#init?.body) && !(isRequest(this.#input) && this.#input.bodyUsed);
  }

  /**
   * The request for a target: what fetch is to be called with.
   *
   * @param {EndpointTarget} target
   * @returns {Promise<[input: Input, init: any] | undefined>} Nothing where it is none for this target.
   */
  async for(target) {
    const input = this.#input;
    const isFirst = target === this.#first;
    if (isFirst && !rewrites(target)) return [input, this.#init];
    const address = this.addressOf(target);
    if (address === undefined) return undefined;
    const all = { ...(isRequest(input) && membersOf(input)), ...this.#init };
    const own = fieldsOf(all.headers);
    const fields = isFirst ? own : portable(this.#first.policy, urlOf(input), own)[1];
    const names = new Set(target.headers.map(([name]) => name.toLowerCase()));
    // What the caller's page or program calls itself is for the first server.
    if (!isFirst) all.referrer = '';
    const headers = [...fields.filter(([name]) => !names.has(name.toLowerCase())), ...target.headers];
    if (!isFirst) this.secrets.push(...ask(() => handleOf(target.policy).secrets(address, blockOf(headers))));
    const body = await rewritten(target, await this.#bodyFor(target));
    return [address, { ...all, headers, ...(body !== undefined && { body }), ...(isOneShot(body) && { duplex: 'half' }) }];
  }

  /** @param {EndpointTarget} target */
  async #bodyFor(target) {
    const body = this.#init?.body;
    const { bodyFactory } = givenOf(target.policy);
    if (target !== this.#first && bodyFactory !== undefined) return bodyFactory();
    if (this.#replay === undefined) return body;
    const bytes = await this.#replay.bytes();
    if (bytes === undefined) throw new TypeError('the body of the Request is longer than maxReplayBytes, so it cannot be rewritten');
    return bytes;
  }

  /**
   * Where a target is sent the request; nowhere where that is none for it.
   *
   * @param {EndpointTarget} target
   */
  addressOf(target) {
    if (!this.#addresses.has(target)) this.#addresses.set(target, this.#found(target));
    return this.#addresses.get(target);
  }

  /** @param {EndpointTarget} target */
  #found(target) {
    const { url } = target;
    const first = this.#first.url;
    const isFirst = target === this.#first;
    const own = urlOf(this.#input);
    if (typeof first === 'string' && !isUnder(own, first)) return undefined;
    const from = isFirst ? own : this.#shown(own, typeof first === 'string' && typeof url === 'string' ? new URL(first) : undefined);
    if (from === undefined) return undefined;
    // The first is what the request was made for.
    if (url === undefined || (typeof url === 'string' && isFirst)) return from;
    const parsed = new URL(from, globalThis.location?.href);
    const to = typeof url === 'string' ? joined(url, parsed, first) : url(parsed);
    return to === undefined || to === null ? undefined : String(to);
  }

  /**
   * The URL as a later target may have it; nothing where its path holds a secret, which cannot
   * be left out.
   *
   * @param {string} own
   * @param {URL | undefined} base What is not handed on of it.
   */
  #shown(own, base) {
    const { policy } = this.#first;
    const masker = ask(() => handleOf(policy).masker(own, blockOf(headersOf(this.#input, this.#init))));
    const isPlain = (/** @type {string} */ text) => ask(() => masker.mask(text) ?? text) === text;
    try {
      const url = withoutParameters(portable(policy, own, [])[0], (parameter) => {
        const [name = '', ...value] = parameter.split('=');
        return !isPlain(name) || !isPlain(value.join('='));
      });
      const page = globalThis.location?.href;
      if (!URL.canParse(url, page)) return url;
      const parsed = new URL(url, page);
      return isPlain((base && behind(parsed, base)) ?? parsed.pathname) ? url : undefined;
    } finally {
      masker.free();
    }
  }

  /**
   * The policy of a target's call, in which every body is the target's.
   *
   * @param {EndpointTarget} target
   * @param {RetryPolicy} policy
   */
  policyFor(target, policy) {
    const { bodyFactory } = givenOf(policy);
    if (bodyFactory === undefined || !rewritesBody(target)) return policy;
    return policy.with({ bodyFactory: async () => rewritten(target, await bodyFactory()) });
  }

  /** Lets go of the body. */
  release() {
    this.#replay?.cancel();
  }
}

/** @param {EndpointTarget} target */
function rewritesBody({ model, body }) {
  return model !== undefined || body !== undefined;
}

/**
 * Whether the first target is sent another request than was made.
 *
 * @param {EndpointTarget} target
 */
export function rewrites(target) {
  return rewritesBody(target) || typeof target.url === 'function' || target.headers.length > 0;
}

/** @param {Request} request */
function membersOf(request) {
  const { headers, redirect } = request;
  const members = MEMBERS.map((name) => [name, request[name]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(members), headers, ...(redirect !== undefined && redirect !== 'follow' && { redirect }) };
}

/**
 * What another server may have of a request.
 *
 * @param {RetryPolicy} policy
 * @param {string} from
 * @param {[string, string][]} all
 * @returns {[url: string, fields: [string, string][]]}
 */
function portable(policy, from, all) {
  const [url = '', ...flat] = ask(() => handleOf(policy).withoutCredentials(from, blockOf(all)));
  /** @type {[string, string][]} */
  const fields = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [name, value] = /** @type {[string, string]} */ (flat.slice(i, i + 2));
    if (!BOUND.includes(name.toLowerCase())) fields.push([name, value]);
  }
  return [url, fields];
}

/**
 * The URL without some of the parameters in its query, and without its fragment if that is
 * like them.
 *
 * @param {string} url
 * @param {(parameter: string) => boolean} isRemoved
 */
function withoutParameters(url, isRemoved) {
  const [all = '', ...fragment] = url.split('#');
  const [path = '', ...query] = all.split('?');
  const parameters = query.join('?').split('&');
  const kept = parameters.filter((parameter) => !isRemoved(parameter));
  const search = query.length > 0 && kept.length > 0 ? `?${kept.join('&')}` : '';
  const hash = fragment.join('#');
  return path + search + (hash === '' || isRemoved(hash) ? '' : `#${hash}`);
}

/**
 * The URL with what the request's has behind the first target's, or behind its own origin.
 * Parameters of the URL win.
 *
 * @param {string} url
 * @param {URL} from
 * @param {EndpointTarget['url']} first
 */
function joined(url, from, first) {
  const to = new URL(url);
  const path = typeof first === 'string' ? (behind(from, new URL(first)) ?? '') : from.pathname;
  if (path !== '') to.pathname = pathOf(to) + path;
  if (from.search !== '') {
    const own = [...to.searchParams.keys()];
    if (own.length === 0) to.search = from.search;
    else {
      const rest = new URLSearchParams(from.search);
      for (const name of own) rest.delete(name);
      to.search = [to.search.slice(1), String(rest)].filter((part) => part !== '').join('&');
    }
  }
  return to.href;
}

/**
 * What a URL's path has behind another's; nothing where it is none under that.
 *
 * @param {URL} from
 * @param {URL} base
 */
function behind(from, base) {
  const prefix = pathOf(base);
  if (from.origin !== base.origin || !from.pathname.startsWith(prefix)) return undefined;
  const rest = from.pathname.slice(prefix.length);
  return rest === '' || rest.startsWith('/') ? rest : undefined;
}

/**
 * @param {string} url
 * @param {string} base
 */
function isUnder(url, base) {
  const page = globalThis.location?.href;
  return URL.canParse(url, page) && behind(new URL(url, page), new URL(base)) !== undefined;
}

/** @param {URL} url */
function pathOf({ pathname }) {
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}

/**
 * A body as a target wants it. What is neither JSON nor a form stays as it is.
 *
 * @param {EndpointTarget} target
 * @param {any} body
 * @returns {Promise<any>}
 */
async function rewritten(target, body) {
  if (!rewritesBody(target) || body === undefined || body === null) return body;
  if (typeof body === 'string') return rewrittenJson(target, body) ?? body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    const text = rewrittenJson(target, new TextDecoder().decode(body));
    return text === undefined ? body : new TextEncoder().encode(text);
  }
  if (typeof body.getAll === 'function' && typeof body.set === 'function' && !(body instanceof URLSearchParams)) return rewrittenForm(target, body);
  if (typeof body.arrayBuffer === 'function' && typeof body.type === 'string') {
    const text = rewrittenJson(target, await body.text());
    return text === undefined ? body : new Blob([text], { type: body.type });
  }
  return body;
}

/**
 * @param {EndpointTarget} target
 * @param {string} text
 * @returns {string | undefined} `undefined` for what is no JSON.
 */
function rewrittenJson({ model, body }, text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (model !== undefined && typeof json === 'object' && json !== null && 'model' in json) json.model = model;
  return JSON.stringify(body === undefined ? json : (body(json) ?? json));
}

/**
 * @param {EndpointTarget} target
 * @param {FormData} form
 */
function rewrittenForm({ model }, form) {
  if (model === undefined || !form.has('model')) return form;
  const copy = new (/** @type {typeof FormData} */ (form.constructor))();
  form.forEach((value, name) => copy.append(name, /** @type {any} */ (value)));
  copy.set('model', model);
  return copy;
}
