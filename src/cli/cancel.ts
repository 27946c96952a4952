// `raymond cancel`: stop a run's agents and end it, its books kept. A local run that nobody serves is served until it has ended.
// Must not wait for a run that somebody else serves.
import { takeUnreported } from '../activities/claude/journal.js';
import { removeTemporary } from '../activities/turn.js';
import { cancelRun, endTurns } from '../client/control.js';
import { viewRun } from '../client/runs.js';
import { claimRun, isServed } from '../local.js';
import type { ConnectionFlags } from './flags.js';
import { openLiveView } from './live.js';
import { say } from './say.js';
import { serveToEnd } from './serve.js';
import { openSurroundings } from './surroundings.js';

/** Cancels; gives the exit code. */
export async function cancel(runId: string, flags: ConnectionFlags): Promise<number> {
  const surroundings = await openSurroundings(flags, say);
  const { link, mode, project } = surroundings;
  const found = await viewRun(link.client, runId);
  if (!found.open || mode.kind === 'cluster' || isServed(project.raymondDir, runId)) {
    await cancelRun(link.client, runId);
    say(`asked ${runId} to stop`);
    return 0;
  }
  const lock = await claimRun(project.raymondDir, runId);
  const view = openLiveView('quiet');
  try {
    await endTurns(link, found, (agentId) => bury(project.raymondDir, { runId, agentId }));
    await cancelRun(link.client, runId);
    await serveToEnd({ surroundings, runId, view, resumptions: Number.MAX_SAFE_INTEGER });
    say(`cancelled ${runId}`);
    return 0;
  } finally {
    view.close();
    await lock.release();
  }
}

/** What the dead attempts of an agent have left on disk goes; what they have spent is told. */
async function bury(raymondDir: string, agent: { readonly runId: string; readonly agentId: string }): Promise<number> {
  await removeTemporary(raymondDir, agent);
  return await takeUnreported(raymondDir, agent);
}
