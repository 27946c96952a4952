// The text of `raymond status`, in lines of 80 columns: the run, its agents and what each does, its questions, and in
// the last line what to do next. Pure: the same state of a run gives the same text.
import type { AgentDetail, LostAttempts } from '../../client/look/agents.js';
import type { AskDocument } from '../../client/documents/run-document.js';
import type { RunView } from '../../client/look/runs.js';
import { nextStep, type RunFacts } from '../../client/documents/status-document.js';
import { labelText } from '../../protocol/labels.js';
import { dollars, visible } from '../../protocol/text.js';
import { costsLines, spentText, unreportedText } from './costs-text.js';
import { shortened } from './columns.js';
import { duration, localTime, ordinal } from './format.js';
import { askTexts } from './output.js';

/** What is known of a run beyond its summary, and the time of the display. */
export interface StatusFacts extends RunFacts {
  readonly asks: readonly AskDocument[];
  /** Epoch milliseconds. */
  readonly now: number;
}

type AgentLine = RunView['agents'][number];

/** Texts of states and models are cut to this many columns. */
const WIDTH = 74;

/** The whole text. */
export function statusText(view: RunView, facts: StatusFacts): string {
  const { served, costs } = facts;
  const agents = view.agents.flatMap((line) => [...agentLines(line, facts), ...retryLine(line, view)]);
  const before = view.agentsBefore === 0 ? [] : [`  and ${view.agentsBefore} ended before`];
  const hidden = view.agentsHidden === undefined ? [] : [`  and ${view.agentsHidden} more`];
  const spent = costs === undefined ? [] : costsLines(costs);
  const { now } = facts;
  const questions = askTexts(view.runId, facts.asks, { now });
  const next = `next: ${nextStep(view, { served: served ?? true, now })}`;
  return [...headLines(view, facts), ...agents, ...before, ...hidden, ...spent, ...questions, next].join('\n');
}

function headLines(view: RunView, { served, uiUrl, now }: StatusFacts): readonly string[] {
  const { runId, status, pausedBy, workflow, scope, startedAt, endedAt, unreported = [] } = view;
  const hows = [
    status,
    ...(pausedBy === undefined || !view.open || status === 'paused' ? [] : [`to be paused by ${pausedBy}`]),
    ...(served === false ? ['the engine does not run'] : []),
  ];
  const took = duration((endedAt?.getTime() ?? now) - startedAt.getTime());
  return [
    `${runId}: ${hows.join(', ')}`,
    `workflow ${workflow} in ${scope}`,
    ...(view.forkedFrom === undefined ? [] : [originText(view.forkedFrom)]),
    ...(view.labels === undefined ? [] : [`labels ${labelText(view.labels)}`]),
    ...(view.sandbox === undefined ? [] : [`sandbox ${view.sandbox}`]),
    spentText(view),
    ...unreported.map((turn) => unreportedText(turn, view)),
    ...(view.blocked === undefined ? [] : [blockedText(view.blocked)]),
    ...troubleLines(view),
    `started ${localTime(startedAt)}, ${endedAt === undefined ? `${took} ago` : `took ${took}`}`,
    ...(uiUrl === undefined ? [] : [uiUrl]),
  ];
}

function originText({ runId, agentId, turn, replaced = [] }: NonNullable<RunView['forkedFrom']>): string {
  const changed = replaced.length === 0 ? '' : `, with ${replaced.join(', ')} replaced`;
  return `forked from turn ${turn} of ${agentId} in ${runId}${changed}`;
}

/** Why the run waits, and what it could not do. */
function troubleLines({ open, trouble, refused = [] }: RunView): readonly string[] {
  const waits = open ? 'waiting, will retry' : 'not done';
  return [
    ...(trouble === undefined ? [] : [`${waits}: ${trouble.message} (${trouble.type})`]),
    ...refused.map(({ agentId, by, why }) => `rejected: ${by} asked to continue ${agentId}, but ${why}`),
  ];
}

/** Its state and activity as one line; an error in full. */
function agentLines(line: AgentLine, { details, now }: StatusFacts): readonly string[] {
  const { id, status, state, costUsd, until, error, waitsFor, about, host } = line;
  const { callers = [], since, turn, beginsAgain, blocked } = details.get(id) ?? {};
  const when = until === undefined ? '' : `  until ${localTime(new Date(until))}`;
  const how = turn === undefined ? undefined : turnText(turn, now);
  return [
    `  ${id}  ${status}  ${state}  ${dollars(costUsd)}${when}`,
    ...(about === undefined ? [] : [detail(`about ${about}`)]),
    ...(host === undefined ? [] : [detail(`files on ${host}`)]),
    ...(waitsFor === undefined ? [] : [detail(`waits for ${waitsFor}`)]),
    ...(callers.length === 0 ? [] : [detail(`called from ${callers.join(' < ')}`)]),
    ...(since === undefined ? [] : [detail([how, `${VERBS[status] ?? ''}for ${duration(now - since.getTime())}`])]),
    ...(beginsAgain === undefined ? [] : [detail(againText(beginsAgain))]),
    ...(turn?.line === undefined ? [] : [detail(`| ${turn.line}`)]),
    ...(error === undefined ? [] : [`      ${error}`]),
    ...(blocked === undefined ? [] : [`      ${blockedText(blocked)}`]),
  ];
}

/** Only a worker with a fixed version of Raymond helps: no order does. */
function blockedText(reason: string): string {
  return `blocked: ${visible(reason)}; nothing is lost, and a worker with a fixed version of Raymond continues it`;
}

/** For a run that has ended the last line says how to continue it. */
function retryLine({ id, status }: AgentLine, { runId, open }: RunView): readonly string[] {
  if (!open || (status !== 'failed' && status !== 'lost')) return [];
  return [`      fix the cause, then run: raymond retry ${runId} ${id}`];
}

/** The current work of an open agent. */
const VERBS: Readonly<Partial<Record<AgentLine['status'], string>>> = {
  waiting: 'waits ',
  queued: 'waits ',
  paused: 'paused ',
  sleeping: 'sleeps ',
  asking: 'has asked ',
  awaiting: 'awaits its forks ',
};

function detail(text: string | readonly (string | undefined)[]): string {
  const words = typeof text === 'string' ? text : text.filter((part) => part !== undefined).join(', ');
  return `      ${shortened(words, WIDTH)}`;
}

function againText({ attempt, spends }: LostAttempts): string {
  const cost = spends ? '; cost of the lost attempt not known yet' : '';
  return `turn starts again (attempt ${attempt})${cost}`;
}

function turnText(turn: NonNullable<AgentDetail['turn']>, now: number): string {
  const { number, attempt, phase, host, queue, lastOutputAt, isContinued } = turn;
  const silent = lastOutputAt === undefined ? [] : [`no output for ${duration(now - lastOutputAt.getTime())}`];
  const position = queue === undefined ? [] : [`${ordinal(queue.position)} of ${queue.of}`];
  const continued = isContinued === true ? [`continued by attempt ${attempt}`] : [];
  return [`turn ${number}`, `${phase} on ${host}`, ...continued, ...position, ...silent].join(', ');
}
