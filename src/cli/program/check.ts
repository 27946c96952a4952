// The commands that look at workflows and start nothing.
import { InvalidArgumentError, Option } from 'commander';
import type { LintFlags, LintFormat } from '../author/lint.js';
import type { DiagramFlags, DiagramFormat } from '../author/diagram.js';
import { withConnection } from '../flags.js';
import type { AddCommand, Call } from './index.js';

const DIAGRAM_FORMATS = ['text', 'mermaid', 'dot', 'svg', 'html'] as const satisfies readonly DiagramFormat[];

const LINT_FORMATS = ['text', 'json', 'sarif', 'github'] as const satisfies readonly LintFormat[];

/** Adds them. */
export function addCheck(command: AddCommand, { io, finish }: Call): void {
  command('lint [paths...]', 'check workflows for mistakes, without running anything')
    .addOption(new Option('--format <form>', 'what to print (default: text)').choices(LINT_FORMATS))
    .option('--json', 'as JSON')
    .addOption(
      new Option('--level <severity>', 'what to show (default: warning)').choices(['info', 'warning', 'error']),
    )
    .option('--max-warnings <n>', 'end with exit code 1 when there are more', countText)
    .option('--fix', 'mend what has one answer')
    .option('--explain <id>', 'say what a rule is for')
    .action(async (paths: readonly string[], flags: LintFlags) =>
      finish(await (await import('../author/lint.js')).lint(io, { paths, flags })),
    );
  withConnection(command('diagram [path]', 'draw a workflow, and where a run of it is'))
    .addOption(
      new Option('--format <form>', 'default: by the output, else text on a terminal, mermaid elsewhere').choices(
        DIAGRAM_FORMATS,
      ),
    )
    .option('--run <run>', 'where its agents are, and how often each way was taken')
    .option('-o, --output <file>', 'write it there')
    .action(async (path: string | undefined, flags: DiagramFlags) =>
      finish(await (await import('../author/diagram.js')).diagram(io, { path, flags })),
    );
}

/** A whole number from 0 on. */
function countText(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 0 on');
  return Number(text);
}
