// How an agent gets the places that a turn needs under limits, and gives them back. That a state needs some, its first turn says, which has
// asked for them; from then on the agent asks before each of the state's turns. States without limits take no step here.
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TurnFailureDetails } from '../../activities/types.js';
import type { AgentState } from '../../protocol/machine/agent.js';
import type { Lease, LeaseRequest, WantedLease } from '../../protocol/leases.js';
import { leaseSignal, releaseSignal, wantSignal } from '../messages.js';
import type { RunChannel } from './to-run.js';
import { showAgent } from '../visibility.js';

/** Nobody is told that an agent waits which gets its places at once. */
const AT_ONCE = '1 second';

/** Who hears nothing lets the worker ask anew, which knows what is limited now; ever more seldom. */
const FIRST_PATIENCE_MS = 60_000;
const LONGEST_PATIENCE_MS = 3_600_000;

/** A turn that may need places. */
export interface LimitedTurn {
  readonly agent: AgentState;
  readonly gate: RunChannel;
  readonly priority: number;
  /** Heeds an operator who wants the agent to pause. */
  readonly pause: () => Promise<void>;
}

/** The agent's end of the line to the limiter. */
export class Leases {
  /** What states have turned out to need; `asked` = their worker has asked for the next turn. */
  private readonly wanted = new Map<string, WantedLease & { readonly asked: boolean }>();
  private granted: string | undefined;
  private requests = 0;
  private patienceMs = FIRST_PATIENCE_MS;

  constructor() {
    setHandler(leaseSignal, ({ requestId }) => void (this.granted = requestId));
  }

  /** Does a turn with the places that it needs, as far as that is known; gives them back when it is over. */
  async during<T>(turn: LimitedTurn, work: (lease: Lease | undefined) => Promise<T>): Promise<T> {
    const asked = await this.ask(turn);
    let stays = false;
    try {
      const since = asked === undefined ? undefined : await this.untilGranted(asked, turn);
      return await work(asked === undefined || since === undefined ? undefined : leaseOf(asked, since));
    } catch (error) {
      const lacking = lackingIn(error);
      if (lacking !== undefined) this.wanted.set(nameOf(turn.agent), { ...lacking, asked: true });
      // Its worker has put a new request into the place of this one.
      stays = lacking !== undefined;
      throw error;
    } finally {
      if (asked !== undefined && !stays) await this.release(asked);
    }
  }

  /** Asks for what the state is known to need; undefined when there is nothing, or nobody to ask: then its turn will. */
  private async ask({ agent, priority }: LimitedTurn): Promise<WantedLease | undefined> {
    const name = nameOf(agent);
    const known = this.wanted.get(name);
    if (known === undefined) return undefined;
    const { asked, ...wanted } = known;
    this.wanted.set(name, { ...wanted, asked: false });
    if (asked) return wanted;
    const requestId = `${agent.id}-${agent.turn + 1}-${(this.requests += 1)}`;
    const request: LeaseRequest = { holder: self(), requestId, keys: wanted.keys, priority };
    if (await sent(() => getExternalWorkflowHandle(wanted.limiter).signal(wantSignal, request)))
      return { ...wanted, requestId };
    this.wanted.delete(name);
    return undefined;
  }

  /** Since when it has them; undefined when the turn had better look again. */
  private async untilGranted(asked: WantedLease, turn: LimitedTurn): Promise<number | undefined> {
    const isGranted = (): boolean => this.granted === asked.requestId;
    if (!(await condition(isGranted, AT_ONCE))) await this.wait(turn, { asked, isGranted });
    if (turn.gate.pausedBy !== undefined) {
      await this.release(asked);
      await turn.pause();
    } else if (isGranted()) {
      this.patienceMs = FIRST_PATIENCE_MS;
      return Date.now();
    } else this.patienceMs = Math.min(2 * this.patienceMs, LONGEST_PATIENCE_MS);
    this.wanted.delete(nameOf(turn.agent));
    return undefined;
  }

  private async wait(
    { agent, gate }: LimitedTurn,
    { asked, isGranted }: { readonly asked: WantedLease; readonly isGranted: () => boolean },
  ): Promise<void> {
    const status = { kind: 'queued', waitsFor: asked.places } as const;
    showAgent(agent, status);
    await gate.report(agent, { costUsd: 0, status });
    await condition(() => isGranted() || gate.pausedBy !== undefined, this.patienceMs);
    showAgent(agent, { kind: 'running' });
    await gate.report(agent, { costUsd: 0, status: { kind: 'running' } });
  }

  private async release({ limiter, requestId }: WantedLease): Promise<void> {
    const lease = { holder: self(), requestId };
    // A limiter that is gone has forgotten it.
    await CancellationScope.nonCancellable(() =>
      sent(() => getExternalWorkflowHandle(limiter).signal(releaseSignal, lease)),
    );
  }
}

function leaseOf({ limiter, requestId, keys }: WantedLease, since: number): Lease {
  return { limiter, requestId, keys, since };
}

/** What a turn lacked that did not begin; undefined when that is not why it failed. */
export function lackingIn(error: unknown): WantedLease | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const [details] = (cause.details ?? []) as readonly (TurnFailureDetails | undefined)[];
  return details?.lacking;
}

/** False when the target does not exist: sent from workflow code, a signal fails for no other reason. */
async function sent(send: () => Promise<void>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

function self(): LeaseRequest['holder'] {
  const { workflowId, runId } = workflowInfo();
  return { workflowId, runId };
}

function nameOf({ scope, state }: AgentState): string {
  return `${scope.path} ${state}`;
}
