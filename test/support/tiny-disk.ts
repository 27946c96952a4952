// Disks that take next to nothing, or nothing, for programs of a test: mounted in a user namespace of their own, where this host
// allows that.
import { execFileSync, spawnSync } from 'node:child_process';
import { describeUnless, testUnless } from './unless.js';

/** A disk that is mounted on a folder: so many bytes, some of them taken already, or nothing but a read-only view of the folder. */
export interface TinyDisk {
  readonly folder: string;
  readonly size: `${number}k` | `${number}m` | 'full' | 'read-only';
}

const WHY_NOT = mayMount() ? undefined : 'no disk may be mounted';

/** Like `describe`, skipped where no disk may be mounted. */
export const describeOnTinyDisk = describeUnless(WHY_NOT);

/** Like `test`, skipped where no disk may be mounted. */
export const testOnTinyDisk = testUnless(WHY_NOT);

/** What a program prints that runs with this disk; its stderr is not kept. */
export function onTinyDisk(disk: TinyDisk, command: readonly string[]): string {
  const [unshare = '', ...words] = [...withTinyDisk(disk), ...command];
  return spawnSync(unshare, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).stdout;
}

/** The words in front of a program that runs with this disk, for as long as it lives; a folder that is missing is made. */
export function withTinyDisk({ folder, size }: TinyDisk): readonly string[] {
  return ['unshare', '-Urm', 'bash', '-c', `mkdir -p "$1" && ${mounting(size)} && shift && exec "$@"`, 'bash', folder];
}

/** The same as options; undefined where no disk may be mounted. */
export function onTinyDiskInBackground(disk: TinyDisk): { readonly before: readonly string[] } | undefined {
  return WHY_NOT === undefined ? { before: withTinyDisk(disk) } : undefined;
}

function mounting(size: TinyDisk['size']): string {
  switch (size) {
    case 'read-only':
      return 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"';
    case 'full':
      return 'mount -t tmpfs -o size=4k tmpfs "$1" && echo x >"$1/x"';
    default:
      return `mount -t tmpfs -o size=${size} tmpfs "$1"`;
  }
}

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
