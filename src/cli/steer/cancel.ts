// `raymond cancel`: stop a run's agents and end it, its ledger kept. A local run that nobody serves is served until it has ended.
import { spentByDead } from '../../activities/spending/spending.js';
import { reportOf } from '../../activities/turn/chain.js';
import { chainOfDead } from '../../activities/turn/chain-log.js';
import { removeTemporary } from '../../activities/attempt/attempt-names.js';
import { OWN_PRICING } from '../../backends/backends.js';
import { isServedHere } from '../../client/background.js';
import { cancelAgent, cancelRun } from '../../client/steer/control.js';
import { endTurn, pendingTurns, recoverTurns } from '../../client/steer/dead-worker.js';
import { findRun, type RunView } from '../../client/look/runs.js';
import { findProject } from '../../project.js';
import { claimRun, isServed } from '../../local.js';
import { defined } from '../../protocol/text.js';
import { ENDED } from '../../workflows/contract.js';
import type { ConnectionFlags } from '../flags.js';
import { Hooks } from '../hooks/hooks.js';
import { openLiveView } from '../view/live.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { reportInterrupted } from '../view/output.js';
import { serveToEnd } from '../runs/serve-run.js';
import { hintAtWorkers, openContext, refuseWithoutRuns, type CommandContext } from '../context.js';

/** Flags of `cancel`. */
export interface CancelFlags extends ConnectionFlags {
  readonly agent?: string;
  readonly json?: boolean;
}

/** Cancels; gives the exit code. */
export async function cancel(
  io: Io,
  { runId: name, flags }: { readonly runId: string; readonly flags: CancelFlags },
): Promise<number> {
  await refuseWithoutRuns(await findProject(io.cwd), { io, flags, runId: name });
  const context = await openContext(io, flags);
  const { link, mode, project } = context;
  const found = await findRun(link.client, name);
  const { runId } = found;
  if (flags.agent !== undefined) {
    await cancelAgent(link.client, { view: found, agentId: flags.agent });
    io.say(`asked ${flags.agent} of ${runId} to stop`);
    await hintAtWorkers(context, found.taskQueue);
    return await report(context, { runId, flags });
  }
  if (!found.open || mode.kind === 'cluster' || isServed(project.raymondDir, runId)) {
    await cancelRun(link.client, runId);
    io.say(`asked ${runId} to stop`);
    await hintAtWorkers(context, found.taskQueue);
    return await report(context, { runId, flags });
  }
  const lock = await claimRun(project.raymondDir, runId);
  const view = await openLiveView(io, { loudness: 'quiet' });
  const hooks = new Hooks(context, { runId, warn: view.note });
  try {
    await endDeadTurns(context, found);
    await cancelRun(link.client, runId);
    const following = { resumptions: Number.MAX_SAFE_INTEGER };
    const ended = await serveToEnd({ surroundings: context, runId, view, hooks, following });
    if (ended === undefined) return reportInterrupted(io, runId);
    io.say(`cancelled ${runId}`);
    return await report(context, { runId, flags });
  } finally {
    view.close();
    await hooks.settle();
    await lock.release();
  }
}

async function report(
  context: CommandContext,
  { runId, flags: { agent, json } }: { readonly runId: string; readonly flags: CancelFlags },
): Promise<number> {
  const served = isServedHere(context, runId);
  if (json === true) await printDocument(context.io, 'cancel', { runId, ...defined({ agentId: agent }), served });
  return 0;
}

/** Ends the turns that died with their worker: their spending and the turns of their chains are recorded, their files on disk removed. */
async function endDeadTurns({ link, project: { raymondDir } }: CommandContext, found: RunView): Promise<void> {
  const { runId, agents } = found;
  for (const { id: agentId } of agents.filter(({ status }) => !ENDED.has(status))) {
    for (const turn of await pendingTurns(link, { runId, agentId })) {
      const dead = { runId, agentId, activity: turn };
      const { usd, booked } = await spentByDead(raymondDir, { ...dead, pricing: OWN_PRICING });
      const done = await chainOfDead(raymondDir, dead);
      const chain = done.length === 0 ? undefined : reportOf(done);
      if (await endTurn(link, turn, { costUsd: usd, chain })) await booked();
    }
    await removeTemporary(raymondDir, { runId, agentId });
  }
  await recoverTurns(link, found);
}
