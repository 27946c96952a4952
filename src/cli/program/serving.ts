// The commands for the engine and its embedded server, and `doctor`.
import { InvalidArgumentError, type Command } from 'commander';
import { nonNegative, withConnection, withTelemetry } from '../flags.js';
import type { DownFlags, EngineFlags, UpFlags } from '../serving/engine.js';
import type { DoctorFlags } from '../serving/doctor.js';
import type { McpFlags } from '../serving/mcp.js';
import type { ServeFlags } from '../serving/serve.js';
import type { Call } from './call.js';

/** Adds them. */
export function addServing(program: Command, call: Call): void {
  const { io, finish } = call;
  addEngine(program, call);
  addService(program, call);
  addServer(program, call);
  addServe(program.command('serve'), call);
  withConnection(
    program.command('mcp').description('let coding agents operate runs (Model Context Protocol, on stdio)'),
  )
    .option('--task-queue <name>', 'on a cluster: the task queue of the fleet (default: raymond)')
    .option('--read-only', 'offer only tools that change nothing')
    .action(async (flags: McpFlags) => finish(await (await import('../serving/mcp.js')).mcp(io, flags)));
  withConnection(program.command('doctor').description('check that this host has everything that runs need'))
    .option('--task-queue <name>', 'on a cluster: the task queue of the fleet (default: raymond)')
    .option('--verbose', 'also list the variables that prompts do not get')
    .option('--deep', 'also read the whole artifact store, and list damaged files')
    .option('--json', 'as JSON')
    .action(async (flags: DoctorFlags) => finish(await (await import('../serving/doctor.js')).doctor(io, flags)));
}

function addServer(program: Command, { io, finish }: Call): void {
  const server = program
    .command('server')
    .description('manage the embedded Temporal server; up and down start and stop it with the engine');
  for (const [action, text] of [
    ['start', 'start the Temporal server without the engine; it runs until it is stopped'],
    ['stop', 'stop the engine after its running turns, then the Temporal server'],
    ['status', 'show the Temporal server of this project'],
    ['list', 'list the running Temporal servers of all your projects'],
  ] as const) {
    const command = server.command(action).description(text);
    if (action === 'stop')
      command.option(
        '--force',
        'interrupt running turns (else they have 30 seconds); they run again when an engine starts',
      );
    command.option('--json', 'as JSON');
    command.action(async (flags: { readonly force?: boolean; readonly json?: boolean }) =>
      finish(await (await import('../serving/server.js')).server(io, { action, ...flags })),
    );
  }
}

function addEngine(program: Command, { io, finish }: Call): void {
  program
    .command('up')
    .description('start the engine of this project, which executes runs in the background, and its Temporal server')
    .option('--status', 'only show its status')
    .option('--logs', 'show its log')
    .option('-f, --follow', 'with --logs: keep printing new lines')
    .option('--json', 'as JSON')
    .action(async (flags: UpFlags) => finish(await (await import('../serving/engine.js')).up(io, flags)));
  program
    .command('down')
    .description(
      'stop the engine and the Temporal server of this project; open runs continue when an engine starts again',
    )
    .option(
      '--drain <seconds>',
      'seconds that running turns may take before they are interrupted (default: 30)',
      nonNegative,
    )
    .option('--json', 'as JSON')
    .action(async (flags: DownFlags) => finish(await (await import('../serving/engine.js')).down(io, flags)));
  program
    .command('ps')
    .description('list the engines and Temporal servers of all your projects')
    .option('--json', 'as JSON')
    .action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../serving/engine.js')).ps(io, flags)),
    );
  program
    .command('__engine', { hidden: true })
    .option('--service')
    .action(async (flags: EngineFlags) => finish(await (await import('../serving/engine.js')).engine(io, flags)));
}

function addService(program: Command, { io, finish }: Call): void {
  const service = program
    .command('service')
    .description('run the engine as a systemd or launchd service, which starts at login and restarts after a crash');
  for (const [action, text] of [
    ['install', 'install the service and start the engine now'],
    ['remove', 'stop the engine and remove the service'],
    ['status', 'show the service and its engine'],
  ] as const) {
    const command = service.command(action).description(text);
    if (action === 'status') command.option('--json', 'as JSON');
    command.action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../serving/service.js')).service(io, { action, ...flags })),
    );
  }
}

function addServe(command: Command, { io, finish }: Call): void {
  withTelemetry(
    withConnection(
      command.description(
        'run the engine in this terminal, and serve its API and web page; --token-file lets other users in',
      ),
    ),
  )
    .option('--host <host>', 'address to listen on (default: 127.0.0.1, reachable only from this host)')
    .option('--port <n>', 'port; 0 = any free port (default: 8234, or the next free one)', portNumber)
    .option('--origin <url>', 'public address for browsers, such as https://raymond.example', oneMore)
    .option('--token-file <file>', 'allowed users: one line "NAME ROLE TOKEN" each; roles: view, answer, operate')
    .option('--task-queue <name>', 'on a cluster: the task queue of the fleet (default: raymond)')
    .option('--drain <seconds>', 'seconds that running turns may take after a signal (default: 30)', nonNegative)
    .option(
      '--launch <id>',
      'start a run of this workflow when the server is ready; give its path, or its id from the manifest or from GET /api/workflows; repeatable',
      oneMore,
    )
    .action(async (flags: ServeFlags) => finish(await (await import('../serving/serve.js')).serve(io, flags)));
}

function portNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('expected a port, 0 to 65535');
  return value;
}

function oneMore(text: string, known: readonly string[] = []): readonly string[] {
  return [...known, text];
}
