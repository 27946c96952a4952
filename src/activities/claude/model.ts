// Which `--model` a turn is given. Claude Code keeps a conversation's model when it is resumed, so that after a state that
// chose one the next state must be told the run's default by name. Reads the user's settings; must not change them.
//
// Measured with CLI 2.1.329, on conversations whose last turn had a `--model` and which were resumed and forked:
// - without `--model` the model stays, mostly even when a settings file names another one; only ANTHROPIC_MODEL always wins.
// - with `--model default` it is Claude Code's own default again, whatever variables and settings say, and stays that afterwards.
// - a fresh conversation has, in this order: env.ANTHROPIC_MODEL of the settings files, the variable ANTHROPIC_MODEL, `model`
//   of the settings files, Claude Code's own default. The files, the later ones winning: the user's, the working directory's
//   settings.json and settings.local.json, and settings.local.json (not settings.json) in the root of its git work tree.
// - given by `--model`, such a name means the same, and "default" means the default (as a setting it would be a model's name).
// - `--effort` is not kept: a turn without it has the default effort again.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Session } from '../../protocol/agent.js';
import type { Environment } from './environment.js';

/** Where a turn runs. */
interface Place {
  readonly env: Environment;
  readonly cwd: string;
}

/** The value of `--model`, or undefined when none must be given. `wanted` is what the state or the run says. */
export async function modelFlag(
  wanted: string | undefined,
  { session, ...place }: Place & { readonly session: Session | undefined },
): Promise<string | undefined> {
  return wanted ?? (session?.model === undefined ? undefined : await freshModel(place));
}

/** What a fresh conversation would have. */
async function freshModel({ env, cwd }: Place): Promise<string> {
  const settings = await Promise.all((await settingsFiles({ env, cwd })).map(readSettings));
  const variable = settings.findLast((file) => file.variable !== undefined)?.variable;
  const model = settings.findLast((file) => file.model !== undefined)?.model;
  return variable ?? nameOf(env['ANTHROPIC_MODEL']) ?? model ?? 'default';
}

/** The files in which Claude Code looks for a model, the later ones winning. */
async function settingsFiles({ env, cwd }: Place): Promise<readonly string[]> {
  const user = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.claude');
  const root = await gitRoot(cwd);
  return [
    join(user, 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
    ...(root === undefined ? [] : [join(root, '.claude', 'settings.local.json')]),
  ];
}

interface Settings {
  readonly model?: string | undefined;
  /** What the file makes of ANTHROPIC_MODEL. */
  readonly variable?: string | undefined;
}

async function readSettings(file: string): Promise<Settings> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    const read = JSON.parse(text) as { model?: unknown; env?: { ANTHROPIC_MODEL?: unknown } } | null;
    return { model: nameOf(read?.model), variable: nameOf(read?.env?.ANTHROPIC_MODEL) };
  } catch {
    // Claude Code ignores a settings file that it cannot read.
    return {};
  }
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
