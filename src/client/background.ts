// Serving a local run by a process of its own in the background, which outlives whoever asked for it: the command line, for whom it is one
// call. What such a call prints goes to `.raymond/runs/RUN.log`.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isServed, localQueue } from '../local.js';
import { fileNameOfRun } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { ClientError } from './error.js';
import type { Caller, Raymond } from './open.js';
import { viewRun, type RunView } from './look/runs.js';

/** A command on a run; absent = it is resumed. */
interface BackgroundCall {
  readonly runId: string;
  readonly raymondDir: string;
  readonly command?: readonly [name: string, ...args: readonly string[]];
}

/** Starts the process, which serves the run to its end and waits with its questions. */
export async function serveInBackground(
  { cwd, env }: Caller,
  { runId, raymondDir, command: [name, ...args] = ['resume'] }: BackgroundCall,
): Promise<ChildProcess> {
  await mkdir(join(raymondDir, 'runs'), { recursive: true, mode: 0o700 });
  const log = await open(logOf({ raymondDir, runId }), 'a', 0o600);
  try {
    const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
    const words = name === 'cancel' ? [name, runId] : [name, runId, ...args, '--on-ask', 'wait'];
    const child = spawn(process.execPath, [program, ...words], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

const LOOK_EVERY_MS = 100;

/** What a process ends with that has served a run: it completed, waits, is paused, is over its budget, or was cancelled. */
const SERVED: readonly (number | null)[] = [0, 2, 3, 4, 5];

/** What to call when nobody serves the run, and what is waited for; absent = somebody serves it, and has resumed it first. */
interface Upkeep {
  readonly command?: BackgroundCall['command'];
  readonly isUp?: () => Promise<boolean>;
}

/**
 * Sees to it that a local run is served until it is taken up as `isUp` says. A fleet serves its runs itself. Throws `Unreachable` when the
 * process that was started for it has ended without doing so.
 */
export async function keepServed(
  raymond: Raymond,
  runId: string,
  { command, isUp: given }: Upkeep = {},
): Promise<void> {
  const { mode, project, keeper } = raymond;
  const { raymondDir } = project;
  if (mode.kind === 'cluster' || (given === undefined && isServed(raymondDir, runId))) return;
  if (keeper !== undefined) return await keeper.keep(runId);
  const isUp = given ?? (await resumption(raymond, runId));
  let started: StartedChild | undefined;
  while (!(await isUp())) {
    // Whoever serves a run that is held or has ended is about to leave it.
    if (started === undefined && !isServed(raymondDir, runId))
      started = await startChild(raymond, { runId, raymondDir, ...defined({ command }) });
    if (started !== undefined && hasExited(started.child)) {
      if ((await isUp()) || (await hasServed(raymond, runId, started))) return;
      throw await notServed(runId, started);
    }
    await delay(LOOK_EVERY_MS);
  }
}

/** A process that was started for a run, and what there was before it. */
interface StartedChild {
  readonly child: ChildProcess;
  readonly before: RunView;
  readonly log: { readonly path: string; readonly bytes: number };
}

async function startChild({ caller, link }: Raymond, call: BackgroundCall): Promise<StartedChild> {
  const path = logOf(call);
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  ); // no log: nothing has served the run yet
  const before = await viewRun(link.client, call.runId);
  return { child: await serveInBackground(caller, call), before, log: { path, bytes } };
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** True when a process that has exited did its work: it went on with the run, which has ended again or is held. */
async function hasServed({ link }: Raymond, runId: string, { child, before }: StartedChild): Promise<boolean> {
  if (SERVED.includes(child.exitCode)) return true;
  const { open, endedAt } = await viewRun(link.client, runId);
  return !open && endedAt?.getTime() !== before.endedAt?.getTime();
}

async function notServed(runId: string, { child, log }: StartedChild): Promise<ClientError> {
  const written = await readFile(log.path).catch(() => Buffer.alloc(0)); // then only how it ended is known
  const last =
    written
      .subarray(log.bytes)
      .toString('utf8')
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^raymond: /, '') ?? '';
  const how = child.signalCode ?? `exit code ${child.exitCode ?? 'unknown'}`;
  const why = last === '' ? '' : `: ${last}`;
  const message = `no process is executing the run ${runId}; the one that was started for it ended with ${how}${why}; its log: ${log.path}`;
  return new ClientError('Unreachable', message);
}

function logOf({ raymondDir, runId }: Pick<BackgroundCall, 'raymondDir' | 'runId'>): string {
  return join(raymondDir, 'runs', `${fileNameOfRun(runId)}.log`);
}

/** Whether an open run has been resumed since now. What is asked of it before that, such as a pause, the resumption would undo. */
export async function resumption({ link: { client } }: Raymond, runId: string): Promise<() => Promise<boolean>> {
  const before = await viewRun(client, runId);
  return async () => {
    const { open, resumptions } = await viewRun(client, runId);
    return !open || resumptions > before.resumptions;
  };
}

/** True when a fleet serves the run, or a process on this host does. */
export function isServedHere({ mode, project }: Pick<Raymond, 'mode' | 'project'>, runId: string): boolean {
  return mode.kind === 'cluster' || isServed(project.raymondDir, runId);
}

/** True when nobody but a process of the command line starts runs again and sees them end: no fleet, and no keeper. */
export function needsProcess({ mode, keeper }: Pick<Raymond, 'mode' | 'keeper'>): boolean {
  return mode.kind === 'local' && keeper === undefined;
}

/** The queue of a run that begins, or is started again: its own, or that of whoever keeps runs; on a cluster the one that is named. */
export function queueFor({ mode, keeper }: Pick<Raymond, 'mode' | 'keeper'>, runId: string, named: string): string {
  return mode.kind === 'cluster' ? named : (keeper?.taskQueue ?? localQueue(runId));
}
