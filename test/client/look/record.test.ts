// The record of a run with many agents: it is reported from its beginning on while histories are still being read.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from '@jest/globals';
import { recordOf, type RecordEntry } from '../../../src/client/look/record.js';
import { FolderStore } from '../../../src/store/folder.js';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';

const AGENTS = 100;

interface HistoryRequest {
  readonly execution: { readonly workflowId: string; readonly runId?: string };
}

/** Temporal with agents that start a second apart, each retried half a second later; `read` says when a history is there, 0 = the run's. */
function temporalWith(read: (agent: number) => Promise<void>): { readonly client: Client; readonly lists: string[] } {
  const lists: string[] = [];
  const retried = {
    signalName: 'resume',
    identity: 'me',
    input: { payloads: [defaultPayloadConverter.toPayload({ by: 'me' })] },
  };
  const historyOf = async ({ execution: { workflowId } }: HistoryRequest): Promise<object> => {
    const agent = Number(/\d+$/.exec(workflowId)?.[0] ?? 0);
    await read(agent);
    if (agent === 0) return { history: { events: [] }, nextPageToken: new Uint8Array() };
    const events = [
      {
        eventTime: { seconds: agent },
        workflowExecutionStartedEventAttributes: { originalExecutionRunId: `e${agent}` },
      },
      { eventTime: { seconds: agent, nanos: 5e8 }, workflowExecutionSignaledEventAttributes: retried },
    ];
    return { history: { events }, nextPageToken: new Uint8Array() };
  };
  const client = {
    connection: {
      withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
      workflowService: { getWorkflowExecutionHistory: historyOf },
    },
    options: {
      namespace: 'default',
      loadedDataConverter: { payloadConverter: defaultPayloadConverter, payloadCodecs: [] },
    },
    workflow: {
      getHandle: () => ({ describe: () => Promise.resolve({ runId: 'e0', startTime: new Date(0) }) }),
      list: function* ({ query }: { readonly query: string }) {
        lists.push(query);
        if (!query.includes('STARTS_WITH')) return;
        for (let agent = AGENTS; agent > 0; agent--)
          yield { workflowId: `r/a${agent}`, runId: `e${agent}`, startTime: new Date(agent * 1000) };
      },
    },
  };
  return { client: client as unknown as Client, lists };
}

const agentsOf = (entries: readonly RecordEntry[]): readonly (string | undefined)[] =>
  entries.map((entry) => (entry.kind === 'order' ? entry.order.agentId : entry.turn.agentId));

test('what comes first is reported while later histories are read, in the order of time', async () => {
  let open = (): void => undefined;
  const rest = new Promise<void>((resolve) => (open = resolve));
  const { client } = temporalWith((agent) => (agent > 10 ? rest : Promise.resolve()));
  const told: (string | undefined)[] = [];
  const artifacts = new FolderStore(await folder());
  for await (const entries of recordOf({ client, artifacts }, { runId: 'r', withOrders: true })) {
    told.push(...agentsOf(entries));
    if (told.includes('a9')) open();
  }
  expect(told).toEqual(Array.from({ length: AGENTS }, (_one, index) => `a${index + 1}`));
});

test('the history of the run is read while its agents are listed', async () => {
  const { client, lists } = temporalWith(async (agent) => {
    if (agent === 0) await until(() => lists.some((query) => query.includes('STARTS_WITH')), { what: 'the list' });
  });
  const artifacts = new FolderStore(await folder());
  const { value } = await recordOf({ client, artifacts }, { runId: 'r', withOrders: true }).next();
  expect(agentsOf(value as readonly RecordEntry[])).toEqual(['a1']);
});

test('the agents are listed once, and their histories are read side by side', async () => {
  let [active, most] = [0, 0];
  const { client, lists } = temporalWith(async () => {
    most = Math.max(most, ++active);
    await new Promise((resolve) => setImmediate(resolve));
    active -= 1;
  });
  const artifacts = new FolderStore(await folder());
  let told = 0;
  for await (const entries of recordOf({ client, artifacts }, { runId: 'r', withOrders: true })) told += entries.length;
  expect({ told, most }).toEqual({ told: AGENTS, most: 16 });
  expect(lists.toSorted()).toEqual(['WorkflowId = "r"', 'WorkflowType = "agent" AND WorkflowId STARTS_WITH "r/"']);
});
