// The message for an error that ends a call: our own error, or Temporal's in one sentence. Without credentials of the
// environment.
import { Redactor } from '../activities/environment/redact.js';
import { KeyError } from '../codec/keys.js';
import { EngineError } from '../engine/ensure.js';
import { ServiceError } from '../engine/service/service.js';
import { errorCode, errorPath, UnwritableError, whyFull } from '../host/files.js';
import { ServerError } from '../server/error.js';
import { defined } from '../protocol/text.js';
import { storeFailure } from '../store/store.js';
import { ClientError, type ClientErrorCode } from './error.js';

/**
 * An error in words. `code` says what is wrong with the call, or what is missing; `bug` = the error was not expected.
 */
export interface Explanation {
  readonly code: ClientErrorCode | 'KeyMissing' | 'Unavailable' | 'bug';
  readonly message: string;
  /** The invalid field of the request, as the HTTP API names it. */
  readonly field?: string | undefined;
}

const UNAVAILABLE = [EngineError, ServiceError, ServerError, UnwritableError];

/** The file errors of this process and host. */
const OPEN_FILES = ['EMFILE', 'ENFILE'];

/** Finds the words. */
export async function explained(error: unknown, env: NodeJS.ProcessEnv): Promise<Explanation> {
  const { code, message, field } = await wordsFor(error);
  return { code, message: new Redactor(env).text(message), ...defined({ field }) };
}

async function wordsFor(error: unknown): Promise<Explanation> {
  if (error instanceof ClientError) return error;
  if (error instanceof KeyError) return { code: 'KeyMissing', message: error.message };
  if (storeFailure(error) !== undefined || UNAVAILABLE.some((type) => error instanceof type))
    return { code: 'Unavailable', message: (error as Error).message };
  if (OPEN_FILES.includes(errorCode(error) ?? '')) {
    const message = `too many files are open (${errorCode(error)}); raise the limit, for example with: ulimit -n 1024`;
    return { code: 'Unavailable', message };
  }
  const full = whyFull(error);
  if (full !== undefined) {
    const message = `cannot write ${errorPath(error) ?? 'a file'}: ${full}; fix that, then try again`;
    return { code: 'Unavailable', message };
  }
  const [code, path] = [errorCode(error) ?? '', errorPath(error)];
  if (['EACCES', 'EPERM'].includes(code) && path !== undefined) {
    const message = `this user may not use ${path} (${code}); run raymond as its owner, or change the owner`;
    return { code: 'Unavailable', message };
  }
  // Imports the SDK, which commands without Temporal do not need.
  const refusal = (await import('./connect.js')).temporalError(error);
  if (refusal !== undefined) return refusal;
  // The client wraps what its converters and its connection throw.
  const inner = error instanceof Error && error.cause instanceof Error ? await wordsFor(error.cause) : undefined;
  if (inner !== undefined && inner.code !== 'bug') return inner;
  return { code: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
