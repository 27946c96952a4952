// Rules about timeout and timeout_next of <ask> and <await>, of which a tag has only one.
import { stem } from '../../../protocol/ids.js';
import { hasComputedAttributes, type Mention } from '../../mention.js';
import type { StateNode } from '../../graph.js';
import type { SourceFile } from '../../source.js';
import { plainText, promptsOf, statesOf, type PromptState, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { unnamedStates } from '../flow/unnamed-states.js';

/** A text or a name that is made for the case without an answer, or that agents need too long. */
const FOR_TIMEOUT =
  /\b(?:late|too long|timed? ?-?out|in time|unanswered|fall ?back|defaults?|expired?|overdue|deadline|escalat\w*|remind\w*|give up|gave up|waited|not ready|not finished|(?:no|without an?) (?:answer|reply|reaction|response))\b|\b(?:no ?body|no one|no person|not|never)\s+(?:\w+\s+)?(?:answer|repl|react|respond|decid|finish)\w*/i;

/** True for a state whose name or text speaks of the end of a timeout. */
function isForTimeout({ file, ...source }: Extract<SourceFile, { readonly kind: 'script' | 'prompt' }>): boolean {
  return FOR_TIMEOUT.test(stem(file).replaceAll('_', ' ')) || FOR_TIMEOUT.test(source.raw.text.slice(0, 20_000));
}

/** Where a state waits with a timeout, but without timeout_next. */
function waitOf(state: StateNode): FindingDetails['at'] | undefined {
  const isWait = ({ tag }: Mention): boolean => tag === 'ask' || tag === 'await';
  if (plainText(state).includes('timeout_next')) return undefined;
  const waits = state.effectiveMentions.filter(isWait);
  if (waits.some(({ attributes }) => attributes.has('timeout_next'))) return undefined;
  const timeout = waits.map(({ attributes }) => attributes.get('timeout')).find((one) => one !== undefined);
  if (timeout !== undefined || state.source.kind !== 'script') return timeout?.at;
  return state.hasUnknownTargets || waits.some(hasComputedAttributes) ? computedWait(state as ScriptState) : undefined;
}

/** The attribute in a script that computes the attributes of the tag, or the whole tag. */
function computedWait(state: ScriptState): FindingDetails['at'] | undefined {
  const code = plainText(state);
  if (!/<(?:ask|await)\b|["'](?:ask|await)["']/.test(code) || !/(?<![\w-])next["']?[ \t]*[:=]/.test(code))
    return undefined;
  const match = /(?<![\w.-])["']?timeout["']?[ \t]*[:=](?!=)/.exec(code);
  return match === null ? undefined : state.source.raw.at(match.index);
}

/** The states that are made for the end of a timeout, with the tag that should lead there. */
export function statesForTimeouts(
  analysis: Analysis,
): readonly { readonly file: string; readonly finding: FindingDetails }[] {
  const { reached } = analysis;
  const [wait] = statesOf(analysis).flatMap((state) => {
    const at = reached.has(state.file) ? waitOf(state) : undefined;
    return at === undefined ? [] : [{ at, state: state.file }];
  });
  const [made] = wait === undefined ? [] : unnamedStates(analysis).filter(isForTimeout);
  if (wait === undefined || made === undefined) return [];
  const message = `after this timeout, the agent fails, because the tag has no timeout_next; ${made.file} seems to be the state for this case, but nothing leads to it`;
  return [{ file: made.file, finding: { ...wait, message, fix: `write timeout_next="${stem(made.file)}"` } }];
}

/** Entries of policies with timeout_next of which no timeout is known. */
export function* lonelyTimeoutNext(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) yield* lonelyInPolicy(state);
}

const LONELY = {
  message: 'timeout_next has no timeout beside it, so the tag is a mistake',
  fix: 'write timeout="…" beside it, the time after which timeout_next is used',
} as const;

/** A reply may add the timeout that an entry leaves out, but only if the prompt speaks of one. */
function* lonelyInPolicy({ source, file, mentions }: PromptState): Generator<FindingDetails> {
  const { entries, body } = source.prompt;
  if (/timeout(?!_next)|\btime limit\b/i.test(body.text) || !body.text.includes('timeout_next')) return;
  for (const { attributes, tag } of entries) {
    const next = attributes.get('timeout_next');
    const isShown = mentions.some(
      (one) => one.source === 'text' && one.tag === tag && one.attributes.has('timeout_next'),
    );
    if (next === undefined || attributes.has('timeout') || isShown) continue;
    yield { at: next.at, state: file, ...LONELY, severity: 'warning' };
  }
}

/** The rule about a timeout without a state behind it. */
export const TIMEOUT_ATTRIBUTE_RULES: readonly Rule[] = [
  {
    id: 'timeout-without-next',
    severity: 'warning',
    summary:
      'An <ask> or an <await> has a timeout without timeout_next, although the package contains a state for the case that the time is over.',
    why: 'Without timeout_next, the agent fails after the timeout. The state that was made for this case never runs, because nothing leads to it.',
    check: (analysis) => statesForTimeouts(analysis).map(({ finding }) => finding),
  },
];
