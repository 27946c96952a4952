// The messages between a worker and its launcher over the IPC channel, and their common types. All
// of them must survive structured cloning (`serialization: 'advanced'`).
import type { ProcessIdentity } from '../host/process.js';

/** The values of RAYMOND_TURN_ID and RAYMOND_ATTEMPT that identify all processes of an attempt. */
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
  /** Its input is a pipe without content, which ends with the launcher; `stdin` is not used. */
  readonly lifeline?: true;
  /** The process reads it from its descriptor 3, which must be closed by the process itself. */
  readonly extra?: Uint8Array;
  /**
   * The file that stdout is appended to and read from, instead of a pipe: the output survives the
   * death of any process.
   */
  readonly journal?: string;
  /**
   * What to do with child processes that are left when the process ended on its own with code 0.
   */
  readonly children: 'sweep' | 'keep';
  /**
   * The command keeps its process in a sandbox and ends everything in it when it ends itself: only what is inside gets
   * SIGTERM.
   */
  readonly contained?: true;
  /** Milliseconds between SIGTERM and SIGKILL, when it is stopped. */
  readonly graceMs: number;
}

/**
 * How a process ended. `strays` counts the processes that were left and swept; `survivors` = those
 * that could not be ended.
 */
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

/**
 * Why a process could not be started, with the operating system's code (ENOENT, EACCES, E2BIG …).
 */
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

/** What a sweep ended, and what it could not end. */
export interface SweepResult {
  readonly count: number;
  readonly survivors: readonly Survivor[];
}

/**
 * A process that still lives: `unkillable` after SIGKILL (in state `D` it waits in the kernel,
 * mostly for a disk that does not answer), `forbidden` when it belongs to another user (sudo).
 */
export interface Survivor {
  readonly pid: number;
  /** The state letter of `ps`: R, S, D (U on macOS), T … */
  readonly state: string;
  readonly why: 'unkillable' | 'forbidden';
}

/** How long a sweep waits for processes that do not end at once, in ms. */
export interface KillTimeouts {
  /** For what is left when a process has ended: from SIGTERM to SIGKILL. */
  readonly strayMs: number;
  /**
   * A nested launcher ends on its own after its worker, and only it can find what its turns left.
   */
  readonly nestedMs: number;
  /**
   * A process that is in the middle of exec may be a member; on a dead network disk that never
   * ends.
   */
  readonly executingMs: number;
  /** A process ends at once after SIGKILL, unless the kernel does not release it. */
  readonly killedMs: number;
}

/** The settings of a launcher process, sent at its fork. */
export interface LauncherSettings {
  readonly confirmTimeoutMs: number;
  readonly patience: KillTimeouts;
  /** A process that has ended by then is never identified, and its output is read at its end. */
  readonly lateMs: number;
}

/** The two output streams of a process. */
export type OutputStream = 'stdout' | 'stderr';

/** Messages to the launcher; `id` identifies a process or a sweep. */
export type ToLauncher =
  | { readonly kind: 'run'; readonly id: number; readonly spec: ProcessSpec }
  | { readonly kind: 'stop'; readonly id: number; readonly atOnce?: true }
  | { readonly kind: 'ack'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'sweep'; readonly id: number; readonly filter: SweepFilter }
  | { readonly kind: 'confirm' };

/** Messages to the worker. */
export type FromLauncher =
  | { readonly kind: 'started'; readonly id: number; readonly identity: ProcessIdentity | undefined }
  | { readonly kind: 'output'; readonly id: number; readonly stream: OutputStream; readonly chunk: Buffer }
  | { readonly kind: 'ended'; readonly id: number; readonly end: ProcessEnd }
  | { readonly kind: 'swept'; readonly id: number; readonly result: SweepResult };
