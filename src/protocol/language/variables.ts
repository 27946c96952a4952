// What a state is told in variables: the RAYMOND_* ones and the fork attributes of a process, and the {{name}} placeholders of a prompt.
// One pass: what a value holds is never taken for a placeholder. Large values are brought as text.
import type { AgentState } from '../machine/agent.js';
import type { NameConflict } from './attribute-names.js';
import { CONFLICTS } from './problem.js';
import type { Attributes } from './tag.js';
import { clip, utf8Length, defined } from '../text.js';

/** The longest plain variable, in bytes: a single one of 128 KiB keeps a process from starting on Linux. */
export const MAX_VARIABLE_BYTES = 100 * 1024;

/** What the variables of a turn are made of. Paths are absolute, on the worker. */
export interface TurnContext {
  readonly runId: string;
  readonly agentId: string;
  readonly stateDir: string;
  readonly stateFile: string;
  readonly turnId: string;
  readonly attempt: string;
  readonly taskFolder: string;
  /** The question whose answer is pending. */
  readonly askId?: string;
  readonly attributes: Attributes;
  /** Why the script's host lets no attribute of a name be a variable (attribute-names.ts); absent = it lets all. */
  readonly conflictOf?: (name: string) => NameConflict | undefined;
  /** The tag that led to the state (`AgentState.via`). */
  readonly via?: string;
  readonly pending?: PendingText;
}

/** The pending value: `file` holds it whole; `text` may be absent when it is longer than `MAX_VARIABLE_BYTES`. */
export interface PendingText {
  readonly text?: string;
  readonly file: string;
  readonly returning: boolean;
}

/** Variables by name. `raymond` must win over `attributes`, whatever else the environment holds. */
interface TurnVariables {
  readonly raymond: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** The variables of a turn. Those that cannot be set are left out, with a warning each. */
export function turnVariables(turn: TurnContext): TurnVariables {
  const pending = pendingVariables(turn);
  const free = attributeVariables(turn);
  return {
    raymond: {
      RAYMOND_WORKFLOW_ID: turn.runId,
      RAYMOND_AGENT_ID: turn.agentId,
      RAYMOND_STATE_DIR: turn.stateDir,
      RAYMOND_STATE_FILE: turn.stateFile,
      RAYMOND_TURN_ID: turn.turnId,
      RAYMOND_ATTEMPT: turn.attempt,
      RAYMOND_TASK_FOLDER: turn.taskFolder,
      ...defined({ RAYMOND_ASK_ID: turn.askId }),
      ...pending.raymond,
    },
    attributes: { ...free.attributes, ...pending.attributes },
    warnings: [...pending.warnings, ...free.warnings],
  };
}

/** The value itself in `RAYMOND_INPUT`, when it came back from a callee also in `RAYMOND_RESULT`; of a fork, also in `input`. */
function pendingVariables({ pending, via }: TurnContext): TurnVariables {
  if (pending === undefined) return { raymond: {}, attributes: {}, warnings: [] };
  const { text, file, returning } = pending;
  const names = returning ? ['RAYMOND_INPUT', 'RAYMOND_RESULT'] : ['RAYMOND_INPUT'];
  const files = names.map((name) => [`${name}_FILE`, file] as const);
  const problem = text === undefined ? TOO_LONG : valueProblem(text);
  const plain = problem === undefined ? text : undefined;
  const values = plain === undefined ? [] : names.map((name) => [name, plain] as const);
  return {
    raymond: Object.fromEntries([...files, ...values]),
    attributes: plain !== undefined && via === 'fork' ? { input: plain } : {},
    warnings:
      problem === undefined
        ? []
        : [`${names.join(' and ')} cannot be set: the value ${problem}; read the file that RAYMOND_INPUT_FILE names`],
  };
}

function attributeVariables({ attributes, conflictOf }: TurnContext): Omit<TurnVariables, 'raymond'> {
  const kept: [string, string][] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const problem = nameProblem(name) ?? conflictProblem(conflictOf?.(name)) ?? valueProblem(value);
    if (problem === undefined) kept.push([name, value]);
    else warnings.push(`the fork attribute ${clip(name, 60)} cannot be a variable of a script: it ${problem}`);
  }
  return { attributes: Object.fromEntries(kept), warnings };
}

const TOO_LONG = `is longer than ${MAX_VARIABLE_BYTES / 1024} KiB`;

function nameProblem(name: string): string | undefined {
  if (name === 'next' || name === 'cd') return 'belongs to the fork itself';
  // Windows does not tell upper from lower case in these names.
  if (/^raymond_/i.test(name)) return 'would replace a variable of Raymond';
  return /^[A-Za-z_]\w*$/.test(name) ? undefined : 'has a name that no variable can have';
}

function conflictProblem(conflict: NameConflict | undefined): string | undefined {
  return conflict && CONFLICTS[conflict];
}

function valueProblem(value: string): string | undefined {
  if (value.includes('\0')) return 'holds a NUL character';
  return utf8Length(value) > MAX_VARIABLE_BYTES ? TOO_LONG : undefined;
}

/** A prompt with its placeholders filled; `used` are the names that were, each once, in order. */
interface RenderResult {
  readonly text: string;
  readonly used: readonly string[];
}

/** What a prompt is filled with. `pendingText` is the text of `agent.pending`. */
interface PromptContext {
  readonly runId: string;
  readonly agent: Pick<AgentState, 'id' | 'attributes' | 'pending'>;
  readonly taskFolder: string;
  readonly pendingText?: string;
}

/** Replaces every `{{name}}` whose name is bound, exactly as written, without spaces; all others stay as they are. */
export function renderTemplate(text: string, variables: Readonly<Record<string, string>>): RenderResult {
  const used = new Set<string>();
  const filled = text.replace(/\{\{([^{}]+)\}\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) return placeholder;
    used.add(name);
    return value;
  });
  return { text: filled, used: [...used] };
}

/** The variables of a prompt: fork attributes, the pending value under both its names, and who is asking. */
export function templateVariables({
  runId,
  agent,
  taskFolder,
  pendingText,
}: PromptContext): Readonly<Record<string, string>> {
  const { askId } = agent.pending ?? {};
  return {
    ...agent.attributes,
    ...defined({ ask_id: askId }),
    ...(pendingText === undefined ? {} : { input: pendingText, result: pendingText }),
    workflow_id: runId,
    agent_id: agent.id,
    task_folder: taskFolder,
  };
}

/** Fills a prompt, with a warning for each name of the pending value that it uses in vain. */
export function renderPrompt(
  text: string,
  context: PromptContext,
): RenderResult & { readonly warnings: readonly string[] } {
  const variables = templateVariables(context);
  const vain = ['result', 'input'].filter((name) => !Object.hasOwn(variables, name) && text.includes(`{{${name}}}`));
  const warnings = vain.map(
    (name) => `the prompt names {{${name}}}, but no value is pending: it stays as it is written`,
  );
  return { ...renderTemplate(text, variables), warnings };
}
