// Where things lie in `.raymond/temporal/`. Names only, except for creating the folder itself.
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, makePrivateFolder } from '../host/files.js';

/** Takes one line of progress for people. */
export type Report = (line: string) => void;

/** The places in the server's folder of one project. */
export interface ServerFolder {
  readonly dir: string;
  readonly record: string;
  readonly lock: string;
  readonly log: string;
}

/** The places for a project's `.raymond` folder; creates nothing. */
export function serverFolder(raymondDir: string): ServerFolder {
  const dir = join(raymondDir, 'temporal');
  return { dir, record: join(dir, 'server.json'), lock: join(dir, 'server.lock'), log: join(dir, 'server.log') };
}

/** Creates the folder, private and ignored by git. */
export async function makeServerFolder({ dir }: ServerFolder): Promise<void> {
  await makePrivateFolder(dir);
  await writeFile(join(dir, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}

/** Tells this very folder from a copy of it: it stays when the project is moved and differs when it is copied. */
export function folderIdentity({ dir }: ServerFolder): string {
  const { dev, ino } = statSync(dir, { bigint: true });
  return `${dev}:${ino}`;
}
