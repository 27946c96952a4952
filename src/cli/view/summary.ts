// The summary of a run that ended, for a person at a terminal: a line per agent with its result, cost and time, and the
// totals.
import type { RunView } from '../../client/look/runs.js';
import { agentTimes } from '../../history/events.js';
import { defined, isArtifact, type Value } from '../../protocol/text.js';
import type { ClientContext } from '../context.js';
import { agentTable, type TableRow } from './table.js';
import { lookOf } from './terminal.js';

/** More agents are folded. */
const LINES = 20;

/** The summary of a run that has ended, for a terminal, without a final newline. */
export async function endSummary({ io, link }: Pick<ClientContext, 'io' | 'link'>, view: RunView): Promise<string> {
  const times = await agentTimes(link.client, view.runId);
  const ended = (view.endedAt ?? new Date()).getTime();
  const tookOf = (id: string): number | undefined => {
    const time = times.get(id);
    // Visibility may list the last ends a moment later.
    return time === undefined ? undefined : (time.endedAt?.getTime() ?? ended) - time.startedAt.getTime();
  };
  return summaryTable(view, { tookOf, space: { ...lookOf(io), height: LINES, now: ended } });
}

type TableOptions = Parameters<typeof agentTable>[1];

/** The table of a run that has ended; `tookOf` returns an agent's duration, if known. */
export function summaryTable(
  { agents, agentsBefore, agentsHidden = 0, startedAt, costUsd, budgetUsd }: RunView,
  { tookOf, space }: Pick<TableOptions, 'space'> & { readonly tookOf: (agentId: string) => number | undefined },
): string {
  const rows = agents.map((agent) => ({ ...rowOf(agent), ...defined({ tookMs: tookOf(agent.id) }) }));
  const others = agentsBefore + agentsHidden;
  const sums = { startedAt: startedAt.getTime(), costUsd, others, ...defined({ budgetUsd }) };
  return agentTable(rows, { sums, space });
}

function rowOf({ id, status, costUsd, about, error, result }: RunView['agents'][number]): TableRow {
  // A failure begins with the agent's name, which is already in the first column.
  const cameTo = error?.replace(`${id}, `, '') ?? (result === undefined ? undefined : textIn(result));
  return { id, status, costUsd, ...defined({ about, line: cameTo === undefined ? undefined : firstLine(cameTo) }) };
}

function textIn(result: Value): string {
  return isArtifact(result) ? `a result of ${result.bytes} bytes` : result;
}

function firstLine(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '');
}
