// A rule about prompts that offer two cases, of which the only transition of their policy hides one: a state that the text names in words, or a
// reply without a tag.
import { stem } from '../../../protocol/ids.js';
import { implicitTag } from '../../../protocol/language/policy.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { reachableFrom } from '../../graph.js';
import { codeIn, promptsOf, withoutLongLines, type PromptState } from '../helpers.js';
import { isJudged } from '../passed.js';
import { outline } from '../prompts/prompt-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** Where a text offers a case that the policy hides. */
interface HiddenCase {
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

function* hiddenBranches(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { policy, entries, body } = state.source.prompt;
    const [entry] = entries;
    if (entry === undefined || policy === undefined || implicitTag(policy, {}) === undefined) continue;
    if (policy.evaluation !== undefined || isJudge(analysis, state)) continue;
    const text = withoutLongLines(body.text);
    const found = namedState(analysis, { state, text }) ?? replyWithoutTag(analysis, { state, text });
    if (found === undefined) continue;
    const { offset, message, fix } = found;
    yield { at: body.at(offset), state: state.file, message: message.replace('ENTRY', outline(entry)), fix };
  }
}

function isJudge({ graph }: Analysis, { file }: PromptState): boolean {
  return [...graph.states.values()].some(({ edges }) =>
    edges.some(({ to, mention }) => to.kind === 'state' && to.file === file && isJudged(mention)),
  );
}

interface TextOfState {
  readonly state: PromptState;
  readonly text: string;
}

const NAMED_STATE =
  /\b(?:go|move|jump|proceed|continue|return|switch|hand\s+(?:it|this|the\s+\w+)?\s*over|(?:pass|send|forward|give|route)\s+(?:it|this|them|the\s+\w+)(?:\s+on)?|escalate)\s+(?:(?:on|back|over|directly|straight)\s+)?(?:to|at|with|in)\s+(?:the\s+)?(?:(?:state|step)\s+)?[`"'“*]{0,3}([A-Z][A-Z0-9_]{2,})(?!\w|\.\w)|\b(?:state|step)\s+[`"'“*]{0,3}([A-Z][A-Z0-9_]{2,})(?!\w|\.\w)[^.\n]{0,20}\b(?:if|when|for|instead)\b/g;

/** A sentence that says what other states do. */
const IS_STORY =
  /\b(?:will|we|it|they|which|that|then\s+it|workflow|would|may|can|not|never|[A-Z][A-Z_]{2,})\s+(?:\w+ly\s+|then\s+)?$|\bn't\s+$/;

/** An existing state to which the text sends the model in words. */
function namedState({ graph }: Analysis, { state, text }: TextOfState): HiddenCase | undefined {
  // A text may say what happens afterwards.
  const next = reachableFrom(graph, { from: [state.file] });
  const others = [...graph.states.keys()].filter((file) => !next.has(file)).map(stem);
  for (const match of text.matchAll(NAMED_STATE)) {
    const name = match[1] ?? match[2] ?? '';
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    if (!others.includes(name) || text.includes(`>${name}`) || IS_STORY.test(before)) continue;
    return {
      offset: match.index + match[0].lastIndexOf(name),
      message: `the policy allows only ENTRY, so no reply leads to ${name}`,
      fix: `add an entry for ${name} to allowed_transitions, and show both tags in the text`,
    };
  }
  return undefined;
}

/** A reply without a tag, or of a word, in one of the cases. */
const NO_TAG =
  /\b(?:without\s+(?:a|any)\s+tags?|no\s+tag(?:\s+at\s+all)?|(?:leave|omit|skip)\s+(?:out\s+)?(?:the|any)\s+tag)\b/gi;
const ONLY_WORD =
  /\b(?:(?:only|just|simply)\s+(?:reply|answer|respond|write|say|output)\s+|(?:reply|answer|respond|write|say|output)\s+(?:(?:only|just|simply)\s+(?:with\s+)?|with\s+(?:only\s+|just\s+|nothing\s+but\s+)?|nothing\s+but\s+))(?:the\s+words?\s+)?[`"'“*]{0,3}[A-Z][A-Z_]{2,}\b(?![^.\n]{0,40}<|[`"'”*]{0,3}\s+(?:in|into|to|on|at)\b)/g;
const IS_CASE = /\b(?:if|when|unless|otherwise|in case|in that case|should|for|only)\b|^[^:\n]{1,80}:\s/i;

/** Words by which the text says that the work goes no further. */
const IS_END =
  /\b(?:ends?|stops?|finish\w*|is\s+over|no\s+further|nothing\s+(?:more|further|else)|nothing\s+(?:\w+\s+){1,3}(?:checked|done|sent|published|built|to\s+\w+)|waits?|skipped|is\s+not\s+(?:\w+ed|sent|run))\b/i;

function replyWithoutTag(analysis: Analysis, { state, text }: TextOfState): HiddenCase | undefined {
  const shown = state.mentions.filter(({ source }) => source === 'text');
  if (shown.length === 0 || shown.some(({ tag }) => tag !== shown[0]?.tag)) return undefined;
  const isCode = codeIn(text);
  const sentenceAt = (from: number, to: number): readonly [string, string] => [
    text
      .slice(Math.max(0, from - 240), from)
      .split(/[.!?]\s|\n[ \t]*\n|\n[ \t]*[-*][ \t]/)
      .at(-1) ?? '',
    text.slice(to, to + 240).split(/\n[ \t]*\n/)[0] ?? '',
  ];
  for (const { index, 0: whole } of text.matchAll(NO_TAG)) {
    const [before, after] = sentenceAt(index, index + whole.length);
    if (!IS_CASE.test(before) || isCode(index) || !IS_END.test(after.slice(0, 160))) continue;
    return withoutTag(index);
  }
  if (!leadsToScript(analysis, state)) return undefined;
  for (const { index, 0: whole } of text.matchAll(ONLY_WORD)) {
    const [before] = sentenceAt(index, index + whole.length);
    if (IS_CASE.test(before) && !before.includes('</')) return withoutTag(index);
  }
  return undefined;
}

function withoutTag(offset: number): HiddenCase {
  return {
    offset,
    message:
      'a reply without a tag also counts as ENTRY, the only allowed transition, so this case continues like the other',
    fix: 'ask for another tag in this case, and allow it in allowed_transitions',
  };
}

/** True for a prompt after which only scripts run, which do not see its reply. */
function leadsToScript({ graph }: Analysis, { edges }: PromptState): boolean {
  const next = edges.flatMap(({ to }) => (to.kind === 'state' ? (graph.states.get(to.file) ?? []) : []));
  return next.length > 0 && next.every(({ file }) => executorOf(file) !== 'prompt');
}

/** The rule about cases that the only transition of a policy hides. */
export const HIDDEN_BRANCH_RULES: readonly Rule[] = [
  {
    id: 'hidden-branch',
    severity: 'warning',
    summary:
      'A prompt lets the model choose between two cases, but a reply without a tag always takes the implicit transition of its policy, so the run continues in the same way in both cases.',
    why: 'If allowed_transitions has exactly one complete entry, Raymond takes this entry for a reply without a tag, and with force_implicit: true for every reply. A second case needs an entry and a tag of its own.',
    check: hiddenBranches,
  },
];
