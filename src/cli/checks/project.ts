// Checks what runs need from a project and its host: Node.js, a readable config, disk space, keys, an artifact store.
import { constants } from 'node:fs';
import { access, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDirectory, whyUnwritable } from '../../host/files.js';
import { findProject, projectAt, type Project } from '../../client/project/project.js';
import { StoreRefused, StoreUnreachable } from '../../store/store.js';
import { artifactDirOf, keysOf, storeOf } from '../../client/open.js';
import { containerRuntime, hasNoKernelLimit, missingFor } from '../../sandbox/index.js';
import type { Io } from '../io.js';
import { failed, ok, warning, type Check, type DoctorCheck } from './check.js';
import { defined, messageOf } from '../../protocol/text.js';

/** Whether this version of Node.js is one of `engines` of the package, such as `>=20.18.1`. */
export function nodeCheck(engines: string, version = process.versions.node): Check {
  const [wanted = [], there = []] = [engines, version].map((text) =>
    text
      .replace(/^[^\d]*/, '')
      .split('.')
      .map(Number),
  );
  const at = wanted.findIndex((number, index) => number !== (there[index] ?? 0));
  const isEnough = at < 0 || (there[at] ?? 0) > (wanted[at] ?? 0);
  const detail = `${version} (needed: ${engines})`;
  return isEnough ? ok('Node.js', detail) : failed('Node.js', detail, 'install a newer Node.js: https://nodejs.org');
}

/** The project, without its config when that cannot be read: then a check reports why. */
export async function openProject({ cwd }: Io): Promise<{ readonly project: Project; readonly check: Check }> {
  try {
    const project = await findProject(cwd);
    const files = project.configFiles.map(({ path }) => path).join(', ');
    return { project, check: ok('config', files || `none in ${project.root}; every key has its default`) };
  } catch (error) {
    const project = { ...(await projectAt(cwd)), configFiles: [], config: {} };
    return { project, check: failed('config', messageOf(error), 'correct the file; "raymond init" writes an example') };
  }
}

/** The checks of the project. */
export function projectLooks(project: Project, env: NodeJS.ProcessEnv): readonly DoctorCheck[] {
  return [
    { name: 'disk', checks: async () => [await disk(project)] },
    { name: 'keys', checks: () => keys(project) },
    { name: 'artifacts', checks: () => artifacts(project, env) },
    { name: 'sandbox', checks: async () => [await sandbox(project, env)] },
  ];
}

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const LOW_BYTES = GIB;
const FULL_BYTES = 50 * MIB;

async function disk({ raymondDir }: Project): Promise<Check> {
  let folder = raymondDir;
  while (!(await isDirectory(folder)) && dirname(folder) !== folder) folder = dirname(folder);
  const closed = await unwritableFolder([folder, ...(await foldersIn(raymondDir))]);
  if (closed !== undefined) return closed;
  const { bavail, bsize } = await statfs(folder);
  return diskCheck(folder, bavail * bsize);
}

/** A user who ran Raymond as another user before may have folders of that user. */
async function foldersIn(raymondDir: string): Promise<readonly string[]> {
  const entries = await readdir(raymondDir, { withFileTypes: true }).catch(() => []); // Absent, or not accessible.
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(raymondDir, name));
}

/** The first of these folders in which this user cannot make files, as a failed check. */
async function unwritableFolder(folders: readonly string[]): Promise<Check | undefined> {
  for (const folder of folders) {
    const error: unknown = await access(folder, constants.W_OK | constants.X_OK).catch((thrown: unknown) => thrown);
    if (error === undefined) continue;
    const detail = `cannot write ${folder}: ${whyUnwritable(error) ?? messageOf(error)}`;
    return failed('disk', detail, `make ${folder} writable for this user, or use another project folder`);
  }
  return undefined;
}

/** Judges the number of free bytes. */
export function diskCheck(folder: string, free: number): Check {
  const amount = free < GIB ? `${Math.floor(free / MIB)} MiB` : `${(free / GIB).toFixed(1)} GiB`;
  const detail = `${amount} free in ${folder}`;
  if (free >= LOW_BYTES) return ok('disk', detail);
  return (free < FULL_BYTES ? failed : warning)('disk', detail, 'free some space: runs pause when the disk is full');
}

/** A missing sandbox is an error only when the config asks for one. */
async function sandbox({ config }: Project, env: NodeJS.ProcessEnv): Promise<Check> {
  const { kind = 'none', network = [], image } = config.sandbox ?? {};
  const runtime = await containerRuntime(env);
  const container =
    runtime.kind === 'found'
      ? `containers by ${runtime.found.name} ${runtime.found.version}`
      : `no containers: ${runtime.missing.what}`;
  const wanted = kind === 'none' ? 'process' : kind;
  const missing = await missingFor({ kind: wanted, network, ...defined({ image }) }, env);
  const detail = `${wanted} is available; ${container}; the config asks for ${kind}`;
  if (missing === undefined && wanted === 'process' && (await hasNoKernelLimit(env)))
    return warning('sandbox', `${detail}; ${UNLIMITED}`, LIMITING);
  if (missing === undefined) return ok('sandbox', detail);
  if (kind === 'none') return ok('sandbox', `none: ${missing.what}; ${missing.todo}; ${container}`);
  return failed('sandbox', missing.what, missing.todo);
}

const UNLIMITED =
  'root without control groups, before Linux 6.14: "processes" is only measured, and a fork bomb can stop the host';
const LIMITING =
  'start Raymond as an ordinary user, or where root may write /sys/fs/cgroup (in a container: --privileged, or with a ' +
  'mount of it)';

async function keys(project: Project): Promise<readonly Check[]> {
  try {
    const { keys: known, file } = await keysOf(project);
    const detail = file === undefined ? 'no encryption_keys: values in Temporal are not encrypted' : undefined;
    return [ok('keys', detail ?? `${known.length} in ${file}, "${known[0]?.id}" encrypts`)];
  } catch (error) {
    return [failed('keys', messageOf(error), 'correct the file, or encryption_keys in the config')];
  }
}

async function artifacts(project: Project, env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const dir = artifactDirOf(project);
  const { artifact_dir: named, artifact_store: bucket } = project.config;
  if (named === undefined && bucket === undefined && !(await isDirectory(project.raymondDir))) {
    return [ok('artifacts', `the first run creates ${dir}`)];
  }
  try {
    const store = storeOf(project, env);
    await store.probe();
    return [ok('artifacts', `${store.location} is writable and readable`)];
  } catch (error) {
    // An error of the store says itself what to do.
    if (error instanceof StoreRefused || error instanceof StoreUnreachable) return [failed('artifacts', error.message)];
    return [failed('artifacts', messageOf(error), `make ${dir} writable, or name another artifact_dir in the config`)];
  }
}
