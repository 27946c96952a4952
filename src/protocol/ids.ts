// Names of agents, turns, questions and runs, and their rules. Pure text: callers bring clocks and randomness.
import { defined } from './text.js';

/** The form of a run id, which is a Temporal workflow id. Runs of a schedule have colons in theirs. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/;

/** A run id as the name of a file or folder: some systems allow no colons there. */
export function fileNameOfRun(runId: string): string {
  return runId.replaceAll(':', '%3A');
}

/** The run that a file or folder is named after. */
export function runOfFileName(name: string): string {
  return name.replaceAll('%3A', ':');
}

/** The schedule that started a run of this id, if one did: Temporal appends the time to the schedule's name. */
export function scheduleOf(runId: string): string | undefined {
  return /^(.+)-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.exec(runId)?.[1];
}

/** The longest name of a state, in characters: file systems allow no longer file names. */
export const MAX_STATE_NAME = 255;

/** The search attributes that Raymond's workflows have, with their types as Temporal names them. */
export const SEARCH_ATTRIBUTES = {
  RaymondWorkflow: 'Keyword',
  RaymondRun: 'Keyword',
  RaymondAgent: 'Keyword',
  RaymondState: 'Keyword',
  RaymondStatus: 'Keyword',
  RaymondCostUsd: 'Double',
  RaymondLabels: 'KeywordList',
} as const;

/** The id of the first agent of a run. */
export const MAIN_AGENT = 'main';

/** `main_worker1`: parent, `_`, the first six characters of the state (or workflow) in lower case, a number per parent. */
export function forkedAgentId({
  parent,
  short,
  number,
}: {
  readonly parent: string;
  readonly short: string;
  readonly number: number;
}): string {
  return `${parent}_${short}${number}`;
}

/** The id of the question that an agent asks with its turn of this number. */
export function askId(agentId: string, turn: number): string {
  return `ask_${agentId}_${turn}`;
}

/** The agent that asked the question of this id, and with which turn; undefined when the text is no such id. */
export function askingTurnOf(id: string): { readonly agentId: string; readonly turn: number } | undefined {
  const [, agentId, turn] = /^ask_(.+)_(\d+)$/.exec(id) ?? [];
  return agentId === undefined ? undefined : { agentId, turn: Number(turn) };
}

/** The name of an agent's task folder. */
export function taskOf({ id, task }: { readonly id: string; readonly task?: string }): string {
  return task ?? id;
}

/** The state's stem, lower case, cut to six characters. */
export function abbreviation(stateFile: string): string {
  return Array.from(stem(stateFile).toLowerCase()).slice(0, 6).join('');
}

/** A state file's name without its extension. */
export function stem(stateFile: string): string {
  const dot = stateFile.lastIndexOf('.');
  return dot > 0 ? stateFile.slice(0, dot) : stateFile;
}

/** The Temporal workflow id of an agent. */
export function agentWorkflowId(runId: string, agentId: string): string {
  return `${runId}/${agentId}`;
}

/** The id of a turn, the same for all its attempts: an idempotency key for scripts and prompts. */
export function turnId({
  runId,
  agentId,
  turn,
}: {
  readonly runId: string;
  readonly agentId: string;
  readonly turn: number;
}): string {
  return `${runId}/${agentId}/${turn}`;
}

/** The turns that are held back, by `turnKey`. */
export type HeldTurns = ReadonlySet<string>;

/** The unique name of an activity within a server. */
export function turnKey(workflowId: string, activityId: string): string {
  return `${workflowId}/${activityId}`;
}

/** What a worker calls itself towards Temporal: its process, its host, and the machine behind that name. */
export interface WorkerIdentity {
  readonly pid: number;
  readonly host: string;
  /** Distinguishes machines of one name; absent for a worker without a host queue. */
  readonly machine?: string;
  /** The sandboxes that it can make; absent = it does not say. */
  readonly sandboxes?: readonly string[];
}

/** The identity as Temporal shows it: `PID@HOST`, with `#MACHINE` and ` [SANDBOX,SANDBOX]` if they are known. */
export function identityText({ pid, host, machine, sandboxes }: WorkerIdentity): string {
  const ofMachine = machine === undefined ? '' : `#${machine}`;
  return `${pid}@${host}${ofMachine}${sandboxes === undefined ? '' : ` [${sandboxes.join()}]`}`;
}

/** The parts of a worker's identity; undefined when a program other than Raymond chose it. */
export function parseIdentity(text: string): WorkerIdentity | undefined {
  const [, pid, host, machine, sandboxes] = /^(\d+)@(.+?)(?:#([0-9a-f]{12}))?(?: \[([a-z,]*)\])?$/.exec(text) ?? [];
  if (host === undefined) return undefined;
  const words = sandboxes?.split(',').filter((word) => word !== '');
  return { pid: Number(pid), host, ...defined({ machine, sandboxes: words }) };
}
