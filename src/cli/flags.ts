// Flags that several commands share, and the checks of their values. A wrong value is a usage error before anything
// happens.
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { Config } from '../client/project/config.js';
import { HOST_PORT, parseHostPort } from '../telemetry/address.js';
import { DURATION_FORM, parseDuration } from '../protocol/text.js';
import { BACKENDS, EFFORTS, isEffort, isModelName, MODEL_FORM, type BackendName } from '../protocol/language/policy.js';
import { labelsProblem, type Labels } from '../protocol/labels.js';
import { parseKeys } from '../protocol/leases.js';
import { isPriority, PRIORITY_FORM } from '../protocol/priority.js';
import { parseSandbox, SANDBOX_FORM } from '../protocol/sandbox.js';
import { ON_ASK, RUN_STATUSES, type OnAsk, type RunStatus } from '../contract/runs.js';
import { inGroup } from './program/groups.js';

/** The connection to Temporal in flags. */
export interface ConnectionFlags {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly apiKey?: string;
  readonly tls?: boolean;
  readonly taskQueue?: string;
}

/** How a command that follows a run shows it. */
export interface ViewFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly onAsk?: OnAsk;
  readonly drain?: number;
}

/** How much to show: nothing, the turns, or also their output. */
export type Verbosity = 'quiet' | 'normal' | 'verbose';

/** The telemetry flags of a command that executes runs. */
export interface TelemetryFlags {
  readonly metrics?: string;
  readonly traces?: boolean;
}

/** Whether the command executes local runs itself. */
export interface ForegroundFlags {
  readonly foreground?: boolean;
}

/** The flags that become options of a run. */
export interface RunFlags {
  readonly input?: string;
  readonly inputFile?: string;
  readonly cwd?: string;
  readonly budget?: number;
  readonly model?: string;
  readonly effort?: string;
  readonly backend?: BackendName;
  readonly sandbox?: string;
  readonly timeout?: number;
  readonly dangerouslySkipPermissions?: boolean;
  readonly failFast?: boolean;
  readonly chain?: boolean;
  readonly pin?: boolean;
  readonly live?: boolean;
  readonly check?: boolean;
  readonly debug?: boolean;
  readonly maxTime?: number;
  readonly priority?: number;
  readonly account?: readonly string[];
  readonly wait?: boolean;
  readonly workspace?: 'shared' | 'git';
  readonly repo?: string;
  readonly ref?: string;
  readonly outputBranch?: string;
  readonly onAsk?: OnAsk;
  readonly label?: Labels;
}

/** The flags of `start`. */
export interface StartFlags extends ConnectionFlags, ViewFlags, TelemetryFlags, ForegroundFlags, RunFlags {
  readonly onAsk?: OnAsk;
  readonly id?: string;
  /** The original's word for `id`. */
  readonly workflowId?: string;
  readonly continueSession?: boolean;
  readonly detach?: boolean;
}

/** Adds the flags that become options of a run: the everyday ones first, the others in groups. */
export function withRun(command: Command): Command {
  command
    .option('--input <text>', 'the value of {{input}} in the first state; - = read it from stdin')
    .option('--input-file <file>', 'read the input from a file')
    .option(
      '--budget <usd>',
      "budget of a run in USD, at which it ends; 0 = no limit (default: the manifest's, else 10)",
      nonNegative,
    )
    .option('--model <name>', 'the model of prompts that set none', modelName)
    .option('--label <key=value>', 'a label of the run, and the variable {{key}} of its states; repeatable', label)
    .option('--cwd <dir>', 'working directory of the first agent (default: set by the manifest, else this folder)');
  inGroup(command, 'turns', withTurns);
  inGroup(command, 'limits', withLimits);
  inGroup(command, 'workspaces', withWorkspaces);
  return inGroup(command, 'package', withPackage);
}

function withTurns(command: Command): Command {
  return command
    .option('--effort <level>', 'the effort of prompts that set none', effortLevel)
    .addOption(new Option('--backend <name>', 'backend for prompts that set none (default: claude)').choices(BACKENDS))
    .option(
      '--timeout <duration>',
      'end a turn that prints nothing for e.g. 15m; 0 = never (default: 10m for prompts, else 0)',
      secondsText,
    )
    .option('--max-time <duration>', 'end a turn that takes longer in total; 0 = never (default: 0)', secondsText)
    .option('--dangerously-skip-permissions', 'let Claude use all tools without asking for permission')
    .option(
      '--sandbox <kind>',
      'minimum sandbox: none, process or container, or KIND:PROFILE with a profile of the config; states may ask for a stricter one',
      sandboxWord,
    )
    .option('--fail-fast', 'cancel all agents of the run when one fails')
    .option('--chain', 'run quick script turns in one Temporal activity (default, unless no_chain is set)')
    .option('--no-chain', 'run every script turn as an activity of its own')
    .option('--debug', 'keep debug files of the run in .raymond/debug (default, unless no_debug is set)')
    .option('--no-debug', 'do not keep debug files');
}

function withLimits(command: Command): Command {
  return command
    .option('--account <names>', 'accounts for prompts: NAME,NAME from the config (default: all)', accountNames)
    .option('--priority <n>', 'priority of the turns of a run, from 1 (first) to 5 (default: 3)', priorityLevel)
    .option('--wait', 'wait until a usage limit of an account ends (default, unless no_wait is set)')
    .option('--no-wait', 'pause the agent at a usage limit');
}

function withWorkspaces(command: Command): Command {
  const kinds = 'where agents work: shared = folders that every host sees, git = git workspaces (default: shared)';
  return command
    .addOption(new Option('--workspace <kind>', kinds).choices(['shared', 'git']))
    .option('--repo <url>', "with git: the repository (default: this folder's; `start` adds uncommitted changes)")
    .option('--ref <name>', 'with git: the branch, tag or commit to start from (default: HEAD)')
    .option(
      '--output-branch <name>',
      'with git: push the files of the agent `main` to this branch when a run completes',
    )
    .option('--task-queue <name>', 'on a cluster: the task queue of the fleet (default: raymond)');
}

function withPackage(command: Command): Command {
  return command
    .option('--pin', 'run a copy of the workflow, so that later edits do not change the run')
    .option('--live', 'with artifact_store: workers read the workflow in its folder, not its copy in the bucket')
    .option('--no-check', 'start the workflow even if lint finds an error in it');
}

/** Adds the connection flags. */
export function withConnection(command: Command): Command {
  return inGroup(command, 'connection', (grouped) =>
    grouped
      .option('--address <host:port>', 'a Temporal cluster instead of the embedded server')
      .option('--namespace <name>', 'the namespace of the cluster')
      .option('--profile <name>', "a profile of Temporal's client config")
      .option('--api-key <key>', 'an API key for the cluster (better: TEMPORAL_API_KEY)')
      .option('--tls', 'use TLS for the cluster'),
  );
}

/** Adds the flags of commands that follow a run, and pause it at SIGTERM. */
export function withView(command: Command): Command {
  return inGroup(withWatching(command), 'following', (grouped) =>
    grouped.option(
      '--drain <seconds>',
      'seconds until SIGTERM interrupts running turns (default: 30; on a terminal at least 600)',
      nonNegative,
    ),
  );
}

/** Adds the flags of commands that show a run. */
export function withWatching(command: Command): Command {
  const shown = inGroup(command, 'output', (grouped) =>
    grouped
      .option('--json', 'print JSON instead of text')
      .option('--quiet', 'show nothing but the result and errors')
      .option('--verbose', 'also show the output of turns'),
  );
  return inGroup(shown, 'following', (grouped) =>
    grouped.addOption(
      new Option(
        '--on-ask <what>',
        "what to do when the run can continue only with a person's answer; reject fails the agent (default: wait on a terminal or cluster, else exit)",
      )
        .choices(ON_ASK)
        .argParser(onAskMode),
    ),
  );
}

/** Adds the flags of commands that follow a run on request. */
export function withFollow(command: Command): Command {
  return withForeground(
    inGroup(command, 'following', (grouped) =>
      grouped.option('--follow', 'show the run until it ends, as `start` does'),
    ),
  );
}

/** Adds the flag of commands that can execute runs themselves. */
export function withForeground(command: Command): Command {
  return inGroup(command, 'following', (grouped) =>
    grouped.option('--foreground', 'execute the run in this process, without a background engine (containers, CI)'),
  );
}

/** Adds the flags of commands that execute runs. */
export function withTelemetry(command: Command): Command {
  return inGroup(command, 'telemetry', (grouped) =>
    grouped
      .option('--metrics <host:port>', 'serve metrics for Prometheus at /metrics on this address', hostPort)
      .option('--traces', 'send a span per turn to OTEL_EXPORTER_OTLP_ENDPOINT'),
  );
}

/** The flags, with the config's values for absent ones; a flag overrides its opposite in the config. */
export function withConfiguredView<T extends ViewFlags>(flags: T, { quiet, verbose }: Config): T {
  if (flags.quiet === true || flags.verbose === true) return flags;
  return { ...flags, ...(quiet === undefined ? {} : { quiet }), ...(verbose === undefined ? {} : { verbose }) };
}

/** How much the live view shows. */
export function verbosityOf({ quiet, verbose }: ViewFlags): Verbosity {
  if (quiet === true) return 'quiet';
  return verbose === true ? 'verbose' : 'normal';
}

/** What to do at a question; `pause` is the original's word for `exit`. */
function onAskMode(text: string): OnAsk {
  const mode = ON_ASK.find((one) => one === (text === 'pause' ? 'exit' : text));
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${ON_ASK.join(', ')}.`);
  return mode;
}

/** A number that is not negative. */
export function nonNegative(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError('expected a number that is not negative');
  }
  return value;
}

/** A host and a port. */
export function hostPort(text: string): string {
  if (parseHostPort(text) === undefined) throw new InvalidArgumentError(HOST_PORT);
  return text;
}

/** A whole number from 1 on. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('expected a whole number from 1 on');
  return value;
}

/** A part of a hundred. */
export function percentage(text: string): number {
  const value = nonNegative(text.replace(/%$/, ''));
  if (value > 100) throw new InvalidArgumentError('expected a percentage from 0 to 100');
  return value;
}

/** Statuses of runs; each call adds one. */
export function runStatus(text: string, known: readonly RunStatus[] = []): readonly RunStatus[] {
  const status = RUN_STATUSES.find((one) => one === text);
  if (status === undefined) throw new InvalidArgumentError(`expected one of ${RUN_STATUSES.join(', ')}`);
  return [...known, status];
}

/** The seconds of a duration: `90s`, `15m`, `2h`, `1d`, or a plain number of seconds. */
export function secondsText(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError(`expected ${DURATION_FORM}, or seconds; 0 = never`);
  return seconds;
}

/** An ISO 8601 time with an offset; a day alone begins at midnight UTC. */
export function timeText(text: string): Date {
  const time = new Date(text);
  const isWhole = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2}))?$/.test(text);
  if (!isWhole || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('expected a time such as 2026-11-22T02:00:00Z, or a day such as 2026-11-22');
  return time;
}

/** The milliseconds of `90s`, `15m`, `36h`, `30d` or `2w`. */
export function durationText(text: string): number {
  const seconds = /^\d+(?:\.\d+)?[smhdw]$/.test(text.trim()) ? parseDuration(text) : undefined;
  if (seconds === undefined) throw new InvalidArgumentError('expected a duration such as 90s, 15m, 36h, 30d or 2w');
  return seconds * 1000;
}

/** What can be the name of a model. */
function modelName(text: string): string {
  if (isModelName(text)) return text;
  throw new InvalidArgumentError(MODEL_FORM);
}

/** A sandbox in one word. */
function sandboxWord(text: string): string {
  if (parseSandbox(text) === undefined) throw new InvalidArgumentError(`expected ${SANDBOX_FORM}`);
  return text;
}

/** An effort of a backend. */
function effortLevel(text: string): string {
  if (isEffort(text)) return text;
  throw new InvalidArgumentError(`expected one of ${EFFORTS.join(', ')}`);
}

/** A label; each call adds one. */
export function label(text: string, known: Labels = {}): Labels {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('expected KEY=VALUE');
  const labels = { ...known, [key]: value };
  const problem = labelsProblem(labels);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return labels;
}

/** Names of accounts. */
function accountNames(text: string): readonly string[] {
  const names = parseKeys(text);
  if (names === undefined) throw new InvalidArgumentError('expected NAME or NAME,NAME');
  return names;
}

/** The priority of a run. */
function priorityLevel(text: string): number {
  if (/^\d$/.test(text) && isPriority(Number(text))) return Number(text);
  throw new InvalidArgumentError(`expected ${PRIORITY_FORM}`);
}

/** All values of a flag that may be repeated. */
export function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
