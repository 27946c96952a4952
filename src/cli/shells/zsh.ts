// The completion script for zsh: one function with a table of the commands; source it, or put it on fpath as
// `_raymond`.
import {
  callFor,
  filledFlags,
  namesOf,
  pathsOf,
  quoted,
  type CommandPath,
  type CommandWords,
  type ShellCalls,
} from './words.js';

const CALLS: ShellCalls = {
  runs: '_raymond_runs',
  files: '_files',
  choices: (choices) => `compadd ${choices.join(' ')}`,
};

/** The script. */
export function zshScript(commands: readonly CommandWords[]): string {
  const paths = pathsOf(commands);
  return [
    '#compdef raymond ray',
    '# Completion of raymond for zsh. Load it after compinit with: source <(raymond completion zsh)',
    '_raymond_runs() {',
    '  local -a runs',
    '  runs=(${(f)"$("${words[1]}" __complete runs 2>/dev/null)"})',
    '  compadd -a runs',
    '}',
    '_raymond() {',
    "  local command=${words[2]} previous=${words[CURRENT-1]} valued='' values='' at",
    '  integer first=3 place=0',
    '  local -a flags found',
    '  if ((CURRENT == 2)); then',
    `    found=(${described(commands)})`,
    "    _describe 'command' found || _files",
    '    return',
    '  fi',
    ...paths.flatMap(groupLines),
    '  case $command in',
    ...paths.map(({ path, command }) => `    (${quoted(path)}) ${fieldsOf(command)} ;;`),
    // `raymond WORKFLOW` is a start.
    ...paths.filter(({ path }) => path === 'start').map(({ command }) => `    (*) ${fieldsOf(command)} ;;`),
    '  esac',
    '  case "$command $previous" in',
    ...paths.flatMap(flagLines),
    '  esac',
    '  if [[ " $valued " == *" $previous "* ]]; then return 1; fi',
    "  if [[ ${words[CURRENT]} == -* ]]; then _describe -o 'option' flags; return; fi",
    '  for ((at = first; at < CURRENT; at++)); do',
    '    if [[ " $valued " == *" ${words[at]} "* ]]; then ((at++))',
    '    elif [[ ${words[at]} != -* ]]; then ((place++)); fi',
    '  done',
    '  if ((place == 0)) && [[ -n $values ]]; then eval "$values"; fi',
    '}',
    'if [[ $funcstack[1] == _raymond ]]; then _raymond "$@"; else compdef _raymond raymond ray; fi',
    '',
  ].join('\n');
}

/** In `server status` the second word belongs to the name. */
function groupLines({ path, command: { below } }: CommandPath): readonly string[] {
  if (below.length === 0) return [];
  return [
    `  if [[ $command == ${path} ]]; then`,
    `    if ((CURRENT == 3)); then found=(${described(below)}); _describe 'command' found; return; fi`,
    `    command="${path} \${words[3]}" first=4`,
    '  fi',
  ];
}

function fieldsOf({ flags, values }: CommandWords): string {
  const valued = namesOf(flags.filter((flag) => flag.values !== undefined));
  return `flags=(${described(flags)}) valued=${valued} values=${quoted(callFor(values, CALLS) ?? '')}`;
}

/** `name:what it is`, where only the first colon divides. */
function described(words: readonly { readonly name: string; readonly says: string }[]): string {
  return words.map(({ name, says }) => quoted(`${name}:${says.replaceAll(':', '\\:')}`)).join(' ');
}

function flagLines(each: CommandPath): readonly string[] {
  return filledFlags(each, CALLS).map(({ flag, call }) => `    (${quoted(flag)}) ${call}; return ;;`);
}
