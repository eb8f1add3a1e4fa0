/** @import { StreamPartial } from './types.d.ts' */

/** How many characters are kept unless the caller says how many. */
const CHARS = 64 * 1024;
/** Beyond the limit, so that no secret is cut in half before it is masked. */
const BEYOND = 1024;
/** How many tool calls are kept. */
const CALLS = 64;

/**
 * What the consumer of a stream has had of the answer: its text, and its tool calls as far
 * as they came. The first `limit` characters of both together.
 */
export class Partial {
  /** @param {true | number} limit */
  constructor(limit) {
    this.limit = limit === true ? CHARS : limit;
    this.left = this.limit + BEYOND;
    this.text = '';
    /** @type {Map<unknown, { id: string | undefined, name: string | undefined, arguments: string }>} */
    this.calls = new Map();
  }

  /** @param {unknown} chunk */
  see(chunk) {
    if (this.left <= 0) return;
    try {
      this.#take(chunk);
    } catch {
      // A hostile member: what was seen before it stands.
    }
  }

  /**
   * @param {(text: string) => string} mask
   * @returns {StreamPartial}
   */
  read(mask) {
    let left = this.limit;
    const cut = (/** @type {string} */ text) => {
      const shown = mask(text).slice(0, left);
      left -= shown.length;
      return shown;
    };
    const text = cut(this.text);
    const toolCalls = [...this.calls.values()].map(({ id, name, arguments: json }) => Object.freeze({
      ...(id !== undefined && { id: mask(id) }), ...(name !== undefined && { name: mask(name) }), arguments: cut(json),
    }));
    return Object.freeze({ text, toolCalls: Object.freeze(toolCalls) });
  }

  /**
   * @param {any} chunk
   * @returns {void}
   */
  #take(chunk) {
    if (typeof chunk === 'string') return this.#add(chunk);
    if (typeof chunk !== 'object' || chunk === null) return;
    const { type } = chunk;
    if (typeof type === 'string' && this.#part(type, chunk)) return;
    // Clients and gateways wrap what the provider sent; LangChain keeps it in `kwargs` of what it sends.
    const inner = chunk.data ?? (type === 'constructor' ? chunk.kwargs : undefined);
    if (typeof inner === 'object' && inner !== null) return this.#take(inner);
    const { choices, candidates, contentBlockStart: start, contentBlockDelta: block, message, content, response, text } = chunk;
    if (Array.isArray(choices)) {
      // Of several choices the first: they are answers side by side.
      const choice = choices.find(({ index }) => index === 0 || index === undefined);
      this.#add(choice?.text);
      this.#message(choice?.delta ?? choice?.message);
    } else if (Array.isArray(candidates)) {
      for (const part of candidates[0]?.content?.parts ?? []) {
        if (part.thought !== true) this.#add(part.text);
        if (part.functionCall) this.#call(part.functionCall.id ?? this.calls.size, part.functionCall.id, part.functionCall.name, part.functionCall.args);
      }
    } else if (start !== undefined) {
      const tool = start.start?.toolUse;
      if (tool) this.#call(start.contentBlockIndex, tool.toolUseId, tool.name, '');
    } else if (block !== undefined) {
      this.#add(block.delta?.text);
      if (block.delta?.toolUse) this.#call(block.contentBlockIndex, undefined, undefined, block.delta.toolUse.input);
    } else if (message !== undefined) this.#message(message);
    else if (content !== undefined || chunk.tool_call_chunks !== undefined) this.#message(chunk);
    else this.#add(response ?? text);
  }

  /**
   * A part whose type says what it is: Anthropic's events, the Responses API's, Cohere's, the AI SDK's parts.
   *
   * @param {string} type
   * @param {any} chunk
   * @returns {boolean} Whether it was one.
   */
  #part(type, chunk) {
    const { delta, index, content_block: block, item, output_index: place } = chunk;
    switch (type) {
      case 'content_block_start':
        if (block?.type === 'text') this.#add(block.text);
        if (block?.type === 'tool_use') this.#call(index, block.id, block.name, '');
        return true;
      case 'content_block_delta':
        this.#add(delta?.text);
        if (delta?.partial_json !== undefined) this.#call(index, undefined, undefined, delta.partial_json);
        return true;
      case 'response.output_text.delta':
        this.#add(delta);
        return true;
      case 'response.output_item.added':
        if (item?.type === 'function_call') this.#call(place, item.call_id, item.name, item.arguments);
        return true;
      case 'response.function_call_arguments.delta':
        this.#call(place, undefined, undefined, delta);
        return true;
      case 'content-delta':
        this.#add(delta?.message?.content?.text);
        return true;
      case 'tool-call-start':
      case 'tool-call-delta':
        if (delta?.message !== undefined) this.#tool(delta.message.tool_calls, index);
        else this.#call(chunk.toolCallId, chunk.toolCallId, chunk.toolName, chunk.argsTextDelta);
        return true;
      case 'text-delta':
        this.#add(chunk.text ?? delta ?? chunk.textDelta);
        return true;
      case 'tool-call-streaming-start':
      case 'tool-input-start':
        this.#call(chunk.toolCallId ?? chunk.id, chunk.toolCallId ?? chunk.id, chunk.toolName, '');
        return true;
      case 'tool-input-delta':
        this.#call(chunk.toolCallId ?? chunk.id, undefined, undefined, delta ?? chunk.inputTextDelta);
        return true;
      case 'tool-call':
        this.#whole(chunk);
        return true;
      default:
        return type.startsWith('response.') || type.startsWith('reasoning') || type.startsWith('tool');
    }
  }

  /**
   * A tool call of the AI SDK, which repeats what its parts were.
   *
   * @param {any} chunk
   */
  #whole({ toolCallId, toolName, args, input }) {
    if (!this.calls.get(toolCallId)?.arguments) this.#call(toolCallId, toolCallId, toolName, args ?? input);
  }

  /**
   * A message, or what is new in one: OpenAI's, Mistral's, Ollama's, LangChain's.
   *
   * @param {any} message
   */
  #message(message) {
    if (typeof message !== 'object' || message === null) return;
    const { content } = message;
    if (Array.isArray(content)) for (const part of content) this.#add(part?.text);
    else this.#add(content);
    const calls = message.tool_call_chunks ?? message.tool_calls ?? message.toolCalls ?? [];
    if (Array.isArray(calls)) for (const call of calls) this.#tool(call, call?.index);
  }

  /**
   * @param {any} call
   * @param {unknown} index
   */
  #tool(call, index) {
    if (typeof call !== 'object' || call === null) return;
    const { name, arguments: json } = call.function ?? { name: call.name, arguments: call.args };
    this.#call(index ?? call.id ?? this.calls.size, call.id, name, json);
  }

  /** @param {unknown} text */
  #add(text) {
    if (typeof text !== 'string') return;
    this.text += this.#within(text);
  }

  /**
   * @param {unknown} key What tells the calls of an answer apart.
   * @param {unknown} id
   * @param {unknown} name
   * @param {unknown} more Of its arguments: a piece of JSON, or all of them.
   */
  #call(key, id, name, more) {
    let call = this.calls.get(key);
    if (call === undefined) {
      if (this.calls.size >= CALLS) return;
      this.calls.set(key, (call = { id: undefined, name: undefined, arguments: '' }));
    }
    if (typeof id === 'string' && id !== '') call.id ??= this.#within(id);
    if (typeof name === 'string' && name !== '') call.name ??= this.#within(name);
    const json = typeof more === 'object' && more !== null ? JSON.stringify(more) : more;
    if (typeof json === 'string') call.arguments += this.#within(json);
  }

  /** @param {string} text */
  #within(text) {
    const kept = text.slice(0, this.left);
    this.left -= kept.length;
    return kept;
  }
}
