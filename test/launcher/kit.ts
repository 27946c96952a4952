// What the launcher's tests share: a launcher of their own, processes with markers of their own, and nothing left afterwards.
import { afterAll } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../../src/host/process.js';
import { Launcher, type LauncherOptions, type ProcessSpec, type RunningProcess } from '../../src/launcher/client.js';
import { ProcessFamily } from '../../src/launcher/process-tree.js';
import { builtLauncher } from '../support/built.js';

/** A process that was started, with what it has written so far. */
export interface Played {
  readonly spec: ProcessSpec;
  readonly process: RunningProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

const open = new Set<Kit>();
afterAll(async () => {
  await Promise.all([...open].map((kit) => kit.close()));
});

/** A launcher and a folder; after the tests of the file, or by `close`, all that was started is ended. */
export class Kit {
  readonly folder = mkdtempSync(join(tmpdir(), 'raymond-launcher-'));
  readonly launcher: Launcher;
  readonly #attempts: string[] = [];

  constructor(options: LauncherOptions = {}) {
    this.launcher = Launcher.start({ program: builtLauncher(), ...options });
    open.add(this);
  }

  /** A specification that runs a line of bash. */
  bash(line: string, changes: Partial<ProcessSpec> = {}): ProcessSpec {
    return this.spec('bash', ['-c', line], changes);
  }

  /** A specification with a marker that no other process has. */
  spec(command: string, args: readonly string[], changes: Partial<ProcessSpec> = {}): ProcessSpec {
    const marker = changes.marker ?? { turnId: `turn-${randomUUID()}`, attempt: `attempt-${randomUUID()}` };
    this.#attempts.push(marker.attempt);
    const variables = { RAYMOND_TURN_ID: marker.turnId, RAYMOND_ATTEMPT: marker.attempt };
    const env = { PATH: process.env['PATH'] ?? '', ...variables, ...changes.env };
    return { command, args, cwd: this.folder, children: 'keep', graceMs: 5_000, ...changes, env, marker };
  }

  /** Runs it and collects its output. */
  play(spec: ProcessSpec): Played {
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const running = this.launcher.run(spec, (stream, chunk) => void chunks[stream].push(chunk));
    const text = (stream: 'stdout' | 'stderr') => () => Buffer.concat(chunks[stream]).toString('utf8');
    return { spec, process: running, stdout: text('stdout'), stderr: text('stderr') };
  }

  /** Closes the launcher, ends what was kept, removes the folder. */
  async close(): Promise<void> {
    open.delete(this);
    await this.launcher.close();
    await ProcessFamily.union(this.#attempts.map((attempt) => ProcessFamily.ofAttempt(attempt))).end();
    rmSync(this.folder, { recursive: true });
  }
}

/** True while a process with this pid lives. */
export const lives = (pid: number): boolean => identify(pid) !== undefined;

/** The pids that a script has printed, one a line, once there are `count` of them. */
export function pidsIn(text: string, count: number): number[] | undefined {
  const pids = text.split('\n').slice(0, -1).map(Number);
  return pids.length >= count ? pids : undefined;
}
