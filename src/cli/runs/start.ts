// `raymond start`: open the package, start the run, and follow it to its end; locally this process also serves it.
import { resolve } from 'node:path';
import { serveInBackground } from '../../client/background.js';
import { beginRun, openWorkflow, prepareRun } from '../../client/start/begin.js';
import { ClientError } from '../../client/error.js';
import { clusterOf, uiAddress } from '../../client/open.js';
import { exists } from '../../host/files.js';
import { claimRun } from '../../local.js';
import { findProject, type Project } from '../../project.js';
import { defined } from '../../protocol/text.js';
import { startThreadAhead } from '../../sdk-internals/thread.js';
import { announce, contextOf, hintAtWorkers, settingsOf, withheldLine, type CommandContext } from '../context.js';
import { withConfiguredView, type StartFlags } from '../flags.js';
import { telemetryOf, telemetryWords } from '../telemetry.js';
import type { Io } from '../io.js';
import { runOptionsOf } from './run-options.js';
import { askMode, followOn, serve } from './follow.js';
import { printDocument } from '../view/json.js';

/** What to start, and how; `slip` = what the name was probably meant to be when there is no such workflow. */
interface StartRequest {
  readonly workflow: string;
  readonly flags: StartFlags;
  readonly slip?: string | undefined;
}

/** Starts `argument`; gives the exit code. */
export async function start(io: Io, { workflow: argument, flags: given, slip }: StartRequest): Promise<number> {
  const { cwd, env, say } = io;
  const project = await findProject(cwd);
  const flags = withConfiguredView(given, project.config);
  const workflow = await openWorkflow(project, {
    argument,
    caller: { cwd, env },
    pin: flags.pin,
    live: flags.live,
    check: flags.check,
  }).catch((error: unknown) => refuseMissing(error, { path: resolve(cwd, argument), slip }));
  const options = { ...(await runOptionsOf(io, flags)), ...defined({ runId: flags.id }) };
  const local = clusterOf(project, { choice: flags, env }) === undefined;
  const prepared = await prepareRun(project, { workflow, options, caller: { cwd, env }, local });
  const { runId, warnings } = prepared;
  if (flags.quiet !== true) for (const text of warnings) say(`warning: ${text}`);
  if (local && workflow.needsClaude && flags.verbose === true) sayWithheld(io, project);
  const report = flags.quiet === true ? (): void => undefined : say;
  const telemetry = await telemetryOf(project, { io, flags, report, metrics: true });
  // The address is left to the process that will serve the run.
  const own = flags.detach === true ? {} : { telemetry };
  if (local && flags.detach !== true) startThreadAhead(env);
  const context = await contextOf(project, { io, flags, report, ...own });
  const lock = local ? await claimRun(project.raymondDir, runId) : undefined;
  const begin = async (): Promise<void> => {
    await beginRun(context, prepared);
    if (flags.quiet !== true) announce(context, runId);
  };
  try {
    // Served first: a task that comes before anybody asks for it may wait two seconds in the server.
    if (local && flags.detach !== true) return await serve(context, { runId, flags, onServing: begin });
    if (flags.detach === true) {
      await begin();
      if (flags.quiet !== true) await hintAtWorkers(context);
      await lock?.release();
      const command = ['resume', ...telemetryWords(flags)] as const;
      if (local) await serveInBackground(io, { runId, raymondDir: project.raymondDir, command });
      await printDetached(context, { runId, flags });
      return 0;
    }
    const before = async (): Promise<void> => {
      await begin();
      await hintAtWorkers(context);
    };
    const following = { onAsk: askMode(flags, context) };
    return await followOn(context, { runId, flags, following, from: 'start', before });
  } finally {
    await lock?.release();
  }
}

/** A name that is no path may have been meant as a command. */
async function refuseMissing(
  error: unknown,
  { path, slip }: { readonly path: string; readonly slip: string | undefined },
): Promise<never> {
  if (slip === undefined || !(error instanceof ClientError) || (await exists(path))) throw error;
  // A state whose name is near is suggested already.
  if (error.message.endsWith('?')) throw error;
  throw new ClientError(error.code, `${error.message}; ${slip}`, { cause: error });
}

/** What there is to say of a run that goes on in the background. */
async function printDetached(
  context: CommandContext,
  { runId, flags }: { readonly runId: string; readonly flags: StartFlags },
): Promise<void> {
  const uiUrl = uiAddress(context, runId);
  if (flags.json !== true) await context.io.print(runId);
  else await printDocument(context.io, 'start --detach', { runId, ...defined({ uiUrl }) });
}

function sayWithheld({ env, say }: Io, project: Project): void {
  const line = withheldLine(env, settingsOf(project));
  if (line !== undefined) say(line);
}
