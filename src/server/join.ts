// The slow way to a server, under the guard: wait for the one that somebody is starting, or start one.
import { findCli } from './find.js';
import { explainingFolderErrors, ServerError } from './error.js';
import { makeServerFolder, type Report, type ServerFolder } from './folder.js';
import { guarded } from './guard.js';
import { joined } from './launch.js';
import { livingRecord } from './living.js';
import { readRecord, type ServerInfo, type ServerRecord } from './record.js';
import { settle, startServer } from './start.js';

/** How a server is looked for and started. */
export interface JoinOptions {
  /** The executable named in the configuration; `RAYMOND_TEMPORAL_CLI` wins over it. */
  readonly cli?: string | undefined;
  readonly report: Report;
  /** How long a server may take to its first answer (default 30 s). */
  readonly readyTimeoutMs?: number;
}

/** The server somebody else started, or the one this call started. */
export type Joined =
  | { readonly kind: 'joined'; readonly record: ServerRecord }
  | { readonly kind: 'started'; readonly server: ServerInfo };

const READY_MS = 30_000;

/** Joins the folder's living server or starts one; throws a ServerError when neither is possible. */
export async function joinOrStart(folder: ServerFolder, options: JoinOptions): Promise<Joined> {
  const timeoutMs = options.readyTimeoutMs ?? READY_MS;
  // Looked for before the guard is taken, because an installation takes minutes; not at all while a server lives.
  const early = livingRecord(folder) === undefined ? await findCli(options) : undefined;
  return explainingFolderErrors(folder.dir, async () => {
    await makeServerFolder(folder);
    return guarded(folder, async () => {
      const record = await livingServer(folder, options, timeoutMs);
      if (record !== undefined) return { kind: 'joined', record };
      const cli = early ?? (await findCli(options));
      const lastPorts = readRecord(folder)?.ports;
      const server = await startServer({ folder, cli, report: options.report, timeoutMs, lastPorts });
      return { kind: 'started', server };
    });
  });
}

/** The living server once it answers, or undefined when there is none or it died meanwhile. */
async function livingServer(
  folder: ServerFolder,
  { report }: JoinOptions,
  timeoutMs: number,
): Promise<ServerRecord | undefined> {
  const record = livingRecord(folder);
  if (record === undefined) return undefined;
  const outcome = await joined(record, timeoutMs);
  if (outcome === 'silent') throw notAnswering(record, timeoutMs);
  if (outcome === 'died') return undefined;
  await settle({ database: record.info.database, ports: record.ports, report });
  return record;
}

function notAnswering({ info }: ServerRecord, timeoutMs: number): ServerError {
  const what = `the Temporal server (pid ${info.pid}, ${info.address}) lives but did not answer within ${timeoutMs / 1000} s`;
  return new ServerError('NotAnswering', `${what}: \`raymond server stop\` ends it; its log is ${info.logFile}`);
}
