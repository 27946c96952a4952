// What a turn needs before it starts: a host for its workspace, a lease under limits, money for a prompt, in this
// order. Money comes last, because it is reserved for a turn that starts. What is missing becomes the agent's hold.
// Pure.
import { executorOf } from '../language/resolve.js';
import { turnId } from '../ids.js';
import { defined } from '../text.js';
import type { AgentState, Hold, WorkspaceHold, HostLoss, Workspace } from './agent.js';
import { holding, type Agent, type Allowance } from './inbox.js';
import { needsLease, waitStep, type LeaseRequested, type NeedStep } from './lease.js';
import { afterFailure } from './retry.js';
import type { PlacementAnswer } from './workspace.js';

/** How long an agent waits for an answer, or for a lost host, before it asks again. */
const ASK_AGAIN_MS = 30_000;

/** A request of the agent. */
export type Request =
  | { readonly kind: 'ask-money'; readonly turnId: string }
  | LeaseRequested
  | { readonly kind: 'ask-place'; readonly askId: string; readonly workspace: Workspace; readonly loss?: HostLoss };

/** What the needs depend on. */
export interface NeedsContext {
  readonly runId: string;
  readonly now: number;
  /** Whether a question that the run rejects is not reported first. */
  readonly hidesRejectedAsks: boolean;
  /** Whether the next turn delivers the report of the last one. */
  readonly carriesReports: boolean;
  /** Whether the run alone shows who waits for its budget. */
  readonly leavesMoneyToRun: boolean;
}

/** The agent with a hold for the first missing need of its next turn; undefined when the turn may start. */
export function lackingNeed(agent: Agent, context: NeedsContext): NeedStep<Request> | undefined {
  const { record, inbox, memory } = agent;
  if (record.workspace !== undefined && (record.workspace.place === undefined || inbox.moves !== undefined))
    return askForPlacement(agent, { kind: 'workspace', until: context.now }, context.now);
  const lease = needsLease(agent, context.now);
  if (lease !== undefined) return lease;
  const wantedTurn = nextTurnId(context.runId, record);
  if (executorOf(record.state) !== 'prompt' || allowanceFor(agent, wantedTurn) !== undefined) return undefined;
  const hold = { kind: 'money', turnId: wantedTurn, since: context.now, until: context.now + ASK_AGAIN_MS } as const;
  const held = holding(agent, hold);
  // The last report has asked for it.
  if (memory.requestedTurn === wantedTurn) return held;
  return { agent: held, action: { kind: 'ask-money', turnId: wantedTurn } };
}

/** The id of the agent's next turn. */
export function nextTurnId(runId: string, { id, turn }: Pick<AgentState, 'id' | 'turn'>): string {
  return turnId({ runId, agentId: id, turn: turn + 1 });
}

/** The amount that the run has granted for a prompt turn; undefined when it must be requested. */
export function allowanceFor({ inbox: { grant }, memory: { standing } }: Agent, wanted: string): Allowance | undefined {
  if (grant?.turnId === wanted) return { turns: grant.turns ?? 1, ...defined({ usd: grant.usd }) };
  return isStanding(standing) ? standing : undefined;
}

/** True while the agent need not ask for its next prompt turn. */
export function isStanding(standing: Allowance | undefined): boolean {
  return standing !== undefined && standing.turns > 0 && (standing.usd ?? 1) > 0;
}

/** The agent when money has arrived, or when it must ask again. */
export function moneyStep(agent: Agent, hold: Hold & { readonly kind: 'money' }, now: number): NeedStep<Request> {
  if (agent.record.pausedBy !== undefined || allowanceFor(agent, hold.turnId) !== undefined)
    return holding(agent, undefined);
  if (now < hold.until) return waitStep(agent, hold, now);
  const again = holding(agent, { ...hold, until: now + ASK_AGAIN_MS });
  return { agent: again, action: { kind: 'ask-money', turnId: hold.turnId } };
}

/** The agent asks its run for the host of its workspace. */
function askForPlacement(agent: Agent, hold: WorkspaceHold, now: number): NeedStep<Request> {
  const { record, inbox, memory } = agent;
  const { workspace } = record;
  if (workspace === undefined) return holding(agent, hold.pending);
  const { moves: _answered, placement: _old, ...rest } = inbox;
  const questions = memory.questions + 1;
  // The time distinguishes the executions of an agent.
  const askId = `${now}-${questions}`;
  const { failure: _before, ...holdBefore } = hold;
  const failure = hold.loss?.failure;
  const held = holding(agent, { ...holdBefore, askId, until: now + ASK_AGAIN_MS, ...defined({ failure }) });
  const action = { kind: 'ask-place', askId, workspace, ...defined({ loss: hold.loss }) } as const;
  return { agent: { ...held, inbox: rest, memory: { ...memory, questions } }, action };
}

/** The agent when it knows the host of its workspace, or must ask again. */
export function workspaceStep(agent: Agent, hold: WorkspaceHold, { now, runId }: NeedsContext): NeedStep<Request> {
  const { placement: answer, ...inbox } = agent.inbox;
  const isAnswer = answer !== undefined && (answer.askId === undefined || answer.askId === hold.askId);
  // A move may have started at the same moment: the agents that share the workspace rely on no turn running here.
  const movesAgain = inbox.moves !== undefined && (isAnswer || hold.failure !== undefined);
  if (movesAgain || (!isAnswer && now >= hold.until)) return askForPlacement(agent, hold, now);
  if (!isAnswer) return { agent, action: { kind: 'wait', until: hold.until } };
  return afterAnswer({ ...agent, inbox }, { hold, answer, now, runId });
}

function afterAnswer(
  agent: Agent,
  {
    hold,
    answer,
    now,
    runId,
  }: { readonly hold: WorkspaceHold; readonly answer: PlacementAnswer } & Pick<NeedsContext, 'now' | 'runId'>,
): Agent {
  const { record } = agent;
  if (answer.kind === 'placed') {
    const { workspace } = record;
    if (workspace === undefined) return holding(agent, hold.pending);
    const located = withPlacement(workspace, answer.workspace, hold);
    const memory = { ...agent.memory, ...defined({ savedSnapshot: located.snapshot }) };
    return holding({ ...agent, memory, record: { ...record, workspace: located } }, hold.pending);
  }
  const where = `${record.id}, ${record.state}`;
  if (answer.kind === 'waits') {
    const failure = {
      type: 'HostLost',
      message: `${where}: ${waitMessage(answer, { runId, agent: record })}`,
    } as const;
    return holding(agent, { ...hold, failure, until: now + ASK_AGAIN_MS });
  }
  if (hold.loss?.failure !== undefined) {
    const failure = { ...hold.loss.failure, message: `${hold.loss.failure.message}; ${answer.failure.message}` };
    return holding(agent, { kind: 'retry', failure, ...defined({ then: hold.pending }) });
  }
  const failed = { ...answer.failure, message: `${where}: ${answer.failure.message}`, costUsd: 0 };
  return afterFailure(agent, failed, { now, work: hold.pending === undefined ? 'turn' : 'push' });
}

function waitMessage(
  { host, lastPollAt, busy }: PlacementAnswer & { readonly kind: 'waits' },
  { runId, agent: { id, workspace } }: { readonly runId: string; readonly agent: AgentState },
): string {
  if (busy !== undefined) return `waits until no agent on ${host} uses the same workspace (now: ${busy.join(', ')})`;
  const since = lastPollAt === undefined ? '' : ` since ${new Date(lastPollAt).toISOString()}`;
  const [only, without] =
    workspace?.unsaved === undefined ? ['', ''] : [', the only host with the files of its last turn', ' without these'];
  return `waits for ${host}${only}, which has not polled${since}; move its workspace${without} with: raymond fleet move ${runId} ${id}`;
}

/** The files of the agent's own last turn count for it, unless the workspace was created from newer ones. */
function withPlacement(
  own: Workspace,
  { place, base = own.base, snapshot = own.snapshot }: Workspace,
  hold: WorkspaceHold,
): Workspace {
  const { unsaved, ...files } = own;
  // An operator has moved it without the files that could not be saved.
  const isMoved = hold.loss?.why === 'moved' || (unsaved !== undefined && own.place?.generation !== place?.generation);
  const kept = isMoved ? {} : defined({ unsaved });
  return { ...files, ...kept, ...defined({ place, base, snapshot }) };
}
