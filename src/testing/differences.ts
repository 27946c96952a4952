// Differences between expected and actual texts: of results and prompts, of files on disk, of the calls of stubs.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_BYTES, readPlainText } from '../host/plain-file.js';
import { clip } from '../protocol/text.js';
import type { CaseRecord } from './case-run.js';
import type { Expected, FileCheck, TextCheck } from './case-schema.js';
import { callsOf } from './repository.js';

/** One difference: its key, and a description. */
export interface Difference {
  readonly key: string;
  readonly text: string;
}

/** Files of the run that differ from what is expected. */
export async function filesOf({ files = {} }: Expected, { folders }: CaseRecord): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const [name, check] of Object.entries(files)) {
    const key = `files.${name}`;
    const path = join(folders.work, name);
    const there = await stat(path).catch(() => undefined); // Absent: that may be what is expected.
    if (isAbsent(check)) {
      if (there !== undefined) found.push({ key, text: 'expected no file, but it exists' });
    } else if (there?.isFile() !== true) found.push({ key, text: 'the file does not exist' });
    else found.push(...textDifferences(key, check, await readPlainText(path, MAX_BYTES.test)));
  }
  return found;
}

function isAbsent(check: FileCheck): boolean {
  return 'absent' in check && check.absent !== undefined;
}

/** Stubs whose calls differ from what is expected. */
export async function commandsOf({ commands = {} }: Expected, { folders }: CaseRecord): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const [name, check] of Object.entries(commands))
    found.push(...textDifferences(`commands.${name}`, check, await callsOf(folders, name)));
  return found;
}

/** The most of a text that a difference quotes, in characters. */
const QUOTED = 600;

/** The difference between a text and its rules. */
export function textDifferences(key: string, check: TextCheck | undefined, seen: string): readonly Difference[] {
  if (check === undefined) return [];
  const { is, contains = [], lacks = [], matches } = check as Exclude<TextCheck, { is: string }>;
  const shown = seen.trim() === '' ? '(nothing)' : clip(seen.trim(), QUOTED);
  const differs = (what: string): Difference => ({ key, text: `expected ${what}\nactual: ${shown}` });
  return [
    ...(is === undefined || is.trim() === seen.trim() ? [] : [differs(`"${clip(is.trim(), QUOTED)}"`)]),
    ...contains.filter((part) => !seen.includes(part)).map((part) => differs(`text that contains "${part}"`)),
    ...lacks.filter((part) => seen.includes(part)).map((part) => differs(`text without "${part}"`)),
    ...(matches === undefined || new RegExp(matches, 'u').test(seen) ? [] : [differs(`a match of /${matches}/`)]),
  ];
}
