// Agents that continue after they ended: single ones, by operators' orders, or all without a
// result, when a closed run is resumed. An order stays here until it is carried out, rejected, or
// carried into the next history.
import { CHILDREN_PER_HISTORY } from '../../protocol/limits.js';
import { defined } from '../../protocol/text.js';
import type { LedgerSnapshot, Move, RestartStep, Revival, RunInput } from '../../contract/runs.js';
import type { Archived } from './archive.js';
import type { EntryPause } from './broadcast.js';
import type { CallResult } from './retries.js';
import { agentsToRestart, agentToRestart, nextToRestart, openForRestart, type Restart } from './restartable.js';
import type { Stop } from './summary.js';
import { inGroups, moveAgent, resumeAgent, startAgent } from './to-agents.js';

/** Why an order that came before the run stopped is rejected. */
const STOPPED: Readonly<Record<Stop, string>> = {
  cancelled: 'the run was cancelled after that',
  'over-budget': 'the run went over its budget after that',
  'fail-fast': 'an agent failed after that, and the run fails fast',
};

/** What restarts need of their run. */
interface RunOfRestarts extends Archived {
  readonly input: () => RunInput;
  /** Called with an agent that is about to be started again; returns the pause of the run. */
  readonly onEntered: (agentId: string) => EntryPause;
}

/** The agents to start again. */
export class Restarts {
  private revivals: Revival[];
  private step: RestartStep | undefined;
  private reopensAfterStop = false;
  private readonly revivalsAfterStop: Revival[] = [];
  private started = 0;

  constructor(
    private readonly run: RunOfRestarts,
    { ledger, restart = false, only }: Pick<RunInput, 'ledger' | 'restart' | 'only'>,
  ) {
    this.revivals = [...(ledger?.revivals ?? []), ...(only === undefined ? [] : [only])];
    this.step = restart && only === undefined ? 'listed' : ledger?.restarting;
  }

  /** The part that is stored with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'revivals' | 'restarting'> {
    const { revivals, step } = this;
    return { ...(revivals.length === 0 ? {} : { revivals }), ...defined({ restarting: step }) };
  }

  /** True while an agent waits to be started. */
  get isPending(): boolean {
    return this.revivals.length > 0 || this.step !== undefined;
  }

  /** True when this history has started as many as it may, and more are waiting. */
  get isFull(): boolean {
    return this.isPending && this.started >= CHILDREN_PER_HISTORY;
  }

  /** Continues one agent, by an operator's order; of a run that is about to stop, after that. */
  revive(revival: Revival, { stops = false }: { readonly stops?: boolean } = {}): void {
    (stops ? this.revivalsAfterStop : this.revivals).push(revival);
  }

  /** Continues all agents that ended without a result. */
  reopen(): void {
    this.step = 'listed';
  }

  /** The same after the run's cancel, which Temporal delivers after all signals of a workflow task. */
  reopenAfterStop(): void {
    this.reopensAfterStop = true;
  }

  /** Orders from before the stop are not carried out any more. */
  stop(reason: Stop): void {
    for (const { agentId, by } of this.revivals.splice(0))
      this.run.ledger.refuse({ agentId, by, why: STOPPED[reason] });
    this.revivals.push(...this.revivalsAfterStop.splice(0));
    this.step = this.reopensAfterStop ? 'listed' : undefined;
    this.reopensAfterStop = false;
  }

  /**
   * Starts the agents that it can; the others wait for the next message to the run, or for the next
   * retry.
   */
  async carryOut(): Promise<void> {
    const { revivals } = this;
    this.revivals = [];
    for (const revival of revivals) await this.startAgain(revival);
    if (this.step === 'listed') {
      const agents = await this.restart(await agentsToRestart(this.run, this.run.input().runId));
      this.advance('listed', { to: 'archive', after: agents });
    }
    if (this.step === 'archive') this.advance('archive', { to: 'pages', after: await openForRestart(this.run) });
    while (this.step === 'pages' && this.started < CHILDREN_PER_HISTORY) {
      const page = await this.restart(await nextToRestart(this.run, this.run.input().runId));
      if (page.kind === 'later') return;
      if (page.kind === 'never' || this.run.ledger.resumable === undefined) this.advance('pages', { after: page });
    }
  }

  /** Agents that cannot be looked up do not hold up the others. */
  private advance(
    from: RestartStep,
    { to, after }: { readonly to?: RestartStep; readonly after: CallResult<unknown> },
  ): void {
    if (after.kind !== 'later' && this.step === from) this.step = to;
  }

  /**
   * Starts an agent that ended without a result from its record; one that lives by now only gets
   * its new state.
   */
  private async startAgain(revival: Revival): Promise<void> {
    const { ledger, input } = this.run;
    const { agentId, move, by } = revival;
    const { runId } = input();
    const line = ledger.roster.get(agentId);
    if (line !== undefined && ledger.roster.isLive(agentId)) {
      if (move !== undefined) await moveAgent(runId, agentId, move);
      else if ('failure' in line.status) await resumeAgent(runId, agentId, by);
      return;
    }
    const found = await agentToRestart(this.run, { runId, revival });
    if (found.kind === 'later') this.revivals.push(revival);
    else if (found.kind === 'refused') ledger.refuse({ agentId, by, why: found.why });
    else if (found.kind === 'never') ledger.refuse({ agentId, by, why: 'its record cannot be read' });
    else await this.restart(found, move);
  }

  private async restart(
    readAgents: CallResult<readonly Restart[]>,
    move?: Move,
  ): Promise<CallResult<readonly Restart[]>> {
    if (readAgents.kind !== 'done') return readAgents;
    const { runId, workflow, settings } = this.run.input();
    const spawnContext = { runId, workflow, settings, ...defined({ move }) };
    const agents = readAgents.value.map(({ line: { id, state }, record }) => {
      // It must not start a turn before the run can reach it.
      return { agent: { id, state, record }, pause: this.run.onEntered(id) };
    });
    await inGroups(agents, ({ agent, pause }) => startAgent({ ...spawnContext, ...pause }, agent));
    this.started += readAgents.value.length;
    return readAgents;
  }
}
