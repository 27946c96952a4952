// Rules about the choices of a question: a comma within a choice, which makes two of it, and a text that the next state expects, but that
// differs from the choices.
import { allEdges, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import type { Position } from '../../position.js';
import { lineAround, mentionsOf, plainText, scriptsOf, type ScriptState, searchableText } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { textsCompared, type ComparedText } from './answer-texts.js';
import { commasInEntries } from '../tags/list-values.js';

/** The states that get the answer to a question. */
function readersOf({ graph }: Analysis, from: string): readonly StateNode[] {
  const next = allEdges(graph).flatMap((edge) =>
    edge.from === from && edge.tag === 'ask' && edge.role === 'next' && edge.to.kind === 'state' ? [edge.to.file] : [],
  );
  return [...new Set(next)].flatMap((file) => graph.states.get(file) ?? []);
}

/** Texts in quotes that contain a comma. */
const WITH_COMMA = /"([^"\n]{2,80}?,[^"\n]{1,80})"|'([^'\n]{2,80}?,[^'\n]{1,80})'|`([^`\n]{2,80}?,[^`\n]{1,80})`/g;

function quotedWithComma(state: StateNode): readonly string[] {
  return [...plainText(state).matchAll(WITH_COMMA)].map(([, double, single, code]) =>
    (double ?? single ?? code ?? '').trim(),
  );
}

function* commasInChoices(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis)) {
    if (mention.tag !== 'ask') continue;
    const choices = mention.attributes.get('choices');
    if (choices === undefined || isComputed(choices.value)) continue;
    const pieces = choices.value.split(',').map((piece) => piece.trim());
    const read = readersOf(analysis, state.file)
      .flatMap(quotedWithComma)
      .find((text) => areConsecutive(pieces, text) && text !== choices.value.trim());
    const whole = read ?? brokenChoice(choices.value);
    if (whole === undefined) continue;
    yield { ...finding(whole), at: choices.valueAt, state: state.file };
  }
  for (const { text, ...place } of commasInEntries(analysis)) yield { ...finding(text), ...place };
}

function finding(whole: string): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message: `commas separate the choices, so "${whole}" is ${whole.split(',').length} choices, not one`,
    fix: `write the choice without a comma, such as "${whole.replace(/(?<=\d),(?=\d)/g, '').replace(/,\s*/g, ' - ')}", also where the answer is compared`,
  };
}

/** True for a text that consists of several choices. */
function areConsecutive(pieces: readonly string[], text: string): boolean {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length < 2 || parts.length > pieces.length || parts.includes('')) return false;
  return pieces.some((_, index) => parts.every((part, offset) => pieces[index + offset] === part));
}

/** A choice that the commas have cut, as its pieces show: an open bracket, or a piece that only continues a sentence. */
function brokenChoice(value: string): string | undefined {
  const pieces = value.split(',');
  const index = pieces.findIndex((piece, at) => at > 0 && continues(piece, pieces, at));
  return index < 1 ? undefined : `${pieces[index - 1] ?? ''},${pieces[index] ?? ''}`.trim();
}

function continues(piece: string, pieces: readonly string[], at: number): boolean {
  const before = (pieces[at - 1] ?? '').trim();
  const plain = piece.trim();
  const count = (text: string, mark: string): number => text.split(mark).length - 1;
  if (count(before, '(') > count(before, ')') && count(plain, ')') > count(plain, '(')) return true;
  if (!/^ /.test(piece) || !/^[a-z]/.test(plain)) return false;
  if (/^(?:but|please|because|although|not|so|then|thanks)\b/.test(plain) && /^[A-Z]/.test(before)) return true;
  const others = pieces.filter((_, index) => index !== at && index !== at - 1).map((one) => one.trim());
  return (
    /^(?:Yes|No|Ok|OK|Sure|Later|Stop|Wait)$/.test(before) &&
    others.some((one) => /^(?:Yes|No|OK|Ok|Later|Stop|Wait)\b/.test(one))
  );
}

/** The choices of all questions that lead to a script; undefined if it may get another value. */
function choicesOf(analysis: Analysis, { file }: ScriptState): readonly string[] | undefined {
  const { graph, entriesFromOutside = [] } = analysis;
  const edges = allEdges(graph).filter(({ to, role }) => to.kind === 'state' && to.file === file && role !== 'timeout');
  const isEntry = graph.entry.kind === 'state' && graph.entry.file === file;
  if (edges.length === 0 || isEntry || entriesFromOutside.includes(file)) return undefined;
  const lists = edges.map(({ tag, role, mention, from }: Edge) => {
    if (tag !== 'ask' || role !== 'next') return undefined;
    const written = mention.attributes.get('choices')?.value ?? shownChoices(analysis, from);
    return written === undefined || !isComputed(written) ? written : assignedChoices(analysis, from);
  });
  if (lists.includes(undefined)) return undefined;
  return [...new Set(lists.flatMap((list) => (list ?? '').split(',').map((choice) => choice.trim())))].filter(Boolean);
}

/** The choices that the text of a prompt shows, where only its policy has the tag. */
function shownChoices({ graph }: Analysis, from: string): string | undefined {
  const asks = (graph.states.get(from)?.mentions ?? []).filter(({ tag, source }) => tag === 'ask' && source === 'text');
  const [ask, ...others] = asks;
  return others.length > 0 ? undefined : ask?.attributes.get('choices')?.value;
}

/** The choices that a script has in a variable of this name. */
function assignedChoices({ graph }: Analysis, from: string): string | undefined {
  const state = graph.states.get(from);
  const code = state?.source.kind === 'script' ? plainText(state) : '';
  const given = [...code.matchAll(/\bchoices\s*(?::\s*\w+\s*)?=\s*(?:"([^"\n<>]+)"|'([^'\n<>]+)')[ \t]*;?[ \t]*$/gim)];
  const [value] = given.map(([, double, single]) => double ?? single);
  return given.length === 1 && value !== undefined && !/[${]/.test(value) ? value : undefined;
}

function* otherTexts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const choices = choicesOf(analysis, state);
    if (choices === undefined || choices.length < 2 || attributesPassed(analysis, state.file).has('input')) continue;
    const code = searchableText(state);
    const { texts, folds } = textsCompared(code);
    const fold = (text: string): string => (folds ? text.toLowerCase() : text);
    const isChoice = (text: string): boolean => choices.some((choice) => fold(choice) === fold(text));
    const known = texts.filter(({ text }) => isChoice(text));
    const other = texts.find(
      ({ text, group }) =>
        !isChoice(text) && !areConsecutive(choices, text) && !known.some((one) => one.group === group),
    );
    const open = choices.filter(
      (choice) => !texts.some((one) => isHandled(fold(choice), { ...one, text: fold(one.text) })),
    );
    if (other === undefined || open.length === 0) continue;
    const near = open.find((choice) => isNear(choice, other.text) || meanSame(choice, other, code));
    // A person may write an answer of their own, and the last choice may be the rest.
    if (near === undefined && !isSurelyMeant({ known: known.length, choices, open: open.length, texts: texts.length }))
      continue;
    const at: Position = state.source.raw.at(other.at);
    yield {
      at,
      state: state.file,
      message: `"${other.text}" is none of the choices ${choices.map((choice) => `"${choice}"`).join(', ')}: no button gives this answer`,
      fix: `compare with ${near === undefined ? `one of the choices, such as "${open[0] ?? ''}"` : `"${near}"`}, or change choices`,
    };
  }
}

function isHandled(choice: string, { text, isPrefix }: { readonly text: string; readonly isPrefix?: true }): boolean {
  return isPrefix === true ? choice.startsWith(text) : choice === text;
}

/** True for a script that has one comparison for each choice, or for each but the last. */
function isSurelyMeant({
  known,
  choices,
  open,
  texts,
}: {
  readonly known: number;
  readonly choices: readonly string[];
  readonly open: number;
  readonly texts: number;
}): boolean {
  return choices.length > 2 && known > 0 && texts === known + 1 && open <= 2 && texts >= choices.length - 1;
}

/** Words with the same meaning as an answer. */
const ANSWERS = [
  /^(?:yes|ok|okay|accept|approve|agree|confirm|allow)(?:e?d)?$/i,
  /^(?:no|reject|decline|deny|denied|refuse)(?:e?d)?$/i,
];

/** Compares with more than plain texts. */
const HAS_PATTERNS = /\[[A-Za-z]{2,}\]|=~|\bre\.|\.(?:test|match)\(|\bgrep\b/;

/** True for two words with the same meaning, where a script compares with the one alone. */
function meanSame(choice: string, { text, at }: ComparedText, code: string): boolean {
  const line = lineAround(code, at);
  if (HAS_PATTERNS.test(code) || /\||\bor\b/.test(line)) return false;
  return ANSWERS.some((same) => same.test(choice) && same.test(text));
}

/** True for two texts that mean the same, written in another way. */
function isNear(one: string, other: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '');
  if (plain(one) === plain(other) && plain(one) !== '') return true;
  const words = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const [mine, theirs] = [words(one).map(stemOf), words(other).map(stemOf)];
  const shared = mine.filter((word) => theirs.includes(word)).length;
  if (shared > 0 && shared >= Math.min(mine.length, theirs.length)) return true;
  return mine.length > 1 && shared * 3 >= 2 * Math.max(mine.length, theirs.length);
}

/** A word without its ending: `approve`, `approved` and `approves` are the same. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:i?ed|ing|i?es|[edsy])$/, '');
  return stem.length < 3 ? word : stem.replace(/([^aeiou])\1$/, '$1');
}

/** Rules about choices. */
export const CHOICE_RULES: readonly Rule[] = [
  {
    id: 'comma-in-choice',
    severity: 'warning',
    summary: 'A choice of an <ask> contains a comma, but commas separate the choices, so this choice becomes two.',
    why: 'The web UI shows one button for each text between two commas. A state that compares the answer with the whole text never finds it.',
    check: commasInChoices,
  },
  {
    id: 'text-of-no-choice',
    severity: 'warning',
    summary:
      'A script compares the answer to an <ask> with a text that is not a choice, and compares one of the choices with nothing.',
    why: 'The answer is the text of the button as choices has it, with its case and spaces. A text that differs from all choices is only found if a person types it, so the branch does not run for the button that it is meant for.',
    check: otherTexts,
  },
];
