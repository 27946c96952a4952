// Lints packages that are written as strings.
import { join } from 'node:path';
import { analyse } from '../../../src/analysis/lint/analyse.js';
import type { Finding } from '../../../src/analysis/lint/rule.js';
import { lint } from '../../../src/analysis/lint/lint.js';
import { openScope } from '../../../src/packages/open.js';
import { scopeAt } from '../../../src/protocol/scope.js';
import { folder } from '../../support/folder.js';

/** The files of a package, and of what lies beside it as `../other/START.sh`. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** A file of these lines. */
export const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

/** Everything that is found in the package `flow`, or in `flow.yaml` when that is its only file. */
export async function linted(files: Files, ignore: readonly string[] = []): Promise<readonly Finding[]> {
  const placed = Object.entries(files).map(([name, content]) => [
    name === 'flow.yaml' ? name : join('flow', name),
    content,
  ]);
  const root = await folder(Object.fromEntries(placed) as Files);
  const scope = scopeAt(join(root, 'flow.yaml' in files ? 'flow.yaml' : 'flow'));
  const options = { scope, platform: 'unix', cwd: root, extent: 'all' } as const;
  // A host with one kind of sandbox.
  const analysis = { ...(await analyse(await openScope(scope), options)), sandbox: { onHost: ['container'] } as const };
  const findings = lint(analysis, ignore);
  return findings.map((finding) => ({
    ...finding,
    at: { ...finding.at, file: finding.at.file.replace(`${root}/`, '').replace(/^flow\//, '') },
  }));
}

/** A finding in short: `missing-target START.md:3:7`. */
export function placed({ id, at: { file, line, column } }: Finding): string {
  return `${id} ${file}:${line}:${column}`;
}

/** What is wrong, the package, and what is found in it: `id FILE:LINE:COLUMN`. */
export type Fault = readonly [what: string, files: Files, found: readonly string[]];

/** A state in which a run ends. */
export const END: Files = { 'END.sh': 'echo "<result>done</result>"\n' };

/** A prompt with a policy. */
export const prompt = (policy: string, body: string): string => `---\n${policy}\n---\n${body}\n`;
