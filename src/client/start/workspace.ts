// The settings of a new run's workspaces: a named repository, or that of the start directory, whose changes that no
// commit of its remote has become a first snapshot. All mistakes are found here, before the run starts.
import { isAbsolute, join, relative } from 'node:path';
import { defined } from '../../protocol/text.js';
import type { WorkspaceSettings } from '../../protocol/machine/workspace.js';
import type { ArtifactStore } from '../../store/store.js';
import { git, GitError, type GitOptions } from '../../workspaces/git.js';
import { isCommit, remoteCommit } from '../../workspaces/remote.js';
import { SnapshotTooLarge, takeSnapshot } from '../../workspaces/snapshot.js';
import type { Project } from '../project/project.js';
import type { Preparation } from './options.js';
import { testKnob } from './test-knobs.js';
import { ClientError } from '../error.js';
import type { Caller } from '../open.js';

/** The requested settings. */
interface WorkspaceOptions {
  /** The address of a repository, and the commit to start from; absent = those of the start directory. */
  readonly repo?: string;
  readonly ref?: string;
  /** The folder of workspaces on every host, absolute. */
  readonly root: string;
  readonly onHostLoss: 'wait' | 'move';
  readonly outputBranch?: string;
  readonly prepare?: string;
  readonly hostSilenceSeconds?: number;
}

/** The start directory. */
interface StartContext {
  readonly cwd: string;
  readonly env: GitOptions['env'];
}

/** Possible workspaces, and the first agent's folder in them; `folder` = the repository whose changes are included. */
export interface WorkspacePlan {
  readonly settings: WorkspaceSettings & { readonly commit: string };
  readonly inside: string;
  readonly folder?: string;
}

/** The same for runs of a schedule: each starts from the ref's commit at that time, without local changes. */
export function planOfEach({ settings, inside }: WorkspacePlan): Pick<WorkspacePlan, 'inside'> & {
  readonly settings: WorkspaceSettings;
} {
  const { commit: _now, ref = 'HEAD', ...kept } = settings;
  return { settings: { ...kept, ref, ...(isCommit(ref) ? { commit: ref } : {}) }, inside };
}

/** The workspaces from options and config; undefined = none. Throws `InvalidUsage`. */
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
async function planWorkspace(options: WorkspaceOptions, { cwd, env }: StartContext): Promise<WorkspacePlan> {
  const { repo, ref, ...kept } = options;
  if (!isAbsolute(options.root))
    throw new ClientError(
      'InvalidUsage',
      `workspace_root: ${options.root} is not an absolute path; every host needs the same one`,
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

/** What including the start directory's changes needs. */
export interface OwnWork {
  readonly caller: Caller;
  readonly artifacts: ArtifactStore;
  readonly project: Project;
}

/**
 * The same settings with the start directory's changes, if there are any. Throws `InvalidUsage`, and the store's
 * errors.
 */
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
    refuse(error, `${inside.cwd} is not in a git repository; name one with --repo URL`),
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
      `the remote of ${folder} has none of its commits; push one, or give --repo and --ref`,
    );
  const [newest] = (await git(['rev-list', '--topo-order', '--no-walk=sorted', ...found], inside)).split('\n');
  return newest ?? found[0] ?? '';
}

function ignoreUnrelated(error: unknown): undefined {
  if (error instanceof GitError) return undefined; // It has no common history with the start directory.
  throw error;
}

function refuse(error: unknown, what: string): never {
  if (!(error instanceof GitError)) throw error;
  const said = error.stderr.split('\n').find((line) => /^(fatal:|no progress)/.test(line));
  throw new ClientError('InvalidUsage', `${what}${said === undefined ? '' : ` (${said})`}`, { cause: error });
}

/** The workspace settings of config and options; undefined = the run has none. Throws `InvalidUsage`. */
function workspaceOptions(options: WorkspaceSource): WorkspaceOptions | undefined {
  const { kind, repo, ref, outputBranch, root } = options;
  if (kind !== 'git') {
    const without = Object.entries({ '--repo': repo, '--ref': ref, '--output-branch': outputBranch });
    const [flag] = without.find(([, value]) => value !== undefined) ?? [];
    if (flag === undefined) return undefined;
    throw new ClientError('InvalidUsage', `${flag} is for runs with workspaces; add --workspace git`);
  }
  if (root === undefined)
    throw new ClientError(
      'InvalidUsage',
      'workspace_root is missing in the config: set it to the folder for workspaces, the same absolute path on every host',
    );
  const { onHostLoss = 'wait', prepare, hostSilenceSeconds } = options;
  return { root, onHostLoss, ...defined({ repo, ref, outputBranch, prepare, hostSilenceSeconds }) };
}

/** The default limit of new and changed files in a snapshot, in MiB. */
const DEFAULT_LIMIT_MIB = 256;

/** From flags, config and the mode of Temporal. */
interface WorkspaceSource {
  readonly kind: 'shared' | 'git' | undefined;
  readonly repo: string | undefined;
  readonly ref: string | undefined;
  readonly outputBranch: string | undefined;
  readonly root: string | undefined;
  readonly onHostLoss: 'wait' | 'move' | undefined;
  readonly prepare: string | undefined;
  readonly hostSilenceSeconds: number | undefined;
}
