// How many agents of a task queue wait for a person or sit out a limit. The server is asked, by what agents show of themselves in their search
// attributes: up-down counters in workers would lose their place with every restart, and gauges of several runs overwrite each other.
import type { Client } from '@temporalio/client';
import type { WaitingAgents } from './meters.js';

const EVERY_MS = 5000;

/** Asks again and again and tells `take`, until the returned function is called. A server that does not answer, or does not know the attributes, tells nothing. */
export function watchWaiting(
  client: Client,
  { taskQueue, take }: { readonly taskQueue: string; readonly take: (waiting: WaitingAgents) => void },
): () => void {
  const look = (): void => {
    void countWaiting(client, taskQueue).then(take, () => undefined); // asked again soon
  };
  look();
  const timer = setInterval(look, EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function countWaiting(client: Client, taskQueue: string): Promise<WaitingAgents> {
  const count = async (status: string): Promise<number> => {
    const among = `WorkflowType = "agent" AND ExecutionStatus = "Running" AND TaskQueue = "${taskQueue}"`;
    return (await client.workflow.count(`${among} AND RaymondStatus = "${status}"`)).count;
  };
  const [asking, waiting] = await Promise.all([count('asking'), count('waiting')]);
  return { asking, waiting };
}
