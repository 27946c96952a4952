// The commands about what runs need: the embedded server, workers of a fleet, a cluster's set-up, and whether all is there.
import { InvalidArgumentError, type Command } from 'commander';
import { durationText, hostPort, nonNegative, positiveInteger, withConnection, withTelemetry } from '../flags.js';
import type { DownFlags, EngineFlags, UpFlags } from '../serving/engine.js';
import type { DoctorFlags } from '../serving/doctor.js';
import type { HostsFlags } from '../serving/hosts.js';
import type { RolloutFlags } from '../serving/rollout.js';
import type { ServeFlags } from '../serving/serve.js';
import type { SetupFlags } from '../serving/setup.js';
import type { WorkerFlags } from '../serving/worker.js';
import type { Call } from './index.js';

/** Adds them. */
export function addServing(program: Command, call: Call): void {
  const { io, finish } = call;
  addEngine(program, call);
  addService(program, call);
  addServer(program, call);
  addServe(program.command('serve'), call);
  addWorker(program.command('worker').description('serve the task queue of a fleet').exitOverride(), call);
  addHosts(program.command('hosts'), call);
  addRollout(program.command('rollout'), call);
  const setup = program.command('setup').description('register the search attributes on a cluster').exitOverride();
  withConnection(program.command('doctor').description('check that everything is there that runs need'))
    .exitOverride()
    .option('--task-queue <name>', "the fleet's task queue (default: raymond)")
    .option('--deep', 'also read the whole artifact store, and list damaged files')
    .option('--json', 'as JSON')
    .action(async (flags: DoctorFlags) => finish(await (await import('../serving/doctor.js')).doctor(io, flags)));
  withConnection(setup)
    .option('--json', 'as JSON')
    .action(async (flags: SetupFlags) => {
      finish(await (await import('../serving/setup.js')).setup(io, flags));
    });
}

function addServer(program: Command, { io, finish }: Call): void {
  const server = program.command('server').description('the embedded Temporal server of this project').exitOverride();
  for (const [action, text] of [
    ['start', 'start it'],
    ['stop', 'stop it, and the engine'],
    ['status', 'show it'],
    ['list', 'list the running servers of all your projects'],
  ] as const) {
    const command = server.command(action).description(text).exitOverride();
    if (action === 'stop') command.option('--force', 'interrupt turns that are running; they are done again later');
    command.option('--json', 'as JSON');
    command.action(async (flags: { readonly force?: boolean; readonly json?: boolean }) =>
      finish(await (await import('../serving/server.js')).server(io, { action, ...flags })),
    );
  }
}

function addEngine(program: Command, { io, finish }: Call): void {
  program
    .command('up')
    .description('start the engine of this project: it executes the runs in the background')
    .exitOverride()
    .option('--status', 'only show it')
    .option('--logs', 'show its log')
    .option('-f, --follow', 'with --logs: wait for more')
    .option('--json', 'as JSON')
    .action(async (flags: UpFlags) => finish(await (await import('../serving/engine.js')).up(io, flags)));
  program
    .command('down')
    .description('stop the engine of this project; open runs continue with the next one')
    .exitOverride()
    .option('--drain <seconds>', 'how long running turns may take (default: 30)', nonNegative)
    .option('--json', 'as JSON')
    .action(async (flags: DownFlags) => finish(await (await import('../serving/engine.js')).down(io, flags)));
  program
    .command('ps')
    .description('list the engines and servers of all your projects')
    .exitOverride()
    .option('--json', 'as JSON')
    .action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../serving/engine.js')).ps(io, flags)),
    );
  program
    .command('__engine', { hidden: true })
    .exitOverride()
    .option('--service')
    .action(async (flags: EngineFlags) => finish(await (await import('../serving/engine.js')).engine(io, flags)));
}

function addService(program: Command, { io, finish }: Call): void {
  const service = program
    .command('service')
    .description('have systemd or launchd start the engine of this project at login, and after a crash')
    .exitOverride();
  for (const [action, text] of [
    ['install', 'start the engine now, at every login, and again when it crashes'],
    ['remove', 'stop the engine, and start it no more by itself'],
    ['status', 'show the service and its engine'],
  ] as const) {
    const command = service.command(action).description(text).exitOverride();
    if (action === 'status') command.option('--json', 'as JSON');
    command.action(async (flags: { readonly json?: boolean }) =>
      finish(await (await import('../serving/service.js')).service(io, { action, ...flags })),
    );
  }
}

function addServe(command: Command, { io, finish }: Call): void {
  withTelemetry(
    withConnection(
      command.description('run the engine of this project here, with its API and page, also for others').exitOverride(),
    ),
  )
    .option('--host <host>', 'where to listen (default: 127.0.0.1, which only this host reaches)')
    .option('--port <n>', 'the port; 0 = any that is free (default: 8234, or the next that is free)', portNumber)
    .option('--origin <url>', 'an address under which browsers reach it, such as https://raymond.example', oneMore)
    .option('--token-file <file>', 'who may call: a line "NAME ROLE TOKEN" for each; view, answer or operate')
    .option('--task-queue <name>', "on a cluster: the fleet's task queue (default: raymond)")
    .option('--drain <seconds>', 'how long running turns may go on after a signal (default: 30)', nonNegative)
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

function addHosts(command: Command, { io, finish }: Call): void {
  withConnection(command.description('list the hosts of a fleet, and what they do').exitOverride())
    .option('--task-queue <name>', "the fleet's task queue (default: raymond)")
    .option('--json', 'as JSON')
    .action(async (flags: HostsFlags) => finish(await (await import('../serving/hosts.js')).hosts(io, flags)));
}

function addRollout(command: Command, { io, finish }: Call): void {
  withConnection(command.description("let a version of a fleet's workers do its runs").exitOverride())
    .requiredOption('--deployment <name>', 'the deployment that its workers were given')
    .requiredOption('--build-id <id>', 'the version that its workers were given')
    .option('--timeout <duration>', 'how long to wait until one of them polls (default: 60s)', durationText)
    .option('--json', 'as JSON')
    .action(async (flags: RolloutFlags) => finish(await (await import('../serving/rollout.js')).rollout(io, flags)));
}

function addWorker(command: Command, { io, finish }: Call): void {
  withTelemetry(withConnection(command))
    .option('--task-queue <name>', "the fleet's task queue (default: raymond)")
    .option('--max-prompts <n>', 'prompt turns at once (default: 8)', positiveInteger)
    .option('--max-scripts <n>', 'script turns at once (default: 64)', positiveInteger)
    .option('--host <name>', 'what this host is called; its own task queue has that name (default: the host name)')
    .option('--max-cached-workflows <n>', 'workflows kept in memory (default: 150)', positiveInteger)
    .option('--drain <seconds>', 'how long running turns may go on after SIGTERM (default: 600)', nonNegative)
    .option('--deployment <name>', 'one version of a fleet of several: which fleet (see docs/operating.md)')
    .option('--build-id <id>', 'and which version')
    .option('--health <host:port>', 'answer there at /healthz and /readyz, for a supervisor of processes', hostPort)
    .action(async (flags: WorkerFlags) => finish(await (await import('../serving/worker.js')).worker(io, flags)));
}
