// The archive: runs that lists hide unless they are asked for. A mark is an empty file among the files of a run, so that
// it goes when the run does.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameOfRun } from '../../protocol/ids.js';
import { notEnded } from '../error.js';
import { findRun } from '../look/runs.js';
import type { Raymond } from '../open.js';
import { namesOf } from './garbage.js';

const MARK = '.archived';

/** Hides a run that has ended, or shows it again; returns its id. Throws `RunNotFound`, `RunOpen`. */
export async function archiveRun(
  { link, project, artifacts }: Raymond,
  { runId: name, archived }: { readonly runId: string; readonly archived: boolean },
): Promise<string> {
  const { runId, open } = await findRun(link.client, name, artifacts);
  if (open && archived) throw notEnded(runId);
  const folder = join(project.raymondDir, 'runs');
  const path = join(folder, `${fileNameOfRun(runId)}${MARK}`);
  if (!archived) await rm(path, { force: true });
  else await mkdir(folder, { recursive: true, mode: 0o700 }).then(() => writeFile(path, '', { mode: 0o600 }));
  return runId;
}

/** Reads the archive; returns whether a run is in it. */
export async function archive({ project }: Raymond): Promise<(runId: string) => boolean> {
  const names = new Set(await namesOf(join(project.raymondDir, 'runs')));
  return (runId) => names.has(`${fileNameOfRun(runId)}${MARK}`);
}
