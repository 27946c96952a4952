// The Temporal CLI that the user named. Kept apart from the search, which a command that finds its server running never loads.
import { resolve } from 'node:path';

/** The environment variable that names the executable; it wins over the configuration. */
export const CLI_VARIABLE = 'RAYMOND_TEMPORAL_CLI';

/** The executable the user named, absolute, and in words where; undefined when Raymond is to look for one itself. */
export function namedCli(
  configured: string | undefined,
): { readonly path: string; readonly source: string } | undefined {
  const variable = process.env[CLI_VARIABLE];
  if (variable) return { path: resolve(variable), source: CLI_VARIABLE };
  return configured === undefined
    ? undefined
    : { path: resolve(configured), source: '`temporal_cli` in the configuration' };
}
