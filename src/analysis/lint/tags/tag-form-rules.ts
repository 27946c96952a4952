// Rules about the form of tags in prompts and scripts: elements that Raymond does not take for tags, and texts that say that no tag is needed.
import { implicitTag } from '../../../protocol/language/policy.js';
import { BODYLESS, TAG_NAMES } from '../../../protocol/language/tag-table.js';
import { codeIn, matches, otherFormatIn, promptsOf, scriptsOf, withoutLongLines } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

const WITH_BODY = TAG_NAMES.filter((name) => !BODYLESS.includes(name));

/** `<goto target="NEXT"/>` and `<GOTO>NEXT</GOTO>`, which are no tags. */
const NO_TAG = new RegExp(
  `<(${WITH_BODY.join('|')})\\b([^<>]*)/>|<(${[...WITH_BODY, ...BODYLESS].join('|')})\\b[^<>]*>[^<>]{0,200}</\\3>`,
  'gi',
);

const IS_WARNING = /\b(?:not|never|no|instead of|avoid|rather than|wrong|don't)\b[^.\n]{0,40}$/i;

function* elements(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, mentions } of promptsOf(analysis)) {
    const { body } = source.prompt;
    // Without any tag, dead-end-state says so.
    if (mentions.length === 0) continue;
    const isOtherFormat = otherFormatIn(body.text);
    for (const { match, at } of matches(body, NO_TAG)) {
      if (isOtherFormat(match.index)) continue;
      const name = match[1] ?? match[3] ?? '';
      const meant = name.toLowerCase();
      const isSelfClosed = match[1] !== undefined;
      if (!isSelfClosed && name === meant) continue;
      if (IS_WARNING.test(body.text.slice(Math.max(0, match.index - 80), match.index))) continue;
      const target = /\w+\s*=\s*["']([\w.-]+)["']/.exec(match[2] ?? '')?.[1] ?? 'NEXT';
      yield {
        at,
        state: file,
        message: isSelfClosed
          ? `Raymond ignores this <${name}>, because no </${meant}> closes it`
          : `<${name}> is no tag, because the names of tags are in lower case`,
        fix: isSelfClosed ? `write <${meant}>${target}</${meant}>` : `write ${meant}`,
      };
    }
  }
}

/** `<print level="info">`: a print takes no attributes. */
export function* attributesOfPrint(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const seen = new Set<number>();
    for (const text of source.script.printed)
      for (const { index, 1: name = '' } of text.text.matchAll(/<print\s+([A-Za-z]\w*)=[^<>]*>/g)) {
        const offset = text.offsetOf(index);
        if (seen.has(offset)) continue;
        seen.add(offset);
        yield {
          at: source.raw.at(offset),
          state: file,
          message: `<print> does not take ${name}: it takes no attributes`,
          fix: 'remove it',
        };
      }
  }
}

const TAG = String.raw`(?:(?:a|any|the|an\s+ending)\s+)?tags?\b(?!\s+(?:other|except|but|besides))`;
const NO_TAG_NEEDED = new RegExp(
  [
    String.raw`\b(?:if|when)\s+you\s+(?:write|give|use|add)\s+no\s+tag\b(?![^.\n]{0,80}\b(?:fail|mistake|error|lost|reminde|again|wrong|break|stop))`,
    String.raw`\b(?:need|have)\s+not\s+(?:to\s+)?(?:write|add|use|give|end\s+with)?\s*${TAG}`,
    String.raw`\bdo(?:n't|\s+not)\s+(?:need|have)\s+(?:to\s+(?:write|add|use|give|end\s+with)\s+)?${TAG}`,
    String.raw`\bneed(?:s)?\s+no\s+tags?\b`,
    String.raw`\bno\s+tag\s+is\s+(?:needed|necessary|required)\b`,
    String.raw`\breply\s+without\s+(?:a|any)\s+tag\b`,
    String.raw`\btags?\s+(?:is|are)\s+optional\b`,
  ].join('|'),
  'i',
);

/** A prompt that allows replies without a tag, though nothing says where they lead. */
function* tagsNeeded(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { body, policy } = source.prompt;
    if (policy === undefined || policy.result !== undefined || implicitTag(policy, {}) !== undefined) continue;
    const match = NO_TAG_NEEDED.exec(withoutLongLines(body.text));
    if (match === null || codeIn(body.text)(match.index)) continue;
    const count = policy.allowed.length;
    yield {
      at: body.at(match.index),
      state: file,
      message: `every reply to ${file} needs a tag, because allowed_transitions has ${count === 0 ? 'no entry' : count === 1 ? 'an entry that leaves something open' : `${count} entries`}`,
      fix: 'ask for a tag in every case, or allow exactly one complete transition',
    };
  }
}

/** Words by which a prompt refers to its own settings. */
const OF_FRONTMATTER =
  /\b(?:tags?|transitions?|policy|states?|rules|options|choices|list)\b[^.\n]{0,40}\b(?:in|from|of|at|by|under)\s+(?:the|this|your)\s+(?:front[ -]?matter|YAML\s+header)\b|\b(?:listed|named|given|defined|allowed)\s+(?:in|by|under)\s+[`"']?allowed_transitions\b/i;

/** A prompt that refers to its frontmatter, which the model does not see. */
function* unseenSettings(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, mentions } of promptsOf(analysis)) {
    const { body, keys } = source.prompt;
    const match = keys.length === 0 ? null : OF_FRONTMATTER.exec(withoutLongLines(body.text));
    if (match === null || mentions.some((mention) => mention.source === 'text')) continue;
    yield {
      at: body.at(match.index),
      state: file,
      message: 'the model does not see the frontmatter, so it does not know these tags',
      fix: 'write the tags into the text of the prompt',
    };
  }
}

/** Rules about the form of tags. */
export const TAG_FORM_RULES: readonly Rule[] = [
  {
    id: 'not-a-tag',
    severity: 'warning',
    summary:
      'A prompt shows a tag in a form that Raymond ignores, such as <goto target="NEXT"/> without a closing tag, or <GOTO> in capitals.',
    why: 'The name of a tag is in lower case, and each tag except <await> needs its closing tag. A model that follows the prompt writes a reply without a tag, which is a mistake.',
    check: elements,
  },
  {
    id: 'tag-needed',
    severity: 'warning',
    summary:
      'A prompt says that the reply needs no tag, but a reply without a tag is a mistake, because the prompt has no implicit transition.',
    why: 'Only if allowed_transitions has exactly one entry, and this entry leaves nothing open, Raymond takes this transition for a reply without a tag. An empty list counts as no list.',
    check: tagsNeeded,
  },
  {
    id: 'unseen-frontmatter',
    severity: 'warning',
    summary:
      'A prompt refers to tags in its frontmatter and shows no tag in its text, but the model does not see the frontmatter.',
    why: 'Raymond reads the frontmatter and sends only the text below it to the model. The model learns the allowed tags from a reminder after its first mistake, which costs a turn.',
    check: unseenSettings,
  },
];
