// What js/cloudflare.js takes of the runtime's module, for the type check alone: it is no part of the package.

declare module 'cloudflare:workers' {
  export class DurableObject {
    constructor(ctx: any, env: any);
    protected ctx: { storage: { get(key: string): Promise<any>; put(key: string, value: unknown): Promise<void> } };
  }
  export function waitUntil(promise: Promise<unknown>): void;
}
