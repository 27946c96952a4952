// The user's cache: the installed Temporal CLI and what is known about other ones. Everything in it can be deleted at any time.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The version that is installed when no Temporal CLI is found: the newest that `go install` accepts. */
export const CLI_VERSION = 'v1.5.1';

/** The executable's file name on this system. */
export const CLI_NAME = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** The folder for everything about the Temporal CLI, the same for all projects of the user. */
export function cacheFolder(): string {
  return join(userCache(), 'raymond', 'temporal');
}

/** The folder of the pinned version. */
export function installFolder(): string {
  return join(cacheFolder(), CLI_VERSION);
}

/** The pinned version's executable, when it is installed. */
export function installedCli(): string {
  return join(installFolder(), CLI_NAME);
}

function userCache(): string {
  const named = process.env.XDG_CACHE_HOME;
  if (named !== undefined && isAbsolute(named)) return named; // the standard says: ignore a relative one
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  return join(homedir(), '.cache');
}
