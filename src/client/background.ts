// Serving a local run by a process of its own in the background, which outlives whoever asked for it: the command line, for whom it is one
// call. What such a call prints goes to `.raymond/runs/RUN.log`.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isServed } from '../local.js';
import { defined } from '../protocol/text.js';
import { ClientError } from './error.js';
import type { Caller, Raymond } from './open.js';

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
  const log = await open(join(folder, `${runId}.log`), 'a', 0o600);
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

const LOOK_EVERY_MS = 50;

/** What the process ends with that was refused: usage, or something is missing. */
const REFUSED = [64, 69];

/** What to call, and what shows that it has taken the run up; absent = that somebody serves it. */
interface Upkeep {
  readonly command?: BackgroundCall['command'];
  readonly isUp?: () => Promise<boolean>;
}

/** Sees to it that a local run that nobody serves is served: resolves when it is taken up. A fleet serves its runs itself. Throws `Unreachable`. */
export async function keepServed(
  raymond: Raymond,
  runId: string,
  { command, isUp = () => Promise.resolve(isServedHere(raymond, runId)) }: Upkeep = {},
): Promise<void> {
  const { mode, caller, project } = raymond;
  const { raymondDir } = project;
  if (mode.kind === 'cluster' || isServed(raymondDir, runId)) return;
  const child = await serveInBackground(caller, { runId, raymondDir, ...defined({ command }) });
  // One that has ended already has served it, unless it was refused.
  while (child.exitCode === null && child.signalCode === null && !(await isUp())) await delay(LOOK_EVERY_MS);
  if (!REFUSED.includes(child.exitCode ?? 0)) return;
  const log = join(raymondDir, 'runs', `${runId}.log`);
  throw new ClientError('Unreachable', `the run ${runId} could not be served; ${log} says why`);
}

/** True when a fleet serves the run, or a process on this host does. */
export function isServedHere({ mode, project }: Pick<Raymond, 'mode' | 'project'>, runId: string): boolean {
  return mode.kind === 'cluster' || isServed(project.raymondDir, runId);
}
