// The rule about texts in YAML that end at a " #": a value without quotation marks continues as a comment there. Pure.
import { isScalar, parseDocument, visit } from 'yaml';
import type { Position } from '../../position.js';
import { statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** A text that is YAML, and how to find its positions. */
interface YamlPart {
  readonly text: string;
  readonly at: (offset: number) => Position;
  readonly state?: string;
}

/** The whole package if it is one YAML file, otherwise the frontmatter of each prompt. */
function* yamlParts(analysis: Analysis): Generator<YamlPart> {
  const { source } = analysis.graph;
  if (source.scope.kind === 'yaml') {
    const text = source.textOf(source.path);
    if (text !== undefined) yield { text, at: (offset) => positionIn(text, { file: source.path, offset }) };
    return;
  }
  for (const { source: file, file: state } of statesOf(analysis)) {
    if (file.kind !== 'prompt') continue;
    const [whole, text] = /^---[ \t]*\r?\n([^]*?)^---[ \t]*$/m.exec(file.raw.text) ?? [];
    if (whole === undefined || text === undefined || !file.raw.text.startsWith(whole)) continue;
    const begin = whole.indexOf(text);
    yield { text, at: (offset) => file.raw.at(begin + offset), state };
  }
}

/** The position of an offset in a file. */
export function positionIn(
  text: string,
  { file, offset }: { readonly file: string; readonly offset: number },
): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { file, line, column: offset - before.lastIndexOf('\n') };
}

function* cutTexts(analysis: Analysis): Generator<FindingDetails> {
  for (const { text, at, state } of yamlParts(analysis)) {
    if (!/[ \t]#/.test(text)) continue;
    for (const { key, value, offset, comment } of commentedTexts(text)) {
      if (!isLostText({ key, value, comment })) continue;
      yield {
        at: at(offset),
        ...(state === undefined ? {} : { state }),
        message: `${key} ends here: in a YAML text without quotation marks, " #" begins a comment, so "${shortened(comment)}" is missing`,
        fix: `put the text in quotation marks, or below "${key}: |"`,
      };
    }
  }
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A value without quotation marks, and the comment behind it in the same line. */
interface CommentedText {
  readonly key: string;
  readonly value: string;
  readonly comment: string;
  readonly offset: number;
}

function commentedTexts(text: string): readonly CommentedText[] {
  const document = parseDocument(text, { schema: 'failsafe', logLevel: 'silent', uniqueKeys: false });
  const found: CommentedText[] = [];
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || value.type !== 'PLAIN') return;
      const end = value.range?.[1];
      if (end === undefined) return;
      const line = text.slice(end, text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end));
      const [, blanks, comment] = /^([ \t]+)(#.*)$/.exec(line.trimEnd()) ?? [];
      if (blanks === undefined || comment === undefined) return;
      const content = value.source ?? '';
      found.push({ key: String(key.value), value: content, comment, offset: end + blanks.length });
    },
  });
  return found;
}

const BODIES = /^(?:prompt|sh|py|js|ts|bat|ps1)$/;

/** Keys whose value is a word: what follows is surely a comment. */
const WORDS = /^(?:tag|target|return|next|timeout_next|model|effort|mode|context|retries|timeout|delay|task|type|id)$/;

/** True if the comment is a piece of the text before it: it has a number, a variable or a tag, or the text is not complete. */
function isLostText({ key, value, comment }: Omit<CommentedText, 'offset'>): boolean {
  if (WORDS.test(key) || value === '') return false;
  if (/^#(?:\{\{|\$|\{|\d+\b)/.test(comment)) return true;
  if (/<\/?(?:goto|result|call|function|fork|reset|ask|await)\b/.test(comment) && BODIES.test(key)) return true;
  if (key === 'prompt')
    return /^#[\w-]|\{\{\w+/.test(comment) || /\b(?:the|a|an|of|number|with|in|to|and|or|by)$/i.test(value);
  const [opened] = /<(goto|result|call|function|fork|reset|ask)\b(?![^]*<\/\1>)/.exec(value) ?? [];
  return BODIES.test(key) && opened !== undefined;
}

/** The rule about comments in YAML. */
export const YAML_COMMENT_RULES: readonly Rule[] = [
  {
    id: 'text-in-comment',
    severity: 'warning',
    summary:
      'A text in YAML is cut off at a " #", because the text has no quotation marks and the rest counts as a comment.',
    why: 'In YAML, a number sign after a blank begins a comment, except in quotation marks and in the lines below "|" or ">". The text ends before the blank: a prompt lacks its end, and a script its last commands.',
    check: cutTexts,
  },
];
