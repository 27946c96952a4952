// The SHA-256 that a file name may carry, as in flow-<64 hex digits>.zip. Pure text.
// Must not compute hashes.

/** What a name says: nothing, one hash (lower case), or more than can be told apart. */
export type HashName =
  { readonly kind: 'none' } | { readonly kind: 'hash'; readonly sha256: string } | { readonly kind: 'ambiguous' };

const DIGITS = 64;

/** The hash in a file name: a run of exactly 64 hexadecimal digits; a longer run or a second one makes it ambiguous. */
export function hashInName(name: string): HashName {
  const runs = name.toLowerCase().match(/[0-9a-f]{64,}/g) ?? [];
  const [only, second] = runs;
  if (only === undefined) return { kind: 'none' };
  return second === undefined && only.length === DIGITS ? { kind: 'hash', sha256: only } : { kind: 'ambiguous' };
}
