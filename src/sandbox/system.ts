// The system of a Linux host as sandboxed turns see it: programs, libraries and settings, without the files in /etc that
// are secret. Looked at once per process.
import { lstat, readlink } from 'node:fs/promises';
import { exists } from '../host/files.js';

/** A part of the system: a folder, or a link such as `/bin` to `usr/bin`. */
type SystemEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** The system, and what of it is hidden: folders, and files. */
export interface System {
  readonly entries: readonly SystemEntry[];
  readonly hiddenFolders: readonly string[];
  readonly hiddenFiles: readonly string[];
}

const FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu'];
const SECRET_FOLDERS = [
  'docker',
  'kubernetes',
  'letsencrypt',
  'NetworkManager/system-connections',
  'raymond',
  'rancher',
  'ssh',
  'ssl/private',
  'sudoers.d',
  'wireguard',
];
const SECRET_FILES = ['gshadow', 'gshadow-', 'krb5.keytab', 'shadow', 'shadow-', 'sudoers'];

/** Commands to the kernel. */
const SYSRQ = '/proc/sysrq-trigger';

let known: Promise<System> | undefined;

/** The system of this host. */
export async function systemOfHost(): Promise<System> {
  return await (known ??= read());
}

async function read(): Promise<System> {
  const entries = await Promise.all(FOLDERS.map(entryOf));
  const present = async (names: readonly string[]): Promise<readonly string[]> => {
    const found = await Promise.all(
      names.map(async (name) => ((await exists(`/etc/${name}`)) ? [`/etc/${name}`] : [])),
    );
    return found.flat();
  };
  return {
    entries: entries.flat(),
    hiddenFolders: await present(SECRET_FOLDERS),
    hiddenFiles: [...(await present(SECRET_FILES)), ...((await exists(SYSRQ)) ? [SYSRQ] : [])],
  };
}

async function entryOf(path: string): Promise<readonly SystemEntry[]> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return [];
  return [stats.isSymbolicLink() ? { kind: 'link', path, target: await readlink(path) } : { kind: 'folder', path }];
}
