// The flags that become options of a run, for `start` and for schedules.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { BACKENDS, EFFORTS, isEffort, isModelName, MODEL_FORM } from '../../protocol/language/policy.js';
import { parseKeys } from '../../protocol/leases.js';
import { isPriority, PRIORITY_FORM } from '../../protocol/priority.js';
import { parseSandbox, SANDBOX_FORM } from '../../protocol/sandbox.js';
import { label, nonNegative, secondsText } from '../flags.js';
import { inGroup } from './groups.js';

/** Adds the flags that become options of a run, of now or later: the everyday ones first, the others in groups. */
export function withRun(command: Command, when: 'now' | 'later' = 'now'): Command {
  command
    .option('--input <text>', 'the text that the first state reads as {{input}}; - = read it from stdin')
    .option('--input-file <file>', 'the same, but the text is read from this file')
    .option(
      '--budget <usd>',
      'budget of a run in USD: a run that has spent this much ends; 0 = no limit (default: default_budget in the manifest of the package, else 10)',
      nonNegative,
    )
    .option('--model <name>', 'model for prompts that set none', modelName)
    .option('--label <key=value>', 'a label of the run; states read its value as {{KEY}}; repeatable', label)
    .option(
      '--cwd <dir>',
      'working directory of the first agent (default: working_directory in the manifest of the package, else the current folder)',
    );
  inGroup(command, 'turns', withTurns);
  inGroup(command, 'limits', withLimits);
  inGroup(command, 'workspaces', (grouped) => withWorkspaces(grouped, when));
  return inGroup(command, 'package', withPackage);
}

function withTurns(command: Command): Command {
  return command
    .option('--effort <level>', 'effort for prompts that set none', effortLevel)
    .addOption(
      new Option(
        '--backend <name>',
        'backend (the program that runs a prompt) for prompts that set none (default: claude)',
      ).choices(BACKENDS),
    )
    .option(
      '--timeout <duration>',
      'end a turn that prints nothing for this long, e.g. 15m; 0 = never (default: 10m for prompts, 0 for scripts)',
      secondsText,
    )
    .option(
      '--max-time <duration>',
      'end a turn that takes longer than this in total, e.g. 2h; 0 = never (default: 0)',
      secondsText,
    )
    .option('--dangerously-skip-permissions', 'let Claude use all tools without asking for permission')
    .option(
      '--sandbox <kind>',
      'sandbox in which turns run: none, process, container, or KIND:PROFILE with the name of a profile of the config; the config, the package or a state can require a stricter sandbox',
      sandboxWord,
    )
    .option('--fail-fast', 'cancel all agents of the run when one fails')
    .option(
      '--chain',
      'run several quick script turns in one Temporal activity (default, unless the config sets no_chain)',
    )
    .option('--no-chain', 'run every script turn as its own Temporal activity')
    .option('--debug', 'keep debug files of the run in .raymond/debug (default, unless the config sets no_debug)')
    .option('--no-debug', 'keep no debug files of the run');
}

function withLimits(command: Command): Command {
  return command
    .option(
      '--account <names>',
      'use only these accounts of the config for prompts: NAME or NAME,NAME (default: all accounts)',
      accountNames,
    )
    .option('--priority <n>', 'priority of the turns of a run, from 1 (first) to 5 (default: 3)', priorityLevel)
    .option(
      '--wait',
      'at a usage limit of an account, the agent waits until the limit ends (default, unless the config sets no_wait)',
    )
    .option('--no-wait', 'at a usage limit of an account, the agent pauses');
}

function withWorkspaces(command: Command, when: 'now' | 'later'): Command {
  const kinds =
    'where agents work: shared = in folders that every host sees; git = in git checkouts that can move between hosts (default: shared)';
  return command
    .addOption(new Option('--workspace <kind>', kinds).choices(['shared', 'git']))
    .option('--repo <url>', `${REPO}; ${OWN_WORK[when]}`)
    .option('--ref <name>', 'with --workspace git: the branch, tag or commit to start from (default: HEAD)')
    .option(
      '--output-branch <name>',
      'with --workspace git: push the files of the agent `main` to this branch when a run completes',
    )
    .option(
      '--task-queue <name>',
      'on a cluster: the task queue that the workers of the fleet poll (default: raymond)',
    );
}

function withPackage(command: Command): Command {
  return command
    .option('--pin', 'copy the workflow and run the copy, so that later edits do not change the run')
    .option(
      '--live',
      'if the config sets artifact_store: workers read the workflow from its folder, not from the copy that is otherwise uploaded to the bucket',
    )
    .option('--no-check', 'start the workflow even if lint finds an error in it');
}

const REPO =
  'with --workspace git: URL of the repository (default: the remote "origin" of the repository in the current folder)';

/** What a run gets of the work that is not in the repository yet. */
const OWN_WORK = {
  now: 'without --repo and --ref, the run also gets your unpushed commits and uncommitted changes',
  later: 'the runs do not get unpushed commits and uncommitted changes',
} as const;

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
