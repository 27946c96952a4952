// The commands about the folder of a project.
import type { AddCommand, Call } from './index.js';

/** Adds them. */
export function addProject(command: AddCommand, { io, finish }: Call): void {
  command('init', 'write a commented config and a first workflow')
    .option('--config-only', 'only the config (also: raymond --init-config)')
    .action(async (flags: { readonly configOnly?: boolean }) =>
      finish(await (await import('../init.js')).init(io, flags)),
    );
  command('config', 'print the values that count here, and where each comes from')
    .option('--json', 'as JSON')
    .action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../config.js')).config(io, flags)),
    );
}
