/** Why the sandbox cannot be tested here; undefined = it can. */
export function whyNoSandbox(): string | undefined;
