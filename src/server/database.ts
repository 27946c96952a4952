// The SQLite databases in `.raymond/temporal/`: one for each server version. Temporal does not migrate SQLite: a newer server opens an older
// database, and what needs the columns that it lacks fails later, such as a rollout. Only versions with the same tables continue
// each other's database. A database whose creation was interrupted is created again.
import { readdirSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { ask } from '../host/ask.js';
import { exists } from '../host/files.js';

/** A database of a gigabyte takes a few seconds. */
const MERGED_WITHIN_MS = 60_000;

/** The database of one server version in the server's folder. */
export function databaseFile(dir: string, serverVersion: string): string {
  return join(dir, `temporal-${serverVersion}.db`);
}

/** The server version of a database by its name. */
export function versionOf(database: string): string | undefined {
  return /^temporal-(.+)\.db$/.exec(basename(database))?.[1];
}

/** True from before a database is created until its first server has answered and set it up. */
export function isUnfinished(database: string): Promise<boolean> {
  return exists(marker(database));
}

// Minor versions of the server whose SQLite tables are the same; a test compares those of real servers.
const SAME_TABLES: readonly (readonly string[])[] = [['1.31', '1.32']];

function haveSameTables(one: string, other: string): boolean {
  const [a = one, b = other] = [one, other].map((version) => /^\d+\.\d+(?=\.)/.exec(version)?.[0]);
  return a === b || SAME_TABLES.some((minors) => minors.includes(a) && minors.includes(b));
}

/**
 * Before a start: a version without a database continues with the one last used by a version that has the same
 * tables. It is renamed, because a copy would run its open runs twice. Returns the version it was of.
 */
export async function adoptDatabase(dir: string, serverVersion: string): Promise<string | undefined> {
  const own = databaseFile(dir, serverVersion);
  const others = versionsIn(dir).filter(
    (version) => version !== serverVersion && haveSameTables(version, serverVersion),
  );
  const other = (await exists(own)) ? undefined : lastUsed(dir, others)?.version;
  const adopted = other === undefined || (await isUnfinished(databaseFile(dir, other))) ? undefined : other;
  if (adopted !== undefined) await rename(databaseFile(dir, adopted), own);
  await adoptLog(dir, serverVersion);
  return adopted;
}

/** The write-ahead log follows its database, also when the start that renamed that ended before it renamed this. */
async function adoptLog(dir: string, serverVersion: string): Promise<void> {
  const logs = readdirSync(dir).flatMap((name) => (name.endsWith('-wal') ? (versionOf(name.slice(0, -4)) ?? []) : []));
  for (const version of logs) {
    const other = databaseFile(dir, version);
    if (!haveSameTables(version, serverVersion) || (await exists(other))) continue;
    await rename(`${other}-wal`, `${databaseFile(dir, serverVersion)}-wal`);
  }
}

/** Before a start: marks a database that this start will create; removes what an interrupted creation left. */
export async function prepareDatabase(database: string): Promise<void> {
  if (await isUnfinished(database)) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(database + suffix, { force: true });
  }
  if (!(await exists(database))) await writeFile(marker(database), '', { mode: 0o600 });
}

/** After the first answer: the database is complete. */
export async function finishDatabase(database: string): Promise<void> {
  await rm(marker(database), { force: true });
}

// A process of its own, because Node warns that its SQLite is experimental.
const MERGE = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
database.close();
`;

/**
 * After a stop: moves the write-ahead log into the databases, so that a copy of one file has all runs. Node 22.13 and
 * newer have SQLite; older ones leave the log, and so does a database that cannot be read.
 */
export async function mergeLogs(dir: string): Promise<void> {
  if (!isBuiltin('node:sqlite')) return;
  for (const database of versionsIn(dir).map((version) => databaseFile(dir, version)))
    if (await exists(`${database}-wal`))
      await ask(process.execPath, ['--no-warnings', '--eval', MERGE, database], { timeoutMs: MERGED_WITHIN_MS });
}

/** The version whose database was used later than this one's, if any: its runs will not be seen. */
export function newerUseByOther(dir: string, serverVersion: string): string | undefined {
  const others = versionsIn(dir).filter((version) => version !== serverVersion);
  const other = lastUsed(dir, others);
  return other !== undefined && other.used > lastUse(databaseFile(dir, serverVersion)) ? other.version : undefined;
}

function lastUsed(dir: string, versions: readonly string[]): { version: string; used: number } | undefined {
  const uses = versions.map((version) => ({ version, used: lastUse(databaseFile(dir, version)) }));
  return uses.sort((a, b) => b.used - a.used)[0];
}

/** True when the folder has a database, of any version. */
export function hasDatabase(dir: string): boolean {
  return versionsIn(dir).length > 0;
}

function versionsIn(dir: string): readonly string[] {
  return readdirSync(dir).flatMap((name) => versionOf(name) ?? []);
}

function lastUse(database: string): number {
  const times = [database, `${database}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}

function marker(database: string): string {
  return `${database}.unfinished`;
}
