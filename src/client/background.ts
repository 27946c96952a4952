// Serving a local run by a process of its own in the background, which outlives whoever asked for it: the command line, for whom it is one
// call. What such a call prints goes to `.raymond/runs/RUN.log`.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isServed, localQueue } from '../local.js';
import { fileNameOfRun } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { ClientError } from './error.js';
import type { Caller, Raymond } from './open.js';
import { viewRun } from './look/runs.js';

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
  const folder = join(raymondDir, 'runs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = await open(join(folder, `${fileNameOfRun(runId)}.log`), 'a', 0o600);
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

/** What the process ends with that was refused: usage, or something is missing. */
const REFUSED = [64, 69];

/** What to call when nobody serves the run, and what is waited for; absent = somebody serves it, and has resumed it first. */
interface Upkeep {
  readonly command?: BackgroundCall['command'];
  readonly isUp?: () => Promise<boolean>;
}

/** Sees to it that a local run is served until it is taken up as `isUp` says. A fleet serves its runs itself. Throws `Unreachable`. */
export async function keepServed(
  raymond: Raymond,
  runId: string,
  { command, isUp: given }: Upkeep = {},
): Promise<void> {
  const { mode, caller, project, keeper } = raymond;
  const { raymondDir } = project;
  if (mode.kind === 'cluster' || (given === undefined && isServed(raymondDir, runId))) return;
  if (keeper !== undefined) return await keeper.keep(runId);
  const isUp = given ?? (await resumption(raymond, runId));
  let child: ChildProcess | undefined;
  while (!(await isUp())) {
    // Whoever serves a run that is held or has ended is about to leave it.
    if (child === undefined && !isServed(raymondDir, runId))
      child = await serveInBackground(caller, { runId, raymondDir, ...defined({ command }) });
    if (child !== undefined && (child.exitCode !== null || child.signalCode !== null)) {
      if (REFUSED.includes(child.exitCode ?? 0)) throw notServed(raymondDir, runId);
      return;
    }
    await delay(LOOK_EVERY_MS);
  }
}

function notServed(raymondDir: string, runId: string): ClientError {
  const log = join(raymondDir, 'runs', `${fileNameOfRun(runId)}.log`);
  return new ClientError('Unreachable', `the run ${runId} could not be served; ${log} says why`);
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
