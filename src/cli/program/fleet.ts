// `raymond fleet …`: the workers of a fleet, and where the workspaces of agents are. The names without `fleet` stay, hidden.
import type { Command } from 'commander';
import { durationText, hostPort, nonNegative, positiveInteger, withConnection, withTelemetry } from '../flags.js';
import type { HostsFlags } from '../serving/hosts.js';
import type { RolloutFlags } from '../serving/rollout.js';
import type { SetupFlags } from '../serving/setup.js';
import type { WorkerFlags } from '../serving/worker.js';
import type { MoveFlags } from '../steer/steer.js';
import type { Call } from './index.js';

const FLEET = [
  ['worker', 'run a worker of a fleet on this host', addWorker],
  ['hosts', 'list the hosts of a fleet, and what they do', addHosts],
  ['rollout', 'make a worker version current', addRollout],
  ['setup', 'register the search attributes on a cluster', addSetup],
  ['move <run> <agent>', 'let the workspace of an agent move to another host', addMove],
] as const;

/** Adds it with the commands below it. */
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
