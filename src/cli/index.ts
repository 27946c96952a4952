// One call of the command line, from its words to its exit code. program/ lists the commands; each command has its own
// file: parse → call → print.
import { CommanderError, type Command } from 'commander';
import { packageFacts } from '../host/self.js';
import { EXIT } from './exit.js';
import { openIo, type CallOptions, type Io } from './io.js';
import { build, usageText } from './program/index.js';

/** Runs one command line (without node and script) in the given context; returns the exit code. */
export async function main(argv: readonly string[], options: CallOptions): Promise<number> {
  const io = openIo(options);
  let code: number = EXIT.completed;
  const program = build({ io, version: packageFacts().version, finish: (done) => void (code = done) });
  try {
    await program.parseAsync(inFull(argv), { from: 'user' });
  } catch (error) {
    code = await exitOfThrown(error, { io, program });
  } finally {
    await io.close();
  }
  return code;
}

async function exitOfThrown(
  error: unknown,
  { io, program }: { readonly io: Io; readonly program: Command },
): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.completed;
    const text = usageText(error, program);
    if (text !== undefined) io.say(text);
    return EXIT.usage;
  }
  return await (await import('./explain.js')).explain(error, io);
}

/** `raymond` alone shows the help; `raymond --init-config` is `raymond init --config-only`. */
function inFull([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return ['--help'];
  return first === '--init-config' ? ['init', '--config-only', ...rest] : [first, ...rest];
}
