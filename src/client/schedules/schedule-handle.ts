// Finds schedules by name, and translates Temporal's errors and policies into our words.
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import type proto from '@temporalio/proto';
import { OVERLAPS, type Overlap } from '../../contract/runs.js';
import { invalidArgument } from '../connect.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';

/** The schedule. */
export interface ScheduleName {
  readonly name: string;
}

/** The names of all schedules of runs in the namespace. */
export async function* scheduleNames(client: Client): AsyncGenerator<string> {
  for await (const { scheduleId } of entries(client)) if (scheduleId) yield scheduleId;
}

/** True when a schedule will start a run. */
export async function hasActiveSchedule(client: Client): Promise<boolean> {
  for await (const { info } of entries(client))
    if (info?.paused !== true && (info?.futureActionTimes ?? []).length > 0) return true;
  return false;
}

/** Not the SDK's list, which decodes each memo: the namespace may contain other schedules. */
async function* entries({
  connection,
  options: { namespace },
}: Client): AsyncGenerator<proto.temporal.api.schedule.v1.IScheduleListEntry> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await connection.workflowService.listSchedules({ namespace, nextPageToken });
    for (const entry of page.schedules) if (entry.info?.workflowType?.name === 'run') yield entry;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

/** A schedule of runs by its name. Throws `ScheduleNotFound`. */
export async function scheduleOf(
  raymond: Raymond,
  name: string,
): Promise<{ readonly handle: ScheduleHandle; readonly described: ScheduleDescription }> {
  const handle = raymond.link.client.schedule.getHandle(name);
  const described = await request(name, () => handle.describe());
  if (described.action.workflowType !== 'run') throw noSuchSchedule(name);
  return { handle, described };
}

const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  buffer: 'BUFFER_ONE',
  cancel: 'CANCEL_OTHER',
  allow: 'ALLOW_ALL',
};

/** Temporal's name for it; of many requested runs, each waits for the previous one. */
export function policyOf(overlap: Overlap, { many = false } = {}): NonNullable<ScheduleOverlapPolicy> {
  return many && overlap === 'buffer' ? 'BUFFER_ALL' : (POLICIES[overlap] ?? 'SKIP');
}

/** Our name for it, also when it was set in Temporal's UI. */
export function overlapOf(policy: ScheduleOverlapPolicy): Overlap {
  if (policy === 'TERMINATE_OTHER') return 'cancel';
  return policy === 'BUFFER_ALL' ? 'buffer' : (OVERLAPS.find((overlap) => POLICIES[overlap] === policy) ?? 'skip');
}

function noSuchSchedule(name: string): ClientError {
  return new ClientError(
    'ScheduleNotFound',
    `there is no schedule ${name}; to list the schedules, run: raymond schedule list`,
  );
}

/** Temporal's answer, with its errors in our words. */
export async function request<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) throw noSuchSchedule(name);
    if (error instanceof ScheduleAlreadyRunning)
      throw new ClientError(
        'ScheduleExists',
        `the schedule ${name} already exists; choose another name, or delete it with: raymond schedule delete ${name}`,
        { cause: error },
      );
    const wrong = error instanceof TypeError ? error.message : invalidArgument(error);
    if (wrong === undefined) throw error;
    const why = wrong.replace(/^Invalid schedule spec: /, '');
    throw new ClientError('InvalidUsage', `Temporal rejected the schedule: ${why}`, { cause: error });
  }
}
