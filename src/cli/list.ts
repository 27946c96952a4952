// `raymond list` and `raymond recover`: the runs, and those that are open while nobody serves them.
import { listRuns, type RunLine } from '../client/runs.js';
import { isServed } from '../local.js';
import { findProject } from '../project.js';
import type { ConnectionFlags } from './flags.js';
import { hasNoRuns, openForQuestion, type ClientContext } from './context.js';
import type { Io } from './io.js';

/** Flags of `list` and `recover`. */
export interface ListFlags extends ConnectionFlags {
  readonly json?: boolean;
}

interface ListRow {
  readonly view: RunLine;
  /** Undefined on a cluster, where the fleet serves every run. */
  readonly served?: boolean;
}

/** Lists all runs, newest first. */
export async function list(io: Io, flags: ListFlags): Promise<number> {
  const listed = await look(io, flags, { openOnly: false });
  if (flags.json === true) await io.print(JSON.stringify(listed.map(toJson)));
  else if (listed.length === 0) io.say('no runs');
  else await io.show(table(listed));
  return 0;
}

/** Lists the open runs that nobody serves, with the command that does. */
export async function recover(io: Io, flags: ListFlags): Promise<number> {
  const listed = await look(io, flags, { openOnly: true });
  const stranded = listed.filter(({ served }) => served === false);
  if (flags.json === true) await io.print(JSON.stringify(stranded.map(toJson)));
  else if (stranded.length === 0) io.say('nothing to recover');
  else {
    await io.show(table(stranded));
    io.say('go on with: raymond resume RUN, or raymond resume --all');
  }
  return 0;
}

async function look(
  io: Io,
  flags: ListFlags,
  { openOnly }: { readonly openOnly: boolean },
): Promise<readonly ListRow[]> {
  if (await hasNoRuns(await findProject(io.cwd), { flags, env: io.env })) return [];
  const { link, project, mode } = await openForQuestion(io, { flags });
  const views = await listRuns(link.client, { openOnly });
  for (const { runId, unreadable } of views) if (unreadable !== undefined) io.say(`${runId}: ${unreadable}`);
  return views.map((view) => ({ view, ...servedBy(view, { mode, raymondDir: project.raymondDir }) }));
}

function servedBy(
  view: RunLine,
  { mode, raymondDir }: { readonly mode: ClientContext['mode']; readonly raymondDir: string },
): { readonly served?: boolean } {
  return view.open && mode.kind === 'local' ? { served: isServed(raymondDir, view.runId) } : {};
}

function toJson({ view, served }: ListRow): object {
  const { runId, workflow, status, costUsd, startedAt, endedAt, open, unreadable } = view;
  return { runId, workflow, status, open, served, costUsd, startedAt, endedAt, unreadable };
}

const WHY_UNREADABLE: Readonly<Record<NonNullable<RunLine['because']>, string>> = {
  key: '(encrypted with a key that is not here)',
  mark: '(without the mark of this project)',
  artifact: '(its artifact is missing)',
};

function table(listed: readonly ListRow[]): string {
  const rows = listed.map(({ view, served }) => [
    view.runId,
    served === false ? `${view.status}, not being served` : view.status,
    view.costUsd === undefined ? '' : `$${view.costUsd.toFixed(4)}`,
    view.startedAt.toISOString().slice(0, 19).replace('T', ' '),
    view.because === undefined ? '' : WHY_UNREADABLE[view.because],
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
