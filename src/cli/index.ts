// One call of the command line, from its words to its exit code. Which commands there are says program/; each command parses → calls →
// prints in its own file.
import { CommanderError } from 'commander';
import { packageFacts } from '../host/self.js';
import { EXIT } from './exit.js';
import { openIo, type CallOptions, type Io } from './io.js';
import { build } from './program/index.js';

/** Runs one command line (without node and script) in the given surroundings; gives the exit code. */
export async function main(argv: readonly string[], options: CallOptions): Promise<number> {
  const io = openIo(options);
  let code: number = EXIT.completed;
  try {
    const program = build({ io, version: packageFacts().version, finish: (done) => void (code = done) });
    await program.parseAsync(inFull(argv), { from: 'user' });
  } catch (error) {
    code = await exitOfThrown(error, io);
  } finally {
    await io.close();
  }
  return code;
}

/** What is wrong with the command line itself Commander has said. */
async function exitOfThrown(error: unknown, io: Io): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  return await (await import('./explain.js')).explain(error, io);
}

/** `raymond` alone asks for help; `raymond --init-config` is `raymond init --config-only`. */
function inFull([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return ['--help'];
  return first === '--init-config' ? ['init', '--config-only', ...rest] : [first, ...rest];
}
