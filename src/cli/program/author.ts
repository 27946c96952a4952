// The commands for authors of workflows: they write or read files, and touch no run.
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DiagramFlags, DiagramFormat } from '../author/diagram.js';
import type { LintFlags, LintFormat } from '../author/lint.js';
import type { ConvertFlags, SkillFlags } from '../author/packages.js';
import { withConnection } from '../flags.js';
import type { AddCommand, Call } from './call.js';

/** Adds the commands that write files. */
export function addAuthor(program: Command, { io, finish }: Call): void {
  program
    .command('convert <source> <target>')
    .description('convert a package to a folder, a zip (NAME.zip) or a YAML file (NAME.yaml)')
    .option('--without <file...>', 'leave out these files of the package')
    .option('--force', 'replace the package at the target')
    .option('--json', 'print JSON instead of text')
    .action(async (from: string, to: string, flags: ConvertFlags) =>
      finish(await (await import('../author/packages.js')).convert(io, { from, to, flags })),
    );
  program
    .command('package <source> [target]')
    .description(
      'export a workflow as a Claude Code skill (default target: the folder .claude/skills/WORKFLOW in the project)',
    )
    .option('--force', 'replace the skill at the target')
    .option('--json', 'print JSON instead of text')
    .action(async (from: string, to: string | undefined, flags: SkillFlags) =>
      finish(await (await import('../author/packages.js')).packageCommand(io, { from, to, flags })),
    );
  program
    .command('skill')
    .description('install a skill that teaches coding agents to write workflows')
    .command('install')
    .description('write the skill into the folder .claude/skills/raymond in the project')
    .option('--force', 'also overwrite files that were changed since they were installed')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: SkillFlags) => finish(await (await import('../author/packages.js')).install(io, flags)));
}

const DIAGRAM_FORMATS = ['text', 'mermaid', 'dot', 'svg', 'html'] as const satisfies readonly DiagramFormat[];

const WIN = 'read the package as on Windows: states are .bat and .ps1 files instead of .sh files';

const LINT_FORMATS = ['text', 'json', 'sarif', 'github'] as const satisfies readonly LintFormat[];

/** Adds the commands that read workflows and start nothing. */
export function addCheck(command: AddCommand, { io, finish }: Call): void {
  command('lint [paths...]', 'check workflows for mistakes, without running them')
    .addOption(new Option('--format <form>', 'output format (default: text)').choices(LINT_FORMATS))
    .option('--json', 'print JSON instead of text')
    .addOption(
      new Option('--level <severity>', 'lowest severity to show (default: warning)').choices([
        'info',
        'warning',
        'error',
      ]),
    )
    .option('--max-warnings <n>', 'exit with code 1 if there are more than N warnings', countText)
    .option('--fix', 'fix findings that have exactly one fix')
    .option('--win', WIN)
    .option('--explain <id>', 'explain the rule with this id, and check nothing')
    .action(async (paths: readonly string[], flags: LintFlags) =>
      finish(await (await import('../author/lint.js')).lint(io, { paths, flags })),
    );
  withConnection(
    command('diagram [path]', 'draw a workflow as a diagram; with --run, also show the progress of a run in it'),
  )
    .addOption(
      new Option(
        '--format <form>',
        'output format (default: with --output, the format of the file extension; without --output, text on a terminal, else mermaid)',
      ).choices(DIAGRAM_FORMATS),
    )
    .option('--run <run>', 'show where the agents of this run are, and how often each transition was taken')
    .option('--win', WIN)
    .option('-o, --output <file>', 'write the diagram to this file')
    .action(async (path: string | undefined, flags: DiagramFlags) =>
      finish(await (await import('../author/diagram.js')).diagram(io, { path, flags })),
    );
}

/** A whole number from 0. */
function countText(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number, 0 or more');
  return Number(text);
}
