// An agent's workspace as its workflow sees it: where it is, whether its files are kept, what becomes of them at the end. Which host has it
// is the run's to say.
import { ApplicationFailure, CancellationScope, condition, setHandler, sleep, uuid4 } from '@temporalio/workflow';
import type { AgentState } from '../../protocol/machine/agent.js';
import type { Failure } from '../../protocol/failure.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import { withFiles, type Workspace, type WorkspaceSettings } from '../../protocol/machine/workspace.js';
import { pushFiles, saveFiles } from '../activities.js';
import { placedSignal, type Lost, type PlaceAnswer } from '../messages.js';
import { failureOf, retryAt } from './patience.js';
import { silenceOf } from './silence.js';
import type { RunChannel } from './to-run.js';

/** How long an agent waits before it asks again: for an answer, and for a host that is gone. */
const ASK_AGAIN_MS = 30_000;

/** Whose files, and who is asked for their place. */
interface FilesOptions {
  readonly runId: string;
  readonly settings: WorkspaceSettings | undefined;
  readonly gate: RunChannel;
  /** The agent's record. */
  readonly agent: () => AgentState;
}

/** The files of one agent. */
export class Files {
  /** True from when the workspace is about to move until the agent has asked where it is. */
  moves = false;
  private answer: PlaceAnswer | undefined;
  /** What was asked last: an answer to anything before may come late, and say what is not true any more. */
  private askId: string | undefined;
  /** How much is being done in the workspace. */
  private busy = 0;

  constructor(private readonly options: FilesOptions) {
    setHandler(placedSignal, async (news) => {
      if (news.kind === 'moves') await this.makeQuiet();
      else if (news.askId === undefined || news.askId === this.askId) this.answer = news;
    });
  }

  /** Does something in the workspace, which does not move meanwhile. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.busy += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
    }
  }

  private isToAsk(): boolean {
    return this.moves;
  }

  /** The record has what was done last when nothing is done any more: it moves on at once. */
  private async makeQuiet(): Promise<void> {
    const { agent, gate } = this.options;
    this.moves = true;
    await condition(() => this.busy === 0);
    const { id, workspace } = agent();
    // Who has asked meanwhile has said so by that.
    if (this.isToAsk() && workspace !== undefined) await gate.quiet({ agentId: id, workspace });
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
      this.answer = undefined;
      this.askId = uuid4();
      await this.options.gate.askPlace({ agentId: agent.id, askId: this.askId, workspace, ...defined({ lost }) });
      await condition(() => this.answer !== undefined, ASK_AGAIN_MS);
      const answer = this.takeAnswer();
      // It may have begun to move in the same moment: whoever shares it has been told that nothing is done here.
      if (answer?.kind === 'placed' && this.isToAsk()) continue;
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
    { host, lastPollAt, busy }: PlaceAnswer & { readonly kind: 'waits' },
  ): Promise<void> {
    const since = lastPollAt === undefined ? '' : ` since ${new Date(lastPollAt).toISOString()}`;
    const why =
      busy === undefined
        ? `which asks for no work${since}; move its files with: raymond move ${this.options.runId} ${agent.id}`
        : `where something is done, or not kept yet, for ${busy.join(', ')}, who share its files`;
    const message = `${agent.id}, ${agent.state}: waits for ${host}, ${why}`;
    const until = Date.now() + ASK_AGAIN_MS;
    const status = { kind: 'waiting', until, failure: { type: 'HostLost', message } } as const;
    await this.options.gate.hold(agent, { status, until, over: () => this.moves || this.options.gate.isResumed });
    await this.options.gate.report(agent, { costUsd: 0, status: { kind: 'running' } });
  }

  /** When what a turn has left could not be kept, waits until it can; gives the agent as it is then. */
  async kept(agent: AgentState): Promise<AgentState> {
    let now = agent;
    for (let tries = 1; ; tries += 1) {
      const failure = now.workspace?.unsaved;
      if (failure === undefined) return now;
      await this.hold(now, { failure, tries });
      now = await this.save(now);
    }
  }

  private async save(agent: AgentState): Promise<AgentState> {
    const { workspace } = agent;
    const { settings, runId } = this.options;
    if (workspace === undefined || settings === undefined) return agent;
    try {
      const snapshot = await this.during(() => saveFiles(agent, { runId, workspace, settings }));
      return await this.saved(withFiles(agent, { snapshot }));
    } catch (error) {
      const lost = silenceOf(error, agent);
      if (lost === undefined) return withFiles(agent, { unsaved: failureOf(error, agent) });
      if (lost.why === 'silent') return withFiles(agent, { unsaved: unheard(agent) });
      return await this.given(agent, lost);
    }
  }

  /** Somebody has moved the workspace by hand, without what could not be kept: the agent goes on with what there is. */
  private async given(agent: AgentState, lost: Lost): Promise<AgentState> {
    try {
      const found = await this.found(agent, lost);
      if (found.workspace === undefined) return found;
      const { unsaved: _lost, ...workspace } = found.workspace;
      return await this.saved({ ...found, workspace });
    } catch (error) {
      return withFiles(agent, { unsaved: failureOf(error, agent) });
    }
  }

  private async saved(agent: AgentState): Promise<AgentState> {
    await this.tell(agent);
    await this.options.gate.report(agent, { costUsd: 0, status: { kind: 'running' } });
    return agent;
  }

  /** Tells the run which files the agent's last turn has left. */
  async tell({ id, workspace }: AgentState): Promise<void> {
    if (workspace?.snapshot !== undefined) await this.options.gate.saved({ agentId: id, workspace });
  }

  /** Brings the files of an agent that ends to their branch; whatever keeps them from it is waited for. */
  async push(given: AgentState): Promise<void> {
    const { settings, runId } = this.options;
    const { id } = given;
    if (given.workspace?.owner !== id || settings?.outputBranch === undefined) return;
    const branch = id === MAIN_AGENT ? settings.outputBranch : `${settings.outputBranch}-${id}`;
    const message = `${id} of the run ${runId}`;
    let [agent, lost]: [AgentState, Lost | undefined] = [given, undefined];
    for (let tries = 1; ; tries += 1) {
      try {
        // Here, because what keeps the place from being found is waited for, too.
        agent = lost === undefined ? await this.placed(agent) : await this.found(agent, withoutTurn(lost));
        lost = undefined;
        const { workspace = given.workspace } = agent;
        const output = { runId, workspace, settings, branch, message };
        return await this.during(() => pushFiles(agent, output));
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        const silence = silenceOf(error, agent);
        lost = silence ?? lost;
        if (silence === undefined) await this.hold(agent, { failure: failureOf(error, agent), tries });
        else await sleep('1 second');
      }
    }
  }

  /** Waits as long as the failure's patience says, or until somebody resumes. */
  private async hold(
    agent: AgentState,
    { failure, tries }: { readonly failure: Failure; readonly tries: number },
  ): Promise<void> {
    const until = retryAt(failure.type, tries);
    const status =
      until === undefined ? ({ kind: 'paused', failure } as const) : ({ kind: 'waiting', until, failure } as const);
    await this.options.gate.hold(agent, { status, ...defined({ until }) });
  }
}

/** No prompt has been under way. */
function withoutTurn({ generation, why }: Lost): Lost {
  return { generation, why };
}

/** Nothing was heard of the host on which alone an agent's files are. */
function unheard({ id, state, workspace }: AgentState): Failure {
  const message = `${id}, ${state}: waits for ${workspace?.place?.host ?? 'a host'}, which alone has what its last turn has left`;
  return { type: 'HostLost', message };
}

/** What the agent's own last turn has left counts for it, unless the place was made of something newer. */
function atPlace(own: Workspace, { place, base = own.base, snapshot = own.snapshot }: Workspace): Workspace {
  return { ...own, ...defined({ place, base, snapshot }) };
}
