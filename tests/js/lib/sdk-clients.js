// Real clients, their own retries off, each as a function of a base URL that makes one call.

import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenerativeAI } from '@google/generative-ai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import axios from 'axios';
import got from 'got';
import Groq from 'groq-sdk';
import ky from 'ky';
import OpenAI from 'openai';

const TIMEOUT_MS = 300;
const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hello' }] };
const stainless = (baseURL) => ({ apiKey: 'test', baseURL, maxRetries: 0, timeout: TIMEOUT_MS });

/** Clients that keep a failed answer's status, headers and body, each in its own place. */
export const whole = {
  'the OpenAI SDK': (url) => () => new OpenAI(stainless(url)).chat.completions.create(body),
  'the Anthropic SDK': (url) => () => new Anthropic(stainless(url)).messages.create(body),
  'the Groq SDK': (url) => () => new Groq(stainless(url)).chat.completions.create(body),
  axios: (url) => () => axios.post(url, body, { timeout: TIMEOUT_MS }),
  'axios with bytes': (url) => () => axios.post(url, body, { timeout: TIMEOUT_MS, responseType: 'arraybuffer' }),
  got: (url) => () => got.post(url, { json: body, responseType: 'json', retry: { limit: 0 }, timeout: { request: TIMEOUT_MS } }),
  'got with text': (url) => () => got.post(url, { json: body, retry: { limit: 0 }, timeout: { request: TIMEOUT_MS } }),
};

/** Clients that keep less. */
export const kyOf = (url) => () => ky.post(url, { json: body, retry: 0, timeout: TIMEOUT_MS }).json();

export const oldGoogle = (url) => () =>
  new GoogleGenerativeAI('test').getGenerativeModel({ model: 'm' }, { baseUrl: url.replace(/\/$/, ''), timeout: TIMEOUT_MS }).generateContent('hello');

export const bedrock = (url) => () => new BedrockRuntimeClient({
  region: 'us-east-1', endpoint: url, maxAttempts: 1, credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  // Its own handler speaks HTTP/2 only.
  requestHandler: new NodeHttpHandler({ requestTimeout: TIMEOUT_MS, throwOnRequestTimeout: true }),
}).send(new ConverseCommand({ modelId: 'm', messages: [] }));

/** Reads the stream of an OpenAI chat completion to its end. */
export const openaiStream = (url) => async () => {
  let text = '';
  for await (const chunk of await new OpenAI(stainless(url)).chat.completions.create({ ...body, stream: true })) text += chunk.choices[0]?.delta?.content ?? '';
  return text;
};

/** As `openaiStream`, of an Anthropic message. */
export const anthropicStream = (url) => async () => {
  for await (const event of await new Anthropic(stainless(url)).messages.create({ ...body, stream: true })) void event;
};
