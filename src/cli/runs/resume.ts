// `raymond resume`: continues a run that is paused, that no engine executes, or that closed without completing; and
// reports the effect, agent by agent.
import { ClientError } from '../../client/error.js';
import { findRun, listRuns, viewRun, type RunLine, type RunView } from '../../client/look/runs.js';
import { resumeRun } from '../../client/steering.js';
import { factsOf, isEmpty, type Resumption } from '../../client/steer/resumption.js';
import { findProject } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import { openForView, order, rejectingAsks, type ContinueFlags } from './follow.js';
import { EXIT } from '../exit.js';
import { explain } from '../explain.js';
import { hasNoRuns, isExecuted } from '../../client/open.js';
import { hintAtWorkers, type ClientContext } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { resumptionText } from './resumption-text.js';

/** Flags of `resume`. */
export interface ResumeFlags extends ContinueFlags {
  readonly all?: boolean;
  readonly timeout?: number;
}

/** Resumes one run, or with `--all` every open run that needs it; returns the (worst) exit code. */
export async function resume(
  io: Io,
  { runId, flags: given }: { readonly runId: string | undefined; readonly flags: ResumeFlags },
): Promise<number> {
  if ((runId === undefined) === (given.all !== true)) {
    throw new ClientError('InvalidUsage', 'name one run or use --all, not both');
  }
  if (runId === undefined && (await hasNoRuns(await findProject(io.cwd), { choice: given, env: io.env }))) {
    io.say('nothing to resume');
    return EXIT.completed;
  }
  const { flags, context } = await openForView(io, { flags: given, runId });
  if (runId !== undefined) {
    return await resumeOne(context, { found: await findRun(context.link.client, runId, context.artifacts), flags });
  }
  const held = await heldRuns(context);
  if (held.length === 0) io.say('nothing to resume');
  const codes: number[] = [];
  for (const run of held) codes.push(await resumeOneOfAll(context, { run, flags }));
  return Math.max(0, ...codes);
}

/** Runs with a paused agent, or that no engine executes. */
async function heldRuns(context: ClientContext): Promise<readonly RunLine[]> {
  const open = await listRuns(context.link.client, { openOnly: true });
  const isStill = !isExecuted(context);
  return open.filter((run) => run.status === 'paused' || hasPaused(run) || isStill);
}

function hasPaused({ agents = [] }: RunLine): boolean {
  return agents.some(({ status }) => status === 'paused');
}

async function resumeOneOfAll(
  context: ClientContext,
  { run: { runId, unreadable }, flags }: { readonly run: RunLine; readonly flags: ResumeFlags },
): Promise<number> {
  if (unreadable === undefined) {
    try {
      return await resumeOne(context, { found: await viewRun(context.link.client, runId), flags });
    } catch (error) {
      // The others continue; a run that has ended since needs nothing.
      const code = await explain(error, context.io);
      return error instanceof ClientError && error.code === 'NotResumable' ? EXIT.completed : code;
    }
  }
  context.io.say(`the run ${runId}: ${unreadable}`);
  return EXIT.usage;
}

async function resumeOne(
  context: ClientContext,
  { found, flags }: { readonly found: RunView; readonly flags: ResumeFlags },
): Promise<number> {
  const { runId, open, status, resumptions } = found;
  if (open && flags.timeout !== undefined)
    throw new ClientError(
      'InvalidUsage',
      `--timeout: the run ${runId} is open (${status}) and keeps the limit that it was started with; set timeout in the frontmatter of a state instead`,
    );
  const wasExecuted = isExecuted(context);
  const options = {
    ...rejectingAsks(flags),
    ...defined({ timeoutSeconds: flags.timeout, taskQueue: flags.taskQueue }),
  };
  const act = async (inner: ClientContext): Promise<Resumption> => {
    const resumption = await resumeRun(inner, { runId, ...options });
    const isShown = isEmpty(resumption) ? wasExecuted : flags.json !== true;
    if (isShown) showResumption(context, { runId, flags, resumption });
    return resumption;
  };
  // A run that was open when it was looked up may have ended since: starting it again counts no resumption.
  const following = ({ restarted }: Resumption): { readonly resumptions: number } => ({
    resumptions: restarted === true ? resumptions : resumptions + 1,
  });
  const done = await order(context, { runId, flags, act, following, first: open });
  if ('code' in done) return done.code;
  const resumption = done.acted;
  if (flags.json === true) await printDocument(context.io, 'resume', { runId, ...factsOf(resumption) });
  await hintAtWorkers(context, flags.taskQueue ?? found.taskQueue);
  if (!isEmpty(resumption)) return EXIT.completed;
  if (!wasExecuted) {
    if (flags.quiet !== true) context.io.say(`${runId} continues (${status})`);
    return EXIT.completed;
  }
  return flags.all === true ? EXIT.completed : EXIT.failed;
}

interface ResumptionMessage {
  readonly runId: string;
  readonly flags: ResumeFlags;
  readonly resumption: Resumption;
}

function showResumption({ io }: Pick<ClientContext, 'io'>, { runId, flags, resumption }: ResumptionMessage): void {
  if (flags.quiet !== true || isEmpty(resumption)) io.say(resumptionText(runId, resumption));
}
