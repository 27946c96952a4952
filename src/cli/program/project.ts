// The commands about the project's folder, and for the user's shell.
import { Argument, Option, type Command } from 'commander';
import { durationText, percentage, positiveInteger, secondsText, withConnection } from '../flags.js';
import type { GcFlags } from '../project/gc.js';
import type { InitFlags } from '../project/init.js';
import type { Shell } from '../shells/completion.js';
import type { TestFlags, TestFormat } from '../project/test.js';
import type { AddCommand, Call } from './call.js';

const TEST_FORMATS = ['text', 'json', 'junit'] as const satisfies readonly TestFormat[];

/** Adds the commands about a folder. */
export function addProject(command: AddCommand, { io, finish }: Call): void {
  command('init', 'write a config with every key as a comment, and a sample workflow')
    .option('--from <sample>', 'copy the sample workflow of this name (default: hello)')
    .option('--config-only', 'write only the config')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: InitFlags) => finish(await (await import('../project/init.js')).init(io, flags)));
  withConnection(command('test [paths...]', 'run the tests of workflows, without a model'))
    .option('--case <name>', 'only cases whose name contains this text')
    .addOption(new Option('--format <form>', 'output format (default: text)').choices(TEST_FORMATS))
    .option('--json', 'the same as --format json')
    .option('--jobs <n>', 'number of cases that run in parallel (default: two per processor)', positiveInteger)
    .option('--timeout <duration>', 'how long a case may take (default: 60s)', secondsText)
    .option('--bail', 'stop at the first case that fails; cases run one after the other')
    .option('--strict', 'fail a case if a state has changed since the case was recorded')
    .option(
      '--update',
      'write the current values into the test files: paths (the states that agents went through), costs, results, prompts, waits, and hashes of states',
    )
    .option(
      '--coverage [percent]',
      'report states and transitions that no case uses; with PERCENT, fail if the cases use a smaller share of them than PERCENT',
      percentage,
    )
    .option('--keep', 'keep the files of the runs, and print where they are')
    .option('--watch', 'rerun tests when their files change')
    .option('--record <run>', 'run no tests, but write a test file from this run')
    .action(async (paths: readonly string[], flags: TestFlags) =>
      finish(await (await import('../project/test.js')).test(io, { paths, flags })),
    );
  command('config', 'print every key of the config, with its value and the source of the value')
    .option('--changed', 'only keys that the config sets')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: { readonly json?: boolean; readonly changed?: boolean }) =>
      finish(await (await import('../project/config.js')).config(io, flags)),
    );
  withConnection(command('gc', 'delete files that no run needs, in .raymond and in the artifact store'))
    .option(
      '--older-than <duration>',
      'only files that are older than this, e.g. 36h; a run that completed longer ago than this needs no files (default: 30d)',
      durationText,
    )
    .option('--dry-run', 'only print what would be deleted')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: GcFlags) => finish(await (await import('../project/gc.js')).gc(io, { flags })));
}

/** Adds the commands for a shell; the scripts contain all commands of the program. */
export function addCompletion(program: Command, { io, finish }: Call): void {
  program
    .command('completion')
    .description('print a script with which a shell (bash, zsh or fish) completes commands, flags and ids of runs')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) =>
      finish(await (await import('../shells/completion.js')).completion(io, { shell, program })),
    );
  program
    .command('__complete', { hidden: true })
    .addArgument(new Argument('<what>').choices(['runs']))
    .action(async () => finish(await (await import('../shells/complete-runs.js')).completeRuns(io)));
}
