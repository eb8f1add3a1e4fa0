/* tslint:disable */
/* eslint-disable */

/**
 * The breaker of one key.
 */
export class BreakerHandle {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * As a guard's `admit`, of a call that another state of this breaker has given the token.
     */
    admitAs(token: number, mono: number): number;
    /**
     * As `import`, of a state that contains the first `done` deeds.
     */
    adopt(text: string, done: number, mono: number, age_ms: number): boolean;
    /**
     * Lets calls pass.
     */
    close(): void;
    /**
     * How many deeds are kept.
     */
    deeds(): number;
    /**
     * The state, as JSON.
     */
    export(mono: number): string;
    /**
     * Failed calls that count at this time.
     */
    failures(mono: number): number;
    /**
     * Keeps what happens from now on, for `redo` and `adopt`.
     */
    follow(): void;
    /**
     * Takes a state that was exported `age_ms` ago; false when it is none.
     */
    import(text: string, mono: number, age_ms: number): boolean;
    /**
     * Refuses every call until it is closed.
     */
    isolate(): void;
    /**
     * By the policy's option, or its default. `seed` is any random number; one is drawn without.
     */
    constructor(policy: PolicyHandle, seed?: number | null);
    /**
     * Does to another breaker what happened to this one.
     */
    redo(onto: BreakerHandle, mono: number): void;
    /**
     * Milliseconds until a call would be admitted; infinite where no time brings that.
     */
    retryAfter(mono: number): number;
    /**
     * The same breaker once more, for a guard to keep.
     */
    share(): BreakerHandle;
    /**
     * 0 closed, 1 open, 2 half-open, 3 isolated.
     */
    state(): number;
    /**
     * The oldest change that was not taken yet: 1 + 4 * from + to, by the numbers of `state`;
     * 0 when there is none.
     */
    takeChange(): number;
    /**
     * How often it has opened since it was last closed.
     */
    trips(): number;
}

/**
 * The budget of one key.
 */
export class BudgetHandle {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * The state, as JSON.
     */
    export(mono: number): string;
    /**
     * Takes a state that was exported `age_ms` ago; false when it is none.
     */
    import(text: string, mono: number, age_ms: number): boolean;
    /**
     * By the policy's option, or its default.
     */
    constructor(policy: PolicyHandle);
    /**
     * Takes over the state of `shared`, and does to it what was done since `base`.
     */
    rebase(base: BudgetHandle, shared: BudgetHandle, mono: number): void;
    /**
     * The same budget once more, for a guard to keep.
     */
    share(): BudgetHandle;
    /**
     * Tokens left, or retries left in the window.
     */
    tokens(mono: number): number;
}

/**
 * What the calls of one key are asked by.
 */
export class GuardHandle {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * A token, or -1 - the milliseconds after which it is worth asking again.
     */
    admit(mono: number): number;
    /**
     * Keeps both: give it a `share()`.
     */
    constructor(breaker?: BreakerHandle | null, budget?: BudgetHandle | null);
    /**
     * Reports a call that the engine does not drive: 0 it succeeded at once, 1 it says
     * nothing of the target, 2 the target is unwell.
     */
    report(token: number, outcome: number, mono: number): void;
    /**
     * The same guard once more, for the engine to keep.
     */
    share(): GuardHandle;
    /**
     * Takes the cost of one more send from the budget; false when there is not so much.
     */
    withdraw(throttled: boolean, mono: number): boolean;
}

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
     * How long a hedge may take, below zero for no limit, and whether that is by the deadline;
     * empty where none may be made: see [`Policy::hedge`].
     */
    hedge(sends: number, method: string, elapsed_ms: number): Float64Array;
    /**
     * What hides the secrets of this request in any text.
     */
    masker(url: string, headers: string): MaskerHandle;
    /**
     * Whether a call that failed so may go on to another target, a function of the caller's apart.
     */
    mayFallOver(kind: string): boolean;
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
    /**
     * Every secret that a request carries.
     */
    secrets(url: string, headers: string): string[];
    /**
     * What another server may have of a request: the URL, then name, value, name, value, …
     */
    withoutCredentials(url: string, headers: string): string[];
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
 * Takes a call that began at `began` by the monotonic clock and whose first attempt was made
 * outside and failed; without that, the host tells of the first attempt as of any other. Lets
 * it go on as far as it can; it may have ended by then. Under a guard it was admitted with
 * `token`, and reports when it ends; a call that is resumed has the ledger of what was before.
 */
export function driveStart(policy: PolicyHandle, host: any, began: number, mono: number, wall: number, first: any | null | undefined, guard: GuardHandle | null | undefined, token: number, earlier?: Float64Array | number[] | null): number;

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
 * failure told in band. `head` is the beginning of the frame that `tail` begins inside of, if it does. `open` is twice
 * the open brackets of a JSON array, and one more for a text.
 */
export function streamEnded(format: number, head: Uint8Array | number[], tail: Uint8Array | number[], open: number): number;

/**
 * The failure's body as JSON that the last bytes tell of which `streamEnded` says 2; undefined
 * where it is not whole.
 */
export function streamFailure(format: number, head: Uint8Array | number[], tail: Uint8Array | number[], open: number): Uint8Array | undefined;

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
