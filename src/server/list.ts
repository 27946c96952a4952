// All embedded servers of this user that run, whatever their projects: read from the processes themselves, never from a list that could be
// out of date. The working directory of a server is its folder, and its project's record says whether it is still known there.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { isOwnServer } from './flags.js';
import { livingRecord } from './probe.js';
import { serverFolder } from './record.js';

/** A server that runs. */
export interface RunningServer {
  readonly pid: number;
  readonly address: string;
  readonly uiUrl: string;
  /** The project's root; absent when no project knows the server any more, for its folder was removed or copied over. */
  readonly project?: string;
}

interface ServerProcess {
  readonly pid: number;
  readonly args: readonly string[];
  readonly cwd?: string;
}

/** Finds them; starts, stops and writes nothing. None on Windows, which does not tell where a process works. */
export async function runningServers(platform: NodeJS.Platform = process.platform): Promise<readonly RunningServer[]> {
  const found = platform === 'win32' ? [] : platform === 'linux' ? await fromProc() : await fromPs();
  return found.map(({ pid, args, cwd }) => {
    const { address, uiUrl } = placesOf(args);
    const project = cwd === undefined ? undefined : projectOf(pid, cwd);
    return { pid, address, uiUrl, ...(project === undefined ? {} : { project }) };
  });
}

function placesOf(args: readonly string[]): Pick<RunningServer, 'address' | 'uiUrl'> {
  const value = (flag: string): string => args[args.indexOf(flag) + 1] ?? '';
  const host = value('--ip');
  return { address: `${host}:${value('--port')}`, uiUrl: `http://${host}:${value('--ui-port')}` };
}

function projectOf(pid: number, cwd: string): string | undefined {
  const raymondDir = dirname(cwd);
  if (livingRecord(serverFolder(raymondDir))?.info.pid !== pid) return undefined;
  return basename(raymondDir) === '.raymond' ? dirname(raymondDir) : raymondDir;
}

async function fromProc(): Promise<readonly ServerProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const looked = await Promise.all(pids.map((pid) => lookAt(Number(pid)).catch(() => undefined))); // it has just ended
  return looked.filter((server) => server !== undefined);
}

async function lookAt(pid: number): Promise<ServerProcess | undefined> {
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  if (!isOwnServer(args)) return undefined;
  // What belongs to others only root could read; it is none of his either.
  if ((await stat(`/proc/${pid}`)).uid !== process.getuid?.()) return undefined;
  return { pid, args, cwd: await readlink(`/proc/${pid}/cwd`) };
}

const run = promisify(execFile);
const TOOL = { maxBuffer: 64 << 20, timeout: 10_000 };

/** macOS: `ps` knows the arguments (none of ours that counts here has a space), `lsof` the working directories. */
async function fromPs(): Promise<readonly ServerProcess[]> {
  const { stdout } = await run('ps', ['-axww', '-U', String(process.getuid?.()), '-o', 'pid=,command='], TOOL);
  const servers = stdout.split('\n').flatMap((line) => {
    const [pid, ...args] = line.trim().split(/\s+/);
    return isOwnServer(args) ? [{ pid: Number(pid), args }] : [];
  });
  if (servers.length === 0) return [];
  const folders = await foldersOf(servers.map(({ pid }) => pid));
  return servers.map((server) => ({ ...server, ...folders.get(server.pid) }));
}

async function foldersOf(pids: readonly number[]): Promise<ReadonlyMap<number, { readonly cwd: string }>> {
  // It fails when one of them has ended meanwhile, and tells of the others all the same.
  const { stdout } = await run('lsof', ['-a', '-d', 'cwd', '-p', pids.join(','), '-Fpn'], TOOL).catch(
    (error: unknown) => error as { readonly stdout?: string },
  );
  const found = [...(stdout ?? '').matchAll(/^p(\d+)\n(?:f.*\n)?n(.*)$/gm)];
  return new Map(found.map(([, pid, cwd = '']) => [Number(pid), { cwd }]));
}
