// `raymond fleet …`: the workers of a fleet, and the hosts of workspaces. The old names without `fleet` stay as hidden
// aliases.
import type { Command } from 'commander';
import { durationText, hostPort, nonNegative, positiveInteger, withConnection, withTelemetry } from '../flags.js';
import type { HostsFlags } from '../serving/hosts.js';
import type { RolloutFlags } from '../serving/rollout.js';
import type { SetupFlags } from '../serving/setup.js';
import type { WorkerFlags } from '../serving/worker.js';
import type { MoveFlags } from '../steer/steer.js';
import type { Call } from './call.js';

const FLEET = [
  ['worker', 'run a worker of a fleet on this host', addWorker],
  ['hosts', 'list the hosts of a fleet and their current turns', addHosts],
  [
    'rollout',
    'make a version of the workers current: workers of this version execute new runs and continue open runs',
    addRollout,
  ],
  [
    'setup',
    "register Raymond's search attributes in a namespace of a cluster; necessary once for each namespace",
    addSetup,
  ],
  ['move <run> <agent>', 'move the workspace of an agent to another host', addMove],
] as const;

/** Adds it with its subcommands. */
export function addFleet(program: Command, call: Call): void {
  const fleet = program.command('fleet').description('run workers on several hosts, and manage them');
  for (const [words, description, add] of FLEET) {
    add(fleet.command(words).description(description), call);
    add(program.command(words, { hidden: true }).description(description), call);
  }
}

function addSetup(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .option('--json', 'print JSON instead of text')
    .action(async (flags: SetupFlags) => finish(await (await import('../serving/setup.js')).setup(io, flags)));
}

function addMove(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .option('--to <host>', 'the host to move to (default: any other host that accepts the workspace)')
    .option('--json', 'print JSON instead of text')
    .action(async (run: string, agent: string, flags: MoveFlags) => {
      finish(await (await import('../steer/steer.js')).move(io, { runId: run, agentId: agent, flags }));
    });
}

function addHosts(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .option('--task-queue <name>', 'the task queue that the workers of the fleet poll (default: raymond)')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: HostsFlags) => finish(await (await import('../serving/hosts.js')).hosts(io, flags)));
}

function addRollout(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .requiredOption('--deployment <name>', 'the Temporal worker deployment of the version')
    .requiredOption('--build-id <id>', 'the build id of the version')
    .option(
      '--timeout <duration>',
      'how long to wait until a worker of this version polls (default: 60s)',
      durationText,
    )
    .option('--json', 'print JSON instead of text')
    .action(async (flags: RolloutFlags) => finish(await (await import('../serving/rollout.js')).rollout(io, flags)));
}

function addWorker(command: Command, { io, finish }: Call): void {
  withTelemetry(withConnection(command))
    .option('--task-queue <name>', 'the task queue that the workers of the fleet poll (default: raymond)')
    .option('--max-prompts <n>', 'maximum number of concurrent prompt turns (default: 8)', positiveInteger)
    .option('--max-scripts <n>', 'maximum number of concurrent script turns (default: 64)', positiveInteger)
    .option(
      '--host <name>',
      "name of this host in the fleet (default: the machine's hostname); turns of agents whose workspace is on this host come from the task queue QUEUE@NAME",
    )
    .option(
      '--max-cached-workflows <n>',
      'maximum number of Temporal workflows (runs and agents) in memory (default: 150)',
      positiveInteger,
    )
    .option(
      '--drain <seconds>',
      'seconds that running turns have to end after SIGTERM before they are interrupted (default: 600)',
      nonNegative,
    )
    .option(
      '--deployment <name>',
      'name of the Temporal worker deployment of this worker; required to run several versions of workers at once',
    )
    .option('--build-id <id>', 'version of this worker in its deployment; required with --deployment')
    .option('--health <host:port>', 'serve health checks at /healthz and /readyz on this address', hostPort)
    .action(async (flags: WorkerFlags) => finish(await (await import('../serving/worker.js')).worker(io, flags)));
}
