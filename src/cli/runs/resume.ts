// `raymond resume`: go on with a run, whether nobody serves it, it is paused, or it closed without completing.
// In the embedded mode this process serves it to its end, as `start` does.
import { recoverTurns, resumeOpenRun } from '../../client/steer/control.js';
import { ClientError } from '../../client/error.js';
import { queueFor } from '../../client/background.js';
import { findRun, listRuns, viewRun, type RunLine, type RunView } from '../../client/look/runs.js';
import { checkResumable, restartRun } from '../../client/steer/resume.js';
import { findProject } from '../../project.js';
import { isServed } from '../../local.js';
import { defined } from '../../protocol/text.js';
import { followOn, openForView, rejectingAsks, serveOn } from './follow.js';
import { EXIT } from '../exit.js';
import { explain } from '../explain.js';
import type { ConnectionFlags, TelemetryFlags, ViewFlags } from '../flags.js';
import { hasNoRuns } from '../../client/open.js';
import { hintAtWorkers, type CommandContext } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `resume`. */
export interface ResumeFlags extends ConnectionFlags, ViewFlags, TelemetryFlags {
  readonly all?: boolean;
  readonly follow?: boolean;
  readonly timeout?: number;
}

/** Resumes one run, or with `--all` every open run that nobody serves; gives the (worst) exit code. */
export async function resume(
  io: Io,
  { runId, flags: given }: { readonly runId: string | undefined; readonly flags: ResumeFlags },
): Promise<number> {
  if ((runId === undefined) === (given.all !== true)) {
    throw new ClientError('InvalidUsage', 'name one run, or use --all; "raymond recover" lists the runs that wait');
  }
  if (runId === undefined && (await hasNoRuns(await findProject(io.cwd), { choice: given, env: io.env }))) {
    io.say('nothing to resume');
    return EXIT.completed;
  }
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId, serves: true });
  if (runId !== undefined) {
    return await resumeOne(context, { found: await findRun(context.link.client, runId, context.artifacts), flags });
  }
  const stranded = await strandedRuns(context);
  if (stranded.length === 0) io.say('nothing to resume');
  const codes = await Promise.all(stranded.map((run) => resumeOneOfAll(context, { run, flags })));
  return Math.max(0, ...codes);
}

async function strandedRuns({ link, project, mode }: CommandContext): Promise<readonly RunLine[]> {
  const open = await listRuns(link.client, { openOnly: true });
  if (mode.kind === 'cluster') return open.filter(({ status }) => status === 'paused');
  return open.filter(({ runId }) => !isServed(project.raymondDir, runId));
}

async function resumeOneOfAll(
  context: CommandContext,
  { run: { runId, unreadable }, flags }: { readonly run: RunLine; readonly flags: ResumeFlags },
): Promise<number> {
  if (unreadable === undefined) {
    try {
      return await resumeOne(context, { found: await viewRun(context.link.client, runId), flags });
    } catch (error) {
      // The others go on.
      const code = await explain(error, context.io);
      return error instanceof ClientError && error.code === 'RunServed' ? EXIT.completed : code;
    }
  }
  context.io.say(`the run ${runId}: ${unreadable}`);
  return EXIT.usage;
}

async function resumeOne(
  context: CommandContext,
  { found, flags }: { readonly found: RunView; readonly flags: ResumeFlags },
): Promise<number> {
  if (found.open && flags.timeout !== undefined)
    throw new ClientError(
      'InvalidUsage',
      `--timeout: the run ${found.runId} is open (${found.status}), and its turns keep the limit that it was started with; set timeout in the frontmatter of a state instead`,
    );
  if (context.mode.kind === 'cluster') return await resumeOnCluster(context, { found, flags });
  const { runId } = found;
  if (!found.open) checkResumable(found);
  const before = async (): Promise<{ readonly resumptions: number }> => {
    if (flags.quiet !== true) context.io.say(`resuming ${runId} (${found.status})`);
    return { resumptions: found.open ? await setGoing(context, found) : found.resumptions };
  };
  return await serveOn(context, {
    runId,
    flags,
    before,
    onServing: () => restartIfClosed(context, { found, flags }),
  });
}

/** Makes an open run move as soon as it is served; gives the number of resumptions after which a pause is news. */
async function setGoing({ link }: CommandContext, found: RunView): Promise<number> {
  await recoverTurns(link, found);
  return await resumeOpenRun(link.client, found);
}

async function restartIfClosed(
  context: CommandContext,
  { found, flags, taskQueue = queueFor(context, found.runId, found.taskQueue) }: ResumeOptions,
): Promise<void> {
  const { link, artifacts } = context;
  const wishes = { ...rejectingAsks(flags), ...defined({ timeoutSeconds: flags.timeout }) };
  if (!found.open) await restartRun(link.client, { view: found, artifacts, taskQueue, ...wishes });
}

interface ResumeOptions {
  readonly found: RunView;
  readonly flags: ResumeFlags;
  readonly taskQueue?: string;
}

async function resumeOnCluster(
  context: CommandContext,
  { found, flags }: { readonly found: RunView; readonly flags: ResumeFlags },
): Promise<number> {
  const { io, link } = context;
  const { runId } = found;
  const taskQueue = found.open ? found.taskQueue : (flags.taskQueue ?? found.taskQueue);
  await restartIfClosed(context, { found, flags, taskQueue });
  const resumptions = found.open ? await resumeOpenRun(link.client, found) : found.resumptions;
  if (flags.follow !== true) {
    if (flags.json === true) await printDocument(io, 'resume', { runId, served: true });
    else io.say(`resumed ${runId}`);
    await hintAtWorkers(context, taskQueue);
    return 0;
  }
  return await followOn(context, { runId, flags, following: { resumptions } });
}
