// Flags that several commands share, and the checks of their values. A wrong value is a usage error before anything
// happens.
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { Config } from '../client/project/config.js';
import { HOST_PORT, parseHostPort } from '../telemetry/address.js';
import { DURATION_FORM, parseDuration } from '../protocol/text.js';
import type { BackendName } from '../protocol/language/policy.js';
import { labelsProblem, type Labels } from '../protocol/labels.js';
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

/** Adds the connection flags. */
export function withConnection(command: Command): Command {
  return inGroup(command, 'connection', (grouped) =>
    grouped
      .option('--address <host:port>', 'use this Temporal cluster instead of the embedded server')
      .option('--namespace <name>', 'the namespace of the cluster')
      .option('--profile <name>', "use this profile of Temporal's client configuration")
      .option(
        '--api-key <key>',
        'an API key for the cluster; other users of this host can see it in the list of processes, so prefer the environment variable TEMPORAL_API_KEY',
      )
      .option('--tls', 'connect to the cluster by TLS'),
  );
}

const ANSWER_MISSING =
  "when the run can continue only with a person's answer: wait = wait for the answer; exit = end this command with exit code 2";
const BY_TERMINAL = '(default: wait on a terminal or with a cluster, else exit)';

/** What `--on-ask` does: only some commands can change whether the run rejects questions. */
const ON_ASK_FLAGS = {
  steers: {
    says: `what to do about questions to a person: wait = wait for the answer; exit = end this command with exit code 2 when the run can continue only with an answer; reject = the agent that asks fails ${BY_TERMINAL}`,
    choices: ON_ASK,
  },
  follows: { says: `${ANSWER_MISSING} ${BY_TERMINAL}`, choices: ['wait', 'exit'] },
  watches: { says: `${ANSWER_MISSING} (default: wait)`, choices: ['wait', 'exit'] },
} as const;

/** Adds the flags of commands that follow a run, and pause it at SIGTERM. */
export function withView(command: Command, onAsk: 'steers' | 'follows' = 'follows'): Command {
  return inGroup(withWatching(command, onAsk), 'following', (grouped) =>
    grouped.option(
      '--drain <seconds>',
      'seconds from SIGTERM to this command until turns that still run are interrupted. Without --foreground, SIGTERM also pauses the run. With a cluster, --drain has no effect: SIGTERM only ends this command (default: 600 on a terminal with --foreground; no limit on a terminal without --foreground; 30 without a terminal)',
      nonNegative,
    ),
  );
}

/** Adds the flags of commands that show a run. */
export function withWatching(command: Command, onAsk: keyof typeof ON_ASK_FLAGS = 'watches'): Command {
  const { says, choices } = ON_ASK_FLAGS[onAsk];
  const shown = inGroup(command, 'output', (grouped) =>
    grouped
      .option('--json', 'print JSON instead of text')
      .option('--quiet', 'show only the result and errors')
      .option('--verbose', 'also show the output of turns'),
  );
  return inGroup(shown, 'following', (grouped) =>
    grouped.addOption(new Option('--on-ask <what>', says).choices(choices).argParser(onAskMode)),
  );
}

/** Adds the flags of commands that follow a run on request. */
export function withFollow(command: Command): Command {
  return withForeground(
    inGroup(command, 'following', (grouped) =>
      grouped.option('--follow', 'follow the run until it has ended or is paused, as `start` does'),
    ),
  );
}

/** Adds the flag of commands that can execute runs themselves. */
export function withForeground(command: Command): Command {
  return inGroup(command, 'following', (grouped) =>
    grouped.option(
      '--foreground',
      'execute the run in this process, without a background engine; for containers and CI',
    ),
  );
}

/** Adds the flags of commands that execute runs, always or with --foreground. */
export function withTelemetry(command: Command, executes: 'always' | 'in the foreground' = 'always'): Command {
  const when = executes === 'always' ? '' : 'with --foreground: ';
  return inGroup(command, 'telemetry', (grouped) =>
    grouped
      .option('--metrics <host:port>', `${when}serve metrics for Prometheus at /metrics on this address`, hostPort)
      .option(
        '--traces',
        `${when}send a trace span for each turn to the address in the environment variable OTEL_EXPORTER_OTLP_ENDPOINT`,
      ),
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

/** A label; each call adds one. */
export function label(text: string, known: Labels = {}): Labels {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('expected KEY=VALUE');
  const labels = { ...known, [key]: value };
  const problem = labelsProblem(labels);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return labels;
}

/** All values of a flag that may be repeated. */
export function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
