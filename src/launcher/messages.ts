// What the worker and its launcher say to each other over the IPC channel, and the words both use for a process.
// Everything here must survive structured cloning (`serialization: 'advanced'`).
import type { ProcessIdentity } from '../host/process.js';

/** The values of RAYMOND_TURN_ID and RAYMOND_ATTEMPT by which every process of an attempt is found again. */
export interface AttemptMarker {
  readonly turnId: string;
  readonly attempt: string;
}

/** One process to start, with everything that belongs to it. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process; it must contain the two variables of `marker`. */
  readonly env: Readonly<Record<string, string>>;
  readonly marker: AttemptMarker;
  /** Absent = that of the launcher. */
  readonly umask?: number;
  /** Written to the process, then closed; absent means an empty input. */
  readonly stdin?: string;
  /** The file that stdout is appended to and read from, instead of a pipe: what was printed is there whoever dies. */
  readonly journal?: string;
  /** What becomes of processes that are left over when the process ended by itself with code 0. */
  readonly children: 'sweep' | 'keep';
  /** From SIGTERM to SIGKILL, when it is stopped. */
  readonly graceMs: number;
}

/** How a process ended. `strays` counts the left-over processes that were swept; `survivors` is there when some were not. */
export type ProcessEnd =
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly strays: number;
      readonly survivors?: readonly Survivor[];
    }
  | { readonly kind: 'signalled'; readonly signal: string; readonly survivors?: readonly Survivor[] }
  | { readonly kind: 'stopped'; readonly survivors?: readonly Survivor[] }
  | Unstartable
  | { readonly kind: 'lost' };

/** Why a process could not be started: what is at fault, and the operating system's code for it (ENOENT, EACCES, E2BIG …). */
export interface Unstartable {
  readonly kind: 'unstartable';
  readonly what: 'command' | 'cwd' | 'input' | 'journal';
  readonly code: string;
  readonly message: string;
}

/** Selects processes by their attempts: turn ids are not enough, two projects may use the same run id. */
export interface SweepFilter {
  readonly attempts: readonly string[];
}

/** What a sweep has ended, and what it could not. */
export interface SweepResult {
  readonly count: number;
  readonly survivors: readonly Survivor[];
}

/**
 * A process that lives on: `unkillable` when it was sent SIGKILL and is still there (in state `D` it waits in the kernel,
 * mostly for a disk that does not answer), `forbidden` when it belongs to somebody else (sudo).
 */
export interface Survivor {
  readonly pid: number;
  /** The letter by which `ps` shows what it does: R, S, D (U on macOS), T … */
  readonly state: string;
  readonly why: 'unkillable' | 'forbidden';
}

/** How long a sweep waits, in ms, for those that do not end at once. */
export interface KillTimeouts {
  /** What is left over when a process has ended: from SIGTERM to SIGKILL. */
  readonly strayMs: number;
  /** A nested launcher ends by itself once its worker is gone, and only it can find what its own turns left behind. */
  readonly nestedMs: number;
  /** Somebody who is just changing programs may be one of the family; on a dead network disk that takes for ever. */
  readonly executingMs: number;
  /** Whoever was sent SIGKILL ends at once, unless the kernel does not let it go. */
  readonly killedMs: number;
}

/** What a launcher process is told when it is forked. */
export interface LauncherSettings {
  readonly confirmTimeoutMs: number;
  readonly patience: KillTimeouts;
}

/** The two output streams of a process. */
export type OutputStream = 'stdout' | 'stderr';

/** What the worker tells its launcher; `id` names a process or a sweep. */
export type ToLauncher =
  | { readonly kind: 'run'; readonly id: number; readonly spec: ProcessSpec }
  | { readonly kind: 'stop'; readonly id: number }
  | { readonly kind: 'ack'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'sweep'; readonly id: number; readonly filter: SweepFilter }
  | { readonly kind: 'confirm' };

/** What the launcher tells its worker. */
export type FromLauncher =
  | { readonly kind: 'started'; readonly id: number; readonly identity: ProcessIdentity | undefined }
  | { readonly kind: 'output'; readonly id: number; readonly stream: OutputStream; readonly chunk: Buffer }
  | { readonly kind: 'ended'; readonly id: number; readonly end: ProcessEnd }
  | { readonly kind: 'swept'; readonly id: number; readonly result: SweepResult };
