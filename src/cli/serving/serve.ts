// `raymond serve`: runs the project's engine in this process until it is stopped, with its API and page, also for other
// users.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from '../../client/error.js';
import type { Config } from '../../client/project/config.js';
import { DRAIN_SECONDS, RELOAD_SIGNAL } from '../../engine/ensure.js';
import { findProject, type Project } from '../../client/project/project.js';
import { defined, messageOf } from '../../protocol/text.js';
import { Catalogue, type Listed } from '../../serve/catalogue.js';
import { openEngine, type Engine } from '../../serve/engine/engine.js';
import { noteLostDatabase, temporalCliOf, type Raymond } from '../../client/open.js';
import { startRun } from '../../client/operations.js';
import { ensureServer, keepLogShort, serverFolder, serverStatus } from '../../server/index.js';
import { contextToServe, settingsOf } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags, TelemetryFlags } from '../flags.js';
import { HooksOfRuns } from '../hooks/hooks-of-runs.js';
import { servedTelemetry, telemetryOf } from '../telemetry.js';
import { hearSignals, type Io } from '../io.js';

/** Flags of `serve`. */
export interface ServeFlags extends ConnectionFlags, TelemetryFlags {
  readonly host?: string;
  readonly port?: number;
  readonly origin?: readonly string[];
  readonly tokenFile?: string;
  readonly drain?: number;
  /** Ids of workflows to start. */
  readonly launch?: readonly string[];
}

/** Serves until SIGINT or SIGTERM; a second signal ends it at once. Returns the exit code. */
export async function serve(io: Io, flags: ServeFlags): Promise<number> {
  const project = await findProject(io.cwd);
  const catalogue = new Catalogue(project);
  const launched = await Promise.all((flags.launch ?? []).map((name) => catalogue.startable(name)));
  const origins = (flags.origin ?? []).map(originOf);
  const telemetry = await telemetryOf(project, { io, flags, report: io.say });
  const context = await contextToServe(project, { io, flags, telemetry });
  const hooks = new HooksOfRuns(context);
  const engine = await openEngine({
    kind: 'serve',
    raymond: { ...context, caller: { cwd: project.root, env: io.env } },
    settings: settingsOf(project),
    report: io.say,
    onView: hooks.wanted,
    telemetry: servedTelemetry(telemetry, io.say),
    listen: {
      host: flags.host ?? '127.0.0.1',
      origins,
      report: io.say,
      ...defined({
        port: flags.port ?? project.config.serve_port,
        tokenFile: flags.tokenFile === undefined ? undefined : resolve(io.cwd, flags.tokenFile),
      }),
    },
  });
  const { origin = '', token } = engine;
  await io.print(token === undefined ? `${origin}/` : `${origin}/#token=${token}`);
  await launch(launched, { io, raymond: { ...context, caller: { cwd: project.root, env: io.env } } });
  const config = listenForReloads(io, { project, engine, hooks, flags });
  const drain = (): number => flags.drain ?? config().drain ?? DRAIN_SECONDS;
  return await untilStopped(io, { project, engine, hooks, drain });
}

/** Starts workflows; one that cannot be started does not keep the others from it. */
async function launch(
  workflows: readonly Listed[],
  { io, raymond }: { readonly io: Io; readonly raymond: Raymond },
): Promise<void> {
  for (const { path, workflow } of workflows) {
    try {
      const { runId } = await startRun(raymond, { workflow: path });
      io.say(`started ${runId} (${workflow.id})`);
    } catch (error) {
      io.say(`cannot start ${workflow.id}: ${messageOf(error)}`);
    }
  }
}

interface Reloadable {
  readonly project: Project;
  readonly engine: Engine;
  readonly hooks: HooksOfRuns;
  readonly flags?: ConnectionFlags;
}

/** Reads the config again when another process asks for it; returns the current config. */
export function listenForReloads(
  io: Io,
  { project: { root, config: first }, engine, hooks, flags = {} }: Reloadable,
): () => Config {
  let config = first;
  const reload = async (): Promise<void> => {
    const project = await findProject(root);
    // Its metrics are already served.
    const { link } = await contextToServe(project, { io, flags });
    ({ config } = project);
    hooks.reload(project);
    await engine.reload({ settings: settingsOf(project), link });
    io.say('the config has changed and is now in effect');
  };
  const onReload = (): void =>
    void reload().catch((error: unknown) => io.say(`cannot read the config again: ${messageOf(error)}`));
  io.signals.on(RELOAD_SIGNAL, onReload);
  io.atEnd(() => Promise.resolve(void io.signals.off(RELOAD_SIGNAL, onReload)));
  return () => config;
}

const SERVER_EVERY_MS = 1000;

/** Restarts the embedded server when it has died, and bounds its log, until `signal` fires. */
async function keepServer(project: Project, { env, report, signal }: KeepServerOptions): Promise<void> {
  const { raymondDir } = project;
  for (;;) {
    await delay(SERVER_EVERY_MS, undefined, { signal, ref: false });
    keepLogShort(serverFolder(raymondDir));
    if ((await serverStatus({ raymondDir })).kind !== 'gone') continue;
    report('the Temporal server has ended; starting it again');
    const server = await ensureServer({ raymondDir, report, ...temporalCliOf(project) });
    await noteLostDatabase(server, { project, env, report });
  }
}

interface KeepServerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** An engine, and how it is stopped. */
export interface Stopping {
  readonly project: Project;
  readonly engine: Engine;
  readonly hooks: HooksOfRuns;
  /** Seconds that turns may take after the first signal. */
  readonly drain: () => number | Promise<number>;
  /** Resolves when it should stop without a signal. */
  readonly idle?: Promise<void>;
}

/** Runs an engine until a signal; a second one ends it at once. Returns the exit code. */
export async function untilStopped(io: Io, { project, engine, hooks, drain, idle }: Stopping): Promise<number> {
  let stop: () => void;
  const stopped = new Promise<'asked'>((asked) => (stop = () => asked('asked')));
  const interruption = hearSignals(io, { names: ['SIGINT', 'SIGTERM', 'SIGHUP'], onSignal: () => stop() });
  const never = new Promise<never>(() => undefined);
  const closing = new AbortController();
  const { signal } = closing;
  // The next check tries again; users who wait for a run see the error.
  const keep = async (): Promise<void> =>
    await keepServer(project, { env: io.env, report: io.say, signal }).catch((error: unknown) => {
      if (signal.aborted) return;
      io.say(`cannot start the Temporal server: ${messageOf(error)}`);
      return keep();
    });
  if (engine.runs !== undefined) void keep();
  try {
    const why = await Promise.race([stopped, engine.broken, idle?.then(() => 'idle' as const) ?? never]);
    closing.abort();
    const seconds = why === 'idle' ? 0 : await drain();
    if (why === 'asked')
      io.say(
        `stopping after the current turns, in ${seconds} s at the latest; open runs continue with the next engine`,
      );
    const isClosed = await Promise.race([
      engine.close(seconds).then(() => true),
      interruption.insisted.then(() => false),
    ]);
    if (isClosed) await hooks.settle();
    else io.hurry();
    return isClosed ? EXIT.completed : EXIT.interrupted;
  } catch (error) {
    io.hurry();
    throw error;
  } finally {
    closing.abort();
    interruption.off();
  }
}

/** An address without a path, as browsers name the origin of a page. Throws `InvalidUsage`. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin;
  throw new ClientError('InvalidUsage', `--origin: expected an address such as https://raymond.example, not "${text}"`);
}
