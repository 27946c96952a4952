// The completion script for bash 3.2 (macOS) and later: one function with a table of the commands.
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
  files: '_raymond_files',
  choices: (choices) => `_raymond_words ${quoted(choices.join(' '))}`,
};

/** The script. */
export function bashScript(commands: readonly CommandWords[]): string {
  const paths = pathsOf(commands);
  return [
    '# Completion of raymond for bash. Load it with: source <(raymond completion bash)',
    '_raymond_words() { COMPREPLY=($(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")); }',
    '_raymond_files() {',
    "  local IFS=$'\\n'",
    '  COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))',
    '  compopt -o filenames 2>/dev/null',
    '}',
    '_raymond_runs() { _raymond_words "$("${COMP_WORDS[0]}" __complete runs 2>/dev/null)"; }',
    '_raymond() {',
    '  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}',
    "  local first=2 place=0 flags='' valued='' values='' at",
    '  COMPREPLY=()',
    '  if ((COMP_CWORD == 1)); then',
    `    if [[ $word == -* ]]; then _raymond_words '--help --version'; else _raymond_words ${namesOf(commands)}; fi`,
    '    if ((${#COMPREPLY[@]} == 0)); then _raymond_files; fi',
    '    return',
    '  fi',
    ...paths.flatMap(groupLines),
    '  case $command in',
    ...paths.map(rowOf),
    // `raymond WORKFLOW` is a start.
    ...paths.filter(({ path }) => path === 'start').map(({ command }) => `    *) ${fieldsOf(command)} ;;`),
    '  esac',
    '  case "$command $previous" in',
    ...paths.flatMap(flagLines),
    '  esac',
    '  if [[ " $valued " == *" $previous "* ]]; then return; fi',
    '  if [[ $word == -* ]]; then _raymond_words "$flags"; return; fi',
    '  for ((at = first; at < COMP_CWORD; at++)); do',
    '    if [[ " $valued " == *" ${COMP_WORDS[at]} "* ]]; then ((at++))',
    '    elif [[ ${COMP_WORDS[at]} != -* ]]; then ((place++)); fi',
    '  done',
    '  if ((place == 0)) && [[ -n $values ]]; then eval "$values"; fi',
    '}',
    'complete -F _raymond raymond ray',
    '',
  ].join('\n');
}

/** In `server status` the second word belongs to the name. */
function groupLines({ path, command: { below } }: CommandPath): readonly string[] {
  if (below.length === 0) return [];
  return [
    `  if [[ $command == ${path} ]]; then`,
    `    if ((COMP_CWORD == 2)); then _raymond_words ${namesOf(below)}; return; fi`,
    `    command="${path} \${COMP_WORDS[2]}" first=3`,
    '  fi',
  ];
}

function rowOf({ path, command }: CommandPath): string {
  return `    ${quoted(path)}) ${fieldsOf(command)} ;;`;
}

function fieldsOf({ flags, values }: CommandWords): string {
  const valued = flags.filter((flag) => flag.values !== undefined);
  return `flags=${namesOf(flags)} valued=${namesOf(valued)} values=${quoted(callFor(values, CALLS) ?? '')}`;
}

function flagLines(each: CommandPath): readonly string[] {
  return filledFlags(each, CALLS).map(({ flag, call }) => `    ${quoted(flag)}) ${call}; return ;;`);
}
