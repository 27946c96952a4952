// `raymond completion bash|zsh|fish`: a script that lets a shell complete commands, flags and the ids of runs. Shells call it at their
// start, so it loads nothing but the scripts.
import type { Command } from 'commander';
import { assertNever } from '../../protocol/failure.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { wordsOf } from './words.js';
import { zshScript } from './zsh.js';

/** The shells that there is a script for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Prints the script; gives the exit code. */
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
