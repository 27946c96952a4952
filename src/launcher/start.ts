// Starts one process in a group of its own, or says why that cannot be done. Runs in the launcher only.
// node:child_process, not execa: execa's own work after the spawn costs more than the spawn itself (about 1.2 ms of CPU).
import { spawn, type ChildProcess } from 'node:child_process';
import { Child, type Listener, type SpawnedProcess } from './child.js';
import { Journal } from './journal.js';
import type { ProcessSpec, Unstartable } from './messages.js';
import { errorCode, unstartable, whyUnstartable } from './startable.js';

/** Starts a process with `prefix` in front of its command; when that fails, the listener hears its end and nothing is returned. */
export function startChild(spec: ProcessSpec, prefix: readonly string[], listener: Listener): Child | undefined {
  const problem = whyUnstartable(spec);
  if (problem !== undefined) return refuse(listener, problem);
  let journal: Journal | undefined;
  try {
    journal = spec.journal === undefined ? undefined : new Journal(spec.journal);
  } catch (error) {
    return refuse(listener, cannotOpen(spec.journal, error));
  }
  try {
    const spawned = spawnProcess(spec, prefix);
    if (isRunning(spawned)) return new Child(spawned, { spec, journal, listener });
    // Node tells some failures (no more processes, no memory) only later.
    spawned.once('error', (error) => listener.ended(cannotStart(spec, error)));
  } catch (error) {
    refuse(listener, cannotStart(spec, error));
  }
  journal?.close();
  return undefined;
}

function spawnProcess(spec: ProcessSpec, prefix: readonly string[]): ChildProcess {
  const [command = spec.command, ...args] = [...prefix, spec.command, ...spec.args];
  return spawn(command, args, {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    windowsHide: true,
    stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

function isRunning(spawned: ChildProcess): spawned is SpawnedProcess {
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
