// The commands for those who write workflows: they change files, and touch no run.
import type { Command } from 'commander';
import type { ConvertFlags } from '../author/convert.js';
import type { Call } from './index.js';

/** Adds them. */
export function addAuthor(program: Command, { io, finish }: Call): void {
  program
    .command('convert <source> <target>')
    .description('make a folder, a zip (NAME.zip) or a YAML file (NAME.yaml) of a package; nothing is lost')
    .exitOverride()
    .option('--without <file...>', 'leave these files behind')
    .option('--force', 'replace the package at the target')
    .option('--json', 'as JSON')
    .action(async (from: string, to: string, flags: ConvertFlags) =>
      finish(await (await import('../author/convert.js')).convert(io, { from, to, flags })),
    );
}
