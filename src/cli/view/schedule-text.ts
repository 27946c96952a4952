// Schedules for people: a line each, or one in full. Pure.
import { spanText } from '../../client/schedules/schedule-times.js';
import type { ScheduleView } from '../../client/schedules/schedules.js';
import { columns } from './columns.js';
import { localTime } from './format.js';

const HEADER = ['SCHEDULE', 'WORKFLOW', 'WHEN', 'NEXT RUN', 'LAST RUN', 'BLOCKED BY'];

/** A line for each. */
export function scheduleTable(views: readonly ScheduleView[]): string {
  return columns([HEADER, ...views.map(rowOf)]);
}

function rowOf({ name, workflow, when, timezone, paused, nextRuns, runs, heldBy }: ScheduleView): readonly string[] {
  const [next] = nextRuns;
  return [
    name,
    workflow,
    [...when, ...(timezone === undefined ? [] : [`(${timezone})`])].join(' '),
    paused ? 'paused' : next === undefined ? 'never' : localTime(next),
    runs.at(-1)?.runId ?? '',
    heldBy.map(heldText).join(', '),
  ];
}

function heldText({ runId, status }: ScheduleView['heldBy'][number]): string {
  return `${runId} (${status})`;
}

/** How many of the next times are shown. */
const NEXT = 3;

/** One schedule in full. */
export function scheduleText(view: ScheduleView): string {
  const { name, workflow, scope, taskQueue, when, timezone, overlap, catchupMs, paused, note, nextRuns, runs } = view;
  const { started, skipped, missed } = view;
  const rows = [
    ['workflow', `${workflow} (${scope}), on the queue ${taskQueue}`],
    ['when', `${when.join(' · ')} (${timezone ?? 'UTC'})`],
    ['overlap', `${overlap}; runs that were missed are started up to ${spanText(catchupMs)} late`],
    [
      'next',
      nextRuns
        .slice(0, NEXT)
        .map((time) => localTime(time))
        .join(', ') || 'never',
    ],
    ['so far', `${started} started, ${skipped} skipped because another was open, ${missed} missed`],
    ...runs.map(({ runId, startedAt }) => ['run', `${runId} · ${localTime(startedAt)}`]),
  ];
  const said = note === undefined ? '' : ` (${note})`;
  return [`${name}: ${paused ? 'paused' : 'active'}${said}`, columns(rows), ...holdLines(view)].join('\n');
}

/** What a person can do about a run that blocks the schedule. */
function holdLines({ overlap, heldBy }: ScheduleView): readonly string[] {
  return heldBy.map(({ runId, status }) => {
    const until = overlap === 'skip' ? 'due runs are skipped' : 'the next run waits';
    const go = status === 'asking' ? `raymond answer ${runId} TEXT` : `raymond resume ${runId}`;
    const what = status === 'running' ? `raymond watch ${runId}` : `${go}, or raymond cancel ${runId}`;
    return `blocked by ${runId}, which is ${status}: ${until} until it ends; ${what}`;
  });
}
