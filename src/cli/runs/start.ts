// `raymond start`: opens the package, starts the run, and follows it to its end. The project's engine executes it, or
// with --foreground this process.
import { resolve } from 'node:path';
import { beginRun, openWorkflow, prepareRun } from '../../client/start/begin.js';
import { ClientError } from '../../client/error.js';
import { clusterOf, uiAddress } from '../../client/open.js';
import { exists } from '../../host/files.js';
import { findProject, type Project } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import {
  announce,
  callerOf,
  contextOf,
  hintAtWorkers,
  settingsOf,
  withheldLine,
  type ClientContext,
} from '../context.js';
import { withConfiguredView, type StartFlags } from '../flags.js';
import { refuseTelemetry, telemetryOf } from '../telemetry.js';
import type { Io } from '../io.js';
import { runOptionsOf } from './run-options.js';
import { ForegroundEngine } from './foreground-engine.js';
import { askMode, followOn, isForeground, stopServerAtEnd } from './follow.js';
import { printDocument } from '../view/json.js';

/** What to start, and how; `suggestion` = the probable meaning of the name when there is no such workflow. */
interface StartRequest {
  readonly workflow: string;
  readonly flags: StartFlags;
  readonly suggestion?: string | undefined;
}

/** Starts `argument`; returns the exit code. */
export async function start(io: Io, { workflow: argument, flags: given, suggestion }: StartRequest): Promise<number> {
  const { cwd, env, say } = io;
  const caller = callerOf(io);
  const project = await findProject(cwd);
  const flags = withConfiguredView(given, project.config);
  const workflow = await openWorkflow(project, {
    argument,
    caller,
    pin: flags.pin,
    live: flags.live,
    check: flags.check,
  }).catch((error: unknown) => refuseMissing(error, { path: resolve(cwd, argument), suggestion }));
  const options = {
    ...(await runOptionsOf(io, flags)),
    ...defined({ runId: flags.id ?? flags.workflowId, continueSession: flags.continueSession }),
  };
  const local = clusterOf(project, { choice: flags, env }) === undefined;
  const prepared = await prepareRun(project, { workflow, options, caller, local });
  const { runId, warnings } = prepared;
  if (flags.quiet !== true) for (const text of warnings) say(`warning: ${text}`);
  if (local && workflow.needsClaude && flags.verbose === true) sayWithheld(io, project);
  const report = flags.quiet === true ? (): void => undefined : say;
  const foreground = isForeground(flags, { io, mode: { kind: local ? 'local' : 'cluster' } }) && flags.detach !== true;
  const telemetry = foreground ? await telemetryOf(project, { io, flags, report }) : undefined;
  if (!foreground) refuseTelemetry(flags);
  const context = await contextOf(project, { io, flags, report });
  const begin = async (inner: ClientContext): Promise<void> => {
    await beginRun(inner, prepared);
    if (flags.quiet !== true) announce(context, runId);
    if (flags.quiet !== true || flags.detach !== true) await hintAtWorkers(context);
  };
  if (flags.detach === true) {
    await begin(context);
    await printDetached(context, { runId, flags });
    return 0;
  }
  stopServerAtEnd(context, flags);
  const here = foreground ? await ForegroundEngine.open(context, flags, telemetry) : undefined;
  const following = (): { readonly onAsk: 'wait' | 'exit' } => ({ onAsk: askMode(flags, context) });
  return await followOn(context, { runId, flags, following, from: 'start', before: begin, here, steers: true });
}

/** A name that is not a path may have been meant as a command. */
async function refuseMissing(
  error: unknown,
  { path, suggestion }: { readonly path: string; readonly suggestion: string | undefined },
): Promise<never> {
  if (suggestion === undefined || !(error instanceof ClientError) || (await exists(path))) throw error;
  // The message already suggests a state with a similar name.
  if (error.message.endsWith('?')) throw error;
  throw new ClientError(error.code, `${error.message}; ${suggestion}`, { cause: error });
}

/** The output for a run that continues in the background. */
async function printDetached(
  context: ClientContext,
  { runId, flags }: { readonly runId: string; readonly flags: StartFlags },
): Promise<void> {
  const uiUrl = uiAddress(context, runId);
  if (flags.json !== true) {
    if (flags.quiet !== true)
      context.io.say(`it continues in the background; to follow it, run: raymond watch ${runId}`);
    await context.io.print(runId);
  } else await printDocument(context.io, 'start --detach', { runId, ...defined({ uiUrl }) });
}

function sayWithheld({ env, say }: Io, project: Project): void {
  const line = withheldLine(env, settingsOf(project));
  if (line !== undefined) say(line);
}
