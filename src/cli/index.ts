// One call of the command line, from its words to its exit code. program/ lists the commands; each command has its own
// file: parse → call → print.
import { CommanderError, type Command } from 'commander';
import { packageFacts } from '../host/self.js';
import { EXIT } from './exit.js';
import { openIo, type CallOptions, type Io } from './io.js';
import type { Picked } from './pick.js';
import { build, usageText } from './program/index.js';

/** Runs one command line (without node and script) in the given context; returns the exit code. */
export async function main(argv: readonly string[], options: CallOptions): Promise<number> {
  const io = openIo(options);
  try {
    return await call(inFull(argv), io);
  } finally {
    await io.close();
  }
}

async function call(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.completed;
  const program = build({ io, version: packageFacts().version, finish: (done) => void (code = done) });
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const picked = await pickMissing(error, { io, program }).catch((failed: unknown) => ({ failed }));
    if (picked === undefined) return await exitOfThrown(error, { io, program });
    if ('failed' in picked) return await exitOfThrown(picked.failed, { io, program });
    // After `--`, a word that begins with a dash is no flag.
    if (picked.kind === 'words')
      return await call([...argv, ...(argv.includes('--') ? [] : ['--']), ...picked.words], io);
    return EXIT.interrupted;
  }
  return code;
}

/** A missing argument is picked from a list on a terminal; undefined for other errors, and where there is no list. */
async function pickMissing(error: unknown, { io, program }: Parsed): Promise<Picked | undefined> {
  const isMissing = error instanceof CommanderError && error.code === 'commander.missingArgument';
  return isMissing && io.stdout.isTTY === true
    ? await (await import('./pick.js')).pickArguments(io, program)
    : undefined;
}

/** Without a terminal, the error about a missing workflow names those of the project. */
async function workflowsText(error: CommanderError, { io }: Pick<Parsed, 'io'>): Promise<string> {
  if (error.code !== 'commander.missingArgument' || !error.message.includes("'workflow'")) return '';
  return await (await import('./workflow-names.js')).workflowsText(io.cwd);
}

interface Parsed {
  readonly io: Io;
  readonly program: Command;
}

async function exitOfThrown(error: unknown, { io, program }: Parsed): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.completed;
    const text = usageText(error, program);
    if (text !== undefined) io.say(`${text}${await workflowsText(error, { io })}`);
    return EXIT.usage;
  }
  return await (await import('./explain.js')).explain(error, io);
}

/** `raymond` alone shows the help; `raymond --init-config` is `raymond init --config-only`. */
function inFull([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return ['--help'];
  return first === '--init-config' ? ['init', '--config-only', ...rest] : [first, ...rest];
}
