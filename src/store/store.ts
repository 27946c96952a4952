// The artifact store as everybody sees it: large values and transcripts, named by their SHA-256. What is in it is complete and never
// changes. Where it is kept is its implementation's (folder.ts, bucket.ts); what an artifact means is not known here.
import type { FailureType } from '../protocol/failure.js';
import type { ArtifactRef, Value } from '../protocol/text.js';

/**
 * Keeps bytes under their SHA-256, and few documents under names. What is not there is an `ArtifactMissing`, what has changed since it was
 * kept a `StoreDamaged`; a disk that takes nothing is a `StoreUnwritable`; a bucket may be a `StoreUnreachable` or a `StoreRefused`.
 */
export interface ArtifactStore {
  /** Where it is, for people: a folder, or the address of a bucket. */
  readonly place: string;
  /** The text itself when it has at most `limit` bytes (absent = `MAX_INLINE_BYTES`), else a reference to it. */
  value(text: string, limit?: number): Promise<Value>;
  /** The text of a value. */
  text(value: Value): Promise<string>;
  /** Keeps bytes; keeping the same bytes twice is one artifact. */
  put(bytes: Uint8Array): Promise<ArtifactRef>;
  /** Keeps a copy of a file, which may be large. */
  putFile(path: string): Promise<ArtifactRef>;
  /** Makes an artifact readable under a name of the caller's choice; the reader must not write to it. */
  materialise(sha256: string, path: string): Promise<void>;
  /** Keeps a document under a name, in place of the one that it named before. Names are paths of plain words. */
  write(name: string, text: string): Promise<void>;
  /** The document of that name; undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** The names of the documents in a folder, in order. */
  list(folder: string): Promise<readonly string[]>;
  /** The file on this host that holds an artifact; nobody may write to it. */
  locate(sha256: string): Promise<string>;
}

/** An artifact as it was found in the store. */
export interface ExaminedArtifact {
  readonly sha256: string;
  readonly path: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** A store that can be tried out. */
export interface ProbedStore extends ArtifactStore {
  /** Writes a document of its own, reads it and removes it. Throws what keeps it from that. */
  probe(): Promise<void>;
  /** Reads every artifact, one after the other. */
  examine(): AsyncGenerator<ExaminedArtifact>;
}

/** Thrown when a reference names an artifact that is not in the store. */
export class ArtifactMissing extends Error {
  override readonly name = 'ArtifactMissing';
  constructor(
    readonly sha256: string,
    /** Where it should be. */
    readonly path: string,
    hint = 'on several hosts the artifact folder must be shared',
  ) {
    super(`the artifact ${sha256} is not at ${path}; ${hint}`);
  }
}

/** A file of the store that is not as it was kept. */
export interface Damage {
  readonly path: string;
  readonly why: string;
  /** What a person does about it. */
  readonly next: string;
}

/** Thrown when what is in the store is not what was kept. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  constructor(
    readonly damage: Damage,
    options?: ErrorOptions,
  ) {
    super(`${damage.path} is damaged: ${damage.why}; ${damage.next}`, options);
  }
}

/** Thrown when the store takes nothing more. */
export class StoreUnwritable extends Error {
  override readonly name = 'StoreUnwritable';
}

/** Thrown when a store does not answer: it may do so again without anybody's doing. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}

/** Thrown when a store answers, but refuses: somebody must mend something first. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  constructor(
    /** What the service calls it. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What an error of a store is called as a failure; undefined for any other error. */
export function storeFailure(error: unknown): FailureType | undefined {
  if (error instanceof StoreUnwritable) return 'DiskTrouble';
  if (error instanceof StoreUnreachable) return 'StoreUnreachable';
  if (error instanceof StoreRefused) return 'StoreRefused';
  if (error instanceof StoreDamaged) return 'StoreDamaged';
  return error instanceof ArtifactMissing ? 'ArtifactMissing' : undefined;
}
