// `raymond __complete runs`: called by the scripts of `raymond completion`. A person waits for it after pressing Tab,
// so it reports no errors and starts nothing.
import { setTimeout as delay } from 'node:timers/promises';
import { findProject } from '../../client/project/project.js';
import { serverStatus } from '../../server/index.js';
import { clusterOf } from '../../client/open.js';
import { openForQuestion } from '../context.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';

const TIMEOUT_MS = 2_000;
const MOST_RUNS = 200;

/** Prints the ids of the latest runs, one per line, newest first; none when they cannot be read in time. */
export async function completeRuns(io: Io): Promise<number> {
  const silent = { ...io, stdin: io.stdin, say: () => undefined };
  const timer = new AbortController();
  const late = delay(TIMEOUT_MS, [], { signal: timer.signal }).catch(() => []);
  const ids = await Promise.race([runIds(silent).catch(() => []), late]);
  timer.abort();
  io.hurry();
  if (ids.length > 0) await io.print(ids.join('\n'));
  return EXIT.completed;
}

async function runIds(io: Io): Promise<readonly string[]> {
  const project = await findProject(io.cwd);
  const isLocal = clusterOf(project, { choice: {}, env: io.env }) === undefined;
  if (isLocal && (await serverStatus(project)).kind !== 'running') return [];
  const { link } = await openForQuestion(io, { flags: {} });
  const { listRuns } = await import('../../client/look/runs.js');
  return (await listRuns(link.client, { limit: MOST_RUNS })).map(({ runId }) => runId);
}
