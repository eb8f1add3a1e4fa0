// The shapes that retryStream knows: what is no output yet, what is, and what failed, from every provider and client.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { historyOf } from 'dacapo';
import { over, readAll, source } from './lib/iterables.js';

/** Of each shape: an opening, an output, an end, a failure where there is one in chunks, and an end whose reason names one. */
const SHAPES = {
  'OpenAI chat': {
    opening: [{ choices: [{ delta: { role: 'assistant', content: '' } }] }, { choices: [], prompt_filter_results: [{ prompt_index: 0 }] }],
    output: [{ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] } }] }],
    end: [{ choices: [{ delta: {}, finish_reason: 'tool_calls' }] }],
    broken: [{ choices: [{ delta: {}, finish_reason: 'error' }] }],
    failure: { error: { message: 'm', type: 'server_error' } },
    hasEnd: true,
  },
  'OpenAI responses': {
    opening: [{ type: 'response.created', response: { status: 'in_progress', error: null } }, { type: 'response.in_progress', response: {} }, { type: 'response.output_item.added', item: { type: 'message', content: [] } }],
    output: [{ type: 'response.output_text.delta', delta: 'h' }],
    end: [{ type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 1, output_tokens: 1 } } }],
    failure: { type: 'response.failed', response: { error: { code: 'server_error', message: 'm' } } },
    hasEnd: true,
  },
  'Anthropic events': {
    opening: [{ type: 'message_start', message: { content: [], usage: { input_tokens: 3 } } }, { type: 'ping' }, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
    output: [{ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'h' } }],
    end: [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }],
    failure: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    hasEnd: true,
  },
  Gemini: {
    opening: [{ usageMetadata: { promptTokenCount: 3 }, modelVersion: 'm' }],
    output: [{ candidates: [{ content: { parts: [{ text: 'h' }] } }] }],
    end: [{ candidates: [{ finishReason: 'STOP' }] }],
    broken: [{ candidates: [{ finishReason: 'ERROR' }] }],
    failure: { error: { code: 503, status: 'UNAVAILABLE', message: 'm' } },
    hasEnd: true,
  },
  'AI SDK 4': {
    opening: [{ type: 'step-start', messageId: 'm', request: {}, warnings: [] }],
    output: [{ type: 'text-delta', textDelta: 'h' }],
    end: [{ type: 'step-finish', finishReason: 'stop' }, { type: 'finish', finishReason: 'stop', usage: { promptTokens: 1, completionTokens: 1 } }],
    broken: [{ type: 'step-finish', finishReason: 'error' }, { type: 'finish', finishReason: 'error', usage: { promptTokens: 1, completionTokens: 1 } }],
    failure: { type: 'error', error: 'm' },
  },
  'AI SDK 5 and 6': {
    opening: [{ type: 'start' }, { type: 'start-step', request: {}, warnings: [] }, { type: 'text-start', id: '0' }],
    output: [{ type: 'text-delta', id: '0', text: 'h' }],
    end: [{ type: 'text-end', id: '0' }, { type: 'finish', finishReason: 'stop', totalUsage: { inputTokens: 1, outputTokens: 1 } }],
    broken: [{ type: 'finish-step', finishReason: 'error' }, { type: 'finish', finishReason: 'error', totalUsage: { inputTokens: 1, outputTokens: 1 } }],
    failure: { type: 'error', error: { message: 'm' } },
  },
  'AI SDK models': {
    opening: [{ type: 'stream-start', warnings: [] }, { type: 'response-metadata', id: 'r' }],
    output: [{ type: 'reasoning-delta', id: '0', delta: 'h' }],
    end: [{ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: { total: 1 } } }],
    broken: [{ type: 'finish', finishReason: { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }, usage: { inputTokens: { total: 1 } } }],
    failure: { type: 'error', error: { type: 'overloaded_error', message: 'm' } },
  },
  'Bedrock Converse': {
    opening: [{ messageStart: { role: 'assistant' } }, { contentBlockStart: { start: { toolUse: { toolUseId: 't', name: 'f' } }, contentBlockIndex: 0 } }],
    output: [{ contentBlockDelta: { delta: { text: 'h' }, contentBlockIndex: 0 } }],
    end: [{ messageStop: { stopReason: 'end_turn' } }, { metadata: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } }],
    broken: [{ messageStop: { stopReason: 'error' } }],
    failure: { throttlingException: { message: 'm' } },
    hasEnd: true,
  },
  LangChain: {
    opening: [{ toJSON: () => ({ lc: 1, type: 'constructor', id: ['AIMessageChunk'], kwargs: { content: '', tool_call_chunks: [] } }) }],
    output: [{ content: 'h', toJSON: () => ({ lc: 1, type: 'constructor', id: ['AIMessageChunk'], kwargs: { content: 'h' } }) }],
    end: [{ content: '', toJSON: () => ({ lc: 1, type: 'constructor', id: ['AIMessageChunk'], kwargs: { content: '', response_metadata: { finish_reason: 'stop' } } }) }],
    broken: [{ content: '', response_metadata: { finish_reason: 'error' }, toJSON: () => ({ lc: 1, type: 'constructor', id: ['AIMessageChunk'], kwargs: { content: '', response_metadata: { finish_reason: 'error' } } }) }],
  },
  Ollama: {
    opening: [{ model: 'm', message: { role: 'assistant', content: '' }, done: false }],
    output: [{ model: 'm', message: { role: 'assistant', content: 'h' }, done: false }],
    end: [{ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }],
    broken: [{ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'error' }],
    failure: { error: 'the model runner has stopped' },
    hasEnd: true,
  },
  Cohere: {
    opening: [{ type: 'message-start', id: 'm', delta: { message: { role: 'assistant', content: [] } } }],
    output: [{ type: 'content-delta', index: 0, delta: { message: { content: { text: 'h' } } } }],
    end: [{ type: 'message-end', delta: { finishReason: 'COMPLETE', usage: { tokens: { inputTokens: 1, outputTokens: 1 } } } }],
    broken: [{ type: 'message-end', delta: { finishReason: 'ERROR', usage: { tokens: { inputTokens: 1, outputTokens: 1 } } } }],
    hasEnd: true,
  },
  Mistral: {
    opening: [{ data: { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finishReason: null }] } }],
    output: [{ data: { id: 'c', choices: [{ index: 0, delta: { content: 'h' }, finishReason: null }] } }],
    end: [{ data: { id: 'c', choices: [{ index: 0, delta: { content: '' }, finishReason: 'stop' }] } }],
    broken: [{ data: { id: 'c', choices: [{ index: 0, delta: { content: '' }, finishReason: 'error' }] } }],
    hasEnd: true,
  },
  texts: { opening: [''], output: ['h'], end: [] },
};

for (const [name, { opening, output, end, failure, broken, hasEnd }] of Object.entries(SHAPES)) {
  describe(name, () => {
    const whole = [...opening, ...output, ...end];
    const lost = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

    test('a whole stream is delivered as it is', async () => {
      assert.deepEqual(await readAll(over([source(whole)])), { chunks: whole, failed: false });
    });

    test('a failure behind the opening is retried, and there is one start', async () => {
      for (const failed of failure === undefined ? [lost] : [lost, failure]) {
        const stream = over([source([...opening, failed]), source(whole)]);
        assert.deepEqual(await readAll(stream), { chunks: whole, failed: false });
        assert.equal(historyOf(stream).attempts[0].streamed, false);
      }
    });

    test('a failure behind the output surfaces once', async () => {
      for (const failed of failure === undefined ? [lost] : [lost, failure]) {
        const stream = over([source([...opening, ...output, failed]), source(whole)]);
        const { chunks, error } = await readAll(stream);
        assert.deepEqual([chunks.length, error.mark, stream.made.length], [opening.length + output.length, 'output_begun', 1]);
      }
    });

    if (broken !== undefined) {
      test('a reason for the end that names a failure is one, before the output and behind it', async () => {
        const played = over([source([...opening, ...broken]), source(whole)]);
        assert.deepEqual(await readAll(played), { chunks: whole, failed: false });
        assert.equal(historyOf(played).attempts[0].error.kind, 'server_error');
        const stream = over([source([...opening, ...output, ...broken, ...end]), source(whole)]);
        const { chunks, error } = await readAll(stream);
        assert.deepEqual([error?.kind, error?.mark, error?.cause, stream.made.length], ['server_error', 'output_begun', broken.at(-1), 1]);
        assert.deepEqual([chunks, historyOf(stream).last.streamed], [[...opening, ...output, ...broken.slice(0, -1)], true]);
      });
    }

    test(hasEnd ? 'a stream without its end is cut short' : 'how such a stream ends says nothing', async () => {
      const { error } = await readAll(over([source([...opening, ...output])]));
      assert.equal(error?.code, hasEnd ? 'truncated' : undefined);
    });
  });
}

describe('the recorded streams, as their clients\' chunks', () => {
  const rows = JSON.parse(readFileSync(new URL('../vectors/streams.json', import.meta.url)));
  let replayed = 0;
  for (const row of rows) {
    const chunks = chunksOf(row);
    if (chunks === undefined || chunks.length === 0) continue;
    replayed += 1;
    test(`${row.provider} ${row.name}`, async () => {
      const { chunks: read, error } = await readAll(over([source(chunks)], { maxAttempts: 1 }));
      const streamed = error === undefined ? undefined : historyOf(error).last.streamed;
      if (row.opening === 'failed' || row.opening === 'truncated') {
        assert.deepEqual([read, streamed, error.kind, error.retryable], [[], false, row.kind, row.retryable]);
      } else if (row.end === 'failed') {
        assert.deepEqual([streamed, error.kind], [true, row.kind]);
        assert.deepEqual(read, chunks.slice(0, read.length));
      } else {
        assert.deepEqual(read, chunks);
        assert.equal(error?.code, row.end === 'no' || isClosedByMarker(row) ? 'truncated' : undefined);
      }
    });
  }

  test('are most of them', () => assert.ok(replayed > 80, String(replayed)));
});

/** Whether the end stands in a line of its own, which clients do not hand on, and in no chunk. */
function isClosedByMarker(row) {
  const text = row.frames.join('');
  return text.includes('[DONE]') && !/"(?:finish_reason|finishReason|stop_reason)": ?"\w|"type": ?"(?:message_stop|response\.completed)"/.test(text);
}

/** What a client makes of the frames; `undefined` where that is no JSON. */
function chunksOf({ frames, contentType }) {
  if (contentType.includes('amazon')) return undefined;
  const text = frames.join('');
  try {
    if (/^\s*\[/.test(text)) return JSON.parse(text);
    if (/^\s*\{/.test(text)) return text.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
    return text.split(/\r?\n\r?\n/).map(dataOf).filter((data) => data !== '' && data !== '[DONE]').map((data) => JSON.parse(data));
  } catch {
    return undefined;
  }
}

function dataOf(event) {
  return event.split(/\r?\n/).filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim()).join('\n');
}
