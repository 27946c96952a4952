// Reads and lints the held-out corpus: packages as text, `>>> what | FILE:LINE` before each, `>> FILE` before each of their files.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lintPackages } from '../../../../src/authoring/lint.js';
import { folder } from '../../../support/folder.js';

/** A package; `at` is where its fault is, `FILE:LINE`. */
interface HeldOut {
  readonly what: string;
  readonly at: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The packages of `right.txt` or `faults.txt`. A line that ends with a backslash and an r ends as on Windows. */
export function heldOut(name: 'right' | 'faults'): readonly HeldOut[] {
  const text = readFileSync(fileURLToPath(new URL(`${name}.txt`, import.meta.url)), 'utf8');
  return text
    .split(/^>>> /mu)
    .slice(1)
    .map((part) => {
      const [title = '', ...files] = part.split(/^>> /mu);
      const [what = '', at = ''] = title.trim().split(' | ');
      return { what, at, files: Object.fromEntries(files.map(fileOf)) };
    });
}

function fileOf(text: string): readonly [string, string] {
  const end = text.indexOf('\n');
  const name = text.slice(0, end);
  return [name === 'flow.yaml' ? name : join('flow', name), text.slice(end + 1).replaceAll('\\r\n', '\r\n')];
}

/** The errors and warnings of a package as a user sees them: `error missing-target START.sh:3:7`. */
export async function findingsIn({ files }: HeldOut): Promise<readonly string[]> {
  const root = await folder(files);
  const paths = ['flow.yaml' in files ? 'flow.yaml' : 'flow'];
  const linted = await lintPackages({ paths, cwd: root, root, cacheDir: root, ignore: [], path: process.env['PATH'] });
  return linted.flatMap(({ findings }) =>
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ id, severity, at: { file, line, column } }) => {
        const shown = relative(root, file).replace(/^flow\//u, '');
        return `${severity} ${id} ${shown}:${line}:${column}`;
      }),
  );
}
