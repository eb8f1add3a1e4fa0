/**
 * dacapo/cloudflare: breakers and budgets that all isolates of a Worker share. For workerd alone:
 * it imports `cloudflare:workers`, which other runtimes do not have.
 */

import type { StateStore } from './types.js';

/** A binding to the class below, as `DurableObjectNamespace` is. */
export interface StateNamespace {
  idFromName(name: string): any;
  get(id: any): any;
}

/**
 * The Durable Object that holds the state of one breaker or budget. Export it from the Worker
 * and bind it:
 *
 * ```toml
 * [[durable_objects.bindings]]
 * name = "DACAPO"
 * class_name = "DacapoState"
 *
 * [[migrations]]
 * tag = "v1"
 * new_sqlite_classes = ["DacapoState"]
 * ```
 */
export class DacapoState {
  constructor(ctx: any, env: any);
  /** For the compiler alone: what `DurableObjectNamespace<DacapoState>` knows a Durable Object by. */
  readonly __DURABLE_OBJECT_BRAND: never;
  read(): Promise<{ version: number; state: Record<string, unknown> } | undefined>;
  compareAndSet(version: number | undefined, state: Readonly<Record<string, unknown>>): Promise<boolean>;
}

/**
 * A store for the options `breaker.store` and `budget.store`, with one Durable Object for each
 * key. What it does in the background goes on after the Worker has answered.
 */
export function durableStore(namespace: StateNamespace): StateStore;
