// `raymond gc`: removes files in `.raymond` that no run needs. Removes nothing unless every possible user of them was
// asked.
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { unpackedDir } from '../../activities/settings.js';
import { newestChapter, removeFromBucket } from '../../client/garbage/bucket-garbage.js';
import { ClientError } from '../../client/error.js';
import {
  GARBAGE_KINDS,
  newestIn,
  removeGarbage,
  type GarbageKind,
  type GarbageRequest,
  type Tally,
} from '../../client/garbage/garbage.js';
import { keptRuns, NotingStore, References } from '../../client/garbage/kept-runs.js';
import { artifactDirOf, bucketOf, storeOf } from '../../client/open.js';
import { BucketStore } from '../../store/bucket.js';
import { findProject } from '../../client/project/project.js';
import { runOfFileName } from '../../protocol/ids.js';
import { serverStatus } from '../../server/index.js';
import { openForQuestion, settingsOf, type ClientContext } from '../context.js';
import { EXIT } from '../exit.js';
import { columns } from '../view/columns.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `gc`; a duration in ms. */
export interface GcFlags extends ConnectionFlags {
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const DEFAULT_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** The minimum age: a run that was just started may not be listed yet. */
const LEAST_AGE_MS = 60 * 60 * 1000;

/** Removes them; returns the exit code. */
export async function gc(io: Io, { flags }: { readonly flags: GcFlags }): Promise<number> {
  const { olderThan = DEFAULT_AGE_MS, dryRun = false } = flags;
  const startedAt = Date.now();
  const store = storeOf(await findProject(io.cwd), io.env);
  const bucket = store instanceof BucketStore ? store : undefined;
  const artifacts = new NotingStore(store);
  const context = await openForQuestion(io, { flags, artifacts });
  await refuseOtherServers(context);
  for (const line of notes(context, store.location)) io.say(line);
  const since = new Date(startedAt - Math.max(olderThan, LEAST_AGE_MS));
  const completedSince = new Date(startedAt - olderThan);
  const ageOf = (name: string): Promise<number> => newestOfRun(context, { bucket, name });
  const { runs, references } = await needed(context, { artifacts, completedSince, since, ageOf });
  const request = { references, runs, since, dryRun };
  const onDisk = await removeGarbage({ ...request, folders: foldersOf(context) });
  const inBucket = bucket !== undefined && ownsArtifacts(context) ? await removeFromBucket(bucket, request) : {};
  const removed = { ...onDisk, ...inBucket };
  if (flags.json === true) await printDocument(io, 'gc', { dryRun, keptRuns: runs.length, ...removed });
  else await io.show(report(removed, dryRun));
  return EXIT.completed;
}

/** Runs in another server's database need files, too, but that server cannot be asked. */
async function refuseOtherServers({ mode, project }: ClientContext): Promise<void> {
  const folder = join(project.raymondDir, 'temporal');
  const status = await serverStatus(project);
  const ours = mode.kind === 'local' && status.kind === 'running' ? basename(status.server.database) : undefined;
  const names = await readdir(folder).catch(() => []); // No folder: there was never a server.
  const other = names.find((name) => /^temporal-.+\.db$/.test(name) && name !== ours);
  if (other === undefined) return;
  const whose = mode.kind === 'local' ? 'another version of the server' : "this project's embedded server";
  throw new ClientError(
    'Unreachable',
    `${join(folder, other)} contains runs of ${whose}, which may need these files; nothing was removed. Delete it if you no longer need its runs`,
  );
}

function notes({ mode, link, project }: ClientContext, place: string): readonly string[] {
  if (mode.kind === 'cluster')
    return [
      `files of runs in the namespace "${link.namespace}" are kept; runs of other namespaces with artifacts in ${place} are not checked`,
    ];
  return ownsArtifacts({ mode, project })
    ? []
    : [`${place} may contain artifacts of other projects, whose runs cannot be checked from here: it was not cleaned`];
}

/** An embedded server knows the runs of its own project only. */
function ownsArtifacts({ mode, project }: Pick<ClientContext, 'mode' | 'project'>): boolean {
  if (mode.kind === 'cluster') return true;
  return bucketOf(project) === undefined && !relative(project.raymondDir, artifactDirOf(project)).startsWith('..');
}

function foldersOf(context: ClientContext): GarbageRequest['folders'] {
  const { raymondDir } = context.project;
  const settings = settingsOf(context.project);
  const artifacts = artifactDirOf(context.project);
  const packages = join(artifacts, 'packages');
  const own = ownsArtifacts(context)
    ? { artifacts, packages, chapters: join(artifacts, 'runs'), places: join(artifacts, 'places') }
    : {};
  return {
    // In front of a bucket the folder is this host's own cache.
    ...(bucketOf(context.project) === undefined ? own : { cache: artifacts, packages }),
    unpacked: unpackedDir(settings),
    workspaces: context.project.config.workspace_root ?? join(raymondDir, 'workspaces'),
    // Where the config names task folders, the meaning of their names is unknown.
    ...(settings.taskFolder === undefined ? { tasks: join(raymondDir, 'tasks') } : {}),
    debug: join(raymondDir, 'debug'),
    runs: join(raymondDir, 'runs'),
  };
}

/** When the files of a run, in a folder of this name, were last written. */
async function newestOfRun(
  { project }: ClientContext,
  { bucket, name }: { readonly bucket: BucketStore | undefined; readonly name: string },
): Promise<number> {
  if (bucket !== undefined) return await newestChapter(bucket, name);
  return await newestIn(join(artifactDirOf(project), 'runs', name));
}

/** Throws `Unreachable` when anything that may be needed cannot be read. */
async function needed(
  { link: { client } }: ClientContext,
  {
    artifacts,
    completedSince,
    since,
    ageOf,
  }: {
    readonly artifacts: NotingStore;
    readonly completedSince: Date;
    readonly since: Date;
    readonly ageOf: (name: string) => Promise<number>;
  },
): Promise<Pick<GarbageRequest, 'runs' | 'references'>> {
  let reading = 'the list of runs';
  try {
    const runs = await keptRuns(client, completedSince);
    const references = new References(client, artifacts);
    for (const runId of runs) {
      reading = `the history of ${runId}`;
      await references.addRun(runId);
    }
    for (const name of await artifacts.list('runs')) {
      const runId = runOfFileName(name);
      reading = `the files of ${runId}`;
      if (runs.includes(runId) || (await ageOf(name)) >= since.getTime()) await references.addChapters(runId);
    }
    reading = 'the schedules';
    await references.addSchedules();
    reading = 'the artifacts that runs refer to';
    return { runs, references: await references.all() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClientError('Unreachable', `cannot read ${reading}: ${why}; nothing was removed`, { cause: error });
  }
}

const NAMES: Readonly<Record<GarbageKind, string>> = {
  chapters: 'records of runs',
  places: 'places of workspaces',
  artifacts: 'artifacts',
  cache: 'cached artifacts',
  packages: 'pinned packages',
  unpacked: 'unpacked packages',
  workspaces: 'workspaces',
  tasks: 'task folders',
  debug: 'debug folders',
  runs: 'logs and locks of runs',
};

function report(removed: Readonly<Record<GarbageKind, Tally>>, dryRun: boolean): string {
  const row = (name: string, { files, bytes }: Tally): readonly string[] => [name, `${files} files`, sizeText(bytes)];
  const rows = GARBAGE_KINDS.map((kind) => row(NAMES[kind], removed[kind]));
  const sum = GARBAGE_KINDS.reduce(
    ({ files, bytes }, kind) => ({ files: files + removed[kind].files, bytes: bytes + removed[kind].bytes }),
    { files: 0, bytes: 0 },
  );
  return columns([...rows, row(dryRun ? 'would be removed' : 'removed', sum)]);
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
