// All running embedded servers of this user, for any project: read from the processes, because a
// stored list could be outdated. The working directory of a server is its folder; its project's
// record says whether the project still uses it.
import { basename, dirname } from 'node:path';
import { livingRecord } from './probe.js';
import { argumentOf, serverProcesses } from './processes.js';
import { folderIdentity, serverFolder } from './record.js';

/** A server that runs. */
export interface RunningServer {
  readonly pid: number;
  readonly address: string;
  readonly uiUrl: string;
  /**
   * The project's root; absent when no project knows the server any more, because its folder was
   * removed or replaced.
   */
  readonly project?: string;
}

/**
 * Finds them; starts, stops and writes nothing. None on Windows, which does not report working
 * directories.
 */
export async function runningServers(platform: NodeJS.Platform = process.platform): Promise<readonly RunningServer[]> {
  return (await serverProcesses(platform)).map(({ pid, args, cwd }) => {
    const { address, uiUrl } = foldersOf(args);
    const project = cwd === undefined ? undefined : projectOf(pid, cwd);
    return { pid, address, uiUrl, ...(project === undefined ? {} : { project }) };
  });
}

function foldersOf(args: readonly string[]): Pick<RunningServer, 'address' | 'uiUrl'> {
  const host = argumentOf(args, '--ip');
  return {
    address: `${host}:${argumentOf(args, '--port')}`,
    uiUrl: `http://${host}:${argumentOf(args, '--ui-port')}`,
  };
}

/** An existing folder belongs to its server, unless its record names another live server. */
function projectOf(pid: number, cwd: string): string | undefined {
  const raymondDir = dirname(cwd);
  const folder = serverFolder(raymondDir);
  if (folderIdentity(folder.dir) === undefined || (livingRecord(folder)?.info.pid ?? pid) !== pid) return undefined;
  return basename(raymondDir) === '.raymond' ? dirname(raymondDir) : raymondDir;
}
