// Shows a run and its agents in Temporal's own UI: summaries, current details, search attributes, memo.
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { Reminder } from '../contract/turns.js';
import { kindOfRun, type RunSandbox } from '../protocol/sandbox.js';
import type { AgentState } from '../protocol/machine/agent.js';
import { attributePairs, type ShownAttributes } from './attributes.js';
import { dollars, isArtifact, utf8Length, visible, type Value } from '../protocol/text.js';
import { SUMMARY_MEMO, type AgentStatus, type RunStatus, type RunSummary } from '../contract/runs.js';

/** Sets search attributes of the calling workflow that the cluster has. */
export function show(shown: ShownAttributes, registered: readonly string[]): void {
  const pairs = attributePairs(shown, registered);
  if (pairs.length > 0) upsertSearchAttributes(pairs);
}

/** The summary of an activity: what is known before the turn. */
export function turnSummary(
  { id, state, turn, via }: AgentState,
  { reminder, sandbox }: { readonly reminder?: Reminder | undefined; readonly sandbox?: RunSandbox | undefined } = {},
): string {
  const why = via === 'start' ? 'start' : `after ${via}`;
  const kind = kindOfRun(sandbox);
  const inside = kind === undefined ? '' : ` · sandbox ${kind}`;
  return oneLine(`${id} · ${state} · turn ${turn + 1} (${reminder ? `reminder ${reminder.number}` : why})${inside}`);
}

/** The summary of a workflow. */
export function workflowSummary(name: string, runId: string): string {
  return oneLine(`${name} · ${runId}`);
}

/** The run's memo, which can be read without a worker. */
export function publishSummary(summary: RunSummary): void {
  upsertMemo({ [SUMMARY_MEMO]: summary });
}

/**
 * With many agents, changes are shown once a second, and less often when the list is long: every
 * update is stored in the history.
 */
const SHOWN_EVERY_MS = 1000;
const SHOWN_BYTES_PER_SECOND = 16 * 1024;

/** What a run shows, and when it updates that. */
export class RunDisplay {
  private shownAt = 0;
  private everyMs = SHOWN_EVERY_MS;
  private status: RunStatus | undefined;
  private isBehind = false;

  /** True when a change must wait: the run has many agents, and its status is already shown. */
  holdsBack({ status, crowded }: { readonly status: RunStatus; readonly crowded: boolean }): boolean {
    this.isBehind = crowded && status === this.status && Date.now() < this.shownAt + this.everyMs;
    return this.isBehind;
  }

  /** When waiting changes are shown (epoch ms); `Infinity` = none waits. */
  get dueAt(): number {
    return this.isBehind ? this.shownAt + this.everyMs : Infinity;
  }

  show(
    summary: RunSummary,
    { state, registered }: { readonly state: string | undefined; readonly registered: readonly string[] },
  ): void {
    this.shownAt = Date.now();
    this.status = summary.status;
    const seconds = utf8Length(JSON.stringify(summary)) / SHOWN_BYTES_PER_SECOND;
    this.everyMs = Math.max(SHOWN_EVERY_MS, Math.round(seconds * 1000));
    publishSummary(summary);
    showRun(summary);
    const shown = { RaymondStatus: summary.status, RaymondCostUsd: summary.costUsd };
    show({ ...shown, ...(state === undefined ? {} : { RaymondState: state }) }, registered);
  }
}

/** Current details of a run: one table of its agents. */
function showRun(summary: RunSummary): void {
  const budget = summary.budgetUsd === undefined ? 'no budget' : `of ${dollars(summary.budgetUsd)}`;
  const rows = summary.agents.slice(0, 100).map((line) => {
    const note = line.error ?? (typeof line.result === 'string' ? line.result : '');
    return `| ${cell(line.id)} | ${line.status} | ${cell(line.state)} | ${dollars(line.costUsd)} | ${cell(note.slice(0, 120))} |`;
  });
  const head = ['| agent | status | state | cost | |', '| --- | --- | --- | --- | --- |'];
  setCurrentDetails(
    visible(
      [
        `**${summary.status}** · ${dollars(summary.costUsd)} ${budget} · \`${summary.scope}\``,
        '',
        ...head,
        ...rows,
      ].join('\n'),
    ),
  );
}

/** What the details of an agent are made from. */
interface ShownAgent {
  readonly runId: string;
  readonly agent: AgentState;
  readonly status: AgentStatus;
}

/** Current details of an agent: its state, its return stack, and how to read its conversation. */
export function showAgent({ runId, agent, status }: ShownAgent): void {
  const trouble = heldLines(status);
  const stack = agent.stack.map(({ state }) => `\`${state}\``).join(' ← ');
  const lines = [
    ...trouble,
    `state \`${agent.state}\` (after ${agent.via}) · turn ${agent.turn + 1} · in \`${agent.cwd}\``,
    ...(stack === '' ? [] : ['', `returns to ${stack}`]),
    ...(agent.session ? ['', `conversation: \`raymond session ${runId} ${agent.id}\``] : []),
  ];
  setCurrentDetails(visible(lines.join('\n')));
}

/** Why an agent does not continue, if it does not. */
function heldLines(status: AgentStatus): readonly string[] {
  if ('failure' in status) return [`**${status.kind}**: ${status.failure.message}`, ''];
  switch (status.kind) {
    case 'asking':
      return [`**asks** (\`${status.ask.id}\`)${untilText(status.ask)}: ${textOf(status.ask.prompt ?? '')}`, ''];
    case 'queued':
      return [`**queued**: waits for ${status.waitsFor}`, ''];
    case 'sleeping':
      return [`**sleeping**${untilText(status)}`, ''];
    case 'awaiting':
      return [`**awaits** the agents that it forked${untilText(status)}`, ''];
    default:
      return [];
  }
}

function untilText({ until }: { readonly until?: number }): string {
  return until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
}

function textOf(value: Value): string {
  return isArtifact(value) ? `a text of ${value.bytes} bytes (artifact ${value.sha256})` : value;
}

function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}

function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' ')).slice(0, 400);
}
