// What a manifest means on a given machine: its working directory as a path, its environment with variables filled in. Pure.
// Must not look at files or at the environment of this process; callers bring both.
import { dirname, resolve } from 'node:path';
import type { Scope } from '../../protocol/agent.js';
import { originOf } from '../../protocol/scope.js';
import type { Manifest } from './manifest.js';

/**
 * The directory where a run of the package starts, undefined when the manifest names none. It is relative to the folder that
 * holds the package; for a package that was downloaded, to `home`, where the run was started.
 */
export function workingDirectoryOf(
  { workingDirectory }: Manifest,
  { scope, home }: { readonly scope: Scope; readonly home: string },
): string | undefined {
  return workingDirectory === undefined ? undefined : resolve(folderOfPackage(scope) ?? home, workingDirectory);
}

function folderOfPackage(scope: Scope): string | undefined {
  if (scope.kind === 'directory') return originOf(scope);
  return scope.kind === 'zip' && scope.url !== undefined ? undefined : dirname(originOf(scope));
}

/** Values with every `${NAME}` filled in, and a warning for each name that is not set: it becomes nothing. */
export function filledEnvironment(
  { environment }: Manifest,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly environment: Readonly<Record<string, string>>; readonly warnings: readonly string[] } {
  const missing = new Set<string>();
  const filled = Object.entries(environment).map(([name, value]) => {
    const text = value.replace(/\$\{([A-Za-z_]\w*)\}/g, (_all, wanted: string) => {
      const found = Object.hasOwn(variables, wanted) ? variables[wanted] : undefined;
      if (found === undefined)
        missing.add(`environment: ${name} uses \${${wanted}}, which is not set; it is left empty`);
      return found ?? '';
    });
    return [name, text] as const;
  });
  return { environment: Object.fromEntries(filled), warnings: [...missing] };
}
