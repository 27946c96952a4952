// `raymond schedule …`: creates, shows and changes Temporal's schedules that start runs.
import { scheduleDocument } from '../../client/documents/fleet-documents.js';
import { ClientError } from '../../client/error.js';
import { hasNoRuns } from '../../client/open.js';
import { backfillSchedule, triggerSchedule } from '../../client/schedules/schedule-runs.js';
import { calendarOf } from '../../client/schedules/schedule-times.js';
import {
  createSchedule,
  deleteSchedule,
  findSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
} from '../../client/schedules/schedules.js';
import { findProject } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import type { Overlap } from '../../contract/runs.js';
import { hintAtWorkers, openContext, openForQuestion, type ClientContext } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags, RunFlags } from '../flags.js';
import type { Io } from '../io.js';
import { runOptionsOf } from './run-options.js';
import { printDocument } from '../view/json.js';
import { scheduleTable, scheduleText } from '../view/schedule-text.js';

/** Flags of all of them. */
export interface ScheduleFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Flags of `create`; durations in milliseconds. */
export interface CreateFlags extends ScheduleFlags, RunFlags {
  readonly cron?: readonly string[];
  readonly every?: readonly number[];
  readonly calendar?: readonly string[];
  readonly timezone?: string;
  readonly overlap?: Overlap;
  readonly catchup?: number;
}

/** Flags of `trigger`. */
export interface TriggerFlags extends ScheduleFlags {
  readonly overlap?: Overlap;
}

/** Flags of `backfill`. */
export interface BackfillFlags extends TriggerFlags {
  readonly from: Date;
  readonly to?: Date;
}

const MAKE_ONE = "create one with: raymond schedule create NAME WORKFLOW --cron '0 2 * * *'";

/** The schedule, and the flags. */
interface Request<Flags = ScheduleFlags> {
  readonly name: string;
  readonly flags: Flags;
}

/** Creates one. */
export async function create(
  io: Io,
  { name, workflow, flags }: Request<CreateFlags> & { readonly workflow: string },
): Promise<number> {
  const { cron = [], every = [], calendar = [], timezone, overlap, catchup: catchupMs, pin, live, check } = flags;
  const times = { cron, every, calendar: calendar.map(calendarOf), ...defined({ timezone }) };
  const context = await openContext(io, flags);
  const options = {
    ...(await runOptionsOf(io, flags)),
    ...times,
    ...defined({ overlap, catchupMs, pin, live, check }),
  };
  for (const text of await createSchedule(context, { name, workflow, ...options })) io.say(`warning: ${text}`);
  await hintAtWorkers(context);
  return await show(context, { name, flags });
}

/** Lists them. */
export async function listAll(io: Io, flags: ScheduleFlags): Promise<number> {
  const isNew = await hasNoRuns(await findProject(io.cwd), { choice: flags, env: io.env });
  const views = isNew ? [] : await listSchedules(await openForQuestion(io, { flags }));
  if (flags.json === true) await printDocument(io, 'schedule list', views.map(scheduleDocument));
  else if (views.length > 0) await io.show(scheduleTable(views));
  else io.say(`no schedules; ${MAKE_ONE}`);
  return EXIT.completed;
}

/** Shows one. */
export async function showOne(io: Io, { name, flags }: Request): Promise<number> {
  return await show(await opened(io, flags), { name, flags });
}

async function show(context: ClientContext, { name, flags }: Request): Promise<number> {
  const view = await findSchedule(context, { name });
  if (flags.json === true) await printDocument(context.io, 'schedule show', scheduleDocument(view));
  else await context.io.show(scheduleText(view));
  return EXIT.completed;
}

/** Pauses it. */
export async function pause(io: Io, { name, flags }: Request): Promise<number> {
  await pauseSchedule(await openedToSteer(io, flags), { name });
  return await printSchedule(io, {
    name,
    flags,
    what: `paused schedule ${name}; resume it with: raymond schedule resume ${name}`,
  });
}

/** Resumes it. */
export async function resume(io: Io, { name, flags }: Request): Promise<number> {
  await resumeSchedule(await openedToSteer(io, flags), { name });
  return await printSchedule(io, { name, flags, what: `resumed schedule ${name}` });
}

/** Removes it. */
export async function remove(io: Io, { name, flags }: Request): Promise<number> {
  await deleteSchedule(await openedToSteer(io, flags), { name });
  return await printSchedule(io, { name, flags, what: `deleted schedule ${name}; its open runs continue` });
}

/** Starts a run now. */
export async function trigger(io: Io, { name, flags }: Request<TriggerFlags>): Promise<number> {
  const { overlap, json } = flags;
  const triggered = await triggerSchedule(await openedToSteer(io, flags), { name, ...defined({ overlap }) });
  const runId = triggered.kind === 'started' ? triggered.runId : undefined;
  if (json === true) await printDocument(io, 'schedule trigger', { name, ...defined({ runId }) });
  else if (runId !== undefined) await io.print(runId);
  else io.say(`the run starts when the open one has ended; show it with: raymond schedule show ${name}`);
  return EXIT.completed;
}

/** Starts the runs that were missed. */
export async function backfill(io: Io, { name, flags }: Request<BackfillFlags>): Promise<number> {
  const { from, to, overlap, json } = flags;
  const due = await backfillSchedule(await openedToSteer(io, flags), { name, from, ...defined({ to, overlap }) });
  const times = due.map((time) => time.toISOString());
  if (json === true) await printDocument(io, 'schedule backfill', { name, due: times });
  else await io.show([`${due.length} runs of ${name}, due at:`, ...times].join('\n'));
  return EXIT.completed;
}

async function printSchedule(io: Io, { name, flags, what }: Request & { readonly what: string }): Promise<number> {
  if (flags.json === true) await printDocument(io, 'schedule pause', { name });
  else await io.show(what);
  return EXIT.completed;
}

/** To change a schedule: starts the server. */
async function openedToSteer(io: Io, flags: ScheduleFlags): Promise<ClientContext> {
  await refuseWithoutSchedules(io, flags);
  return await openContext(io, flags);
}

/** To read them. */
async function opened(io: Io, flags: ScheduleFlags): Promise<ClientContext> {
  await refuseWithoutSchedules(io, flags);
  return await openForQuestion(io, { flags });
}

/** Throws `ScheduleNotFound` for a project that never had a server. */
async function refuseWithoutSchedules(io: Io, flags: ScheduleFlags): Promise<void> {
  const project = await findProject(io.cwd);
  if (!(await hasNoRuns(project, { choice: flags, env: io.env }))) return;
  throw new ClientError('ScheduleNotFound', `there is no schedule in the project ${project.root}; ${MAKE_ONE}`);
}
