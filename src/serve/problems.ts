// Errors as RFC 9457 problems, in the words of the command line, each with its HTTP status and without secrets.
import type { z } from 'zod';
import { explained, type Explanation } from '../client/explain.js';
import { errorCode } from '../host/files.js';
import { defined, issueText, messageOf } from '../protocol/text.js';
import { assertNever } from '../protocol/failure.js';

/** The server's own error codes, besides the client's. */
type RefusalCode =
  | 'Unauthorized'
  | 'Forbidden'
  | 'WrongHost'
  | 'WrongOrigin'
  | 'NoSuchRoute'
  | 'NoSuchWorkflow'
  | 'NoSuchFile'
  | 'NoSuchLink'
  | 'UnsupportedMediaType'
  | 'TooLarge'
  | 'TooManyStreams'
  | 'Unfit'
  | 'AnsweredAlready';

/** Thrown when a request is rejected before the client is called. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: RefusalCode,
    message: string,
    /** The invalid field of the request. */
    readonly field?: string,
  ) {
    super(message);
  }
}

const REFUSED: Readonly<Record<RefusalCode, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  WrongHost: 421,
  WrongOrigin: 403,
  NoSuchRoute: 404,
  NoSuchWorkflow: 404,
  NoSuchFile: 404,
  NoSuchLink: 404,
  UnsupportedMediaType: 415,
  TooLarge: 413,
  TooManyStreams: 429,
  Unfit: 422,
  AnsweredAlready: 409,
};

/**
 * The environment whose values are removed from messages, the receiver of unexpected errors, and the call, such as
 * `POST /api/runs`.
 */
interface ProblemContext {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  readonly call: string;
}

/** The response for an error; `report` receives unexpected ones. */
export async function problemResponse(error: unknown, { env, report, call }: ProblemContext): Promise<Response> {
  if (error instanceof Refusal) return responseOf(error, REFUSED[error.code]);
  if (isCut(error)) {
    report(`serve: ${call}: the connection ended before the body had arrived`);
    return responseOf({ code: 'Unfit', message: 'the body has not arrived' }, REFUSED.Unfit);
  }
  const { code, message, field } = await explained(error, env);
  if (code !== 'bug') return responseOf({ code, message, field }, statusOf(code));
  report(`serve: ${message}`);
  return responseOf({ code: 'Unforeseen', message: 'unexpected error; see the log of raymond serve' }, 500);
}

/** Node's error for a client that disconnected during its request. */
function isCut(error: unknown): boolean {
  return errorCode(error) === 'ECONNRESET' && messageOf(error) === 'aborted';
}

function responseOf(
  { code, message, field }: Pick<Refusal, 'message' | 'field'> & { readonly code: string },
  status: number,
): Response {
  const body = { type: `/problems/${code}`, title: titleOf(code), status, detail: message, ...defined({ field }) };
  const headers = {
    'content-type': 'application/problem+json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/** `RunNotFound` as `Run not found`. */
function titleOf(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words;
}

function statusOf(code: Exclude<Explanation['code'], 'bug'>): number {
  switch (code) {
    case 'RunNotFound':
    case 'NoSuchAgent':
    case 'NoSuchTurn':
    case 'NoSuchAsk':
    case 'ScheduleNotFound':
    case 'ResultElsewhere':
      return 404;
    case 'RunAmbiguous':
    case 'RunExists':
    case 'RunOpen':
    case 'RunServed':
    case 'RunClosed':
    case 'NotResumable':
    case 'NothingToDo':
    case 'TurnUnderWay':
    case 'ScheduleExists':
    case 'ScheduleHeld':
      return 409;
    case 'AnswerRefused':
    case 'InvalidWorkflow':
    case 'InvalidUsage':
      return 422;
    case 'Unreachable':
    case 'ClaudeMissing':
    case 'PiMissing':
    case 'KeyMissing':
    case 'Unavailable':
      return 503;
    default:
      return assertNever(code);
  }
}

/** The first problem of a value, in one sentence. */
export function unfit(what: string, error: z.ZodError): Refusal {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  const field = path === '' ? undefined : path;
  return new Refusal(
    'Unfit',
    `${what}${path === '' ? '' : `: ${path}`}: ${issueText(issue?.message ?? 'invalid value')}`,
    field,
  );
}
