// `raymond schedule …`: start runs on a schedule.
import { Option, type Command } from 'commander';
import { OVERLAPS } from '../../contract/runs.js';
import { durationText, gathered, timeText, withConnection, withRun } from '../flags.js';
import type { BackfillFlags, CreateFlags, ScheduleFlags, TriggerFlags } from '../runs/schedule.js';
import type { Call } from './call.js';

/** Adds it with its subcommands. */
export function addSchedule(program: Command, { io, finish }: Call): void {
  const schedule = program.command('schedule').description('start runs on a schedule');
  const command = (words: string, description: string): Command =>
    withConnection(schedule.command(words).description(description));
  const commands = () => import('../runs/schedule.js');
  addCreate(command('create <name> <workflow>', 'create a schedule that starts runs of a workflow'), { io, finish });
  command('list', 'list the schedules').action(async (flags: ScheduleFlags) =>
    finish(await (await commands()).listAll(io, flags)),
  );
  command('show <name>', 'show a schedule: its times, its runs, and what blocks it').action(
    async (name: string, flags: ScheduleFlags) => finish(await (await commands()).showOne(io, { name, flags })),
  );
  command('pause <name>', 'pause a schedule: it starts no runs; open runs continue').action(
    async (name: string, flags: ScheduleFlags) => finish(await (await commands()).pause(io, { name, flags })),
  );
  command('resume <name>', 'resume a paused schedule').action(async (name: string, flags: ScheduleFlags) =>
    finish(await (await commands()).resume(io, { name, flags })),
  );
  command('trigger <name>', 'start a run of a schedule now')
    .addOption(
      overlap('when another run is open: skip, buffer, cancel the open one, allow both (default: as the schedule)'),
    )
    .action(async (name: string, flags: TriggerFlags) => finish(await (await commands()).trigger(io, { name, flags })));
  command('backfill <name>', 'start the runs that a schedule missed in a past time range')
    .requiredOption('--from <time>', 'start of the range, e.g. 2026-11-20 or 2026-11-20T02:00:00Z', timeText)
    .option('--to <time>', 'end of the range (default: now)', timeText)
    .addOption(
      overlap(
        'when a run is open: skip, buffer = one after the other, cancel the open one, allow all (default: buffer)',
      ),
    )
    .action(async (name: string, flags: BackfillFlags) =>
      finish(await (await commands()).backfill(io, { name, flags })),
    );
  command('delete <name>', 'delete a schedule; its open runs continue').action(
    async (name: string, flags: ScheduleFlags) => finish(await (await commands()).remove(io, { name, flags })),
  );
  // After the flags of the command itself.
  for (const one of schedule.commands) one.option('--json', 'as JSON');
}

function addCreate(create: Command, { io, finish }: Call): void {
  withRun(create)
    .option('--cron <times>', "cron expression, e.g. '0 2 * * 1-5'; repeatable", gathered)
    .option('--every <duration>', 'interval, e.g. 15m, 36h; repeatable', spans)
    .option('--calendar <json>', `calendar, e.g. '{"dayOfWeek":"MONDAY","hour":2}'; repeatable`, gathered)
    .option('--timezone <name>', 'time zone of --cron and --calendar, e.g. Europe/Berlin (default: UTC)')
    .addOption(
      overlap(
        'when a run is due while one is open: skip it, buffer one, cancel the open one, allow both (default: skip)',
      ),
    )
    .option(
      '--catchup <duration>',
      'how late a missed run may start after the engine or cluster was down (default: 1h)',
      durationText,
    )
    .addOption(
      new Option(
        '--on-ask <what>',
        "what to do when the run can continue only with a person's answer; reject fails the agent (default: wait)",
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
