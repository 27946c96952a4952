// Rules about values that are only a word: the answer yes, or the fixed result done, in the place of a text or of the name of a file; and
// defaults of values that are always set.
import { allEdges } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { plainText, promptsOf, scriptsOf, type PromptState, type ScriptState } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { textsCompared } from '../texts/answer-texts.js';
import { valuesOf, valuesOfVariable } from '../texts/known-values.js';

/** The words that a state gets as its value; undefined if it may get anything else that could be a text or a path. */
function wordsOf(analysis: Analysis, file: string): readonly string[] | undefined {
  const values = valuesOf(analysis, file);
  const texts = [...(values?.texts ?? [])];
  return texts.length > 0 && texts.every((text) => /^[A-Za-z][\w-]*(?: [\w-]+){0,2}$/.test(text)) ? texts : undefined;
}

/** True for a state that gets the answer to a question which shows a text, or the one fixed result of a call. */
function mayBeMistaken({ graph }: Analysis, file: string, words: readonly string[]): boolean {
  const edges = allEdges(graph).filter(({ to, role }) => to.kind === 'state' && to.file === file && role !== 'timeout');
  const isShown = ({ tag, mention }: (typeof edges)[number]): boolean =>
    tag === 'ask' && (mention.source !== 'script' || isComputed(mention.body?.value ?? ''));
  if (edges.every(isShown)) return true;
  return words.length === 1 && edges.every(({ role }) => role === 'return');
}

const VALUE = String.raw`(?:"?\$\{?RAYMOND_(?:INPUT|RESULT)\}?"?|os\.environ\[["']RAYMOND_(?:INPUT|RESULT)["']\]|process\.env\.RAYMOND_(?:INPUT|RESULT)!?)`;

/** How a script opens the file that its value names. */
const OPENED = new RegExp(
  String.raw`(?:(?:^|[;&|(]|\bthen)[ \t]*(?:cat|cp|mv|head|tail|wc|jq|sort|source)(?:[ \t]+-[\w-]+)*[ \t]+|(?<!<)<(?!<)[ \t]*|(?<![\w.])open\(\s*|\bPath\(\s*|\breadFile(?:Sync)?\(\s*)${VALUE}(?![\w/.-])`,
  'm',
);

/** How a script writes its value, and nothing else, into a file. */
const WRITTEN = new RegExp(
  String.raw`^[ \t]*(?:echo|printf[ \t]+(?:'%s(?:\\n)?'|"%s(?:\\n)?"))[ \t]+${VALUE}[ \t]*>>?[ \t]*(\S+)|\.write(?:_text)?\([ \t]*${VALUE}(?:[ \t]*\+[ \t]*["']\\n["'])?[,)]|\b(?:write|append)File(?:Sync)?\([ \t]*([^,\n]+),[ \t]*${VALUE}`,
  'm',
);

/** Files that hold answers. */
const FOR_ANSWERS =
  /log|decision|answer|vote|choice|verdict|status|history|approv|ledger|audit|csv|tsv|record|state|result|reply|outcome|mode|\$/i;

function* wordsAsTexts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of [...scriptsOf(analysis), ...promptsOf(analysis)]) {
    const words = wordsOf(analysis, state.file);
    const use = words === undefined ? undefined : useIn(analysis, { state, words });
    if (words === undefined || use === undefined) continue;
    const text = state.source.kind === 'prompt' ? state.source.prompt.body : state.source.raw;
    yield {
      at: text.at(use.at),
      state: state.file,
      message: `the value of ${state.file} is only ${words.map((word) => `"${word}"`).join(' or ')}, ${use.why}`,
      fix: 'keep the text in a file of the task folder before the question or the call, and read that file here',
    };
  }
}

function useIn(
  analysis: Analysis,
  { state, words }: { readonly state: ScriptState | PromptState; readonly words: readonly string[] },
): { readonly at: number; readonly why: string } | undefined {
  const text = plainText(state);
  if (state.source.kind === 'script') {
    const opened = OPENED.exec(text);
    if (opened !== null && !words.some((word) => text.includes(`>${word}`)))
      return { at: opened.index + opened[0].search(/\S/), why: 'and no file has this name' };
    const written = WRITTEN.exec(text);
    if (written === null || FOR_ANSWERS.test(written[1] ?? written[2] ?? '')) return undefined;
    // Behind a branch for each choice, or in the branch for all other answers, the answer is a text that a person has written.
    const before = textsCompared(text).texts.filter(({ at }) => at < written.index);
    const isOther = words.every((word) => before.some((one) => one.text === word));
    const last = before.at(-1)?.at ?? written.index;
    const branch = text.slice(text.lastIndexOf('\n', last) + 1, written.index);
    if ((isOther || IN_DEFAULT.test(branch)) && valuesOf(analysis, state.file)?.isOpen === true) return undefined;
    if (!mayBeMistaken(analysis, state.file, words) || /open\([^\n]*(?:log|decision|answer|vote|verdict)/.test(text))
      return undefined;
    return {
      at: written.index + written[0].search(/\S/),
      why: 'so the file gets nothing but this word',
    };
  }
  const shown = TEXT_SHOWN.exec(text);
  if (shown === null || !mayBeMistaken(analysis, state.file, words)) return undefined;
  return { at: shown.index + shown[0].lastIndexOf('{{'), why: 'not the text that this prompt speaks of' };
}

/** From the last comparison into the branch for all other values. */
const IN_DEFAULT =
  /^(?![^\n]*(?:!=|\bnot\b))[^]*\n[ \t]*(?:\*\)|default:|case _:|\}?[ \t]*else\b(?!:))(?![^]*(?:\besac\b|\bfi\b|\n\}(?! else)))/;

/** A prompt that speaks of its value as a text. */
const TEXT_SHOWN =
  /\b(?:this|the(?: following)?|following)\s+(?:\w+\s+)?(?:post|draft|letter|e-?mail|message|article|summary|plan|report|tweet|essay|poem|story|text|outline|proposal)\b(?![^.\n]{0,60}\b(?:answer|decision|said|replied|approved|verdict|choice)\b)[^.\n{]{0,40}:\s*(?:["'>\s]{0,4})\{\{(?:input|result)\}\}/i;

/** A default that never counts: the variable is always set, though empty. */
function* uselessDefaults(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { file, source } = state;
    const text = plainText(state);
    for (const name of ['RAYMOND_INPUT', ...attributesPassed(analysis, file)]) {
      const read = new RegExp(
        String.raw`\$\{${name}-[^}\s]+\}|(?:environ\.get|getenv)\(\s*["']${name}["']\s*,\s*(?!["']["']|None)[^()\n]+\)|\bprocess\.env\.${name}\s*\?\?\s*(?!["']["'])["'\w]`,
      ).exec(text);
      if (read === null) continue;
      const values = valuesOfVariable(analysis, { file, name });
      if (values === undefined || values.isOpen || [...values.texts].some((one) => one !== '')) continue;
      yield {
        at: source.raw.at(read.index),
        state: file,
        message: `this default never counts: an empty text is passed for ${name}, and an empty text counts as set`,
        fix: source.script.shell === undefined ? 'test for an empty text, too' : `write \${${name}:-…}`,
      };
    }
  }
}

/** Rules about values that are only a word. */
export const ANSWER_RULES: readonly Rule[] = [
  {
    id: 'answer-as-text',
    severity: 'warning',
    summary:
      'A state uses its value as a text or as the name of a file, but the value is only an answer such as "yes", or a fixed result such as "done".',
    why: 'After an <ask>, the value is the answer, and after a call it is the result. The value that a state had before the question or the call does not come back. Keep the text in a file of the task folder.',
    check: wordsAsTexts,
  },
  {
    id: 'default-of-empty-value',
    severity: 'warning',
    summary:
      'A script uses a default if a variable is not set, but the tag that leads to the script passes an empty text, which counts as set.',
    why: 'An empty input or attribute sets its variable to an empty text. ${NAME-default}, environ.get with a default and ?? only replace a variable that is not set.',
    check: uselessDefaults,
  },
];
