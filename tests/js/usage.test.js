import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, retry, RetryError } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { failed, json, stubFetch, unusual, URL_ } from './lib/stub.js';
import { vectors } from './lib/vectors.js';

const POST = { method: 'POST', body: '{}' };
const WASTE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const USAGE = { prompt_tokens: 7, completion_tokens: 20, total_tokens: 27 };

/** A failure told inside a 200 after work that cost tokens, and an answer. */
const costly = () => json({ error: { code: 502, message: 'upstream' }, usage: WASTE });
const answer = () => json({ choices: [], usage: USAGE });

/** Makes a call and gives its history. */
async function historyAfter(answers, { options = {}, init = POST } = {}) {
  const fetch = createFetch({ fetch: stubFetch(...answers), clock: fakeClock(), ...options });
  return historyOf(await fetch(URL_, init).catch((error) => error));
}

/** Runs an operation that gives or throws its outcomes, one by one, and gives its history. */
async function historyOfRun(outcomes, options = {}) {
  const left = [...outcomes];
  const operation = () => {
    const outcome = left.length > 1 ? left.shift() : left[0];
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return historyOf(await retry(operation, { clock: fakeClock(), ...options }).catch((error) => error));
}

function overloaded(members = {}) {
  return Object.assign(new Error('overloaded'), { status: 529, ...members });
}

const wasted = ({ retry: { wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens } }) => [wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens];

// ---------------------------------------------------------------- elelem's rules

test('usage.total counts only the attempt that succeeded, billedTotalTokens adds the waste of the others', async () => {
  const history = await historyAfter([costly, costly, answer]);
  assert.deepEqual(history.usage, { prompt: 7, completion: 20, total: 27, reasoning: 0, cacheRead: 0, cacheWrite: 0, billedTotalTokens: 47 });
  assert.deepEqual(wasted(history), [14, 6, 20]);
  assert.equal(history.retry.wasteIsLowerBound, false);
});

test('a run that was retried twice bills for three attempts', async () => {
  const { retry: ledger, usage } = await historyAfter([costly, costly, answer]);
  assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts], [3, 2]);
  assert.equal(usage.billedTotalTokens, usage.total + ledger.wastedTotalTokens);
});

test('when no attempt succeeded the total is 0 and the ledger has the entire spend', async () => {
  const history = await historyAfter([costly]);
  assert.deepEqual(history.usage, { prompt: 0, completion: 0, total: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, billedTotalTokens: 30 });
  assert.deepEqual(wasted(history), [21, 9, 30]);
});

test('the error of a run that failed outright carries the ledger and the failed attempts', async () => {
  const clock = fakeClock();
  const error = await retry(() => { throw overloaded({ usage: WASTE }); }, { clock }).catch((thrown) => thrown);
  assert.equal(error.retry.wastedTotalTokens, 30);
  assert.equal(error.retry.failedAttempts, 3);
  assert.deepEqual(error.attempts.map(({ tokens }) => tokens), [{ prompt: 7, completion: 3, total: 10 }, { prompt: 7, completion: 3, total: 10 }]);
  assert.deepEqual(error.retry, historyOf(error).retry);
  assert.equal(historyOf(error).usage.billedTotalTokens, 30);
  assert.equal(JSON.parse(JSON.stringify(error)).retry.wastedTotalTokens, 30);
});

test('onRetry is shown what the attempt cost', async () => {
  const seen = [];
  await historyAfter([costly, answer], { options: { onRetry: ({ tokens }) => { seen.push(tokens); } } });
  assert.deepEqual(seen, [{ prompt: 7, completion: 3, total: 10 }]);
});

test('a run that onRetry aborts keeps its ledger', async () => {
  const stop = new Error('too dear');
  const history = await historyAfter([costly, answer], { options: { onRetry: () => { throw stop; } } });
  assert.deepEqual([history.mark, wasted(history), history.usage.billedTotalTokens], ['hook_error', [7, 3, 10], 10]);
});

// ---------------------------------------------------------------- every exit

test('a cancel in the wait keeps the ledger', async () => {
  const controller = new AbortController();
  const clock = fakeClock();
  clock.sleep = () => {
    controller.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const history = await historyAfter([costly, answer], { options: { clock }, init: { ...POST, signal: controller.signal } });
  assert.deepEqual([history.mark, wasted(history), history.usage.total, history.usage.billedTotalTokens], ['cancelled', [7, 3, 10], 0, 10]);
});

test('a cancel in flight keeps the ledger, which is then a lower bound', async () => {
  const controller = new AbortController();
  const hang = () => {
    controller.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const history = await historyAfter([costly, hang], { init: { ...POST, signal: controller.signal } });
  assert.deepEqual([wasted(history), history.retry.wasteIsLowerBound], [[7, 3, 10], true]);
});

test('a deadline, a veto and a failure that is not retried keep the ledger', async () => {
  const permanent = () => json({ error: { code: 'context_length_exceeded' }, usage: WASTE });
  for (const [answers, options, mark] of [
    [[costly], { deadlineMs: 100 }, 'deadline_exceeded'],
    [[costly], { shouldRetry: () => false }, 'hook_veto'],
    [[permanent], {}, 'not_retryable'],
  ]) {
    const history = await historyAfter(answers, { options });
    assert.deepEqual([history.mark, wasted(history), history.usage.billedTotalTokens], [mark, [7, 3, 10], 10]);
  }
});

test('the settled event has the usage', async () => {
  const events = [];
  await historyAfter([costly, answer], { options: { onEvent: (event) => events.push(event) } });
  assert.equal(events.at(-1).history.usage.billedTotalTokens, 37);
});

// ---------------------------------------------------------------- createFetch

test('usage of a failed attempt is read from a 200 that failed, was cut short or was no JSON, and from an error body', async () => {
  for (const [first, options] of [
    [costly],
    [() => json(`{"usage":${JSON.stringify(WASTE)},"choices":[{"mess`)],
    [() => json(`{"usage":${JSON.stringify(WASTE)}} and more`), { expect: 'json' }],
    [() => json({ error: { message: 'm' }, usage: WASTE }, { status: 500 })],
  ]) {
    const history = await historyAfter([first, answer], { options });
    assert.deepEqual([wasted(history), history.retry.wasteIsLowerBound], [[7, 3, 10], false]);
    assert.deepEqual(history.attempts[0].tokens, { prompt: 7, completion: 3, total: 10 });
  }
});

test('a body that breaks off after its usage still tells it', async () => {
  const broken = () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`{"usage":${JSON.stringify(WASTE)},"choices":[`));
        // Breaking off drops what nobody has read yet.
        setTimeout(() => controller.error(new TypeError('terminated')), 5);
      },
    });
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };
  const history = await historyAfter([broken, answer]);
  assert.deepEqual([history.attempts[0].error.code, wasted(history)], ['truncated', [7, 3, 10]]);
});

test('the waste is a lower bound when an attempt that may have cost tokens told of none', async () => {
  for (const [first, expected] of [
    [new TypeError('terminated'), true],
    [() => json({ error: { code: 502 } }), true],
    [() => json('{"choices":[{'), true],
    [costly, false],
    [() => json({ error: { code: 502 }, usage: { prompt_tokens: 0, completion_tokens: 0 } }), false],
    [429, false],
    [503, false],
    [() => json({ error: { code: 502 }, usage: null }), true],
  ]) {
    const { retry: ledger } = await historyAfter([first, answer]);
    assert.deepEqual([ledger.totalAttempts, ledger.wasteIsLowerBound], [2, expected]);
  }
  const redirect = await historyAfter([() => unusual({ type: 'opaqueredirect', status: 0, ok: false })]);
  assert.equal(redirect.retry.wasteIsLowerBound, false);
});

test('the usage of an answer that is not inspected is not known, and the waste is', async () => {
  const text = () => new Response(JSON.stringify({ usage: USAGE }), { headers: { 'content-type': 'text/plain' } });
  const history = await historyAfter([costly, text]);
  assert.ok(!('usage' in history));
  assert.deepEqual(wasted(history), [7, 3, 10]);
  assert.ok(!('usage' in await historyAfter([503, answer], { options: { inspectOk: false } })));
});

test('a call of which nothing told of tokens has no usage', async () => {
  assert.ok(!('usage' in await historyAfter([503, 200])));
  assert.ok(!('usage' in await historyAfter([503])));
});

test('the answer is delivered with all its bytes after it was counted', async () => {
  const fetch = createFetch({ fetch: stubFetch(503, answer), clock: fakeClock() });
  const response = await fetch(URL_, POST);
  assert.deepEqual(await response.json(), { choices: [], usage: USAGE });
});

test('a call that succeeds at once has no history and no usage', async () => {
  const fetch = createFetch({ fetch: stubFetch(answer), clock: fakeClock() });
  assert.equal(historyOf(await fetch(URL_, POST)), undefined);
});

test('every vector gives its usage in the history of a call', async () => {
  let count = 0;
  for (const { name, body, text, usage } of vectors('usage').usage) {
    // A body that is cut or tells of an error is a failure.
    if (body === undefined || 'error' in body) continue;
    count += 1;
    const history = await historyAfter([503, () => json(body)]);
    const total = usage?.total ?? 0;
    const expected = { prompt: 0, completion: 0, total, reasoning: 0, cacheRead: 0, cacheWrite: 0, billedTotalTokens: total };
    assert.deepEqual(history.usage, usage === null ? undefined : { ...expected, ...usage }, name);
  }
  assert.ok(count >= 45);
});

test('every vector gives its usage through the option usage as well', async () => {
  for (const { name, body, usage } of vectors('usage').usage) {
    if (body?.usage === undefined || body.usage === null) continue;
    const told = (await historyOfRun([overloaded(), body.usage], { usage: (outcome) => outcome })).usage;
    assert.deepEqual([told?.prompt, told?.completion, told?.total], usage === null ? [undefined, undefined, undefined] : [usage.prompt ?? 0, usage.completion ?? 0, usage.total], name);
  }
});

// ---------------------------------------------------------------- retry

test('an operation\'s usage is found in its result', async () => {
  for (const result of [
    { usage: USAGE },
    { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 20, totalTokenCount: 27 } },
    { usage_metadata: { input_tokens: 7, output_tokens: 20, total_tokens: 27 } },
    { response: { usage: USAGE } },
    { data: { usage: USAGE }, response: {}, request_id: 'r' },
    { prompt_eval_count: 7, eval_count: 20 },
    { meta: { tokens: { input_tokens: 7, output_tokens: 20 } } },
    { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, totalUsage: { inputTokens: 7, outputTokens: 20, totalTokens: 27 } },
    { data: { usage: WASTE }, usage: USAGE },
  ]) {
    const { usage } = await historyOfRun([overloaded({ usage: WASTE }), result]);
    assert.deepEqual([usage?.prompt, usage?.completion, usage?.total, usage?.billedTotalTokens], [7, 20, 27, 37], JSON.stringify(result));
  }
});

test('an operation\'s waste is found in what it throws', async () => {
  for (const error of [
    overloaded({ usage: WASTE }),
    overloaded({ response: { usage: WASTE } }),
    overloaded({ responseBody: JSON.stringify({ error: { message: 'm' }, usage: WASTE }) }),
    overloaded({ error: { error: { type: 'overloaded_error' }, usage: WASTE } }),
    Object.assign(new RetryError({ kind: 'overloaded' }), { usage: WASTE }),
    new RetryError({ kind: 'overloaded', cause: Object.assign(new Error('inner'), { usage: WASTE }) }),
  ]) {
    const history = await historyOfRun([error, { usage: USAGE }]);
    assert.deepEqual([wasted(history), history.usage.billedTotalTokens], [[7, 3, 10], 37], String(error));
    assert.equal(history.retry.wasteIsLowerBound, false);
  }
});

test('an error that tells of nothing makes the waste of an operation a lower bound unless a server turned it away', async () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  assert.equal((await historyOfRun([reset, {}])).retry.wasteIsLowerBound, true);
  assert.equal((await historyOfRun([overloaded(), {}])).retry.wasteIsLowerBound, false);
});

test('the option usage finds what is elsewhere, in results and in errors', async () => {
  const seen = [];
  const usage = (outcome) => {
    seen.push(outcome);
    return outcome.cost;
  };
  const error = overloaded({ cost: { input_tokens: 4, output_tokens: 1 } });
  const result = { cost: { prompt: 5, completion: 6 } };
  const history = await historyOfRun([error, result], { usage });
  assert.deepEqual([wasted(history), history.usage.total, history.usage.billedTotalTokens], [[4, 1, 5], 11, 16]);
  assert.deepEqual(seen, [error, result]);
});

test('the option usage may give a whole answer', async () => {
  const { usage } = await historyOfRun([overloaded(), { raw: { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 6 } } }], { usage: ({ raw }) => raw });
  assert.equal(usage.total, 11);
});

test('where the option usage gives nothing, what is found by itself counts', async () => {
  for (const usage of [() => undefined, () => null, () => 12, () => { throw new Error('no'); }, async () => { throw new Error('no'); }]) {
    const history = await historyOfRun([overloaded({ usage: WASTE }), { usage: USAGE }], { usage });
    assert.equal(history.usage.billedTotalTokens, 37);
  }
});

test('the option usage must be a flag or a function, and a flag means nothing to retry', async () => {
  assert.equal(await retry(() => 1, { usage: true }), 1);
  for (const usage of ['usage', {}, 5, null]) {
    const error = await retry(() => 1, { usage }).catch((thrown) => thrown);
    assert.deepEqual(error.faults?.map(({ option, code }) => [option, code]), [['usage', 'type']]);
  }
});

test('an operation that succeeds at once is not asked for its usage', async () => {
  let asked = 0;
  const result = { get usage() { asked += 1; return USAGE; } };
  assert.equal(await retry(() => result, { usage: () => { asked += 1; } }), result);
  assert.equal(asked, 0);
});

test('no getter of a result or an error is run, and nothing hostile in it does harm', async () => {
  const cyclic = { prompt_tokens: 7 };
  cyclic.self = cyclic;
  const hostile = [
    { get usage() { throw new Error('no'); } },
    new (class { get usage() { throw new Error('no'); } })(),
    new Proxy({}, { getOwnPropertyDescriptor() { throw new Error('no'); }, ownKeys() { throw new Error('no'); } }),
    { usage: new Proxy({}, { ownKeys() { throw new Error('no'); } }) },
    { usage: { toJSON() { throw new Error('no'); } } },
    { usage: { prompt_tokens: 10n, completion_tokens: Symbol('x') } },
    { usage: { prompt_tokens: Number.NaN, completion_tokens: Infinity } },
  ];
  for (const result of hostile) {
    const history = await historyOfRun([overloaded(), result]);
    assert.ok(!('usage' in history));
    assert.equal((await historyOfRun([Object.assign(overloaded(), { usage: result.constructor === Object ? undefined : result }), {}])).retry.failedAttempts, 1);
  }
  assert.equal((await historyOfRun([overloaded(), { usage: cyclic }])).usage.prompt, 7);
  const large = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, at]));
  assert.ok(!('usage' in await historyOfRun([overloaded(), { usage: large }])));
});

test('a result that is no object has no history and does no harm', async () => {
  for (const result of ['text', 5, null, undefined, Symbol('x')]) {
    assert.equal(await historyOfRun([overloaded(), result]), undefined);
  }
});

// ---------------------------------------------------------------- calls in calls

test('the waste of a retry inside a retry counts in the outer attempt, once', async () => {
  const clock = fakeClock();
  const inner = () => retry(() => { throw overloaded({ usage: WASTE }); }, { clock, maxAttempts: 2 });
  const error = await retry(inner, { clock, maxAttempts: 3, shouldRetry: () => true }).catch((thrown) => thrown);
  assert.deepEqual(error.attempts.map(({ tokens }) => tokens.total), [20, 20]);
  assert.equal(error.retry.wastedTotalTokens, 60);
  assert.equal(historyOf(error).usage.billedTotalTokens, 60);
});

test('an inner RetryError that is thrown again and again counts once', async () => {
  const clock = fakeClock();
  const inner = await retry(() => { throw overloaded({ usage: WASTE }); }, { clock, maxAttempts: 2 }).catch((thrown) => thrown);
  const error = await retry(() => { throw inner; }, { clock, shouldRetry: () => true }).catch((thrown) => thrown);
  assert.equal(error.retry.totalAttempts, 3);
  assert.equal(error.retry.wastedTotalTokens, 20);
});

test('the waste of a fetch inside a retry counts by its history and not by the last body as well', async () => {
  const clock = fakeClock();
  const body = () => json({ error: { type: 'overloaded_error' }, usage: WASTE }, { status: 529 });
  const fetch = createFetch({ fetch: stubFetch(body, body, answer), clock, maxAttempts: 2 });
  const client = async () => {
    const response = await fetch(URL_, POST);
    if (!response.ok) throw overloaded({ headers: response.headers, responseBody: await response.text() });
    return response.json();
  };
  const { usage, retry: ledger } = historyOf(await retry(client, { clock, shouldRetry: () => true }));
  assert.deepEqual([ledger.wastedTotalTokens, usage.total, usage.billedTotalTokens], [20, 27, 47]);
});

test('an inner ledger that is a lower bound makes the outer one a lower bound', async () => {
  const clock = fakeClock();
  for (const [thrown, expected] of [[new TypeError('fetch failed'), true], [overloaded(), false], [overloaded({ usage: WASTE }), false]]) {
    const inner = () => retry(() => { throw thrown; }, { clock, maxAttempts: 1 });
    const error = await retry(inner, { clock }).catch((rejected) => rejected);
    assert.equal(error.retry.wasteIsLowerBound, expected, String(thrown));
  }
});

test('usage is frozen and survives JSON', async () => {
  const history = await historyAfter([costly, answer]);
  assert.ok(Object.isFrozen(history.usage) && Object.isFrozen(history.attempts[0].tokens));
  assert.deepEqual(JSON.parse(JSON.stringify(history)), history);
});

test('a number that a header of the answer names is no usage', async () => {
  const named = () => failed(503, { 'x-usage': '12' }, '{"usage":"12"}');
  assert.ok(!('usage' in await historyAfter([named])));
});
