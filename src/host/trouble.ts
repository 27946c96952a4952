// Trouble of the host: what the operating system refuses for a reason that no script, state or package has, and that may pass. Everybody who
// judges an error asks here first.
import { errorCode, errorPath, FULL_DISK } from './files.js';

/** `disk`: a file cannot be written or read; `resources`: there are too few descriptors, processes or memory. */
export interface HostTrouble {
  readonly kind: 'disk' | 'resources';
  /** The operating system's code. */
  readonly code: string;
  /** It does not pass by itself. */
  readonly lasts?: true;
  /** In words, with the path if it is known, and what helps. */
  readonly message: string;
}

interface Trouble {
  readonly kind: HostTrouble['kind'];
  readonly lasts?: true;
  readonly why: string;
  readonly next: string;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  ENOSPC: { kind: 'disk', ...FULL_DISK.ENOSPC },
  EDQUOT: { kind: 'disk', ...FULL_DISK.EDQUOT },
  EFBIG: { kind: 'disk', lasts: true, ...FULL_DISK.EFBIG },
  EROFS: { kind: 'disk', ...FULL_DISK.EROFS, next: 'make it writable' },
  EIO: { kind: 'disk', why: 'the disk reports an error', next: 'check the disk' },
  ESTALE: { kind: 'disk', why: 'the network file system has lost it', next: 'mount it again' },
  ETIMEDOUT: { kind: 'disk', why: 'the network does not answer', next: 'check the network' },
  EMFILE: { kind: 'resources', why: 'this process has too many open files', next: 'raise the limit (ulimit -n)' },
  ENFILE: { kind: 'resources', why: 'this host has too many open files', next: 'close some programs' },
  ENOMEM: { kind: 'resources', why: 'this host has too little memory', next: 'close some programs' },
  EAGAIN: { kind: 'resources', why: 'this host has too many processes', next: 'close some programs (ulimit -u)' },
};

/** How many causes of an error are looked at. */
const DEPTH = 10;

/** The trouble of the host that an error comes from, by the error itself or one of its causes; undefined for any other error. */
export function hostTrouble(error: unknown, depth = DEPTH): HostTrouble | undefined {
  const own = troubleOf(errorCode(error), errorPath(error));
  if (own !== undefined || depth === 0) return own;
  const found = causesOf(error).flatMap((cause) => hostTrouble(cause, depth - 1) ?? [])[0];
  // Whoever wrapped it says which file of whom it is.
  return found === undefined
    ? undefined
    : { ...found, message: error instanceof Error ? error.message : String(error) };
}

/** The same for a code and a path of which nothing else is left. */
export function troubleOf(code: string | undefined, path?: string): HostTrouble | undefined {
  const found = code !== undefined && Object.hasOwn(TROUBLES, code) ? TROUBLES[code] : undefined;
  if (code === undefined || found === undefined) return undefined;
  const { why, next, ...facts } = found;
  const where = path === undefined ? '' : `${path}: `;
  return { ...facts, code, message: `${where}${why} (${code}); ${next}` };
}

function causesOf(error: unknown): readonly unknown[] {
  if (typeof error !== 'object' || error === null) return [];
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  return [cause, ...(Array.isArray(errors) ? (errors as readonly unknown[]) : [])];
}
