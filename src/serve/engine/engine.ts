// The engine of a project: executes the project's runs, reads their state for hooks and events, and serves the API with
// its page where it listens. The same in the background, as `raymond serve`, and within `start --foreground`.
import { join } from 'node:path';
import type { WorkerContextSettings } from '../../activities/settings.js';
import type { ProgressSink } from '../../contract/turns.js';
import {
  claimEngine,
  engineStatus,
  removeEngineRecord,
  writeEngineRecord,
  type EngineKind,
} from '../../engine/record.js';
import type { Link } from '../../client/connect.js';
import { ClientError } from '../../client/error.js';
import { NO_ENGINE, type Raymond } from '../../client/open.js';
import type { RunView } from '../../client/look/runs.js';
import { makePrivateFolder } from '../../host/files.js';
import { identifySelf } from '../../host/process.js';
import { packageFacts } from '../../host/self.js';
import type { Config } from '../../client/project/config.js';
import { configVersion } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import type { TelemetryOptions } from '../../telemetry/observe.js';
import { Catalogue } from '../catalogue.js';
import { EngineRuns, type Reloading } from './runs.js';
import { EventHub } from '../events/hub.js';
import { LiveOutput } from '../events/live-output.js';
import { Observer } from '../events/observer.js';
import type { Serving } from '../handlers.js';
import { ViewLinks } from '../people/links.js';
import type { Listening, OpenServer } from '../listening.js';
import { Uploads, type UploadCaps } from '../uploads.js';

/** The parts of an engine. */
interface EngineOptions {
  readonly kind: EngineKind;
  readonly raymond: Raymond & { readonly link: Link };
  readonly settings: WorkerContextSettings;
  readonly report: (line: string) => void;
  /** Receives every change of a run that is executed here, with the current config; absent = not needed. */
  readonly onView?: () => ((view: RunView) => void) | undefined;
  /** Receives the progress of turns. */
  readonly progress?: ProgressSink | undefined;
  readonly telemetry?: TelemetryOptions | undefined;
  /** Where the API listens; absent = nowhere. */
  readonly listen?: Listening | undefined;
}

/** An engine that runs. */
export interface Engine {
  /** Absent on a cluster, whose workers execute the runs. */
  readonly runs?: EngineRuns;
  /** The address of the API. */
  readonly origin?: string;
  /** The token of this project's user; absent = tokens are in a file, or there is no API. */
  readonly token?: string;
  /** True while a client listens to its events, e.g. the page. */
  readonly isWatched: boolean;
  /** Rejects when it can no longer execute runs. */
  readonly broken: Promise<never>;
  /** Applies the current config. */
  reload(reloading: Reloading): Promise<void>;
  /** Stops it: turns may take this many seconds; the next engine continues the rest. `isLast` = no run is open. */
  close(seconds: number, more?: { readonly isLast?: boolean }): Promise<void>;
}

/**
 * Opens the engine of a project. Throws `RunServed` when another process is its engine, `InvalidUsage` for an unusable
 * address.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { raymond, kind } = options;
  const { root, raymondDir } = raymond.project;
  const isLocal = raymond.mode.kind === 'local';
  const lock = isLocal ? await claimed(raymondDir) : undefined;
  try {
    const folder = join(raymondDir, 'serve');
    const room = await openRoom(options, folder);
    const server = await answering(options, { folder, serving: room.serving }).catch(async (error: unknown) => {
      await room.close(0);
      throw error;
    });
    const startedAt = new Date().toISOString();
    const record = async (): Promise<void> => {
      if (!isLocal) return;
      const [{ version }, config] = [packageFacts(), await configVersion(root)];
      const more = defined({ origin: server?.origin });
      await writeEngineRecord(raymondDir, { ...identifySelf(), kind, version, startedAt, config, ...more });
    };
    await record();
    return {
      ...defined({ runs: room.runs, origin: server?.origin, token: server?.token }),
      broken: room.runs?.broken ?? new Promise<never>(() => undefined),
      get isWatched() {
        return room.serving.hub.listeners > 0;
      },
      reload: async (reloading) => {
        await room.runs?.reload(reloading);
        await record();
      },
      close: async (seconds, more) => {
        try {
          // Processes that look for an engine now wait for the next one.
          if (isLocal) await removeEngineRecord(raymondDir);
          await server?.close();
          await room.close(seconds, more);
        } finally {
          await lock?.release();
        }
      },
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/** The HTTP libraries are loaded only by an engine that serves the API. */
async function answering(
  { listen }: EngineOptions,
  parts: { readonly folder: string; readonly serving: Serving },
): Promise<OpenServer | undefined> {
  if (listen === undefined) return undefined;
  const { listening } = await import('../listening.js');
  return await listening(listen, parts);
}

async function claimed(raymondDir: string): Promise<{ release(): Promise<void> }> {
  const lock = await claimEngine(raymondDir);
  if (lock.kind === 'acquired') return lock;
  const status = engineStatus(raymondDir);
  const origin = status.kind === 'running' ? status.engine.origin : undefined;
  const where = origin === undefined ? '' : ` and answers at ${origin}`;
  const message = `process ${lock.owner.pid} is already the engine of this project${where}; stop it first: raymond down`;
  throw new ClientError('RunServed', message);
}

interface Room {
  readonly serving: Serving;
  readonly runs: EngineRuns | undefined;
  close(seconds: number, more?: { readonly isLast?: boolean }): Promise<void>;
}

async function openRoom(
  { raymond: given, settings, report, ...options }: EngineOptions,
  folder: string,
): Promise<Room> {
  const { onView = () => undefined, telemetry, progress = () => undefined } = options;
  await makePrivateFolder(folder);
  const hub = new EventHub();
  const output = new LiveOutput(hub);
  const raymond: Raymond & { readonly link: Link } = { ...given, engine: NO_ENGINE };
  const observing: { by?: Observer } = {};
  const onProgress: ProgressSink = (event) => {
    output.publish(event);
    observing.by?.addRun(event.runId);
    progress(event);
  };
  const isLocal = given.mode.kind === 'local';
  const runs = isLocal
    ? await EngineRuns.start({ raymond, settings, progress: onProgress, telemetry, report })
    : undefined;
  const observer = new Observer({ raymond, hub, runs, progress: output.publish, onView, report });
  observing.by = observer;
  const uploads = new Uploads(join(folder, 'uploads'), raymond.artifacts, capsOf(raymond.project.config));
  const { version } = packageFacts();
  const links = new ViewLinks(join(folder, 'links.json'), () => hub.dismiss());
  const serving = { raymond, catalogue: new Catalogue(raymond.project), hub, output, uploads, links, version };
  const close: Room['close'] = async (seconds, more) => {
    await runs?.close(seconds, more);
    await observer.close();
    links.close();
    hub.close();
  };
  return { serving, runs, close };
}

function capsOf({ upload_file_size, upload_total_size, upload_file_count }: Config): UploadCaps {
  return defined({ fileBytes: upload_file_size, totalBytes: upload_total_size, count: upload_file_count });
}
