// Fills {{name}} placeholders of prompts. One pass: what a value holds is never taken for a placeholder.
// Must not fetch values; large ones are brought as text.
import type { AgentState } from './agent.js';

/** A prompt with its placeholders filled; `used` are the names that were, each once, in order. */
export interface Rendered {
  readonly text: string;
  readonly used: readonly string[];
}

/** What a prompt is filled with. `pendingText` is the text of `agent.pending`. */
export interface PromptContext {
  readonly runId: string;
  readonly agent: Pick<AgentState, 'id' | 'attributes' | 'pending'>;
  readonly taskFolder: string;
  readonly pendingText?: string;
}

/** Replaces every `{{name}}` whose name is bound, exactly as written, without spaces; all others stay as they are. */
export function renderTemplate(text: string, variables: Readonly<Record<string, string>>): Rendered {
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
    ...(askId === undefined ? {} : { ask_id: askId }),
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
): Rendered & { readonly warnings: readonly string[] } {
  const variables = templateVariables(context);
  const vain = ['result', 'input'].filter((name) => !Object.hasOwn(variables, name) && text.includes(`{{${name}}}`));
  const warnings = vain.map(
    (name) => `the prompt names {{${name}}}, but no value is pending: it stays as it is written`,
  );
  return { ...renderTemplate(text, variables), warnings };
}
