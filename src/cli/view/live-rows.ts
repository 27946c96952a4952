// The rows of the live table of agents: from the state of the run, and from live events of their turns.
import type { Progress } from '../../contract/turns.js';
import type { RunView } from '../../client/look/runs.js';
import { defined, visible } from '../../protocol/text.js';
import type { agentTable, TableRow, TableSpace, TableSums } from './table.js';
import { titleOf } from './terminal.js';

/** The rows of the table. */
export class LiveRows {
  private readonly rows = new Map<string, TableRow>();
  private run: Omit<TableSums, 'others'> | undefined;
  private runId: string | undefined;
  private readonly introduced = new Set<string>();
  private others = 0;

  update({ runId, agents, agentsBefore, agentsHidden = 0, startedAt, costUsd, budgetUsd }: RunView): void {
    this.runId = runId;
    this.run = { startedAt: startedAt.getTime(), costUsd, ...defined({ budgetUsd }) };
    this.others = agentsBefore + agentsHidden;
    const listed = new Set(agents.map(({ id }) => id));
    for (const { id, status, state, costUsd: cost, until, about } of agents) {
      const { since, line, status: known } = this.rows.get(id) ?? {};
      // The run knows that a turn is in progress, but not its details.
      const turn = status === 'running' ? { status: known === 'queued' ? known : status, since, line } : { status };
      this.rows.set(id, { id, state: visible(state), costUsd: cost, ...defined({ until, about, ...turn }) });
    }
    for (const id of this.rows.keys()) if (!listed.has(id)) this.rows.delete(id);
  }

  show({ agentId: id, state, ...event }: Progress): void {
    const known = this.rows.get(id);
    const { about, costUsd = 0 } = known ?? {};
    const row = { id, state, costUsd, ...defined({ about }) };
    if (event.kind === 'queued') this.rows.set(id, { ...row, status: 'queued' });
    else if (event.kind === 'started') this.rows.set(id, { ...row, status: 'running', since: Date.now() });
    else if (event.kind === 'ended' || event.kind === 'failed') this.rows.set(id, { ...row, status: 'running' });
    else if (event.kind === 'said' && known !== undefined) {
      const line = lastLine(event.text) || known.line;
      this.rows.set(id, { ...known, ...defined({ line }) });
    }
  }

  /** For the terminal's title; undefined before the first state. */
  get title(): string | undefined {
    const statuses = [...this.rows.values()].map(({ status }) => status);
    return this.runId === undefined ? undefined : titleOf(this.runId, statuses);
  }

  /** What an agent is about, for the first caller who asks. */
  introduction(agentId: string): string | undefined {
    const about = this.introduced.has(agentId) ? undefined : this.rows.get(agentId)?.about;
    if (about !== undefined) this.introduced.add(agentId);
    return about;
  }

  draw(table: typeof agentTable, space: TableSpace): string {
    const sums = this.run ?? { startedAt: space.now, costUsd: 0 };
    return this.rows.size === 0
      ? ''
      : table([...this.rows.values()], { sums: { ...sums, others: this.others }, space });
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
