/**
 * dacapo/cloudflare: breakers and budgets that all isolates of a Worker share. For workerd alone:
 * it imports `cloudflare:workers`, which other runtimes do not have.
 */

import type { StateStore } from './types.js';

/** A binding to the class below, as `DurableObjectNamespace` is. */
export interface StateNamespace {
  /** The id of the object of this name. */
  idFromName(name: string): any;
  /** A stub of the object with this id. */
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
  /** For the runtime, which makes it. Throws nothing. */
  constructor(ctx: any, env: any);
  /** For the compiler alone: what `DurableObjectNamespace<DacapoState>` knows a Durable Object by. */
  readonly __DURABLE_OBJECT_BRAND: never;
  /** For the store: the state and its version. Rejects as the object's storage does. */
  read(): Promise<{ version: number; state: Record<string, unknown> } | undefined>;
  /**
   * For the store: replaces the state if its version is still this, and says whether it did. Rejects as the object's
   * storage does.
   */
  compareAndSet(version: number | undefined, state: Readonly<Record<string, unknown>>): Promise<boolean>;
}

/**
 * A store for the options `breaker.store` and `budget.store`, with one Durable Object for each
 * key. What it does in the background goes on after the Worker has answered. Throws nothing; an
 * object that fails or cannot be reached fails no call.
 */
export function durableStore(namespace: StateNamespace): StateStore;
