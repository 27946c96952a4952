// Rules about prompts beside their policies: what a model is told, and what it may then do.
import { comparedKeys, implicitTag, stateKeys } from '../../protocol/language/policy.js';
import { resolveState } from '../../protocol/language/resolve.js';
import { stem } from '../../protocol/ids.js';
import { isComputed, type Mention } from '../mention.js';
import { promptsOf, type PromptState } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

function said({ mentions }: PromptState): readonly Mention[] {
  return mentions.filter(({ source }) => source === 'text');
}

function* unsatisfiable(analysis: Analysis): Generator<Found> {
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
            message: 'no reply can fit: variables are not filled in what a policy compares',
            fix: 'name the states one by one, or leave the key out',
          };
        else if (value.includes(`</${tag}>`))
          yield {
            at,
            state: file,
            message: `no reply can fit: the text of <${tag}> ends at the first </${tag}>`,
            fix: 'take the tag out',
          };
      }
    }
  }
}

function* contradictions(analysis: Analysis): Generator<Found> {
  for (const state of promptsOf(analysis)) {
    const { entries } = state.source.prompt;
    if (entries.length === 0) continue;
    for (const mention of said(state)) {
      if (isOpen(mention) || entries.some((entry) => allows(entry, { mention, analysis }))) continue;
      yield {
        at: mention.at,
        state: state.file,
        message: `the text asks for ${outline(mention)}, which the policy does not allow`,
        fix: 'allow it, or take it out of the text',
      };
    }
  }
}

/** A tag whose target only the run knows, or that is about another attribute than those that count. */
function isOpen({ body, attributes }: Mention): boolean {
  return isComputed(body?.value ?? '') || [...attributes.values()].some(({ value }) => isComputed(value));
}

function allows(
  entry: Mention,
  { mention, analysis }: { readonly mention: Mention; readonly analysis: Analysis },
): boolean {
  if (entry.tag !== mention.tag) return false;
  const names = stateKeys(entry.tag);
  return comparedKeys(entry.tag).every((key) => {
    const wanted = valueOf(entry, key);
    const given = valueOf(mention, key);
    // A variable in a policy is another finding.
    if (wanted === undefined || isComputed(wanted)) return true;
    if (given === undefined) return false;
    return names.includes(key) ? fileOf(wanted, analysis) === fileOf(given, analysis) : wanted === given;
  });
}

function valueOf({ body, attributes }: Mention, key: string): string | undefined {
  return key === 'target' || key === 'payload' ? body?.value : attributes.get(key)?.value.trim();
}

function fileOf(name: string, { graph }: Analysis): string {
  const found = resolveState({ ...graph.source.folder, name });
  return found.kind === 'state' ? found.file : name;
}

function outline({ tag, body }: Mention): string {
  return tag === 'await'
    ? '<await/>'
    : `<${tag}>${tag === 'result' || tag === 'ask' ? '…' : (body?.value ?? '')}</${tag}>`;
}

function* silent(analysis: Analysis): Generator<Found> {
  for (const state of promptsOf(analysis)) {
    const { entries, policy, body } = state.source.prompt;
    const implied = policy !== undefined && implicitTag(policy, {}) !== undefined;
    if (entries.length === 0 || implied || said(state).length > 0) continue;
    const names = entries.flatMap((entry) => [
      `<${entry.tag}`,
      ...(entry.body === undefined ? [] : [stem(entry.body.value)]),
    ]);
    if (names.some((name) => body.text.includes(name))) continue;
    yield {
      at: body.at(0),
      state: state.file,
      message: 'the text names none of the tags that the policy allows',
      fix: `end it with what to reply, such as ${outline(entries[0] as Mention)}`,
    };
  }
}

function* unused(analysis: Analysis): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    const { entries, body } = source.prompt;
    if (entries.length < 2 || body.text.trim() === '') continue;
    for (const entry of entries) {
      const name = entry.tag === 'result' || entry.tag === 'ask' ? undefined : entry.body?.value;
      if (name === undefined || isComputed(name) || body.text.includes(stem(name))) continue;
      yield {
        at: entry.body?.at ?? entry.at,
        state: file,
        message: `the policy allows ${outline(entry)}, but the text never speaks of ${name}`,
        fix: 'say when to choose it, or remove the entry',
      };
    }
  }
}

function* implicit(analysis: Analysis): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    const { policy, entries } = source.prompt;
    const [entry] = entries;
    if (policy === undefined || entry === undefined || policy.forceImplicit || implicitTag(policy, {}) === undefined)
      continue;
    yield {
      at: entry.at,
      state: file,
      message: `a reply without a tag counts as ${outline(entry)}, the only transition that is allowed`,
    };
  }
}

function* fenced(analysis: Analysis): Generator<Found> {
  for (const state of promptsOf(analysis))
    for (const mention of said(state))
      if (mention.fenced)
        yield {
          at: mention.at,
          state: state.file,
          message: 'a tag in a code fence counts like any other when a reply repeats it',
        };
}

/** What a model is told. */
export const PROMPT_RULES: readonly Rule[] = [
  {
    id: 'policy-unsatisfiable',
    severity: 'error',
    says: 'No reply can fit an entry of a policy.',
    why: 'What an entry names is compared with what a reply names, as it is written. A variable in it is not filled, and a text that holds the closing tag cannot be written in it.',
    check: unsatisfiable,
  },
  {
    id: 'policy-contradicts-text',
    severity: 'warning',
    says: 'A prompt asks for a tag that its policy does not allow.',
    why: 'A model that does as it is told is reminded, up to three times, and each reminder is a turn that costs.',
    check: contradictions,
  },
  {
    id: 'prompt-names-no-tag',
    severity: 'warning',
    says: 'A prompt does not say with which tags it may end.',
    why: 'The policy is not shown to the model before it has made a mistake. The first turn is then spent on a reminder.',
    check: silent,
  },
  {
    id: 'unused-allowed-transition',
    severity: 'warning',
    says: 'A policy allows a transition of which the prompt does not speak.',
    why: 'Nothing makes a model choose it.',
    check: unused,
  },
  {
    id: 'implicit-transition',
    severity: 'info',
    says: 'A reply without a tag counts, because only one transition is allowed.',
    why: 'With exactly one entry that says all that its tag needs, a reply that forgets its tag is no mistake. force_implicit: true takes it whatever the reply says.',
    check: implicit,
  },
  {
    id: 'tag-in-fence',
    severity: 'info',
    says: 'A prompt shows a tag in a code fence.',
    why: 'Replies are read for tags everywhere, code fences included. A model that quotes the example writes a tag.',
    check: fenced,
  },
];
