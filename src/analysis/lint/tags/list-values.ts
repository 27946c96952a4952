// Finds commas within the entries of lists that a script joins with commas: in the choices of a question, and in the types of a file that a
// person uploads.
import { isComputed, hasComputedAttributes } from '../../mention.js';
import type { PositionedText } from '../../position.js';
import { plainText, scriptsOf, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { definitionsBehind, valueExpressions, type Definition } from '../scripts/definitions.js';

/** The expressions of an attribute of `<ask>`, and the definitions behind each. */
function* slicesOf(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): Generator<readonly Definition[]> {
  const isMade = state.mentions.some(
    (mention) =>
      mention.tag === 'ask' &&
      (isComputed(mention.attributes.get(name)?.value ?? '') || hasComputedAttributes(mention)),
  );
  if (!isMade) return;
  const { raw } = state.source;
  for (const { at, text } of valueExpressions(plainText(state), name))
    yield [
      { name, text, at: at + plainText(state).slice(at).indexOf(text), raw },
      ...definitionsBehind(analysis, { state, text }),
    ];
}

/** More code is not searched for the uses of a key. */
const MOST_CHARACTERS = 20_000;

const JOINS =
  /\bjoin\(\s*["'`], ?["'`]\s*\)|["'], ?["']\.join\(|\bIFS=,|\bpaste\s+-sd\s*["']?,|\+=\s*\\?["'`](?:,|[^"'`\n]{0,80},["'`])|\bprintf\s+["']%s,|\bjoin\(","\)|\$\{\[\.\.\./;

/** What takes commas out of a text. */
const REPLACES = /\breplace(?:All)?\(\s*(?:["'`],|\/,)|\btr\s+(?:-d\s+)?["']?,|\/\/,|\bsed\b[^\n]*s[/|],/;

/** A text in quotes. */
const LITERAL = /"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g;

/** A text of the length of a choice, within which a comma stands between words, before a variable or between digits. */
const WITH_COMMA = /^(?=[^\n<>]{3,160}$)[^\n<>]*(?:[\w)}.!?%], [\w({$]|\d,\d)/;

/** Where an entry of a list of choices has a comma. */
export function* commasInEntries(
  analysis: Analysis,
): Generator<{ readonly text: string; readonly at: FindingDetails['at']; readonly state: string }> {
  for (const state of scriptsOf(analysis))
    for (const slice of slicesOf(analysis, { state, name: 'choices' })) {
      const whole = slice
        .map(({ text }) => text)
        .join('\n')
        .slice(0, MOST_CHARACTERS);
      if (!JOINS.test(whole) || REPLACES.test(whole)) continue;
      const found = slice.flatMap((one) => entryWithComma(one, whole) ?? groupedNumber(one, whole) ?? [])[0];
      if (found === undefined) continue;
      yield { text: found.text, at: found.raw.at(found.at), state: state.file };
      break;
    }
}

function entryWithComma(
  { text, at, raw }: Definition,
  whole: string,
): { readonly text: string; readonly at: number; readonly raw: PositionedText } | undefined {
  for (const { index, 0: literal, 1: double, 2: single, 3: tick } of text.matchAll(LITERAL)) {
    const entry = double ?? single ?? tick ?? '';
    const [before, after] = [text.slice(0, index), text.slice(index + literal.length)];
    if (!WITH_COMMA.test(entry)) continue;
    if (/\b(?:select|insert|update|from|where)\b/i.test(entry) || !isEntry({ before, after, whole })) continue;
    return { text: entry, at: at + index, raw };
  }
  const added = /=>|\breturn\b|\blambda\b/.test(text) ? /\+\s*["'`], ["'`]\s*\+/.exec(text) : null;
  return added === null ? undefined : { text: '…, …', at: at + added.index, raw };
}

/** Writes 1500 as 1,500. */
const GROUPS =
  /:,(?:\.\d+f|d)?\}|\.toLocaleString\(\s*(?:["'`]en\b|\))|\bNumberFormat\(\s*(?:["'`]en\b|\))|\bformat\([^()\n]{1,40},\s*["'],["']\)/;

/** A number that a script writes with a comma between its digits. */
function groupedNumber(
  { text, at, raw }: Definition,
  whole: string,
): { readonly text: string; readonly at: number; readonly raw: PositionedText } | undefined {
  const format = GROUPS.exec(text);
  const [number] = /(?<![\w.])[1-9](?:\d{3,8}|\d{0,2}_\d{3})(?![\w.:])/.exec(whole) ?? [];
  if (format === null || number === undefined || /\bDate\b/.test(whole)) return undefined;
  return { text: number.replace(/_/g, '').replace(/\B(?=(?:\d{3})+$)/g, ','), at: at + format.index, raw };
}

/** Calls whose argument is an entry, or makes one of each entry. */
const GIVES_ENTRY =
  /(?:push|append|add|unshift|insert|map|join|list|tuple|set|sorted|from|freeze|dict|Template|Map|Set|flatMap)$/;

/** True for a text that stands in a list, is a value of its own, or is returned. */
function isEntry({
  before,
  after,
  whole,
}: {
  readonly before: string;
  readonly after: string;
  readonly whole: string;
}): boolean {
  if (/^\s*(?:\.split\b|%\s*len)/.test(after)) return false;
  if (/(?:=>|\breturn|\byield|[^=!<>]=)\s*[fr]?$/.test(before)) return true;
  const open = openBracket(before);
  if (open === undefined) return /=\s*$/.test(before);
  const called = before.slice(0, open).trimEnd();
  if (before[open] === '(' && /[\w$\])]$/.test(called) && !GIVES_ENTRY.test(called)) return false;
  const [, key] = /["']?([\w$]+)["']?\s*:\s*[fr]?$/.exec(before) ?? [];
  if (key === undefined) return true;
  const uses = whole.match(new RegExp(`(?<![\\w$])${key.replace(/\$/g, '\\$')}(?![\\w$])(?!["']?\\s*:)`, 'g')) ?? [];
  return uses.length > 0 || /\.(?:items|values|entries)\(|\bObject\.(?:values|entries)\(/.test(whole);
}

/** Where the bracket opens in which a text ends. */
function openBracket(text: string): number | undefined {
  let depth = 0;
  for (let index = text.length - 1; index >= 0; index--) {
    const sign = text[index] ?? '';
    if (/[)\]}]/.test(sign)) depth++;
    else if (/[([{]/.test(sign) && --depth < 0) return index;
  }
  return undefined;
}

const TYPE = String.raw`[a-z]+\/[\w.+*-]+`;

/** A slot with two types, between which a comma stands. */
const SLOT_WITH_TYPES = new RegExp(String.raw`[\w-]+:${TYPE}\s*,\s*(${TYPE})(?![\w:])`);

/** A text with two types, or a list of them that is joined with commas. */
const TYPES_WITH_COMMA = new RegExp(
  String.raw`^[^:]*=\s*(?:f?["'\`])?${TYPE}\s*,\s*${TYPE}["'\`]|(?:\bjoin\(\s*["'\`],|["'],["']\.join\()[^]*${TYPE}["'\`]\s*,\s*["'\`]${TYPE}|${TYPE}["'\`]\s*,\s*["'\`]${TYPE}[^]*\bjoin\(\s*["'\`],`,
);

/** Types of one file that commas separate, where a comma separates two files. */
export function* slotsWithComma(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis))
    for (const slice of slicesOf(analysis, { state, name: 'upload_slots' })) {
      const found = typesWithComma(slice);
      if (found === undefined) continue;
      yield {
        at: found.raw.at(found.at),
        state: state.file,
        severity: 'warning',
        message: `a comma separates two slots, so the type behind it is read as a slot of its own, without a name`,
        fix: 'separate the types of one file with |, as in photo:image/png|image/jpeg',
      };
      break;
    }
}

function typesWithComma(slice: readonly Definition[]): Pick<Definition, 'at' | 'raw'> | undefined {
  for (const { text, at, raw } of slice) {
    const slot = SLOT_WITH_TYPES.exec(text);
    if (slot !== null) return { at: at + slot.index, raw };
    const joined = /:\$?\{(?:[\w.]+\.join\(\s*["'`],\s*["'`]\)|["'],\s*["']\.join\([^{}]*\))\}/.exec(text);
    const lists = new RegExp(`${TYPE}["'\`]\\s*,\\s*["'\`]${TYPE}`);
    if (joined !== null && slice.some((one) => lists.test(one.text))) return { at: at + joined.index, raw };
    const named = [...text.matchAll(/[\w}-]:(?:\$?\{(\w+)\}|\$(\w+)|["'`]\s*\+\s*(\w+))/g)].find((match) => {
      const name = match.slice(1).find(Boolean);
      return slice.some((one) => one.name === name && TYPES_WITH_COMMA.test(one.text));
    });
    if (named !== undefined) return { at: at + named.index, raw };
  }
  return undefined;
}
