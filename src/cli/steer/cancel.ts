// `raymond cancel`: stops a run's agents and closes the run; its ledger is kept.
import { spentByDead } from '../../activities/spending/spending.js';
import { chainOfDead } from '../../activities/turn/chain-log.js';
import { removeTemporary } from '../../activities/attempt/attempt-names.js';
import { OWN_PRICING } from '../../backends/backends.js';
import { isExecuted } from '../../client/open.js';
import { followRun } from '../../client/operations.js';
import { cancelAgent, cancelRun } from '../../client/steering.js';
import { endTurn, pendingTurns, recoverActivities } from '../../client/steer/dead-worker.js';
import { findRun, type RunView } from '../../client/look/runs.js';
import { findProject } from '../../client/project/project.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { reportOf } from '../../protocol/machine/chain.js';
import { defined } from '../../protocol/text.js';
import { ENDED } from '../../contract/runs.js';
import type { ConnectionFlags } from '../flags.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { ForegroundEngine } from '../runs/foreground-engine.js';
import { isForeground } from '../runs/follow.js';
import { hintAtWorkers, openContext, refuseWithoutRuns, type ClientContext } from '../context.js';

/** Flags of `cancel`. */
export interface CancelFlags extends ConnectionFlags {
  readonly agent?: string;
  readonly json?: boolean;
}

/** Cancels; returns the exit code. */
export async function cancel(
  io: Io,
  { runId: name, flags }: { readonly runId: string; readonly flags: CancelFlags },
): Promise<number> {
  await refuseWithoutRuns(await findProject(io.cwd), { io, flags, runId: name });
  const context = await openContext(io, flags);
  const found = await findRun(context.link.client, name);
  const { runId, taskQueue } = found;
  if (flags.agent !== undefined) await cancelAgent(context, { runId, agentId: flags.agent });
  else await cancelWhole(context, { found, flags });
  io.say(`asked ${flags.agent === undefined ? runId : `${flags.agent} of ${runId}`} to stop`);
  await hintAtWorkers(context, taskQueue);
  if (flags.json === true) {
    const served = isExecuted(context);
    await printDocument(io, 'cancel', { runId, ...defined({ agentId: flags.agent }), served });
  }
  return EXIT.completed;
}

/** Turns that died with an engine are not started again for a cancelled run. */
async function cancelWhole(
  context: ClientContext,
  { found, flags }: { readonly found: RunView; readonly flags: CancelFlags },
): Promise<void> {
  const { runId, open } = found;
  if (open && !isExecuted(context)) await endDeadTurns(context, found);
  const here = isForeground({}, context) ? await ForegroundEngine.open(context, flags) : undefined;
  await cancelRun(here?.inside(context) ?? context, { runId });
  if (here !== undefined) await here.close(await followRun(context, { runId, resumptions: Number.MAX_SAFE_INTEGER }));
}

/**
 * Settles turns that died with their worker: records their spending and the turns of their chains, removes their files
 * on disk.
 */
async function endDeadTurns(
  { link, project: { raymondDir }, io: { env: environment } }: ClientContext,
  found: RunView,
): Promise<void> {
  const { runId, agents } = found;
  const live = agents.filter(({ status }) => !ENDED.has(status));
  for (const { id: agentId } of live) {
    for (const turn of await pendingTurns(link, { runId, agentId })) {
      const dead = { runId, agentId, activity: turn };
      const { usd, booked } = await spentByDead(raymondDir, { ...dead, pricing: OWN_PRICING });
      const done = await chainOfDead(raymondDir, dead);
      if (await endTurn(link, turn, { costUsd: usd, chain: reportOf(done) })) await booked();
    }
    await removeTemporary(raymondDir, { runId, agentId, environment });
  }
  const workflows = [runId, ...live.map(({ id }) => agentWorkflowId(runId, id))];
  await Promise.all(workflows.map((id) => recoverActivities(link, id)));
}
