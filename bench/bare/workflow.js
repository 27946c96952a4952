// The least that Temporal can do for the same work: a chain of activities that each spawn a script, one alone, and children of a parent
// that have one each.
import { proxyActivities, startChild } from '@temporalio/workflow';

const { spawnScript } = proxyActivities({ startToCloseTimeout: '1 minute', heartbeatTimeout: '15 seconds' });

export async function chain({ turns, script, cwd }) {
  for (let turn = 0; turn < turns; turn += 1) await spawnScript({ script, cwd });
}

export async function once({ script, cwd }) {
  return await spawnScript({ script, cwd });
}

/** A parent and its children, all at once, or each after an activity of the parent's own. */
export async function forks({ forks, oneByOne, script, cwd }) {
  const children = [];
  for (let count = 0; count < forks; count += 1) {
    if (oneByOne) await spawnScript({ script, cwd });
    const start = startChild(once, { args: [{ script, cwd }] });
    children.push(start.then((child) => child.result()));
    if (oneByOne) await start;
  }
  await Promise.all(children);
}
