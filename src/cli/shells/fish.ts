// The completion script for fish: a line per command and flag.
import { callFor, namesOf, pathsOf, type CommandPath, type CommandWords, type ShellCalls } from './words.js';

const CALLS: ShellCalls = {
  runs: "-k -a '(raymond __complete runs 2>/dev/null)'",
  files: '-F',
  choices: (choices) => `-a ${namesOf(choices.map((name) => ({ name })))}`,
};

/** The script. */
export function fishScript(commands: readonly CommandWords[]): string {
  return [
    '# Completion of raymond for fish. Load it with: raymond completion fish | source',
    'function __raymond_in',
    '    set -l words (commandline -opc)',
    '    set -e words[1]',
    '    set -l length (count $argv)',
    '    test (count $words) -ge $length; and test "$words[1..$length]" = "$argv"',
    'end',
    'function __raymond_at',
    '    set -l words (commandline -opc)',
    '    set -e words[1]',
    '    test "$words" = "$argv"',
    'end',
    'complete -c ray -w raymond',
    'complete -c raymond -f',
    "complete -c raymond -n __raymond_at -l help -d 'show help'",
    "complete -c raymond -n __raymond_at -l version -d 'show the version'",
    'complete -c raymond -n __raymond_at -F',
    ...commands.map(({ name, says }) => `complete -c raymond -n __raymond_at -a ${name} -d ${quoted(says)}`),
    ...pathsOf(commands).flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ path, command: { flags, values, below } }: CommandPath): readonly string[] {
  const at = `complete -c raymond -n ${quoted(`__raymond_at ${path}`)}`;
  const within = `complete -c raymond -n ${quoted(`__raymond_in ${path}`)}`;
  const argument = callFor(values, CALLS);
  return [
    ...below.map(({ name, says }) => `${at} -a ${name} -d ${quoted(says)}`),
    ...(argument === undefined ? [] : [`${at} ${argument}`]),
    ...flags.map(({ name, says, values: taken }) => {
      const value = taken === undefined ? '' : ` ${callFor(taken, CALLS)?.replace(/^-a/, '-x -a') ?? '-x'}`;
      return `${within} -l ${name.replace(/^--/, '')}${value.replace('-F', '-r -F')} -d ${quoted(says)}`;
    }),
  ];
}

/** Fish has escapes inside single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
