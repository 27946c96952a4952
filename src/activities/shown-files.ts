// The files that an `<ask>` shows to a person: copied into the agent's task folder, so that they stay as they were.
// Must not follow a path or a link out of the working directory.
import { copyFile, mkdir, realpath, rm, stat } from 'node:fs/promises';
import { join, relative, isAbsolute } from 'node:path';
import { askId } from '../protocol/names.js';
import type { AskTag } from '../protocol/tag.js';
import { readAskFiles, type AskFiles, type ShownFile } from '../protocol/upload.js';
import { Mistake, type Reading } from './reading.js';
import { whyUnreadable } from '../packages/error.js';

/** Where the files of a question lie. */
export function askFolder(taskFolder: string, id: string): string {
  return join(taskFolder, 'asks', id);
}

/** Copies the files to show; gives the paths of the copies, and what may be sent along with the answer. */
export async function shownFiles(
  tag: AskTag,
  { agent, taskFolder }: Reading,
): Promise<Pick<AskFiles, 'upload'> & { readonly shown: readonly string[] }> {
  const files = readAskFiles(tag);
  // parse.ts has refused what cannot be understood.
  if ('expected' in files) throw new Mistake({ kind: 'bad-attribute', tag: 'ask', value: '', line: 1, ...files });
  const { shown, ...rest } = files;
  const folder = join(askFolder(taskFolder, askId(agent.id, agent.turn + 1)), 'shown');
  if (shown.length > 0) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const copies: string[] = [];
  for (const file of shown) copies.push(await copied(file, { cwd: agent.cwd, folder }));
  return { ...rest, shown: copies };
}

async function copied(
  { path, label }: ShownFile,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
): Promise<string> {
  const copy = join(folder, label);
  try {
    const real = await realpath(join(cwd, path));
    if (leads(await realpath(cwd), real) === 'out')
      throw unusable(path, 'it is a link that leaves the working directory');
    if (!(await stat(real)).isFile()) throw unusable(path, 'it is not a file');
    await copyFile(real, copy);
    return copy;
  } catch (error) {
    throw error instanceof Mistake ? error : unusable(path, whyUnreadable(error));
  }
}

function leads(folder: string, path: string): 'in' | 'out' {
  const way = relative(folder, path);
  return way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way) ? 'out' : 'in';
}

function unusable(path: string, why: string): Mistake {
  return new Mistake({ kind: 'unusable-file', tag: 'ask', path, why });
}
