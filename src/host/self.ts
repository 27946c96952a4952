// This process and this package: the defaults for programs that import Raymond, and the version.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder and the environment of this process. */
export function processContext(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  return { cwd: process.cwd(), env: process.env };
}

/** The package.json of this package. */
interface PackageFacts {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** Reads it. */
export function packageFacts(): PackageFacts {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageFacts;
}

/** A folder that is shipped with this package. */
export function shippedFolder(name: 'schemas' | 'skill' | 'workflows'): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

/** The program and first arguments that start Raymond as a process of its own. */
export function ownProgram(): readonly [node: string, file: string] {
  return [process.execPath, fileURLToPath(new URL('../../bin/raymond.js', import.meta.url))];
}
