// What other programs say of scripts: bash of their syntax, shellcheck of the rest. Nothing of a script is run: bash reads it with `-n` in
// force. A few processes look at all scripts, because starting one for each would take longer than everything else; those in which they find
// something get one of their own, which names the line.
import { execFile, type ExecFileException } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { findOnPath } from '../host/files.js';
import { executorOf } from '../protocol/language/resolve.js';
import type { Graph, StateNode } from './graph.js';
import type { ScriptRemark } from './lint/rule.js';

type Remarks = ReadonlyMap<string, readonly ScriptRemark[]>;

/** Reads scripts from stdin, each ended by a NUL, and prints the numbers of those that it cannot read. */
const CHECKER = [
  'number=0',
  "while IFS= read -r -d '' script; do",
  // In a subshell, because from the first line on nothing is carried out any more.
  '  (eval "set -n',
  '$script") 2>/dev/null || echo "$number"',
  '  number=$((number + 1))',
  'done',
].join('\n');

/** With a name for what it reads bash says the line; what Node gives as stdin is a socket, which cannot be opened by name. */
const ONE = ['--norc', '-c', 'cat | bash -n /dev/stdin'];

const MAX_REPORT_BYTES = 16 * 1024 ** 2;

type ScriptState = StateNode & { readonly source: Extract<StateNode['source'], { readonly kind: 'script' }> };

function bashStates(states: readonly StateNode[]): readonly ScriptState[] {
  return states.filter(
    (state): state is ScriptState => state.source.kind === 'script' && executorOf(state.file) === 'bash',
  );
}

/** What bash cannot read in these states, by their files; nothing where there is no bash. */
export async function syntaxOf(states: readonly StateNode[], path?: string): Promise<Remarks> {
  const scripts = bashStates(states);
  const bash = findOnPath('bash', path === undefined ? {} : { path });
  if (scripts.length === 0 || bash === undefined) return new Map();
  const checked = await Promise.all(shares(scripts).map((share) => unreadableIn(share, bash)));
  const wrong = checked.flat();
  const found = await Promise.all(
    wrong.map(async (state) => {
      const { stderr } = await output({ program: bash, args: ONE, stdin: state.source.raw.text });
      return [state.file, remarksOf(state, stderr)] as const;
    }),
  );
  return new Map(found);
}

/** So many scripts at least are worth a process of their own. */
const SHARE = 32;

/** The scripts in as many parts as are looked at side by side. */
function shares(scripts: readonly ScriptState[]): readonly (readonly ScriptState[])[] {
  const count = Math.min(2 * availableParallelism(), Math.ceil(scripts.length / SHARE));
  return Array.from({ length: count }, (_none, part) => scripts.filter((_script, index) => index % count === part));
}

async function unreadableIn(scripts: readonly ScriptState[], bash: string): Promise<readonly ScriptState[]> {
  const stdin = scripts.map(({ source }) => `${source.raw.text.replaceAll('\0', '')}\0`).join('');
  const { stdout } = await output({ program: bash, args: ['--norc', '-c', CHECKER], stdin });
  return stdout.split('\n').flatMap((number) => (number === '' ? [] : (scripts[Number(number)] ?? [])));
}

/** The first thing that bash says. */
function remarksOf({ source }: ScriptState, report: string): readonly ScriptRemark[] {
  const [, line, message] = /^.*?line (\d+): (?!warning:)(.*)$/m.exec(report) ?? [];
  if (line === undefined || message === undefined) return [];
  const last = source.raw.text.replace(/\n$/, '').split('\n').length;
  return [{ at: source.raw.atLine(Math.min(Number(line), last)), message }];
}

interface Report {
  readonly stdout: string;
  readonly stderr: string;
}

function output({
  program,
  args,
  stdin,
}: {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
}): Promise<Report> {
  return new Promise((resolve) => {
    const options = { maxBuffer: MAX_REPORT_BYTES, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
    // What it says counts, not how it ends.
    const done = (_error: ExecFileException | null, stdout: string, stderr: string): void =>
      resolve({ stdout, stderr });
    const child = execFile(program, args, options, done);
    child.stdin?.on('error', () => undefined); // it has ended early: what it said is what there is
    child.stdin?.end(stdin);
  });
}

/** What shellcheck says of the scripts of a package, where it is installed. */
export async function shellcheckOf({ states }: Graph, path?: string): Promise<Remarks> {
  const shellcheck = findOnPath('shellcheck', path === undefined ? {} : { path });
  const scripts = bashStates([...states.values()]);
  if (shellcheck === undefined) return new Map();
  const found = new Map<string, readonly ScriptRemark[]>();
  const waiting = scripts.values();
  // Each takes the next script from what is left: a process for every one of them at once would be too many.
  const lane = async (): Promise<void> => {
    for (const state of waiting) {
      const args = ['--format=json1', '--shell=bash', '-'];
      const { stdout } = await output({ program: shellcheck, args, stdin: state.source.raw.text });
      found.set(state.file, shellcheckRemarks(stdout, state));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return found;
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
    return []; // not a shellcheck that speaks so
  }
}

interface ShellcheckComment {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}
