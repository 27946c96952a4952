// The commands about the folder of a project.
import { durationText, withConnection } from '../flags.js';
import type { GcFlags } from '../gc.js';
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
  withConnection(command('gc', 'remove from .raymond what no run needs any more'))
    .option('--older-than <duration>', 'only what is older than this, e.g. 36h, 30d (default: 30d)', durationText)
    .option('--dry-run', 'only say what would be removed')
    .option('--json', 'as JSON')
    .action(async (flags: GcFlags) => finish(await (await import('../gc.js')).gc(io, { flags })));
}
