// The data contract of the two workflow types: inputs, ledger, and the summary of a run. Plain JSON, compatible with histories in
// test/replay; no logic, no Temporal package.
import type { Labels } from '../protocol/labels.js';
import type { SandboxKind } from '../protocol/sandbox.js';
import type { EndedAgent, EndStatus } from './records.js';
import type { ArchiveTotals, TurnSettings } from './turns.js';
import type { AgentState, Move, StoredAgent, Workspace } from '../protocol/machine/agent.js';
import type { Failure, FailureType } from '../protocol/failure.js';
import type { AskLine, LiveStatus } from '../protocol/machine/status.js';
import type { Value } from '../protocol/text.js';
import type { Relocation, WorkspaceSettings } from '../protocol/machine/workspace.js';

export type { AskLine, ForkRange } from '../protocol/machine/status.js';
export type { Move } from '../protocol/machine/agent.js';

/** What `start` fixes for a whole run. */
export interface RunSettings {
  readonly turn: TurnSettings;
  /** USD over all agents; absent = no limit. */
  readonly budgetUsd?: number;
  readonly failFast: boolean;
  /** Questions to people fail the agent that asks. */
  readonly rejectAsks?: boolean;
  /** Every script turn has an activity of its own; absent = one may do several (protocol/machine/chain.ts). */
  readonly chain?: false;
  /** A usage limit pauses the agent, even when it is known when the limit ends. */
  readonly pauseAtLimit?: boolean;
  /** Search attributes that exist on this cluster; only those are set. */
  readonly searchAttributes: readonly string[];
  /** Turns after which an agent continues as new. */
  readonly turnsPerHistory: number;
  /** Forks after which an agent continues as new; absent = as many as Temporal allows (protocol/limits.ts). */
  readonly forksPerHistory?: number;
  /**
   * Seconds of an agent's silence after which the run checks whether it still exists; absent = 300.
   */
  readonly probeSeconds?: number;
  /** Delays, limits and pauses before retries end at once. For `raymond test`. */
  readonly skipsWaits?: true;
  /**
   * Its agents work in git workspaces that move from host to host; absent = in folders that every
   * host sees.
   */
  readonly workspace?: WorkspaceSettings;
}

/** The status of an agent, as the run knows it. Times are epoch milliseconds. */
export type AgentStatus = LiveStatus | EndStatus;

/** The kinds of status of an agent that has ended. */
export const ENDED: ReadonlySet<AgentStatus['kind']> = new Set(['completed', 'failed', 'cancelled', 'lost']);

/** One agent in the run's ledger. */
export interface LedgerAgent extends Omit<EndedAgent, 'status'> {
  readonly status: AgentStatus;
  /**
   * How many agents announced that they start one with this id; all but one withdraw. Absent = 1.
   */
  readonly claims?: number;
  /** The last results that it was sent: those of its forks after this number, and how many failed. */
  readonly delivered?: { readonly after: number; readonly failures: number };
}

/** An agent that ended without a result and is to continue. */
export interface Revival {
  readonly agentId: string;
  readonly by: string;
  readonly move?: Move;
  /** Its line, when it is in the archive. */
  readonly archived?: EndedAgent;
  /** Whether a cancel that the run may not have seen came before the order. */
  readonly afterCancel?: boolean;
}

/** A rejected order to continue an agent. */
export interface RefusedOrder {
  readonly agentId: string;
  readonly by: string;
  readonly why: string;
}

/**
 * The next step of a resumption: restart the listed agents, open the archive, or start the agents
 * of its pages.
 */
export type RestartStep = 'listed' | 'archive' | 'pages';

/** The request of a prompt turn for money. */
export interface AllowanceAsk {
  readonly agentId: string;
  readonly turnId: string;
}

/** The ledger of a run as it travels: from one history to the next, and from a closed run to its resumption. */
export interface LedgerSnapshot {
  readonly startedAt: number;
  /** The live agents, and the latest ones that ended, in the order of their entry. */
  readonly agents: readonly LedgerAgent[];
  readonly archived: ArchiveTotals;
  /** Agents of a resumed run that are not started yet: the first `AgentPage`, in the artifact store. */
  readonly resumable?: Value;
  /** What turns in progress were allowed, by agent. */
  readonly grants?: Readonly<Record<string, Grant>>;
  /** The requests for money that have no reply yet, in their order. */
  readonly asks?: readonly AllowanceAsk[];
  /** The cost of the run's most expensive turn. */
  readonly dearestUsd?: number;
  /** The result of `main`, once it has completed. */
  readonly result?: Value;
  /** How often the run received the order to retry its paused agents. */
  readonly resumptions: number;
  /** Who ordered a pause that has not ended. */
  readonly pausedBy?: string;
  /** Agents that ended, and start again without this pause. */
  readonly unpaused?: readonly string[];
  /** The workspaces that are on a host, by the agents that own them. */
  readonly workspaces?: Readonly<Record<string, WorkspaceLine>>;
  /** What turns spent on hosts that their agents have left. */
  readonly unreported?: UnreportedSpending;
  /**
   * Workspaces that are to move, by the agents that own them; without a host's name, to any host
   * that accepts them.
   */
  readonly relocations?: Readonly<Record<string, Pick<Relocation, 'to'>>>;
  /** Agents that are to continue, in the order of the requests. */
  readonly revivals?: readonly Revival[];
  /** The current step of a resumption of the whole run. */
  readonly restarting?: RestartStep;
  /** The latest orders that could not be carried out. */
  readonly refused?: readonly RefusedOrder[];
}

/**
 * `open` = spending that hosts have not reported yet, `booked` = the ids of the latest attempts
 * that are in the ledger.
 */
export interface UnreportedSpending {
  readonly open: readonly UnreportedTurn[];
  readonly booked: readonly (UnreportedTurn & { readonly key: string })[];
}

/**
 * A prompt turn that was in progress on a host that its agent has left. Only that host knows its
 * cost.
 */
export interface UnreportedTurn {
  readonly agentId: string;
  readonly host: string;
  readonly turn: number;
}

/** A workspace in the run's ledger, and the live agents that work in it. */
export interface WorkspaceLine {
  readonly workspace: Workspace;
  readonly users: readonly string[];
}

/**
 * The amount that is reserved for a turn until its report; `turns` counts that turn and those that
 * may follow without a new request, absent = 1.
 */
export interface Grant {
  readonly turnId: string;
  readonly usd: number;
  readonly turns?: number;
}

/** Input of the `run` workflow. With a `ledger` the run continues; without one it starts `main`. */
export interface RunInput {
  readonly runId: string;
  /** The name of the workflow package, for people. */
  readonly workflow: string;
  readonly settings: RunSettings;
  readonly main: AgentState;
  readonly ledger?: LedgerSnapshot;
  /**
   * True when a closed run is started again: agents that ended without a result continue from their
   * records.
   */
  readonly restart?: boolean;
  /** Only this one of them continues. */
  readonly only?: Revival;
  /** The recorded turn of another run that this run was forked from. */
  readonly forkedFrom?: ForkedFrom;
  /** Who started it paused. */
  readonly pausedBy?: string;
}

/** Input of the `run` workflow when a schedule starts it: Temporal makes the id then, and the time is that of the start. */
export type ScheduledRun = Omit<RunInput, 'runId' | 'ledger' | 'restart' | 'only' | 'forkedFrom' | 'pausedBy'>;

/** A recorded turn. */
interface ForkedFrom {
  readonly runId: string;
  readonly agentId: string;
  readonly turn: number;
  /** The prompts that were replaced for the new run. */
  readonly replaced?: readonly string[];
}

/** Input of the `agent` workflow. */
export interface AgentInput {
  readonly runId: string;
  readonly workflow: string;
  readonly settings: RunSettings;
  /** The agent's record, or a reference to it. */
  readonly agent: AgentState | StoredAgent;
  /** Who ordered a pause before its first turn. */
  readonly pausedBy?: string;
  /** Who paused the run, if an order continues only this agent. */
  readonly forksPausedBy?: string;
  /** The state where it continues, instead of the one in its record. */
  readonly move?: Move;
  /** Its run learns that it has completed from the result of this workflow, not from a message. */
  readonly endsByResult?: true;
}

/** How an agent completed. `awaited` = it used the results of its forks up to this number. */
export interface AgentResult {
  readonly state: string;
  readonly result: Value;
  readonly awaited?: number;
}

/** The `agent` workflow: runs one agent to its end. Without `endsByResult` it returns only the agent's result. */
export type AgentWorkflow = (input: AgentInput) => Promise<Value | AgentResult>;

/** The status of a run that can be read without a worker: its memo `raymond`, and the details of its close. */
export interface RunSummary {
  readonly runId: string;
  readonly workflow: string;
  readonly scope: string;
  readonly status: RunStatus;
  readonly result?: Value;
  readonly costUsd: number;
  readonly budgetUsd?: number;
  readonly agents: readonly AgentLine[];
  /** How many agents have ended and are no longer listed. */
  readonly agentsBefore: number;
  /** How many other agents are not listed, because there are too many. */
  readonly agentsHidden?: number;
  readonly resumptions: number;
  readonly startedAt: number;
  /** Who ordered a pause that has not ended; the run's agents know of it. */
  readonly pausedBy?: string;
  /** The recorded turn of another run that this run was forked from. */
  readonly forkedFrom?: ForkedFrom;
  /** What the run is about. */
  readonly labels?: Labels;
  /** The weakest sandbox of its turns; absent = a turn has one only if its state asks for it. */
  readonly sandbox?: SandboxKind;
  /** Turns whose cost is not known yet, on hosts that their agents have left. */
  readonly unreported?: readonly UnreportedTurn[];
  /** Why the run waits for something that it retries by itself; absent = it does not wait. */
  readonly trouble?: Failure;
  /** True while the run ends its agents, for example after a cancel. */
  readonly stopping?: true;
  /** The latest orders that could not be carried out. */
  readonly refused?: readonly RefusedOrder[];
  /** The folder of its workspaces on every host; absent = it has none. */
  readonly workspaceRoot?: string;
  /** Where the ledger is kept after the run closed without completing. */
  readonly record?: Value;
}

/**
 * The summary of a run that a schedule started, until a worker accepts it: only Temporal knows its
 * id and start time.
 */
export type ScheduledSummary = Omit<RunSummary, 'runId' | 'startedAt'>;

/**
 * A closed run, stored for the time when Temporal has deleted it. `endedAt` is in epoch
 * milliseconds.
 */
export interface ClosedRun {
  readonly summary: RunSummary;
  readonly taskQueue: string;
  readonly endedAt: number;
}

/** One agent, for people and scripts. */
export interface AgentLine {
  readonly id: string;
  readonly status: AgentStatus['kind'];
  readonly state: string;
  readonly costUsd: number;
  readonly result?: Value;
  readonly error?: string;
  /** The type of that error. */
  readonly errorType?: FailureType;
  readonly until?: number;
  /** What a queued agent waits for. */
  readonly waitsFor?: string;
  readonly ask?: AskLine;
  /** The attributes of a forked agent, shortened. */
  readonly about?: string;
  /** The host that has its workspace. */
  readonly host?: string;
}

/** What happens when a run waits for a person: it waits, its process exits, or the question is rejected. */
export const ON_ASK = ['wait', 'exit', 'reject'] as const;

/** One of them. */
export type OnAsk = (typeof ON_ASK)[number];

/**
 * What to do with a run that is due while the previous one is open: skip it, start it later,
 * replace the open one, or start it beside that one.
 */
export const OVERLAPS = ['skip', 'buffer', 'cancel', 'allow'] as const;

/** One of them. */
export type Overlap = (typeof OVERLAPS)[number];

/** The statuses of a run. */
export const RUN_STATUSES = ['running', 'paused', 'asking', 'completed', 'failed', 'cancelled', 'over-budget'] as const;

/** The status of a run. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The memo key under which a run keeps its `RunSummary`. */
export const SUMMARY_MEMO = 'raymond';

/**
 * The key of the memo with the hash of the request that started a run, for requests that may be
 * sent twice.
 */
export const REQUEST_MEMO = 'raymondRequest';

/** The memo key of a run's input and options (`Given`). */
export const GIVEN_MEMO = 'raymondGiven';

/** The input and options of a run, for lists and for starting it again. */
export interface Given {
  /** Who started it. */
  readonly by: string;
  /** Its input, of a long one the beginning. */
  readonly input?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly skipsPermissions?: true;
  /** It keeps the package as it was. */
  readonly pinned?: true;
}
