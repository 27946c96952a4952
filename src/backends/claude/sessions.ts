// Conversations as files: the parent that a turn forks, and the transcript that it leaves. Parents
// are only read; a transcript is stored as soon as its turn is good.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { v5 as uuidv5 } from 'uuid';
import type { Session } from '../../protocol/machine/agent.js';
import { exists } from '../../host/files.js';
import type { ArtifactStore } from '../../store/store.js';
import { SessionMissing } from '../backend.js';
import { folderOf } from '../home.js';

/** Makes ids of Raymond's attempts distinct from all other version 5 UUIDs. */
const NAMESPACE = '3f0f1a7e-6c3a-5d0e-9f57-2b1d5c8a4e60';

/** Where Claude Code keeps its files. */
export const CLAUDE_HOME = { title: 'Claude Code', variable: 'CLAUDE_CONFIG_DIR', inHome: '.claude' } as const;

/** Its folder of all transcripts. */
export const PROJECTS = 'projects';

type ClaudeHome = Readonly<Record<string, string>>;

/** The id of an attempt's conversation: fixed before it starts, different for every attempt. */
export function sessionIdOf(attempt: string): string {
  return uuidv5(attempt, NAMESPACE);
}

/** The parent conversation as a file that Claude Code can resume, in the attempt's own folder. Throws `ArtifactMissing`. */
export async function parentFile(
  artifacts: ArtifactStore,
  { session, folder }: { readonly session: Session; readonly folder: string },
): Promise<string> {
  const path = join(folder, `${session.id}.jsonl`);
  await artifacts.materialise(session.sha256, path);
  return path;
}

/** Stores the transcript of a good turn. Throws `SessionMissing`. */
export async function keepTranscript(
  artifacts: ArtifactStore,
  { id, home, cwd }: { readonly id: string; readonly home: ClaudeHome; readonly cwd: string },
): Promise<Session> {
  const path = await findTranscript(id, { home, cwd });
  if (path === undefined) {
    throw new SessionMissing(
      `Claude Code answered, but left no transcript ${id}.jsonl under ${projectsFolder(home) ?? 'HOME'}: the conversation cannot be continued; make sure that claude_args do not turn sessions off`,
    );
  }
  const { sha256 } = await artifacts.putFile(path);
  return { id, sha256 };
}

/** Deletes the transcript of a dead attempt, which must never be resumed. */
export async function removeTranscript(
  id: string,
  { home, cwd }: { readonly home: ClaudeHome; readonly cwd: string },
): Promise<void> {
  const path = await findTranscript(id, { home, cwd });
  if (path !== undefined) await rm(path, { force: true });
}

async function findTranscript(
  id: string,
  { home, cwd }: { readonly home: ClaudeHome; readonly cwd: string },
): Promise<string | undefined> {
  const projects = projectsFolder(home);
  if (projects === undefined) return undefined;
  const expected = join(projects, cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`);
  if (await exists(expected)) return expected;
  // Long paths get a hash, links are resolved: then all projects are searched.
  for (const project of await readdir(projects).catch(() => [])) {
    const path = join(projects, project, `${id}.jsonl`);
    if (await exists(path)) return path;
  }
  return undefined;
}

function projectsFolder(home: ClaudeHome): string | undefined {
  const folder = folderOf(CLAUDE_HOME, home);
  return folder === undefined ? undefined : join(folder, PROJECTS);
}
