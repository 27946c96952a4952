// `raymond fork`: a new run from any recorded turn of an old one. In the embedded mode this process serves it to its end, as `start` does.
import { resolve } from 'node:path';
import { ClientError } from '../client/error.js';
import { forkRun } from '../client/fork.js';
import { findRun } from '../client/runs.js';
import { checkRunId, newRunId } from '../client/start.js';
import { isDirectory } from '../host/files.js';
import { operator } from '../host/process.js';
import { localQueue } from '../local.js';
import { MAIN_AGENT } from '../protocol/ids.js';
import { scopeAt } from '../protocol/scope.js';
import { defined } from '../protocol/text.js';
import type { ConnectionFlags, ViewFlags } from './flags.js';
import { hintAtWorkers, type CommandContext } from './context.js';
import type { Io } from './io.js';
import { followOn, openForView, serveOn } from './serve.js';
import { stateIn } from './move.js';

/** Flags of `fork`; one of `at` and `after` is given. */
export interface ForkFlags extends ConnectionFlags, ViewFlags {
  readonly at?: number;
  readonly after?: number;
  readonly goto?: string;
  readonly input?: string;
  readonly fresh?: boolean;
  readonly id?: string;
  readonly budget?: number;
  readonly cwd?: string;
  readonly pause?: boolean;
  readonly dropForks?: boolean;
  readonly follow?: boolean;
}

/** Starts the new run, of `RUN` or `RUN/AGENT`; gives the exit code. */
export async function fork(
  io: Io,
  { from, flags: given }: { readonly from: string; readonly flags: ForkFlags },
): Promise<number> {
  const [name = '', agentId = MAIN_AGENT] = from.split(/\/(.*)/s, 2);
  const where = turnOf(given);
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId: name });
  const { link, mode, artifacts } = context;
  const old = await findRun(link.client, name, artifacts);
  const runId = flags.id === undefined ? newRunId(old.workflow) : checkRunId(flags.id);
  const cwd = await directoryOf(context, flags);
  const isHere = flags.goto !== undefined && mode.kind === 'local';
  const goto = isHere ? await stateIn(scopeAt(old.scope), flags.goto) : flags.goto;
  const taskQueue = mode.kind === 'local' ? localQueue(runId) : (flags.taskQueue ?? old.taskQueue);
  const input = flags.input === undefined ? undefined : await artifacts.value(flags.input);
  const budget = flags.budget === undefined ? undefined : flags.budget === 0 ? {} : { usd: flags.budget };
  const begin = async (): Promise<void> => {
    const source = { runId: old.runId, agentId };
    const { fresh, dropForks } = flags;
    const pausedBy = flags.pause === true ? operator() : undefined;
    await forkRun(link.client, {
      from: source,
      ...where,
      runId,
      taskQueue,
      artifacts,
      ...defined({ goto, input, fresh, dropForks, cwd, budget, pausedBy }),
    });
    if (flags.quiet !== true)
      io.say(
        `run ${runId}, ${where.how === 'again' ? 'again from' : 'after'} turn ${where.turn} of ${agentId} in ${old.runId}; the files of its directory are as they are now`,
      );
  };
  if (mode.kind === 'local') return await serveOn(context, { runId, flags, before: async () => (await begin(), {}) });
  await begin();
  if (flags.quiet !== true) await hintAtWorkers(context, taskQueue);
  if (flags.follow === true) return await followOn(context, { runId, flags, following: {}, from: 'start' });
  await io.print(runId);
  return 0;
}

function turnOf({ at, after }: ForkFlags): { readonly turn: number; readonly how: 'again' | 'after' } {
  if (at !== undefined && after === undefined) return { turn: at, how: 'again' };
  if (after !== undefined && at === undefined) return { turn: after, how: 'after' };
  const message = 'name a turn: --at N does it again, --after N goes on behind it; "raymond history RUN" numbers them';
  throw new ClientError('InvalidUsage', message);
}

async function directoryOf({ io, mode }: CommandContext, { cwd }: ForkFlags): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  const path = resolve(io.cwd, cwd);
  if (mode.kind === 'local' && !(await isDirectory(path)))
    throw new ClientError('InvalidUsage', `--cwd: there is no directory ${path}; create it, or name another one`);
  return path;
}
