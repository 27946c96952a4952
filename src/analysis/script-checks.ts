// Checks scripts with bash (syntax) and shellcheck (everything else). Scripts are not run: bash only parses them (`-n`). A few processes check
// all scripts in batches, because one process per script would dominate the time; only a script with an error is parsed again alone, which
// gives the line.
import { execFile, type ExecFileException } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { findOnPath } from '../host/files.js';
import { executorOf } from '../protocol/language/resolve.js';
import type { Graph, StateNode } from './graph.js';
import type { ScriptRemark } from './lint/rule.js';

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

type ScriptState = StateNode & { readonly source: Extract<StateNode['source'], { readonly kind: 'script' }> };

function bashStates(states: readonly StateNode[]): readonly ScriptState[] {
  return states.filter(
    (state): state is ScriptState => state.source.kind === 'script' && executorOf(state.file) === 'bash',
  );
}

/** The syntax errors of these states by file; empty if bash is not installed. */
export async function syntaxOf(states: readonly StateNode[], path?: string): Promise<Remarks> {
  const scripts = bashStates(states);
  const bash = findOnPath('bash', path === undefined ? {} : { path });
  if (scripts.length === 0 || bash === undefined) return new Map();
  const unreadable = await Promise.all(batches(scripts).map((batch) => unreadableIn(batch, bash)));
  const scriptsWithErrors = unreadable.flat();
  const remarks = await Promise.all(
    scriptsWithErrors.map(async (state) => {
      const { stderr } = await runChecker({ program: bash, args: SYNTAX_CHECK, stdin: state.source.raw.text });
      return [state.file, remarksOf(state, stderr)] as const;
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
  const stdin = scripts.map(({ source }) => `${source.raw.text.replaceAll('\0', '')}\0`).join('');
  const { stdout } = await runChecker({
    program: bash,
    args: ['--norc', '-O', 'extglob', '-c', BATCH_SYNTAX_CHECK],
    stdin,
  });
  return stdout.split('\n').flatMap((number) => (number === '' ? [] : (scripts[Number(number)] ?? [])));
}

/** The first error that bash reports. */
function remarksOf({ source }: ScriptState, stderr: string): readonly ScriptRemark[] {
  const [, line, message] = /^.*?line (\d+): (?!warning:)(.*)$/m.exec(stderr) ?? [];
  if (line === undefined || message === undefined) return [];
  const lastLine = source.raw.text.replace(/\n$/, '').split('\n').length;
  return [{ at: source.raw.atLine(Math.min(Number(line), lastLine)), message }];
}

interface CheckerOutput {
  readonly stdout: string;
  readonly stderr: string;
}

function runChecker({
  program,
  args,
  stdin,
}: {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
}): Promise<CheckerOutput> {
  return new Promise((resolve) => {
    const options = { maxBuffer: MAX_REPORT_BYTES, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
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
