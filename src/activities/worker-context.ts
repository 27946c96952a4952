// What every turn on a worker works with: the launcher, the artifact store, folders, limits,
// settings and slots. It has no data of a single turn.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ownBackends, type Backends } from '../backends/backends.js';
import type { Launcher } from '../launcher/client.js';
import type { WorkerIdentity } from '../protocol/ids.js';
import { limiterId } from '../protocol/leases.js';
import { openStore } from '../store/open.js';
import { defined } from '../protocol/text.js';
import type { ArtifactStore } from '../store/store.js';
import { Accounts } from './environment/accounts.js';
import { DebugFolders } from './debug/folder.js';
import { Receipts } from './attempt/receipts.js';
import type { RunningTurn } from './attempt/running-turn.js';
import { Redactor } from './environment/redact.js';
import { RunEnvironments } from './environment/run-environment.js';
import type { WorkerContextSettings } from './settings.js';
import { Slots } from './slots/slots.js';
import type { ProgressSink } from '../contract/turns.js';
import type { TurnWatcher } from './watch.js';

/** The shared parts of all turns of a worker. */
export interface WorkerContext {
  readonly settings: WorkerContextSettings;
  readonly launcher: Launcher;
  readonly artifacts: ArtifactStore;
  /** Answers prompts. */
  readonly backends: Backends;
  readonly accounts: Accounts;
  readonly prompts: Slots;
  readonly scripts: Slots;
  /** The workflow that grants leases, and its task queue. */
  readonly limiter: { readonly workflowId: string; readonly taskQueue: string };
  readonly environment: Readonly<Record<string, string>>;
  /** The umask of turns' processes; absent = that of the launcher. */
  readonly umask?: number;
  readonly progress: ProgressSink;
  readonly debug: DebugFolders;
  /** Knows the credentials of the environment. */
  readonly redactor: Redactor;
  readonly receipts: Receipts;
  /** The hashes of state files that this worker has put into the store. */
  readonly statesKept: Set<string>;
  /**
   * Chains in progress, by the workflow of their agent: a call ends the chain after the current
   * turn.
   */
  readonly chains: Map<string, () => void>;
  /**
   * Turns in progress, by their activity: its next attempt continues what an earlier one started.
   */
  readonly running: Map<string, RunningTurn>;
  /** Metrics and traces, if requested. */
  readonly watchers: readonly TurnWatcher[];
  /** Environments of runs that were started on this host; absent = every turn has the worker's. */
  readonly runEnvironments?: RunEnvironments;
}

/** What a worker's host is called, as the fleet knows it; `machine` distinguishes machines of one name. */
export function hostOf({ settings }: HostSettings): HostIdentity {
  const { name: host = hostname(), machine } = settings.host ?? {};
  return { host, ...defined({ machine }) };
}

/** True when that is the host of this worker. */
export function isThisHost(worker: HostSettings, { host, machine }: HostIdentity): boolean {
  const own = hostOf(worker);
  return own.host === host && own.machine === machine;
}

type HostIdentity = Omit<WorkerIdentity, 'pid'>;

interface HostSettings {
  readonly settings: Pick<WorkerContextSettings, 'host'>;
}

/** The context for the turns of a run: with the environment of the user who started it. */
export async function contextOfRun(worker: WorkerContext, runId: string): Promise<WorkerContext> {
  return { ...worker, ...(await worker.runEnvironments?.of(runId)) };
}

/** Creates a context; starts and writes nothing yet. */
export function createWorkerContext({
  settings,
  launcher,
  environment,
  progress,
  watchers = [],
  backends = ownBackends(settings),
  limiterQueue,
}: Pick<WorkerContext, 'settings' | 'launcher' | 'environment' | 'progress'> &
  Partial<Pick<WorkerContext, 'watchers' | 'backends'>> & { readonly limiterQueue: string }): WorkerContext {
  const { artifactDir: dir = join(settings.raymondDir, 'artifacts'), bucket } = settings;
  return {
    settings,
    launcher,
    environment,
    progress,
    artifacts: openStore({ dir, ...defined({ bucket }) }, environment),
    backends,
    accounts: new Accounts(settings.accounts),
    prompts: new Slots(settings.maxPrompts),
    scripts: new Slots(settings.maxScripts),
    limiter: { workflowId: limiterId(limiterQueue), taskQueue: limiterQueue },
    debug: new DebugFolders(settings.raymondDir),
    redactor: new Redactor(environment),
    receipts: new Receipts(),
    statesKept: new Set(),
    chains: new Map(),
    running: new Map(),
    watchers,
    ...(settings.runEnvironments ? { runEnvironments: new RunEnvironments(settings.raymondDir) } : {}),
  };
}
