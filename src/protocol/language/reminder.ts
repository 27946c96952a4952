// What is put around a prompt: before it what people have said to the agent, after it a reminder when its last turn ended with a protocol
// mistake: what was wrong, and every tag that is allowed. Pure.
import { literalTag, stateKeys, type AllowedTransition, type Rules } from './policy.js';
import { describeProblem, type Problem } from './problem.js';
import type { Attributes } from './tag.js';
import { TAG_RULES, type Body } from './tag-table.js';

/** How often a state is reminded before its agent fails. */
export const MAX_REMINDERS = 3;

/** The text to put before the prompt; empty when nobody has said anything. */
export function notesText(notes: readonly { readonly text: string; readonly by: string }[]): string {
  return notes.map(({ text, by }) => `${by} says:\n\n${text}\n\n---\n\n`).join('');
}

/** The text to append to the prompt. */
export function reminderText(problem: Problem, rules: Rules): string {
  return [
    '',
    '---',
    `Your last reply to this step could not be used: ${problemText(problem)}.`,
    'You are given the step again only to end it properly. Whatever you have done already stays done: do not repeat it.',
    '',
    ...endings(rules),
    '',
  ].join('\n');
}

/** Without the advice that is for people, and without states and tags that are not allowed: a model might take them. */
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

function endings({ policy: { allowed }, variables }: Rules): readonly string[] {
  // The file may have lost its policy since the turn that went wrong.
  if (allowed.length === 0) return ['End your reply with exactly one transition tag.'];
  const tags = allowed.map((entry) => `- ${literalTag(entry, variables)}`);
  const hints = hintsOn(allowed);
  return [
    'End your reply with exactly one of these tags, written as it stands here:',
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
    ...(openText ? ['Put your own text in the place of "…".'] : []),
    ...(openName ? ['Put the name of a state in the place of STATE.'] : []),
    ...(allowed.some(({ tag }) => tag === 'fork')
      ? ['Several <fork> tags may stand together if all go on at the same next.']
      : []),
  ];
}

function isOpenText(body: Body, attributes: Attributes): boolean {
  if (body === 'workflow') return attributes['target'] === undefined;
  return body === 'prompt' || (body === 'payload' && attributes['payload'] === undefined);
}
