// The whole command line: its groups of commands, and Commander's settings. The file of a command is loaded when it is
// used, so that wrong usage is reported in little more than Node's start time.
import { Command, type CommanderError, type OutputConfiguration } from 'commander';
import { visible } from '../../protocol/text.js';
import type { Io } from '../io.js';
import { addAuthor, addCheck } from './author.js';
import type { AddCommand, Call } from './call.js';
import { addExamples } from './examples.js';
import { addFleet } from './fleet.js';
import { argumentTerm, groupCommands, groupItems, namesOfCommand, subcommandTerm, suggestionFor } from './groups.js';
import { addHelp } from './help.js';
import { addLook } from './look.js';
import { addCompletion, addProject } from './project.js';
import { addSchedule } from './schedule.js';
import { addServing } from './serving.js';
import { addStart, addSteer } from './steer.js';

/** All commands with their flags; `finish` receives the exit code of the one that was called. */
export function build({ io, finish, version }: Call & { readonly version: string }): Command {
  const program: Command = new Command('raymond')
    .description('Run folders of prompts and scripts as durable workflows.')
    .version(version)
    .exitOverride()
    .configureHelp({ argumentTerm, groupItems, subcommandTerm })
    .addHelpText('after', '\nExit codes, names of runs, environment: raymond help exit-codes | run-names | environment')
    .configureOutput(outputOf(io))
    .showSuggestionAfterError();
  const command: AddCommand = (name, description) => program.command(name).description(description);
  const call = { io, finish };
  // `raymond WORKFLOW` is `raymond start WORKFLOW`.
  addStart(program.command('start <workflow>', { isDefault: true }).alias('run'), call);
  addLook(command, call);
  addSteer(command, call);
  addSchedule(program, call);
  addServing(program, call);
  addFleet(program, call);
  addAuthor(program, call);
  addCheck(command, call);
  addProject(command, call);
  addCompletion(program, call);
  addHelp(program, call);
  groupCommands(program);
  for (const added of program.commands) addExamples(added);
  return program;
}

/** Flags and commands of the original that Raymond spells in another way. */
const ORIGINAL: Readonly<Record<string, string>> = {
  '--clean': 'cancel the runs that shall not continue: raymond cancel RUN',
  '--dangerously-skip-permissions=true': 'write --dangerously-skip-permissions',
  '--dangerously-skip-permissions=false': 'leave it out: without it permissions are checked',
  '--init-config': 'run "raymond --init-config"',
  '--html': 'write --format html',
  '--launch': 'start it with "raymond start --detach"',
  '--list': 'run "raymond list"',
  '--name': 'the title of the terminal cannot be set; --id names the run',
  '--output': 'write the target after the source, as in "raymond convert FOLDER FILE.yaml"',
  '--recover': 'run "raymond list", then "raymond resume RUN"',
  '--resume': 'run "raymond resume RUN", or "raymond answer RUN ASK TEXT"',
  '--root': 'name the folder in workflow_folders of the config',
  '--status': 'run "raymond status RUN"',
  'serve list': 'run "raymond list"',
  '--workdir': 'give each run its folder with --cwd, or working_directory in the manifest',
};

/** What to write instead of the word of the original that Raymond does not know. */
function originalWord({ args }: Command): string | undefined {
  const flags = args.flatMap((word) => [word, word.split('=', 1)[0] ?? word]);
  return [args.slice(0, 2).join(' '), ...flags]
    .map((flag) => (Object.hasOwn(ORIGINAL, flag) ? ORIGINAL[flag] : undefined))
    .find((word) => word);
}

/** Commander writes into the streams of the call, too. */
function outputOf({ stdout, stderr }: Io): OutputConfiguration {
  const widthOf = ({ isTTY, columns }: Io['stderr']): number => (isTTY === true ? (columns ?? 80) : 80);
  return {
    writeOut: (text) => void stdout.write(visible(text)),
    writeErr: (text) => void stderr.write(visible(text)),
    // The error is also thrown, with its code: usageText.
    outputError: () => undefined,
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
}

function isNoCommand({ commands }: Command, word: string): boolean {
  return !/[/.]/.test(word) && !commands.flatMap(namesOfCommand).includes(word);
}

/** Commander's error in our words, with its suggestion on the same line; undefined when it has shown a help instead. */
export function usageText({ code, message }: CommanderError, program: Command): string | undefined {
  if (code === 'commander.help') return undefined;
  const text = message.replace(/^error: /, 'raymond: ').replace('. expected', '; expected');
  const original = originalWord(program);
  const suggestion = original ?? suggestionFor(program);
  // A first word that is not a command was taken for the workflow of `start`.
  const [word = ''] = program.args;
  const isWord = original === undefined && code === 'commander.excessArguments' && isNoCommand(program, word);
  const what = isWord ? `raymond: unknown command "${word}"` : text;
  if (suggestion !== undefined) return `${what.replace(/\.?(\n[^]*)?$/, '')}; ${suggestion}`;
  return isWord
    ? `${what}; raymond --help lists the commands`
    : what.replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
}
