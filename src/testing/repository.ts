// Creates the folder of a case: a fresh git repository with the committed files of the case, and stubs on the PATH of
// its scripts.
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { execa } from 'execa';
import { ClientError } from '../client/error.js';
import { MAX_BYTES, readPlainText } from '../host/plain-file.js';
import type { TestCase } from './case-file.js';

const AUTHOR = [
  ...['-c', 'user.name=Raymond', '-c', 'user.email=test@raymond.invalid', '-c', 'commit.gpgsign=false'],
  ...['-c', 'init.defaultBranch=main', '-c', 'core.hooksPath=/dev/null'],
];

/** Makes the template repository. */
export async function makeRepository(folder: string): Promise<string> {
  const path = join(folder, 'repository');
  await git(folder, ['init', '--quiet', '--template=', path]);
  const config = '[user]\n\tname = Raymond\n\temail = test@raymond.invalid\n[commit]\n\tgpgsign = false\n';
  const file = join(path, '.git', 'config');
  await writeFile(file, `${await readFile(file, 'utf8')}${config}`);
  await git(path, ['commit', '--quiet', '--allow-empty', '--message', 'Begin']);
  return path;
}

async function git(cwd: string, args: readonly string[]): Promise<void> {
  await execa('git', [...AUTHOR, ...args], { cwd, stdin: 'ignore', timeout: 60_000 });
}

/** The working directory of a case, the folder of its stubs, and the log of their calls. */
export interface CaseFolders {
  readonly work: string;
  readonly bin: string;
  readonly calls: string;
}

/** Creates the folders of a case. Throws `InvalidWorkflow` for a file outside of its folder. */
export async function layOut(
  folder: string,
  { repository, test }: { readonly repository: string; readonly test: TestCase },
): Promise<CaseFolders> {
  const [work, bin, calls] = [join(folder, 'work'), join(folder, 'bin'), join(folder, 'calls')];
  await Promise.all([
    cp(repository, work, { recursive: true }),
    mkdir(bin, { recursive: true }),
    mkdir(calls, { recursive: true }),
  ]);
  const files = Object.entries(test.files);
  for (const [name, text] of files) await write(inside(work, { name, test }), text);
  if (files.length > 0) {
    await git(work, ['add', '--all', '--force']);
    await git(work, ['commit', '--quiet', '--message', 'Add the files of the test']);
  }
  for (const [name, body] of Object.entries(test.commands)) await write(join(bin, name), stub(join(calls, name), body));
  return { work, bin, calls };
}

function inside(work: string, { name, test }: { readonly name: string; readonly test: TestCase }): string {
  const path = resolve(work, name);
  const below = relative(work, path);
  if (below !== '' && !below.startsWith('..') && !isAbsolute(below)) return path;
  throw new ClientError('InvalidWorkflow', `${test.file}: files: ${name} is not inside the folder of the run`);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  if (text.startsWith('#!')) await chmod(path, 0o755);
}

/** Every call logs one line with its arguments. */
function stub(calls: string, body: string): string {
  return `#!/usr/bin/env bash\nprintf '%s\\n' "$*" >>'${calls.replaceAll("'", `'\\''`)}'\n${body}\n`;
}

/** The arguments of every call of a stub, one line per call; empty when it was never called. */
export async function callsOf({ calls }: CaseFolders, name: string): Promise<string> {
  return await readPlainText(join(calls, name), MAX_BYTES.test).catch(() => ''); // Never called.
}
