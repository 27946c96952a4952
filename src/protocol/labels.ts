// Labels of a run, as its user set them: an issue, a branch. Every state has them as variables, so a
// key must be able to be one. Pure.
import { clip, utf8Length } from './text.js';

/** Values by key. */
export type Labels = Readonly<Record<string, string>>;

const MAX_LABELS = 20;
const MAX_VALUE_BYTES = 1024;

/** Names that a state already has, or that belong to a fork. */
const TAKEN = [
  ...['input', 'result', 'workflow_id', 'agent_id', 'task_folder', 'state_dir', 'ask_id'],
  ...['next', 'cd', 'task', 'output', 'transition'],
];

/** The problem of labels; undefined when there is none. */
export function labelsProblem(labels: Labels): string | undefined {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) return `${entries.length} labels; a run may have ${MAX_LABELS}`;
  for (const [key, value] of entries) {
    if (!/^[A-Za-z_]\w{0,63}$/.test(key))
      return `"${clip(key, 60)}" cannot be the key of a label; use letters, digits and "_", no digit first`;
    if (TAKEN.includes(key) || /^raymond_/i.test(key)) return `the label "${key}" would replace a variable of Raymond`;
    // Programs read settings from variables in capitals, such as PATH.
    if (!/[a-z]/.test(key)) return `the label "${key}" may be a variable of a program; use lower-case letters`;
    if (value.includes('\0')) return `the label "${key}" contains a NUL character`;
    if (utf8Length(value) > MAX_VALUE_BYTES) return `the label "${key}" is longer than ${MAX_VALUE_BYTES} bytes`;
  }
  return undefined;
}

/** Labels on one line. */
export function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** The search attribute: a `KEY=VALUE` for each, so that one search finds one label. */
export function shownLabels(labels: Labels | undefined): { readonly RaymondLabels?: readonly string[] } {
  return labels === undefined ? {} : { RaymondLabels: Object.entries(labels).map((pair) => pair.join('=')) };
}
