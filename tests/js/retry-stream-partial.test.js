// What a stream that failed after output leaves: its text and tool calls so far, and the tokens that are known.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, test } from 'node:test';
import { historyOf } from 'dacapo';
import { chat, over, overloaded, readAll, source } from './lib/iterables.js';

const failing = async (chunks, options) => (await readAll(over([source([...chunks, overloaded()])], { partial: true, ...options }))).error;

describe('err.partial', () => {
  const call = { id: 'c', name: 'f', arguments: '{"a":1}' };
  for (const [name, chunks] of Object.entries({
    'OpenAI chat': [
      chat.start, chat.text('Hel'), chat.text('lo'),
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] } }] },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] } }] },
      { choices: [{ index: 1, delta: { content: 'another choice' } }] },
    ],
    'OpenAI responses': [
      { type: 'response.created', response: {} }, { type: 'response.output_text.delta', delta: 'Hel' }, { type: 'response.output_text.delta', delta: 'lo' },
      { type: 'response.output_text.done', text: 'Hello' }, { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
      { type: 'response.output_item.added', output_index: 1, item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":1}' },
    ],
    'Anthropic events': [
      { type: 'message_start', message: { content: [] } }, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }, { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a"' } }, { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':1}' } },
    ],
    'Gemini': [
      { candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text: 'Hello' }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { id: 'c', name: 'f', args: { a: 1 } } }] } }] },
    ],
    'AI SDK 4': [
      { type: 'text-delta', textDelta: 'Hello' }, { type: 'reasoning', textDelta: 'hm' }, { type: 'tool-call-streaming-start', toolCallId: 'c', toolName: 'f' },
      { type: 'tool-call-delta', toolCallId: 'c', toolName: 'f', argsTextDelta: '{"a":1}' }, { type: 'tool-call', toolCallId: 'c', toolName: 'f', args: { a: 1 } },
    ],
    'AI SDK 5 and 6': [
      { type: 'text-delta', id: '0', text: 'Hello' }, { type: 'reasoning-delta', id: '1', text: 'hm' }, { type: 'tool-input-start', id: 'c', toolName: 'f' },
      { type: 'tool-input-delta', id: 'c', delta: '{"a":1}' }, { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } },
    ],
    'AI SDK, whole calls': [{ type: 'text-delta', id: '0', delta: 'Hello' }, { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } }],
    'Bedrock Converse': [
      { contentBlockDelta: { delta: { text: 'Hello' }, contentBlockIndex: 0 } }, { contentBlockStart: { start: { toolUse: { toolUseId: 'c', name: 'f' } }, contentBlockIndex: 1 } },
      { contentBlockDelta: { delta: { toolUse: { input: '{"a":1}' } }, contentBlockIndex: 1 } },
    ],
    'LangChain': [
      { content: 'Hel', tool_call_chunks: [] }, { content: [{ type: 'text', text: 'lo' }], tool_call_chunks: [{ index: 0, id: 'c', name: 'f', args: '{"a":1}' }] },
    ],
    'Cohere': [
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello' } } } },
      { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: { id: 'c', function: { name: 'f', arguments: '' } } } } },
      { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: '{"a":1}' } } } } },
    ],
    'Ollama': [{ message: { content: 'Hello', tool_calls: [{ id: 'c', function: { name: 'f', arguments: { a: 1 } } }] }, done: false }],
    'Mistral': [{ data: { choices: [{ index: 0, delta: { content: 'Hello', toolCalls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":1}' } }] } }] } }],
  })) {
    test(`of ${name}`, async () => assert.deepEqual((await failing(chunks)).partial, { text: 'Hello', toolCalls: [call] }));
  }

  test('of texts, and of what has no known shape', async () => {
    assert.deepEqual((await failing(['Hel', 'lo'])).partial, { text: 'Hello', toolCalls: [] });
    assert.deepEqual((await failing([{ n: 1 }, null, 3])).partial, { text: '', toolCalls: [] });
  });

  test('is there only when asked for and only after output', async () => {
    assert.equal('partial' in await failing(['h'], { partial: undefined }), false);
    assert.equal('partial' in await failing(['h'], { partial: false }), false);
    assert.equal('partial' in await failing([chat.start]), false);
  });

  test('is bounded, and frozen', async () => {
    const { partial } = await failing(Array(100).fill('ab'), { partial: 5 });
    assert.deepEqual(partial, { text: 'ababa', toolCalls: [] });
    assert.ok(Object.isFrozen(partial) && Object.isFrozen(partial.toolCalls));
    assert.equal((await failing(Array(100).fill('x'.repeat(10_000)))).partial.text.length, 65_536);
    const many = Array.from({ length: 1000 }, (_, n) => ({ type: 'tool-call', toolCallId: `c${n}`, toolName: 'f', input: {} }));
    assert.equal((await failing(many)).partial.toolCalls.length, 64);
  });

  test('shows no secret, also where it is cut, and is in JSON', async () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
    const error = await failing(['the key is ', secret.slice(0, 9), secret.slice(9), ' and hunter-two'], { partial: 30, redact: { values: ['hunter-two'] } });
    for (const text of [JSON.stringify(error), inspect(error), error.partial.text]) assert.ok(!text.includes('abcdefgh') && !text.includes('sk-proj-a'), text);
    assert.ok(JSON.parse(JSON.stringify(error)).partial.text.startsWith('the key is '));
    assert.ok(!(await failing(['hunter-two'], { redact: { values: ['hunter-two'] } })).partial.text.includes('hunter'));
  });
});

describe('tokens', () => {
  const opening = { type: 'message_start', message: { content: [], usage: { input_tokens: 25, output_tokens: 1 } } };
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'h' } };
  const ledger = ({ wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens, wasteIsLowerBound }) => [wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens, wasteIsLowerBound];

  test('of an opening that failed are waste, and there may be more', async () => {
    const { error } = await readAll(over([source([opening, overloaded()])], { maxAttempts: 2 }));
    assert.deepEqual(ledger(error.retry), [50, 2, 52, true]);
    assert.deepEqual(historyOf(error).last.tokens, { prompt: 25, completion: 1, total: 26 });
  });

  test('of a stream that failed after output are what its last chunks told, and there may be more', async () => {
    const told = { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } };
    const { error } = await readAll(over([source([opening, delta, told, overloaded()])]));
    assert.deepEqual(ledger(error.retry), [25, 7, 32, true]);
  });

  test('of a chunk that tells of a failure after output count as well', async () => {
    const told = { id: 'g', choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }], error: { code: 502, message: 'm' }, usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 } };
    const { error } = await readAll(over([source([chat.start, chat.text('h'), told])]));
    assert.deepEqual([error.mark, ...ledger(error.retry)], ['output_begun', 30, 12, 42, false]);
  });

  test('of a reason for the end that names a failure are all when it tells them, and else there may be more', async () => {
    const told = { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 };
    const reason = { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'insufficient_system_resource' }] };
    for (const [chunks, expected] of [
      [[chat.start, chat.text('h'), { ...reason, usage: told }], [30, 12, 42, false]],
      [[chat.start, chat.text('h'), reason, { choices: [], usage: told }], [0, 0, 0, true]],
      [[opening, delta, reason], [25, 1, 26, true]],
      [[opening, reason], [25, 1, 26, true]],
      [[opening, { ...reason, usage: told }], [30, 12, 42, false]],
      [[{ type: 'text-delta', text: 'h' }, { type: 'finish-step', finishReason: 'error', usage: { inputTokens: 3, outputTokens: 1 } }, { type: 'finish', finishReason: 'error', totalUsage: { inputTokens: 8, outputTokens: 2 } }], [8, 2, 10, false]],
      [[{ type: 'content-delta', delta: { message: { content: { text: 'h' } } } }, { type: 'message-end', delta: { finishReason: 'ERROR', usage: { tokens: { inputTokens: 71, outputTokens: 3 } } } }], [71, 3, 74, false]],
    ]) {
      const { error } = await readAll(over([source(chunks)], { maxAttempts: 1 }));
      assert.deepEqual(ledger(error.retry), expected, JSON.stringify(chunks));
    }
  });

  test('of a failure that came with the end are all', async () => {
    const end = { choices: [{ delta: {}, finish_reason: 'content_filter' }], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } };
    const { error } = await readAll(over([source([chat.start, end])]));
    assert.deepEqual(ledger(error.retry), [9, 3, 12, false]);
  });

  test('of the stream that succeeded are in the history with `usage`', async () => {
    const answer = [chat.start, chat.text('h'), chat.stop, chat.usage(9, 3)];
    const usageWith = async (usage) => {
      const stream = over([source([opening, overloaded()]), source(answer)], { usage });
      await readAll(stream);
      return historyOf(stream).usage;
    };
    assert.equal(await usageWith(undefined), undefined);
    const { prompt, completion, total, billedTotalTokens } = await usageWith(true);
    assert.deepEqual([prompt, completion, total, billedTotalTokens], [9, 3, 12, 38]);
    const own = await usageWith((chunk) => (chunk.choices?.[0]?.finish_reason ? { prompt_tokens: 1, completion_tokens: 2 } : undefined));
    assert.equal(own.prompt, 9, 'the latest that tells counts');
  });

  test('of a stream that succeeded at once are in its history with `usage`, and else it has none', async () => {
    const historyWith = async (usage) => {
      const stream = over([source([chat.start, chat.text('h'), chat.stop, chat.usage(9, 3)])], { usage });
      await readAll(stream);
      return historyOf(stream);
    };
    assert.equal(await historyWith(false), undefined);
    const { usage, retry, ...more } = await historyWith(true);
    assert.deepEqual([usage.total, usage.billedTotalTokens, retry.totalAttempts, retry.failedAttempts, more], [12, 12, 1, 0, {}]);
  });

  test('of an error that tells of them are those', async () => {
    const error = Object.assign(overloaded(), { usage: { prompt_tokens: 4, completion_tokens: 2 } });
    const result = await readAll(over([source(['h', error])]));
    assert.deepEqual(ledger(result.error.retry), [4, 2, 6, true]);
  });
});
