// `raymond resume`: go on with a run, whether nobody serves it, it is paused, or it closed without completing.
// In the embedded mode this process serves it to its end, as `start` does.
import { recoverTurns, resumeOpenRun } from '../client/control.js';
import { ClientError } from '../client/error.js';
import { listRuns, viewRun, type RunLine, type RunView } from '../client/runs.js';
import { checkRevivable, reviveRun } from '../client/resume.js';
import { isServed, localQueue } from '../local.js';
import { followOn, openForView, rejectingAsks, serveOn } from './serve.js';
import { EXIT } from './exit.js';
import type { ConnectionFlags, ViewFlags } from './flags.js';
import { say } from './output.js';
import type { Surroundings } from './context.js';

/** Flags of `resume`. */
export interface ResumeFlags extends ConnectionFlags, ViewFlags {
  readonly all?: boolean;
  readonly follow?: boolean;
}

/** Resumes one run, or with `--all` every open run that nobody serves; gives the (worst) exit code. */
export async function resume(runId: string | undefined, given: ResumeFlags): Promise<number> {
  if ((runId === undefined) === (given.all !== true)) {
    throw new ClientError('InvalidUsage', 'name one run, or use --all; "raymond recover" lists the runs that wait');
  }
  const { flags, surroundings } = await openForView(given);
  if (runId !== undefined) return await resumeOne(surroundings, { runId, flags });
  const stranded = await strandedRuns(surroundings);
  if (stranded.length === 0) say('nothing to resume');
  const codes = await Promise.all(stranded.map((run) => resumeOneOfAll(surroundings, { run, flags })));
  return Math.max(0, ...codes);
}

async function strandedRuns({ link, project, mode }: Surroundings): Promise<readonly RunLine[]> {
  const open = await listRuns(link.client, { openOnly: true });
  if (mode.kind === 'cluster') return open.filter(({ status }) => status === 'paused');
  return open.filter(({ runId }) => !isServed(project.raymondDir, runId));
}

async function resumeOneOfAll(
  surroundings: Surroundings,
  { run: { runId, unreadable }, flags }: { readonly run: RunLine; readonly flags: ResumeFlags },
): Promise<number> {
  if (unreadable === undefined) return await resumeOne(surroundings, { runId, flags });
  say(`the run ${runId}: ${unreadable}`);
  return EXIT.usage;
}

async function resumeOne(
  surroundings: Surroundings,
  { runId, flags }: { readonly runId: string; readonly flags: ResumeFlags },
): Promise<number> {
  if (surroundings.mode.kind === 'cluster') return await resumeOnCluster(surroundings, { runId, flags });
  const found = await viewRun(surroundings.link.client, runId);
  if (!found.open) checkRevivable(found);
  const before = async (): Promise<{ readonly resumptions: number }> => {
    if (flags.quiet !== true) say(`resuming ${runId} (${found.status})`);
    return { resumptions: found.open ? await setGoing(surroundings, found) : found.resumptions };
  };
  return await serveOn(surroundings, {
    runId,
    flags,
    before,
    onServing: () => revived(surroundings, { found, flags }),
  });
}

/** Makes an open run move as soon as it is served; gives the number of resumptions after which a pause is news. */
async function setGoing({ link }: Surroundings, found: RunView): Promise<number> {
  await recoverTurns(link, found);
  return await resumeOpenRun(link.client, found);
}

async function revived(
  { link, artifacts }: Surroundings,
  { found, flags, taskQueue = found.taskQueue }: Reviving,
): Promise<void> {
  if (!found.open) await reviveRun(link.client, { view: found, artifacts, taskQueue, ...rejectingAsks(flags) });
}

interface Reviving {
  readonly found: RunView;
  readonly flags: ViewFlags;
  readonly taskQueue?: string;
}

async function resumeOnCluster(
  surroundings: Surroundings,
  { runId, flags }: { readonly runId: string; readonly flags: ResumeFlags },
): Promise<number> {
  const { link, mode } = surroundings;
  const found = await viewRun(link.client, runId);
  const taskQueue = mode.kind === 'cluster' ? mode.taskQueue : localQueue(runId);
  await revived(surroundings, { found, flags, taskQueue });
  const resumptions = found.open ? await resumeOpenRun(link.client, found) : found.resumptions;
  if (flags.follow !== true) {
    say(`resumed ${runId}`);
    return 0;
  }
  return await followOn(surroundings, { runId, flags, following: { resumptions } });
}
