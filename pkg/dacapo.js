/* @ts-self-types="./dacapo.d.ts" */

/**
 * What hides the secrets of one request.
 */
export class MaskerHandle {
    static __wrap(ptr) {
        const obj = Object.create(MaskerHandle.prototype);
        obj.__wbg_ptr = ptr;
        Object.defineProperty(obj, '__wbg_inst', { value: __wbg_instance_id, writable: true });

        MaskerHandleFinalization.register(obj, { ptr, instance: __wbg_instance_id }, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        MaskerHandleFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        __wbg_call_guard();
        wasm.b(ptr, 0);

    }
    /**
     * The text without the secrets; undefined when it held none.
     * @param {string} text
     * @returns {string | undefined}
     */
    mask(text) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const ptr0 = passStringToWasm0(text, wasm.m1, wasm.n1);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.l(this.__wbg_ptr, ptr0, len0);
        let v2;
        if (ret[0] !== 0) {
            v2 = getStringFromWasm0(ret[0], ret[1]);
            wasm.o1(ret[0], ret[1] * 1, 1);
        }
        return v2;
    }
}
if (Symbol.dispose) MaskerHandle.prototype[Symbol.dispose] = MaskerHandle.prototype.free;

/**
 * The opening of a streamed answer.
 */
export class Opening {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        OpeningFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        __wbg_call_guard();
        wasm.c(ptr, 0);

    }
    /**
     * The same when no bytes follow; never 0 or 1.
     * @returns {number}
     */
    end() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.n(this.__wbg_ptr);
        return ret;
    }
    /**
     * The failure's body as JSON, to be classified with status 200; empty unless failed.
     * @returns {Uint8Array}
     */
    failure() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.o(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.o1(ret[0], ret[1] * 1, 1);
        return v1;
    }
    /**
     * What `streamEnded` is to be given: 0 while no frame was recognised.
     * @returns {number}
     */
    format() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.p(this.__wbg_ptr);
        return ret;
    }
    /**
     * `streams_array` says that the request was for a streamed JSON array.
     * @param {string | null | undefined} content_type
     * @param {boolean} streams_array
     */
    constructor(content_type, streams_array) {
        const val2 = +streams_array;
        var ptr0 = isLikeNone(content_type) ? 0 : passStringToWasm0(content_type, wasm.m1, wasm.n1);
        var len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.q(ptr0, len0, val2);
        this.__wbg_ptr = ret;
        Object.defineProperty(this, '__wbg_inst', { value: __wbg_instance_id, writable: true });
        OpeningFinalization.register(this, { ptr: ret, instance: __wbg_instance_id }, this);
        return this;
    }
    /**
     * Takes the next bytes: 0 hold, 1 output, 2 failed, 3 complete, 4 unknown, 5 truncated.
     * @param {Uint8Array | number[]} bytes
     * @returns {number}
     */
    push(bytes) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const ptr0 = passArray8ToWasm0(bytes, wasm.m1);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.r(this.__wbg_ptr, ptr0, len0);
        return ret;
    }
    /**
     * What the frames so far told of tokens, as JSON; undefined for nothing.
     * @returns {Uint8Array | undefined}
     */
    usage() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.s(this.__wbg_ptr);
        let v1;
        if (ret[0] !== 0) {
            v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
            wasm.o1(ret[0], ret[1] * 1, 1);
        }
        return v1;
    }
}
if (Symbol.dispose) Opening.prototype[Symbol.dispose] = Opening.prototype.free;

/**
 * A validated policy.
 */
export class PolicyHandle {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        PolicyHandleFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        __wbg_call_guard();
        wasm.d(ptr, 0);

    }
    /**
     * The backoff before retry `n`, for a random `unit`.
     * @param {number} n
     * @param {number} unit
     * @returns {number}
     */
    backoff(n, unit) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.u(this.__wbg_ptr, n, unit);
        return ret;
    }
    /**
     * What the rules say of a failure, at `wall` epoch milliseconds, as JSON. Its texts are masked.
     * @param {any} facts
     * @param {number} wall
     * @returns {string}
     */
    classify(facts, wall) {
        let deferred1_0;
        let deferred1_1;
        try {
            if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
                throw new Error('Invalid stale object from previous Wasm instance');
            }
            let ret;
            __wbg_call_guard();
            ret = wasm.v(this.__wbg_ptr, facts, wall);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            __wbg_call_guard();
            wasm.o1(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * What the policy will do.
     * @returns {any}
     */
    explain() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.w(this.__wbg_ptr);
        return ret;
    }
    /**
     * What hides the secrets of this request in any text.
     * @param {string} url
     * @param {string} headers
     * @returns {MaskerHandle}
     */
    masker(url, headers) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = passStringToWasm0(url, wasm.m1, wasm.n1);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passStringToWasm0(headers, wasm.m1, wasm.n1);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.o1(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.o1(ptr0, len0 * 1, 1); }
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.x(this.__wbg_ptr, ptr0, len0, ptr1, len1);
        return MaskerHandle.__wrap(ret);
    }
    /**
     * Throws an array of `[option, code, allowed]`, one for each fault.
     * @param {any} options
     */
    constructor(options) {
        let ret;
        __wbg_call_guard();
        ret = wasm.y(options);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        this.__wbg_ptr = ret[0];
        Object.defineProperty(this, '__wbg_inst', { value: __wbg_instance_id, writable: true });
        PolicyHandleFinalization.register(this, { ptr: ret[0], instance: __wbg_instance_id }, this);
        return this;
    }
    /**
     * What one attempt needs of the policy, as numbers: `js/policy.js` names them. One array
     * is cheaper than the options by name, which a policy made for one call never shows.
     * @returns {Float64Array}
     */
    numbers() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.z(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.o1(ret[0], ret[1] * 8, 8);
        return v1;
    }
    /**
     * The options in force, by their JavaScript names.
     * @returns {any}
     */
    resolved() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.a1(this.__wbg_ptr);
        return ret;
    }
}
if (Symbol.dispose) PolicyHandle.prototype[Symbol.dispose] = PolicyHandle.prototype.free;

export function __wbg_reset_state () {
    __wbg_instance_id++;
    cachedDataViewMemory0 = null;
    cachedFloat64ArrayMemory0 = null;
    cachedUint8ArrayMemory0 = null;
    if (typeof numBytesDecoded !== 'undefined') numBytesDecoded = 0;
    if (typeof WASM_VECTOR_LEN !== 'undefined') WASM_VECTOR_LEN = 0;
    __wbg_reinit_scheduled = false;
    wasmInstance = new WebAssembly.Instance(wasmModule, __wbg_get_imports());
    wasm = wasmInstance.exports;
    wasm.v1();
}

/**
 * Drops a call that broke off.
 * @param {number} call
 */
export function driveDrop(call) {
    __wbg_call_guard();
    wasm.e(call);
}

/**
 * Lets a call go on as far as it can, at this time and with its attempt standing so. When it
 * ends, its host is told and its place is free.
 * @param {number} call
 * @param {number} mono
 * @param {number} wall
 * @param {number} standing
 */
export function drivePoll(call, mono, wall, standing) {
    __wbg_call_guard();
    wasm.f(call, mono, wall, standing);
}

/**
 * Takes a call whose first attempt was made outside, at `began` by the monotonic clock, and
 * failed; lets it go on as far as it can. It may have ended by then.
 * @param {PolicyHandle} policy
 * @param {any} host
 * @param {number} began
 * @param {number} mono
 * @param {number} wall
 * @param {any} first
 * @returns {number}
 */
export function driveStart(policy, host, began, mono, wall, first) {
    _assertClass(policy, PolicyHandle);
    if ((policy).__wbg_inst !== undefined && (policy).__wbg_inst !== __wbg_instance_id) {
        throw new Error('Invalid stale object from previous Wasm instance');
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.g(policy.__wbg_ptr, host, began, mono, wall, first);
    return ret >>> 0;
}

/**
 * What the body of a 2xx JSON answer is: 0 an answer, 1 a failure told in band, 2 cut
 * short, 3 not JSON.
 * @param {Uint8Array | number[]} body
 * @returns {number}
 */
export function inspect(body) {
    const ptr0 = passArray8ToWasm0(body, wasm.m1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.h(ptr0, len0);
    return ret;
}

/**
 * What a client's chunk is, from its JSON: 0 nothing, 1 output, 2 failure, 3 end, 4 unknown;
 * plus 8 where its shape is known, 16 where it says that the answer is over, 32 where it is
 * a provider's own shape, of which it is known that an end follows, 64 where the reason for
 * the end names a failure.
 * @param {string} json
 * @returns {number}
 */
export function judgeChunk(json) {
    const ptr0 = passStringToWasm0(json, wasm.m1, wasm.n1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.i(ptr0, len0);
    return ret;
}

/**
 * VernLLM's name for a kind, with a `!` behind it where the kind is retryable; undefined for
 * a name that is none.
 * @param {string} name
 * @returns {string | undefined}
 */
export function kindRow(name) {
    const ptr0 = passStringToWasm0(name, wasm.m1, wasm.n1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.j(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v2;
}

/**
 * The text without secrets of a known shape; undefined when it held none.
 * @param {string} text
 * @returns {string | undefined}
 */
export function maskText(text) {
    const ptr0 = passStringToWasm0(text, wasm.m1, wasm.n1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.k(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v2;
}

/**
 * The kind's name that a wrong one was probably meant to be.
 * @param {string} name
 * @returns {string | undefined}
 */
export function nearestKind(name) {
    const ptr0 = passStringToWasm0(name, wasm.m1, wasm.n1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.m(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v2;
}

/**
 * A `Retry-After` value in milliseconds; below zero when it is none.
 * @param {string} value
 * @param {number} now
 * @param {string | null} [date]
 * @returns {number}
 */
export function parseRetryAfter(value, now, date) {
    const val3 = +now;
    let ptr0, len0, ptr1, len1;
    try {
        ptr0 = passStringToWasm0(value, wasm.m1, wasm.n1);
        len0 = WASM_VECTOR_LEN;
        ptr1 = isLikeNone(date) ? 0 : passStringToWasm0(date, wasm.m1, wasm.n1);
        len1 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr1) { wasm.o1(ptr1, len1 * 1, 1); }
        if (ptr0) { wasm.o1(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.t(ptr0, len0, val3, ptr1, len1);
    return ret;
}

/**
 * The kind of a provider failure; status 0 is none.
 * @param {number} status
 * @param {string | null} [code]
 * @returns {string | undefined}
 */
export function providerKind(status, code) {
    const val2 = +status;
    var ptr0 = isLikeNone(code) ? 0 : passStringToWasm0(code, wasm.m1, wasm.n1);
    var len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.b1(val2, ptr0, len0);
    let v3;
    if (ret[0] !== 0) {
        v3 = getStringFromWasm0(ret[0], ret[1]);
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v3;
}

/**
 * Header fields without the sensitive ones, values masked: name, value, name, value, …
 * @param {string} fields
 * @param {string[]} headers
 * @param {string[]} query
 * @param {string[]} values
 * @returns {string[]}
 */
export function redactHeaders(fields, headers, query, values) {
    let ptr0, len0, ptr1, len1, ptr2, len2, ptr3, len3;
    try {
        ptr0 = passStringToWasm0(fields, wasm.m1, wasm.n1);
        len0 = WASM_VECTOR_LEN;
        ptr1 = passArrayJsValueToWasm0(headers, wasm.m1);
        len1 = WASM_VECTOR_LEN;
        ptr2 = passArrayJsValueToWasm0(query, wasm.m1);
        len2 = WASM_VECTOR_LEN;
        ptr3 = passArrayJsValueToWasm0(values, wasm.m1);
        len3 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr3) { wasm.u1(ptr3, len3); wasm.o1(ptr3, len3 * 4, 4); }
        if (ptr2) { wasm.u1(ptr2, len2); wasm.o1(ptr2, len2 * 4, 4); }
        if (ptr1) { wasm.u1(ptr1, len1); wasm.o1(ptr1, len1 * 4, 4); }
        if (ptr0) { wasm.o1(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.c1(ptr0, len0, ptr1, len1, ptr2, len2, ptr3, len3);
    var v5 = getArrayJsValueFromWasm0(ret[0], ret[1]);
    wasm.o1(ret[0], ret[1] * 4, 4);
    return v5;
}

/**
 * The URL for use; undefined when it has no userinfo.
 * @param {string} url
 * @returns {string | undefined}
 */
export function sanitizeBaseUrl(url) {
    const ptr0 = passStringToWasm0(url, wasm.m1, wasm.n1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.d1(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v2;
}

/**
 * The URL for display.
 * @param {string} url
 * @returns {string}
 */
export function sanitizeUrl(url) {
    let deferred2_0;
    let deferred2_1;
    try {
        const ptr0 = passStringToWasm0(url, wasm.m1, wasm.n1);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.e1(ptr0, len0);
        deferred2_0 = ret[0];
        deferred2_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        __wbg_call_guard();
        wasm.o1(deferred2_0, deferred2_1, 1);
    }
}

/**
 * Whether a stream that was passed through had come to its end: 0 no, 1 yes, 2 with a
 * failure told in band. `is_open` says whether brackets of a JSON array are still open.
 * @param {number} format
 * @param {Uint8Array | number[]} head
 * @param {Uint8Array | number[]} tail
 * @param {boolean} is_open
 * @returns {number}
 */
export function streamEnded(format, head, tail, is_open) {
    const val3 = +format;
    const val4 = +is_open;
    let ptr0, len0, ptr1, len1;
    try {
        ptr0 = passArray8ToWasm0(head, wasm.m1);
        len0 = WASM_VECTOR_LEN;
        ptr1 = passArray8ToWasm0(tail, wasm.m1);
        len1 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr1) { wasm.o1(ptr1, len1 * 1, 1); }
        if (ptr0) { wasm.o1(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.f1(val3, ptr0, len0, ptr1, len1, val4);
    return ret;
}

/**
 * The failure's body as JSON that the last bytes tell of which `streamEnded` says 2; undefined
 * where it is not whole.
 * @param {number} format
 * @param {Uint8Array | number[]} tail
 * @returns {Uint8Array | undefined}
 */
export function streamFailure(format, tail) {
    const val2 = +format;
    const ptr0 = passArray8ToWasm0(tail, wasm.m1);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.g1(val2, ptr0, len0);
    let v3;
    if (ret[0] !== 0) {
        v3 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v3;
}

/**
 * The history, as JSON, of a call whose answer was delivered and has ended since, without
 * the attempts before the delivered one. `failed` shows how it broke, else `usage` as JSON
 * what it used. `numbers` are `js/aftermath.js`'s: when the attempt was sent and when it
 * ended, by both clocks, and the ledger at the delivery.
 * @param {PolicyHandle} policy
 * @param {Float64Array | number[]} numbers
 * @param {any | null} [failed]
 * @param {Uint8Array | number[] | null} [usage]
 * @returns {string}
 */
export function streamHistory(policy, numbers, failed, usage) {
    let deferred3_0;
    let deferred3_1;
    try {
        _assertClass(policy, PolicyHandle);
        if ((policy).__wbg_inst !== undefined && (policy).__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = passArrayF64ToWasm0(numbers, wasm.m1);
            len0 = WASM_VECTOR_LEN;
            ptr1 = isLikeNone(usage) ? 0 : passArray8ToWasm0(usage, wasm.m1);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.o1(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.o1(ptr0, len0 * 8, 8); }
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.h1(policy.__wbg_ptr, ptr0, len0, isLikeNone(failed) ? 0 : addToExternrefTable0(failed), ptr1, len1);
        deferred3_0 = ret[0];
        deferred3_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        __wbg_call_guard();
        wasm.o1(deferred3_0, deferred3_1, 1);
    }
}

/**
 * A random UUID (RFC 9562 version 4); undefined where the runtime has no randomness.
 * @returns {string | undefined}
 */
export function uuid() {
    let ret;
    __wbg_call_guard();
    ret = wasm.i1();
    let v1;
    if (ret[0] !== 0) {
        v1 = getStringFromWasm0(ret[0], ret[1]);
        wasm.o1(ret[0], ret[1] * 1, 1);
    }
    return v1;
}

/**
 * The header by which a server says whether to retry.
 * @returns {string}
 */
export function vetoHeader() {
    let deferred1_0;
    let deferred1_1;
    try {
        let ret;
        __wbg_call_guard();
        ret = wasm.j1();
        deferred1_0 = ret[0];
        deferred1_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        __wbg_call_guard();
        wasm.o1(deferred1_0, deferred1_1, 1);
    }
}
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        j: function(arg0) {
            const v = arg0;
            const ret = typeof(v) === 'boolean' ? v : undefined;
            return isLikeNone(ret) ? 0xFFFFFF : ret ? 1 : 0;
        },
        s: function(arg0) {
            const ret = !arg0;
            return ret;
        },
        k1: function(arg0) {
            const ret = typeof(arg0) === 'function';
            return ret;
        },
        i: function(arg0) {
            const ret = arg0 === null;
            return ret;
        },
        p1: function(arg0) {
            const val = arg0;
            const ret = typeof(val) === 'object' && val !== null;
            return ret;
        },
        m1: function(arg0) {
            const ret = typeof(arg0) === 'string';
            return ret;
        },
        l1: function(arg0) {
            const ret = arg0 === undefined;
            return ret;
        },
        h: function(arg0, arg1) {
            const obj = arg1;
            const ret = typeof(obj) === 'number' ? obj : undefined;
            getDataViewMemory0().setFloat64((arg0 >>> 0) + 8 * 1, isLikeNone(ret) ? 0 : ret, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, !isLikeNone(ret), true);
        },
        z1: function(arg0, arg1) {
            const obj = arg1;
            const ret = typeof(obj) === 'string' ? obj : undefined;
            var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.m1, wasm.n1);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        a2: function(arg0, arg1) {
            throw new Error(getStringFromWasm0(arg0, arg1));
        },
        d: function(arg0) {
            arg0._wbg_cb_unref();
        },
        p: function(arg0) {
            const ret = arg0.aborted;
            return ret;
        },
        q: function() { return handleError(function (arg0, arg1, arg2, arg3) {
            arg0.addEventListener(getStringFromWasm0(arg1, arg2), arg3);
        }, arguments); },
        n: function(arg0, arg1, arg2) {
            let deferred0_0;
            let deferred0_1;
            try {
                deferred0_0 = arg1;
                deferred0_1 = arg2;
                const ret = arg0.announce(getStringFromWasm0(arg1, arg2));
                return ret;
            } finally {
                __wbg_call_guard();
                wasm.o1(deferred0_0, deferred0_1, 1);
            }
        },
        m: function(arg0, arg1, arg2, arg3, arg4) {
            let deferred0_0;
            let deferred0_1;
            let deferred1_0;
            let deferred1_1;
            try {
                deferred0_0 = arg1;
                deferred0_1 = arg2;
                deferred1_0 = arg3;
                deferred1_1 = arg4;
                const ret = arg0.ask(getStringFromWasm0(arg1, arg2), getStringFromWasm0(arg3, arg4));
                return ret;
            } finally {
                __wbg_call_guard();
                wasm.o1(deferred0_0, deferred0_1, 1);
                __wbg_call_guard();
                wasm.o1(deferred1_0, deferred1_1, 1);
            }
        },
        u: function(arg0, arg1, arg2, arg3) {
            arg0.begin(arg1 >>> 0, arg2, arg3 !== 0);
        },
        v: function(arg0) {
            const ret = arg0.bits;
            return ret;
        },
        y: function(arg0, arg1) {
            const ret = arg1.body;
            var ptr1 = isLikeNone(ret) ? 0 : passArray8ToWasm0(ret, wasm.m1);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        b: function(arg0) {
            const ret = clearTimeout(arg0);
            return ret;
        },
        l: function(arg0) {
            const ret = arg0.facts;
            return ret;
        },
        h1: function(arg0, arg1, arg2, arg3, arg4) {
            let deferred0_0;
            let deferred0_1;
            try {
                deferred0_0 = arg3;
                deferred0_1 = arg4;
                arg0.finish(arg1 === 0 ? undefined : getStringFromWasm0(arg1, arg2), getStringFromWasm0(arg3, arg4));
            } finally {
                __wbg_call_guard();
                wasm.o1(deferred0_0, deferred0_1, 1);
            }
        },
        e: function() { return handleError(function (arg0, arg1) {
            globalThis.crypto.getRandomValues(getArrayU8FromWasm0(arg0, arg1));
        }, arguments); },
        y1: function() { return handleError(function (arg0, arg1) {
            const ret = Reflect.get(arg0, arg1);
            return ret;
        }, arguments); },
        x: function(arg0, arg1) {
            const ret = arg0[arg1 >>> 0];
            return ret;
        },
        s1: function(arg0, arg1) {
            const ret = arg0[arg1 >>> 0];
            return ret;
        },
        n1: function(arg0) {
            let result;
            try {
                result = arg0 instanceof Function;
            } catch (_) {
                result = false;
            }
            const ret = result;
            return ret;
        },
        o1: function(arg0) {
            const ret = Array.isArray(arg0);
            return ret;
        },
        r1: function(arg0) {
            const ret = Object.keys(arg0);
            return ret;
        },
        f1: function(arg0) {
            const ret = arg0.length;
            return ret;
        },
        d1: function(arg0) {
            const ret = arg0.links;
            return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
        },
        e1: function() {
            const ret = new Array();
            return ret;
        },
        j1: function() {
            const ret = new Object();
            return ret;
        },
        f: function() {
            const ret = Date.now();
            return ret;
        },
        q1: function(arg0, arg1) {
            const ret = arg0.push(arg1);
            return ret;
        },
        w: function(arg0) {
            const ret = arg0.raised;
            return ret;
        },
        c: function() { return handleError(function (arg0, arg1, arg2, arg3) {
            arg0.removeEventListener(getStringFromWasm0(arg1, arg2), arg3);
        }, arguments); },
        g1: function(arg0, arg1) {
            const ret = arg1.requestBody;
            var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.m1, wasm.n1);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        b1: function(arg0) {
            const ret = arg0.requestLength;
            return ret;
        },
        c1: function(arg0) {
            const ret = arg0.retryAfterMs;
            return ret;
        },
        r: function() { return handleError(function (arg0, arg1) {
            const ret = setTimeout(arg0, arg1);
            return ret;
        }, arguments); },
        i1: function() { return handleError(function (arg0, arg1, arg2) {
            const ret = Reflect.set(arg0, arg1, arg2);
            return ret;
        }, arguments); },
        x1: function(arg0, arg1, arg2) {
            arg0[arg1 >>> 0] = arg2;
        },
        v1: function(arg0) {
            const ret = arg0.signal;
            return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
        },
        o: function(arg0, arg1) {
            const ret = arg0.sleep(arg1);
            return ret;
        },
        a: function(arg0, arg1, arg2, arg3, arg4) {
            let deferred0_0;
            let deferred0_1;
            let deferred1_0;
            let deferred1_1;
            try {
                deferred0_0 = arg1;
                deferred0_1 = arg2;
                deferred1_0 = arg3;
                deferred1_1 = arg4;
                arg0.tellFailed(getStringFromWasm0(arg1, arg2), getStringFromWasm0(arg3, arg4));
            } finally {
                __wbg_call_guard();
                wasm.o1(deferred0_0, deferred0_1, 1);
                __wbg_call_guard();
                wasm.o1(deferred1_0, deferred1_1, 1);
            }
        },
        t: function(arg0, arg1, arg2, arg3, arg4, arg5) {
            let deferred0_0;
            let deferred0_1;
            try {
                deferred0_0 = arg1;
                deferred0_1 = arg2;
                arg0.tellWaiting(getStringFromWasm0(arg1, arg2), arg3, getStringFromWasm0(arg4, arg5));
            } finally {
                __wbg_call_guard();
                wasm.o1(deferred0_0, deferred0_1, 1);
            }
        },
        a1: function(arg0, arg1) {
            const ret = arg1.text;
            const ptr1 = passArray8ToWasm0(ret, wasm.m1);
            const len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        u1: function(arg0, arg1, arg2) {
            const ret = arg0.then(arg1, arg2);
            return ret;
        },
        g: function(arg0) {
            const ret = arg0.unit();
            return ret;
        },
        z: function(arg0, arg1) {
            const ret = arg1.usage;
            var ptr1 = isLikeNone(ret) ? 0 : passArray8ToWasm0(ret, wasm.m1);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        k: function(arg0, arg1) {
            const ret = arg1.usage;
            var ptr1 = isLikeNone(ret) ? 0 : passArray8ToWasm0(ret, wasm.m1);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        t1: function(arg0) {
            arg0.wake();
        },
        w1: function(arg0) {
            const ret = arg0.ways;
            return ret;
        },
        c2: function(arg0, arg1) {
            // Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [Externref], shim_idx: 29, ret: Result(Unit), inner_ret: Some(Result(Unit)) }, mutable: true }) -> Externref`.
            const ret = makeMutClosure(arg0, arg1, wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke___wasm_bindgen_53022c2cddaec9e3___JsValue__core_a8cce64bdb92bb79___result__Result_____wasm_bindgen_53022c2cddaec9e3___JsError___true_);
            return ret;
        },
        d2: function(arg0, arg1) {
            // Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [], shim_idx: 9, ret: Unit, inner_ret: Some(Unit) }, mutable: true }) -> Externref`.
            const ret = makeMutClosure(arg0, arg1, wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke_______true_);
            return ret;
        },
        e2: function(arg0) {
            // Cast intrinsic for `F64 -> Externref`.
            const ret = arg0;
            return ret;
        },
        f2: function(arg0, arg1) {
            // Cast intrinsic for `Ref(String) -> Externref`.
            const ret = getStringFromWasm0(arg0, arg1);
            return ret;
        },
        b2: function() {
            const table = wasm.r1;
            table.set(0, undefined);
            table.set(1024, undefined);
            table.set(1025, null);
            table.set(1026, true);
            table.set(1027, false);
        },
    };
    return {
        __proto__: null,
        "a": import0,
    };
}

function __wbg_call_guard() {
    if (__wbg_reinit_scheduled) {
        __wbg_reset_state();
        return;
    }
}
function wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke_______true_(arg0, arg1) {
    __wbg_call_guard();
    wasm.l1(arg0, arg1);
}

function wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke___wasm_bindgen_53022c2cddaec9e3___JsValue__core_a8cce64bdb92bb79___result__Result_____wasm_bindgen_53022c2cddaec9e3___JsError___true_(arg0, arg1, arg2) {
    let ret;
    __wbg_call_guard();
    ret = wasm.k1(arg0, arg1, arg2);
    if (ret[1]) {
        throw takeFromExternrefTable0(ret[0]);
    }
}


let __wbg_instance_id = 0;
const MaskerHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.b(ptr, 1);
});
const OpeningFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.c(ptr, 1);
});
const PolicyHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.d(ptr, 1);
});

function addToExternrefTable0(obj) {
    const idx = wasm.q1();
    wasm.r1.set(idx, obj);
    return idx;
}

function _assertClass(instance, klass) {
    if (!(instance instanceof klass)) {
        throw new Error(`expected instance of ${klass.name}`);
    }
}

const CLOSURE_DTORS = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(state => {
    if (state.instance === __wbg_instance_id) {
        wasm.s1(state.a, state.b);
    }
});

function getArrayF64FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getFloat64ArrayMemory0().subarray(ptr / 8, ptr / 8 + len);
}

function getArrayJsValueFromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    const mem = getDataViewMemory0();
    const result = [];
    for (let i = ptr; i < ptr + 4 * len; i += 4) {
        result.push(wasm.r1.get(mem.getUint32(i, true)));
    }
    wasm.u1(ptr, len);
    return result;
}

function getArrayU8FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint8ArrayMemory0().subarray(ptr / 1, ptr / 1 + len);
}

let cachedDataViewMemory0 = null;
function getDataViewMemory0() {
    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.a.buffer)) {
        cachedDataViewMemory0 = new DataView(wasm.a.buffer);
    }
    return cachedDataViewMemory0;
}

let cachedFloat64ArrayMemory0 = null;
function getFloat64ArrayMemory0() {
    if (cachedFloat64ArrayMemory0 === null || cachedFloat64ArrayMemory0.byteLength === 0) {
        cachedFloat64ArrayMemory0 = new Float64Array(wasm.a.buffer);
    }
    return cachedFloat64ArrayMemory0;
}

function getStringFromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return decodeText(getUint8ArrayMemory0().subarray(ptr, ptr + len));
}

let cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
        cachedUint8ArrayMemory0 = new Uint8Array(wasm.a.buffer);
    }
    return cachedUint8ArrayMemory0;
}

function handleError(f, args) {
    try {
        return f.apply(this, args);
    } catch (e) {
        const idx = addToExternrefTable0(e);
        wasm.p1(idx);
    }
}

function isLikeNone(x) {
    return x === undefined || x === null;
}

function makeMutClosure(arg0, arg1, f) {
    const state = { a: arg0, b: arg1, cnt: 1, instance: __wbg_instance_id };
    const real = (...args) => {

        if (state.instance !== __wbg_instance_id) {
            return;
        }

        // First up with a closure we increment the internal reference
        // count. This ensures that the Rust closure environment won't
        // be deallocated while we're invoking it.
        state.cnt++;
        const a = state.a;
        state.a = 0;
        try {
            return f(a, state.b, ...args);
        } finally {
            state.a = a;
            real._wbg_cb_unref();
        }
    };
    real._wbg_cb_unref = () => {
        if (--state.cnt === 0) {
            wasm.s1(state.a, state.b);
            state.a = 0;
            CLOSURE_DTORS.unregister(state);
        }
    };
    CLOSURE_DTORS.register(real, state, state);
    return real;
}

function passArray8ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 1, 1) >>> 0;
    getUint8ArrayMemory0().set(arg, ptr / 1);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function passArrayF64ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 8, 8) >>> 0;
    getFloat64ArrayMemory0().set(arg, ptr / 8);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function passArrayJsValueToWasm0(array, malloc) {
    const ptr = malloc(array.length * 4, 4) >>> 0;
    for (let i = 0; i < array.length; i++) {
        const add = addToExternrefTable0(array[i]);
        getDataViewMemory0().setUint32(ptr + 4 * i, add, true);
    }
    WASM_VECTOR_LEN = array.length;
    return ptr;
}

function passStringToWasm0(arg, malloc, realloc) {
    if (realloc === undefined) {
        const buf = cachedTextEncoder.encode(arg);
        const ptr = malloc(buf.length, 1) >>> 0;
        getUint8ArrayMemory0().subarray(ptr, ptr + buf.length).set(buf);
        WASM_VECTOR_LEN = buf.length;
        return ptr;
    }

    let len = arg.length;
    let ptr = malloc(len, 1) >>> 0;

    const mem = getUint8ArrayMemory0();

    let offset = 0;

    for (; offset < len; offset++) {
        const code = arg.charCodeAt(offset);
        if (code > 0x7F) break;
        mem[ptr + offset] = code;
    }
    if (offset !== len) {
        if (offset !== 0) {
            arg = arg.slice(offset);
        }
        ptr = realloc(ptr, len, len = offset + arg.length * 3, 1) >>> 0;
        const view = getUint8ArrayMemory0().subarray(ptr + offset, ptr + len);
        const ret = cachedTextEncoder.encodeInto(arg, view);

        offset += ret.written;
        ptr = realloc(ptr, len, offset, 1) >>> 0;
    }

    WASM_VECTOR_LEN = offset;
    return ptr;
}

let __wbg_reinit_scheduled = false;

function takeFromExternrefTable0(idx) {
    const value = wasm.r1.get(idx);
    wasm.t1(idx);
    return value;
}

let cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
cachedTextDecoder.decode();
const MAX_SAFARI_DECODE_BYTES = 2146435072;
let numBytesDecoded = 0;
function decodeText(bytes) {
    numBytesDecoded += bytes.length;
    if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES) {
        cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
        cachedTextDecoder.decode();
        numBytesDecoded = bytes.length;
    }
    return cachedTextDecoder.decode(bytes);
}

const cachedTextEncoder = new TextEncoder();

if (!('encodeInto' in cachedTextEncoder)) {
    cachedTextEncoder.encodeInto = function (arg, view) {
        const buf = cachedTextEncoder.encode(arg);
        view.set(buf);
        return {
            read: arg.length,
            written: buf.length
        };
    };
}

let WASM_VECTOR_LEN = 0;

let wasmModule, wasmInstance, wasm;
function __wbg_finalize_init(instance, module) {
    wasmInstance = instance;
    wasm = instance.exports;
    wasmModule = module;
    cachedDataViewMemory0 = null;
    cachedFloat64ArrayMemory0 = null;
    cachedUint8ArrayMemory0 = null;
    wasm.v1();
    return wasm;
}

function initSync(module) {
    if (wasm !== undefined) return wasm;


    if (module !== undefined) {
        if (Object.getPrototypeOf(module) === Object.prototype) {
            ({module} = module)
        } else {
            console.warn('using deprecated parameters for `initSync()`; pass a single object instead')
        }
    }

    const imports = __wbg_get_imports();
    if (!(module instanceof WebAssembly.Module)) {
        module = new WebAssembly.Module(module);
    }
    const instance = new WebAssembly.Instance(module, imports);
    return __wbg_finalize_init(instance, module);
}

export { initSync };
