// The command line of one Claude Code turn, as measured with CLI 2.1.329, including its `--model`: Claude Code keeps a
// conversation's model when it is resumed, so after a state that set one, the next turn must name the run's default.
// Prompts are never on the command line, but on stdin.
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAX_BYTES, readPlainText } from '../../host/plain-file.js';
import { CLAUDE_EFFORTS, isEffort, type JsonObject } from '../../protocol/language/policy.js';
import type { Session } from '../../protocol/machine/agent.js';
import { jsonOf } from '../../protocol/text.js';
import type { BackendContext } from '../backend.js';
import { folderOf } from '../home.js';
import { CLAUDE_HOME } from './sessions.js';

/**
 * `user`: Claude Code with the user's setup. `isolated`: without the user's home, settings, MCP servers, skills and
 * slash commands, for fleets whose hosts must behave alike.
 */
export const CLAUDE_PROFILES = ['user', 'isolated'] as const;

/** One of them. */
export type ClaudeProfile = (typeof CLAUDE_PROFILES)[number];

/** One turn of Claude Code. */
export interface ClaudeTurn {
  /** A UUID that no transcript has yet: one per attempt. */
  readonly sessionId: string;
  /** The transcript (`*.jsonl`, absolute) of the conversation to continue; it is only read. */
  readonly resume?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly permissions: 'accept-edits' | 'skip';
  /** The most that this process may spend, more than 0; absent = no limit. */
  readonly budgetUsd?: number;
  /** The JSON schema of its answer. */
  readonly schema?: JsonObject;
  /** From the config: tools that need no permission, e.g. `Bash(npm test)`. */
  readonly allowedTools?: readonly string[];
  /** From the config: appended unchanged after our own, so that they override them. */
  readonly extraArgs?: readonly string[];
  readonly profile?: ClaudeProfile;
}

/** Tools that would wait for a person, keep the process alive after the turn, or take the conversation out of the agent's directory. */
export const DISALLOWED_TOOLS = [
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'ScheduleWakeup',
  'CronCreate',
  'CronDelete',
  'CronList',
  'Monitor',
  'Workflow',
  'EnterWorktree',
  'ExitWorktree',
] as const;

/** Beyond those, tools that reach other sessions of the same user. */
const ISOLATED_DISALLOWED_TOOLS = [...DISALLOWED_TOOLS, 'SendMessage', 'ListAgents'];

const ISOLATED_ARGS = [
  '--disable-slash-commands',
  '--strict-mcp-config',
  '--setting-sources',
  'project',
  '--settings',
  '{"cleanupPeriodDays":3650}',
];

/** Flags that define a turn; the config may not set them. */
const RESERVED_FLAGS = [
  '-p',
  '--print',
  '--output-format',
  '--input-format',
  '--session-id',
  '-r',
  '--resume',
  '-c',
  '--continue',
  '--fork-session',
  '--no-session-persistence',
  '--max-budget-usd',
  '--json-schema',
  '--from-pr',
  '--teleport',
  '--cloud',
  '--bg',
  '--background',
  '-w',
  '--worktree',
  '--tmux',
  '-h',
  '--help',
  '-v',
  '--version',
];

/** The first of these arguments that would redefine a turn, or undefined: the config rejects it. */
export function reservedClaudeArg(args: readonly string[]): string | undefined {
  return args.find((argument) => RESERVED_FLAGS.includes(argument.split('=', 1)[0] ?? ''));
}

/** The arguments for `claude`. Throws on a turn that Claude Code would reject or misread. */
export function claudeArgs(turn: ClaudeTurn): readonly string[] {
  check(turn);
  const isolated = turn.profile === 'isolated';
  return [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...['--session-id', turn.sessionId],
    ...(turn.resume === undefined ? [] : ['--resume', turn.resume, '--fork-session']),
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...(turn.effort === undefined ? [] : ['--effort', turn.effort]),
    ...(turn.schema === undefined ? [] : ['--json-schema', JSON.stringify(turn.schema)]),
    ...(turn.permissions === 'skip' ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'acceptEdits']),
    ...['--permission-prompts', 'none'],
    ...list('--allowedTools', turn.allowedTools ?? []),
    ...list('--disallowedTools', isolated ? ISOLATED_DISALLOWED_TOOLS : DISALLOWED_TOOLS),
    ...(turn.budgetUsd === undefined ? [] : ['--max-budget-usd', String(turn.budgetUsd)]),
    ...(isolated ? ISOLATED_ARGS : []),
    ...(turn.extraArgs ?? []),
  ];
}

/** The attached form: the detached one would swallow the words that follow. */
function list(flag: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${flag}=${items.join(',')}`];
}

function check({ resume, budgetUsd, effort, extraArgs = [] }: ClaudeTurn): void {
  if (resume !== undefined && !resume.endsWith('.jsonl')) {
    throw new TypeError(`the transcript to resume must be a .jsonl file, not ${resume}`);
  }
  if (budgetUsd !== undefined && !(budgetUsd > 0)) {
    throw new RangeError(`a turn needs a budget of more than 0 USD, not ${budgetUsd}`);
  }
  if (effort !== undefined && !isEffort(effort, CLAUDE_EFFORTS)) {
    throw new RangeError(`unknown effort "${effort}"; the efforts are ${CLAUDE_EFFORTS.join(', ')}`);
  }
  const reserved = reservedClaudeArg(extraArgs);
  if (reserved !== undefined) {
    throw new TypeError(
      `claude_args must not contain ${reserved}: Raymond sets it for every turn; remove it from the config`,
    );
  }
}

/** The value of `--model`, or undefined for none. `wanted` is the model of the state or the run. */
export async function modelFlag(
  wanted: string | undefined,
  { session, ...context }: BackendContext & { readonly session?: Session | undefined },
): Promise<string | undefined> {
  return wanted ?? (session?.model === undefined ? undefined : await freshModel(context));
}

/** The model of a fresh conversation. */
async function freshModel({ env, cwd }: BackendContext): Promise<string> {
  const settings = await Promise.all((await settingsFiles({ env, cwd })).map(readSettings));
  const variable = settings.findLast((file) => file.variable !== undefined)?.variable;
  const model = settings.findLast((file) => file.model !== undefined)?.model;
  return variable ?? nameOf(env['ANTHROPIC_MODEL']) ?? model ?? 'default';
}

/** The files in which Claude Code looks for a model; later ones override. */
async function settingsFiles({ env, cwd }: BackendContext): Promise<readonly string[]> {
  const user = folderOf(CLAUDE_HOME, env);
  const root = await gitRoot(cwd);
  return [
    ...(user === undefined ? [] : [join(user, 'settings.json')]),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
    ...(root === undefined ? [] : [join(root, '.claude', 'settings.local.json')]),
  ];
}

interface Settings {
  readonly model?: string | undefined;
  /** The file's value of ANTHROPIC_MODEL. */
  readonly variable?: string | undefined;
}

async function readSettings(file: string): Promise<Settings> {
  // Claude Code ignores a settings file that it cannot read.
  const text = await readPlainText(file, MAX_BYTES.settings).catch(() => '');
  const read = jsonOf(text) as { model?: unknown; env?: { ANTHROPIC_MODEL?: unknown } } | null | undefined;
  return { model: nameOf(read?.model), variable: nameOf(read?.env?.ANTHROPIC_MODEL) };
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

async function gitRoot(cwd: string): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await stat(join(folder, '.git')).catch(() => undefined)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
