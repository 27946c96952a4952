import type { Command } from 'commander';

/** The page about a program of Commander. */
export function cliPage(program: Command): string;
