// The order of `--help`: commands and flags in groups, everyday ones first and connection flags last.
import { Help, type Command, type Option } from 'commander';
import { nearest } from '../../protocol/text.js';

/** The groups of commands, and the order of both. */
const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Run:': ['start', 'list', 'status', 'watch', 'logs', 'result'],
  'Answer and steer:': ['answer', 'pause', 'resume', 'retry', 'goto', 'tell', 'cancel', 'budget', 'fork'],
  'Write:': ['init', 'lint', 'test', 'diagram', 'convert', 'skill', 'package'],
  'Look inside:': ['history', 'transcript', 'session', 'costs', 'decode', 'doctor'],
  'Fleet and schedules:': ['fleet', 'schedule'],
  'Project:': ['up', 'down', 'ps', 'service', 'server', 'serve', 'mcp', 'config', 'gc', 'completion', 'help'],
};

/** The groups of flags; those of a command without a group come first. */
const FLAG_GROUPS = {
  turns: 'Turns:',
  limits: 'Limits:',
  workspaces: 'Workspaces:',
  package: 'Package:',
  output: 'Output:',
  following: 'Following the run:',
  telemetry: 'Telemetry:',
  connection: 'Connection:',
} as const;

const HEADINGS: readonly string[] = ['Options:', ...Object.values(FLAG_GROUPS), ...Object.keys(COMMAND_GROUPS)];
const COMMANDS: readonly string[] = Object.values(COMMAND_GROUPS).flat();

/** Puts the commands of the program into their groups. */
export function groupCommands(program: Command): void {
  for (const [heading, names] of Object.entries(COMMAND_GROUPS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
}

/** All names of a command. */
export function namesOfCommand(command: Command): readonly string[] {
  return [command.name(), ...command.aliases()];
}

/** Adds flags that are shown under one heading. */
export function inGroup(
  command: Command,
  group: keyof typeof FLAG_GROUPS,
  add: (command: Command) => Command,
): Command {
  const before = command.optionsGroup();
  return add(command.optionsGroup(FLAG_GROUPS[group])).optionsGroup(before);
}

const ANSWER = '[ask] <text>';

/** The words of an answer, as the usage of `answer` has them. */
export const argumentTerm: Help['argumentTerm'] = (argument) =>
  argument.name() === 'words' ? ANSWER : argument.name();

/** A command in a list of commands. */
export const subcommandTerm: Help['subcommandTerm'] = (command) =>
  new Help().subcommandTerm(command).replace('<words...>', ANSWER);

/** Orders groups, and the commands within one; Commander's own order is that of their first appearance. */
export const groupItems: Help['groupItems'] = <T extends Command | Option>(
  _all: readonly T[],
  visible: readonly T[],
  groupOf: (item: T) => string,
): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  const ranked = [...visible].sort((a, b) => headingRank(groupOf(a)) - headingRank(groupOf(b)) || rank(a) - rank(b));
  for (const item of ranked) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
  return groups;
};

function headingRank(heading: string): number {
  const index = HEADINGS.indexOf(heading);
  return index === -1 ? HEADINGS.length : index;
}

/** Flags, and the commands below another, keep the order in which they were added. */
function rank(item: Command | Option): number {
  const name = item.name();
  return 'flags' in item || !COMMANDS.includes(name) ? 0 : COMMANDS.indexOf(name);
}

const MOST_SUGGESTIONS = 3;
const MIN_BEGINNING = 3;

/**
 * `raymond lst` starts the workflow `lst`. When that fails, this suggests the commands that the user probably meant:
 * those that begin with the word, and the one that is spelt most like it.
 */
export function suggestionFor({ args: [word], commands }: Command): string | undefined {
  const names = commands.flatMap(namesOfCommand);
  if (word === undefined || names.includes(word)) return undefined;
  const longer = word.length < MIN_BEGINNING ? [] : names.filter((name) => name.startsWith(word));
  const meant = [...new Set([...longer, nearest(word, names) ?? []].flat())].slice(0, MOST_SUGGESTIONS);
  return meant.length === 0 ? undefined : `did you mean ${meant.map((name) => `"raymond ${name}"`).join(' or ')}?`;
}
