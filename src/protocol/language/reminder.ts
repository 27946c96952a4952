// The text around a prompt: before it operators' notes and what the sandbox refused, after it a reminder when the last turn ended with a protocol
// mistake: what was wrong, and every allowed tag. Pure.
import { literalTag, stateKeys, type AllowedTransition, type Rules } from './policy.js';
import { describeProblem, type Problem } from './problem.js';
import type { Attributes } from './tag.js';
import { TAG_RULES, type Body } from './tag-table.js';

/** How many reminders a state gets before its agent fails. */
export const MAX_REMINDERS = 3;

/** The text to put before the prompt; empty without notes. */
export function notesText(notes: readonly { readonly text: string; readonly by: string }[]): string {
  return notes.map(({ text, by }) => `${by} says:\n\n${text}\n\n---\n\n`).join('');
}

/** The line before a prompt about what the sandbox refused; empty without refusals. */
export function deniedText(denied: readonly string[]): string {
  if (denied.length === 0) return '';
  return `The sandbox refused: ${denied.join('; ')}. It will refuse this again: do not retry it.\n\n---\n\n`;
}

/** The text to append to the prompt. */
export function reminderText(problem: Problem, rules: Rules): string {
  return [
    '',
    '---',
    `Your last reply to this step could not be used: ${problemText(problem)}.`,
    'You get this step again only to end it properly. Your earlier work is kept: do not repeat it.',
    '',
    ...endings(rules),
    '',
  ].join('\n');
}

/** Without advice for people, and without states and tags that are not allowed: a model might use them. */
function problemText(problem: Problem): string {
  switch (problem.kind) {
    case 'no-tag':
      return 'it has no transition tag';
    case 'not-allowed':
      return `${problem.tag} is not allowed here`;
    case 'unknown-state':
      return `there is no state "${problem.name}"`;
    default:
      return describeProblem(problem);
  }
}

/** The text in a prompt about the form of its result, where the backend does not ask for it. */
export function resultText({ result }: Pick<Rules, 'result'>): string {
  if (result === undefined) return '';
  return `\n\n---\nThe text of <result> must be JSON that fits this schema: ${JSON.stringify(result.schema)}\n`;
}

function endings({ policy: { allowed }, variables }: Rules): readonly string[] {
  // The file may have lost its policy since that turn.
  if (allowed.length === 0) return ['End your reply with exactly one transition tag.'];
  const tags = allowed.map((entry) => `- ${literalTag(entry, variables)}`);
  const hints = hintsOn(allowed);
  return [
    'End your reply with exactly one of these tags, written exactly as shown:',
    '',
    ...tags,
    ...(hints.length === 0 ? [] : ['', ...hints]),
  ];
}

function hintsOn(allowed: readonly AllowedTransition[]): readonly string[] {
  const openText = allowed.some(({ tag, attributes }) => isOpenText(TAG_RULES[tag].body, attributes));
  const openName = allowed.some(({ tag, attributes }) =>
    stateKeys(tag).some((key) => attributes[key] === undefined && !TAG_RULES[tag].mayName.includes(key)),
  );
  return [
    ...(openText ? ['Replace "…" with your own text.'] : []),
    ...(openName ? ['Replace STATE with the name of a state.'] : []),
    ...(allowed.some(({ tag }) => tag === 'fork')
      ? ['You may write several <fork> tags if all have the same next.']
      : []),
  ];
}

function isOpenText(body: Body, attributes: Attributes): boolean {
  if (body === 'workflow') return attributes['target'] === undefined;
  return body === 'prompt' || (body === 'payload' && attributes['payload'] === undefined);
}
