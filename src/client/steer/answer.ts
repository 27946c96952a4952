// Answers questions: reads, recognizes, checks and stores the files of an answer; the agent checks the answer again
// before it takes effect.
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime';
import { MAX_BYTES, openPlainFile } from '../../host/plain-file.js';
import { whyUnreadable } from '../../packages/error.js';
import { uploadProblem, type SentFile, type Upload } from '../../protocol/language/ask-files.js';
import { agentWorkflowId, askingTurnOf } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import type { Answer } from '../../protocol/machine/wait.js';
import type { ArtifactStore } from '../../store/store.js';
import type { AgentLine, AskLine } from '../../contract/runs.js';
import { ClientError } from '../error.js';
import type { RunView } from '../look/runs.js';
import { checkOpen } from './control.js';
import { expiredText, hasExpired } from './expired.js';

/** How long to look for an agent that may just be continuing as new, and how long to wait for its reply. */
const LOOKED_FOR_MS = 5000;
const ANSWERED_MS = 30_000;

/** A question of a run. `line` is what is known about it: nothing, when too many agents ask. */
interface OpenAsk {
  readonly askId: string;
  readonly agentId: string;
  readonly line?: AskLine;
}

/** Finds the question: the named one, or the only open one. Throws `NoSuchAsk`. */
export function findAsk({ runId, agents, agentsHidden = 0 }: RunView, askId: string | undefined): OpenAsk {
  const open = agents.flatMap(({ id, ask }) => (ask === undefined ? [] : [{ askId: ask.id, agentId: id, line: ask }]));
  const shown = open.map((ask) => ask.askId).join(', ');
  if (askId === undefined) {
    const [only, second] = open;
    if (only !== undefined && second === undefined && agentsHidden === 0) return only;
    const which = only === undefined ? 'has no open question' : `asks several questions; name one of ${shown}`;
    throw new ClientError('NoSuchAsk', `the run ${runId} ${which}`);
  }
  const agentId = askingTurnOf(askId)?.agentId;
  if (agentId !== undefined) return open.find((ask) => ask.askId === askId) ?? { askId, agentId };
  const hint = open.length === 0 ? 'it has no open question' : `its open questions are ${shown}`;
  throw new ClientError('NoSuchAsk', `the run ${runId} has no question "${askId}"; ${hint}`);
}

/**
 * The question to answer. Throws `RunClosed`, `NoSuchAsk`, and `AnswerRefused` when it expired, with what to do then.
 */
export function askToAnswer(view: RunView, wanted: string | undefined): OpenAsk {
  const { runId, open, agents } = view;
  const late = agents.find((line) => lateAskOf(line) !== undefined && (wanted ?? lateAskOf(line)) === lateAskOf(line));
  if (late !== undefined && (!open || wanted !== undefined)) {
    const next = open ? `raymond retry ${runId} ${late.id}` : `raymond resume ${runId}`;
    throw new ClientError('AnswerRefused', `${lateAskOf(late)} expired; continue with: ${next}`);
  }
  checkOpen(view);
  const ask = findAsk(view, wanted);
  const now = Date.now();
  // While no worker runs, its agent would accept the answer, and only then notice the expiry.
  if (ask.line === undefined || !hasExpired(ask.line, now)) return ask;
  throw new ClientError('AnswerRefused', `${expiredText(ask.line, now)}; continue with: raymond resume ${runId}`);
}

/** The expired question for which an agent failed: its failure names it. */
function lateAskOf({ id, status, error }: AgentLine): string | undefined {
  const named = status === 'failed' ? /\bask_\w+/.exec(error ?? '')?.[0] : undefined;
  return named !== undefined && askingTurnOf(named)?.agentId === id ? named : undefined;
}

/** Sends the answer to the agent. Throws `AnswerRefused` when it does not fit, `NoSuchAsk` when the agent is gone. */
export async function sendAnswer(
  client: Client,
  { runId, agentId, answer }: { readonly runId: string; readonly agentId: string; readonly answer: Answer },
): Promise<void> {
  const handle = client.workflow.getHandle(agentWorkflowId(runId, agentId));
  for (const until = Date.now() + LOOKED_FOR_MS; ;) {
    try {
      await client.withDeadline(Date.now() + ANSWERED_MS, () => handle.executeUpdate('answer', { args: [answer] }));
      return;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw explained(error, answer);
      if (Date.now() > until) {
        const message = `the run ${runId} has no agent ${agentId} that waits for an answer`;
        throw new ClientError('NoSuchAsk', message, { cause: error });
      }
      await delay(200);
    }
  }
}

function explained(error: unknown, { askId }: Answer): unknown {
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    return new ClientError('AnswerRefused', error.cause.message, { cause: error });
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    const message = `no worker accepted the answer to ${askId} within ${ANSWERED_MS / 1000} s; start one, then answer again`;
    return new ClientError('Unreachable', message, { cause: error });
  }
  return error;
}

/** The default limit of a file for a question; a bucket may set another one. */
const LARGEST_BYTES = MAX_BYTES.ask;

/** A file that is already in the store. */
export type StoredFile = Answer['files'][number] & SentFile;

/** The folder of relative paths, the store, and the question, as far as it is known. */
interface UploadContext {
  readonly cwd: string;
  readonly artifacts: ArtifactStore;
  readonly upload?: Upload;
  readonly known: boolean;
}

/** Reads `NAME=PATH` arguments (or `PATH` alone, under its own name). Throws `InvalidUsage` naming the file. */
export async function uploads(
  written: readonly string[],
  { cwd, artifacts, upload, known }: UploadContext,
): Promise<Answer['files']> {
  const files = await Promise.all(written.map(async (argument) => await describe(argument, cwd)));
  checkFiles(files, { known, ...defined({ upload }) });
  return await Promise.all(
    files.map(async ({ path, ...file }) => ({ ...file, sha256: (await artifacts.putFile(path)).sha256 })),
  );
}

/** Throws `AnswerRefused`. The agent checks again; a question that is unknown here is only checked there. */
export function checkFiles(
  files: readonly SentFile[],
  { known, upload }: Pick<UploadContext, 'known' | 'upload'>,
): void {
  const mistake = known ? uploadProblem(upload, files) : undefined;
  if (mistake !== undefined) throw new ClientError('AnswerRefused', mistake);
}

async function describe(argument: string, cwd: string): Promise<SentFile & { readonly path: string }> {
  const at = argument.indexOf('=');
  const written = argument.slice(at + 1);
  const path = resolve(cwd, written);
  const name = at < 0 ? basename(path) : argument.slice(0, at);
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new ClientError('InvalidUsage', `${written} is not a file`);
    if (found.size > LARGEST_BYTES)
      throw new ClientError('InvalidUsage', `${written} is larger than ${LARGEST_BYTES} bytes`);
    return { name, path, bytes: found.size, type: await typeOf(path) };
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw new ClientError('InvalidUsage', `cannot read ${written}: ${whyUnreadable(error)}`);
  }
}

/** What names the type of a text: the file's name by its extension, or else the sender. */
interface TypeHints {
  readonly name?: string;
  readonly sent?: string;
}

/** The MIME type by content; for text, which has no magic bytes, by the file name's extension, or as it was sent. */
export async function typeOf(path: string, { name = path, sent }: TypeHints = {}): Promise<string> {
  const bytes = await beginningOf(path);
  const found = await fileTypeFromBuffer(bytes);
  if (found !== undefined) return found.mime;
  if (!isText(bytes)) return 'application/octet-stream';
  const named = mime.getType(name) ?? sent ?? 'text/plain';
  return /^(text\/|application\/(json|xml|yaml|toml|javascript))|\+(json|xml)$/.test(named) ? named : 'text/plain';
}

/** How many bytes of a file are read to recognize its type. */
const TELLING_BYTES = 2 ** 20;

async function beginningOf(path: string): Promise<Buffer> {
  const file = await openPlainFile(path, Number.POSITIVE_INFINITY);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TELLING_BYTES), 0, TELLING_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The last character may be incomplete. */
function isText(bytes: Buffer): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }).includes('\0');
  } catch {
    return false; // Not UTF-8: no text that we could read.
  }
}
