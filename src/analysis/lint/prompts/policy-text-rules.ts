// Rules about prompts whose text asks for what their policy can never give: tags that are ignored, states that do not exist, and payloads
// that list several texts.
import { implicitTag } from '../../../protocol/language/policy.js';
import { resolveState } from '../../../protocol/language/resolve.js';
import { TAG_RULES } from '../../../protocol/language/tag-table.js';
import { clip } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import { isComputed, PLACEHOLDER, type Mention } from '../../mention.js';
import { promptsOf, searchableText, withoutLongLines, type PromptState } from '../helpers.js';
import { fileOf, isOfNextState, outline } from './prompt-rules.js';
import { isAskedFor, isOffered } from './prompt-text.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* ignoredTags(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { policy, entries, body } = state.source.prompt;
    const { file, mentions } = state;
    const [entry] = entries;
    if (entry === undefined || policy?.forceImplicit !== true || implicitTag(policy, {}) === undefined) continue;
    for (const mention of mentions) {
      const lost = mention.source === 'text' ? lostPart(mention, { entry, analysis }) : undefined;
      if (lost === undefined) continue;
      const isBranch = isOffered(body, mention) && !isOfNextState(mention, { state, analysis });
      if (!isBranch && !isAskedFor(body, mention)) continue;
      yield {
        at: mention.at,
        state: file,
        message: `force_implicit takes ${outline(entry)}, whatever is written, so ${lost} is ignored`,
        fix: 'remove force_implicit, or do not ask for it',
      };
    }
  }
}

/** What force_implicit drops of a tag that the text asks for. */
function lostPart(
  mention: Mention,
  { entry, analysis }: { readonly entry: Mention; readonly analysis: Analysis },
): string | undefined {
  const { tag, body, attributes } = mention;
  const { body: kind, needs, mayName } = TAG_RULES[tag];
  const target = body?.value.trim() ?? '';
  if (target.includes('<') || isComputed(target) || needs.some((name) => !attributes.has(name))) return undefined;
  // A tag that names a state which does not exist is an example.
  const named = [...needs, ...mayName].map((name) => attributes.get(name)?.value ?? '');
  if (named.some((name) => name !== '' && !analysis.graph.states.has(fileOf(name, analysis)))) return undefined;
  if (kind === 'state' && !analysis.graph.states.has(fileOf(target, analysis))) return undefined;
  const meant = entry.body?.value ?? '';
  const isSame = kind === 'state' ? fileOf(target, analysis) === fileOf(meant, analysis) : target === meant;
  if (tag !== entry.tag || !isSame) return kind === 'payload' && tag === entry.tag ? 'this text' : 'this tag';
  const names = [...attributes.keys()].filter(
    (name) =>
      entry.attributes.get(name)?.value !== attributes.get(name)?.value &&
      !needs.includes(name) &&
      !mayName.includes(name),
  );
  return names.length === 0 ? undefined : `the attribute ${names.join(', ')}`;
}

/** `yes|no`, `accept or reject`. */
const ALTERNATIVES = /^[\w-]{2,}(?:\s*\|\s*[\w-]{2,})+$|^[\w-]{2,}(?:, [\w-]{2,})*,? or [\w-]{2,}$/;

function* listedPayloads(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { entries, body, policy } = source.prompt;
    for (const { tag, body: payload } of entries) {
      const text = payload?.value ?? '';
      if (tag !== 'result' || payload === undefined || policy?.forceImplicit === true || !ALTERNATIVES.test(text))
        continue;
      const isMeant = body.text.includes(`>${text}<`) || (text.includes('|') && body.text.includes(text));
      const parts = text.split(/\s*\|\s*|,? or |, /);
      if (isMeant || !parts.every((part) => new RegExp(`(?<![\\w-])${part}(?![\\w-])`, 'i').test(body.text))) continue;
      yield {
        at: payload.at,
        state: file,
        message: `a payload is one exact text, so only <result>${clip(text, 40)}</result> is allowed, not ${parts[0] ?? ''}`,
        fix: `write an entry for each text, such as { tag: result, payload: ${parts[0] ?? ''} }`,
      };
    }
  }
}

/** Attributes of an entry that no reply gets, because the text shows its tag without them. */
function* unfilledAttributes(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, mentions } of promptsOf(analysis)) {
    const { entries, body, policy } = source.prompt;
    if (policy?.forceImplicit === true) continue;
    for (const entry of entries) {
      const target = analysis.graph.states.get(fileOf(entry.body?.value ?? '', analysis));
      const shown = mentions.filter(
        ({ source: from, tag, body: name }) =>
          from === 'text' && tag === entry.tag && fileOf(name?.value.trim() ?? '', analysis) === target?.file,
      );
      const name = attributesToFill(entry).find(
        (one) =>
          target !== undefined &&
          readsVariable(target, one) &&
          shown.every(({ attributes, malformed }) => !attributes.has(one) && malformed === undefined) &&
          !body.text.includes(`${one}=`),
      );
      if (name === undefined || target === undefined || shown.length === 0) continue;
      // The only entry is complete in a reply without a tag.
      if (entries.length === 1 && !shown.every((mention) => isAskedFor(body, mention))) continue;
      yield {
        at: entry.at,
        state: file,
        message: `${name} of this entry has no effect: ${target.file} gets only what the tag of the reply has, and the text shows the tag without ${name}`,
        fix: `show the tag in the text with ${name}="…"`,
      };
    }
  }
}

/** The attributes of an entry that only an implicit transition gets. */
function attributesToFill({ tag, attributes }: Mention): readonly string[] {
  const { needs, mayName, body } = TAG_RULES[tag];
  if (body !== 'state') return [];
  return [...attributes.keys()].filter((name) => !needs.includes(name) && !mayName.includes(name) && name !== 'cd');
}

/** True for a state that reads the variable of an attribute, or the input. */
function readsVariable(state: StateNode, name: string): boolean {
  const text = searchableText(state);
  if (state.source.kind === 'prompt') return text.includes(`{{${name}}}`);
  const variable = name === 'input' ? 'RAYMOND_INPUT(?:_FILE)?' : name;
  return new RegExp(`\\$\\{?${variable}\\b|\\benv\\w*\\W{1,7}(?:get\\W{1,3})?${variable}\\b`).test(text);
}

const NAMED_STATE =
  /(?:^|[.,;:!?(—-]|\b(?:then|please|and|or|must|should|can|may|to))\s*(?:go|move|jump|proceed|continue|return|switch)\s+(?:(?:on|back|over|directly|straight)\s+)?(?:to|at|with|in)\s+(?:the\s+)?(?:(?:state|step)\s+[`"'“*]{0,3}([A-Z][A-Z0-9_]{2,})(?!\w|\.\w)|[`"'“*]{0,3}([A-Z][A-Z0-9_]{2,})[`"'”*]{0,3}\s+(?:state|step)\b)/gim;

function* unknownStatesInWords(analysis: Analysis): Generator<FindingDetails> {
  const { folder, files } = analysis.graph.source;
  const names = new Set([...files.keys()].map((file) => file.replace(/\.\w+$/, '').toLowerCase()));
  for (const state of promptsOf(analysis)) {
    const { body } = state.source.prompt;
    if (mayLeaveWorkflow(state)) continue;
    for (const match of withoutLongLines(body.text).matchAll(NAMED_STATE)) {
      const name = match[1] ?? match[2] ?? '';
      if (name !== name.toUpperCase() || PLACEHOLDER.test(name) || names.has(name.toLowerCase())) continue;
      const found = resolveState({ ...folder, name });
      if (found.kind === 'state' || body.text.includes(`>${name}<`)) continue;
      const near = found.problem.kind === 'unknown-state' ? found.problem.near : undefined;
      yield {
        at: body.at(match.index + match[0].lastIndexOf(name)),
        state: state.file,
        message: `the text names the state ${name}, which does not exist`,
        fix: near === undefined ? 'add the state, or name an existing one' : `did you mean ${near}?`,
      };
    }
  }
}

/** True for a prompt that may lead to another workflow, whose states it may name. */
function mayLeaveWorkflow({ mentions }: PromptState): boolean {
  return mentions.some(({ tag }) => TAG_RULES[tag].body === 'workflow');
}

/** Rules about texts that ask for what a policy can never give. */
export const POLICY_TEXT_RULES: readonly Rule[] = [
  {
    id: 'ignored-tag',
    severity: 'warning',
    summary:
      'A prompt asks for a tag or an attribute that Raymond ignores, because the frontmatter of the prompt has force_implicit: true.',
    why: 'force_implicit: true takes the only allowed transition, whatever the reply says. Another tag never counts, and an input or attribute in the tag never reaches the next state.',
    check: ignoredTags,
  },
  {
    id: 'several-texts-in-payload',
    severity: 'warning',
    summary:
      'In an entry of a policy for <result>, the key payload lists several texts, such as "yes or no", but must be one exact text.',
    why: 'The payload of an entry is compared with the whole text of <result>. A reply with one of the texts is rejected. Each text needs its own entry.',
    check: listedPayloads,
  },
  {
    id: 'unfilled-attribute',
    severity: 'warning',
    summary:
      'An entry of a policy sets an input or an attribute, but Raymond uses this value only for a reply without a tag. The text of the prompt asks for the tag without the value, so the next state does not get the value.',
    why: 'Only an implicit transition takes the input and the attributes of its entry: that of a reply without a tag, where the policy has exactly one entry. Otherwise the next state gets what the tag of the reply has.',
    check: unfilledAttributes,
  },
  {
    id: 'unknown-state-in-words',
    severity: 'warning',
    summary: 'The text of a prompt tells the model to go to a state that does not exist.',
    why: 'The model writes a tag with that name, and the turn fails, or costs a reminder.',
    check: unknownStatesInWords,
  },
];
