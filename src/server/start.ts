// Starts a server, or waits for one that another process is starting; one process at a time. The
// database has the server's version, the ports are free, and a failed start has a clear error.
import { waitForLock } from '../host/lock.js';
import {
  adoptDatabase,
  databaseFile,
  finishDatabase,
  hasDatabase,
  isUnfinished,
  newerUseByOther,
  prepareDatabase,
} from './database.js';
import { explainingFolderErrors, ServerError } from './error.js';
import { findCli } from './find.js';
import { type Launch, launch, waitForAnswer } from './launch.js';
import { anyPorts, type Ports, takenPorts, usualPorts } from './ports.js';
import { livingRecord, livingServer, setRetention } from './probe.js';
import {
  makeServerFolder,
  probeSpace,
  readRecord,
  removeRecord,
  type ServerFolder,
  type ServerInfo,
  type ServerRecord,
  writeRecord,
} from './record.js';
import { CLI_VARIABLE, inspectCli, installedClis, type Report, type TemporalCli } from './temporal-cli.js';

// Temporal's default of one day would lose closed runs over a weekend.
const RETENTION_DAYS = 30;
const USUAL_CHOICES = 4;
const READY_MS = 30_000;
const GUARD_MS = 90_000;

/** How a server is looked for and started. */
export interface JoinOptions {
  /** The executable named in the configuration; `RAYMOND_TEMPORAL_CLI` wins over it. */
  readonly cli?: string | undefined;
  readonly report: Report;
  /** How long a server may take to its first answer (default 30 s). */
  readonly readyTimeoutMs?: number;
}

/** The server that another process started, or the one that this call started. */
type JoinResult =
  | { readonly kind: 'joined'; readonly record: ServerRecord }
  | { readonly kind: 'started'; readonly server: ServerInfo; readonly isFirst: boolean };

/** Joins the folder's living server or starts one; throws a ServerError when neither is possible. */
export async function joinOrStart(folder: ServerFolder, options: JoinOptions): Promise<JoinResult> {
  const timeoutMs = options.readyTimeoutMs ?? READY_MS;
  // Looked for before the guard is taken, because an installation takes minutes; not at all while a server lives.
  const early = (await livingServer(folder)) === undefined ? await findCli(options) : undefined;
  return explainingFolderErrors(folder.dir, async () => {
    await makeServerFolder(folder);
    return guard(folder, async () => {
      const record = await answeringServer(folder, options, timeoutMs);
      if (record !== undefined) return { kind: 'joined', record };
      const cli = early ?? (await findCli(options));
      const lastPorts = readRecord(folder)?.ports;
      const isFirst = !hasDatabase(folder.dir);
      const server = await startServer({ folder, cli, report: options.report, timeoutMs, lastPorts });
      return { kind: 'started', server, isFirst };
    });
  });
}

/** The running server once it answers, or undefined when there is none or it died meanwhile. */
async function answeringServer(
  folder: ServerFolder,
  { report }: JoinOptions,
  timeoutMs: number,
): Promise<ServerRecord | undefined> {
  const record = await livingServer(folder);
  if (record === undefined) return undefined;
  const outcome = await waitForAnswer(record, timeoutMs);
  if (outcome === 'silent') throw notAnswering(record, timeoutMs);
  if (outcome === 'died') return undefined;
  await settle({ database: record.info.database, ports: record.ports, report });
  if (livingRecord(folder) === undefined) await writeRecord(folder, record); // it was lost
  return record;
}

function notAnswering({ info }: ServerRecord, timeoutMs: number): ServerError {
  const what = `the Temporal server (pid ${info.pid}, ${info.address}) is running but did not answer within ${timeoutMs / 1000} s`;
  return new ServerError('NotAnswering', `${what}: \`raymond server stop\` ends it; its log is ${info.logFile}`);
}

/** Runs `work` while no other process starts or stops this folder's server; the folder must exist. */
export async function guard<T>(folder: ServerFolder, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(folder.lock, { timeoutMs: GUARD_MS });
  if (lock.kind === 'held') {
    const what = `process ${lock.owner.pid} has been starting or stopping the Temporal server for more than ${GUARD_MS / 1000} s`;
    throw new ServerError('Locked', `${what} (${folder.lock}): end that process and try again`);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** What a start needs; `lastPorts` are those of the server before, on which workers still look for it. */
interface StartOptions {
  readonly folder: ServerFolder;
  readonly cli: TemporalCli;
  readonly report: Report;
  readonly timeoutMs: number;
  readonly lastPorts?: Ports | undefined;
}

/** Starts a server and waits until it answers; throws a ServerError and leaves no record when it does not. */
async function startServer(options: StartOptions): Promise<ServerInfo> {
  const { folder, cli, report } = options;
  const adopted = await adoptDatabase(folder.dir, cli.serverVersion);
  if (adopted !== undefined) report(`the runs of the Temporal server ${adopted} continue on ${cli.serverVersion}`);
  const other = newerUseByOther(folder.dir, cli.serverVersion);
  if (other !== undefined) report(await notSeen(folder, cli, other));
  const database = databaseFile(folder.dir, cli.serverVersion);
  await prepareDatabase(database);
  const { info, ports } = await onFreePorts(options, database);
  await settle({ database, ports, report });
  report(`started the Temporal server ${info.serverVersion} (pid ${info.pid}); Web UI: ${info.uiUrl}`);
  return info;
}

/** After the first answer on a new database: sets it up and keeps it from now on. */
async function settle(server: { database: string; ports: Ports; report: Report }): Promise<void> {
  if (!(await isUnfinished(server.database))) return;
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
    // Another program may have taken a port since our check: only then do other ports help.
    taken = result.kind === 'died' ? await takenPorts(ports) : [];
    if (taken.length > 0) continue;
    await probeSpace(folder);
    throw startError(result, { folder, cli, database, timeoutMs });
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

type LaunchFailure = Exclude<Launch, { kind: 'up' }>;
type Attempt = Pick<StartOptions, 'folder' | 'cli' | 'timeoutMs'> & { readonly database: string };

function startError(result: LaunchFailure, { folder, cli, database, timeoutMs }: Attempt): ServerError {
  const log = result.log.length === 0 ? 'it wrote nothing' : `it wrote:\n  ${result.log.join('\n  ')}`;
  if (result.kind === 'silent') {
    const next = `try again when the machine is less busy; its log is ${folder.log}`;
    return new ServerError(
      'NotAnswering',
      `the Temporal server did not answer within ${timeoutMs / 1000} s and was ended; ${next}; ${log}`,
    );
  }
  // The server reports this as text only; the name in capitals is SQLite's own code.
  if (result.log.some((line) => line.includes('SQLITE_BUSY'))) {
    const next = `find the process (\`lsof ${database}\`, also in containers that share the folder), stop it, and start again`;
    return new ServerError('DatabaseBusy', `another process has the database ${database} open: ${next}`);
  }
  const next = `see ${folder.log}, or name another Temporal CLI by ${CLI_VARIABLE}`;
  return new ServerError('CliFailed', `the Temporal server (${cli.path}) ended at its start; ${next}; ${log}`);
}

async function notSeen(folder: ServerFolder, cli: TemporalCli, other: string): Promise<string> {
  const kept = `runs of the server ${other} are kept in ${databaseFile(folder.dir, other)}`;
  const what = `this Temporal CLI has server ${cli.serverVersion}; ${kept} and are not shown by it`;
  const path = await installedCliOf(other);
  const command = `raymond down && ${CLI_VARIABLE}=${path ?? 'CLI'} raymond up`;
  const which = path === undefined ? `, where CLI is a Temporal CLI with server ${other}` : '';
  return `${what}: to see them, run: ${command}${which}`;
}

/** A CLI that Raymond installed, with this server. */
async function installedCliOf(serverVersion: string): Promise<string | undefined> {
  for (const path of installedClis()) {
    const inspection = await inspectCli(path);
    if (inspection.kind === 'usable' && inspection.cli.serverVersion === serverVersion) return path;
  }
  return undefined;
}
