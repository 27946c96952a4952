// The command line as a whole: its groups of commands, and how Commander speaks. The file of a command is loaded when it is used: wrong
// usage is told in little more than the time that Node takes to start.
import { Command, type OutputConfiguration } from 'commander';
import { visible } from '../../protocol/text.js';
import type { Io } from '../io.js';
import { addLook } from './look.js';
import { addProject } from './project.js';
import { addServing } from './serving.js';
import { addStart, addSteer } from './steer.js';

/** What every command's action gets; `finish` hears its exit code. */
export interface Call {
  readonly io: Io;
  readonly finish: (code: number) => void;
}

/** Adds a command to the program. */
export type AddCommand = (name: string, description: string) => Command;

/** All commands with their flags; `finish` hears the exit code of the one that was called. */
export function build({ io, finish, version }: Call & { readonly version: string }): Command {
  const program = new Command('raymond')
    .description('Runs folders of prompts and scripts as durable workflows.')
    .version(version)
    .exitOverride()
    .configureHelp({ sortSubcommands: false })
    .configureOutput(outputOf(io))
    .showSuggestionAfterError();
  const command: AddCommand = (name, description) => program.command(name).description(description).exitOverride();
  const call = { io, finish };
  // `raymond WORKFLOW` is `raymond start WORKFLOW`.
  addStart(program.command('start <workflow>', { isDefault: true }).alias('run').exitOverride(), call);
  addLook(command, call);
  addSteer(command, call);
  addServing(program, call);
  addProject(command, call);
  return program;
}

/** Commander writes into the streams of the call, too. */
function outputOf({ stdout, stderr }: Io): OutputConfiguration {
  const widthOf = ({ isTTY, columns }: Io['stderr']): number => (isTTY === true ? (columns ?? 80) : 80);
  return {
    writeOut: (text) => void stdout.write(visible(text)),
    writeErr: (text) => void stderr.write(visible(text)),
    outputError: (text, write) => write(asOneLine(text)),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
}

/** Commander's error in our words, its suggestion on the same line. */
function asOneLine(text: string): string {
  return text.replace(/^error: /, 'raymond: ').replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
}
