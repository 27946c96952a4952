// Finds setpriv, by which the kernel itself kills a process whose launcher was killed. Starts nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const OPTIONS = ['--pdeathsig', 'KILL', '--'];

/** What to put in front of every command (empty when this host has no setpriv that can do it). */
export function deathSignalPrefix(path = process.env['PATH'] ?? ''): readonly string[] {
  if (process.platform !== 'linux') return [];
  const setpriv = [...path.split(':'), '/usr/bin', '/bin']
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'setpriv'))
    .find((file) => existsSync(file));
  if (setpriv === undefined) return [];
  // Small variants of setpriv do not know the option.
  const works = spawnSync(setpriv, [...OPTIONS, 'true'], { stdio: 'ignore', env: { PATH: path } }).status === 0;
  return works ? [setpriv, ...OPTIONS] : [];
}
