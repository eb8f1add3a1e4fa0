// dacapo/slim: the whole of dacapo, and init.

import { expectTypeOf } from 'expect-type';
import * as dacapo from 'dacapo';
import module from 'dacapo/dacapo.wasm';
import * as slim from 'dacapo/slim';
import type { EngineModule, ErrorKind, FetchOptions } from 'dacapo/slim';

expectTypeOf<Omit<typeof slim, 'init'>>().toEqualTypeOf<typeof dacapo>();
expectTypeOf<ErrorKind>().toEqualTypeOf<dacapo.ErrorKind>();
expectTypeOf<FetchOptions>().toEqualTypeOf<dacapo.FetchOptions>();

type Known = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;
expectTypeOf<EngineModule>().toEqualTypeOf<Known>();
expectTypeOf(module).toEqualTypeOf<EngineModule>();
expectTypeOf(slim.init).returns.toEqualTypeOf<Promise<void>>();
slim.init(module);
slim.init(new Uint8Array(8));
slim.init(new ArrayBuffer(8));
slim.init(new Response());
slim.init(new URL('https://cdn.example/dacapo.wasm'));
slim.init('/dacapo.wasm');
slim.init(fetch('/dacapo.wasm'));
slim.init(Promise.resolve(module));
slim.init(Promise.resolve(new Uint8Array(8)));
// @ts-expect-error Without an engine.
slim.init();
// @ts-expect-error No engine. (Any object may be one: the DOM's types say of a module no more than that.)
slim.init(null);
