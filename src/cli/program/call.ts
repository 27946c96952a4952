// What a group of commands adds its commands with.
import type { Command } from 'commander';
import type { Io } from '../io.js';

/** What every command's action receives; `finish` receives its exit code. */
export interface Call {
  readonly io: Io;
  readonly finish: (code: number) => void;
}

/** Adds a command to the program. */
export type AddCommand = (name: string, description: string) => Command;
