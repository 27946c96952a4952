// What a prompt turn is given: its policy, the rendered prompt with the reminder if it is one, and its environment.
// A mistake in the state's file ends the turn here, before anything is spent.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { turnVariables } from '../protocol/environment.js';
import type { Rules } from '../protocol/policy.js';
import { reminderText } from '../protocol/reminder.js';
import { renderPrompt, templateVariables } from '../protocol/template.js';
import { promptEnvironment } from './claude/environment.js';
import { sessionIdOf } from '../backends/claude/sessions.js';
import { turnFailure } from './failure.js';
import { readPromptFile, type PromptFile } from '../packages/frontmatter.js';
import { pendingOf } from './pending.js';
import { listScope, type LoadedState } from '../packages/state.js';
import { taskFolder } from './task-folder.js';
import type { Turn } from './turn.js';
import { unpackedDir } from './workbench.js';

/** A prompt turn that is ready to start. */
export interface Prepared {
  readonly prompt: string;
  readonly rules: Rules;
  readonly taskFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly warnings: readonly string[];
}

/** Prepares the turn. Throws `InvalidState` with every mistake of the frontmatter. */
export async function prepare(turn: Turn, state: LoadedState): Promise<Prepared> {
  const { agent, runId, reminder } = turn.request;
  const { body, policy, warnings } = await promptFile(turn, state);
  const folder = await taskFolder(turn.bench.settings, turn.request);
  const pending = await pendingOf(turn, { taskFolder: folder });
  const context = { runId, agent, taskFolder: folder, ...(pending === undefined ? {} : { pendingText: pending.text }) };
  const rendered = renderPrompt(body, context);
  const path = await state.realPath(unpackedDir(turn.bench.settings));
  const rules = { policy, variables: templateVariables(context) };
  const appended = reminder === undefined ? '' : reminderText(reminder.problem, rules);
  // An `@path` that came in with a value, or with what a model wrote, must not read files for whoever wrote it.
  const values = { ...agent.attributes, input: pending?.text ?? '', result: pending?.text ?? '' };
  const mentions = appended.includes('@') || mentionsCameIn(rendered.used, values) ? 'off' : 'on';
  return {
    prompt: rendered.text + appended,
    rules,
    taskFolder: folder,
    env: await environmentOf(turn, { path, folder, mentions }),
    sessionId: sessionIdOf(turn.attempt),
    warnings: [...warnings, ...rendered.warnings],
  };
}

async function promptFile(
  { request: { agent } }: Turn,
  { place, text }: LoadedState,
): Promise<Extract<PromptFile, { kind: 'prompt' }>> {
  const read = readPromptFile(text, { ...(await listScope(agent.scope)), place });
  if (read.kind === 'prompt') return read;
  const mistakes = read.mistakes.join('\n');
  throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${mistakes}`);
}

function mentionsCameIn(used: readonly string[], values: Readonly<Record<string, string>>): boolean {
  return used.some((name) => values[name]?.includes('@') === true);
}

async function environmentOf(
  turn: Turn,
  { path, folder, mentions }: { readonly path: string; readonly folder: string; readonly mentions: 'on' | 'off' },
): Promise<Prepared['env']> {
  const { request, bench } = turn;
  const { raymond } = turnVariables({ ...turn.names({ stateFile: path, taskFolder: folder }), attributes: {} });
  const { envPass, claudeProfile } = bench.settings;
  const { environment: added = {} } = request.settings;
  const isolated = claudeProfile === 'isolated' ? { isolatedIn: await isolatedHome(turn) } : {};
  return promptEnvironment({ inherited: bench.environment, added, raymond, envPass, mentions, ...isolated }).env;
}

/** Gone with the turn: nothing but the conversation reaches the next one. */
async function isolatedHome(turn: Turn): Promise<string> {
  const home = join(await turn.temporaryFolder(), 'home');
  await mkdir(home, { mode: 0o700, recursive: true });
  return home;
}
