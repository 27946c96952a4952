// The off switches of this folder's changes inside Temporal's SDK, on both sides of the sandbox: a worker reads them from
// its environment, and its bundle from globals. Part of the workflow bundle: imports nothing.

/** What is changed: the variable that, with the value `on`, leaves it to the SDK, and the global that a worker then sets in front of the bundle. */
const INTERNALS = {
  /** ADR 0008. */
  stacks: { variable: 'RAYMOND_SDK_PROMISE_STACKS', flag: '__raymondKeepsPromiseStacks' },
  resets: { variable: 'RAYMOND_SDK_RESETS', flag: '__raymondLeavesResets' },
} as const;

/** One of them. */
type Internal = keyof typeof INTERNALS;

/** Those that a worker with this environment leaves to the SDK. */
export function leftToSdk(environment: NodeJS.ProcessEnv): readonly Internal[] {
  return (Object.keys(INTERNALS) as Internal[]).filter(
    (internal) => environment[INTERNALS[internal].variable] === 'on',
  );
}

/** The code of a bundle that leaves them to the SDK. On the same line, so that stack traces stay right. */
export function leavingToSdk(code: string, internals: readonly Internal[]): string {
  return `${internals.map((internal) => `globalThis.${INTERNALS[internal].flag} = true; `).join('')}${code}`;
}

/** True within a bundle that leaves it to the SDK. */
export function isLeftToSdk(internal: Internal): boolean {
  return INTERNALS[internal].flag in globalThis;
}
