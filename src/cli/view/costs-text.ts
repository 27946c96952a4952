// The text of what a run has cost: by state, model and account below `raymond status --costs`, and also by agent for
// `raymond costs`. Pure.
import type { Cost, Costs, LostCosts } from '../../client/look/agents.js';
import type { RunView } from '../../client/look/runs.js';
import { dollars } from '../../protocol/text.js';
import type { UnreportedTurn } from '../../contract/runs.js';
import { columns, shortened } from './columns.js';

/** A run can have thousands of agents; `--json` lists all. */
const MOST_AGENTS = 20;

/** The text of `raymond costs`. */
export function costsText(view: RunView, { byAgent, ...costs }: Costs): string {
  const { runId, unreported = [] } = view;
  const hidden = byAgent.length - MOST_AGENTS;
  return [
    `${runId}: ${spentText(view)}`,
    ...unreported.map((turn) => unreportedText(turn, view)),
    ...costLines('agent', byAgent.slice(0, MOST_AGENTS)),
    ...(hidden > 0 ? [`  and ${hidden} more: raymond costs ${runId} --json`] : []),
    ...costsLines(costs),
  ].join('\n');
}

/** The lines below `raymond status --costs`, which already has a line for each agent. */
export function costsLines({ byState, byModel, byAccount = [], lost }: Omit<Costs, 'byAgent'>): readonly string[] {
  return [
    ...costLines('state', byState),
    ...costLines('model', byModel),
    ...costLines('account', byAccount),
    ...lostLines(lost),
  ];
}

/** The amount spent, and the budget. */
export function spentText({ costUsd, budgetUsd }: Pick<RunView, 'costUsd' | 'budgetUsd'>): string {
  return `cost ${dollars(costUsd)} ${budgetUsd === undefined ? 'no budget' : `of ${dollars(budgetUsd)}`}`;
}

/** The cost of a completed run is final; all other runs can be resumed. */
export function unreportedText(turn: UnreportedTurn, { status }: RunView): string {
  if (status !== 'completed') return `cost not known yet: ${attemptText(turn)}`;
  return `cost not known: ${attemptText(turn)}; its journal stays there`;
}

function attemptText({ agentId, host, turn }: UnreportedTurn): string {
  return `an attempt of turn ${turn} of ${agentId} on host ${host}`;
}

function lostLines({ costUsd, unknown }: LostCosts = { costUsd: 0, unknown: [] }): readonly string[] {
  return [
    ...(costUsd === 0 ? [] : [`of which lost attempts: ${dollars(costUsd)}`]),
    ...unknown.map((turn) => `cost not known: ${attemptText(turn)}`),
  ];
}

function costLines(what: string, costs: readonly Cost[]): readonly string[] {
  if (costs.length === 0) return [];
  const rows = costs.map(({ name, turns, costUsd }) => [
    shortened(name, 40),
    turns === 1 ? '1 turn' : `${turns} turns`,
    dollars(costUsd),
  ]);
  return [
    `cost by ${what}:`,
    ...columns(rows)
      .split('\n')
      .map((row) => `  ${row}`),
  ];
}
