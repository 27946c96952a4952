// Rules about the names in scripts: names that nothing defines, functions that nothing calls, and arguments that no state gets.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern, nearest } from '../../../protocol/text.js';
import { allEdges } from '../../graph.js';
import { NODE_GLOBALS, PYTHON_GLOBALS } from '../../program/names.js';
import { DECLARATIONS, type ShellScript } from '../../shell/shell.js';
import { FILTERS, SILENT } from '../../shell/output.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import { isJudged } from '../passed.js';
import type { Analysis, Rule } from '../rule.js';
import { programCode } from './program-code.js';
import { stdinReaders } from './stdin-readers.js';

/** What may define names that the text does not show. */
const DEFINES = /\bimport\s*\*|\b(?:exec|eval|globals|locals|vars)\s*\(|\bglobalThis\b|\bvm\.|^\s*with\s*\(/m;

function* undefinedNames(state: ScriptState): Generator<Mistake> {
  const { source, file } = state;
  const { program, shell } = source.script;
  if (shell !== undefined) yield* undefinedCommands(shell);
  if (program?.isRead !== true || DEFINES.test(program.text)) return;
  const { defined, used } = program.names;
  yield* requireInModule(state);
  const known = executorOf(file) === 'python' ? PYTHON_GLOBALS : NODE_GLOBALS;
  const isKnown = (name: string): boolean => defined.has(name) || known.has(name) || Object.hasOwn(globalThis, name);
  const seen = new Set<string>();
  for (const { name, at } of used) {
    if (isKnown(name) || seen.has(name)) continue;
    seen.add(name);
    const meant = nearest(
      name,
      [...defined, ...known].filter((one) => one.length > 2),
    );
    yield {
      at,
      message: `${name} is not defined`,
      fix: meant === undefined ? 'define it, or import it' : `did you mean ${meant}?`,
    };
  }
}

/** `require` in a program that is an ES module, because it waits outside of its functions or imports. */
function* requireInModule({ source, file }: ScriptState): Generator<Mistake> {
  const { program } = source.script;
  if (executorOf(file) !== 'node' || program === undefined || program.names.defined.has('require')) return;
  const required = program.names.used.find(({ name }) => name === 'require');
  if (required === undefined || /\btypeof require\b|\bcreateRequire\b/.test(program.text)) return;
  const waits = /^(?=\S)(?:(?!\basync\b|=>|\bfunction\b)[^\n])*?\bawait /m.exec(program.text);
  const imports = /^(?:import\s+[\w*{"']|export\s)/m.exec(program.text);
  if (waits !== null)
    yield {
      at: waits.index + waits[0].length - 'await '.length,
      message: 'an await outside of functions makes this an ES module, in which require is not defined',
      fix: 'write import instead of require',
    };
  else if (imports !== null)
    yield {
      at: required.at,
      message: 'a program with import or export is an ES module, in which require is not defined',
      fix: 'write import instead of require',
    };
}

/** `name = value`, which is a command for bash, and calls of what is nearly a function of the script. */
function* undefinedCommands({ commands, functions, text }: ShellScript): Generator<Mistake> {
  for (const { name, args, at } of commands) {
    if (/^[A-Za-z_]\w*$/.test(name) && /^[-+]?=$/.test(args[0]?.text ?? '') && args.length > 1)
      yield { at, message: `bash runs this as the command ${name}`, fix: `write ${name}=… without blanks` };
    if (name.length < 4 || functions.has(name) || SILENT.has(name) || FILTERS.has(name) || DECLARATIONS.has(name))
      continue;
    const meant = nearest(name, [...functions.keys()]);
    const isOther = new RegExp(`(?:alias|command -v|which|hash)\\s+["']?${literalPattern(name)}\\b`).test(text);
    if (meant !== undefined && !isOther && /^[\w-]+$/.test(name) && meant.length >= 4 && !KNOWN_COMMANDS.has(name))
      yield { at, message: `there is no function ${name}, did you mean ${meant}?`, fix: `write ${meant}` };
  }
}

/** Programs whose names functions often resemble. */
const KNOWN_COMMANDS: ReadonlySet<string> = new Set(
  'echo printf cat tee curl wget claude node python python3 ruby perl java bash docker podman kubectl cargo time date find diff comm join paste file stat timeout xxd base64 sha256sum md5sum column fold open code less more nano seq'.split(
    ' ',
  ),
);

/** Functions that hold the only tags of a program, and that nothing calls. */
function* uncalled({ source }: ScriptState): Generator<Mistake> {
  const { program, shell, flow, printed } = source.script;
  if (shell !== undefined) yield* uncalledInShell(shell, source.raw.text);
  if (program?.isRead !== true || flow?.isComplete !== true || printed.some(({ text }) => /[<\uE000]/.test(text)))
    return;
  if (flow.paths.every(({ status, isOpen }) => isOpen || status === 'false')) return;
  const used = new Set(program.names.used.map(({ name }) => name));
  for (const [name, { at, end }] of program.functions) {
    const text = program.text.slice(at, end);
    const isMethod = /^\s+\S/.test(program.text.slice(program.text.lastIndexOf('\n', at) + 1, at + 1));
    const isDecorated = /^[ \t]*@/m.test(program.text.slice(0, at).split('\n').slice(-2).join('\n'));
    if (!A_TAG.test(text) || isMethod || isDecorated) continue;
    if (!used.has(name) && !/\bexport\b/.test(program.text))
      yield { at, message: `${name} is never called, so its tag is not printed`, fix: `call ${name}()` };
    const dropped = new RegExp(`^${name}\\(\\)\\s*;?\\s*$`, 'm').exec(program.text);
    if (dropped !== null && /\breturn\b[^\n]*</.test(text))
      yield {
        at: dropped.index,
        message: `${name}() returns its tag, but nothing prints it`,
        fix: `print what ${name}() returns`,
      };
  }
}

/** `"$@"` may call any function, and so may a file that is read in. */
const CALLS_ANY = /"\$[@1]"|\beval\b|^\s*(?:\.|source)\s/m;
const A_TAG = /<[a-z-]+[ >/]/;

function* uncalledInShell({ functions, commands }: ShellScript, text: string): Generator<Mistake> {
  if (CALLS_ANY.test(text)) return;
  const called = commands.map(({ name }) => name);
  for (const [name, { pos, end }] of functions) {
    const others = text.slice(0, pos) + text.slice(end);
    if (!A_TAG.test(text.slice(pos, end)) || A_TAG.test(others)) continue;
    // A call by nearly this name is reported where it stands.
    if (nearest(name, called) === undefined && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(others))
      yield { at: pos, message: `${name} is never called, so its tag is not printed`, fix: `call ${name}` };
  }
}

function* noInput(state: ScriptState, isReached: boolean): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = searchableText(state);
  if (shell !== undefined) yield* argumentsOfShell(shell, text);
  // What stands in a text is often the code of another program.
  else yield* argumentsOfProgram(programCode(state));
  // A program that no tag leads to may be one that another script runs.
  if (shell === undefined && isReached) yield* stdinOfProgram(programCode(state), text);
}

/** What a program has that may get no standard input: a test for a terminal or for an empty text, or options. */
const KNOWS_OF_NONE = /isatty|\bisTTY\b|\bargparse\b|\bnot\s+\w|[!=]==?\s*(["'`])\1|\(!\w/;

/** Where a program reads its standard input, without a default. */
function* stdinOfProgram(code: string, text: string): Generator<Mistake> {
  const read =
    /(?<![\w.])(?:sys\.stdin\.(?:buffer\.)?read\w*\(|json\.load\(\s*sys\.stdin\b|list\(\s*sys\.stdin\b|csv\.\w+\(\s*sys\.stdin\b|fileinput\.input\(\s*\)|open\(\s*0\b)|(?<=\bfor [\w, ]{1,60} in (?:enumerate\()?)sys\.stdin\b|\breadFileSync\(\s*(?:0\b|process\.stdin\.fd\b)|(?<![\w.])process\.stdin\.(?:on|read|setEncoding)\(|\binput:\s*process\.stdin\b|(?<=\bof )process\.stdin\b/.exec(
      code,
    ) ?? /\b(?:open|readFileSync)\(\s*["']\/dev\/stdin["']/.exec(text);
  if (read === null || KNOWS_OF_NONE.test(code)) return;
  if (/(?:\bor|\belse|\?\?|\|\||[?:])\s*$/.test(code.slice(0, read.index))) return;
  yield { at: read.index, message: NO_INPUT, fix: READ_INPUT };
}

const GETS_NONE = 'a state gets no arguments';
const READ_INPUT = 'its value is in RAYMOND_INPUT';

function* argumentsOfShell({ variables, functions }: ShellScript, text: string): Generator<Mistake> {
  const ranges = [...functions.values()];
  if (/\bset -(?:- |\w*\s+--)|\$#|\bshift\b|\bgetopts\b|\bBASH_ARG/.test(text)) return;
  for (const { name, at, guarded } of variables)
    if (/^[1-9]$/.test(name) && !guarded && !isIn(ranges, at)) {
      yield { at, message: `${GETS_NONE}, so $${name} is empty`, fix: READ_INPUT };
      return;
    }
}

function isIn(ranges: readonly { readonly pos: number; readonly end: number }[], at: number): boolean {
  return ranges.some(({ pos, end }) => at >= pos && at < end);
}

const NO_INPUT = 'the standard input of a state is empty';
const ASK = `${READ_INPUT}; <ask next="STATE"> asks a person`;

function* argumentsOfProgram(text: string): Generator<Mistake> {
  if (!/\blen\(sys\.argv\)|IndexError|\bargv\.length|sys\.argv\s*=|except\b/.test(text)) {
    const read = /(?<!["'#\w])(?:sys\.argv\[[1-9]\]|process\.argv\[[2-9]\](?!\s*(?:\?\?|\|\||\?|&&)))/.exec(text);
    if (read !== null) yield { at: read.index, message: GETS_NONE, fix: READ_INPUT };
  }
  const asked = /(?<![\w.])input\(\s*(?:[fr]?["'][^"'\n]*["'])?\s*\)/.exec(text);
  if (asked !== null && /^\s*(?:import|from|def|print)\b/m.test(text) && !/\bdef input\b|EOFError/.test(text))
    yield {
      at: asked.index,
      message: NO_INPUT,
      fix: ASK,
    };
}

/** Filters that read the standard input. */
function* emptyReads({ source }: ScriptState): Generator<Mistake> {
  const { shell } = source.script;
  const [first] = shell === undefined ? [] : stdinReaders(shell);
  if (first !== undefined)
    yield {
      at: first.at,
      message: `${first.name} reads the standard input, but ${NO_INPUT}`,
      fix: READ_INPUT,
    };
}

/** A judge gets no value; another rule says where its reply is. */
function isJudge({ graph }: Analysis, { file }: ScriptState): boolean {
  return allEdges(graph).some(({ to, mention }) => to.kind === 'state' && to.file === file && isJudged(mention));
}

/** Rules about names, functions and arguments. */
export const NAME_RULES: readonly Rule[] = [
  {
    id: 'undefined-name',
    severity: 'warning',
    summary: 'A script uses a variable or calls a function that nothing defines.',
    why: 'The rule reports three mistakes: in Python and JavaScript, a name that is not defined, imported or built in; in bash, a call with a misspelt function name, and an assignment with blanks around its =.',
    check: (analysis) => mistakesOf(analysis, undefinedNames),
  },
  {
    id: 'uncalled-function',
    severity: 'warning',
    summary: 'The only tag of a script is in a function that nothing calls, or in a return value that nothing prints.',
    why: 'The program ends without a tag, and its agent fails. A function that returns its tag needs a print around its call.',
    check: (analysis) => mistakesOf(analysis, uncalled),
  },
  {
    id: 'no-arguments',
    severity: 'warning',
    summary: 'A script reads command-line arguments or standard input, which are always empty for a state.',
    why: 'The value of a state is in RAYMOND_INPUT and in the file RAYMOND_INPUT_FILE. Arguments are empty, and the standard input has no content.',
    check: (analysis) =>
      mistakesOf(analysis, (state) => [
        ...noInput(state, analysis.reached.has(state.file)),
        ...(isJudge(analysis, state) ? [] : emptyReads(state)),
      ]),
  },
];
