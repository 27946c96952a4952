// The program of commands, for tests that read its tables: commands, flags and help. Nothing of it is called.
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { openIo } from '../../src/cli/io.js';
import { build } from '../../src/cli/program/index.js';

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const io = openIo({ cwd: '/', env: {}, ...streams });

/** The names of all visible commands, with the groups that they are in. */
export function commandsBelow(command: Command, above = ''): readonly string[] {
  const visible = command.createHelp().visibleCommands(command);
  return command.commands
    .filter((below) => visible.includes(below))
    .flatMap((below) => {
      const name = `${above}${below.name()}`;
      return [name, ...commandsBelow(below, `${name} `)];
    });
}

/** Every command with its flags, as `raymond --help` shows them. */
export const program = build({ io, finish: () => undefined, version: '0' });
