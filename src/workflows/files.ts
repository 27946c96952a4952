// An agent's workspace as its workflow sees it: where it is, whether its files are kept, what becomes of them at the end. Which host has it
// is the run's to say.
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { AgentState } from '../protocol/agent.js';
import { MAIN_AGENT } from '../protocol/ids.js';
import { executorOf } from '../protocol/resolve.js';
import { withFiles, type SilentActivity, type Workspace, type WorkspaceSettings } from '../protocol/workspace.js';
import { pushFiles, saveFiles } from './activities.js';
import { placedSignal, type Lost, type PlaceAnswer } from './messages.js';
import { failureOf } from './patience.js';
import type { RunChannel } from './to-run.js';

/** How long an agent waits before it asks again: for an answer, and for a host that is gone. */
const ASK_AGAIN_MS = 30_000;

/** The files of one agent. */
export class Files {
  private answer: PlaceAnswer | undefined;
  private moves = false;

  constructor(
    private readonly runId: string,
    private readonly settings: WorkspaceSettings | undefined,
    private readonly gate: RunChannel,
  ) {
    setHandler(placedSignal, (answer) => {
      if (answer.kind === 'moves') this.moves = true;
      else this.answer = answer;
    });
  }

  /** The agent with the place of its workspace, as far as it has one. */
  async placed(agent: AgentState): Promise<AgentState> {
    const { workspace } = agent;
    return workspace === undefined || (workspace.place !== undefined && !this.moves) ? agent : await this.found(agent);
  }

  /** The same when nothing was heard of the place: there again, elsewhere, or after the host is back. */
  async found(agent: AgentState, lost?: Lost): Promise<AgentState> {
    const { workspace } = agent;
    if (workspace === undefined) return agent;
    for (;;) {
      this.moves = false;
      await this.gate.askPlace({ agentId: agent.id, workspace, ...(lost === undefined ? {} : { lost }) });
      await condition(() => this.answer !== undefined, ASK_AGAIN_MS);
      const answer = this.takeAnswer();
      if (answer?.kind === 'placed') return { ...agent, workspace: atPlace(workspace, answer.workspace) };
      if (answer?.kind === 'failed') {
        const { type, message } = answer.failure;
        throw ApplicationFailure.create({
          type,
          message: `${agent.id}, ${agent.state}: ${message}`,
          nonRetryable: true,
        });
      }
      if (answer?.kind === 'waits') await this.waitForHost(agent, answer);
    }
  }

  private takeAnswer(): PlaceAnswer | undefined {
    const { answer } = this;
    this.answer = undefined;
    return answer;
  }

  private async waitForHost(
    agent: AgentState,
    { host, lastPollAt }: PlaceAnswer & { readonly kind: 'waits' },
  ): Promise<void> {
    const since = lastPollAt === undefined ? '' : ` since ${new Date(lastPollAt).toISOString()}`;
    const message = `${agent.id}, ${agent.state}: waits for ${host}, which asks for no work${since}; move its files with: raymond move ${this.runId} ${agent.id}`;
    const until = Date.now() + ASK_AGAIN_MS;
    const status = { kind: 'waiting', until, failure: { type: 'HostLost', message } } as const;
    await this.gate.hold(agent, { status, until, over: () => this.moves || this.gate.isResumed });
    await this.gate.report(agent, { costUsd: 0, status: { kind: 'running' } });
  }

  /** Tells the run what a turn has left; when that could not be kept, waits until it can, and gives the agent as it is then. */
  async kept(agent: AgentState): Promise<AgentState> {
    let now = agent;
    for (let failure = now.workspace?.unsaved; failure !== undefined; failure = now.workspace?.unsaved) {
      await this.gate.hold(now, { status: { kind: 'paused', failure } });
      now = await this.save(now);
    }
    return now;
  }

  private async save(agent: AgentState): Promise<AgentState> {
    const { workspace } = agent;
    const { settings } = this;
    if (workspace === undefined || settings === undefined) return agent;
    try {
      const snapshot = await saveFiles(agent, { workspace, settings });
      const saved = withFiles(agent, { snapshot });
      await this.tell(saved);
      await this.gate.report(saved, { costUsd: 0, status: { kind: 'running' } });
      return saved;
    } catch (error) {
      return withFiles(agent, { unsaved: failureOf(error, agent) });
    }
  }

  /** Tells the run which files the agent's last turn has left. */
  async tell({ id, workspace }: AgentState): Promise<void> {
    if (workspace?.snapshot !== undefined) await this.gate.saved({ agentId: id, workspace });
  }

  /** Brings the files of an agent that ends to their branch; whatever keeps them from it is waited for. */
  async push(agent: AgentState): Promise<void> {
    const { workspace } = agent;
    const { settings, runId } = this;
    if (workspace?.owner !== agent.id || settings?.outputBranch === undefined) return;
    const branch = agent.id === MAIN_AGENT ? settings.outputBranch : `${settings.outputBranch}-${agent.id}`;
    const message = `${agent.id} of the run ${runId}`;
    for (;;) {
      try {
        return await pushFiles(agent, { workspace, settings, branch, message });
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        await this.gate.hold(agent, { status: { kind: 'paused', failure: failureOf(error, agent) } });
      }
    }
  }
}

/** What the agent's own last turn has left counts for it, unless the place was made of something newer. */
function atPlace({ unsaved, ...own }: Workspace, { place, snapshot = own.snapshot }: Workspace): Workspace {
  return {
    ...own,
    ...(unsaved === undefined ? {} : { unsaved }),
    ...(place === undefined ? {} : { place }),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

/** Why a turn on the queue of a host came to nothing without a word of its own; undefined when it has one. */
export function silenceOf(error: unknown, { workspace, state, turn: before }: AgentState): Lost | undefined {
  const { place } = workspace ?? {};
  if (place === undefined || place.queue === workflowInfo().taskQueue || !(error instanceof ActivityFailure))
    return undefined;
  const { generation } = place;
  const turn = executorOf(state) === 'prompt' ? { turn: before + 1 } : {};
  if (error.cause instanceof TimeoutFailure)
    return { generation, why: 'silent', ...(error.cause.timeoutType === 'HEARTBEAT' ? turn : {}) };
  if (!(error.cause instanceof ApplicationFailure)) return undefined;
  if (error.cause.type === 'WorkspaceMoved') return { generation, why: 'moved' };
  return error.cause.type === 'WorkerLost' ? { generation, why: 'silent', ...turn } : undefined;
}

/** The activity of such a turn, which may have left something on its host. */
export function silentActivity(error: unknown): readonly SilentActivity[] {
  // One that has told how it ended has left nothing, and its cost is booked.
  if (!(error instanceof ActivityFailure && error.cause instanceof TimeoutFailure)) return [];
  if (error.activityId === undefined) return [];
  return [{ workflowRunId: workflowInfo().runId, activityId: error.activityId }];
}
