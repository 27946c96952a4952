// Failures of the host: errors of the operating system that no script, state or package causes, and that may pass.
// Every judgement of an error starts here.
import { errorCode, errorPath, FULL_DISK } from './files.js';

/** `disk`: a file cannot be written or read; `resources`: too few file descriptors, processes or memory. */
export interface HostTrouble {
  readonly kind: 'disk' | 'resources';
  /** The operating system's code. */
  readonly code: string;
  /** Whether it does not pass on its own. */
  readonly lasts?: true;
  /** In words, with the path if it is known, and the remedy. */
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

/** How many causes of an error are checked. */
const DEPTH = 10;

/** The host failure behind an error, from the error itself or one of its causes; undefined for any other error. */
export function hostTrouble(error: unknown, depth = DEPTH): HostTrouble | undefined {
  const own = troubleOf(errorCode(error), errorPath(error));
  if (own !== undefined || depth === 0) return own;
  const found = causesOf(error).flatMap((cause) => hostTrouble(cause, depth - 1) ?? [])[0];
  // The error that wraps it names the file and its purpose.
  return found === undefined
    ? undefined
    : { ...found, message: error instanceof Error ? error.message : String(error) };
}

/** The same from only a code and a path. */
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
