// `raymond completion bash|zsh|fish`: prints a script that completes commands, flags and ids of runs. Shells call it
// when they start, so it loads nothing but the scripts.
import type { Command } from 'commander';
import { assertNever } from '../../protocol/failure.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { wordsOf } from './words.js';
import { zshScript } from './zsh.js';

/** The shells with a script. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Prints the script; returns the exit code. */
export async function completion(
  io: Io,
  { shell, program }: { readonly shell: Shell; readonly program: Command },
): Promise<number> {
  await io.print(scriptOf(shell, program));
  return EXIT.completed;
}

function scriptOf(shell: Shell, program: Command): string {
  const words = wordsOf(program);
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      return zshScript(words);
    case 'fish':
      return fishScript(words);
    default:
      return assertNever(shell);
  }
}
