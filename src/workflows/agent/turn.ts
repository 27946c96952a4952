// One state of an agent as the workflow sees it: the allowance, the turn and its reminders, and its money. Gives the transition, or throws
// the failure that ends the agent.
import { ApplicationFailure, CancellationScope, CancelledFailure, isCancellation, sleep } from '@temporalio/workflow';
import type { Reminder, TurnOutcome, TurnReport } from '../../activities/types.js';
import type { AgentState, Told } from '../../protocol/machine/agent.js';
import { exceedsStack, mayChain, turnPart } from '../../protocol/machine/chain.js';
import { assertNever } from '../../protocol/failure.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { MAX_REMINDERS } from '../../protocol/language/reminder.js';
import { executorOf } from '../../protocol/language/resolve.js';
import { applyTransition, MAX_STACK } from '../../protocol/machine/step.js';
import type { Lease } from '../../protocol/leases.js';
import { DEFAULT_PRIORITY } from '../../protocol/priority.js';
import { defined } from '../../protocol/text.js';
import type { Transition } from '../../protocol/machine/transition.js';
import { withFiles, type SilentActivity } from '../../protocol/machine/workspace.js';
import { performTurn } from '../activities.js';
import type { ChainedTurns } from './chained-turns.js';
import type { AgentInput } from '../contract.js';
import type { Files } from './files.js';
import { lackingIn, type Leases } from './leases.js';
import type { Lost } from '../messages.js';
import { turnFailureOf, waitForRetry } from './patience.js';
import { silenceOf, silentActivity } from './silence.js';
import type { RunChannel } from './to-run.js';
import { show, showAgent } from '../visibility.js';

/** An agent about to do its next state. */
export interface StateOptions {
  readonly input: AgentInput;
  readonly agent: AgentState;
  readonly gate: RunChannel;
  readonly files: Files;
  readonly leases: Leases;
  readonly chained: ChainedTurns;
  /** Heeds an operator who wants the agent to pause. */
  readonly pause: () => Promise<void>;
  /** What people have said to the agent and no prompt has taken up. */
  readonly told: () => readonly Told[];
  /** Hears of every turn that is over and counts, before the run does. */
  readonly recorded: (turn: TurnRecord) => void;
}

/** A turn that is over: the agent with its turn counted and its session moved on, and how it ended. */
export interface TurnRecord {
  readonly done: AgentState;
  readonly outcome: TurnOutcome;
  /** How much of what people had said it has taken up. */
  readonly told: number;
}

/** Does the agent's state: one turn, and after protocol mistakes of a state with a policy up to three reminders, each a turn of its own. */
export async function perform(options: StateOptions): Promise<Transition> {
  let { agent } = options;
  for (let reminder: Reminder | undefined; ;) {
    const { done, outcome } = await retryTurn({ ...options, agent, ...(reminder === undefined ? {} : { reminder }) });
    switch (outcome.kind) {
      case 'transition':
        return outcome.transition;
      case 'cancelled':
        throw new CancelledFailure(`${agent.state} was cancelled`);
      case 'problem':
        if (!outcome.remindable) throw protocolError(agent, outcome, reminder);
        showAgent(done, { kind: 'running' });
        if (reminder?.number === MAX_REMINDERS) throw protocolError(agent, outcome, reminder);
        reminder = { problem: outcome.problem, number: (reminder?.number ?? 0) + 1 };
        agent = done;
        break;
      default:
        assertNever(outcome);
    }
  }
}

function protocolError(
  { id, state }: AgentState,
  { problem }: TurnOutcome & { readonly kind: 'problem' },
  reminder: Reminder | undefined,
): ApplicationFailure {
  const reminded =
    reminder === undefined ? '' : ` (after ${reminder.number} ${reminder.number === 1 ? 'reminder' : 'reminders'})`;
  const message = `${id}, ${state}: ${describeProblem(problem)}${reminded}`;
  return ApplicationFailure.create({ type: 'ProtocolError', nonRetryable: true, message });
}

interface TurnOptions extends StateOptions {
  /** Hears of it when the agent's files have moved while the turn waited to begin. */
  readonly moved?: (agent: AgentState) => void;
  readonly reminder?: Reminder;
  /** Activities of this turn that ended without a word. */
  readonly silent?: readonly SilentActivity[];
  /** The place, by its generation, where one of them had begun with a prompt. */
  readonly begunAt?: number;
  /** What is known of usage limits; `anew` = a person wants them tried. */
  readonly limited?: Readonly<Record<string, number>>;
  readonly anew?: true;
}

/** Does one turn, as often as the failures' patience allows. */
async function retryTurn(given: TurnOptions): Promise<TurnRecord> {
  let options = given;
  let silence: Silence | undefined;
  for (const tries = new Map<string, number>(); ;) {
    try {
      // Here, because what keeps it from being found is met with patience, too.
      if (silence !== undefined) options = await elsewhere(options, silence);
      silence = undefined;
      options = { ...options, agent: await options.files.placed(options.agent) };
      return await doTurn({ ...options, moved: (agent) => void (options = { ...options, agent }) });
    } catch (error) {
      if (lackingIn(error) !== undefined) continue;
      const failed = turnFailureOf(error, options.agent);
      if (failed.costUsd > 0)
        await options.gate.report(options.agent, { costUsd: failed.costUsd, status: { kind: 'running' } });
      const lost = silenceOf(error, options.agent);
      if (lost !== undefined && !CancellationScope.current().consideredCancelled) {
        silence = { error, lost };
        continue;
      }
      if (isCancellation(error)) throw error;
      // However the turn of a cancelled agent ended (its worker may have died meanwhile), the agent is cancelled, not failed.
      if (CancellationScope.current().consideredCancelled)
        throw new CancelledFailure(`${options.agent.state} was cancelled`);
      options = { ...options, ...(await waitForRetry(options, { error, trouble: failed, tries })) };
    }
  }
}

/** A turn that came to nothing without a word. */
interface Silence {
  readonly error: unknown;
  readonly lost: Lost;
}

/** The same turn where the agent's files are by now; `silent` names what may still run where they were. */
async function elsewhere(options: TurnOptions, { error, lost }: Silence): Promise<TurnOptions> {
  const { generation, turn = options.begunAt === generation ? options.agent.turn + 1 : undefined } = lost;
  const agent = await options.files.found(options.agent, { ...lost, ...defined({ turn }) });
  // A worker that is just starting again would be asked without a pause.
  if (agent.workspace?.place?.generation === generation) await sleep('1 second');
  const begun = turn === undefined ? {} : { begunAt: generation };
  return { ...options, agent, ...begun, silent: [...(options.silent ?? []), ...silentActivity(error)] };
}

async function doTurn(options: TurnOptions): Promise<TurnRecord> {
  const { agent, gate, leases, pause, input, chained } = options;
  const report = chained.take(agent);
  if (report !== undefined) return await conclude(options, { report, told: 0 });
  const { priority = DEFAULT_PRIORITY } = input.settings.turn;
  return await leases.during({ agent, gate, pause, priority }, (lease) => doGranted(options, lease));
}

/** A turn that has the places which it is known to need: money comes last, because it is set aside for a turn that begins. */
async function doGranted(options: TurnOptions, lease: Lease | undefined): Promise<TurnRecord> {
  const { input, agent: waiting, gate, files, moved, chained, told, reminder, silent, limited, anew } = options;
  const prompt = executorOf(waiting.state) === 'prompt';
  if (prompt) show({ RaymondState: waiting.state }, input.settings.searchAttributes);
  const grant = prompt ? await gate.allowance(waiting) : undefined;
  // Its files may have begun to move while it waited.
  const agent = await files.placed(waiting);
  moved?.(agent);
  const words = prompt ? told() : [];
  const chains = !prompt && lease === undefined && input.settings.chain !== false && mayChain(agent);
  const request = {
    runId: input.runId,
    workflow: input.workflow,
    ...turnPart(agent),
    settings: input.settings.turn,
    ...(grant?.usd === undefined ? {} : { allowanceUsd: grant.usd }),
    ...(chains ? { chain: { stack: agent.stack } } : {}),
    ...(words.length === 0 ? {} : { told: words }),
    ...(reminder === undefined ? {} : { reminder }),
    ...(agent.workspace === undefined ? {} : defined({ workspace: input.settings.workspace, silent })),
    ...defined({ lease, limited, anew }),
  };
  const { chain, ...report } = await files.during(() => performTurn(request, agent));
  chained.keep(chain);
  return await conclude({ ...options, agent }, { report, told: words.length });
}

/** Takes up how a turn has ended; `told` is how much of what people had said it was given. */
async function conclude(
  { agent, gate, files, recorded }: TurnOptions,
  { report, told }: { readonly report: TurnReport; readonly told: number },
): Promise<TurnRecord> {
  const turn = { done: after(agent, report), outcome: bounded(agent, report.outcome), told };
  if (isRecorded(report.outcome)) recorded(turn);
  if (turn.done.workspace?.snapshot !== agent.workspace?.snapshot) await files.tell(turn.done);
  // Also one that cost nothing: what was set aside for it is free again.
  if (executorOf(agent.state) === 'prompt' || report.costUsd > 0)
    await gate.turnEnded(turn.done, report.costUsd, goingOn(turn));
  return turn;
}

/** The agent about to do its next state; undefined when it forks, waits or ends first. */
function goingOn({ done, outcome }: TurnRecord): AgentState | undefined {
  if (outcome.kind !== 'transition') return undefined;
  const step = applyTransition(done, outcome.transition);
  return step.kind === 'continue' ? step.agent : undefined;
}

/** A call without an end is a protocol mistake: the state that makes it fails, and the record does not move on. */
function bounded(agent: AgentState, outcome: TurnOutcome): TurnOutcome {
  if (outcome.kind !== 'transition' || !exceedsStack(agent, outcome.transition)) return outcome;
  const { kind: tag } = outcome.transition;
  return { kind: 'problem', problem: { kind: 'stack-full', tag, limit: MAX_STACK }, text: '' };
}

function isRecorded(outcome: TurnOutcome): boolean {
  return outcome.kind === 'transition' || (outcome.kind === 'problem' && outcome.remindable === true);
}

function after(agent: AgentState, report: TurnReport): AgentState {
  const { session, account } = report;
  return withFiles({ ...agent, turn: agent.turn + 1, ...defined({ session, account }) }, report);
}
