// The runs of a project that are known without Temporal: from their stored environments, and from the artifact store's
// records of ended runs. For users who have lost the database of the embedded server.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { closedRun } from '../../history/chapters.js';
import { exists } from '../../host/files.js';
import type { LocalTarget } from '../project/local.js';
import { runOfFileName } from '../../protocol/ids.js';
import type { ArtifactStore } from '../../store/store.js';

/** Where runs leave records. */
export interface RunTraces {
  readonly raymondDir: string;
  readonly artifacts: ArtifactStore;
}

/** What the records say; completed runs are left out. */
interface RecordedRuns {
  /** Ended without completing: `resume` starts them again from that record. */
  readonly resumable: readonly string[];
  /** Had not ended: only Temporal's database knew their progress. */
  readonly unrecorded: readonly string[];
}

const ENVIRONMENT = '.env';

/** Reads the records of all runs that were started in this project. */
export async function recordedRuns({ raymondDir, artifacts }: RunTraces): Promise<RecordedRuns> {
  const names = await readdir(join(raymondDir, 'runs')).catch(() => []); // No run was ever started.
  const ids = names.flatMap((name) =>
    name.endsWith(ENVIRONMENT) ? [runOfFileName(name.slice(0, -ENVIRONMENT.length))] : [],
  );
  const [resumable, unrecorded]: [string[], string[]] = [[], []];
  for (const id of ids.sort()) {
    const summary = (await closedRun(artifacts, id))?.summary;
    if (summary === undefined) unrecorded.push(id);
    else if (summary.status !== 'completed') (summary.record === undefined ? unrecorded : resumable).push(id);
  }
  return { resumable, unrecorded };
}

/** A line about a deleted database, and the runs in it; undefined when nothing is missing. */
export async function lostDatabase(
  { isFirst, database }: Pick<LocalTarget, 'isFirst' | 'database'>,
  traces: RunTraces,
): Promise<string | undefined> {
  if (!isFirst)
    return (await exists(database))
      ? undefined
      : `the database ${database} was deleted while its server runs: its runs are lost when the server stops; let open runs end first`;
  const runs = recordedText(await recordedRuns(traces));
  return runs === undefined
    ? undefined
    : `the database of the Temporal server was missing, so ${database} was created; ${runs}`;
}

const NAMED = 5;

/** The runs in words; undefined when there are none. */
export function recordedText({ resumable, unrecorded }: RecordedRuns): string | undefined {
  const parts = [
    ...(resumable.length === 0 ? [] : [`from their records you can resume: ${named(resumable)} (raymond resume RUN)`]),
    ...(unrecorded.length === 0 ? [] : [`had not ended, and cannot be resumed: ${named(unrecorded)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

function named(ids: readonly string[]): string {
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  return `${ids.slice(0, NAMED).join(', ')}${more}`;
}
