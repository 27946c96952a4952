// The settings of a worker, from its config and flags, with their defaults. Light to import, because every command
// reads them.
import { join } from 'node:path';
import type { ClaudeSettings } from '../backends/claude/backend.js';
import type { PiSettings } from '../backends/pi/backend.js';
import type { BucketSettings } from '../store/open.js';
import type { Limits } from '../protocol/leases.js';
import type { SandboxRequest } from '../protocol/sandbox.js';
import type { Environment, ScriptEnvironments } from './environment/environment.js';

/**
 * Where chains are recorded: a file beside an embedded server, heartbeats in the server, or no
 * chains.
 */
type ChainKind = 'file' | 'heartbeat' | 'none';

/** One account, as the config has it: variables, or a command that prints them. */
export interface AccountSettings {
  readonly name: string;
  readonly env?: Environment | undefined;
  readonly command?: string | undefined;
  /** Its share of the agents, relative to other accounts. */
  readonly weight?: number | undefined;
}

/** How a worker runs turns; from its config and flags. */
export interface WorkerContextSettings extends ClaudeSettings, PiSettings {
  /** The `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /** Where artifacts are kept; without a bucket a shared folder when several hosts serve one queue. */
  readonly artifactDir?: string;
  /** The bucket that the folder is a cache of. */
  readonly bucket?: BucketSettings;
  /** Pattern of task folders, with {{workflow_id}} and {{agent_id}}; absent = `<raymondDir>/tasks/{{workflow_id}}/{{agent_id}}`. */
  readonly taskFolder?: string;
  /**
   * The name of this host, and its own task queue, for agents whose files are on it; absent = it
   * has none. `machine` distinguishes hosts of the same name.
   */
  readonly host?: { readonly name: string; readonly queue: string; readonly machine?: string };
  /** The limit for new or changed files in a workspace after a turn. */
  readonly workspaceBytes: number;
  readonly maxPrompts: number;
  readonly maxScripts: number;
  /** Where the turns of a chain are recorded, if an activity may execute several (chain-log.ts). */
  readonly chains: ChainKind;
  /** The accounts of Claude; none = that of the worker's own environment. */
  readonly accounts: readonly AccountSettings[];
  /** How many turns may run at once on all workers together, by key. */
  readonly limits: Limits;
  /** Milliseconds between two checks that the holders of leases still exist. */
  readonly leaseCheckMs: number;
  /** Messages after which the limiter continues as new. */
  readonly leaseMessages: number;
  /** The default idle limit of prompts, in seconds. */
  readonly promptIdleSeconds: number;
  /** Names or globs of variables that prompts get beyond the allow-list. */
  readonly envPass: readonly string[];
  /** What scripts inherit; `clean` = the allow-list of prompts without Claude's part, and `envPass`. */
  readonly scriptEnv: ScriptEnvironments;
  /** The weakest sandbox of turns, and what it allows them; absent = what runs and states ask for. */
  readonly sandbox?: SandboxRequest;
  readonly sandboxProfiles?: Readonly<Record<string, SandboxRequest>>;
  /** Turns have the environment of the user who started their run (run-environment.ts). */
  readonly runEnvironments: boolean;
  /** How much a prompt's program may print in one turn; it is on disk until the turn is reported. */
  readonly promptOutputBytes: number;
  /** How much a script may print in one turn, to both streams. */
  readonly scriptOutputBytes: number;
  /** Milliseconds between two heartbeats of a turn: a cancel arrives with the answer to one. */
  readonly heartbeatMs: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Milliseconds that a prompt's program may continue to run after its answer. */
  readonly resultGraceMs: number;
  /**
   * The shortest wait for a usage limit, in milliseconds: a limit that resets at once would be hit
   * again and again.
   */
  readonly shortestLimitMs: number;
}

/** The default settings of a worker. */
export const DEFAULT_SETTINGS: Omit<WorkerContextSettings, 'raymondDir'> = {
  workspaceBytes: 256 << 20,
  maxPrompts: 8,
  maxScripts: 64,
  chains: 'heartbeat',
  accounts: [],
  limits: {},
  leaseCheckMs: 30_000,
  leaseMessages: 2000,
  promptIdleSeconds: 600,
  envPass: [],
  scriptEnv: 'inherit',
  runEnvironments: false,
  claudeProfile: 'user',
  claudeArgs: [],
  piArgs: [],
  allowedTools: [],
  promptOutputBytes: 1 << 30,
  scriptOutputBytes: 1 << 30,
  heartbeatMs: 2000,
  graceMs: 5000,
  resultGraceMs: 5000,
  shortestLimitMs: 60_000,
};

/** The folder for the unpacked packages of a worker's turns. */
export function unpackedDir({ raymondDir }: Pick<WorkerContextSettings, 'raymondDir'>): string {
  return join(raymondDir, 'unpacked');
}

/** The folder for the packages that a worker has downloaded. */
export function registryDir({ raymondDir }: Pick<WorkerContextSettings, 'raymondDir'>): string {
  return join(raymondDir, 'registry');
}
