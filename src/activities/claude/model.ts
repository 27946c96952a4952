// Which `--model` a turn is given. Claude Code keeps a conversation's model when it is resumed, so that after a state that
// chose one the next state must be given the run's default again. Reads the user's settings; must not change them.
//
// Measured with CLI 2.1.329 on a conversation whose last turn had `--model sonnet`, resumed and forked:
// - without `--model` the model stays; with `--model default` it is Claude Code's own default again, and stays that afterwards.
// - without `--model` but with ANTHROPIC_MODEL, or `model` or `env.ANTHROPIC_MODEL` in a settings.json, it is the user's choice;
//   `--model default` would override that choice. Settings count in the user's folder, in `.claude` of the working directory,
//   and as settings.local.json also in the root of its git work tree.
// - the word "default" means this only as a flag: in a variable or a settings file it is taken for the name of a model.
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
  if (wanted !== undefined || session?.model === undefined) return wanted;
  return (await userChoseModel(place)) ? undefined : 'default';
}

async function userChoseModel({ env, cwd }: Place): Promise<boolean> {
  if (isName(env['ANTHROPIC_MODEL'])) return true;
  const user = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.claude');
  const root = await gitRoot(cwd);
  const files = [
    join(user, 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
    ...(root === undefined ? [] : [join(root, '.claude', 'settings.local.json')]),
  ];
  return (await Promise.all(files.map(namesModel))).includes(true);
}

async function namesModel(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    const settings = JSON.parse(text) as { model?: unknown; env?: { ANTHROPIC_MODEL?: unknown } } | null;
    return isName(settings?.model) || isName(settings?.env?.ANTHROPIC_MODEL);
  } catch {
    // Claude Code ignores a settings file that it cannot read.
    return false;
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

async function gitRoot(cwd: string): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await stat(join(folder, '.git')).catch(() => undefined)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
