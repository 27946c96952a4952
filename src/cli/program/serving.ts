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
    program
      .command('mcp')
      .description('serve the Model Context Protocol on stdin and stdout, so that coding agents can operate runs'),
  )
    .option('--task-queue <name>', 'on a cluster: the task queue that the workers of the fleet poll (default: raymond)')
    .option('--read-only', 'offer only tools that change nothing')
    .action(async (flags: McpFlags) => finish(await (await import('../serving/mcp.js')).mcp(io, flags)));
  withConnection(program.command('doctor').description('check that this host has everything that runs need'))
    .option('--task-queue <name>', 'on a cluster: the task queue that the workers of the fleet poll (default: raymond)')
    .option('--verbose', 'also list the environment variables that prompts do not get')
    .option('--deep', 'also read the whole artifact store, and list damaged files')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: DoctorFlags) => finish(await (await import('../serving/doctor.js')).doctor(io, flags)));
}

function addServer(program: Command, { io, finish }: Call): void {
  const server = program
    .command('server')
    .description(
      'manage the embedded Temporal server; raymond up starts the server together with the engine, and raymond down stops both',
    );
  for (const [action, text] of [
    ['start', 'start the Temporal server without the engine; the server runs until you stop it'],
    ['stop', 'stop the engine, then the Temporal server, as raymond down does'],
    ['status', 'show the Temporal server of this project'],
    ['list', 'list the running Temporal servers of all your projects'],
  ] as const) {
    const command = server.command(action).description(text);
    if (action === 'stop')
      command.option(
        '--force',
        'interrupt running turns at once, instead of after 30 seconds; they run again when an engine starts',
      );
    command.option('--json', 'print JSON instead of text');
    command.action(async (flags: { readonly force?: boolean; readonly json?: boolean }) =>
      finish(await (await import('../serving/server.js')).server(io, { action, ...flags })),
    );
  }
}

function addEngine(program: Command, { io, finish }: Call): void {
  program
    .command('up')
    .description(
      'start the engine of this project, which executes runs in the background, and the Temporal server of the project',
    )
    .option('--status', 'only show the status of the engine, and start nothing')
    .option('--logs', 'show the log of the engine, and start nothing')
    .option('-f, --follow', 'with --logs: also print new lines, until Ctrl-C')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: UpFlags) => finish(await (await import('../serving/engine.js')).up(io, flags)));
  program
    .command('down')
    .description(
      'stop the engine and the Temporal server of this project; open runs continue when an engine starts again',
    )
    .option(
      '--drain <seconds>',
      'seconds that running turns have to end before they are interrupted (default: 30)',
      nonNegative,
    )
    .option('--json', 'print JSON instead of text')
    .action(async (flags: DownFlags) => finish(await (await import('../serving/engine.js')).down(io, flags)));
  program
    .command('ps')
    .description('list the engines and Temporal servers of all your projects')
    .option('--json', 'print JSON instead of text')
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
    ['status', 'show the status of the service and of the engine'],
  ] as const) {
    const command = service.command(action).description(text);
    if (action === 'status') command.option('--json', 'print JSON instead of text');
    command.action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../serving/service.js')).service(io, { action, ...flags })),
    );
  }
}

function addServe(command: Command, { io, finish }: Call): void {
  withTelemetry(
    withConnection(
      command.description(
        'run the engine in this terminal, with its API and web page; with --token-file, other users can sign in',
      ),
    ),
  )
    .option('--host <host>', 'address to listen on (default: 127.0.0.1, reachable only from this host)')
    .option('--port <n>', 'port; 0 = any free port (default: 8234, or the next free one)', portNumber)
    .option(
      '--origin <url>',
      'a URL at which browsers reach the page, such as https://raymond.example; repeatable',
      oneMore,
    )
    .option(
      '--token-file <file>',
      'let the users in this file sign in: one line "NAME ROLE TOKEN" for each user, with the role view, answer or operate',
    )
    .option('--task-queue <name>', 'on a cluster: the task queue that the workers of the fleet poll (default: raymond)')
    .option(
      '--drain <seconds>',
      'seconds that running turns have to end after Ctrl-C or SIGTERM before they are interrupted (default: 30)',
      nonNegative,
    )
    .option(
      '--launch <id>',
      'start a run of this workflow when the engine is ready; ID is the id in the manifest of the workflow, or the id or path that GET /api/workflows shows; repeatable',
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
