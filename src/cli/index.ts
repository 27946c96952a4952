// The command line: which commands and flags exist. Each command parses → calls → prints in its own file, loaded when it is used, and so is
// what explains errors: wrong usage is told in little more than the time that Node takes to start.
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';
import { EXIT } from './exit.js';
import type { AnswerFlags } from './answer.js';
import type { BudgetFlags } from './budget.js';
import {
  effortLevel,
  modelName,
  nonNegative,
  positiveInteger,
  withConnection,
  withView,
  type ConnectionFlags,
  type StartFlags,
} from './flags.js';
import type { ListFlags } from './list.js';
import type { ResumeFlags } from './resume.js';
import type { StatusFlags } from './status.js';
import type { WorkerFlags } from './worker.js';
import { visible } from '../protocol/text.js';
import { openIo, type CallOptions, type Io } from './io.js';

/** Runs one command line (without node and script) in the given surroundings; gives the exit code. */
export async function main(argv: readonly string[], options: CallOptions): Promise<number> {
  const io = openIo(options);
  let code: number = EXIT.completed;
  try {
    await build(io, (done) => void (code = done)).parseAsync(inFull(argv), { from: 'user' });
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

/** `raymond --init-config` is `raymond init --config-only`. */
function inFull([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return [];
  return first === '--init-config' ? ['init', '--config-only', ...rest] : [first, ...rest];
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

type Finish = (code: number) => void;

/** All commands with their flags; `finish` hears the exit code of the one that was called. */
export function build(io: Io, finish: Finish): Command {
  const program = new Command('raymond')
    .description('Runs folders of prompts and scripts as durable workflows.')
    .version(versionOfPackage())
    .exitOverride()
    .configureHelp({ sortSubcommands: false })
    .configureOutput(outputOf(io))
    .showSuggestionAfterError();
  const command = (name: string, description: string): Command =>
    program.command(name).description(description).exitOverride();

  // `raymond WORKFLOW` is `raymond start WORKFLOW`.
  addStart(program.command('start <workflow>', { isDefault: true }).alias('run').exitOverride(), { io, finish });
  withConnection(command('list', 'list the runs'))
    .option('--json', 'as JSON')
    .action(async (flags: ListFlags) => {
      finish(await (await import('./list.js')).list(io, flags));
    });
  withConnection(command('recover', 'list the open runs that nobody serves'))
    .option('--json', 'as JSON')
    .action(async (flags: ListFlags) => {
      finish(await (await import('./list.js')).recover(io, flags));
    });
  withConnection(command('status <run>', 'show how a run fares'))
    .option('--json', 'as JSON')
    .action(async (run: string, flags: StatusFlags) => {
      finish(await (await import('./status.js')).status(io, { runId: run, flags }));
    });
  withConnection(command('result <run>', 'print the result of a run'))
    .option('--json', 'as JSON')
    .action(async (run: string, flags: StatusFlags) => {
      finish(await (await import('./status.js')).result(io, { runId: run, flags }));
    });
  withConnection(command('cancel <run>', 'stop a run')).action(async (run: string, flags: ConnectionFlags) => {
    finish(await (await import('./cancel.js')).cancel(io, { runId: run, flags }));
  });
  withView(withConnection(command('resume [run]', 'go on with a run')))
    .option('--all', 'go on with every open run that nobody serves')
    .option('--follow', 'on a cluster: wait for the end')
    .option('--task-queue <name>', "the fleet's task queue")
    .action(async (run: string | undefined, flags: ResumeFlags) =>
      finish(await (await import('./resume.js')).resume(io, { runId: run, flags })),
    );
  withConnection(
    command('decode <run> [agent]', 'print what Temporal has recorded, decrypted, as JSON lines; - = read a payload'),
  ).action(async (run: string, agent: string | undefined, flags: ConnectionFlags) =>
    finish(await (await import('./decode.js')).decode(io, { runId: run, agentId: agent, flags })),
  );
  addAnswers(command, { io, finish });
  addServer(program, { io, finish });
  addWorker(command('worker', 'serve the task queue of a fleet'), { io, finish });
  withConnection(command('setup', 'register the search attributes on a cluster')).action(
    async (flags: ConnectionFlags) => {
      finish(await (await import('./setup.js')).setup(io, flags));
    },
  );
  addProject(command, { io, finish });
  return program;
}

/** What every action gets. */
interface Call {
  readonly io: Io;
  readonly finish: Finish;
}

function addAnswers(command: (name: string, description: string) => Command, { io, finish }: Call): void {
  withView(
    withConnection(command('answer <run> <words...>', 'answer a question of a run: [ASK] TEXT, - = read the text')),
  )
    .usage('[options] <run> [ask] <text>')
    .option(
      '--file <name=path>',
      'a file that goes with the answer (again for each)',
      (file, files: string[]) => [...files, file],
      [],
    )
    .option('--follow', 'on a cluster: wait for the end')
    .action(async (run: string, words: string[], flags: AnswerFlags) =>
      finish(await (await import('./answer.js')).answer(io, { runId: run, words, flags })),
    );
  withView(withConnection(command('budget <run>', 'change what a run may cost; 0 = no limit')))
    .argument('<usd>', 'the new limit, over all that it has spent', nonNegative)
    .option('--follow', 'on a cluster: wait for the end')
    .action(async (run: string, usd: number, flags: BudgetFlags) =>
      finish(await (await import('./budget.js')).budget(io, { runId: run, amount: usd, flags })),
    );
}

function addProject(command: (name: string, description: string) => Command, { io, finish }: Call): void {
  command('init', 'write a commented config and a first workflow')
    .option('--config-only', 'only the config (also: raymond --init-config)')
    .action(async (flags: { readonly configOnly?: boolean }) =>
      finish(await (await import('./init.js')).init(io, flags)),
    );
  command('config', 'print the values that count here, and where each comes from')
    .option('--json', 'as JSON')
    .action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('./config.js')).config(io, flags)),
    );
}

function addStart(command: Command, { io, finish }: Call): void {
  withView(
    withConnection(command.description('start a workflow: a folder, a state file, a .zip, a .yaml or an address')),
  )
    .option('--input <text>', 'what {{input}} is in the first state')
    .option('--id <run>', 'the id of the run')
    .option('--cwd <dir>', 'where the first agent works (default: here, or what the manifest says)')
    .option('--budget <usd>', 'what the run may cost in USD; 0 = no limit (default: 10)', nonNegative)
    .option('--model <name>', 'the model of prompts that name none', modelName)
    .option('--effort <level>', 'the effort of prompts that name none', effortLevel)
    .option(
      '--timeout <seconds>',
      'end a turn after so much silence; 0 = never (default: 600 for prompts)',
      nonNegative,
    )
    .option('--max-time <seconds>', 'end a turn that takes longer, silent or not; 0 = never (default: 0)', nonNegative)
    .option('--wait', 'wait for a usage limit to pass, whatever the config says (default)')
    .option('--no-wait', 'do not: pause instead')
    .addOption(new Option('--dangerously-skip-permissions', 'let Claude do anything without asking'))
    .option('--fail-fast', 'stop all agents when one fails')
    .option('--pin', 'run a frozen copy: later edits of the workflow do not count')
    .option('--debug', 'keep debug files of the run in .raymond/debug, whatever the config says (default)')
    .option('--no-debug', 'keep none')
    .option('--detach', 'return at once; the run goes on in the background')
    .option('--task-queue <name>', "the fleet's task queue")
    .action(async (workflow: string, flags: StartFlags) =>
      finish(await (await import('./start.js')).start(io, { workflow, flags })),
    );
}

function addServer(program: Command, { io, finish }: Call): void {
  const server = program.command('server').description('the embedded Temporal server of this project').exitOverride();
  for (const [action, text] of [
    ['start', 'start it'],
    ['stop', 'stop it'],
    ['status', 'show it'],
  ] as const) {
    const command = server.command(action).description(text).exitOverride();
    if (action === 'stop') command.option('--force', 'also while runs are being served');
    command.action(async (flags: { readonly force?: boolean }) =>
      finish(await (await import('./server.js')).server(io, { action, ...flags })),
    );
  }
}

function addWorker(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .option('--task-queue <name>', "the fleet's task queue (default: raymond)")
    .option('--max-prompts <n>', 'prompt turns at once (default: 8)', positiveInteger)
    .option('--max-scripts <n>', 'script turns at once (default: 64)', positiveInteger)
    .option('--max-cached-workflows <n>', 'workflows kept in memory (default: 150)', positiveInteger)
    .option('--drain <seconds>', 'how long running turns may go on after SIGTERM (default: 600)', nonNegative)
    .action(async (flags: WorkerFlags) => finish(await (await import('./worker.js')).worker(io, flags)));
}

/** Commander writes into the streams of the call, too. */
function outputOf({ stdout, stderr }: Io): OutputConfiguration {
  const widthOf = ({ isTTY, columns }: Io['stderr']): number => (isTTY === true ? (columns ?? 80) : 80);
  return {
    writeOut: (text) => void stdout.write(visible(text)),
    writeErr: (text) => void stderr.write(visible(text)),
    outputError: (text, write) => write(asOneLine(text)),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
}

/** Commander's error in our words, its suggestion on the same line. */
function asOneLine(text: string): string {
  return text.replace(/^error: /, 'raymond: ').replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
}
