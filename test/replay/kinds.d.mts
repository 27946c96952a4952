// Types of kinds.mjs for the replay test, which needs only the names.

/** Every kind of run whose histories are stored. */
export const KINDS: readonly { readonly kind: string }[];
