// A chain of script turns: an activity that continues with its agent's next turns as long as the
// rules allow (protocol/machine/chain.ts). Every turn is recorded (chain-log.ts) before the next
// one starts; another attempt of the activity reports recorded turns and does not repeat them.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { AgentState } from '../../protocol/machine/agent.js';
import { CHAIN_LIMITS, followerOf, reportOf, turnPart } from '../../protocol/machine/chain.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import { point } from '../../host/faults.js';
import { Attempt } from '../attempt/attempt.js';
import { endEarlierAttempts } from '../attempt/earlier-attempts.js';
import { chainLogOf, type ChainLog } from './chain-log.js';
import { turnFailure } from '../failure.js';
import { needsPlaces, type StateNeeds } from '../slots/leases.js';
import { isCurrent } from '../attempt/receipts.js';
import type { ChainedTurn, TurnFailureDetails, TurnReport } from '../../contract/turns.js';

/** How to execute the turn of an attempt, and what its state needs. */
interface TurnWork {
  readonly perform: (attempt: Attempt) => Promise<TurnReport>;
  readonly needsOf: (attempt: Attempt) => Promise<StateNeeds>;
}

/** Executes the attempt and the turns that may follow it. */
export async function runChain(attempt: Attempt, work: TurnWork): Promise<TurnReport> {
  const { scripts } = attempt.worker;
  const log = chainLogOf(attempt);
  if (log === undefined) return await attempt.run(scripts, () => work.perform(attempt));
  const done = await log.read();
  const report = reportOf(done);
  if (report !== undefined) {
    await endEarlierAttempts(attempt, done);
    return report;
  }
  const working = attempt.inSlot(scripts, async () => {
    const chain = new Chain(attempt, { log, work });
    return await whileInterruptible(chain, attempt, async () => {
      return await chain.continue(await attempt.turn(scripts, () => work.perform(attempt)));
    });
  });
  return await working.finally(() => log.close());
}

/** Does work during which an operator's order ends the chain. */
async function whileInterruptible<T>(
  chain: Chain,
  { worker: { chains }, request }: Attempt,
  work: () => Promise<T>,
): Promise<T> {
  const id = agentWorkflowId(request.runId, request.agent.id);
  const end = (): void => chain.end();
  chains.set(id, end);
  try {
    return await work();
  } finally {
    if (chains.get(id) === end) chains.delete(id);
  }
}

/** The chain of one activity. */
class Chain {
  private readonly done: ChainedTurn[] = [];
  private readonly startedAt = Date.now();
  private bytes = 0;
  private isOver = false;

  constructor(
    private readonly first: Attempt,
    private readonly parts: { readonly log: ChainLog; readonly work: TurnWork },
  ) {}

  /** No further turn starts. */
  end(): void {
    this.isOver = true;
  }

  /**
   * Runs the turns after the first one; returns the report of all. Throws only `WorkerLost`: then another attempt
   * continues.
   */
  async continue(report: TurnReport): Promise<TurnReport> {
    const { agent, chain } = this.first.request;
    this.add(this.first, { kind: 'report', report });
    let after = followerOf({ ...agent, stack: chain?.stack ?? [] }, report.outcome);
    while (after !== undefined && this.canContinue) {
      const next = await this.begin(after);
      if (next === undefined) break;
      const end = await this.endOf(next);
      if (end === undefined) break;
      this.add(next, end);
      after = end.kind === 'report' ? followerOf(after, end.report.outcome) : undefined;
    }
    return reportOf(this.done) ?? report;
  }

  private get canContinue(): boolean {
    const { worker, context } = this.first;
    const isWanted = !this.isOver && !worker.scripts.isClosed && !context.cancellationSignal.aborted;
    const { ms, turns, bytes } = CHAIN_LIMITS;
    return isWanted && Date.now() - this.startedAt < ms && this.done.length < turns && this.bytes < bytes;
  }

  /**
   * Records the finished turns and prepares the next one; undefined when that needs its own
   * activity.
   */
  private async begin(agent: AgentState): Promise<Attempt | undefined> {
    const { worker, context, request } = this.first;
    const { runId, workflow, settings } = request;
    const next = {
      runId,
      settings,
      ...defined({ workflow }),
      ...turnPart(agent),
      link: this.done.length,
      first: this.first,
    };
    const attempt = new Attempt(worker, next, context);
    if (await needsPlaces(attempt, () => this.parts.work.needsOf(attempt))) return undefined;
    // Another attempt may have started it again while this process was stopped.
    if (!(await isCurrent(context))) throw turnFailure('WorkerLost', 'another worker has taken over the turn');
    // A heartbeat that is sent during the next call must not replace it.
    this.first.chain = [...this.done];
    point('before-chained');
    if (!(await this.parts.log.write(attempt, this.done))) return undefined;
    point('after-chained');
    this.first.current = attempt;
    return attempt;
  }

  /** How a turn ended; undefined for a cancelled one, which does not count. */
  private async endOf(attempt: Attempt): Promise<ChainedTurn['end'] | undefined> {
    const { scripts } = attempt.worker;
    try {
      const report = await attempt.turn(scripts, () => this.parts.work.perform(attempt));
      return report.outcome.kind === 'cancelled' ? undefined : { kind: 'report', report };
    } catch (error) {
      if (error instanceof CancelledFailure) return undefined;
      if (!(error instanceof ApplicationFailure) || error.type === 'WorkerLost') throw error;
      const [details] = (error.details ?? []) as readonly TurnFailureDetails[];
      if (details === undefined) throw error;
      return { kind: 'failure', message: error.message, details };
    }
  }

  private add({ request: { agent }, startedAt }: Attempt, end: ChainedTurn['end']): void {
    const afterMs = startedAt - this.first.startedAt;
    const turn: ChainedTurn = { state: agent.state, turn: agent.turn + 1, afterMs, end };
    this.done.push(turn);
    this.bytes += Buffer.byteLength(JSON.stringify(turn));
  }
}
