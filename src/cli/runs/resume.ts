// `raymond resume`: continue a run, whether no process executes it, it is paused, or it closed without completing; and say what that has
// done, agent by agent. In the embedded mode this process executes it to its end, as `start` does, unless another one does already.
import { resumeOpenRun } from '../../client/steer/control.js';
import { recoverTurns } from '../../client/steer/dead-worker.js';
import { ClientError } from '../../client/error.js';
import { isServedHere, queueFor } from '../../client/background.js';
import { findRun, listRuns, viewRun, type RunLine, type RunView } from '../../client/look/runs.js';
import { checkResumable, restartRun } from '../../client/steer/resume.js';
import { factsOf, isEmpty, restarted, resumptionOf, type Resumption } from '../../client/steer/resumption.js';
import { findProject } from '../../project.js';
import { executorOf, isServed } from '../../local.js';
import { defined } from '../../protocol/text.js';
import { followOn, openForView, rejectingAsks, serveOn } from './follow.js';
import { EXIT } from '../exit.js';
import { explain } from '../explain.js';
import type { ConnectionFlags, TelemetryFlags, ViewFlags } from '../flags.js';
import { hasNoRuns } from '../../client/open.js';
import { hintAtWorkers, type CommandContext } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { resumptionText } from './resumption-text.js';

/** Flags of `resume`. */
export interface ResumeFlags extends ConnectionFlags, ViewFlags, TelemetryFlags {
  readonly all?: boolean;
  readonly follow?: boolean;
  readonly timeout?: number;
}

/** Resumes one run, or with `--all` every open run that waits for somebody; gives the (worst) exit code. */
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

/** Runs that wait for somebody: no process executes them, or an agent of them is paused. */
async function strandedRuns({ link, project, mode }: CommandContext): Promise<readonly RunLine[]> {
  const open = await listRuns(link.client, { openOnly: true });
  const isDead = ({ runId }: RunLine): boolean => mode.kind === 'local' && !isServed(project.raymondDir, runId);
  return open.filter((run) => run.status === 'paused' || hasPaused(run) || isDead(run));
}

function hasPaused({ agents = [] }: RunLine): boolean {
  return agents.some(({ status }) => status === 'paused');
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
  const { runId, open, status } = found;
  if (open && flags.timeout !== undefined)
    throw new ClientError(
      'InvalidUsage',
      `--timeout: the run ${runId} is open (${status}), and its turns keep the limit that it was started with; set timeout in the frontmatter of a state instead`,
    );
  const isElsewhere = open && isServedHere(context, runId);
  if (context.mode.kind === 'cluster' || isElsewhere) return await resumeElsewhere(context, { found, flags });
  if (!open) checkResumable(found);
  const before = async (): Promise<{ readonly resumptions: number }> => {
    if (flags.quiet !== true) context.io.say(`resuming ${runId} (${status})`);
    return { resumptions: open ? await setGoing(context, { found, flags }) : found.resumptions };
  };
  const onServing = async (): Promise<void> => {
    if (!open) sayResumption(context, { runId, flags, resumption: await startAgain(context, { found, flags }) });
  };
  return await serveOn(context, { runId, flags, before, onServing });
}

/** Makes an open run move as soon as it is served; gives the number of resumptions after which a pause is news. */
async function setGoing({ io, link }: CommandContext, { found, flags }: ResumeOptions): Promise<number> {
  await recoverTurns(link, found);
  const resumptions = await resumeOpenRun(link.client, found);
  const resumption = resumptionOf(found);
  // A run that nobody has paused continues because it is executed again.
  if (!isEmpty(resumption)) sayResumption({ io }, { runId: found.runId, flags, resumption });
  return resumptions;
}

async function startAgain(
  context: CommandContext,
  { found, flags, taskQueue = queueFor(context, found.runId, found.taskQueue) }: ResumeOptions,
): Promise<Resumption> {
  const { link, artifacts } = context;
  const wishes = { ...rejectingAsks(flags), ...defined({ timeoutSeconds: flags.timeout }) };
  return restarted(found, await restartRun(link.client, { view: found, artifacts, taskQueue, ...wishes }));
}

interface ResumeOptions {
  readonly found: RunView;
  readonly flags: ResumeFlags;
  readonly taskQueue?: string;
}

/** Resumes a run that a fleet executes, or another process of this host. */
async function resumeElsewhere(
  context: CommandContext,
  { found, flags }: { readonly found: RunView; readonly flags: ResumeFlags },
): Promise<number> {
  const { io, link } = context;
  const { runId, open } = found;
  const taskQueue = open ? found.taskQueue : (flags.taskQueue ?? found.taskQueue);
  const resumption = open ? resumptionOf(found) : await startAgain(context, { found, flags, taskQueue });
  // Also when nobody is paused as far as the run has told: an order that no worker has taken up yet may pause it.
  const resumptions = open ? await resumeOpenRun(link.client, found) : found.resumptions;
  const isDocument = flags.json === true && flags.follow !== true;
  if (isDocument) await printDocument(io, 'resume', { runId, served: true, ...factsOf(resumption) });
  if (!isDocument || isEmpty(resumption)) sayResumption(context, { runId, flags, resumption });
  if (isEmpty(resumption)) {
    await sayWho(context, found);
    return flags.all === true ? EXIT.completed : EXIT.failed;
  }
  if (flags.follow === true) return await followOn(context, { runId, flags, following: { resumptions } });
  await hintAtWorkers(context, taskQueue);
  return EXIT.completed;
}

interface Saying {
  readonly runId: string;
  readonly flags: ResumeFlags;
  readonly resumption: Resumption;
}

function sayResumption({ io }: Pick<CommandContext, 'io'>, { runId, flags, resumption }: Saying): void {
  if (flags.quiet !== true || isEmpty(resumption)) io.say(resumptionText(runId, { resumption, now: Date.now() }));
}

/** Who executes a run in which there was nothing to resume. */
async function sayWho(context: CommandContext, { runId, taskQueue }: RunView): Promise<void> {
  const { io, mode, project } = context;
  const process = mode.kind === 'local' ? executorOf(project.raymondDir, runId) : undefined;
  if (process !== undefined) io.say(`process ${process} executes ${runId}; watch it with: raymond watch ${runId}`);
  await hintAtWorkers(context, taskQueue);
}
