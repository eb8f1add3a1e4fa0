/* tslint:disable */
/* eslint-disable */

/**
 * What hides the secrets of one request.
 */
export class MaskerHandle {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * The text without the secrets; undefined when it held none.
     */
    mask(text: string): string | undefined;
}

/**
 * The opening of a streamed answer.
 */
export class Opening {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * The same when no bytes follow; never 0 or 1.
     */
    end(): number;
    /**
     * The failure's body as JSON, to be classified with status 200; empty unless failed.
     */
    failure(): Uint8Array;
    /**
     * What `streamEnded` is to be given: 0 while no frame was recognised.
     */
    format(): number;
    /**
     * `streams_array` says that the request was for a streamed JSON array.
     */
    constructor(content_type: string | null | undefined, streams_array: boolean);
    /**
     * Takes the next bytes: 0 hold, 1 output, 2 failed, 3 complete, 4 unknown, 5 truncated.
     */
    push(bytes: Uint8Array | number[]): number;
    /**
     * What the frames so far told of tokens, as JSON; undefined for nothing.
     */
    usage(): Uint8Array | undefined;
}

/**
 * A validated policy.
 */
export class PolicyHandle {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * The backoff before retry `n`, for a random `unit`.
     */
    backoff(n: number, unit: number): number;
    /**
     * What the rules say of a failure, at `wall` epoch milliseconds, as JSON. Its texts are masked.
     */
    classify(facts: any, wall: number): string;
    /**
     * What the policy will do.
     */
    explain(): any;
    /**
     * What hides the secrets of this request in any text.
     */
    masker(url: string, headers: string): MaskerHandle;
    /**
     * Throws an array of `[option, code, allowed]`, one for each fault.
     */
    constructor(options: any);
    /**
     * What one attempt needs of the policy, as numbers: `js/policy.js` names them. One array
     * is cheaper than the options by name, which a policy made for one call never shows.
     */
    numbers(): Float64Array;
    /**
     * The options in force, by their JavaScript names.
     */
    resolved(): any;
}

export function __wbg_reset_state(): void;

/**
 * Drops a call that broke off.
 */
export function driveDrop(call: number): void;

/**
 * Lets a call go on as far as it can, at this time and with its attempt standing so. When it
 * ends, its host is told and its place is free.
 */
export function drivePoll(call: number, mono: number, wall: number, standing: number): void;

/**
 * Takes a call whose first attempt was made outside, at `began` by the monotonic clock, and
 * failed; lets it go on as far as it can. It may have ended by then.
 */
export function driveStart(policy: PolicyHandle, host: any, began: number, mono: number, wall: number, first: any): number;

/**
 * What the body of a 2xx JSON answer is: 0 an answer, 1 a failure told in band, 2 cut
 * short, 3 not JSON.
 */
export function inspect(body: Uint8Array | number[]): number;

/**
 * What a client's chunk is, from its JSON: 0 nothing, 1 output, 2 failure, 3 end, 4 unknown;
 * plus 8 where its shape is known, 16 where it says that the answer is over, 32 where it is
 * a provider's own shape, of which it is known that an end follows, 64 where the reason for
 * the end names a failure.
 */
export function judgeChunk(json: string): number;

/**
 * VernLLM's name for a kind, with a `!` behind it where the kind is retryable; undefined for
 * a name that is none.
 */
export function kindRow(name: string): string | undefined;

/**
 * The text without secrets of a known shape; undefined when it held none.
 */
export function maskText(text: string): string | undefined;

/**
 * The kind's name that a wrong one was probably meant to be.
 */
export function nearestKind(name: string): string | undefined;

/**
 * A `Retry-After` value in milliseconds; below zero when it is none.
 */
export function parseRetryAfter(value: string, now: number, date?: string | null): number;

/**
 * The kind of a provider failure; status 0 is none.
 */
export function providerKind(status: number, code?: string | null): string | undefined;

/**
 * Header fields without the sensitive ones, values masked: name, value, name, value, …
 */
export function redactHeaders(fields: string, headers: string[], query: string[], values: string[]): string[];

/**
 * The URL for use; undefined when it has no userinfo.
 */
export function sanitizeBaseUrl(url: string): string | undefined;

/**
 * The URL for display.
 */
export function sanitizeUrl(url: string): string;

/**
 * Whether a stream that was passed through had come to its end: 0 no, 1 yes, 2 with a
 * failure told in band. `is_open` says whether brackets of a JSON array are still open.
 */
export function streamEnded(format: number, head: Uint8Array | number[], tail: Uint8Array | number[], is_open: boolean): number;

/**
 * The failure's body as JSON that the last bytes tell of which `streamEnded` says 2; undefined
 * where it is not whole.
 */
export function streamFailure(format: number, tail: Uint8Array | number[]): Uint8Array | undefined;

/**
 * The history, as JSON, of a call whose answer was delivered and has ended since, without
 * the attempts before the delivered one. `failed` shows how it broke, else `usage` as JSON
 * what it used. `numbers` are `js/aftermath.js`'s: when the attempt was sent and when it
 * ended, by both clocks, and the ledger at the delivery.
 */
export function streamHistory(policy: PolicyHandle, numbers: Float64Array | number[], failed?: any | null, usage?: Uint8Array | number[] | null): string;

/**
 * A random UUID (RFC 9562 version 4); undefined where the runtime has no randomness.
 */
export function uuid(): string | undefined;

/**
 * The header by which a server says whether to retry.
 */
export function vetoHeader(): string;

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): unknown;
