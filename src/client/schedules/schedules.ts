// Schedules: Temporal's own, which start runs of a workflow. Each operation takes an open project first and one object
// after it; schedule-runs.ts starts runs of a schedule on request.
import { rm } from 'node:fs/promises';
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { scheduleEnvironmentFile } from '../../activities/environment/run-environment.js';
import { operator } from '../../host/process.js';
import { RUN_ID } from '../../protocol/ids.js';
import { shownLabels } from '../../protocol/labels.js';
import { defined } from '../../protocol/text.js';
import { attributePairs } from '../../workflows/attributes.js';
import {
  SUMMARY_MEMO,
  type Overlap,
  type RunStatus,
  type ScheduledRun,
  type ScheduledSummary,
} from '../../contract/runs.js';
import { Ledger, newLedger } from '../../workflows/run/ledger.js';
import { summarise } from '../../workflows/run/summary.js';
import type { RunOptions } from '../start/options.js';
import { openWorkflow, prepareRun, requestOf } from '../start/begin.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';
import { viewRun } from '../look/runs.js';
import { request, overlapOf, policyOf, scheduleNames, scheduleOf, type ScheduleName } from './schedule-handle.js';
import { specOf, timesText, type ScheduleTimes } from './schedule-times.js';
import { runInputOf, type StartRequest } from '../start/start.js';

/** What to start, and when. */
export interface ScheduleRunOptions extends ScheduleName, ScheduleTimes, Omit<RunOptions, 'runId'> {
  /**
   * A folder, a state file, a `.zip`, a `.yaml`, or an address, as the workers see it; paths are relative to the
   * project folder.
   */
  readonly workflow: string;
  /** Runs a pinned copy: later edits of the workflow have no effect. */
  readonly pin?: boolean;
  /** Reads the files of the workflow at each turn, even when the store is a bucket. */
  readonly live?: boolean;
  /** False = creates it although lint finds an error in the workflow. */
  readonly check?: boolean;
  /** Absent = `skip`. */
  readonly overlap?: Overlap;
  /**
   * Runs that were missed while Temporal's server was down are started if they are not older than this; absent = an
   * hour.
   */
  readonly catchupMs?: number;
}

/** A schedule as people see it. */
export interface ScheduleView extends ScheduleName {
  /** The name of the workflow package, and its path. */
  readonly workflow: string;
  readonly scope: string;
  readonly taskQueue: string;
  readonly when: readonly string[];
  readonly timezone?: string;
  readonly overlap: Overlap;
  readonly catchupMs: number;
  readonly paused: boolean;
  /** The note of its pause or resumption. */
  readonly note?: string;
  readonly nextRuns: readonly Date[];
  /** The latest runs that it has started. */
  readonly runs: readonly ScheduledRunLine[];
  /** Open runs that block its next one. */
  readonly heldBy: readonly { readonly runId: string; readonly status: RunStatus }[];
  /** How many runs it has started, skipped because another was open, and missed because the server was down. */
  readonly started: number;
  readonly skipped: number;
  readonly missed: number;
}

/** A run that a schedule has started. */
export interface ScheduledRunLine {
  readonly runId: string;
  readonly startedAt: Date;
}

const HOUR_MS = 3_600_000;

/** Temporal appends the time to the name to get the id of a run: `-2026-11-22T01:20:52Z`. */
const MAX_NAME = 200 - 21;

/**
 * Creates a schedule, whose runs the engine of the project executes, or the workers of the cluster; returns warnings.
 * Throws `ClientError`: `ScheduleExists`, `InvalidUsage`, `InvalidWorkflow`.
 */
export async function createSchedule(
  raymond: Raymond,
  { name, workflow: argument, pin, live, check, overlap = 'skip', catchupMs = HOUR_MS, ...options }: ScheduleRunOptions,
): Promise<readonly string[]> {
  const { caller, project, link, mode, engine } = raymond;
  const spec = specOf(options);
  const workflow = await openWorkflow(project, { argument, caller, pin, live, check });
  const runOptions = { ...options, runId: checkName(name) };
  const prepared = await prepareRun(project, { workflow, options: runOptions, caller, local: mode.kind === 'local' });
  const action = actionOf(await requestOf(raymond, prepared, 'later'));
  const policies = { overlap: policyOf(overlap), catchupWindow: catchupMs };
  const state = { note: `created by ${operator()}` };
  const create = async (): Promise<void> =>
    void (await link.client.schedule.create({ scheduleId: name, spec, action, policies, state }));
  await engine.schedule(name, () => request(name, create));
  return prepared.warnings;
}

function checkName(name: string): string {
  if (RUN_ID.test(name) && !name.includes(':') && name.length <= MAX_NAME) return name;
  throw new ClientError(
    'InvalidUsage',
    `"${name}" cannot be the name of a schedule; use at most ${MAX_NAME} letters, digits, ".", "_" and "-", a letter or digit first`,
  );
}

/** The start of a run whose id is not known yet. */
function actionOf(request: StartRequest): ScheduleOptions['action'] {
  const { runId: name, ...scheduled } = runInputOf(request);
  const { workflow, main, settings } = scheduled;
  const ledger = new Ledger(newLedger(main, Date.now()));
  const {
    runId: _id,
    startedAt: _now,
    ...shown
  } = summarise(ledger, {
    input: { ...scheduled, runId: name },
    status: 'running',
  });
  const facts = { RaymondWorkflow: workflow, RaymondStatus: 'running', RaymondCostUsd: 0 };
  const attributes = { ...facts, ...shownLabels(settings.turn.labels) };
  return {
    type: 'startWorkflow',
    workflowType: 'run',
    workflowId: name,
    taskQueue: request.taskQueue,
    args: [scheduled satisfies ScheduledRun],
    memo: { [SUMMARY_MEMO]: shown satisfies ScheduledSummary },
    typedSearchAttributes: attributePairs(attributes, settings.searchAttributes),
    staticSummary: `${workflow} · run`,
  };
}

/** One schedule as it is now. Throws `ScheduleNotFound`. */
export async function findSchedule(raymond: Raymond, { name }: ScheduleName): Promise<ScheduleView> {
  const { handle, described } = await scheduleOf(raymond, name);
  const { state, info, policies, spec, action, raw } = described;
  const [{ workflow, main }] = action.args as [ScheduledRun];
  const overlap = overlapOf(policies.overlap);
  const holds = overlap === 'skip' || overlap === 'buffer';
  return {
    name: handle.scheduleId,
    workflow,
    scope: main.scope.path,
    taskQueue: action.taskQueue,
    when: timesText(spec),
    overlap,
    catchupMs: policies.catchupWindow,
    paused: state.paused,
    nextRuns: state.paused ? [] : info.nextActionTimes,
    runs: info.recentActions.map(({ takenAt, action: taken }) => ({
      runId: taken.workflow.workflowId,
      startedAt: takenAt,
    })),
    heldBy: holds ? await openRuns(raymond.link.client, described) : [],
    started: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    ...defined({ timezone: raw.schedule?.spec?.timezoneName || undefined, note: state.note || undefined }),
  };
}

/** The runs that Temporal considers the latest open ones of the schedule. */
async function openRuns(client: Client, { info }: ScheduleDescription): Promise<ScheduleView['heldBy']> {
  const views = info.runningActions.map(
    async ({ workflow }) => await viewRun(client, workflow.workflowId).catch(unlessGone),
  );
  return (await Promise.all(views)).flatMap((view) =>
    view?.open === true ? [{ runId: view.runId, status: view.status }] : [],
  );
}

/** All schedules of runs in the namespace, by name. */
export async function listSchedules(raymond: Raymond): Promise<readonly ScheduleView[]> {
  const views: ScheduleView[] = [];
  for await (const name of scheduleNames(raymond.link.client)) {
    const view = await findSchedule(raymond, { name }).catch(unlessGone);
    if (view !== undefined) views.push(view);
  }
  return views.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Temporal still lists deleted schedules and runs for a while. */
function unlessGone(error: unknown): undefined {
  const isGone = error instanceof ClientError && ['ScheduleNotFound', 'RunNotFound'].includes(error.code);
  if (!isGone) throw error;
}

/** Pauses a schedule: it starts no runs; open runs continue. Throws `ScheduleNotFound`. */
export async function pauseSchedule(
  raymond: Raymond,
  { name, by = operator() }: ScheduleName & { readonly by?: string },
): Promise<void> {
  const { handle } = await scheduleOf(raymond, name);
  await handle.pause(`paused by ${by}`);
}

/** Resumes a paused schedule, from its next due time. Throws `ScheduleNotFound`. */
export async function resumeSchedule(
  raymond: Raymond,
  { name, by = operator() }: ScheduleName & { readonly by?: string },
): Promise<void> {
  const { handle } = await scheduleOf(raymond, name);
  await handle.unpause(`resumed by ${by}`);
  await raymond.engine.ensure();
}

/** Deletes a schedule; its open runs continue. Throws `ScheduleNotFound`. */
export async function deleteSchedule(raymond: Raymond, { name }: ScheduleName): Promise<void> {
  const { handle } = await scheduleOf(raymond, name);
  await handle.delete();
  if (raymond.mode.kind === 'local')
    await rm(scheduleEnvironmentFile(raymond.project.raymondDir, name), { force: true });
}
