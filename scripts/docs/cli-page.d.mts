import type { Command } from 'commander';

/** The pages about a program of Commander. */
export function cliPages(program: Command): Readonly<Record<string, string>>;
