// Resolves the branches, tags and other names of a repository without a clone.
import { gitRemote, type GitOptions } from './git.js';

/** The commit of `ref` there; undefined = no such name. Throws `GitError` when the repository cannot be read. */
export async function remoteCommit(
  repo: string,
  { ref = 'HEAD', inside }: { readonly ref?: string | undefined; readonly inside: GitOptions },
): Promise<string | undefined> {
  if (isCommit(ref)) return ref;
  const names = [ref, `refs/heads/${ref}`, `refs/tags/${ref}`, `refs/tags/${ref}^{}`];
  const listed = await gitRemote(['ls-remote', '--', repo, ...names], inside);
  // An annotated tag names a commit by its peeled line, the last one.
  const [commit] =
    listed
      .split('\n')
      .findLast((line) => line !== '')
      ?.split('\t') ?? [];
  return commit;
}

/** True for a name that always means the same commit. */
export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref);
}
