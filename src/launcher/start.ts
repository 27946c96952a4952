// Starts one process in its own group, or reports why that is impossible; the reason is looked for
// when the start has failed. It uses node:child_process: execa's own work after the spawn takes
// longer than the spawn itself (about 1.2 ms of CPU).
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { point } from '../host/faults.js';
import { errorCode, pathsOnPath } from '../host/files.js';
import { Child, type Listener, type LiveProcess } from './child.js';
import { Journal } from './journal.js';
import type { KillTimeouts, ProcessSpec, Unstartable } from './messages.js';
import type { Pipes } from './pipes.js';
import type { Watchdog } from './watchdog.js';

const DEFAULT_PATH = '/usr/bin:/bin';
const SHEBANG_BYTES = 256;

/** What every start needs: the pipes for its output, and what ends it. */
interface StartMeans {
  readonly pipes: Pipes;
  readonly watchdog: Watchdog;
  readonly patience: KillTimeouts;
  readonly lateMs: number;
}

/** Starts a process; when that fails, the listener receives its end and nothing is returned. */
export function startChild(spec: ProcessSpec, means: StartMeans, listener: Listener): Child | undefined {
  let journal: Journal | undefined;
  try {
    journal = spec.journal === undefined ? undefined : new Journal(spec.journal);
  } catch (error) {
    return refuse(listener, cannotOpen(spec.journal, error));
  }
  try {
    point('launcher-before-spawn');
    const { spawned, stdout, stderr } = spawnProcess(spec, means, journal);
    point('launcher-after-spawn');
    if (hasPid(spawned) && stdout && stderr)
      return new Child({ process: spawned, stdout, stderr }, { spec, journal, listener, ...means });
    // Node reports most failures (no such command, no more processes) only later.
    spawned.once('error', (error) => listener.ended(cannotStart(spec, error)));
    stdout?.destroy();
    stderr?.destroy();
  } catch (error) {
    journal?.destroy();
    refuse(listener, error instanceof InputError ? error.end : cannotStart(spec, error));
  }
  return undefined;
}

/** The two ends of an output stream; undefined = a pipe of Node's own. */
type Outlet = { readonly reader: Readable; readonly writer: number } | undefined;

interface SpawnResult {
  readonly spawned: ChildProcess;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

function spawnProcess(spec: ProcessSpec, { pipes }: StartMeans, journal: Journal | undefined): SpawnResult {
  const spawnInto = (inputs: Inputs, out: Outlet, err: Outlet): SpawnResult => {
    const { command, args, cwd, env } = spec;
    const [input, ...extra] = inputs;
    const stdio: StdioOptions = [input, out?.writer ?? 'pipe', err?.writer ?? 'pipe', ...extra];
    const spawned = underUmask(spec.umask, () =>
      spawn(command, [...args], { cwd, env, stdio, detached: true, windowsHide: true }),
    );
    return { spawned, stdout: out?.reader ?? spawned.stdout, stderr: err?.reader ?? spawned.stderr };
  };
  if (journal === undefined)
    return withInputs(spec, (inputs) => pipes.lend(2, ([out, err]) => spawnInto(inputs, out, err)));
  // The journal comes first, so that it is closed again when opening the others fails.
  return journal.lend((writer) =>
    withInputs(spec, (inputs) => pipes.lend(1, ([err]) => spawnInto(inputs, { reader: journal, writer }, err))),
  );
}

/**
 * A process inherits the umask of the process that spawns it, and nothing else happens here in the
 * meantime.
 */
function underUmask<T>(umask: number | undefined, spawning: () => T): T {
  if (umask === undefined) return spawning();
  const own = process.umask(umask);
  try {
    return spawning();
  } finally {
    process.umask(own);
  }
}

function hasPid(spawned: ChildProcess): spawned is LiveProcess['process'] {
  return spawned.pid !== undefined;
}

function refuse(listener: Listener, end: Unstartable): undefined {
  listener.ended(end);
}

function cannotStart(spec: ProcessSpec, error: unknown): Unstartable {
  const plain = unstartable('command', `the command ${spec.command} cannot be started`, errorCode(error));
  return whyUnstartable(spec) ?? plain;
}

function cannotOpen(journal: string | undefined, error: unknown): Unstartable {
  return unstartable('journal', `the journal ${journal} cannot be opened`, errorCode(error));
}

function unstartable(what: Unstartable['what'], message: string, code = 'UNKNOWN'): Unstartable {
  return { kind: 'unstartable', what, code, message: `${message} (${code})` };
}

/** The input could not be written to the folder for temporary files. */
class InputError extends Error {
  readonly end: Unstartable;

  constructor(cause: unknown) {
    super('the input cannot be kept', { cause });
    this.end = unstartable(
      'input',
      `its input cannot be kept in ${tmpdir()}: make room there or set TMPDIR`,
      errorCode(cause),
    );
  }
}

/** Opened once: a process could not change it for another one. */
const NO_INPUT = openSync(devNull, 'r');

/** The input of a process, and what it reads besides. */
type Inputs = readonly [input: number | 'pipe', ...extra: number[]];

/** Opens the inputs of a process while `use` runs. */
function withInputs<T>({ stdin, lifeline, extra }: ProcessSpec, use: (inputs: Inputs) => T): T {
  // The other end of a lifeline is open in this process alone, as long as it lives.
  const withExtra = (input: number | 'pipe'): T =>
    extra === undefined ? use([input]) : withFile(extra, (file) => use([input, file]));
  if (lifeline === true) return withExtra('pipe');
  return stdin === undefined ? withExtra(NO_INPUT) : withFile(stdin, withExtra);
}

function withFile<T>(content: string | Uint8Array, use: (file: number) => T): T {
  const file = openInput(content);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/**
 * An open file without a name that has this content. Not a pipe of Node, which is a socket: with a
 * socket as its input, bash assumes a remote login and first runs ~/.bashrc.
 */
function openInput(content: string | Uint8Array): number {
  const path = join(tmpdir(), `raymond-input-${randomUUID()}`);
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return openSync(path, 'r');
  } catch (error) {
    throw new InputError(error);
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * Why the process cannot be started (folder or command missing, not executable …), or undefined
 * when no reason is found.
 */
function whyUnstartable(spec: Pick<ProcessSpec, 'command' | 'cwd' | 'env'>): Unstartable | undefined {
  const folderProblem = codeOf(() => checkFolder(spec.cwd));
  if (folderProblem !== undefined)
    return unstartable('cwd', `the working directory ${spec.cwd} cannot be used`, folderProblem);
  // Windows finds commands by PATHEXT: the error itself has to do.
  if (process.platform === 'win32') return undefined;
  const commandProblem = commandProblemOf(spec);
  if (commandProblem === undefined) return undefined;
  return unstartable('command', `the command ${spec.command} cannot be started`, commandProblem);
}

function commandProblemOf({ command, cwd, env }: Pick<ProcessSpec, 'command' | 'cwd' | 'env'>): string | undefined {
  let problem = 'ENOENT';
  for (const place of pathsOnPath(command, { path: env['PATH'] ?? DEFAULT_PATH, cwd })) {
    const code = codeOf(() => checkExecutable(place, cwd));
    if (code === undefined) return undefined;
    // As in a shell: a file that may not be executed is reported only when no later folder has an
    // executable one.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problem = code;
  }
  return problem;
}

function checkFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw withCode('ENOTDIR');
  accessSync(path, constants.X_OK);
}

function checkExecutable(path: string, cwd: string): void {
  if (!statSync(path).isFile()) throw withCode('EACCES');
  accessSync(path, constants.X_OK);
  const interpreter = interpreterOf(path);
  if (interpreter !== undefined) accessSync(resolve(cwd, interpreter), constants.X_OK);
}

function interpreterOf(path: string): string | undefined {
  const head = readHead(path);
  return head === undefined ? undefined : /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1];
}

function readHead(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined; // executable but not readable is allowed; the start itself will tell
  }
  try {
    const head = Buffer.alloc(SHEBANG_BYTES);
    return head.toString('utf8', 0, readSync(file, head, 0, SHEBANG_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function codeOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return errorCode(error) ?? 'UNKNOWN';
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
