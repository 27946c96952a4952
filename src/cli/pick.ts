// A missing run, workflow, agent or question: on a terminal the user picks it from a list. Loaded only when an argument
// is missing.
import { createInterface } from 'node:readline/promises';
import select from '@inquirer/select';
import type { Argument, Command } from 'commander';
import { asksOf, type AskDocument } from '../client/documents/run-document.js';
import { findRun, listRuns, type RunLine } from '../client/look/runs.js';
import { hasNoRuns } from '../client/open.js';
import { findProject } from '../client/project/project.js';
import { openForQuestion, type ClientContext } from './context.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';
import { namesOfCommand } from './program/groups.js';
import { columns, shortened } from './view/columns.js';
import { duration } from './view/format.js';
import { isTerminal } from './view/terminal.js';
import { workflowNames } from './workflow-names.js';

/** What the arguments of a command are picked from; those that were given come first. */
interface Picking {
  readonly io: Io;
  readonly command: Command;
  readonly given: readonly string[];
}

/** A line of a list, and the words that it adds to the command. */
interface Choice {
  readonly name: string;
  readonly words: () => Promise<readonly string[]>;
}

/** The choices for an argument of this name; a command with another missing argument cannot be completed. */
const CHOICES: Readonly<Record<string, (picking: Picking) => Promise<readonly Choice[]>>> = {
  workflow: workflows,
  run: runs,
  agent: agents,
  words: questions,
};

/** The result of a list: the missing words, or the user has pressed Ctrl-C. */
export type Picked = { readonly kind: 'words'; readonly words: readonly string[] } | { readonly kind: 'interrupted' };

/** Picks the missing words of a command; undefined when that is not possible, so that the command reports an error. */
export async function pickArguments(io: Io, program: Command): Promise<Picked | undefined> {
  const command = calledCommand(program);
  const missing = missingArguments(command);
  if (!isInteractive(io, command) || missing.some((argument) => CHOICES[argument.name()] === undefined))
    return undefined;
  const words: string[] = [];
  try {
    for (const argument of missing) {
      const picked = await pick({ io, command, given: [...command.args, ...words] }, argument.name());
      if (picked === undefined) return undefined;
      words.push(...picked);
    }
  } catch (error) {
    if (isInterrupt(error)) return { kind: 'interrupted' };
    throw error;
  }
  return { kind: 'words', words };
}

function isInteractive({ stdin, stdout, ...io }: Io, command: Command): boolean {
  const isTty = 'isTTY' in stdin && stdin.isTTY === true && stdout.isTTY === true;
  return isTty && isTerminal(io) && command.opts()['json'] !== true;
}

/** Without the name of a command, `start` was called. */
function calledCommand(command: Command): Command {
  const [word = ''] = command.args;
  const below = command.commands.find((one) => namesOfCommand(one).includes(word));
  if (below !== undefined) return calledCommand(below);
  return command.commands.find((one) => one.name() === 'start') ?? command;
}

/** The first argument may be optional, as in `resume [run]`, which needs a run or `--all`. */
function missingArguments({ args, registeredArguments }: Command): readonly Argument[] {
  return registeredArguments.filter(({ required }, at) => at >= args.length && (required || at === 0));
}

async function pick(picking: Picking, name: string): Promise<readonly string[] | undefined> {
  const { stdin, stderr } = picking.io;
  const choices = (await CHOICES[name]?.(picking)) ?? [];
  const [first] = choices;
  // The only agent of a run, and its only question, need no list.
  const isClear = choices.length === 1 && (name === 'agent' || name === 'words');
  if (first === undefined || isClear) return await first?.words();
  const message = name === 'words' ? 'question' : name;
  const items = choices.map((choice) => ({ name: choice.name, value: choice }));
  const chosen = await select({ message, choices: items, pageSize: 12, loop: false }, { input: stdin, output: stderr });
  return await chosen.words();
}

function isInterrupt(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortError'].includes(error.name);
}

async function workflows({ io: { cwd } }: Picking): Promise<readonly Choice[]> {
  return namedChoices((await workflowNames(cwd)).map((name) => [name]));
}

/** The runs that a command is about; a command that is not in the table takes any run. */
const WANTED: Readonly<Record<string, (run: RunLine) => boolean>> = {
  answer: ({ agents = [] }) => agents.some(({ ask }) => ask !== undefined),
  pause: ({ open }) => open,
  cancel: ({ open }) => open,
  watch: ({ open }) => open,
  move: ({ open }) => open,
  resume: ({ status }) => status !== 'completed',
  retry: ({ status }) => status !== 'completed',
};

const MOST_RUNS = 100;

async function runs({ io, command }: Picking): Promise<readonly Choice[]> {
  const context = await contextOf(io, command);
  if (context === undefined) return [];
  const isWanted = WANTED[command.name()] ?? ((): boolean => true);
  const found = (await listRuns(context.link.client, { limit: MOST_RUNS })).filter(isWanted);
  const rows = found.map(({ runId, workflow = '', status, startedAt }) => [
    runId,
    workflow,
    status,
    `${duration(Date.now() - startedAt.getTime())} ago`,
  ]);
  return namedChoices(rows);
}

async function agents({ io, command, given: [name = ''] }: Picking): Promise<readonly Choice[]> {
  const context = await contextOf(io, command);
  if (context === undefined) return [];
  const view = await findRun(context.link.client, name, context.artifacts);
  return namedChoices(view.agents.map(({ id, status, state, about = '' }) => [id, status, state, about]));
}

async function questions({ io, command, given: [name = ''] }: Picking): Promise<readonly Choice[]> {
  const context = await contextOf(io, command);
  if (context === undefined) return [];
  const asks = await asksOf(await findRun(context.link.client, name, context.artifacts), context.artifacts);
  const choices = namedChoices(asks.map(({ askId, agentId, prompt }) => [askId, agentId, prompt]));
  return choices.map((choice, at) => ({ ...choice, words: () => answerWords(io, asks[at]) }));
}

/** Shows the question, and reads the answer as one line. Throws `AbortError` at Ctrl-C and Ctrl-D. */
async function answerWords({ say, stdin, stderr }: Io, ask: AskDocument | undefined): Promise<readonly string[]> {
  const { askId, prompt } = ask ?? { askId: '', prompt: '' };
  say(prompt);
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  const stopped = new AbortController();
  for (const event of ['SIGINT', 'close']) lines.once(event, () => stopped.abort());
  try {
    return [askId, await lines.question(`answer ${askId}> `, { signal: stopped.signal })];
  } finally {
    lines.close();
  }
}

const CELL_WIDTH = 36;

/** Each row of a table as a choice: its first cell is the word. */
function namedChoices(rows: readonly (readonly string[])[]): readonly Choice[] {
  const lines = columns(rows.map((row) => row.map((cell) => shortened(cell, CELL_WIDTH)))).split('\n');
  return rows.map(([word = ''], at) => ({
    name: lines[at] ?? word,
    words: () => Promise.resolve([word]),
  }));
}

async function contextOf(io: Io, command: Command): Promise<ClientContext | undefined> {
  const flags: ConnectionFlags = command.opts();
  const project = await findProject(io.cwd);
  if (await hasNoRuns(project, { choice: flags, env: io.env })) return undefined;
  return await openForQuestion(io, { flags });
}
