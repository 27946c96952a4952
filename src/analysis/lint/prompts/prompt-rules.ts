// Rules about prompts and their policies: what the text asks the model to reply, and what the policy allows.
import {
  comparedKeys,
  endsWithResult,
  implicitTag,
  stateKeys,
  type Policy,
} from '../../../protocol/language/policy.js';
import { resolveState } from '../../../protocol/language/resolve.js';
import { clip } from '../../../protocol/text.js';
import { stem } from '../../../protocol/ids.js';
import { allEdges, type StateNode } from '../../graph.js';
import { isComputed, PLACEHOLDER, type Mention } from '../../mention.js';
import { promptsOf, shownAt, type PromptState } from '../helpers.js';
import { placeInPolicy, isAskedFor, isCommanded } from './prompt-text.js';
import { withSharedNext } from './tags-asked.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { wordsBesidePayloads } from '../values/schema-text-rules.js';

function textMentions({ mentions }: PromptState): readonly Mention[] {
  return mentions.filter(({ source }) => source === 'text');
}

function* unsatisfiable(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    for (const { tag, body, attributes } of source.prompt.entries) {
      const names = new Set([...comparedKeys(tag), ...stateKeys(tag)]);
      const compared = [...attributes]
        .filter(([name]) => names.has(name))
        .map(([, { value, valueAt }]) => ({ value, at: valueAt }));
      for (const { value, at } of [...(body === undefined || tag === 'ask' ? [] : [body]), ...compared]) {
        if (isComputed(value))
          yield {
            at,
            state: file,
            message: 'no reply can match this entry: variables in a policy are not replaced',
            fix: 'name the states one by one, or leave the key out',
          };
        else if (value.includes(`</${tag}>`))
          yield {
            at,
            state: file,
            message: `no reply can match this entry: it contains </${tag}>, and the text of a <${tag}> ends there`,
            fix: `remove </${tag}> from the entry`,
          };
      }
    }
  }
}

function* contradictions(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { entries } = state.source.prompt;
    if (entries.length === 0 || state.source.prompt.policy?.forceImplicit === true) continue;
    const isAllowed = (mention: Mention): boolean =>
      withSharedNext(mention, textMentions(state)).some((one) =>
        entries.some((entry) => allows(entry, { mention: one, analysis })),
      );
    const isShown = (entry: Mention): boolean =>
      textMentions(state).some((one) => allows(entry, { mention: one, analysis }));
    const asksForAllowed = textMentions(state).some((mention) => !mention.inCode && isAllowed(mention));
    for (const mention of textMentions(state)) {
      if (isComputedMention(mention) || isAllowed(mention)) continue;
      // What a text that asks for another tag shows as code is an example.
      const isExample = (mention.inCode && asksForAllowed) || isOfNextState(mention, { state, analysis });
      if (isExample && !isCommanded(state.source.prompt.body, mention)) continue;
      if (isPlaceholder(mention, analysis)) continue;
      yield {
        at: placeInPolicy(state, { mention, isShown }) ?? mention.at,
        state: state.file,
        message: `the text asks for ${quotedMention(mention)}, which the policy does not allow${samePayloads(mention, entries)}`,
        fix: 'allow it, or remove it from the text',
      };
    }
  }
}

/** True for a tag that leads to `STATE` or the like, which no state is called: the text only explains the tag. */
function isPlaceholder(mention: Mention, analysis: Analysis): boolean {
  const names = stateKeys(mention.tag).flatMap((key) => valueOf(mention, key) ?? []);
  return names.some((name) => PLACEHOLDER.test(name) && !analysis.graph.states.has(fileOf(name, analysis)));
}

/** True for a tag of a state that comes next: the text may say how that one decides. */
export function isOfNextState(
  { tag, body }: Mention,
  { state, analysis }: { readonly state: PromptState; readonly analysis: Analysis },
): boolean {
  const next = state.edges.flatMap(({ to }) => (to.kind === 'state' && to.file !== state.file ? [to.file] : []));
  const theirs = next.flatMap((file) => analysis.graph.states.get(file)?.effectiveMentions ?? []);
  return tag !== 'result' && theirs.some((other) => other.tag === tag && other.body?.value === body?.value);
}

function quotedMention(mention: Mention): string {
  return mention.tag === 'result' ? `<result>${clip(mention.body?.value ?? '', 40)}</result>` : outline(mention);
}

function samePayloads({ tag }: Mention, entries: readonly Mention[]): string {
  const allowed = entries.filter((entry) => entry.tag === 'result' && tag === 'result');
  return allowed.length === 0 ? '' : `; it allows ${allowed.map(quotedMention).join(', ')}`;
}

/** True for a tag with a computed target, or another computed part that a policy compares. */
function isComputedMention(mention: Mention): boolean {
  if (mention.tag === 'ask') return false;
  const keys = new Set(['target', 'payload', ...comparedKeys(mention.tag)]);
  return [...keys].some((key) => isComputed(valueOf(mention, key) ?? ''));
}

/** True for a tag that agrees with an entry of a policy. */
export function allows(
  entry: Mention,
  { mention, analysis }: { readonly mention: Mention; readonly analysis: Analysis },
): boolean {
  if (entry.tag !== mention.tag) return false;
  const names = stateKeys(entry.tag);
  return comparedKeys(entry.tag).every((key) => {
    const expected = valueOf(entry, key);
    const given = valueOf(mention, key);
    // policy-unsatisfiable reports a variable in a policy.
    if (expected === undefined || isComputed(expected)) return true;
    if (given === undefined) return false;
    return names.includes(key) ? fileOf(expected, analysis) === fileOf(given, analysis) : expected === given;
  });
}

function valueOf({ body, attributes }: Mention, key: string): string | undefined {
  return key === 'target' || key === 'payload' ? body?.value : attributes.get(key)?.value.trim();
}

/** The file that a name means, otherwise the name. */
export function fileOf(name: string, { graph }: Analysis): string {
  const resolved = resolveState({ ...graph.source.folder, name });
  return resolved.kind === 'state' ? resolved.file : name;
}

/** A tag in short. */
export function outline({ tag, body }: Mention): string {
  return tag === 'await'
    ? '<await/>'
    : `<${tag}>${tag === 'result' || tag === 'ask' ? '…' : (body?.value ?? '')}</${tag}>`;
}

function* withoutTagNames(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { entries, policy, body } = state.source.prompt;
    const implied = policy !== undefined && (implicitTag(policy, {}) !== undefined || isAskedForResult(policy));
    if (entries.length === 0 || implied || textMentions(state).length > 0) continue;
    const names = entries.flatMap((entry) => [
      `<${entry.tag}`,
      ...(entry.body === undefined ? [] : [stem(entry.body.value)]),
    ]);
    if (names.some((name) => body.text.includes(name))) continue;
    yield {
      at: body.at(Math.max(0, body.text.search(/\S/))),
      state: state.file,
      message: 'the text names none of the tags that the policy allows',
      fix: `end it with what to reply, such as ${outline(entries[0] as Mention)}`,
    };
  }
}

/** True for a policy whose result is asked for by its schema. */
function isAskedForResult(policy: Policy): boolean {
  return policy.result !== undefined && endsWithResult(policy);
}

function* unused(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { entries, body, policy } = source.prompt;
    // A judge may choose any of them.
    if (entries.length < 2 || body.text.trim() === '' || policy?.evaluation?.judge !== undefined) continue;
    for (const entry of entries) {
      const name = entry.tag === 'result' || entry.tag === 'ask' ? undefined : entry.body?.value;
      if (name === undefined || isComputed(name) || body.text.includes(stem(name))) continue;
      yield {
        at: entry.body?.at ?? entry.at,
        state: file,
        message: `the policy allows ${outline(entry)}, but the text does not mention ${name}`,
        fix: 'explain when to choose it, or remove the entry',
      };
    }
  }
}

function* judges(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { policy, entries } = source.prompt;
    const name = policy?.evaluation?.judge?.state;
    const judge = name === undefined ? undefined : analysis.graph.states.get(fileOf(name, analysis));
    const ends = judge?.source.kind === 'prompt' ? judge.source.prompt.entries : [];
    const [first] = ends;
    if (judge === undefined || first === undefined) continue;
    const where = { state: judge.file };
    if (!ends.some(keeps))
      yield {
        ...where,
        at: first.at,
        message: `${judge.file} judges ${file}, but the policy of ${judge.file} does not allow <result>keep</result>`,
        fix: `add { tag: result, payload: keep } to allowed_transitions of ${judge.file}`,
      };
    const isAllowed = (end: Mention): boolean => entries.some((entry) => allows(entry, { mention: end, analysis }));
    for (const end of entries.length === 0 ? [] : ends)
      if (end.body !== undefined && !keeps(end) && !isAllowed(end))
        yield {
          ...where,
          at: shownAt(analysis, { from: judge.file, at: end.body.at, mention: end }),
          message: `${judge.file} may end with ${quotedMention(end)}, but the state that it judges, ${file}, may not`,
          fix: `allow it in ${file}, or remove it from ${judge.file}`,
        };
  }
}

/** The tags that a judge without a policy writes: it gets nothing else from the judged state. */
function* judgesWithoutPolicy(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { policy, entries } = source.prompt;
    const name = policy?.evaluation?.judge?.state;
    const judge = name === undefined ? undefined : analysis.graph.states.get(fileOf(name, analysis));
    // Without a policy, the judged state may end with any tag.
    if (judge === undefined || entries.length === 0 || judge.mentions.some(isOfPolicy)) continue;
    if (isUsedOtherwise(analysis, judge)) continue;
    for (const mention of judge.mentions) {
      if (mention.isCertain === false || mention.malformed !== undefined || isComputedMention(mention)) continue;
      if (keeps(mention) || isPlaceholder(mention, analysis) || !isMeant(judge, mention)) continue;
      if (entries.some((entry) => allows(entry, { mention, analysis }))) continue;
      yield {
        at: mention.at,
        state: judge.file,
        message: `${judge.file} judges ${file}, and ${quotedMention(mention)} is neither <result>keep</result> nor a tag that ${file} may end with`,
        fix: 'write <result>keep</result> to keep the transition, or a tag that the judged state allows',
      };
    }
  }
}

function isOfPolicy({ source }: Mention): boolean {
  return source === 'policy';
}

function isMeant({ source }: StateNode, mention: Mention): boolean {
  if (source.kind !== 'prompt') return true;
  return !/…|\.\.\./.test(mention.body?.value ?? '') && isAskedFor(source.prompt.body, mention);
}

/** True for a judge that tags lead to as well. */
function isUsedOtherwise({ graph }: Analysis, { file }: StateNode): boolean {
  return allEdges(graph).some(
    ({ to, mention: { attributes } }) =>
      to.kind === 'state' && to.file === file && !(attributes.has('output') && attributes.has('transition')),
  );
}

/** True for an entry with which a judge may let a transition stand. */
function keeps({ tag, body }: Mention): boolean {
  return tag === 'result' && (body === undefined || /^keep$/i.test(body.value.trim()));
}

function* implicit(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { policy, entries } = source.prompt;
    const [entry] = entries;
    if (policy === undefined || entry === undefined || policy.forceImplicit || implicitTag(policy, {}) === undefined)
      continue;
    yield {
      at: entry.at,
      state: file,
      message: `a reply without a tag counts as ${outline(entry)}, the only allowed transition`,
    };
  }
}

function* fenced(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis))
    for (const mention of textMentions(state))
      if (mention.fenced)
        yield {
          at: mention.at,
          state: state.file,
          message: 'a tag in a code fence counts like any other when a reply repeats it',
        };
}

/** Rules about prompts and their policies. */
export const PROMPT_RULES: readonly Rule[] = [
  {
    id: 'policy-unsatisfiable',
    severity: 'error',
    summary:
      'No reply can match an entry of a policy, because a value that Raymond compares with the reply, such as target, contains a closing tag or a variable. Raymond does not replace variables in such values.',
    why: 'The values of an entry are compared literally with the reply. Variables in it are not replaced, and no reply can contain the closing tag inside the tag.',
    check: unsatisfiable,
  },
  {
    id: 'policy-contradicts-text',
    severity: 'warning',
    summary: 'The text of a prompt asks for a tag that the policy of the prompt does not allow.',
    why: 'A model that follows the text gets a reminder, up to three times, and every reminder costs a turn.',
    check: (analysis) => [...contradictions(analysis), ...wordsBesidePayloads(analysis)],
  },
  {
    id: 'judge-contradicts-policy',
    severity: 'warning',
    summary:
      'The policy of a judge, which checks the replies of another state, does not allow <result>keep</result>, or allows a tag that the policy of the other state does not allow.',
    why: 'A judge ends with <result>keep</result>, or with a tag that the policy of the judged state allows. Any other end costs a reminder.',
    check: (analysis) => [...judges(analysis), ...judgesWithoutPolicy(analysis)],
  },
  {
    id: 'prompt-names-no-tag',
    severity: 'warning',
    summary: 'The text of a prompt names none of the tags that the policy of the prompt allows.',
    why: 'The model does not see the policy until its first mistake, so the first reply is often wasted.',
    check: withoutTagNames,
  },
  {
    id: 'unused-allowed-transition',
    severity: 'warning',
    summary: 'A policy allows a transition to a state that the text of the prompt does not mention.',
    why: 'The model has no reason to choose it.',
    check: unused,
  },
  {
    id: 'implicit-transition',
    severity: 'info',
    summary: 'The policy of a prompt has an implicit transition, so a reply without a tag is not a mistake.',
    why: 'With exactly one complete entry, a reply without a tag is not a mistake. force_implicit: true applies that entry to every reply.',
    check: implicit,
  },
  {
    id: 'tag-in-fence',
    severity: 'info',
    summary: 'A prompt shows a tag in a code fence. If a reply repeats this example, the tag in the reply counts.',
    why: 'Tags in a reply count everywhere, including code fences. A model that quotes the example ends its turn with it.',
    check: fenced,
  },
];
