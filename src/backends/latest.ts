// The user's own latest conversation in a folder, which a run can begin with. Those of Raymond's turns do not count:
// their ids are version 5 UUIDs, the programs' own are not.
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackendName } from '../protocol/language/policy.js';
import type { Session } from '../protocol/machine/agent.js';
import type { ArtifactStore } from '../store/store.js';
import { CLAUDE_HOME, PROJECTS } from './claude/sessions.js';
import { folderOf } from './home.js';
import { PI_HOME } from './pi/backend.js';

/** Whose conversation: of which program, in which folder. */
export interface Conversations {
  readonly backend: BackendName;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Stores it; undefined when there is none. It is only read: the first prompt continues in a copy. */
export async function latestConversation(
  artifacts: ArtifactStore,
  { backend, cwd, env }: Conversations,
): Promise<Session | undefined> {
  const home = folderOf(backend === 'pi' ? PI_HOME : CLAUDE_HOME, env);
  if (home === undefined) return undefined;
  const folders = await realpath(cwd).then(
    (real) => [...new Set([cwd, real])],
    () => [cwd],
  );
  const files = backend === 'pi' ? await piFiles(home, folders) : await claudeFiles(home, folders);
  const newest = (await Promise.all(files.map(dated))).sort((a, b) => b.at - a.at)[0];
  if (newest === undefined) return undefined;
  const { sha256 } = await artifacts.putFile(newest.path);
  return { id: newest.id, sha256, ...(backend === 'pi' ? { backend } : {}) };
}

interface Transcript {
  readonly path: string;
  readonly id: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Claude Code has a folder for each working directory; the files in it are named by their conversations. */
async function claudeFiles(home: string, folders: readonly string[]): Promise<readonly Transcript[]> {
  const places = folders.map((folder) => join(home, PROJECTS, folder.replaceAll(/[^A-Za-z0-9]/g, '-')));
  return (await Promise.all(places.map(transcriptsIn))).flat().filter(({ path, id }) => path.endsWith(`/${id}.jsonl`));
}

/** pi names the working directory in the first line of each file. */
async function piFiles(home: string, folders: readonly string[]): Promise<readonly Transcript[]> {
  const sessions = join(home, 'sessions');
  const names = await readdir(sessions).catch(() => []); // pi has never run here.
  const all = (await Promise.all(names.map((name) => transcriptsIn(join(sessions, name))))).flat();
  const own = await Promise.all(all.map(async ({ path }) => folders.includes((await headOf(path)) ?? '')));
  return all.filter((_file, index) => own[index]);
}

async function transcriptsIn(folder: string): Promise<readonly Transcript[]> {
  const names = await readdir(folder).catch(() => []); // No folder: no conversation.
  return names.flatMap((name) => {
    const [id, version] = UUID.exec(name) ?? [];
    return id === undefined || version === '5' || !name.endsWith('.jsonl') ? [] : [{ path: join(folder, name), id }];
  });
}

/** The folder that the first line of a conversation names. */
async function headOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
    const head = JSON.parse(line) as { readonly cwd?: unknown } | null;
    return typeof head?.cwd === 'string' ? head.cwd : undefined;
  } catch {
    return undefined; // Not a conversation.
  } finally {
    await file.close();
  }
}

const HEAD_BYTES = 16 * 1024;

async function dated(file: Transcript): Promise<Transcript & { readonly at: number }> {
  return {
    ...file,
    at: await stat(file.path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  };
}
