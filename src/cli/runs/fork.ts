// `raymond fork`: a new run from any recorded turn of an old one. In the embedded mode this process serves it to its end, as `start` does.
import { ClientError } from '../../client/error.js';
import { prepareFork } from '../../client/steering.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import type { ConnectionFlags, ViewFlags } from '../flags.js';
import { hintAtWorkers } from '../context.js';
import type { Io } from '../io.js';
import { followOn, openForView, serveOn } from './follow.js';
import { printDocument } from '../view/json.js';

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
  const { id: newRunId, budget: budgetUsd, goto, input, fresh, cwd, dropForks, pause, taskQueue } = flags;
  const wishes = defined({ newRunId, budgetUsd, goto, input, fresh, cwd, dropForks, pause, taskQueue });
  const prepared = await prepareFork(context, { runId: name, agentId, ...where, ...wishes });
  const { runId } = prepared;
  const begin = async (): Promise<void> => {
    await prepared.begin();
    if (flags.quiet !== true)
      io.say(
        `run ${runId}, ${where.how === 'again' ? 'again from' : 'after'} turn ${where.turn} of ${agentId} in ${prepared.from.runId}; the files of its directory are as they are now`,
      );
  };
  if (context.mode.kind === 'local')
    return await serveOn(context, { runId, flags, before: async () => (await begin(), {}) });
  await begin();
  if (flags.quiet !== true) await hintAtWorkers(context, prepared.taskQueue);
  if (flags.follow === true) return await followOn(context, { runId, flags, following: {}, from: 'start' });
  await (flags.json === true ? printDocument(io, 'fork', { runId }) : io.print(runId));
  return 0;
}

function turnOf({ at, after }: ForkFlags): { readonly turn: number; readonly how: 'again' | 'after' } {
  if (at !== undefined && after === undefined) return { turn: at, how: 'again' };
  if (after !== undefined && at === undefined) return { turn: after, how: 'after' };
  const message = 'name a turn: --at N does it again, --after N goes on behind it; "raymond history RUN" numbers them';
  throw new ClientError('InvalidUsage', message);
}
