// The off switch of promise-stacks.ts, on both sides of the sandbox: what the environment of a worker says, and how its bundle hears of it.
// Part of the workflow bundle: imports nothing.

/** With the value `on` the SDK takes the stacks of promises as it does by itself (ADR 0008). */
export const STACKS_VARIABLE = 'RAYMOND_SDK_PROMISE_STACKS';

/** The global that a worker sets in front of the bundle. */
const FLAG = '__raymondKeepsPromiseStacks';

/** True when a worker with this environment leaves the stacks to the SDK. */
export function wantsPromiseStacks({ [STACKS_VARIABLE]: wanted }: NodeJS.ProcessEnv): boolean {
  return wanted === 'on';
}

/** The code of a bundle that leaves them to the SDK. On the same line, so that stack traces stay right. */
export function keepingPromiseStacks(code: string): string {
  return `globalThis.${FLAG} = true; ${code}`;
}

/** True within a bundle that leaves them to the SDK. */
export function keepsPromiseStacks(): boolean {
  return FLAG in globalThis;
}
