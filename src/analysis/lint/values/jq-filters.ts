// Finds what the filters of jq in a bash script read of the value of the state: each field with its path. Pure.
import type { TracedText } from '../../position.js';
import { FILE } from '../../program/atoms.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, type ScriptState } from '../helpers.js';
import { readsOfFilter } from './jq-paths.js';

/** A field that a script reads: of which variable, at which path (`*` = an item of a list), and where it is named. */
export interface JsonRead {
  readonly of: string;
  readonly path: readonly string[];
  readonly key: string;
  readonly at: number;
}

/** The fields that all filters of a bash script read. */
export function filtersIn(source: ScriptState['source']): readonly JsonRead[] {
  const { shell } = source.script;
  if (shell === undefined || !/\bjq\b/.test(shell.text)) return [];
  const code = plainText({ source });
  return shell.commands.flatMap(({ name, args, stdin, at }) => {
    if (name !== 'jq') return [];
    const [filter, ...files] = wordsOf(args);
    if (filter === undefined || filter.text.includes(COMPUTED)) return [];
    const inputs = [...files, ...stdin].map((word) => variableAt(code, word) ?? fileIn(word.text));
    const piped = pipedInto(code, at);
    const of = [...inputs, piped].find((one) => one !== undefined);
    if (of === undefined) return [];
    return readsOfFilter(filter.text).map(({ path, key, at: index }) => ({
      of: of.replace(/^(RAYMOND_(?:INPUT|RESULT))_FILE$/, '$1'),
      path,
      key,
      at: filter.offsetOf(index),
    }));
  });
}

function fileIn(word: string): string | undefined {
  const [name] = /(?<![^/])[\w-][\w.-]*\.json$/.exec(word) ?? [];
  return name && FILE + name;
}

/** The filter and the files among the arguments; nothing if an option changes what the filter gets. */
function wordsOf(args: readonly TracedText[]): readonly TracedText[] {
  const words: TracedText[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) break;
    if (/^--(?:arg|argjson|slurpfile|rawfile)$/.test(word.text)) index += 2;
    else if (/^-\w*[nsRf]|^--(?:null-input|slurp|raw-input|from-file|stream|args|jsonargs)/.test(word.text)) return [];
    else if (!word.text.startsWith('-')) words.push(word);
  }
  return words;
}

const VARIABLE = /^["']?\$\{?([A-Za-z_]\w*)(?::?-[^}]*)?\}?["']?/;

/** The variable that a word is, by the name that Raymond gives it. */
function variableAt(code: string, word: TracedText): string | undefined {
  if (word.text !== COMPUTED && word.text !== `${COMPUTED}\n`) return undefined;
  const [, name] = VARIABLE.exec(code.slice(word.offsetOf(0), word.offsetOf(0) + 100)) ?? [];
  return name === undefined ? undefined : raymondName(code, name);
}

function raymondName(code: string, name: string): string | undefined {
  if (name.startsWith('RAYMOND_')) return name;
  const given = [...code.matchAll(new RegExp(`(?<![\\w$])${name}=(\\S*)`, 'g'))];
  const [, only] = given.length === 1 ? (VARIABLE.exec(given[0]?.[1] ?? '') ?? []) : [];
  return only?.startsWith('RAYMOND_') === true ? only : undefined;
}

/** `printf '%s' "$RAYMOND_INPUT" | jq …`. */
function pipedInto(code: string, at: number): string | undefined {
  const before = code.slice(Math.max(0, at - 160), at);
  const [, name] =
    /(?:\b(?:echo|printf)\b[^\n|;]*?|\bcat[ \t]+)["']?\$\{?([A-Za-z_]\w*)\}?["']?[ \t]*\|[ \t\\\n]*$/.exec(before) ??
    [];
  return name === undefined ? undefined : raymondName(code, name);
}
