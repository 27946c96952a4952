// The record of the server that was started for a project: `server.json`. It says nothing about whether it still runs.
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readJsonFile, writeFileAtomic } from '../host/files.js';
import type { ProcessIdentity } from '../host/process.js';
import { folderIdentity, type ServerFolder } from './folder.js';
import type { Ports } from './ports.js';

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

/** What is kept about a started server; `folder` tells a copied project from the one whose server it is. */
export interface ServerRecord {
  readonly info: ServerInfo;
  readonly ports: Ports;
  readonly folder: string;
}

/** Replaces the record. */
export async function writeRecord(folder: ServerFolder, record: Omit<ServerRecord, 'folder'>): Promise<void> {
  await writeFileAtomic(folder.record, JSON.stringify({ ...record, folder: folderIdentity(folder) }, null, 2) + '\n');
}

/** Forgets the server. */
export async function removeRecord(folder: ServerFolder): Promise<void> {
  await rm(folder.record, { force: true });
}

/** The record of this folder's server, or undefined when there is none, it is garbled, or it was copied from elsewhere. */
export function readRecord(folder: ServerFolder): ServerRecord | undefined {
  const record = readJsonFile(folder.record);
  if (!isRecord(record) || record.folder !== folderIdentity(folder)) return undefined;
  // The project may have been moved since: the files are where we look, whatever their path was.
  const database = join(folder.dir, basename(record.info.database));
  return { ...record, info: { ...record.info, database, logFile: folder.log } };
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
