// Starts one process in a group of its own, or says why that cannot be done. Runs in the launcher only.
// node:child_process, not execa: execa's own work after the spawn costs more than the spawn itself (about 1.2 ms of CPU).
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import { point } from '../host/faults.js';
import { Child, type Listener, type Spawned } from './child.js';
import { withInput } from './input.js';
import { Journal } from './journal.js';
import type { ProcessSpec, Unstartable } from './messages.js';
import type { Pipe, Pipes } from './pipes.js';
import { errorCode, unstartable, whyUnstartable } from './startable.js';

/** What every start needs: the words in front of each command, and the pipes for its output. */
export interface StartMeans {
  readonly prefix: readonly string[];
  readonly pipes: Pipes;
}

/** Starts a process; when that fails, the listener hears its end and nothing is returned. */
export function startChild(spec: ProcessSpec, means: StartMeans, listener: Listener): Child | undefined {
  const problem = whyUnstartable(spec);
  if (problem !== undefined) return refuse(listener, problem);
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
      return new Child({ process: spawned, stdout, stderr }, { spec, journal, listener });
    // Node tells some failures (no more processes, no memory) only later.
    spawned.once('error', (error) => listener.ended(cannotStart(spec, error)));
    stdout?.destroy();
    stderr?.destroy();
  } catch (error) {
    journal?.destroy();
    refuse(listener, cannotStart(spec, error));
  }
  return undefined;
}

/** Where a stream of the process goes and where it is read; undefined = a pipe of Node's own. */
type Outlet = Pipe | undefined;

interface Attempted {
  readonly spawned: ChildProcess;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

function spawnProcess(spec: ProcessSpec, { prefix, pipes }: StartMeans, journal: Journal | undefined): Attempted {
  const [command = spec.command, ...args] = [...prefix, spec.command, ...spec.args];
  const spawnInto = (input: number | 'ignore', out: Outlet, err: Outlet): Attempted => {
    const { cwd, env } = spec;
    const stdio: StdioOptions = [input, out?.writer ?? 'pipe', err?.writer ?? 'pipe'];
    const spawned = spawn(command, args, { cwd, env, stdio, detached: true, windowsHide: true });
    return { spawned, stdout: out?.reader ?? spawned.stdout, stderr: err?.reader ?? spawned.stderr };
  };
  if (journal === undefined)
    return withInput(spec.stdin, (input) => pipes.lend(2, ([out, err]) => spawnInto(input, out, err)));
  // The journal outermost: whatever else cannot be opened, it is closed again.
  return journal.lend((writer) =>
    withInput(spec.stdin, (input) => pipes.lend(1, ([err]) => spawnInto(input, { reader: journal, writer }, err))),
  );
}

function hasPid(spawned: ChildProcess): spawned is Spawned['process'] {
  return spawned.pid !== undefined;
}

function refuse(listener: Listener, end: Unstartable): undefined {
  listener.ended(end);
}

function cannotStart({ command }: ProcessSpec, error: unknown): Unstartable {
  return unstartable('command', errorCode(error), `the command ${command} cannot be started (${errorCode(error)})`);
}

function cannotOpen(journal: string | undefined, error: unknown): Unstartable {
  return unstartable('journal', errorCode(error), `the journal ${journal} cannot be opened (${errorCode(error)})`);
}
