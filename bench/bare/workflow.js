// The least that Temporal can do for the same work: a chain of activities that each spawn a script, and one alone.
import { proxyActivities } from '@temporalio/workflow';

const { spawnScript } = proxyActivities({ startToCloseTimeout: '1 minute', heartbeatTimeout: '15 seconds' });

export async function chain({ turns, script, cwd }) {
  for (let turn = 0; turn < turns; turn += 1) await spawnScript({ script, cwd });
}

export async function once({ script, cwd }) {
  return await spawnScript({ script, cwd });
}
