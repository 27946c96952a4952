// `raymond schedule …`: start runs on a schedule.
import { Option, type Command } from 'commander';
import { OVERLAPS } from '../../contract/runs.js';
import { durationText, gathered, timeText, withConnection } from '../flags.js';
import type { BackfillFlags, CreateFlags, ScheduleFlags, TriggerFlags } from '../runs/schedule.js';
import type { Call } from './call.js';
import { withRun } from './run-flags.js';

/** Adds it with its subcommands. */
export function addSchedule(program: Command, { io, finish }: Call): void {
  const schedule = program.command('schedule').description('start runs of a workflow at set times');
  const command = (words: string, description: string): Command =>
    withConnection(schedule.command(words).description(description));
  const commands = () => import('../runs/schedule.js');
  addCreate(command('create <name> <workflow>', 'create a schedule that starts runs of a workflow'), { io, finish });
  command('list', 'list the schedules').action(async (flags: ScheduleFlags) =>
    finish(await (await commands()).listAll(io, flags)),
  );
  command(
    'show <name>',
    'show a schedule: its next times, its latest runs, and open runs because of which the next run is skipped or waits',
  ).action(async (name: string, flags: ScheduleFlags) => finish(await (await commands()).showOne(io, { name, flags })));
  command('pause <name>', 'pause a schedule: it starts no runs; open runs continue').action(
    async (name: string, flags: ScheduleFlags) => finish(await (await commands()).pause(io, { name, flags })),
  );
  command('resume <name>', 'resume a paused schedule').action(async (name: string, flags: ScheduleFlags) =>
    finish(await (await commands()).resume(io, { name, flags })),
  );
  command('trigger <name>', 'start a run of a schedule now')
    .addOption(
      overlap(
        'if another run of the schedule is open: skip = start no run; buffer = start the run when the open run ends; cancel = cancel the open run; allow = run both (default: the setting of the schedule)',
      ),
    )
    .action(async (name: string, flags: TriggerFlags) => finish(await (await commands()).trigger(io, { name, flags })));
  command(
    'backfill <name>',
    'start a run for each time in a past range at which a run of the schedule was due, but was not started',
  )
    .requiredOption('--from <time>', 'start of the range, e.g. 2026-11-20 or 2026-11-20T02:00:00Z', timeText)
    .option('--to <time>', 'end of the range (default: now)', timeText)
    .addOption(
      overlap(
        'if another run of the schedule is open: skip = do not start the run; buffer = start all runs, one after the other; cancel = cancel the open run; allow = run all at once (default: buffer)',
      ),
    )
    .action(async (name: string, flags: BackfillFlags) =>
      finish(await (await commands()).backfill(io, { name, flags })),
    );
  command('delete <name>', 'delete a schedule; its open runs continue').action(
    async (name: string, flags: ScheduleFlags) => finish(await (await commands()).remove(io, { name, flags })),
  );
  // After the flags of the command itself.
  for (const one of schedule.commands) one.option('--json', 'print JSON instead of text');
}

function addCreate(create: Command, { io, finish }: Call): void {
  withRun(create, 'later')
    .option(
      '--cron <times>',
      "start runs at the times of this cron expression, e.g. '0 2 * * 1-5'; repeatable",
      gathered,
    )
    .option('--every <duration>', 'start runs at this interval, e.g. 15m, 36h; repeatable', spans)
    .option(
      '--calendar <json>',
      `start runs at the times of this Temporal calendar, e.g. '{"dayOfWeek":"MONDAY","hour":2}'; repeatable`,
      gathered,
    )
    .option('--timezone <name>', 'time zone of --cron and --calendar, e.g. Europe/Berlin (default: UTC)')
    .addOption(
      overlap(
        'if a run is due while another run of the schedule is open: skip = do not start the run; buffer = start it when the open run ends, and skip further runs until then; cancel = cancel the open run; allow = run both (default: skip)',
      ),
    )
    .option(
      '--catchup <duration>',
      'how late a run may start that was due while the engine or the cluster was down (default: 1h)',
      durationText,
    )
    .addOption(
      new Option(
        '--on-ask <what>',
        'what to do about questions to a person: wait = the run waits for the answer; reject = the agent that asks fails (default: wait)',
      ).choices(['wait', 'reject']),
    )
    .action(async (name: string, workflow: string, flags: CreateFlags) =>
      finish(await (await import('../runs/schedule.js')).create(io, { name, workflow, flags })),
    );
}

function overlap(says: string): Option {
  return new Option('--overlap <what>', says).choices(OVERLAPS);
}

function spans(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, durationText(text)];
}
