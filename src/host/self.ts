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

/**
 * The same for the engine of a project. V8 keeps up to 48 MB for new objects, of which an engine, idle most of the time,
 * needs a quarter.
 */
export function engineProgram(): readonly [node: string, ...words: readonly string[]] {
  const [node, file] = ownProgram();
  return [node, '--max-semi-space-size=4', file, '__engine'];
}
