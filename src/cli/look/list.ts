// `raymond list`: the runs of a project.
import { listDocument } from '../../client/documents/run-document.js';
import { clusterOf, hasNoRuns, isExecuted, storeOf } from '../../client/open.js';
import { blockedRuns } from '../../client/look/blocked.js';
import { listRuns, type RunFilter, type RunLine } from '../../client/look/runs.js';
import { findProject } from '../../client/project/project.js';
import { labelText, type Labels } from '../../protocol/labels.js';
import { defined, dollars } from '../../protocol/text.js';
import type { RunStatus } from '../../contract/runs.js';
import type { ConnectionFlags } from '../flags.js';
import { columns, shortened } from '../view/columns.js';
import { duration, localTime } from '../view/format.js';
import { hintAtWorkers, openForQuestion } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { otherEngines } from './wrong-folder.js';

/** Flags of `list`; `since` and `until` in milliseconds before now. */
export interface ListFlags extends ConnectionFlags {
  readonly json?: boolean;
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
  readonly label?: Labels;
}

interface ListRow {
  readonly view: RunLine;
  /** Whether a process executes its turns now; undefined on a cluster, and for a run that has ended. */
  readonly served?: boolean;
  /** Why it, or an agent of it, does not continue. */
  readonly blocked?: string;
}

/** Lists the runs, newest first. */
export async function list(io: Io, flags: ListFlags): Promise<number> {
  const { status: statuses, workflow, since, until, limit, label: labels } = flags;
  const [startedAfter, startedBefore] = [since, until].map(ago);
  const filter = defined({ statuses, workflow, labels, limit, startedAfter, startedBefore });
  const listed = await readRows(io, flags, filter);
  const isFiltered = [statuses, workflow, labels, since, until].some((wanted) => wanted !== undefined);
  if (flags.json === true) await printDocument(io, 'list', listed.map(listDocument));
  else if (listed.length > 0) await io.show(table(listed));
  else io.say(isFiltered ? 'no such runs; raymond list shows all' : await noRunsText(io, flags));
  return 0;
}

/** Names the project, because the folder may be the wrong one, and the runs of a deleted database. */
async function noRunsText({ cwd, env }: Io, flags: ListFlags): Promise<string> {
  const project = await findProject(cwd);
  const { root, raymondDir } = project;
  if (clusterOf(project, { choice: flags, env }) === undefined) {
    const { recordedRuns, recordedText } = await import('../../client/look/recorded-runs.js');
    const recorded = recordedText(await recordedRuns({ raymondDir, artifacts: storeOf(project, env) }));
    if (recorded !== undefined) return `Temporal has no run of the project ${root}; ${recorded}`;
  }
  return `no runs in the project ${root}; start one with: raymond start WORKFLOW${await otherEngines(root)}`;
}

function ago(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(Date.now() - ms);
}

async function readRows(io: Io, flags: ListFlags, filter: RunFilter): Promise<readonly ListRow[]> {
  if (await hasNoRuns(await findProject(io.cwd), { choice: flags, env: io.env })) return [];
  const context = await openForQuestion(io, { flags });
  const { link, mode } = context;
  const served = isExecuted(context);
  const views = await listRuns(link.client, filter);
  if (flags.json !== true && views.some(({ open }) => open)) await hintAtWorkers(context);
  for (const { runId, unreadable } of views) if (unreadable !== undefined) io.say(`${runId}: ${unreadable}`);
  const blocked = await blockedRuns(link.client, views);
  if (flags.json !== true && !served && views.some(({ open }) => open))
    io.say('the engine of this project does not run, so open runs wait; start it with: raymond up');
  return views.map((view) => ({
    view,
    ...(view.open && mode.kind === 'local' ? { served } : {}),
    ...defined({ blocked: blocked.get(view.runId) }),
  }));
}

const WHY_UNREADABLE: Readonly<Record<NonNullable<RunLine['because']>, string>> = {
  key: '(encrypted with a key that this host does not have)',
  mark: '(not signed by this project)',
  artifact: '(its artifact is missing)',
};

/** `raymond status` shows the whole reason. */
const REASON_WIDTH = 80;

const LABELS_WIDTH = 60;

const HEADER = ['RUN', 'WORKFLOW', 'STATUS', 'COST', 'STARTED', 'TOOK'];

function table(listed: readonly ListRow[]): string {
  const rows = listed.map(({ view, blocked }) => [
    view.runId,
    view.workflow ?? '',
    view.status,
    view.costUsd === undefined ? '' : dollars(view.costUsd),
    localTime(view.startedAt),
    duration((view.endedAt ?? new Date()).getTime() - view.startedAt.getTime()),
    ...(view.labels === undefined ? [] : [shortened(labelText(view.labels), LABELS_WIDTH)]),
    ...(view.because === undefined ? [] : [WHY_UNREADABLE[view.because]]),
    ...(blocked === undefined ? [] : [shortened(`blocked: ${blocked}`, REASON_WIDTH)]),
  ]);
  return columns([HEADER, ...rows]);
}
