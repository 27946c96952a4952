// The files of a turn: its agent's task folder, the pending value as a private file, the files of a person's answer, and the files that
// an `<ask>` shows, copied so that they stay as they were. The content of a task folder belongs to the author: Raymond never removes it.
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { ApplicationFailure } from '@temporalio/common';
import {
  errorCode,
  explainingWrites,
  isDirectory,
  makeFolder,
  makePrivateFolder,
  temporaryName,
} from '../../host/files.js';
import { copyPlainFile, MAX_BYTES } from '../../host/plain-file.js';
import { hostTrouble } from '../../host/trouble.js';
import { whyUnreadable } from '../../packages/error.js';
import type { Pending } from '../../protocol/machine/agent.js';
import { renderTemplate, type PendingText, type PromptContext } from '../../protocol/language/variables.js';
import { askId, fileNameOfRun, taskOf } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import type { AskTag } from '../../protocol/language/tag.js';
import { readAskFiles, SHOWN_FOLDER, type AskFiles, type ShownFile } from '../../protocol/language/ask-files.js';
import { ArtifactMissing } from '../../store/store.js';
import type { Attempt } from '../attempt/attempt.js';
import { ProblemError, turnFailure } from '../failure.js';
import type { TurnRequest } from '../../contract/turns.js';
import type { WorkerContextSettings } from '../settings.js';

/** The input value of the state, or undefined; files of a person's answer are then in the task folder. */
export async function pendingOf(
  attempt: Attempt,
  { taskFolder }: { readonly taskFolder: string },
): Promise<(PendingText & { readonly text: string }) | undefined> {
  const { pending } = attempt.request.agent;
  if (pending === undefined) return undefined;
  const text = await usingAnswer(attempt, pending, async () => {
    await installFiles(attempt, { ...pending, taskFolder });
    return await attempt.artifacts.text(pending.value);
  });
  const file = join(await attempt.temporaryFolder(), 'input');
  await explainingWrites(file, () => writeInput(file, text));
  return { text, file, returning: pending.returning };
}

/** A short input is written without the thread pool, whose round trips take longer than its five calls. */
const SHORT_INPUT = 64 * 1024;

async function writeInput(path: string, text: string): Promise<void> {
  if (text.length <= SHORT_INPUT && overwrite(path, text)) return;
  await rm(path, { recursive: true, force: true });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
}

/**
 * Overwrites the input of the previous turn in a chain; false where that turn has put something else (a link, a pipe), has
 * linked the file to keep it, or the disk does not take it.
 */
function overwrite(path: string, text: string): boolean {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number | undefined;
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const found = fstatSync(file);
    if (!found.isFile() || found.nlink !== 1) return false;
    if (found.size > 0) ftruncateSync(file);
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The variables of prompts and scripts. A label of the run is one, unless an attribute has its name. */
export async function variableContext(
  { artifacts, request: { runId, agent, settings, judges } }: Attempt,
  {
    path,
    folder,
    pending,
  }: { readonly path: string; readonly folder: string; readonly pending?: PendingText | undefined },
): Promise<PromptContext> {
  const judged = judges?.judging && {
    output: await artifacts.text(judges.judging.output),
    transition: await artifacts.text(judges.judging.tag),
  };
  return {
    runId,
    agent: { ...agent, attributes: { ...settings.labels, ...judged, ...agent.attributes } },
    stateDir: dirname(path),
    taskFolder: folder,
    ...defined({ pendingText: pending?.text }),
  };
}

/** Checks the file of an answer in the task folder. A full disk or an unreachable store does not make the answer unusable. */
const IN_THE_WAY = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ENAMETOOLONG', 'EINVAL', 'EACCES', 'EPERM', 'ELOOP']);

/**
 * Uses an answer. One that cannot be used is a failure, after which the question is asked again.
 */
async function usingAnswer<T>({ request: { agent } }: Attempt, { askId }: Pending, use: () => Promise<T>): Promise<T> {
  return await use().catch((error: unknown) => {
    if (askId === undefined || !(error instanceof ArtifactMissing || error instanceof BlockedPathError)) throw error;
    const message = `${agent.id}, ${agent.state}: the answer to ${askId} cannot be used: ${error.message}; answer it again`;
    throw turnFailure('AnswerUnusable', message);
  });
}

/** A file of an answer cannot be written to its path. */
class BlockedPathError extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path}: ${whyUnreadable(cause)}`, { cause });
  }
}

async function installFiles(
  { artifacts }: Attempt,
  { askId, files = [], taskFolder }: Pending & { readonly taskFolder: string },
): Promise<void> {
  if (askId === undefined || files.length === 0) return;
  const folder = askFolder(taskFolder, askId);
  await installing(folder, async () => {
    await makeFolder(folder);
    // A link that an agent created must not redirect a person's files.
    const real = askFolder(await realpath(taskFolder), askId);
    if ((await realpath(folder)) !== real) throw Object.assign(new Error(), { code: 'ELOOP' });
  });
  for (const { name, sha256 } of files) {
    const path = join(folder, name);
    const source = await artifacts.locate(sha256);
    await installing(path, () => installFile(source, path));
  }
}

async function installing(path: string, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw IN_THE_WAY.has(errorCode(error) ?? '') ? new BlockedPathError(path, error) : error;
  });
}

async function installFile(source: string, path: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await copyFile(source, temporary, constants.COPYFILE_EXCL);
    // The author's own file: the artifact that it was copied from must never change.
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The folder of a question's files. */
function askFolder(taskFolder: string, id: string): string {
  return join(taskFolder, 'asks', id);
}

/**
 * Copies the files to show; returns the paths of the copies, the files that the answer may contain,
 * and the offered answers.
 */
export async function shownFiles(
  tag: AskTag,
  { agent, taskFolder }: { readonly agent: TurnRequest['agent']; readonly taskFolder: string },
): Promise<Pick<AskFiles, 'upload' | 'choices'> & { readonly shown: readonly string[] }> {
  const files = readAskFiles(tag);
  // parse.ts has already rejected invalid values.
  if ('expected' in files) throw new ProblemError({ kind: 'bad-attribute', tag: 'ask', value: '', line: 1, ...files });
  const { shown, ...rest } = files;
  const folder = join(askFolder(taskFolder, askId(agent.id, agent.turn + 1)), SHOWN_FOLDER);
  if (shown.length > 0) {
    await rm(folder, { recursive: true, force: true });
    await makePrivateFolder(folder);
  }
  const copies: string[] = [];
  for (const file of shown) copies.push(await copied(file, { cwd: agent.cwd, folder }));
  return { ...rest, shown: copies };
}

async function copied(
  { path, label }: ShownFile,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
): Promise<string> {
  const copy = join(folder, label);
  try {
    const real = await realpath(join(cwd, path));
    if (!isInside(await realpath(cwd), real))
      throw unusable(path, 'it is a link to a file outside the working directory');
    await copyPlainFile(real, { to: copy, maxBytes: MAX_BYTES.ask });
    return copy;
  } catch (error) {
    if (error instanceof ProblemError || hostTrouble(error) !== undefined) throw error;
    throw unusable(path, whyUnreadable(error));
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !(way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way));
}

function unusable(path: string, why: string): ProblemError {
  return new ProblemError({ kind: 'unusable-file', tag: 'ask', path, why });
}

/**
 * Creates the folder; returns its absolute path. A pattern in the config is relative to the
 * project's root.
 */
export async function taskFolder(
  { raymondDir, taskFolder: pattern }: WorkerContextSettings,
  { runId, agent }: Pick<TurnRequest, 'runId' | 'agent'>,
): Promise<string> {
  const names = { workflow_id: fileNameOfRun(runId), agent_id: taskOf(agent) };
  const own = join(raymondDir, 'tasks');
  const path =
    pattern === undefined
      ? join(own, names.workflow_id, names.agent_id)
      : resolve(dirname(raymondDir), renderTemplate(pattern, names).text);
  if (await isDirectory(path)) return path;
  // Only the author may read a task folder.
  if (pattern === undefined) await makePrivateFolder(own);
  await makeFolder(path);
  return path;
}

/** Throws unless `path` is a directory that exists on this worker. */
export async function requireDirectory(path: string): Promise<void> {
  if (!(await isDirectory(path))) throw noDirectory(path);
}

/** The failure of a turn that has no directory to run in. */
export function noDirectory(path: string): ApplicationFailure {
  const next = 'create it, then resume';
  return turnFailure('StateUnreadable', `there is no directory ${path} on host ${hostname()}; ${next}`);
}
