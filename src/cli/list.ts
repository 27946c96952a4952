// `raymond list` and `raymond recover`: the runs, and those that are open while nobody serves them.
import { listRuns, type RunFilter, type RunLine } from '../client/runs.js';
import { isServed } from '../local.js';
import { findProject } from '../project.js';
import { defined, dollars } from '../protocol/text.js';
import type { RunStatus } from '../workflows/contract.js';
import type { ConnectionFlags } from './flags.js';
import { columns, duration, localTime } from './view/format.js';
import { hasNoRuns, hintAtWorkers, openForQuestion, type ClientContext } from './context.js';
import type { Io } from './io.js';

/** Flags of `recover`. */
export interface RecoverFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Flags of `list`; `since` in milliseconds. */
export interface ListFlags extends RecoverFlags {
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly since?: number;
  readonly limit?: number;
}

interface ListRow {
  readonly view: RunLine;
  /** Undefined on a cluster, where the fleet serves every run. */
  readonly served?: boolean;
}

/** Lists the runs, newest first. */
export async function list(io: Io, flags: ListFlags): Promise<number> {
  const { status: statuses, workflow, since, limit } = flags;
  const startedAfter = since === undefined ? undefined : new Date(Date.now() - since);
  const filter = defined({ statuses, workflow, limit, startedAfter });
  const listed = await look(io, flags, filter);
  const isFiltered = statuses !== undefined || workflow !== undefined || since !== undefined;
  if (flags.json === true) await io.print(JSON.stringify(listed.map(toJson)));
  else if (listed.length > 0) await io.show(table(listed));
  else io.say(isFiltered ? 'no such runs' : 'no runs; start one with: raymond start WORKFLOW');
  return 0;
}

/** Lists the open runs that nobody serves, with the command that does. */
export async function recover(io: Io, flags: RecoverFlags): Promise<number> {
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

async function look(io: Io, flags: RecoverFlags, filter: RunFilter): Promise<readonly ListRow[]> {
  if (await hasNoRuns(await findProject(io.cwd), { flags, env: io.env })) return [];
  const context = await openForQuestion(io, { flags });
  const { link, project, mode } = context;
  const views = await listRuns(link.client, filter);
  if (flags.json !== true && views.some(({ open }) => open)) await hintAtWorkers(context);
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

const HEADER = ['RUN', 'WORKFLOW', 'STATUS', 'COST', 'STARTED', 'TOOK'];

function table(listed: readonly ListRow[]): string {
  const rows = listed.map(({ view, served }) => [
    view.runId,
    view.workflow ?? '',
    served === false ? `${view.status}, not being served` : view.status,
    view.costUsd === undefined ? '' : dollars(view.costUsd),
    localTime(view.startedAt),
    duration((view.endedAt ?? new Date()).getTime() - view.startedAt.getTime()),
    ...(view.because === undefined ? [] : [WHY_UNREADABLE[view.because]]),
  ]);
  return columns([HEADER, ...rows]);
}
