// The interface of the artifact store: large values and transcripts, named by their SHA-256. Its content is complete
// and never changes. folder.ts and bucket.ts implement it; it knows nothing of the meaning of artifacts.
import type { FailureType } from '../protocol/failure.js';
import type { ArtifactRef, Value } from '../protocol/text.js';

/**
 * Stores bytes under their SHA-256, and a few documents under names. Missing data is an `ArtifactMissing`, changed data
 * a `StoreDamaged`; a full disk is a `StoreUnwritable`; a bucket may be a `StoreUnreachable` or a `StoreRefused`.
 */
export interface ArtifactStore {
  /** Its location for people: a folder, or the address of a bucket. */
  readonly location: string;
  /** The text itself when it has at most `limit` bytes (absent = `MAX_INLINE_BYTES`), else a reference to it. */
  value(text: string, limit?: number): Promise<Value>;
  /** The text of a value. */
  text(value: Value): Promise<string>;
  /** Stores bytes; the same bytes twice are one artifact. */
  put(bytes: Uint8Array): Promise<ArtifactRef>;
  /** Stores a copy of a file, which may be large. */
  putFile(path: string): Promise<ArtifactRef>;
  /** Makes an artifact readable under a name of the caller's choice; the reader must not write to it. */
  materialise(sha256: string, path: string): Promise<void>;
  /** Stores a document under a name, replacing an earlier one. Names are paths of plain words. */
  write(name: string, text: string): Promise<void>;
  /** The document of that name; undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** The names of the documents in a folder, in order. */
  list(folder: string): Promise<readonly string[]>;
  /** The file on this host with an artifact's content; it must not be written to. */
  locate(sha256: string): Promise<string>;
}

/** An artifact in the store. */
export interface ExaminedArtifact {
  readonly sha256: string;
  readonly path: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** A store with self-tests. */
export interface ProbedStore extends ArtifactStore {
  /** Writes a document of its own, reads it and removes it. Throws the error that prevents that. */
  probe(): Promise<void>;
  /** Reads every artifact, one after the other. */
  examine(): AsyncGenerator<ExaminedArtifact>;
}

/** Thrown when a reference names an artifact that is not in the store. */
export class ArtifactMissing extends Error {
  override readonly name = 'ArtifactMissing';
  constructor(
    readonly sha256: string,
    /** Its expected path. */
    readonly path: string,
    hint = 'on several hosts the artifact folder must be shared',
  ) {
    super(`the artifact ${sha256} is not at ${path}; ${hint}`);
  }
}

/** A damaged file of the store. */
export interface Damage {
  readonly path: string;
  readonly why: string;
  /** What a person does about it. */
  readonly next: string;
}

/** Thrown when data in the store was changed. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  constructor(
    readonly damage: Damage,
    options?: ErrorOptions,
  ) {
    super(`${damage.path} is damaged: ${damage.why}; ${damage.next}`, options);
  }
}

/** Thrown when the store cannot be written. */
export class StoreUnwritable extends Error {
  override readonly name = 'StoreUnwritable';
}

/** Thrown when a store does not answer, which may pass on its own. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}

/** Thrown when a store answers with an error that a person must fix. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  constructor(
    /** The service's own code. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The failure type for an error of a store; undefined for any other error. */
export function storeFailure(error: unknown): FailureType | undefined {
  if (error instanceof StoreUnwritable) return 'DiskTrouble';
  if (error instanceof StoreUnreachable) return 'StoreUnreachable';
  if (error instanceof StoreRefused) return 'StoreRefused';
  if (error instanceof StoreDamaged) return 'StoreDamaged';
  return error instanceof ArtifactMissing ? 'ArtifactMissing' : undefined;
}
