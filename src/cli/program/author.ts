// The commands for those who write workflows: they change files, and touch no run.
import type { Command } from 'commander';
import type { ConvertFlags } from '../author/convert.js';
import type { SkillFlags } from '../author/skills.js';
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
  program
    .command('package <source> [target]')
    .description('make a workflow a skill that agents call (default target: .claude/skills/NAME of the project)')
    .exitOverride()
    .option('--force', 'replace the skill at the target')
    .option('--json', 'as JSON')
    .action(async (from: string, to: string | undefined, flags: SkillFlags) =>
      finish(await (await import('../author/skills.js')).packageCommand(io, { from, to, flags })),
    );
  program
    .command('skill')
    .description('what teaches agents to write workflows')
    .exitOverride()
    .command('install')
    .description('write the skill into .claude/skills/raymond of this project')
    .exitOverride()
    .option('--force', 'also over files that were changed there')
    .option('--json', 'as JSON')
    .action(async (flags: SkillFlags) => finish(await (await import('../author/skills.js')).install(io, flags)));
}
