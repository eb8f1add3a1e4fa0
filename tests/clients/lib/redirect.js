// For a program that runs with `--import` of this: whatever it asks for, the provider at PROVIDER_URL answers.

const { fetch } = globalThis;
const { PROVIDER_URL = '' } = process.env;

globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  const { pathname, search } = new URL(request.url);
  return fetch(new Request(PROVIDER_URL + pathname + search, request));
};
