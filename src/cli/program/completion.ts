// The commands about the shell that Raymond is called from.
import { Argument, type Command } from 'commander';
import type { Shell } from '../shells/completion.js';
import type { Call } from './index.js';

/** Adds them; the scripts know all commands that the program has when it is called. */
export function addCompletion(program: Command, { io, finish }: Call): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands, flags and runs')
    .exitOverride()
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) =>
      finish(await (await import('../shells/completion.js')).completion(io, { shell, program })),
    );
  program
    .command('__complete', { hidden: true })
    .exitOverride()
    .addArgument(new Argument('<what>').choices(['runs']))
    .action(async () => finish(await (await import('../shells/complete.js')).completeRuns(io)));
}
