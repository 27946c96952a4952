// Starts runs of a schedule on request: one now, or those that were missed in a past time range.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ScheduleDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { msOf } from '../../history/events.js';
import type { Overlap } from '../../contract/runs.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';
import { overlapOf, policyOf, scheduleOf, type ScheduleName } from './schedule-handle.js';
import { viewRun } from '../look/runs.js';
import { findSchedule } from './schedules.js';

/** The schedule to start a run of; absent overlap = the schedule's setting. */
export interface TriggerOptions extends ScheduleName {
  readonly overlap?: Overlap;
}

/** The result: a run, or one that waits until the open one has ended. */
export type Triggered = { readonly kind: 'started'; readonly runId: string } | { readonly kind: 'waiting' };

/** Temporal acts within moments; after this time the state so far is reported. */
const NOTICE_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Starts a run of a schedule now, also of one that is paused. Throws `ScheduleNotFound`, `ScheduleHeld`, `Unreachable`. */
export async function triggerSchedule(raymond: Raymond, { name, overlap }: TriggerOptions): Promise<Triggered> {
  const { handle, described: before } = await scheduleOf(raymond, name);
  await raymond.engine.ensure();
  await delay(msToNextId(before));
  await handle.trigger(policyOf(overlap ?? overlapOf(before.policies.overlap)));
  for (const until = Date.now() + NOTICE_MS; Date.now() < until; await delay(LOOK_EVERY_MS)) {
    const { info, raw } = await handle.describe();
    const runId = newRun(before, info);
    if (runId !== undefined) return { kind: 'started', runId };
    if (info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap) throw await held(raymond, name);
    if (bufferedIn(raw) > bufferedIn(before.raw)) return { kind: 'waiting' };
  }
  throw new ClientError(
    'Unreachable',
    `Temporal was asked to start a run of ${name}, but has not started it within ${NOTICE_MS / 1000} s; to follow it, run: raymond schedule show ${name}`,
  );
}

/** The id of a run ends with the second of its start, and Temporal reports nothing about a run whose id is taken. */
function msToNextId({ info }: ScheduleDescription): number {
  const last = info.recentActions.at(-1)?.scheduledAt.getTime() ?? 0;
  return Math.max(0, Math.min(1000, last + 1000 - Date.now()));
}

type Info = ScheduleDescription['info'];

function newRun({ info: before }: ScheduleDescription, { recentActions }: Info): string | undefined {
  const known = new Set(before.recentActions.map(({ action }) => action.workflow.firstExecutionRunId));
  return recentActions.find(({ action }) => !known.has(action.workflow.firstExecutionRunId))?.action.workflow
    .workflowId;
}

function bufferedIn({ info }: ScheduleDescription['raw']): number {
  return Number(info?.bufferSize ?? 0);
}

async function held(raymond: Raymond, name: string): Promise<ClientError> {
  const { heldBy } = await findSchedule(raymond, { name });
  const [run] = heldBy;
  const why = heldBy.map(({ runId, status }) => `${runId} is open (${status})`).join(', ');
  const end = run === undefined ? '' : `end it with: raymond cancel ${run.runId}; or `;
  return new ClientError(
    'ScheduleHeld',
    `no run of ${name} was started: ${why === '' ? 'another one is open' : why}; ${end}start another one with: raymond schedule trigger ${name} --overlap allow`,
  );
}

/** A past time range; absent `to` = now, absent overlap = one run after the other. */
export interface BackfillOptions extends ScheduleName {
  readonly from: Date;
  readonly to?: Date;
  readonly overlap?: Overlap;
}

/** How many runs one backfill starts at most. */
const MOST_RUNS = 1000;

/**
 * Starts the runs that a schedule should have started in that time and did not, and returns when they were due. Throws
 * `ScheduleNotFound`, `InvalidUsage`.
 */
export async function backfillSchedule(
  raymond: Raymond,
  { name, from, to = new Date(), overlap = 'buffer' }: BackfillOptions,
): Promise<readonly Date[]> {
  const { handle } = await scheduleOf(raymond, name);
  const span = `from ${from.toISOString()} to ${to.toISOString()}`;
  if (from >= to) throw new ClientError('InvalidUsage', `the time range ${span} ends before it begins`);
  const times = await dueTimes(raymond, { name, from, to });
  if (times.length > MOST_RUNS)
    throw new ClientError(
      'InvalidUsage',
      `${times.length} runs of ${name} were due ${span}, but one backfill starts at most ${MOST_RUNS}; choose a shorter time range`,
    );
  const due = await withoutRun(raymond, name, times);
  if (due.length === 0)
    throw new ClientError('InvalidUsage', `${name} missed no run ${span}; choose another time range`);
  await raymond.engine.ensure();
  const policy = policyOf(overlap, { many: true });
  await handle.backfill(due.map((time) => ({ start: new Date(time.getTime() - 1), end: time, overlap: policy })));
  return due;
}

async function dueTimes(
  { link: { client } }: Raymond,
  { name, from, to }: ScheduleName & { readonly from: Date; readonly to: Date },
): Promise<readonly Date[]> {
  const { startTime } = await client.connection.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId: name,
    startTime: timestampOf(from),
    endTime: timestampOf(to),
  });
  return startTime.map((time) => new Date(msOf(time)));
}

function timestampOf(time: Date): proto.google.protobuf.Timestamp {
  const ms = time.getTime();
  const seconds = Math.floor(ms / 1000);
  return proto.google.protobuf.Timestamp.fromObject({ seconds, nanos: (ms - seconds * 1000) * 1e6 });
}

/** Another run with the same id would replace the record of the first. */
async function withoutRun({ link }: Raymond, name: string, times: readonly Date[]): Promise<readonly Date[]> {
  const due: Date[] = [];
  for (const time of times) {
    const runId = `${name}-${time.toISOString().replace('.000', '')}`;
    if (!(await isKnown(link.client, runId))) due.push(time);
  }
  return due;
}

async function isKnown(client: Client, runId: string): Promise<boolean> {
  try {
    await viewRun(client, runId);
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'RunNotFound') return false;
    throw error;
  }
}
