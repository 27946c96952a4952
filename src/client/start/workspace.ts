// What the workspaces of a new run are made of: a repository that is named, or the one of the start directory, whose work that is in no
// commit of its remote comes along as a first snapshot. Everything that can be wrong with it is found here, before the run is started.
import { isAbsolute, join, relative } from 'node:path';
import { defined } from '../../protocol/text.js';
import type { WorkspaceSettings } from '../../protocol/machine/workspace.js';
import type { ArtifactStore } from '../../store/store.js';
import { git, GitError, type GitOptions } from '../../workspaces/git.js';
import { isCommit, remoteCommit } from '../../workspaces/remote.js';
import { SnapshotTooLarge, takeSnapshot } from '../../workspaces/snapshot.js';
import type { Project } from '../../project.js';
import type { Preparation } from './begin.js';
import { testKnob } from './test-knobs.js';
import { ClientError } from '../error.js';
import type { Caller } from '../open.js';

/** What is asked for. */
interface WorkspaceOptions {
  /** The address of a repository, and what to begin with in it; absent = those of the start directory. */
  readonly repo?: string;
  readonly ref?: string;
  /** Where workspaces lie on every host, absolute. */
  readonly root: string;
  readonly onHostLoss: 'wait' | 'move';
  readonly outputBranch?: string;
  readonly prepare?: string;
  readonly hostSilenceSeconds?: number;
}

/** Where the run is started. */
interface StartPlace {
  readonly cwd: string;
  readonly env: GitOptions['env'];
}

/** Workspaces that can be made, and where in them the first agent works; `folder` = that whose work comes along. */
export interface WorkspacePlan {
  readonly settings: WorkspaceSettings & { readonly commit: string };
  readonly inside: string;
  readonly folder?: string;
}

/** The same for runs of a schedule: each begins with what the ref names then, and nobody's own work comes along. */
export function planOfEach({ settings, inside }: WorkspacePlan): Pick<WorkspacePlan, 'inside'> & {
  readonly settings: WorkspaceSettings;
} {
  const { commit: _now, ref = 'HEAD', ...kept } = settings;
  return { settings: { ...kept, ref, ...(isCommit(ref) ? { commit: ref } : {}) }, inside };
}

/** The workspaces that options and config ask for; undefined = none. Throws `InvalidUsage`. */
export async function planFor(
  { config, raymondDir }: Project,
  { options, caller, local }: Omit<Preparation, 'workflow'>,
): Promise<WorkspacePlan | undefined> {
  const { workspace: kind = config.workspace, repo, ref, outputBranch } = options;
  const wanted = workspaceOptions({
    kind,
    repo,
    ref,
    outputBranch,
    root: config.workspace_root ?? (local ? join(raymondDir, 'workspaces') : undefined),
    onHostLoss: config.on_host_loss,
    prepare: config.prepare,
    hostSilenceSeconds: testKnob(caller.env, 'RAYMOND_HOST_SILENCE'),
  });
  return wanted === undefined ? undefined : await planWorkspace(wanted, caller);
}

/** Finds repository and commit. Throws `InvalidUsage`. */
async function planWorkspace(options: WorkspaceOptions, { cwd, env }: StartPlace): Promise<WorkspacePlan> {
  const { repo, ref, ...kept } = options;
  if (!isAbsolute(options.root))
    throw new ClientError(
      'InvalidUsage',
      `workspace_root: ${options.root} is no absolute path; every host needs the same one`,
    );
  const inside = { cwd, env };
  if (repo !== undefined) {
    const commit = await commitAt(repo, { ref, inside });
    return { settings: { ...kept, repo, commit, ref: ref ?? 'HEAD' }, inside: '' };
  }
  const folder = await topOf(inside);
  const origin = await originOf({ cwd: folder, env });
  if (ref !== undefined) {
    const commit = await commitAt(origin, { ref, inside });
    return { settings: { ...kept, repo: origin, commit, ref }, inside: relative(folder, cwd) };
  }
  const commit = await sharedCommit(folder, env);
  return { settings: { ...kept, repo: origin, commit, ref: 'HEAD' }, inside: relative(folder, cwd), folder };
}

/** What the start directory's own work is brought along with. */
export interface OwnWork {
  readonly caller: Caller;
  readonly artifacts: ArtifactStore;
  readonly project: Project;
}

/** The same settings with the start directory's own work, when there is any. Throws `InvalidUsage`, and what the store throws. */
export async function withOwnWork(
  { settings, folder }: WorkspacePlan,
  { caller: { env }, artifacts: store, project }: OwnWork,
): Promise<WorkspaceSettings> {
  if (folder === undefined) return settings;
  const inside = { cwd: folder, env };
  const head = await git(['rev-parse', 'HEAD'], inside);
  if (head === settings.commit && (await git(['status', '--porcelain'], inside)) === '') return settings;
  const limitBytes = (project.config.workspace_limit ?? DEFAULT_LIMIT_MIB) * 2 ** 20;
  try {
    const snapshot = await takeSnapshot({ path: folder, env, store, base: settings.commit, limitBytes });
    return { ...settings, snapshot };
  } catch (error) {
    if (error instanceof SnapshotTooLarge) throw new ClientError('InvalidUsage', error.message, { cause: error });
    throw error;
  }
}

async function commitAt(
  repo: string,
  { ref = 'HEAD', inside }: { readonly ref?: string | undefined; readonly inside: GitOptions },
): Promise<string> {
  const commit = await remoteCommit(repo, { ref, inside }).catch((error: unknown) =>
    refuse(error, `the repository ${repo} cannot be read`),
  );
  if (commit !== undefined) return commit;
  throw new ClientError('InvalidUsage', `--ref: the repository ${repo} has no branch, tag or commit ${ref}`);
}

async function topOf(inside: GitOptions): Promise<string> {
  return await git(['rev-parse', '--show-toplevel'], inside).catch((error: unknown) =>
    refuse(error, `${inside.cwd} is in no git repository; name one with --repo URL`),
  );
}

async function originOf(inside: GitOptions): Promise<string> {
  return await git(['remote', 'get-url', 'origin'], inside).catch((error: unknown) =>
    refuse(
      error,
      `the repository in ${inside.cwd} has no remote "origin" that other hosts could clone; name one with --repo URL`,
    ),
  );
}

/** The newest commit that both the start directory and its remote have. */
async function sharedCommit(folder: string, env: GitOptions['env']): Promise<string> {
  const inside = { cwd: folder, env };
  const known = await git(['for-each-ref', '--format=%(objectname)', 'refs/remotes/origin'], inside);
  const commits = [...new Set(known.split('\n').filter((line) => line !== ''))];
  const bases = await Promise.all(
    commits.map((commit) => git(['merge-base', 'HEAD', commit], inside).catch(ignoreUnrelated)),
  );
  const found = [...new Set(bases.filter((base) => base !== undefined))];
  if (found.length === 0)
    throw new ClientError(
      'InvalidUsage',
      `no commit of ${folder} is known to be on its remote; push one, or name --repo and --ref`,
    );
  const [newest] = (await git(['rev-list', '--topo-order', '--no-walk=sorted', ...found], inside)).split('\n');
  return newest ?? found[0] ?? '';
}

function ignoreUnrelated(error: unknown): undefined {
  if (error instanceof GitError) return undefined; // it has nothing in common with the start directory
  throw error;
}

function refuse(error: unknown, what: string): never {
  if (!(error instanceof GitError)) throw error;
  const said = error.stderr.split('\n').find((line) => /^(fatal:|nothing has moved)/.test(line));
  throw new ClientError('InvalidUsage', `${what}${said === undefined ? '' : ` (${said})`}`, { cause: error });
}

/** What the config and the wishes say of workspaces; undefined = the run has none. Throws `InvalidUsage`. */
function workspaceOptions(wishes: WorkspaceWishes): WorkspaceOptions | undefined {
  const { kind, repo, ref, outputBranch, root } = wishes;
  if (kind !== 'git') {
    const without = Object.entries({ '--repo': repo, '--ref': ref, '--output-branch': outputBranch });
    const [flag] = without.find(([, value]) => value !== undefined) ?? [];
    if (flag === undefined) return undefined;
    throw new ClientError('InvalidUsage', `${flag} is for runs with workspaces; add --workspace git`);
  }
  if (root === undefined)
    throw new ClientError(
      'InvalidUsage',
      'workspace_root is missing in the config: name the folder that holds the workspaces, the same absolute path on every host',
    );
  const { onHostLoss = 'wait', prepare, hostSilenceSeconds } = wishes;
  return { root, onHostLoss, ...defined({ repo, ref, outputBranch, prepare, hostSilenceSeconds }) };
}

/** What a snapshot may hold of new and changed files, in MiB, when the config does not say. */
const DEFAULT_LIMIT_MIB = 256;

/** What flags, config and the mode of Temporal say. */
interface WorkspaceWishes {
  readonly kind: 'shared' | 'git' | undefined;
  readonly repo: string | undefined;
  readonly ref: string | undefined;
  readonly outputBranch: string | undefined;
  readonly root: string | undefined;
  readonly onHostLoss: 'wait' | 'move' | undefined;
  readonly prepare: string | undefined;
  readonly hostSilenceSeconds: number | undefined;
}
