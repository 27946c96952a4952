// A new server for the project: a database of its version, ports that are free, and a clear error when it does not come up.
// Must only be called under the folder's lock, when no recorded server lives.
import type { TemporalCli } from './cli.js';
import { databaseFile, finishDatabase, isUnfinished, newerUseByOther, prepareDatabase } from './database.js';
import { ServerError } from './error.js';
import type { Report, ServerFolder } from './folder.js';
import { type Launch, launch } from './launch.js';
import { CLI_VARIABLE } from './named.js';
import { anyPorts, type Ports, takenPorts, usualPorts } from './ports.js';
import { setRetention } from './probe.js';
import { removeRecord, type ServerInfo } from './record.js';

/** What a start needs; `lastPorts` are those of the server before, on which workers still look for it. */
export interface StartOptions {
  readonly folder: ServerFolder;
  readonly cli: TemporalCli;
  readonly report: Report;
  readonly timeoutMs: number;
  readonly lastPorts?: Ports | undefined;
}

// Temporal's default of one day would lose closed runs over a weekend.
const RETENTION_DAYS = 30;
const USUAL_CHOICES = 4;

/** Starts a server and waits until it answers; throws a ServerError and leaves no record when it does not. */
export async function startServer(options: StartOptions): Promise<ServerInfo> {
  const { folder, cli, report } = options;
  const other = newerUseByOther(folder.dir, cli.serverVersion);
  if (other !== undefined) report(notSeen(folder, cli, other));
  const database = databaseFile(folder.dir, cli.serverVersion);
  await prepareDatabase(database);
  const { info, ports } = await onFreePorts(options, database);
  await settle({ database, ports, report });
  report(`started the Temporal server ${info.serverVersion} (pid ${info.pid}); Web UI: ${info.uiUrl}`);
  return info;
}

/** After the first answer on a new database: sets it up and keeps it from now on. */
export async function settle(server: { database: string; ports: Ports; report: Report }): Promise<void> {
  if (!isUnfinished(server.database)) return;
  const kept = await setRetention(server.ports.http, RETENTION_DAYS);
  if (!kept) server.report('the Temporal server refused to keep closed runs longer than its default, one day');
  await finishDatabase(server.database);
}

type Up = Extract<Launch, { kind: 'up' }>['record'];

async function onFreePorts(options: StartOptions, database: string): Promise<Up> {
  const { folder, cli, timeoutMs, lastPorts } = options;
  let taken: readonly number[] = [];
  for await (const ports of candidates(folder, lastPorts)) {
    taken = await takenPorts(ports);
    if (taken.length > 0) continue;
    const result = await launch({ folder, cli, database, ports, timeoutMs });
    if (result.kind === 'up') return result.record;
    await removeRecord(folder);
    // Somebody may have taken a port between our look and the server's: then, and only then, other ports help.
    taken = result.kind === 'died' ? await takenPorts(ports) : [];
    if (taken.length === 0) throw startError(result, { folder, cli, database, timeoutMs });
  }
  throw new ServerError(
    'PortTaken',
    `cannot start the Temporal server of ${folder.dir}: other programs took each port before it could (last ${taken.join(', ')}); try again`,
  );
}

async function* candidates(folder: ServerFolder, lastPorts: Ports | undefined): AsyncIterable<Ports> {
  if (lastPorts !== undefined) yield lastPorts;
  for (let choice = 0; choice < USUAL_CHOICES; choice++) yield usualPorts(folder.dir, choice);
  yield await anyPorts();
}

type Failed = Exclude<Launch, { kind: 'up' }>;
type Attempt = Pick<StartOptions, 'folder' | 'cli' | 'timeoutMs'> & { readonly database: string };

function startError(result: Failed, { folder, cli, database, timeoutMs }: Attempt): ServerError {
  const log = result.log.length === 0 ? 'it wrote nothing' : `it wrote:\n  ${result.log.join('\n  ')}`;
  if (result.kind === 'silent') {
    const next = `try again when the machine is less busy; its log is ${folder.log}`;
    return new ServerError(
      'NotAnswering',
      `the Temporal server did not answer within ${timeoutMs / 1000} s and was ended; ${next}; ${log}`,
    );
  }
  // The server tells this in words only; the name in capitals is SQLite's own code.
  if (result.log.some((line) => line.includes('SQLITE_BUSY'))) {
    const next = `find the process (\`lsof ${database}\`, also in containers that share the folder), stop it, and start again`;
    return new ServerError('DatabaseBusy', `another process has the database ${database} open: ${next}`);
  }
  const next = `see ${folder.log}, or name another Temporal CLI by ${CLI_VARIABLE}`;
  return new ServerError('CliFailed', `the Temporal server (${cli.path}) ended at its start; ${next}; ${log}`);
}

function notSeen(folder: ServerFolder, cli: TemporalCli, other: string): string {
  const kept = `runs of the server ${other} are kept in ${databaseFile(folder.dir, other)}`;
  const next = `name a Temporal CLI with server ${other} by ${CLI_VARIABLE} or \`temporal_cli\` in .raymond/config.toml`;
  return `this Temporal CLI has server ${cli.serverVersion}; ${kept} and are not shown by it: to see them, ${next}`;
}
