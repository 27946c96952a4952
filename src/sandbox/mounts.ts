// What a sandboxed turn sees of the file system, as a list of paths: the nearest entry at or above a path decides. Pure;
// the same for all kinds of sandboxes.
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { SandboxPolicy } from '../protocol/sandbox.js';

/** `hide` = an empty folder in its place; `scratch` = the same, writable and gone after the turn. */
type Access = 'hide' | 'read' | 'write' | 'scratch';

/** One entry. A missing path is skipped if it is `optional`. */
export interface Mount {
  readonly path: string;
  readonly access: Access;
  readonly optional?: true;
  /** Where it is outside, if not at the same path. */
  readonly source?: string;
  /** What is hidden is a file. */
  readonly isFile?: true;
}

/** A file or folder that a turn reads at `path`, and where it is outside. */
export interface BindMount {
  readonly source: string;
  readonly path: string;
}

/** The folders and files of a turn, absolute. */
export interface Places {
  readonly home: string;
  readonly cwd: string;
  readonly raymondDir: string;
  readonly taskFolder: string;
  /** The private folder of the attempt, if it has one. */
  readonly temporary?: string;
  /** The file of the state. */
  readonly stateFile: string;
  /** PATH of the turn; empty where programs are not those of this host. */
  readonly path: string;
  /** Further paths that the turn reads or writes. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** What the turn reads at another path than outside. */
  readonly moved?: readonly BindMount[];
}

/**
 * What a later turn without a sandbox, a shell or an editor would run or obey: kept as it is, below the working
 * directory. What is not there at the start must not be there at the end.
 */
export const PROTECTED = [
  '.bash_profile',
  '.bashrc',
  '.claude/agents',
  '.claude/commands',
  '.claude/hooks',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/skills',
  '.envrc',
  '.git/commondir',
  '.git/config',
  '.git/config.worktree',
  '.git/hooks',
  '.gitconfig',
  '.gitmodules',
  '.idea',
  '.mcp.json',
  '.profile',
  '.ripgreprc',
  '.vscode',
  '.zprofile',
  '.zshenv',
  '.zshrc',
] as const;

/** Keys and credentials in a home; hidden also when the config opens the home. */
const SECRETS = [
  '.aws',
  '.azure',
  '.cargo/credentials.toml',
  '.claude/.credentials.json',
  '.config/gcloud',
  '.config/gh',
  '.docker',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.netrc',
  '.npmrc',
  '.password-store',
  '.pypirc',
  '.ssh',
  '.vault-token',
];

/** True for a path at or below a folder. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Why a sandbox cannot keep this working directory apart; undefined when it can. */
export function whyUnusable({ cwd, home }: Pick<Places, 'cwd' | 'home'>): string | undefined {
  if (!isWithin(home, cwd)) return undefined;
  const what = cwd === home ? 'is the home' : 'contains the home';
  return `the working directory ${cwd} ${what}, which a sandbox keeps closed; work in a project folder (--cwd)`;
}

/** An entry of a list of paths as an absolute path. */
function expand(entry: string, { home, cwd }: Pick<Places, 'cwd' | 'home'>): string {
  if (entry === '~' || entry.startsWith('~/')) return join(home, entry.slice(1));
  return resolve(cwd, entry);
}

/**
 * All entries, parents before children. `present` are the entries of `PROTECTED` that exist. Grants of the policy come
 * from the owner of the host: they open what is hidden by default, but for secrets inside of what they open.
 */
export function mountsOf(policy: SandboxPolicy, places: Places, present: readonly string[]): readonly Mount[] {
  const { home, cwd, raymondDir, taskFolder, temporary, stateFile, path } = places;
  const folder = dirname(stateFile);
  const granted = (['read', 'write'] as const).flatMap((access) =>
    policy[access].map((entry): Mount => ({ path: expand(entry, places), access, optional: true })),
  );
  const secrets = SECRETS.map((name) => join(home, name)).filter((secret) =>
    granted.some((grant) => grant.path !== secret && isWithin(secret, grant.path)),
  );
  const all: readonly Mount[] = [
    { path: '/tmp', access: 'scratch' },
    { path: home, access: 'scratch' },
    { path: cwd, access: 'write' },
    ...toolFolders(path, home).map((folder): Mount => ({ path: folder, access: 'read', optional: true })),
    ...[...(isWithin(home, folder) ? [] : [folder]), stateFile, ...(places.reads ?? [])].map((one): Mount => ({
      path: one,
      access: 'read',
    })),
    { path: raymondDir, access: 'hide' },
    ...pins(cwd, present).map((folder): Mount => ({ path: folder, access: 'write' })),
    ...present.map((name): Mount => ({ path: join(cwd, name), access: 'read' })),
    ...secrets.map((secret): Mount => ({ path: secret, access: 'hide', optional: true })),
    ...(places.moved ?? []).map((one): Mount => ({ ...one, access: 'read' })),
    ...[taskFolder, ...(temporary === undefined ? [] : [temporary]), ...(places.writes ?? [])].map((one): Mount => ({
      path: one,
      access: 'write',
    })),
  ];
  return inOrder([...all, ...granted]);
}

/** A folder between the working directory and a protected path must not be renamed: then it is mounted as well. */
function pins(cwd: string, present: readonly string[]): readonly string[] {
  return [...new Set(present.map(dirname).filter((folder) => folder !== '.'))].map((folder) => join(cwd, folder));
}

/** Version managers whose programs need a further folder of the home. */
const MANAGERS: Readonly<Record<string, string>> = { '.cargo/bin': '.rustup', '.volta/bin': '.volta' };

/** Folders of PATH below the home, and what their programs need beside them. */
function toolFolders(path: string, home: string): readonly string[] {
  const folders = path.split(':').filter((folder) => isAbsolute(folder) && folder !== home && isWithin(folder, home));
  return folders.flatMap((folder) => {
    const parent = dirname(folder);
    const manager = MANAGERS[relative(home, folder)];
    if (manager !== undefined) return [folder, join(home, manager)];
    if (parent === home) return [folder];
    // The shims of pyenv, rbenv, asdf and mise start programs of the folder that they are in.
    if (folder.endsWith('/shims')) return [parent];
    return folder.endsWith('/bin') ? [folder, join(parent, 'lib')] : [folder];
  });
}

/** The entries that change something; `system` are folders that are read anyway. */
export function effectiveMounts(mounts: readonly Mount[], system: readonly string[] = []): readonly Mount[] {
  return mounts.filter((mount) => {
    const { path, access, source } = mount;
    const around = mounts.findLast((other) => other.path !== path && isWithin(path, other.path));
    if (access === 'hide') return mount.isFile === true || isFolderHidden(mount, mounts);
    if (access !== 'read' || source !== undefined) return true;
    return around === undefined ? !system.some((folder) => isWithin(path, folder)) : around.access !== 'read';
  });
}

/** What is nowhere to be seen needs no empty folder in its place. */
export function isFolderHidden({ path, access, isFile }: Mount, mounts: readonly Mount[]): boolean {
  if (access !== 'hide' || isFile === true) return false;
  const around = mounts.findLast((mount) => mount.path !== path && isWithin(path, mount.path));
  return around !== undefined && around.access !== 'scratch';
}

/** Without a limit of memory. */
const SCRATCH_BYTES = 2 * 2 ** 30;

/** The most that a turn can keep in its home, and in `/tmp`; both are in memory. */
export function scratchBytes({ memory = SCRATCH_BYTES }: Pick<SandboxPolicy, 'memory'>): number {
  return memory;
}

/** The order of the same path: what comes last counts. */
const STRICTNESS: readonly Access[] = ['read', 'write', 'scratch', 'hide'];

function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (known === undefined || isStricter(mount, known)) byPath.set(mount.path, mount);
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** A path that a grant or the turn itself opens is not hidden; the working directory is written, though it is read. */
function isStricter(one: Mount, known: Mount): boolean {
  if (one.optional === true && (known.access === 'scratch' || known.access === 'hide')) return true;
  return STRICTNESS.indexOf(one.access) > STRICTNESS.indexOf(known.access);
}
