// The folder `.raymond/temporal/` and the record in it of the project's server, which does not say
// whether the server still runs (probe.ts).
import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode, makePrivateFolder, readJsonFile, writeFileAtomic } from '../host/files.js';
import type { ProcessIdentity } from '../host/process.js';
import type { Ports } from './ports.js';

/** The paths in the server's folder of one project. */
export interface ServerFolder {
  readonly dir: string;
  readonly record: string;
  readonly lock: string;
  readonly log: string;
}

/** The paths for a project's `.raymond` folder; creates nothing. */
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

const SPACE_BYTES = 1 << 20;

/**
 * Throws the disk's error when the folder cannot be written; a server in such a folder ends without
 * an error message.
 */
export async function probeSpace({ dir }: ServerFolder): Promise<void> {
  const path = join(dir, 'space.tmp');
  try {
    await writeFile(path, Buffer.alloc(SPACE_BYTES), { mode: 0o600 });
  } finally {
    await rm(path, { force: true });
  }
}

/** A server process and how to reach it. */
export interface ServerInfo extends ProcessIdentity {
  /** gRPC, `127.0.0.1:PORT`. */
  readonly address: string;
  /** Temporal's Web UI, `http://127.0.0.1:PORT`. */
  readonly uiUrl: string;
  readonly serverVersion: string;
  /** The SQLite file. */
  readonly database: string;
  readonly logFile: string;
  /** The `temporal` executable it was started from. */
  readonly cli: string;
}

/**
 * What is stored about a started server; `folder` distinguishes a copied project from the one that
 * owns the server.
 */
export interface ServerRecord {
  readonly info: ServerInfo;
  readonly ports: Ports;
  readonly folder: string;
}

/** Replaces the record. */
export async function writeRecord(folder: ServerFolder, record: Omit<ServerRecord, 'folder'>): Promise<void> {
  await writeFileAtomic(
    folder.record,
    JSON.stringify({ ...record, folder: folderIdentity(folder.dir) }, null, 2) + '\n',
  );
}

/** Forgets the server. */
export async function removeRecord(folder: ServerFolder): Promise<void> {
  await rm(folder.record, { force: true });
}

/**
 * The record of this folder's server, or undefined when there is none, it is damaged, or it was
 * copied from another folder.
 */
export function readRecord(folder: ServerFolder): ServerRecord | undefined {
  const record = readJsonFile(folder.record);
  if (!isRecord(record) || record.folder !== folderIdentity(folder.dir)) return undefined;
  // The project may have been moved since: the files are in its current folder.
  const database = join(folder.dir, basename(record.info.database));
  return { ...record, info: { ...record.info, database, logFile: folder.log } };
}

/**
 * Identifies this folder: the value stays when the project is moved and differs when it is copied.
 * Undefined without a folder.
 */
export function folderIdentity(dir: string): string | undefined {
  const found = statSync(dir, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

function isRecord(value: unknown): value is ServerRecord {
  const record = value as { info?: Partial<ServerInfo>; ports?: Partial<Ports> } | null | undefined;
  const texts = [record?.info?.startTime, record?.info?.address, record?.info?.uiUrl, record?.info?.database];
  const numbers = [
    record?.info?.pid,
    record?.ports?.grpc,
    record?.ports?.ui,
    record?.ports?.http,
    record?.ports?.metrics,
  ];
  return texts.every((text) => typeof text === 'string') && numbers.every((number) => Number.isInteger(number));
}
