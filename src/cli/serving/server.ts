// `raymond server start|stop|status|list`: the embedded Temporal server of this project; and those of all projects.
import type { DocumentOf } from '../../client/documents/documents.js';
import { stopEngine } from '../../engine/ensure.js';
import { enginePid } from '../../engine/record.js';
import { findProject, makeRaymondDir, type Project } from '../../client/project/project.js';
import { assertNever } from '../../protocol/failure.js';
import { defined } from '../../protocol/text.js';
import {
  ensureServer,
  runningServers,
  serverStatus,
  stopServer,
  type EnsuredServer,
  type ServerInfo,
} from '../../server/index.js';
import { noteLostDatabase, temporalCliOf } from '../../client/open.js';
import { columns } from '../view/columns.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** What to do with the server. */
type ServerAction = 'start' | 'stop' | 'status' | 'list';

/** The action with its flags. */
interface ServerRequest {
  readonly action: ServerAction;
  readonly force?: boolean;
  readonly json?: boolean;
}

/**
 * Runs it; returns the exit code. The engine stops first, after its turns; with `force` they are interrupted, and run
 * again later.
 */
export async function server(io: Io, { action, force = false, json = false }: ServerRequest): Promise<number> {
  const { cwd, show, say } = io;
  if (action === 'list') return await showAll(io, json);
  const project = await findProject(cwd);
  const { raymondDir } = project;
  switch (action) {
    case 'start': {
      const info = await startedServer(project, io);
      const { started, address, pid, uiUrl } = info;
      if (json) await printDocument(io, 'server start', { started, ...serverDocument(info) });
      else await show(`${started ? 'started' : 'already running'}: ${address} (pid ${pid}), Web UI ${uiUrl}`);
      if (enginePid(raymondDir) === undefined)
        say('the server alone executes no runs; start the engine with: raymond up');
      return 0;
    }
    case 'stop': {
      await stopEngine({ raymondDir, ...defined({ drainSeconds: force ? 0 : project.config.drain }) });
      const outcome = await stopServer({ raymondDir });
      const stopped = outcome.kind === 'stopped' ? { stopped: true, pid: outcome.server.pid } : { stopped: false };
      if (json) await printDocument(io, 'server stop', stopped);
      else await show(stopped.stopped ? `stopped (pid ${stopped.pid})` : 'not running');
      return 0;
    }
    case 'status':
      return await showStatus(io, { raymondDir, json });
    default:
      return assertNever(action);
  }
}

/** The server of a project, started if it does not run. */
export async function startedServer(project: Project, { env, say: report }: Io): Promise<EnsuredServer> {
  const { raymondDir } = project;
  await makeRaymondDir(raymondDir);
  const server = await ensureServer({ raymondDir, report, ...temporalCliOf(project) });
  await noteLostDatabase(server, { project, env, report });
  return server;
}

async function showStatus(
  io: Io,
  { raymondDir, json }: { readonly raymondDir: string; readonly json: boolean },
): Promise<number> {
  const status = await serverStatus({ raymondDir });
  const code = status.kind === 'running' ? 0 : 1;
  if (json) {
    const facts = status.kind === 'stopped' ? {} : serverDocument(status.server);
    await printDocument(io, 'server status', { status: status.kind, ...facts });
    return code;
  }
  if (status.kind !== 'running') {
    await io.show('not running; start it with the engine: raymond up; or alone: raymond server start');
    return code;
  }
  const { address, uiUrl, pid, database, logFile, serverVersion } = status.server;
  await io.show(
    `running: ${address} (pid ${pid}, server ${serverVersion}), Web UI ${uiUrl}\ndatabase ${database}\nlog ${logFile}`,
  );
  return code;
}

function serverDocument({
  address,
  uiUrl,
  pid,
  serverVersion,
  database,
  logFile,
}: ServerInfo): Omit<DocumentOf<'server start'>, 'started'> {
  return { address, uiUrl, pid, serverVersion, database, logFile };
}

async function showAll(io: Io, json: boolean): Promise<number> {
  const servers = await runningServers();
  if (json) await printDocument(io, 'server list', servers);
  else if (servers.length === 0) io.say('no embedded server is running; start one with its engine: raymond up');
  else {
    const rows = servers.map(({ project, address, pid, uiUrl }) => [
      project ?? `(its project is gone; stop it with: kill ${pid})`,
      address,
      String(pid),
      uiUrl,
    ]);
    await io.show(columns([['PROJECT', 'ADDRESS', 'PID', 'WEB UI'], ...rows]));
  }
  return 0;
}
