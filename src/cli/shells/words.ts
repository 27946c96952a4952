// The words of the command line for shell completion, read from the command definitions, so that none is missing.
import type { Argument, Command, Option } from 'commander';
import { assertNever } from '../../protocol/failure.js';
import { namesOfCommand } from '../program/groups.js';

/** The kinds of values of an argument or flag. */
export type Values =
  | { readonly kind: 'runs' }
  | { readonly kind: 'files' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'unknown' };

/** A flag; `values` is absent when it takes none. */
interface FlagWords {
  readonly name: string;
  readonly says: string;
  readonly values?: Values;
}

/** A command under one of its names: the values of its first argument, its flags, its subcommands. */
export interface CommandWords {
  readonly name: string;
  readonly says: string;
  readonly values: Values;
  readonly flags: readonly FlagWords[];
  readonly below: readonly CommandWords[];
}

/** The visible commands of a program, each under all of its names. */
export function wordsOf(program: Command): readonly CommandWords[] {
  const shown = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => program.commands.includes(command));
  return shown.flatMap((command) => namesOfCommand(command).map((name) => describe(command, name)));
}

function describe(command: Command, name: string): CommandWords {
  const [first] = command.registeredArguments;
  return {
    name,
    says: command.description(),
    values: first === undefined ? { kind: 'unknown' } : valuesOf(first),
    flags: [...command.options.flatMap(flagOf), { name: '--help', says: 'show help' }],
    below: wordsOf(command),
  };
}

function flagOf(option: Option): readonly FlagWords[] {
  if (option.long === undefined || option.hidden) return [];
  const flag = { name: option.long, says: option.description };
  return [option.required || option.optional ? { ...flag, values: valuesOf(option) } : flag];
}

const FILES = ['workflow', 'dir'];

function valuesOf(atPosition: Argument | Option): Values {
  if (atPosition.argChoices !== undefined) return { kind: 'choices', choices: atPosition.argChoices };
  const name = 'flags' in atPosition ? /<(.*)>/.exec(atPosition.flags)?.[1] : atPosition.name();
  if (name === 'run') return 'flags' in atPosition ? { kind: 'unknown' } : { kind: 'runs' };
  return name !== undefined && FILES.includes(name) ? { kind: 'files' } : { kind: 'unknown' };
}

/** A command with the words that lead to it, and its subcommands likewise. */
export interface CommandPath {
  readonly path: string;
  readonly command: CommandWords;
}

/** All commands, including subcommands. */
export function pathsOf(commands: readonly CommandWords[], above = ''): readonly CommandPath[] {
  return commands.flatMap((command) => {
    const path = `${above}${command.name}`;
    return [{ path, command }, ...pathsOf(command.below, `${path} `)];
  });
}

/** How a shell completes values. */
export interface ShellCalls {
  readonly runs: string;
  readonly files: string;
  readonly choices: (choices: readonly string[]) => string;
}

/** The shell call that completes such values; undefined when they are unknown. */
export function callFor(values: Values, calls: ShellCalls): string | undefined {
  switch (values.kind) {
    case 'runs':
    case 'files':
      return calls[values.kind];
    case 'choices':
      return calls.choices(values.choices);
    case 'unknown':
      return undefined;
    default:
      return assertNever(values);
  }
}

/** The flags of a command with completable values, such as `start --model`, and their shell calls. */
export function filledFlags(
  { path, command: { flags } }: CommandPath,
  calls: ShellCalls,
): readonly { readonly flag: string; readonly call: string }[] {
  return flags.flatMap(({ name, values }) => {
    const call = values === undefined ? undefined : callFor(values, calls);
    return call === undefined ? [] : [{ flag: `${path} ${name}`, call }];
  });
}

/** As one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The names, as one word of a shell. */
export function namesOf(named: readonly { readonly name: string }[]): string {
  return quoted(named.map(({ name }) => name).join(' '));
}
