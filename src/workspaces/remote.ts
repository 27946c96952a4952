// What the branches, tags and other names of a repository mean at the moment, without a clone of it.
import { gitRemote, type GitOptions } from './git.js';

/** The commit that `ref` names there; undefined = it has none of that name. Throws `GitError` when the repository cannot be read. */
export async function remoteCommit(
  repo: string,
  { ref = 'HEAD', inside }: { readonly ref?: string | undefined; readonly inside: GitOptions },
): Promise<string | undefined> {
  if (isCommit(ref)) return ref;
  const names = [ref, `refs/heads/${ref}`, `refs/tags/${ref}`, `refs/tags/${ref}^{}`];
  const listed = await gitRemote(['ls-remote', '--', repo, ...names], inside);
  // A tag with a message names a commit by its peeled line, the last one.
  const [commit] =
    listed
      .split('\n')
      .findLast((line) => line !== '')
      ?.split('\t') ?? [];
  return commit;
}

/** True for what always names the same commit. */
export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref);
}
