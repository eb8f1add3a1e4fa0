// dacapo/cloudflare: a Durable Object, and a store made of its namespace.

import { expectTypeOf } from 'expect-type';
import type { StateStore } from 'dacapo';
import { DacapoState, durableStore } from 'dacapo/cloudflare';
import type { StateNamespace } from 'dacapo/cloudflare';

expectTypeOf(durableStore).toEqualTypeOf<(namespace: StateNamespace) => StateStore>();
expectTypeOf<StateNamespace>().toEqualTypeOf<{ idFromName(name: string): any; get(id: any): any }>();
expectTypeOf(DacapoState).constructorParameters.toEqualTypeOf<[ctx: any, env: any]>();
expectTypeOf<DacapoState['read']>().toEqualTypeOf<() => Promise<{ version: number; state: Record<string, unknown> } | undefined>>();
expectTypeOf<DacapoState['compareAndSet']>().toEqualTypeOf<
  (version: number | undefined, state: Readonly<Record<string, unknown>>) => Promise<boolean>
>();
expectTypeOf<keyof DacapoState>().toEqualTypeOf<'read' | 'compareAndSet' | '__DURABLE_OBJECT_BRAND'>();
// @ts-expect-error A namespace is not a name.
durableStore('DACAPO');
// @ts-expect-error Only the runtime makes one, and knows what of.
new DacapoState();
