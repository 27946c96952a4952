// Publishes the files of an ended agent's workspace: as one commit on top of the agent's own last one, on a branch of
// the repository.
import { git, GitError, gitRemote, type GitOptions } from './git.js';
import { RepositoryError } from './mirror.js';
import { treeOf } from './tree.js';

/** What to push to which branch. */
interface OutputOptions {
  readonly path: string;
  readonly repo: string;
  readonly branch: string;
  readonly message: string;
  readonly env: GitOptions['env'];
  readonly signal?: AbortSignal;
}

/**
 * Pushes the branch. Pushing the same files again changes nothing. Throws `RepositoryError` when the repository rejects
 * it.
 */
export async function pushFiles({ path, repo, branch, message, ...options }: OutputOptions): Promise<void> {
  const inside = { ...options, cwd: path };
  const commit = await outputCommit(message, inside);
  try {
    await gitRemote(['push', '--progress', 'origin', `${commit}:refs/heads/${branch}`], inside);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new RepositoryError(`${repo} rejects the branch ${branch}: ${error.stderr}`, { cause: error });
  }
}

/** The agent's own commit when it has committed everything, else a new one with the rest. */
async function outputCommit(message: string, inside: GitOptions): Promise<string> {
  const tree = await treeOf(inside);
  const head = await git(['rev-parse', 'HEAD'], inside);
  if ((await git(['rev-parse', 'HEAD^{tree}'], inside)) === tree) return head;
  // The same time for the same files: a repeated push is the same commit.
  const date = await git(['show', '--no-patch', '--format=%cI', 'HEAD'], inside);
  const env = { ...inside.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return await git(['commit-tree', tree, '-p', head, '-m', message], { ...inside, env });
}
