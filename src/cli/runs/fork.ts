// `raymond fork`: a new run from any recorded turn of an old one.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ClientError } from '../../client/error.js';
import { prepareFork } from '../../client/steering.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined, messageOf } from '../../protocol/text.js';
import { hintAtWorkers, type ClientContext } from '../context.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { openForView, order, type ContinueFlags } from './follow.js';
import { printDocument } from '../view/json.js';

/** Flags of `fork`; one of `at` and `after` is given. */
export interface ForkFlags extends ContinueFlags {
  readonly at?: number;
  readonly after?: number;
  readonly goto?: string;
  readonly input?: string;
  /** `STATE=FILE` each. */
  readonly replace?: readonly string[];
  readonly fresh?: boolean;
  readonly id?: string;
  readonly budget?: number;
  readonly cwd?: string;
  readonly pause?: boolean;
  readonly dropForks?: boolean;
}

/** Starts the new run, of `RUN` or `RUN/AGENT`; returns the exit code. */
export async function fork(
  io: Io,
  { from, flags: given }: { readonly from: string; readonly flags: ForkFlags },
): Promise<number> {
  const [name = '', agentId = MAIN_AGENT] = from.split(/\/(.*)/s, 2);
  const where = turnOf(given);
  const { flags, context } = await openForView(io, { flags: given, runId: name });
  const { id: newRunId, budget: budgetUsd, goto, input, fresh, cwd, dropForks, pause, taskQueue } = flags;
  const replace = await textsOf(flags.replace ?? [], io.cwd);
  const options = defined({ replace, newRunId, budgetUsd, goto, input, fresh, cwd, dropForks, pause, taskQueue });
  const prepared = await prepareFork(context, { runId: name, agentId, ...where, ...options });
  const { runId, taskQueue: queue, from: old } = prepared;
  const act = async ({ engine }: ClientContext): Promise<void> => {
    await prepared.begin(engine);
    const which = `${where.how === 'again' ? 'again from' : 'after'} turn ${where.turn} of ${agentId} in ${old.runId}`;
    if (flags.quiet !== true) io.say(`run ${runId}, ${which}; the files in its directory are not reset`);
  };
  const done = await order(context, { runId, flags, act, from: 'start' });
  if ('code' in done) return done.code;
  if (flags.quiet !== true) await hintAtWorkers(context, queue);
  await (flags.json === true ? printDocument(io, 'fork', { runId }) : io.print(runId));
  return EXIT.completed;
}

/** The texts of `STATE=FILE`, by state. Throws `InvalidUsage`. */
async function textsOf(given: readonly string[], cwd: string): Promise<Readonly<Record<string, string>> | undefined> {
  if (given.length === 0) return undefined;
  const texts = given.map(async (one) => {
    const [, state, file] = /^([^=]+)=(.+)$/s.exec(one) ?? [];
    if (state === undefined || file === undefined)
      throw new ClientError('InvalidUsage', `--replace ${one} is not STATE=FILE, such as REVIEW.md=new-review.md`);
    const text = await readFile(resolve(cwd, file), 'utf8').catch((error: unknown) => {
      throw new ClientError('InvalidUsage', `--replace ${one}: cannot read ${file} (${messageOf(error)})`);
    });
    return [state, text] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

function turnOf({ at, after }: ForkFlags): { readonly turn: number; readonly how: 'again' | 'after' } {
  if (at !== undefined && after === undefined) return { turn: at, how: 'again' };
  if (after !== undefined && at === undefined) return { turn: after, how: 'after' };
  const message =
    'name a turn: --at N runs it again, --after N continues after it; to list the turns, run: raymond history RUN';
  throw new ClientError('InvalidUsage', message);
}
