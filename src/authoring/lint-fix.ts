// Fixes findings that have exactly one fix, in folders and YAML packages. Zip files and packages from the web are not
// changed.
import { chmod, stat } from 'node:fs/promises';
import type { Finding, Edit } from '../analysis/lint/rule.js';
import { writeFileAtomic } from '../host/files.js';
import { readPlainText } from '../host/plain-file.js';
import { MAX_FILE_BYTES } from '../packages/limits.js';

/** Fixes what it can; returns the number of fixed findings. */
export async function fixFindings(findings: readonly Finding[]): Promise<number> {
  const edits = new Map<string, Edit[]>();
  for (const { edit } of findings) {
    if (edit === undefined) continue;
    const file = edit.kind === 'line-ends' ? edit.file : edit.at.file;
    edits.set(file, [...(edits.get(file) ?? []), edit]);
  }
  let fixed = 0;
  for (const [file, wanted] of edits) fixed += await fixFile(file, wanted);
  return fixed;
}

async function fixFile(file: string, edits: readonly Edit[]): Promise<number> {
  const text = await readPlainText(file, MAX_FILE_BYTES).catch(() => undefined); // A file in a zip.
  if (text === undefined) return 0;
  const { text: replaced, count } = replacedIn(
    text,
    edits.filter((edit) => edit.kind === 'replace'),
  );
  const lineEnds = edits.some(({ kind }) => kind === 'line-ends');
  const fixed = lineEnds ? replaced.replaceAll('\r\n', '\n') : replaced;
  if (fixed !== text) {
    const { mode } = await stat(file);
    await writeFileAtomic(file, fixed);
    await chmod(file, mode & 0o777);
  }
  return count + (lineEnds ? 1 : 0);
}

type Replacement = Extract<Edit, { readonly kind: 'replace' }>;

/** From the end to the beginning, so that earlier positions stay valid. */
function replacedIn(text: string, edits: readonly Replacement[]): { readonly text: string; readonly count: number } {
  const lines = text.split('\n');
  const backwards = [...edits].sort((one, other) => other.at.line - one.at.line || other.at.column - one.at.column);
  let count = 0;
  for (const { at, old, text: written } of backwards) {
    const line = lines[at.line - 1] ?? '';
    const from = at.column - 1;
    // Positions within quoted or folded YAML text are only approximate.
    if (line.slice(from, from + old.length) !== old) continue;
    lines[at.line - 1] = line.slice(0, from) + written + line.slice(from + old.length);
    count += 1;
  }
  return { text: lines.join('\n'), count };
}
