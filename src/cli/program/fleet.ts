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
  ['rollout', 'make a worker version current: its workers execute new runs, and continue open ones', addRollout],
  ['setup', "register Raymond's search attributes in a namespace of a cluster, once", addSetup],
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
    .option('--json', 'as JSON')
    .action(async (flags: SetupFlags) => finish(await (await import('../serving/setup.js')).setup(io, flags)));
}

function addMove(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .option('--to <host>', 'the host to move to (default: one that accepts it)')
    .option('--json', 'as JSON')
    .action(async (run: string, agent: string, flags: MoveFlags) => {
      finish(await (await import('../steer/steer.js')).move(io, { runId: run, agentId: agent, flags }));
    });
}

function addHosts(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .option('--task-queue <name>', 'the task queue of the fleet (default: raymond)')
    .option('--json', 'as JSON')
    .action(async (flags: HostsFlags) => finish(await (await import('../serving/hosts.js')).hosts(io, flags)));
}

function addRollout(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .requiredOption('--deployment <name>', 'the Temporal worker deployment of the version')
    .requiredOption('--build-id <id>', 'the build id of the version')
    .option('--timeout <duration>', 'how long to wait for a worker of this version (default: 60s)', durationText)
    .option('--json', 'as JSON')
    .action(async (flags: RolloutFlags) => finish(await (await import('../serving/rollout.js')).rollout(io, flags)));
}

function addWorker(command: Command, { io, finish }: Call): void {
  withTelemetry(withConnection(command))
    .option('--task-queue <name>', 'the task queue of the fleet (default: raymond)')
    .option('--max-prompts <n>', 'maximum number of concurrent prompt turns (default: 8)', positiveInteger)
    .option('--max-scripts <n>', 'maximum number of concurrent script turns (default: 64)', positiveInteger)
    .option('--host <name>', 'name of this host and of its own task queue (default: the host name)')
    .option('--max-cached-workflows <n>', 'maximum number of workflows in memory (default: 150)', positiveInteger)
    .option('--drain <seconds>', 'seconds that running turns may take after SIGTERM (default: 600)', nonNegative)
    .option('--deployment <name>', 'Temporal worker deployment of this worker, to run several versions at once')
    .option('--build-id <id>', 'version of this worker in its deployment; required with --deployment')
    .option('--health <host:port>', 'serve /healthz and /readyz on this address, for a process supervisor', hostPort)
    .action(async (flags: WorkerFlags) => finish(await (await import('../serving/worker.js')).worker(io, flags)));
}
