// The processes of this user that are embedded servers, from the operating system: the source of
// their list, and of a lost record.
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { ask } from '../host/ask.js';
import { identify } from '../host/process.js';
import { databaseFile, versionOf } from './database.js';
import { isOwnServer } from './flags.js';
import { HOST } from './ports.js';
import { folderIdentity, type ServerFolder, type ServerRecord } from './record.js';

/** A process that is an embedded server. */
interface ServerProcess {
  readonly pid: number;
  readonly args: readonly string[];
  readonly cwd?: string;
}

/** Finds them. None on Windows, which does not report working directories. */
export async function serverProcesses(platform: NodeJS.Platform = process.platform): Promise<readonly ServerProcess[]> {
  if (platform === 'win32') return [];
  return platform === 'linux' ? await fromProc() : await fromPs();
}

/** The word after a flag of a command line; empty without one. */
export function argumentOf(args: readonly string[], flag: string): string {
  return args[args.indexOf(flag) + 1] ?? '';
}

/**
 * The record of a server that runs in this folder, made from its process; undefined when none runs
 * there.
 */
export async function recordOfProcess(folder: ServerFolder): Promise<ServerRecord | undefined> {
  for (const found of await serverProcesses()) {
    const record = isIn(folder, found) ? recordOf(folder, found) : undefined;
    if (record !== undefined) return record;
  }
  return undefined;
}

function isIn({ dir }: ServerFolder, { cwd }: ServerProcess): boolean {
  // Also by another path: the folder may have been moved, or be reached through a link.
  const own = folderIdentity(dir);
  return cwd !== undefined && own !== undefined && folderIdentity(cwd) === own;
}

function recordOf(folder: ServerFolder, { pid, args }: ServerProcess): ServerRecord | undefined {
  const identity = identify(pid);
  const serverVersion = versionOf(argumentOf(args, '--db-filename'));
  if (identity === undefined || serverVersion === undefined) return undefined;
  const port = (flag: string): number => Number(argumentOf(args, flag));
  const [grpc, ui] = [port('--port'), port('--ui-port')];
  const info = {
    ...identity,
    address: `${HOST}:${grpc}`,
    uiUrl: `http://${HOST}:${ui}`,
    serverVersion,
    database: databaseFile(folder.dir, serverVersion),
    logFile: folder.log,
    cli: args[0] ?? '',
  };
  const ports = { grpc, ui, http: port('--http-port'), metrics: port('--metrics-port') };
  return { info, ports, folder: folderIdentity(folder.dir) ?? '' };
}

async function fromProc(): Promise<readonly ServerProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const servers = await Promise.all(pids.map((pid) => readProcess(Number(pid)).catch(() => undefined))); // it has just ended
  return servers.filter((server) => server !== undefined);
}

async function readProcess(pid: number): Promise<ServerProcess | undefined> {
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  if (!isOwnServer(args)) return undefined;
  // Only root could read another user's process; it does not belong to this user anyway.
  if ((await stat(`/proc/${pid}`)).uid !== process.getuid?.()) return undefined;
  return { pid, args, cwd: await readlink(`/proc/${pid}/cwd`) };
}

const TOOL = { maxBuffer: 64 << 20, timeoutMs: 10_000 };

/** macOS: `ps` knows the arguments (none of ours that counts here has a space), `lsof` the working directories. */
async function fromPs(): Promise<readonly ServerProcess[]> {
  const { stdout, error } = await ask('ps', ['-axww', '-U', String(process.getuid?.()), '-o', 'pid=,command='], TOOL);
  if (error !== undefined) throw error;
  const servers = stdout.split('\n').flatMap((line) => {
    const [pid, ...args] = line.trim().split(/\s+/);
    return isOwnServer(args) ? [{ pid: Number(pid), args }] : [];
  });
  if (servers.length === 0) return [];
  const folders = await foldersOf(servers.map(({ pid }) => pid));
  return servers.map((server) => ({ ...server, ...folders.get(server.pid) }));
}

async function foldersOf(pids: readonly number[]): Promise<ReadonlyMap<number, { readonly cwd: string }>> {
  // It fails when one of them has ended in the meantime, and still lists the others.
  const { stdout } = await ask('lsof', ['-a', '-d', 'cwd', '-p', pids.join(','), '-Fpn'], TOOL);
  const found = [...stdout.matchAll(/^p(\d+)\n(?:f.*\n)?n(.*)$/gm)];
  return new Map(found.map(([, pid, cwd = '']) => [Number(pid), { cwd }]));
}
