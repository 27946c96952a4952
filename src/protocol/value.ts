// Values that travel between states: text, or a reference to an artifact when the text is large (invariant I5).
// Must not read or write artifacts: that is IO.

/** A large value kept in the artifact store: the SHA-256 of its bytes (hex) and their number. */
export interface ArtifactRef {
  readonly sha256: string;
  readonly bytes: number;
}

/** Text, or the reference to text that is longer than `MAX_INLINE_BYTES`. */
export type Value = string | ArtifactRef;

/** The longest text, in UTF-8 bytes, that goes through Temporal by value. */
export const MAX_INLINE_BYTES = 32 * 1024;

/** True for a value that lives in the artifact store. */
export function isArtifact(value: Value): value is ArtifactRef {
  return typeof value !== 'string';
}
