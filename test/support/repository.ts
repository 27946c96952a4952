// A repository as others host it: bare, with a branch `main` that has some files.
import { execa } from 'execa';
import { folder } from './folder.js';

/** One that can be cloned by its path. */
export class Repository {
  private constructor(
    readonly url: string,
    /** A clone of it, in which somebody works. */
    readonly clone: string,
  ) {}

  /** With these files in its first commit; the clone is made in `at`, or in a folder of its own. */
  static async of(files: Readonly<Record<string, string>>, at?: string): Promise<Repository> {
    const url = await folder();
    const clone = at ?? (await folder(files));
    const repository = new Repository(url, clone);
    await execa('git', ['init', '--quiet', '--bare', '-b', 'main'], { cwd: url });
    await repository.git('init', '--quiet', '-b', 'main');
    await repository.git('add', '.');
    await repository.git('commit', '--quiet', '-m', 'first');
    await repository.git('remote', 'add', 'origin', url);
    await repository.git('push', '--quiet', '-u', 'origin', 'main');
    return repository;
  }

  /** Runs git in the clone; gives what it printed. */
  async git(...args: readonly string[]): Promise<string> {
    return await gitIn(this.clone, args);
  }

  /** Runs git in the repository itself. */
  async bare(...args: readonly string[]): Promise<string> {
    return await gitIn(this.url, args);
  }
}

async function gitIn(cwd: string, args: readonly string[]): Promise<string> {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  return (await execa('git', [...author, ...args], { cwd })).stdout;
}
