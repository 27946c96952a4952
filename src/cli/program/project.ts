// The commands about the folder of a project, and about the shell that Raymond is called from.
import { Argument, Option, type Command } from 'commander';
import { durationText, percentage, positiveInteger, secondsText, withConnection } from '../flags.js';
import type { GcFlags } from '../project/gc.js';
import type { InitFlags } from '../project/init.js';
import type { Shell } from '../shells/completion.js';
import type { TestFlags, TestFormat } from '../project/test.js';
import type { AddCommand, Call } from './index.js';

const TEST_FORMATS = ['text', 'json', 'junit'] as const satisfies readonly TestFormat[];

/** Adds those for a folder. */
export function addProject(command: AddCommand, { io, finish }: Call): void {
  command('init', 'write a commented config and a first workflow')
    .option('--from <sample>', 'begin with a copy of this sample (default: hello)')
    .option('--config-only', 'only the config (also: raymond --init-config)')
    .option('--json', 'as JSON')
    .action(async (flags: InitFlags) => finish(await (await import('../project/init.js')).init(io, flags)));
  withConnection(command('test [paths...]', 'run the tests of workflows, without a model'))
    .option('--case <name>', 'only cases with this in their name')
    .addOption(new Option('--format <form>', 'what to print (default: text)').choices(TEST_FORMATS))
    .option('--json', 'the same as --format json')
    .option('--jobs <n>', 'cases at once (default: two for each processor)', positiveInteger)
    .option('--timeout <duration>', 'how long a case may take (default: 60s)', secondsText)
    .option('--strict', 'a state that has changed since its case was recorded fails it')
    .option('--update', 'write paths, costs, results and hashes as they are now into the files')
    .option('--coverage [percent]', 'report untested states and transitions; fail below PERCENT', percentage)
    .option('--keep', 'keep the files of the runs, and print where they are')
    .option('--watch', 'test again whatever changes')
    .option('--record <run>', 'write a file of tests from a real run instead')
    .action(async (paths: readonly string[], flags: TestFlags) =>
      finish(await (await import('../project/test.js')).test(io, { paths, flags })),
    );
  command('config', 'print the effective configuration and its sources')
    .option('--json', 'as JSON')
    .action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../project/config.js')).config(io, flags)),
    );
  withConnection(command('gc', 'delete files in .raymond that no run needs any more'))
    .option('--older-than <duration>', 'only what is older than this, e.g. 36h, 30d (default: 30d)', durationText)
    .option('--dry-run', 'only print what would be deleted')
    .option('--json', 'as JSON')
    .action(async (flags: GcFlags) => finish(await (await import('../project/gc.js')).gc(io, { flags })));
}

/** Adds those for a shell; the scripts know all commands that the program has when it is called. */
export function addCompletion(program: Command, { io, finish }: Call): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands, flags and runs')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) =>
      finish(await (await import('../shells/completion.js')).completion(io, { shell, program })),
    );
  program
    .command('__complete', { hidden: true })
    .addArgument(new Argument('<what>').choices(['runs']))
    .action(async () => finish(await (await import('../shells/complete.js')).completeRuns(io)));
}
