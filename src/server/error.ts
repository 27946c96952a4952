// Errors of the embedded server: one class with a code.
import { errorCode, UnwritableError } from '../host/files.js';

/** The kinds of failure: callers branch on these, never on the message. */
export type ServerErrorCode =
  | 'NoTemporalCli'
  | 'CliFailed'
  | 'PortTaken'
  | 'ReadOnly'
  | 'DiskFull'
  | 'DatabaseBusy'
  | 'NotAnswering'
  | 'Locked'
  | 'StopFailed';

/** A failure around the embedded server; the message says what happened, where, and what to do next. */
export class ServerError extends Error {
  override readonly name = 'ServerError';

  constructor(
    readonly code: ServerErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT', 'EISDIR', 'ELOOP', 'EIO']);
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Runs `work`; file system errors in the server's folder become ServerErrors, other errors pass
 * unchanged.
 */
export async function explainingFolderErrors<T>(dir: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw folderError(error, dir) ?? error;
  }
}

function folderError(error: unknown, dir: string): ServerError | undefined {
  const code = errorCode(error);
  if (code === undefined || error instanceof ServerError) return undefined;
  if (code === 'EISDIR' && error instanceof UnwritableError) return undefined; // it names the folder that is in the way
  const what = `the folder of the Temporal server, ${dir}`;
  if (FULL.has(code)) {
    return new ServerError('DiskFull', `no space left for ${what} (${code}): free some space and start again`, {
      cause: error,
    });
  }
  if (!NOT_WRITABLE.has(code)) return undefined;
  const next = 'make it writable, start from a project folder that is, or use a Temporal cluster with --address';
  return new ServerError('ReadOnly', `cannot create or write ${what} (${code}): ${next}`, { cause: error });
}
