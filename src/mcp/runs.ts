// The tools that read runs: the list, the status of one, its result, the output of its turns, and conversations.
import pMap from 'p-map';
import { z } from 'zod';
import { listDocument, textOf } from '../client/documents/run-document.js';
import { factsOf, statusDocument } from '../client/documents/status-document.js';
import type { DocumentOf } from '../client/documents/documents.js';
import { whereTurnsAre } from '../client/look/agents.js';
import { blockedRuns } from '../client/look/blocked.js';
import { transcriptOf } from '../client/look/conversation.js';
import type { RunView } from '../client/look/runs.js';
import { isExecuted, type Raymond } from '../client/open.js';
import { findRun, listRuns, liveTexts, turns } from '../client/operations.js';
import { MAIN_AGENT } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { RUN_STATUSES } from '../contract/runs.js';
import { cutText, tool, type Tool } from './tool.js';
import { WAIT_SECONDS, waitForRun } from './wait.js';

/** Names a run. */
export const run = z.string().describe('Id of a run, a unique prefix of it, or @last');

const count = z.number().int().positive();

/** These tools. */
export const runTools: readonly Tool[] = [
  tool({
    name: 'list_runs',
    title: 'List runs',
    description: 'Lists runs, newest first, with status and cost.',
    effect: 'look',
    input: z.strictObject({
      status: z.array(z.enum(RUN_STATUSES)).optional(),
      workflow: z.string().optional().describe('Only runs of the workflow with this name'),
      limit: count.max(200).default(20),
    }),
    run: async ({ access }, { status: statuses, workflow, limit }) => {
      const project = await access.project();
      if (await access.isUnused(project)) return { runs: [] };
      return await access.look(async (raymond) => {
        const views = await listRuns(raymond, { limit, ...defined({ statuses, workflow }) });
        const blocked = await blockedRuns(raymond.link.client, views);
        const served = raymond.mode.kind === 'local' ? isExecuted(raymond) : undefined;
        const rows = views.map((view) => ({
          view,
          ...defined({ served: view.open ? served : undefined, blocked: blocked.get(view.runId) }),
        }));
        return { runs: rows.map(listDocument) };
      }, project);
    },
  }),
  tool({
    name: 'run_status',
    title: 'Show the status of a run',
    description:
      'Shows a run: its status, cost, agents and open questions, and in "next" what to do. "served": false means that no process executes it.',
    effect: 'look',
    input: z.strictObject({
      run,
      costs: z.boolean().default(false).describe('With the costs by agent, state and model'),
    }),
    run: async ({ access }, { run: runId, costs }) =>
      await access.lookAt(runId, async (raymond) => await statusOf(raymond, await findRun(raymond, { runId }), costs)),
  }),
  tool({
    name: 'run_result',
    title: 'Read the result of a run',
    description:
      'Reads the result of a run. With waitSeconds it first waits until the run has ended or paused, or a person has to answer. Without "result" the run has none (yet): see "status".',
    effect: 'look',
    input: z.strictObject({
      run,
      waitSeconds: WAIT_SECONDS,
      offset: z
        .number()
        .int()
        .nonnegative()
        .default(0)
        .describe('Where to begin in a long result: "next" of the answer before'),
    }),
    run: async (call, { run: runId, waitSeconds, offset }) =>
      await call.access.lookAt(runId, async (raymond) => {
        const view = await waitForRun(raymond, { runId, seconds: waitSeconds, call });
        const whole = view.result === undefined ? undefined : await textOf(view.result, raymond.artifacts);
        const { text: result, next } = whole === undefined ? {} : cutText(whole, offset);
        const { asks, next: step } = await statusOf(raymond, view);
        const { status, open, costUsd } = view;
        return { runId: view.runId, status, open, costUsd, asks, todo: step, ...defined({ result, next }) };
      }),
  }),
  tool({
    name: 'read_logs',
    title: 'Read the output of turns',
    description: 'Reads what prompts and scripts have printed: the last turns that ended, and turns in progress.',
    effect: 'look',
    input: z.strictObject({
      run,
      agent: z.string().optional().describe('Only this agent'),
      turn: count.optional().describe('Only the turn with this number'),
      limit: count.max(100).default(10),
    }),
    run: async ({ access }, { run: runId, agent, turn, limit }) =>
      await access.lookAt(runId, (raymond) => outputs(raymond, { runId, limit, ...defined({ agent, turn }) })),
  }),
  tool({
    name: 'read_transcript',
    title: 'Read a conversation',
    description: 'Reads the conversation of an agent with its model: the last entries, oldest first.',
    effect: 'look',
    input: z.strictObject({
      run,
      agent: z.string().default(MAIN_AGENT),
      turn: count.optional().describe('After this turn; absent = the current conversation'),
      limit: count.max(500).default(50),
    }),
    run: async ({ access }, { run: runId, agent: agentId, turn, limit }) =>
      await access.lookAt(runId, async (raymond) => {
        const { session, entries } = await transcriptOf(raymond, { runId, agentId, turn });
        return { session, entries: entries.slice(-limit), earlier: Math.max(entries.length - limit, 0) };
      }),
  }),
];

/** The status document of a run. */
export async function statusOf(raymond: Raymond, found: RunView, costs = false): Promise<DocumentOf<'status'>> {
  const facts = await factsOf(raymond, { view: found, costs });
  return await statusDocument(raymond, { view: whereTurnsAre(found, facts.details), ...facts });
}

interface OutputRequest {
  readonly runId: string;
  readonly agent?: string;
  readonly turn?: number;
  readonly limit: number;
}

/** Of how many agents turns in progress are shown, and how many texts are read at a time. */
const LIVE_AGENTS = 20;
const READ_AT_ONCE = 8;

async function outputs(raymond: Raymond, { runId: name, agent, turn, limit }: OutputRequest): Promise<object> {
  const { runId, open, agents } = await findRun(raymond, { runId: name });
  const recorded = await turns(raymond, { runId, ...defined({ agentId: agent }) });
  const wanted = recorded.filter(({ number }) => (turn ?? number) === number).slice(-limit);
  const ended = await pMap(
    wanted,
    async ({ agentId, number, state, endedAt, output }): Promise<DocumentOf<'logs'>> => {
      const text = output === undefined ? '' : await textOf(output, raymond.artifacts);
      return { agentId, turn: number, state, endedAt: endedAt.toISOString(), text };
    },
    { concurrency: READ_AT_ONCE },
  );
  const running = agents.filter(({ id, status }) => status === 'running' && (agent ?? id) === id);
  const agentIds = open ? running.slice(0, LIVE_AGENTS).map(({ id }) => id) : [];
  const live = [...(await liveTexts(raymond, { runId, agentIds }))].map(([agentId, now]) => ({
    agentId,
    turn: now.turn,
    state: now.state,
    text: now.text,
  }));
  return { runId, ended, inProgress: live.filter(({ turn: number }) => (turn ?? number) === number) };
}
