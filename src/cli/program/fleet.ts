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
  ['rollout', 'make a worker version current', addRollout],
  ['setup', 'register the search attributes on a cluster', addSetup],
  ['move <run> <agent>', 'move the workspace of an agent to another host', addMove],
] as const;

/** Adds it with its subcommands. */
export function addFleet(program: Command, call: Call): void {
  const fleet = program.command('fleet').description('workers on other hosts: run, list, update and set them up');
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
    .option('--task-queue <name>', "the fleet's task queue (default: raymond)")
    .option('--json', 'as JSON')
    .action(async (flags: HostsFlags) => finish(await (await import('../serving/hosts.js')).hosts(io, flags)));
}

function addRollout(command: Command, { io, finish }: Call): void {
  withConnection(command)
    .requiredOption('--deployment <name>', 'the deployment name of its workers')
    .requiredOption('--build-id <id>', 'the version of its workers')
    .option('--timeout <duration>', 'how long to wait until one of them polls (default: 60s)', durationText)
    .option('--json', 'as JSON')
    .action(async (flags: RolloutFlags) => finish(await (await import('../serving/rollout.js')).rollout(io, flags)));
}

function addWorker(command: Command, { io, finish }: Call): void {
  withTelemetry(withConnection(command))
    .option('--task-queue <name>', "the fleet's task queue (default: raymond)")
    .option('--max-prompts <n>', 'maximum number of concurrent prompt turns (default: 8)', positiveInteger)
    .option('--max-scripts <n>', 'maximum number of concurrent script turns (default: 64)', positiveInteger)
    .option('--host <name>', 'name of this host and of its own task queue (default: the host name)')
    .option('--max-cached-workflows <n>', 'maximum number of workflows in memory (default: 150)', positiveInteger)
    .option('--drain <seconds>', 'seconds that running turns may take after SIGTERM (default: 600)', nonNegative)
    .option('--deployment <name>', 'deployment name of a fleet with several versions (see docs/how-to/cluster.md)')
    .option('--build-id <id>', 'version of this worker in the deployment')
    .option('--health <host:port>', 'serve /healthz and /readyz on this address, for a process supervisor', hostPort)
    .action(async (flags: WorkerFlags) => finish(await (await import('../serving/worker.js')).worker(io, flags)));
}
