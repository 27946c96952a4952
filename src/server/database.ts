// The database file of a server version. A server never opens the file of another version (it would not migrate it), and
// a file whose creation was interrupted is made anew. Touches files only while no server runs on them.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The database of one server version in the server's folder. */
export function databaseFile(dir: string, serverVersion: string): string {
  return join(dir, `temporal-${serverVersion}.db`);
}

/** True from before a database is created until its first server answered and was set up. */
export function isUnfinished(database: string): boolean {
  return existsSync(marker(database));
}

/** Before a start: marks a database that this start will create; removes what an interrupted creation left. */
export async function prepareDatabase(database: string): Promise<void> {
  if (isUnfinished(database)) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(database + suffix, { force: true });
  }
  if (!existsSync(database)) await writeFile(marker(database), '', { mode: 0o600 });
}

/** After the first answer: from now on the database is kept. */
export async function finishDatabase(database: string): Promise<void> {
  await rm(marker(database), { force: true });
}

/** The version whose database was used later than this one's, if any: its runs will not be seen. */
export function newerUseByOther(dir: string, serverVersion: string): string | undefined {
  const own = lastUse(databaseFile(dir, serverVersion));
  const others = readdirSync(dir).flatMap((name) => /^temporal-(.+)\.db$/.exec(name)?.[1] ?? []);
  return others
    .filter((version) => version !== serverVersion)
    .map((version) => ({ version, used: lastUse(databaseFile(dir, version)) }))
    .filter(({ used }) => used > own)
    .sort((a, b) => b.used - a.used)[0]?.version;
}

function lastUse(database: string): number {
  const times = [database, `${database}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}

function marker(database: string): string {
  return `${database}.unfinished`;
}
