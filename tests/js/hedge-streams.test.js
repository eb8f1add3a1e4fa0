import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { settled } from './lib/clock.js';
import { afterHedge, checkWhatIsLeft, heldSends, OPTIONS } from './lib/legs.js';
import { serve } from './lib/server.js';
import { answer, POST, source, streamed } from './lib/sources.js';
import { chat, messages } from './lib/stream-frames.js';
import { URL_ } from './lib/stub.js';

checkWhatIsLeft();

test('a stream that holds its opening back is undecided, and the first to have output wins', { timeout: 10_000 }, async () => {
  for (const winner of [0, 1]) {
    const held = heldSends();
    const call = createFetch({ ...OPTIONS, fetch: held.fetch })(URL_, POST);
    const sources = [source(), source()];
    (await held.sent(1)).answer(streamed(sources[0].stream));
    sources[0].push(messages.start);
    (await held.sent(2)).answer(streamed(sources[1].stream));
    sources[1].push(messages.start);
    await settled();
    sources[winner].push(messages.text('heard'));
    const response = await call;
    await settled();
    assert.deepEqual(sources.map(({ seen }) => seen.cancelled.length), winner === 0 ? [0, 1] : [1, 0]);
    const { attempts, retry: ledger } = historyOf(response);
    assert.deepEqual([attempts[0].index, attempts[0].error.code, attempts[0].streamed], [1 - winner, 'hedge_lost', false]);
    assert.deepEqual([attempts[0].tokens.prompt, ledger.wastedPromptTokens, ledger.wasteIsLowerBound], [11, 11, true]);
    sources[winner].push(messages.stop, messages.done);
    sources[winner].close();
    assert.equal(await response.text(), messages.start + messages.text('heard') + messages.stop + messages.done);
    assert.equal(historyOf(response).retry.totalAttempts, 2);
  }
});

test('nothing is hedged after the first output', async () => {
  const held = heldSends();
  const call = createFetch({ ...OPTIONS, fetch: held.fetch })(URL_, POST);
  const { stream, push, close } = source();
  (await held.sent(1)).answer(streamed(stream));
  push(chat.start, chat.text('heard'));
  const response = await call;
  await afterHedge();
  assert.equal(held.sends.length, 1);
  push(chat.stop, chat.done);
  close();
  await response.text();
  assert.equal(historyOf(response), undefined);
});

test('a stream that breaks after its output is told of under its own number', async () => {
  for (const winner of [0, 1]) {
    const held = heldSends();
    const call = createFetch({ ...OPTIONS, fetch: held.fetch })(URL_, POST);
    await held.sent(2);
    held.sends[winner].answer(answer([chat.start, chat.text('heard')]));
    const response = await call;
    await assert.rejects(response.text(), { kind: 'transport', code: 'truncated' });
    const { attempts, last, retry: ledger, mark } = historyOf(response);
    assert.deepEqual(attempts.map(({ index, error }) => [index, error.code]), [[1 - winner, 'hedge_lost']]);
    assert.deepEqual([last.index, last.attempt, last.streamed, last.error.code], [winner, winner + 1, true, 'truncated']);
    assert.deepEqual([mark, ledger.totalAttempts, ledger.failedAttempts], ['output_begun', 2, 2]);
  }
});

test('the connection of a loser that is streaming its opening is closed', async (t) => {
  const stream = (...frames) => (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) response.write(frame);
    if (frames.includes(chat.done)) response.end();
  };
  const { url, heldOpen } = await serve(t, stream(chat.start), stream(chat.start, chat.text('heard'), chat.stop, chat.done));
  const response = await createFetch({ ...OPTIONS })(url, POST);
  assert.match(await response.text(), /heard/);
  assert.equal(await heldOpen(), 0);
});
