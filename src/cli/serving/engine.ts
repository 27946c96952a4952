// `raymond up`, `down` and `ps`: the engine of this project, and those of all projects of this user. `raymond __engine`
// is the engine process itself.
import { setTimeout as delay } from 'node:timers/promises';
import { createReadStream } from 'node:fs';
import { appendFile, stat } from 'node:fs/promises';
import { askedSince, DRAIN_SECONDS, frozenText, rotateLog, stopEngine, wantedDrain } from '../../engine/ensure.js';
import { engineFolder, enginePid, engineStatus, engineToken, type EngineStatus } from '../../engine/record.js';
import type { DocumentOf } from '../../client/documents/documents.js';
import { engineOf } from '../../client/open.js';
import { listRuns, type RunLine } from '../../client/look/runs.js';
import { hasActiveSchedule } from '../../client/schedules/schedule-handle.js';
import { findProject, type Project } from '../../client/project/project.js';
import { parseDuration, defined } from '../../protocol/text.js';
import { openEngine, type Engine } from '../../serve/engine/engine.js';
import { endServer, runningServers, serverStatus, stopServer, type ServerInfo } from '../../server/index.js';
import { callerOf, contextToServe, openForQuestion, settingsOf, type ClientContext, localProject } from '../context.js';
import { EXIT } from '../exit.js';
import { HooksOfRuns } from '../hooks/hooks-of-runs.js';
import type { Io } from '../io.js';
import { servedTelemetry, telemetryOf } from '../telemetry.js';
import { columns } from '../view/columns.js';
import { duration } from '../view/format.js';
import { printDocument } from '../view/json.js';
import { listenForReloads, untilStopped } from './serve.js';
import { startedServer } from './server.js';

/** Flags of `up`. */
export interface UpFlags {
  readonly status?: boolean;
  readonly logs?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Flags of `down`. */
export interface DownFlags {
  readonly drain?: number;
  readonly json?: boolean;
}

/** Flags of `__engine`. */
export interface EngineFlags {
  /** A service manager started it: stopping the service stops the server, too. */
  readonly service?: boolean;
}

/** Starts the engine of this project, or prints its status; returns the exit code. */
export async function up(io: Io, flags: UpFlags): Promise<number> {
  const project = await localProject(io);
  if (flags.logs === true) return await showLog(io, { project, follow: flags.follow === true });
  if (flags.status !== true) {
    // It does not connect first: after a crash every second counts.
    await startedServer(project, io);
    await engineOf(project, { caller: callerOf(io), report: io.say }).ensure('now');
  }
  return await showStatus(io, { project, json: flags.json === true });
}

/** Stops the engine and the server of this project; returns the exit code. */
export async function down(io: Io, { drain, json = false }: DownFlags): Promise<number> {
  const project = await findProject(io.cwd);
  const { raymondDir } = project;
  const pid = enginePid(raymondDir);
  const views = await openRuns(io, project);
  const drainSeconds = drain ?? project.config.drain ?? DRAIN_SECONDS;
  if (pid !== undefined) io.say(stoppingText({ pid, drainSeconds, views }));
  const engine = await stopEngine({ raymondDir, drainSeconds });
  const open = views.map(({ runId }) => runId);
  const server = await stopServer({ raymondDir });
  const stopped = engine !== undefined || server.kind === 'stopped';
  if (json) await printDocument(io, 'down', { stopped, openRuns: open });
  else await io.show(stopped ? 'stopped' : 'not running');
  if (stopped && open.length > 0) io.say(`${runsText(open)}: open; continue with: raymond up`);
  return EXIT.completed;
}

/** What `down` waits for; a run with status `running` may have a turn in progress. */
function stoppingText({ pid, drainSeconds, views }: StoppingFacts): string {
  const busy = views.filter(({ status }) => status === 'running').map(({ runId }) => runId);
  if (busy.length === 0) return `stopping the engine (process ${pid})`;
  const limit = `for up to ${drainSeconds} s (another limit: raymond down --drain SECONDS)`;
  return `stopping the engine (process ${pid}); waiting for the current turns of ${runsText(busy)} ${limit}`;
}

interface StoppingFacts {
  readonly pid: number;
  readonly drainSeconds: number;
  readonly views: readonly RunLine[];
}

/** Lists the engines and servers of all projects of this user; returns the exit code. */
export async function ps(io: Io, { json = false }: { readonly json?: boolean }): Promise<number> {
  const servers = await runningServers();
  const rows = servers.map(({ project, pid, address, uiUrl }) => {
    const status = project === undefined ? undefined : engineStatus(`${project}/.raymond`);
    return {
      ...defined({ project }),
      server: { pid, address, uiUrl },
      engine: engineFacts(status ?? { kind: 'stopped' }),
    };
  });
  if (json) await printDocument(io, 'ps', rows);
  else if (rows.length === 0) io.say('nothing runs; start an engine with: raymond up');
  else {
    const lines = rows.map(({ project, server, engine }) => [
      project ?? `(its project is gone; stop it with: kill ${server.pid})`,
      engine.status,
      engine.pid === undefined ? '' : String(engine.pid),
      engine.origin ?? '',
      String(server.pid),
      server.address,
    ]);
    await io.show(columns([['PROJECT', 'ENGINE', 'PID', 'PAGE', 'SERVER PID', 'TEMPORAL'], ...lines]));
  }
  return EXIT.completed;
}

/**
 * The process in the background: executes the runs of the project until it is stopped, or idle for too long. Returns
 * the exit code.
 */
export async function engine(given: Io, { service = false }: EngineFlags = {}): Promise<number> {
  const project = await findProject(given.cwd);
  const { raymondDir, root } = project;
  const startedAt = Date.now();
  const io = { ...given, say: logTo(raymondDir) };
  const telemetry = await telemetryOf(project, { io, flags: {}, report: io.say });
  const context = await contextToServe(project, { io, flags: {}, telemetry });
  const hooks = new HooksOfRuns(context);
  const opened = await openEngine({
    kind: 'background',
    raymond: { ...context, caller: { cwd: root, env: io.env } },
    settings: settingsOf(project),
    report: io.say,
    onView: hooks.wanted,
    telemetry: servedTelemetry(telemetry, io.say),
    listen: { host: '127.0.0.1', origins: [], report: io.say },
  });
  io.say(`the engine runs (process ${process.pid})`);
  const config = listenForReloads(io, { project, engine: opened, hooks });
  const drain = (): number => wantedDrain(raymondDir, startedAt) ?? config().drain ?? DRAIN_SECONDS;
  const server = await lastServer(raymondDir);
  const idle = idleFor(opened, {
    idle: () => config().idle,
    whyLost: async () => (await server.refresh(), whyLost(enginePid(raymondDir))),
    hasWork: async () => (await openRunsOf(context)).length > 0 || (await hasActiveSchedule(context.link.client)),
  });
  const isIdle = idle.then((why) => io.say(`${ENDS[why]}; stopping`));
  const code = await untilStopped(io, { project, engine: opened, hooks, drain, idle: isIdle });
  // A failed start must not leave the server running.
  const why = await Promise.race([idle, delay(0, undefined)]);
  const isLoggedOut = service && why === undefined && !askedSince(raymondDir, startedAt);
  if (why === 'idle' || isLoggedOut) await stopServer({ raymondDir });
  if (why === 'gone') await server.end();
  return code;
}

/** The server of a project whose folder may be moved or deleted, with everything that locates the server. */
async function lastServer(raymondDir: string): Promise<LastServer> {
  let last: ServerInfo | undefined;
  const refresh = async (): Promise<void> => {
    const status = await serverStatus({ raymondDir });
    if (status.kind === 'running') last = status.server;
  };
  await refresh();
  return { refresh, end: async () => void (last !== undefined && (await endServer(last))) };
}

interface LastServer {
  readonly refresh: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const ENDS = {
  idle: 'nothing to do',
  gone: "the project's folder is gone",
  replaced: 'another engine has the lock of the project',
};
type End = keyof typeof ENDS;

/** Why no command finds this engine any more, from the process that its lock names; undefined when they find it. */
function whyLost(pid: number | undefined): End | undefined {
  if (pid === process.pid) return undefined;
  return pid === undefined ? 'gone' : 'replaced';
}

const USUAL_IDLE = '15m';
const LOOK_EVERY_MS = 30_000;

interface Idling {
  /** From the config. */
  readonly idle: () => string | undefined;
  readonly hasWork: () => Promise<boolean>;
  readonly whyLost: () => Promise<End | undefined>;
}

/** Resolves with the reason when the engine was idle for as long as the config says (0 = never), or is lost. */
async function idleFor(opened: Engine, { idle, hasWork, whyLost }: Idling): Promise<End> {
  for (let since = Date.now(); ;) {
    const idleMs = (parseDuration(idle() ?? USUAL_IDLE) ?? 0) * 1000;
    const every = idleMs === 0 ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, idleMs / 2);
    await delay(every, undefined, { ref: false });
    const lost = await whyLost();
    if (lost !== undefined) return lost;
    // A status that cannot be read may hide work.
    const isBusy = idleMs === 0 || opened.isWatched || (await hasWork().catch(() => true));
    if (isBusy) since = Date.now();
    else if (Date.now() - since >= idleMs) return 'idle';
  }
}

/** Log lines with a time stamp, in a log that is rotated when it becomes too long. */
function logTo(raymondDir: string): (line: string) => void {
  const { log } = engineFolder(raymondDir);
  let writing = Promise.resolve();
  return (line) => {
    const text = `${new Date().toISOString()} ${line}\n`;
    writing = writing
      .then(() => rotateLog(log))
      .then(() => appendFile(log, text, { mode: 0o600 }))
      .catch(() => undefined); // A full disk: the error cannot be logged either.
  };
}

/** The open runs of this project; none when no server is available. */
async function openRuns(io: Io, project: Project): Promise<readonly RunLine[]> {
  if ((await serverStatus(project)).kind !== 'running') return [];
  return await openRunsOf(await openForQuestion(io, { flags: {} }));
}

async function openRunsOf({ link, mode }: Pick<ClientContext, 'link' | 'mode'>): Promise<readonly RunLine[]> {
  const runs = await listRuns(link.client, { openOnly: true });
  return runs.filter(({ taskQueue }) => taskQueue === mode.taskQueue);
}

const NAMED = 5;

function runsText(runs: readonly string[]): string {
  const more = runs.length > NAMED ? ` and ${runs.length - NAMED} more` : '';
  return `${runs.slice(0, NAMED).join(', ')}${more}`;
}

type EngineFacts = Pick<DocumentOf<'up'>, 'status' | 'pid' | 'version' | 'origin' | 'startedAt'>;

/** An engine in JSON documents. */
export function engineFacts(status: EngineStatus): EngineFacts {
  if (status.kind === 'stopped') return { status: 'stopped' };
  if (status.kind !== 'running') return { status: status.kind, pid: status.pid };
  const { pid, version, origin, startedAt } = status.engine;
  return { status: 'running', pid, version, startedAt, ...defined({ origin }) };
}

async function showStatus(
  io: Io,
  { project, json }: { readonly project: Project; readonly json: boolean },
): Promise<number> {
  const { raymondDir, root } = project;
  const facts = engineFacts(engineStatus(raymondDir));
  const runs = await openRuns(io, project);
  const code = facts.status === 'running' ? EXIT.completed : EXIT.failed;
  if (json) {
    await printDocument(io, 'up', {
      ...facts,
      project: root,
      log: engineFolder(raymondDir).log,
      openRuns: runs.length,
    });
    return code;
  }
  if (facts.status === 'frozen') {
    await io.show(`frozen: ${frozenText(facts.pid ?? 0)}`);
    return code;
  }
  if (facts.status !== 'running') {
    await io.show(`${facts.status}: the engine of ${root}; start it with: raymond up`);
    return code;
  }
  const age = duration(Date.now() - Date.parse(facts.startedAt ?? ''));
  const page =
    facts.origin === undefined ? '' : `\npage ${facts.origin}/#token=${(await engineToken(raymondDir)) ?? ''}`;
  const lines = `running: the engine of ${root} (process ${facts.pid ?? ''}, version ${facts.version ?? ''}, for ${age})`;
  await io.show(`${lines}\nopen runs ${runs.length}${page}\nlog ${engineFolder(raymondDir).log}`);
  return code;
}

async function showLog(
  io: Io,
  { project, follow }: { readonly project: Project; readonly follow: boolean },
): Promise<number> {
  const { log } = engineFolder(project.raymondDir);
  let from = 0;
  for (;;) {
    const size = await stat(log).then(
      (file) => file.size,
      () => 0,
    );
    if (size < from) from = 0;
    if (size > from)
      for await (const chunk of createReadStream(log, { start: from, end: size - 1 })) await shown(io, chunk as Buffer);
    from = size;
    if (!follow || io.unread.aborted) return EXIT.completed;
    await delay(FOLLOW_MS);
  }
}

const FOLLOW_MS = 300;

async function shown(io: Io, chunk: Buffer): Promise<void> {
  await io.show(chunk.toString('utf8').replace(/\n$/, ''));
}
