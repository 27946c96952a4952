// The rule about fields of JSON files: a prompt writes the file and lists its fields, but a script reads another field.
import { nearest } from '../../../protocol/text.js';
import { FILE } from '../../program/atoms.js';
import { relativeFiles } from '../files/relative-files.js';
import { taskFiles } from '../files/task-files.js';
import {
  mistakesOf,
  plainText,
  promptsOf,
  scriptsOf,
  type Mistake,
  type PromptState,
  type ScriptState,
} from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { jsonReads } from './json-reads.js';

function* fieldsNotAsked(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const prompts = promptsOf(analysis).map((prompt) => ({ prompt, text: plainText(prompt) }));
  // A file beside the states may describe the form, too.
  const texts = [...analysis.graph.source.files.values()].flatMap((one) =>
    one.kind !== 'script' && 'raw' in one ? [one.raw.text] : [],
  );
  const seen = new Set<string>();
  for (const { of, key, at } of jsonReads(state)) {
    const file = of.slice(FILE.length);
    if (!of.startsWith(FILE) || seen.has(of + key) || isOptional(code, at)) continue;
    seen.add(of + key);
    const word = new RegExp(`\\b${key}\\b`, 'i');
    if (texts.some((text) => word.test(text)) || isWritten(analysis, { file, key })) continue;
    const [writer] = prompts.flatMap(({ prompt, text }) => {
      const fields = fieldsListed(text, file);
      return fields.length > 1 ? [{ prompt, fields }] : [];
    });
    if (writer !== undefined) yield { at, ...mistakeOf(key, { file, ...writer }) };
  }
}

function mistakeOf(
  key: string,
  { file, prompt, fields }: { readonly file: string; readonly prompt: PromptState; readonly fields: readonly string[] },
): Omit<Mistake, 'at'> {
  const near = nearest(key, fields);
  return {
    message: `${prompt.file} lists the fields of ${file}, ${fields.join(', ')}, and no prompt names the field ${key}`,
    fix: near === undefined ? `read one of these fields, or ask for ${key} in ${prompt.file}` : `did you mean ${near}?`,
  };
}

/** True for a field that a program reads with a default. */
function isOptional(code: string, at: number): boolean {
  return (
    /(?:\.get\(|\?\.)["']?$/.test(code.slice(Math.max(0, at - 8), at)) ||
    /^["']?\w+["']?\]?\s*(?:\?\?|\|\||\/\/|\?)/.test(code.slice(at))
  );
}

/** True if a script may write the file, or a field of this name. */
function isWritten(analysis: Analysis, { file, key }: { readonly file: string; readonly key: string }): boolean {
  const written = new RegExp(
    `["']?\\b${key}\\\\?["']?\\s*:(?!=)|["']${key}["']\\]\\s*=(?!=)|\\.${key}\\s*=(?!=)|[(,]\\s*${key}=(?!=)`,
  );
  return scriptsOf(analysis).some((state) => {
    const uses = [...taskFiles(state), ...relativeFiles(state)];
    const writes = uses.some(
      ({ name, use }) => /^(?:write|append)$/.test(use) && (name.split('/').at(-1) ?? '') === file,
    );
    return writes || written.test(plainText(state));
  });
}

/** The fields that a text lists in the paragraph in which it asks for a JSON file. */
function fieldsListed(text: string, file: string): readonly string[] {
  const paragraphs = text.split(/\n[ \t]*\n/);
  const index = paragraphs.findIndex(
    (one) => one.includes(file) && /\b(?:writes?|saves?|puts?|creates?|fill)\b/i.test(one),
  );
  const paragraph = paragraphs[index] ?? '';
  if (HAS_MORE.test(paragraph)) return [];
  const example = [paragraph, paragraphs[index + 1] ?? ''].join('\n').matchAll(/"(\w+)"\s*:/g);
  const named = LISTS.test(paragraph) ? paragraph.matchAll(/[`"]([A-Za-z_]\w*)[`"]/g) : [];
  return [...new Set([...named, ...example].map(([, name = '']) => name))];
}

const LISTS = /\b(?:keys|fields|properties|attributes)\b|\b(?:objects?|entry|entries|items?)\b[^.]{0,80}\bwith\b/i;

/** What leaves the list of fields open. */
const HAS_MORE =
  /\b(?:same (?:form|format|keys|fields)|at least|(?:other|more) (?:keys|fields)|and so on|whatever|etc)\b|[,{]\s*(?:\.\.\.|…)/i;

/** The rule about fields of files. */
export const FILE_FIELD_RULES: readonly Rule[] = [
  {
    id: 'field-not-asked',
    severity: 'warning',
    summary:
      'A prompt writes a JSON file and lists its fields, but a script reads a field of this file that no prompt names.',
    why: 'The model writes the fields that the text lists, so a field with another name is missing, and the script fails or gets no value.',
    check: (analysis) => mistakesOf(analysis, (state) => fieldsNotAsked(analysis, state)),
  },
];
