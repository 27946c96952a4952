// Reaching schedules: on a cluster only, by their names, with Temporal's refusals and policies in our words.
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import { OVERLAPS, type Overlap } from '../../workflows/contract.js';
import { invalidArgument } from '../connect.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';

/** Which schedule. */
export interface ScheduleName {
  readonly name: string;
}

/** Not the SDK's list, which reads each memo: in a namespace there may be schedules of others. */
export async function* scheduleNames({ connection, options: { namespace } }: Client): AsyncGenerator<string> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await connection.workflowService.listSchedules({ namespace, nextPageToken });
    for (const { scheduleId, info } of page.schedules)
      if (info?.workflowType?.name === 'run' && scheduleId) yield scheduleId;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

/** A schedule of runs by its name. Throws `ScheduleNotFound`. */
export async function scheduleOf(
  raymond: Raymond,
  name: string,
): Promise<{ readonly handle: ScheduleHandle; readonly described: ScheduleDescription }> {
  requireCluster(raymond);
  const handle = raymond.link.client.schedule.getHandle(name);
  const described = await asked(name, () => handle.describe());
  if (described.action.workflowType !== 'run') throw noSuchSchedule(name);
  return { handle, described };
}

const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  buffer: 'BUFFER_ONE',
  cancel: 'CANCEL_OTHER',
  allow: 'ALLOW_ALL',
};

/** Temporal's word for it; of many runs that are asked for at once, all wait for each other. */
export function policyOf(overlap: Overlap, { many = false } = {}): NonNullable<ScheduleOverlapPolicy> {
  return many && overlap === 'buffer' ? 'BUFFER_ALL' : (POLICIES[overlap] ?? 'SKIP');
}

/** Ours, also for what somebody else has chosen in Temporal's UI. */
export function overlapOf(policy: ScheduleOverlapPolicy): Overlap {
  if (policy === 'TERMINATE_OTHER') return 'cancel';
  return policy === 'BUFFER_ALL' ? 'buffer' : (OVERLAPS.find((overlap) => POLICIES[overlap] === policy) ?? 'skip');
}

/** Throws `InvalidUsage` where there is no fleet. */
export function requireCluster({ mode }: Pick<Raymond, 'mode'>): void {
  if (mode.kind !== 'cluster') throw noFleet();
}

/** The refusal where runs are local. */
export function noFleet(): ClientError {
  return new ClientError(
    'InvalidUsage',
    "a schedule's runs are done by the workers of a cluster: give --address HOST:PORT, a Temporal profile, or address in the config; " +
      'without a cluster let cron call "raymond start WORKFLOW --detach"',
  );
}

function noSuchSchedule(name: string): ClientError {
  return new ClientError('ScheduleNotFound', `there is no schedule ${name}; "raymond schedule list" shows them`);
}

/** What Temporal answers, with its refusals in our words. */
export async function asked<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) throw noSuchSchedule(name);
    if (error instanceof ScheduleAlreadyRunning)
      throw new ClientError(
        'ScheduleExists',
        `there is a schedule ${name} already; choose another name, or remove that one: raymond schedule delete ${name}`,
        { cause: error },
      );
    const wrong = error instanceof TypeError ? error.message : invalidArgument(error);
    if (wrong === undefined) throw error;
    const why = wrong.replace(/^Invalid schedule spec: /, '');
    throw new ClientError('InvalidUsage', `Temporal does not understand the schedule: ${why}`, { cause: error });
  }
}
