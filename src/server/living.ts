// Whether the recorded server is there: its process lives, its frontend answers, its database was set up.
import { isAlive } from '../host/process.js';
import { isUnfinished } from './database.js';
import type { ServerFolder } from './folder.js';
import { answeringVersion } from './probe.js';
import { readRecord, type ServerRecord } from './record.js';

const QUICK_ANSWER_MS = 1_000;

/** The record of a server whose process lives. */
export function livingRecord(folder: ServerFolder): ServerRecord | undefined {
  const record = readRecord(folder);
  return record !== undefined && isAlive(record.info) ? record : undefined;
}

/** True when a living server answers now and its database has been set up. */
export async function isReady({ info, ports }: ServerRecord): Promise<boolean> {
  return !isUnfinished(info.database) && (await answeringVersion(ports.http, QUICK_ANSWER_MS)) !== undefined;
}
