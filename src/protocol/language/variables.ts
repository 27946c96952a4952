// The variables of a state: RAYMOND_* and custom attributes for a process, and {{name}} placeholders in a prompt.
// Placeholders are replaced in one pass, so that a value is never read as a placeholder. Callers bring large values as
// text.
import type { AgentState } from '../machine/agent.js';
import { type NameConflict, CONFLICTS } from './problem.js';
import type { Attributes } from './tag.js';
import { clip, utf8Length, defined, jsonOf } from '../text.js';

/** The longest plain variable in bytes: with one of 128 KiB a process cannot start on Linux. */
export const MAX_VARIABLE_BYTES = 100 * 1024;

/** The sources of a turn's variables. Paths are absolute, on the worker. */
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
  /** Why the script's host allows no variable of a name (attribute-names.ts); absent = it allows all. */
  readonly conflictOf?: (name: string) => NameConflict | undefined;
  /** The tag that led to the state (`AgentState.via`). */
  readonly via?: string;
  readonly pending?: PendingText;
}

/** The pending value: `file` has all of it; `text` may be absent when it is longer than `MAX_VARIABLE_BYTES`. */
export interface PendingText {
  readonly text?: string;
  readonly file: string;
  readonly returning: boolean;
}

/** Variables by name. `raymond` overrides `attributes`, whatever else the environment has. */
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

/** The value itself in `RAYMOND_INPUT`; as the result of a call also in `RAYMOND_RESULT`; of a fork also in `input`. */
function pendingVariables({ pending, via }: TurnContext): TurnVariables {
  if (pending === undefined) return { raymond: {}, attributes: {}, warnings: [] };
  const { text, file, returning } = pending;
  const names = returning ? ['RAYMOND_INPUT', 'RAYMOND_RESULT'] : ['RAYMOND_INPUT'];
  const files = names.map((name) => [`${name}_FILE`, file] as const);
  const problem = text === undefined ? TOO_LONG : valueProblem(text);
  const plain = problem === undefined ? text : undefined;
  const values = plain === undefined ? [] : names.map((name) => [name, plain] as const);
  const fields = returning && plain !== undefined ? fieldVariables(plain) : [];
  return {
    // Raymond's own names override a field of the same name.
    raymond: Object.fromEntries([...fields, ...files, ...values]),
    attributes: plain !== undefined && via === 'fork' ? { input: plain } : {},
    warnings:
      problem === undefined
        ? []
        : [`${names.join(' and ')} cannot be set: the value ${problem}; read the file at RAYMOND_INPUT_FILE`],
  };
}

/** `RAYMOND_RESULT_field` for each field at the top of a result that is a JSON object. */
function fieldVariables(text: string): readonly (readonly [string, string])[] {
  const value = objectOf(text);
  if (value === undefined || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const shown = textOf(field);
    return /^\w{1,100}$/.test(name) && !shown.includes('\0') ? [[`RAYMOND_RESULT_${name}`, shown] as const] : [];
  });
}

/** The object or list that a text of JSON is; undefined for anything else. */
function objectOf(text: string): object | undefined {
  return /^\s*[{[]/.test(text) ? (jsonOf(text) as object | undefined) : undefined;
}

/** A text as it is, anything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function attributeVariables({ attributes, conflictOf }: TurnContext): Omit<TurnVariables, 'raymond'> {
  const kept: [string, string][] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const problem = nameProblem(name) ?? conflictProblem(conflictOf?.(name)) ?? valueProblem(value);
    if (problem === undefined) kept.push([name, value]);
    else warnings.push(`the attribute ${clip(name, 60)} cannot be a variable of a script: it ${problem}`);
  }
  return { attributes: Object.fromEntries(kept), warnings };
}

const TOO_LONG = `is longer than ${MAX_VARIABLE_BYTES / 1024} KiB`;

function nameProblem(name: string): string | undefined {
  if (name === 'next' || name === 'cd') return 'belongs to the fork itself';
  // On Windows these names are case-insensitive.
  if (/^raymond_/i.test(name)) return 'would replace a variable of Raymond';
  return /^[A-Za-z_]\w*$/.test(name) ? undefined : 'is not a valid variable name';
}

function conflictProblem(conflict: NameConflict | undefined): string | undefined {
  return conflict && CONFLICTS[conflict];
}

function valueProblem(value: string): string | undefined {
  if (value.includes('\0')) return 'contains a NUL character';
  return utf8Length(value) > MAX_VARIABLE_BYTES ? TOO_LONG : undefined;
}

/** A prompt with its placeholders replaced; `used` are their names, each once, in order. */
interface RenderResult {
  readonly text: string;
  readonly used: readonly string[];
}

/** The values for a prompt. `stateDir` is the folder of the states on the worker; `pendingText` is the text of `agent.pending`. */
/** What the variables of a state depend on. */
export interface PromptContext {
  readonly runId: string;
  readonly agent: Pick<AgentState, 'id' | 'attributes' | 'pending'>;
  readonly stateDir: string;
  readonly taskFolder: string;
  readonly pendingText?: string;
}

/**
 * Replaces every `{{name}}` with a known name, exactly as written, without spaces, and every `{{result.field}}` of a
 * result that is JSON; all others stay.
 */
export function renderTemplate(text: string, variables: Readonly<Record<string, string>>): RenderResult {
  const used = new Set<string>();
  const parsed = new Map<string, object | undefined>();
  const filled = text.replace(/\{\{([^{}]+)\}\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : fieldNamed(name, { variables, parsed });
    if (value === undefined) return placeholder;
    used.add(name);
    return value;
  });
  return { text: filled, used: [...used] };
}

/** The names with fields; a name such as `result.verdict.score` is a path into lists and objects. */
const FIELD_NAME = /^(input|result)\.(.+)$/;

function fieldNamed(
  name: string,
  {
    variables,
    parsed,
  }: { readonly variables: Readonly<Record<string, string>>; readonly parsed: Map<string, object | undefined> },
): string | undefined {
  const [, head = '', path = ''] = FIELD_NAME.exec(name) ?? [];
  const whole = Object.hasOwn(variables, head) ? variables[head] : undefined;
  if (whole === undefined) return undefined;
  if (!parsed.has(head)) parsed.set(head, objectOf(whole));
  let value: unknown = parsed.get(head);
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return textOf(value);
}

/** The variables of a prompt: attributes, the pending value under both names, and the question's id. */
export function templateVariables({
  runId,
  agent,
  stateDir,
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
    state_dir: stateDir,
  };
}

/** Fills a prompt, with a warning for each name of the pending value that it uses without one. */
export function renderPrompt(
  text: string,
  context: PromptContext,
): RenderResult & { readonly warnings: readonly string[] } {
  const variables = templateVariables(context);
  const vain = ['result', 'input'].filter((name) => !Object.hasOwn(variables, name) && text.includes(`{{${name}}}`));
  const warnings = vain.map(
    (name) => `the prompt uses {{${name}}}, but there is no input or result: the placeholder stays unchanged`,
  );
  const rendered = renderTemplate(text, variables);
  const fields = [...text.matchAll(/\{\{((?:input|result)\.[^{}\s]+)\}\}/g)].map(([, name = '']) => name);
  const absent = [...new Set(fields)].filter((name) => !rendered.used.includes(name));
  const unfilled = absent.map((name) => `the value has no field for {{${name}}}: the placeholder stays unchanged`);
  return { ...rendered, warnings: [...warnings, ...unfilled] };
}
