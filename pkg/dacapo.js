/* @ts-self-types="./dacapo.d.ts" */

/**
 * The breaker of one key.
 */
export class BreakerHandle {
    static __wrap(ptr) {
        const obj = Object.create(BreakerHandle.prototype);
        obj.__wbg_ptr = ptr;
        Object.defineProperty(obj, '__wbg_inst', { value: __wbg_instance_id, writable: true });

        BreakerHandleFinalization.register(obj, { ptr, instance: __wbg_instance_id }, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        BreakerHandleFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        __wbg_call_guard();
        wasm.b(ptr, 0);

    }
    /**
     * As a guard's `admit`, of a call that another state of this breaker has given the token.
     * @param {number} token
     * @param {number} mono
     * @returns {number}
     */
    admitAs(token, mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.h(this.__wbg_ptr, token, mono);
        return ret;
    }
    /**
     * As `import`, of a state that contains the first `done` deeds.
     * @param {string} text
     * @param {number} done
     * @param {number} mono
     * @param {number} age_ms
     * @returns {boolean}
     */
    adopt(text, done, mono, age_ms) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const val2 = +done;
        const val3 = +mono;
        const val4 = +age_ms;
        const ptr0 = passStringToWasm0(text, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.i(this.__wbg_ptr, ptr0, len0, val2, val3, val4);
        return ret !== 0;
    }
    /**
     * Lets calls pass.
     */
    close() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        __wbg_call_guard();
        wasm.j(this.__wbg_ptr);
    }
    /**
     * How many deeds are kept.
     * @returns {number}
     */
    deeds() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.k(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * The state, as JSON.
     * @param {number} mono
     * @returns {string}
     */
    export(mono) {
        let deferred1_0;
        let deferred1_1;
        try {
            if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
                throw new Error('Invalid stale object from previous Wasm instance');
            }
            let ret;
            __wbg_call_guard();
            ret = wasm.l(this.__wbg_ptr, mono);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            __wbg_call_guard();
            wasm.w2(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * Failed calls that count at this time.
     * @param {number} mono
     * @returns {number}
     */
    failures(mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.m(this.__wbg_ptr, mono);
        return ret >>> 0;
    }
    /**
     * Keeps what happens from now on, for `redo` and `adopt`.
     */
    follow() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        __wbg_call_guard();
        wasm.n(this.__wbg_ptr);
    }
    /**
     * Takes a state that was exported `age_ms` ago; false when it is none.
     * @param {string} text
     * @param {number} mono
     * @param {number} age_ms
     * @returns {boolean}
     */
    import(text, mono, age_ms) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const val2 = +mono;
        const val3 = +age_ms;
        const ptr0 = passStringToWasm0(text, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.o(this.__wbg_ptr, ptr0, len0, val2, val3);
        return ret !== 0;
    }
    /**
     * Refuses every call until it is closed.
     */
    isolate() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        __wbg_call_guard();
        wasm.p(this.__wbg_ptr);
    }
    /**
     * By the policy's option, or its default. `seed` is any random number; one is drawn without.
     * @param {PolicyHandle} policy
     * @param {number | null} [seed]
     */
    constructor(policy, seed) {
        _assertClass(policy, PolicyHandle);
        if ((policy).__wbg_inst !== undefined && (policy).__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.q(policy.__wbg_ptr, !isLikeNone(seed), isLikeNone(seed) ? 0 : seed);
        this.__wbg_ptr = ret;
        Object.defineProperty(this, '__wbg_inst', { value: __wbg_instance_id, writable: true });
        BreakerHandleFinalization.register(this, { ptr: ret, instance: __wbg_instance_id }, this);
        return this;
    }
    /**
     * Does to another breaker what happened to this one.
     * @param {BreakerHandle} onto
     * @param {number} mono
     */
    redo(onto, mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        _assertClass(onto, BreakerHandle);
        if ((onto).__wbg_inst !== undefined && (onto).__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        __wbg_call_guard();
        wasm.r(this.__wbg_ptr, onto.__wbg_ptr, mono);
    }
    /**
     * Milliseconds until a call would be admitted; infinite where no time brings that.
     * @param {number} mono
     * @returns {number}
     */
    retryAfter(mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.s(this.__wbg_ptr, mono);
        return ret;
    }
    /**
     * The same breaker once more, for a guard to keep.
     * @returns {BreakerHandle}
     */
    share() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.t(this.__wbg_ptr);
        return BreakerHandle.__wrap(ret);
    }
    /**
     * 0 closed, 1 open, 2 half-open, 3 isolated.
     * @returns {number}
     */
    state() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.u(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * The oldest change that was not taken yet: 1 + 4 * from + to, by the numbers of `state`;
     * 0 when there is none.
     * @returns {number}
     */
    takeChange() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.v(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * How often it has opened since it was last closed.
     * @returns {number}
     */
    trips() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.w(this.__wbg_ptr);
        return ret >>> 0;
    }
}
if (Symbol.dispose) BreakerHandle.prototype[Symbol.dispose] = BreakerHandle.prototype.free;

/**
 * The budget of one key.
 */
export class BudgetHandle {
    static __wrap(ptr) {
        const obj = Object.create(BudgetHandle.prototype);
        obj.__wbg_ptr = ptr;
        Object.defineProperty(obj, '__wbg_inst', { value: __wbg_instance_id, writable: true });

        BudgetHandleFinalization.register(obj, { ptr, instance: __wbg_instance_id }, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        BudgetHandleFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        __wbg_call_guard();
        wasm.c(ptr, 0);

    }
    /**
     * The state, as JSON.
     * @param {number} mono
     * @returns {string}
     */
    export(mono) {
        let deferred1_0;
        let deferred1_1;
        try {
            if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
                throw new Error('Invalid stale object from previous Wasm instance');
            }
            let ret;
            __wbg_call_guard();
            ret = wasm.x(this.__wbg_ptr, mono);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            __wbg_call_guard();
            wasm.w2(deferred1_0, deferred1_1, 1);
        }
    }
    /**
     * Takes a state that was exported `age_ms` ago; false when it is none.
     * @param {string} text
     * @param {number} mono
     * @param {number} age_ms
     * @returns {boolean}
     */
    import(text, mono, age_ms) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const val2 = +mono;
        const val3 = +age_ms;
        const ptr0 = passStringToWasm0(text, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.y(this.__wbg_ptr, ptr0, len0, val2, val3);
        return ret !== 0;
    }
    /**
     * By the policy's option, or its default.
     * @param {PolicyHandle} policy
     */
    constructor(policy) {
        _assertClass(policy, PolicyHandle);
        if ((policy).__wbg_inst !== undefined && (policy).__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.z(policy.__wbg_ptr);
        this.__wbg_ptr = ret;
        Object.defineProperty(this, '__wbg_inst', { value: __wbg_instance_id, writable: true });
        BudgetHandleFinalization.register(this, { ptr: ret, instance: __wbg_instance_id }, this);
        return this;
    }
    /**
     * Takes over the state of `shared`, and does to it what was done since `base`.
     * @param {BudgetHandle} base
     * @param {BudgetHandle} shared
     * @param {number} mono
     */
    rebase(base, shared, mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        _assertClass(base, BudgetHandle);
        if ((base).__wbg_inst !== undefined && (base).__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        _assertClass(shared, BudgetHandle);
        if ((shared).__wbg_inst !== undefined && (shared).__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        __wbg_call_guard();
        wasm.a1(this.__wbg_ptr, base.__wbg_ptr, shared.__wbg_ptr, mono);
    }
    /**
     * The same budget once more, for a guard to keep.
     * @returns {BudgetHandle}
     */
    share() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.b1(this.__wbg_ptr);
        return BudgetHandle.__wrap(ret);
    }
    /**
     * Tokens left, or retries left in the window.
     * @param {number} mono
     * @returns {number}
     */
    tokens(mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.c1(this.__wbg_ptr, mono);
        return ret;
    }
}
if (Symbol.dispose) BudgetHandle.prototype[Symbol.dispose] = BudgetHandle.prototype.free;

/**
 * What the calls of one key are asked by.
 */
export class GuardHandle {
    static __wrap(ptr) {
        const obj = Object.create(GuardHandle.prototype);
        obj.__wbg_ptr = ptr;
        Object.defineProperty(obj, '__wbg_inst', { value: __wbg_instance_id, writable: true });

        GuardHandleFinalization.register(obj, { ptr, instance: __wbg_instance_id }, obj);
        return obj;
    }
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        GuardHandleFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        __wbg_call_guard();
        wasm.d(ptr, 0);

    }
    /**
     * A token, or -1 - the milliseconds after which it is worth asking again.
     * @param {number} mono
     * @returns {number}
     */
    admit(mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.g1(this.__wbg_ptr, mono);
        return ret;
    }
    /**
     * Keeps both: give it a `share()`.
     * @param {BreakerHandle | null} [breaker]
     * @param {BudgetHandle | null} [budget]
     */
    constructor(breaker, budget) {
        let ptr0 = 0, ptr1 = 0;
        try {
            if (!isLikeNone(breaker)) {
                _assertClass(breaker, BreakerHandle);
                if ((breaker).__wbg_inst !== undefined && (breaker).__wbg_inst !== __wbg_instance_id) {
                    throw new Error('Invalid stale object from previous Wasm instance');
                }
                ptr0 = breaker.__destroy_into_raw();
            }
            if (!isLikeNone(budget)) {
                _assertClass(budget, BudgetHandle);
                if ((budget).__wbg_inst !== undefined && (budget).__wbg_inst !== __wbg_instance_id) {
                    throw new Error('Invalid stale object from previous Wasm instance');
                }
                ptr1 = budget.__destroy_into_raw();
            }
        } catch (e) {
            if (ptr1) wasm.c(ptr1, 1);
            if (ptr0) wasm.b(ptr0, 1);
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.h1(ptr0, ptr1);
        this.__wbg_ptr = ret;
        Object.defineProperty(this, '__wbg_inst', { value: __wbg_instance_id, writable: true });
        GuardHandleFinalization.register(this, { ptr: ret, instance: __wbg_instance_id }, this);
        return this;
    }
    /**
     * Reports a call that the engine does not drive: 0 it succeeded at once, 1 it says
     * nothing of the target, 2 the target is unwell.
     * @param {number} token
     * @param {number} outcome
     * @param {number} mono
     */
    report(token, outcome, mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        __wbg_call_guard();
        wasm.i1(this.__wbg_ptr, token, outcome, mono);
    }
    /**
     * The same guard once more, for the engine to keep.
     * @returns {GuardHandle}
     */
    share() {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.j1(this.__wbg_ptr);
        return GuardHandle.__wrap(ret);
    }
    /**
     * Takes the cost of one more send from the budget; false when there is not so much.
     * @param {boolean} throttled
     * @param {number} mono
     * @returns {boolean}
     */
    withdraw(throttled, mono) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.k1(this.__wbg_ptr, throttled, mono);
        return ret !== 0;
    }
}
if (Symbol.dispose) GuardHandle.prototype[Symbol.dispose] = GuardHandle.prototype.free;

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
        wasm.e(ptr, 0);

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
        const ptr0 = passStringToWasm0(text, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.p1(this.__wbg_ptr, ptr0, len0);
        let v2;
        if (ret[0] !== 0) {
            v2 = getStringFromWasm0(ret[0], ret[1]);
            wasm.w2(ret[0], ret[1] * 1, 1);
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
        wasm.f(ptr, 0);

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
        ret = wasm.r1(this.__wbg_ptr);
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
        ret = wasm.s1(this.__wbg_ptr);
        var v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.w2(ret[0], ret[1] * 1, 1);
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
        ret = wasm.t1(this.__wbg_ptr);
        return ret;
    }
    /**
     * `streams_array` says that the request was for a streamed JSON array.
     * @param {string | null | undefined} content_type
     * @param {boolean} streams_array
     */
    constructor(content_type, streams_array) {
        const val2 = +streams_array;
        var ptr0 = isLikeNone(content_type) ? 0 : passStringToWasm0(content_type, wasm.u2, wasm.v2);
        var len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.u1(ptr0, len0, val2);
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
        const ptr0 = passArray8ToWasm0(bytes, wasm.u2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.v1(this.__wbg_ptr, ptr0, len0);
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
        ret = wasm.w1(this.__wbg_ptr);
        let v1;
        if (ret[0] !== 0) {
            v1 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
            wasm.w2(ret[0], ret[1] * 1, 1);
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
        wasm.g(ptr, 0);

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
        ret = wasm.y1(this.__wbg_ptr, n, unit);
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
            ret = wasm.z1(this.__wbg_ptr, facts, wall);
            deferred1_0 = ret[0];
            deferred1_1 = ret[1];
            return getStringFromWasm0(ret[0], ret[1]);
        } finally {
            __wbg_call_guard();
            wasm.w2(deferred1_0, deferred1_1, 1);
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
        ret = wasm.a2(this.__wbg_ptr);
        return ret;
    }
    /**
     * How long a hedge may take, below zero for no limit, and whether that is by the deadline;
     * empty where none may be made: see [`Policy::hedge`].
     * @param {number} sends
     * @param {string} method
     * @param {number} elapsed_ms
     * @returns {Float64Array}
     */
    hedge(sends, method, elapsed_ms) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const val2 = +sends;
        const val3 = +elapsed_ms;
        const ptr0 = passStringToWasm0(method, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.b2(this.__wbg_ptr, val2, ptr0, len0, val3);
        var v4 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.w2(ret[0], ret[1] * 8, 8);
        return v4;
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
            ptr0 = passStringToWasm0(url, wasm.u2, wasm.v2);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passStringToWasm0(headers, wasm.u2, wasm.v2);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.c2(this.__wbg_ptr, ptr0, len0, ptr1, len1);
        return MaskerHandle.__wrap(ret);
    }
    /**
     * Whether a call that failed so may go on to another target, a function of the caller's apart.
     * @param {string} kind
     * @returns {boolean}
     */
    mayFallOver(kind) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const ptr0 = passStringToWasm0(kind, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.d2(this.__wbg_ptr, ptr0, len0);
        return ret !== 0;
    }
    /**
     * Throws an array of `[option, code, allowed]`, one for each fault.
     * @param {any} options
     */
    constructor(options) {
        let ret;
        __wbg_call_guard();
        ret = wasm.e2(options);
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
        ret = wasm.f2(this.__wbg_ptr);
        var v1 = getArrayF64FromWasm0(ret[0], ret[1]).slice();
        wasm.w2(ret[0], ret[1] * 8, 8);
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
        ret = wasm.g2(this.__wbg_ptr);
        return ret;
    }
    /**
     * Every secret that a request carries.
     * @param {string} url
     * @param {string} headers
     * @returns {string[]}
     */
    secrets(url, headers) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = passStringToWasm0(url, wasm.u2, wasm.v2);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passStringToWasm0(headers, wasm.u2, wasm.v2);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.h2(this.__wbg_ptr, ptr0, len0, ptr1, len1);
        var v3 = getArrayJsValueFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 4, 4);
        return v3;
    }
    /**
     * What another server may have of a request: the URL, then name, value, name, value, …
     * @param {string} url
     * @param {string} headers
     * @returns {string[]}
     */
    withoutCredentials(url, headers) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = passStringToWasm0(url, wasm.u2, wasm.v2);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passStringToWasm0(headers, wasm.u2, wasm.v2);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.i2(this.__wbg_ptr, ptr0, len0, ptr1, len1);
        var v3 = getArrayJsValueFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 4, 4);
        return v3;
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
    wasm.d3();
}

/**
 * Drops a call that broke off.
 * @param {number} call
 */
export function driveDrop(call) {
    __wbg_call_guard();
    wasm.d1(call);
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
    wasm.e1(call, mono, wall, standing);
}

/**
 * Takes a call that began at `began` by the monotonic clock and whose first attempt was made
 * outside and failed; without that, the host tells of the first attempt as of any other. Lets
 * it go on as far as it can; it may have ended by then. Under a guard it was admitted with
 * `token`, and reports when it ends; a call that is resumed has the ledger of what was before.
 * @param {PolicyHandle} policy
 * @param {any} host
 * @param {number} began
 * @param {number} mono
 * @param {number} wall
 * @param {any | null | undefined} first
 * @param {GuardHandle | null | undefined} guard
 * @param {number} token
 * @param {Float64Array | number[] | null} [earlier]
 * @returns {number}
 */
export function driveStart(policy, host, began, mono, wall, first, guard, token, earlier) {
    _assertClass(policy, PolicyHandle);
    if ((policy).__wbg_inst !== undefined && (policy).__wbg_inst !== __wbg_instance_id) {
        throw new Error('Invalid stale object from previous Wasm instance');
    }
    const val3 = +began;
    const val4 = +mono;
    const val5 = +wall;
    const val6 = +token;
    let ptr0 = 0, ptr1, len1;
    try {
        if (!isLikeNone(guard)) {
            _assertClass(guard, GuardHandle);
            if ((guard).__wbg_inst !== undefined && (guard).__wbg_inst !== __wbg_instance_id) {
                throw new Error('Invalid stale object from previous Wasm instance');
            }
            ptr0 = guard.__destroy_into_raw();
        }
        ptr1 = isLikeNone(earlier) ? 0 : passArrayF64ToWasm0(earlier, wasm.u2);
        len1 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr1) { wasm.w2(ptr1, len1 * 8, 8); }
        if (ptr0) wasm.d(ptr0, 1);
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.f1(policy.__wbg_ptr, host, val3, val4, val5, isLikeNone(first) ? 0 : addToExternrefTable0(first), ptr0, val6, ptr1, len1);
    return ret >>> 0;
}

/**
 * What the body of a 2xx JSON answer is: 0 an answer, 1 a failure told in band, 2 cut
 * short, 3 not JSON.
 * @param {Uint8Array | number[]} body
 * @returns {number}
 */
export function inspect(body) {
    const ptr0 = passArray8ToWasm0(body, wasm.u2);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.l1(ptr0, len0);
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
    const ptr0 = passStringToWasm0(json, wasm.u2, wasm.v2);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.m1(ptr0, len0);
    return ret;
}

/**
 * VernLLM's name for a kind, with a `!` behind it where the kind is retryable; undefined for
 * a name that is none.
 * @param {string} name
 * @returns {string | undefined}
 */
export function kindRow(name) {
    const ptr0 = passStringToWasm0(name, wasm.u2, wasm.v2);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.n1(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 1, 1);
    }
    return v2;
}

/**
 * The text without secrets of a known shape; undefined when it held none.
 * @param {string} text
 * @returns {string | undefined}
 */
export function maskText(text) {
    const ptr0 = passStringToWasm0(text, wasm.u2, wasm.v2);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.o1(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 1, 1);
    }
    return v2;
}

/**
 * The kind's name that a wrong one was probably meant to be.
 * @param {string} name
 * @returns {string | undefined}
 */
export function nearestKind(name) {
    const ptr0 = passStringToWasm0(name, wasm.u2, wasm.v2);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.q1(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 1, 1);
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
        ptr0 = passStringToWasm0(value, wasm.u2, wasm.v2);
        len0 = WASM_VECTOR_LEN;
        ptr1 = isLikeNone(date) ? 0 : passStringToWasm0(date, wasm.u2, wasm.v2);
        len1 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
        if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.x1(ptr0, len0, val3, ptr1, len1);
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
    var ptr0 = isLikeNone(code) ? 0 : passStringToWasm0(code, wasm.u2, wasm.v2);
    var len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.j2(val2, ptr0, len0);
    let v3;
    if (ret[0] !== 0) {
        v3 = getStringFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 1, 1);
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
        ptr0 = passStringToWasm0(fields, wasm.u2, wasm.v2);
        len0 = WASM_VECTOR_LEN;
        ptr1 = passArrayJsValueToWasm0(headers, wasm.u2);
        len1 = WASM_VECTOR_LEN;
        ptr2 = passArrayJsValueToWasm0(query, wasm.u2);
        len2 = WASM_VECTOR_LEN;
        ptr3 = passArrayJsValueToWasm0(values, wasm.u2);
        len3 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr3) { wasm.c3(ptr3, len3); wasm.w2(ptr3, len3 * 4, 4); }
        if (ptr2) { wasm.c3(ptr2, len2); wasm.w2(ptr2, len2 * 4, 4); }
        if (ptr1) { wasm.c3(ptr1, len1); wasm.w2(ptr1, len1 * 4, 4); }
        if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.k2(ptr0, len0, ptr1, len1, ptr2, len2, ptr3, len3);
    var v5 = getArrayJsValueFromWasm0(ret[0], ret[1]);
    wasm.w2(ret[0], ret[1] * 4, 4);
    return v5;
}

/**
 * The URL for use; undefined when it has no userinfo.
 * @param {string} url
 * @returns {string | undefined}
 */
export function sanitizeBaseUrl(url) {
    const ptr0 = passStringToWasm0(url, wasm.u2, wasm.v2);
    const len0 = WASM_VECTOR_LEN;
    let ret;
    __wbg_call_guard();
    ret = wasm.l2(ptr0, len0);
    let v2;
    if (ret[0] !== 0) {
        v2 = getStringFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 1, 1);
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
        const ptr0 = passStringToWasm0(url, wasm.u2, wasm.v2);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ret = wasm.m2(ptr0, len0);
        deferred2_0 = ret[0];
        deferred2_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        __wbg_call_guard();
        wasm.w2(deferred2_0, deferred2_1, 1);
    }
}

/**
 * Whether a stream that was passed through had come to its end: 0 no, 1 yes, 2 with a
 * failure told in band. `head` is the beginning of the frame that `tail` begins inside of, if it does. `open` is twice
 * the open brackets of a JSON array, and one more for a text.
 * @param {number} format
 * @param {Uint8Array | number[]} head
 * @param {Uint8Array | number[]} tail
 * @param {number} open
 * @returns {number}
 */
export function streamEnded(format, head, tail, open) {
    const val3 = +format;
    const val4 = +open;
    let ptr0, len0, ptr1, len1;
    try {
        ptr0 = passArray8ToWasm0(head, wasm.u2);
        len0 = WASM_VECTOR_LEN;
        ptr1 = passArray8ToWasm0(tail, wasm.u2);
        len1 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
        if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.n2(val3, ptr0, len0, ptr1, len1, val4);
    return ret;
}

/**
 * The failure's body as JSON that the last bytes tell of which `streamEnded` says 2; undefined
 * where it is not whole.
 * @param {number} format
 * @param {Uint8Array | number[]} head
 * @param {Uint8Array | number[]} tail
 * @param {number} open
 * @returns {Uint8Array | undefined}
 */
export function streamFailure(format, head, tail, open) {
    const val3 = +format;
    const val4 = +open;
    let ptr0, len0, ptr1, len1;
    try {
        ptr0 = passArray8ToWasm0(head, wasm.u2);
        len0 = WASM_VECTOR_LEN;
        ptr1 = passArray8ToWasm0(tail, wasm.u2);
        len1 = WASM_VECTOR_LEN;
    } catch (e) {
        if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
        if (ptr0) { wasm.w2(ptr0, len0 * 1, 1); }
        throw e;
    }
    let ret;
    __wbg_call_guard();
    ret = wasm.o2(val3, ptr0, len0, ptr1, len1, val4);
    let v5;
    if (ret[0] !== 0) {
        v5 = getArrayU8FromWasm0(ret[0], ret[1]).slice();
        wasm.w2(ret[0], ret[1] * 1, 1);
    }
    return v5;
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
            ptr0 = passArrayF64ToWasm0(numbers, wasm.u2);
            len0 = WASM_VECTOR_LEN;
            ptr1 = isLikeNone(usage) ? 0 : passArray8ToWasm0(usage, wasm.u2);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.w2(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.w2(ptr0, len0 * 8, 8); }
            throw e;
        }
        let ret;
        __wbg_call_guard();
        ret = wasm.p2(policy.__wbg_ptr, ptr0, len0, isLikeNone(failed) ? 0 : addToExternrefTable0(failed), ptr1, len1);
        deferred3_0 = ret[0];
        deferred3_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        __wbg_call_guard();
        wasm.w2(deferred3_0, deferred3_1, 1);
    }
}

/**
 * A random UUID (RFC 9562 version 4); undefined where the runtime has no randomness.
 * @returns {string | undefined}
 */
export function uuid() {
    let ret;
    __wbg_call_guard();
    ret = wasm.q2();
    let v1;
    if (ret[0] !== 0) {
        v1 = getStringFromWasm0(ret[0], ret[1]);
        wasm.w2(ret[0], ret[1] * 1, 1);
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
        ret = wasm.r2();
        deferred1_0 = ret[0];
        deferred1_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        __wbg_call_guard();
        wasm.w2(deferred1_0, deferred1_1, 1);
    }
}
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        h: function(arg0) {
            const v = arg0;
            const ret = typeof(v) === 'boolean' ? v : undefined;
            return isLikeNone(ret) ? 0xFFFFFF : ret ? 1 : 0;
        },
        p: function(arg0) {
            const ret = !arg0;
            return ret;
        },
        m1: function(arg0) {
            const ret = typeof(arg0) === 'function';
            return ret;
        },
        g: function(arg0) {
            const ret = arg0 === null;
            return ret;
        },
        r1: function(arg0) {
            const val = arg0;
            const ret = typeof(val) === 'object' && val !== null;
            return ret;
        },
        o1: function(arg0) {
            const ret = typeof(arg0) === 'string';
            return ret;
        },
        n1: function(arg0) {
            const ret = arg0 === undefined;
            return ret;
        },
        f: function(arg0, arg1) {
            const obj = arg1;
            const ret = typeof(obj) === 'number' ? obj : undefined;
            getDataViewMemory0().setFloat64((arg0 >>> 0) + 8 * 1, isLikeNone(ret) ? 0 : ret, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, !isLikeNone(ret), true);
        },
        c2: function(arg0, arg1) {
            const obj = arg1;
            const ret = typeof(obj) === 'string' ? obj : undefined;
            var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.u2, wasm.v2);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        d2: function(arg0, arg1) {
            throw new Error(getStringFromWasm0(arg0, arg1));
        },
        d: function(arg0) {
            arg0._wbg_cb_unref();
        },
        m: function(arg0) {
            const ret = arg0.aborted;
            return ret;
        },
        n: function() { return handleError(function (arg0, arg1, arg2, arg3) {
            arg0.addEventListener(getStringFromWasm0(arg1, arg2), arg3);
        }, arguments); },
        k: function(arg0, arg1, arg2) {
            let deferred0_0;
            let deferred0_1;
            try {
                deferred0_0 = arg1;
                deferred0_1 = arg2;
                const ret = arg0.announce(getStringFromWasm0(arg1, arg2));
                return ret;
            } finally {
                __wbg_call_guard();
                wasm.w2(deferred0_0, deferred0_1, 1);
            }
        },
        j: function(arg0, arg1, arg2, arg3, arg4) {
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
                wasm.w2(deferred0_0, deferred0_1, 1);
                __wbg_call_guard();
                wasm.w2(deferred1_0, deferred1_1, 1);
            }
        },
        e1: function(arg0) {
            const ret = arg0.attempt;
            return ret;
        },
        r: function(arg0, arg1, arg2, arg3) {
            arg0.begin(arg1 >>> 0, arg2, arg3 !== 0);
        },
        s: function(arg0) {
            const ret = arg0.bits;
            return ret;
        },
        v: function(arg0, arg1) {
            const ret = arg1.body;
            var ptr1 = isLikeNone(ret) ? 0 : passArray8ToWasm0(ret, wasm.u2);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        b: function(arg0) {
            const ret = clearTimeout(arg0);
            return ret;
        },
        i: function(arg0) {
            const ret = arg0.facts;
            return ret;
        },
        j1: function(arg0, arg1, arg2, arg3, arg4) {
            let deferred0_0;
            let deferred0_1;
            try {
                deferred0_0 = arg3;
                deferred0_1 = arg4;
                arg0.finish(arg1 === 0 ? undefined : getStringFromWasm0(arg1, arg2), getStringFromWasm0(arg3, arg4));
            } finally {
                __wbg_call_guard();
                wasm.w2(deferred0_0, deferred0_1, 1);
            }
        },
        h1: function() { return handleError(function (arg0, arg1) {
            globalThis.crypto.getRandomValues(getArrayU8FromWasm0(arg0, arg1));
        }, arguments); },
        b2: function() { return handleError(function (arg0, arg1) {
            const ret = Reflect.get(arg0, arg1);
            return ret;
        }, arguments); },
        u: function(arg0, arg1) {
            const ret = arg0[arg1 >>> 0];
            return ret;
        },
        u1: function(arg0, arg1) {
            const ret = arg0[arg1 >>> 0];
            return ret;
        },
        p1: function(arg0) {
            let result;
            try {
                result = arg0 instanceof Function;
            } catch (_) {
                result = false;
            }
            const ret = result;
            return ret;
        },
        q1: function(arg0) {
            const ret = Array.isArray(arg0);
            return ret;
        },
        t1: function(arg0) {
            const ret = Object.keys(arg0);
            return ret;
        },
        c1: function(arg0) {
            const ret = arg0.length;
            return ret;
        },
        a1: function(arg0) {
            const ret = arg0.links;
            return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
        },
        b1: function() {
            const ret = new Array();
            return ret;
        },
        l1: function() {
            const ret = new Object();
            return ret;
        },
        i1: function() {
            const ret = Date.now();
            return ret;
        },
        s1: function(arg0, arg1) {
            const ret = arg0.push(arg1);
            return ret;
        },
        t: function(arg0) {
            const ret = arg0.raised;
            return ret;
        },
        c: function() { return handleError(function (arg0, arg1, arg2, arg3) {
            arg0.removeEventListener(getStringFromWasm0(arg1, arg2), arg3);
        }, arguments); },
        d1: function(arg0, arg1) {
            const ret = arg1.requestBody;
            var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.u2, wasm.v2);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        y: function(arg0) {
            const ret = arg0.requestLength;
            return ret;
        },
        z: function(arg0) {
            const ret = arg0.retryAfterMs;
            return ret;
        },
        f1: function(arg0) {
            const ret = arg0.sentAt;
            return ret;
        },
        o: function() { return handleError(function (arg0, arg1) {
            const ret = setTimeout(arg0, arg1);
            return ret;
        }, arguments); },
        k1: function() { return handleError(function (arg0, arg1, arg2) {
            const ret = Reflect.set(arg0, arg1, arg2);
            return ret;
        }, arguments); },
        a2: function(arg0, arg1, arg2) {
            arg0[arg1 >>> 0] = arg2;
        },
        y1: function(arg0) {
            const ret = arg0.signal;
            return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
        },
        l: function(arg0, arg1) {
            const ret = arg0.sleep(arg1);
            return ret;
        },
        a: function(arg0) {
            const ret = arg0.takeBeside();
            return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
        },
        w1: function(arg0, arg1, arg2, arg3, arg4) {
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
                wasm.w2(deferred0_0, deferred0_1, 1);
                __wbg_call_guard();
                wasm.w2(deferred1_0, deferred1_1, 1);
            }
        },
        q: function(arg0, arg1, arg2, arg3, arg4, arg5) {
            let deferred0_0;
            let deferred0_1;
            try {
                deferred0_0 = arg1;
                deferred0_1 = arg2;
                arg0.tellWaiting(getStringFromWasm0(arg1, arg2), arg3, getStringFromWasm0(arg4, arg5));
            } finally {
                __wbg_call_guard();
                wasm.w2(deferred0_0, deferred0_1, 1);
            }
        },
        x: function(arg0, arg1) {
            const ret = arg1.text;
            const ptr1 = passArray8ToWasm0(ret, wasm.u2);
            const len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        x1: function(arg0, arg1, arg2) {
            const ret = arg0.then(arg1, arg2);
            return ret;
        },
        e: function(arg0) {
            const ret = arg0.unit();
            return ret;
        },
        w: function(arg0, arg1) {
            const ret = arg1.usage;
            var ptr1 = isLikeNone(ret) ? 0 : passArray8ToWasm0(ret, wasm.u2);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        g1: function(arg0, arg1) {
            const ret = arg1.usage;
            var ptr1 = isLikeNone(ret) ? 0 : passArray8ToWasm0(ret, wasm.u2);
            var len1 = WASM_VECTOR_LEN;
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
            getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
        },
        v1: function(arg0) {
            arg0.wake();
        },
        z1: function(arg0) {
            const ret = arg0.ways;
            return ret;
        },
        f2: function(arg0, arg1) {
            // Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [Externref], shim_idx: 28, ret: Result(Unit), inner_ret: Some(Result(Unit)) }, mutable: true }) -> Externref`.
            const ret = makeMutClosure(arg0, arg1, wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke___wasm_bindgen_53022c2cddaec9e3___JsValue__core_a8cce64bdb92bb79___result__Result_____wasm_bindgen_53022c2cddaec9e3___JsError___true_);
            return ret;
        },
        g2: function(arg0, arg1) {
            // Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [], shim_idx: 8, ret: Unit, inner_ret: Some(Unit) }, mutable: true }) -> Externref`.
            const ret = makeMutClosure(arg0, arg1, wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke_______true_);
            return ret;
        },
        h2: function(arg0) {
            // Cast intrinsic for `F64 -> Externref`.
            const ret = arg0;
            return ret;
        },
        i2: function(arg0, arg1) {
            // Cast intrinsic for `Ref(String) -> Externref`.
            const ret = getStringFromWasm0(arg0, arg1);
            return ret;
        },
        e2: function() {
            const table = wasm.z2;
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
    wasm.t2(arg0, arg1);
}

function wasm_bindgen_53022c2cddaec9e3___convert__closures_____invoke___wasm_bindgen_53022c2cddaec9e3___JsValue__core_a8cce64bdb92bb79___result__Result_____wasm_bindgen_53022c2cddaec9e3___JsError___true_(arg0, arg1, arg2) {
    let ret;
    __wbg_call_guard();
    ret = wasm.s2(arg0, arg1, arg2);
    if (ret[1]) {
        throw takeFromExternrefTable0(ret[0]);
    }
}


let __wbg_instance_id = 0;
const BreakerHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.b(ptr, 1);
});
const BudgetHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.c(ptr, 1);
});
const GuardHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.d(ptr, 1);
});
const MaskerHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.e(ptr, 1);
});
const OpeningFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.f(ptr, 1);
});
const PolicyHandleFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(({ ptr, instance }) => {
    if (instance === __wbg_instance_id) wasm.g(ptr, 1);
});

function addToExternrefTable0(obj) {
    const idx = wasm.y2();
    wasm.z2.set(idx, obj);
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
        wasm.a3(state.a, state.b);
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
        result.push(wasm.z2.get(mem.getUint32(i, true)));
    }
    wasm.c3(ptr, len);
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
        wasm.x2(idx);
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
            wasm.a3(state.a, state.b);
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
    const value = wasm.z2.get(idx);
    wasm.b3(idx);
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
    wasm.d3();
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
