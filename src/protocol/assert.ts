// Closing a switch over a tagged union. Must not be reached at run time by well-typed callers.

/** Fails to compile when a case is missing; throws when a value outside the type arrives all the same. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}
