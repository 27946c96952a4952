// Checks scripts with bash (syntax) and shellcheck (everything else). Scripts are not run: bash only parses them (`-n`). A few processes check
// all scripts in batches, because one process per script would dominate the time; only a script with an error is parsed again alone, which
// gives the line.
import { execFile, type ExecFileException } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { compileFunction } from 'node:vm';
import { findOnPath } from '../../host/files.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { Graph, StateNode } from '../graph.js';
import type { ScriptRemark } from '../lint/rule.js';

type Remarks = ReadonlyMap<string, readonly ScriptRemark[]>;

/** Reads NUL-terminated scripts from stdin, and prints the indexes of those with syntax errors. */
const BATCH_SYNTAX_CHECK = [
  'number=0',
  "while IFS= read -r -d '' script; do",
  // In a subshell, because after `set -n` this shell would not execute anything either.
  '  (eval "set -n',
  '$script") 2>/dev/null || echo "$number"',
  '  number=$((number + 1))',
  'done',
].join('\n');

/** bash reports line numbers only for a named file. Node's stdin is a socket, which cannot be opened by name, so `cat` turns it into a pipe. */
const SYNTAX_CHECK = ['--norc', '-c', 'cat | bash -O extglob -n /dev/stdin'];

const MAX_REPORT_BYTES = 16 * 1024 ** 2;
/** The slowest checker takes seconds for the largest script. */
const CHECK_MS = 60_000;

type ScriptState = StateNode & { readonly source: Extract<StateNode['source'], { readonly kind: 'script' }> };

function bashStates(states: readonly StateNode[]): readonly ScriptState[] {
  return statesOf(states, 'bash');
}

function statesOf(states: readonly StateNode[], executor: 'bash' | 'python' | 'node'): readonly ScriptState[] {
  return states.filter(
    (state): state is ScriptState => state.source.kind === 'script' && executorOf(state.file) === executor,
  );
}

/** The syntax errors of these states by file, as far as their interpreters are installed. */
export async function syntaxOf(states: readonly StateNode[], path?: string): Promise<Remarks> {
  const found = await Promise.all([bashSyntax(states, path), pythonSyntax(states, path), nodeSyntax(states, path)]);
  return new Map(found.flatMap((remarks) => [...remarks]));
}

/** Compiles programs from stdin, a JSON list, and prints [index, line, message] of each with an error. */
const PYTHON_CHECK = [
  'import json, sys',
  'for index, text in enumerate(json.load(sys.stdin)):',
  '    try: compile(text, "state", "exec", dont_inherit=True)',
  '    except SyntaxError as error: print(json.dumps([index, error.lineno or 1, error.msg]))',
  '    except Exception: pass',
].join('\n');

async function pythonSyntax(states: readonly StateNode[], path?: string): Promise<Remarks> {
  const scripts = statesOf(states, 'python');
  const program = findOnPath('python3', path === undefined ? {} : { path });
  if (scripts.length === 0 || program === undefined) return new Map();
  const stdin = JSON.stringify(scripts.map(({ source }) => source.raw.text));
  const { stdout } = await runChecker({ program, args: ['-W', 'ignore', '-c', PYTHON_CHECK], stdin, path });
  return new Map(
    stdout.split('\n').flatMap((line) => {
      const [index, number, message] = (line === '' ? [] : JSON.parse(line)) as [number?, number?, string?];
      const state = index === undefined ? undefined : scripts[index];
      if (state === undefined || number === undefined || message === undefined) return [];
      return [[state.file, [{ at: state.source.raw.atLine(number), message }]] as const];
    }),
  );
}

/** Types are no JavaScript: they are checked when the script runs. */
async function nodeSyntax(states: readonly StateNode[], path?: string): Promise<Remarks> {
  const scripts = statesOf(states, 'node').filter(({ file }) => !/\.ts$/i.test(file));
  const program = findOnPath('node', path === undefined ? {} : { path });
  if (program === undefined) return new Map();
  const remarks = new Map<string, readonly ScriptRemark[]>();
  const isOwn = realpathSync(program) === realpathSync(process.execPath);
  for (const state of scripts) {
    const stdin = state.source.raw.text;
    if (isOwn && isCommonJs(stdin)) continue;
    const check = (...args: readonly string[]): Promise<CheckerOutput> =>
      runChecker({ program, args: [...args, '--check', '-'], stdin, path });
    // Whether it is a module is decided where it runs: it is wrong when it is neither.
    const asScript = nodeRemarks(state, (await check('--input-type=commonjs')).stderr);
    if (asScript.length === 0) continue;
    const asModule = nodeRemarks(state, (await check('--input-type=module')).stderr);
    if (asModule.length > 0) remarks.set(state.file, asModule);
  }
  return remarks;
}

/** What Node passes to a module. */
const MODULE_NAMES = ['exports', 'require', 'module', '__filename', '__dirname'];

/** Parses a program with the Node that runs this code: no process, which takes longer than all else. */
function isCommonJs(text: string): boolean {
  try {
    compileFunction(text, MODULE_NAMES);
    return true;
  } catch {
    return false;
  }
}

/** The error that node reports: the line of the program, then what is wrong. */
function nodeRemarks({ source }: ScriptState, stderr: string): readonly ScriptRemark[] {
  const [, line] = /^\[stdin\]:(\d+)$/m.exec(stderr) ?? [];
  const [, message] = /^SyntaxError: (.*)$/m.exec(stderr) ?? [];
  return line === undefined || message === undefined ? [] : [{ at: source.raw.atLine(Number(line)), message }];
}

async function bashSyntax(states: readonly StateNode[], path?: string): Promise<Remarks> {
  const scripts = bashStates(states);
  const bash = findOnPath('bash', path === undefined ? {} : { path });
  if (scripts.length === 0 || bash === undefined) return new Map();
  const unreadable = await Promise.all(batches(scripts).map((batch) => unreadableIn(batch, bash)));
  const scriptsWithErrors = unreadable.flat();
  const remarks = await Promise.all(
    scriptsWithErrors.map(async (state) => {
      const { stderr } = await runChecker({ program: bash, args: SYNTAX_CHECK, stdin: state.source.raw.text });
      const open = /: syntax error: unexpected end of file/.test(stderr) ? await openLine(state, bash) : undefined;
      return [state.file, remarksOf(state, { stderr, open })] as const;
    }),
  );
  return new Map(remarks);
}

/** A batch with fewer scripts is not worth its own process. */
const MIN_SCRIPTS_PER_PROCESS = 32;

/** Splits the scripts into batches that are checked in parallel. */
function batches(scripts: readonly ScriptState[]): readonly (readonly ScriptState[])[] {
  const count = Math.min(2 * availableParallelism(), Math.ceil(scripts.length / MIN_SCRIPTS_PER_PROCESS));
  return Array.from({ length: count }, (_none, part) => scripts.filter((_script, index) => index % count === part));
}

async function unreadableIn(scripts: readonly ScriptState[], bash: string): Promise<readonly ScriptState[]> {
  const indexes = await unreadableTexts(
    scripts.map(({ source }) => source.raw.text),
    bash,
  );
  return indexes.flatMap((index) => scripts[index] ?? []);
}

/** A longer script is not searched: every line is one more text to parse. */
const MAX_SEARCHED_LINES = 400;

/** The line of the command that is never closed: bash can read what stands before it, and nothing longer. */
async function openLine({ source }: ScriptState, bash: string): Promise<number | undefined> {
  const lines = source.raw.text.split('\n');
  if (lines.length > MAX_SEARCHED_LINES) return undefined;
  const beginnings = lines.map((_line, index) => `${lines.slice(0, index).join('\n')}\n`);
  const unreadable = new Set(await unreadableTexts(beginnings, bash));
  const readable = beginnings.findLastIndex((_text, index) => !unreadable.has(index));
  return 1 + lines.findIndex((line, index) => index >= readable && !/^\s*(?:#|$)/.test(line));
}

async function unreadableTexts(texts: readonly string[], bash: string): Promise<readonly number[]> {
  const stdin = texts.map((text) => `${text.replaceAll('\0', '')}\0`).join('');
  const { stdout } = await runChecker({
    program: bash,
    args: ['--norc', '-O', 'extglob', '-c', BATCH_SYNTAX_CHECK],
    stdin,
  });
  return stdout.split('\n').flatMap((number) => (number === '' ? [] : [Number(number)]));
}

/** The first error that bash reports. */
function remarksOf(
  { source }: ScriptState,
  { stderr, open }: { readonly stderr: string; readonly open: number | undefined },
): readonly ScriptRemark[] {
  const document = openDocument(source.raw.text, stderr);
  if (document !== undefined) return [{ at: source.raw.atLine(document.line), message: document.message }];
  if (open !== undefined)
    return [{ at: source.raw.atLine(open), message: 'the command that begins here is not closed' }];
  const [, line, message] = /^.*?line (\d+): (?!warning:)(?:syntax error: )?(.*)$/m.exec(stderr) ?? [];
  if (line === undefined || message === undefined) return [];
  const lastLine = source.raw.text.replace(/\n$/, '').split('\n').length;
  return [{ at: source.raw.atLine(Math.min(Number(line), lastLine)), message }];
}

/** The here-document that ends only with the script, of which bash warns: at the line that was meant to end it. */
function openDocument(text: string, stderr: string): { readonly line: number; readonly message: string } | undefined {
  const [, from, name] = /here-document at line (\d+) delimited by end-of-file \(wanted `(.*)'\)/.exec(stderr) ?? [];
  if (from === undefined || name === undefined) return undefined;
  const index = text.split('\n').findIndex((line, at) => at >= Number(from) && line.trim() === name);
  return index < 0
    ? { line: Number(from), message: `this here-document has no closing line ${name}` }
    : { line: index + 1, message: `this line has blanks around ${name}, so it does not end the here-document` };
}

interface CheckerOutput {
  readonly stdout: string;
  readonly stderr: string;
}

function runChecker({
  program,
  args,
  stdin,
  path = '/usr/bin:/bin',
}: {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
  /** For an interpreter that is found through another program. */
  readonly path?: string | undefined;
}): Promise<CheckerOutput> {
  return new Promise((resolve) => {
    const options = { timeout: CHECK_MS, maxBuffer: MAX_REPORT_BYTES, env: { PATH: path, LC_ALL: 'C' } };
    // The output counts, not the exit code.
    const done = (_error: ExecFileException | null, stdout: string, stderr: string): void =>
      resolve({ stdout, stderr });
    const child = execFile(program, args, options, done);
    child.stdin?.on('error', () => undefined); // it exited early; its output is still valid
    child.stdin?.end(stdin);
  });
}

/** The remarks of shellcheck by file; empty if it is not installed. */
export async function shellcheckOf({ states }: Graph, path?: string): Promise<Remarks> {
  const shellcheck = findOnPath('shellcheck', path === undefined ? {} : { path });
  const scripts = bashStates([...states.values()]);
  if (shellcheck === undefined) return new Map();
  const remarks = new Map<string, readonly ScriptRemark[]>();
  const pending = scripts.values();
  // A pool: starting one process per script at once would be too many.
  const checkPending = async (): Promise<void> => {
    for (const state of pending) {
      const args = ['--format=json1', '--shell=bash', '-'];
      const { stdout } = await runChecker({ program: shellcheck, args, stdin: state.source.raw.text });
      remarks.set(state.file, shellcheckRemarks(stdout, state));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, checkPending));
  return remarks;
}

function shellcheckRemarks(stdout: string, { source }: ScriptState): readonly ScriptRemark[] {
  try {
    const { comments = [] } = JSON.parse(stdout) as { readonly comments?: readonly ShellcheckComment[] };
    return comments.map(({ line, column, code, message }) => ({
      at: source.raw.atLine(line, column),
      message,
      code: `sc-${code}`,
    }));
  } catch {
    return []; // a shellcheck without json1
  }
}

interface ShellcheckComment {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}
