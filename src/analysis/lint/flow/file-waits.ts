// Finds scripts that wait until a file exists, by a loop or by a tag that leads back to the script, and the states that may create the file. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { stem } from '../../../protocol/ids.js';
import type { StateNode } from '../../graph.js';
import { plainText } from '../helpers.js';

/** A wait for a file. */
export interface FileWait {
  readonly file: string;
  /** The offset of the test. */
  readonly at: number;
}

const PATH = String.raw`([A-Za-z][\w-]*(?:[./][\w-]+)*)`;
const QUOTED = `["'\`]${PATH}["'\`]`;

/** A test whether a file exists, with its name or with a variable that has it. */
const TEST = new RegExp(
  [
    String.raw`\s-[efs]\s+["']?${PATH}["']?\s*(?:\]|$|;|\|\||&&)`,
    String.raw`\b(?:exists|isfile|existsSync)\(\s*(?:${QUOTED}|(\w+))\s*\)`,
    String.raw`\bPath\(\s*${QUOTED}\s*\)\.(?:exists|is_file)\(`,
    String.raw`(?<![\w.])(\w+)\.(?:exists|is_file)\(`,
  ].join('|'),
  'gm',
);

const SLEEPS = /\bsleep\b|\bsetTimeout\b|\bAtomics\.wait\b|\binotifywait\b/;

/** What ends a wait in another way: a comparison of numbers, or a word for a limit. */
const LIMITED =
  /\s-(?:ge|gt|le|lt)\s|\(\(|\s[<>]=?\s+[\w(]|\b(?:attempts?|tries|deadline|monotonic|seq|timeout|times|range)\b/i;

/** The wait of a script for one file; undefined if it may also end otherwise. */
export function fileWaitOf(state: StateNode): FileWait | undefined {
  if (state.source.kind !== 'script') return undefined;
  const code = plainText(state);
  const tests = [...code.matchAll(TEST)].flatMap((match) => {
    const [, , , variable, , other] = match;
    const name = match[1] ?? match[2] ?? match[4] ?? aliasedFile(code, variable ?? other ?? '');
    return name === undefined ? [] : [{ file: name, at: match.index, end: match.index + match[0].length }];
  });
  const [test] = tests;
  const plain = code.replace(/<[^<>\n]*>|=>/g, ' ');
  if (test === undefined || new Set(tests.map(({ file }) => file)).size > 1 || LIMITED.test(plain)) return undefined;
  const waits = tests.find((one) => isLoop(code, one) || leadsBack(state, { code, ...one }));
  return waits && { file: waits.file, at: waits.at };
}

/** The file whose path a variable has. */
function aliasedFile(code: string, variable: string): string | undefined {
  if (variable === '') return undefined;
  const assigned = new RegExp(
    `(?<![\\w.])${variable}(?:\\s*:\\s*\\w+)?\\s*=\\s*(?:[\\w.]*Path\\(\\s*)?${QUOTED}\\s*\\)?\\s*;?\\s*$`,
    'gm',
  );
  const [only, ...others] = [...code.matchAll(assigned)];
  return others.length > 0 ? undefined : only?.[1];
}

/** True for the condition of a loop that sleeps while the file does not exist. */
function isLoop(code: string, { at, end }: { readonly at: number; readonly end: number }): boolean {
  const before = code.slice(code.lastIndexOf('\n', at) + 1, end);
  const [, word] = /^\s*(while|until)\b/.exec(before) ?? [];
  if (word === undefined) return isBreak(code, { before, at, end });
  if (!SLEEPS.test(code.slice(end, end + 300))) return false;
  return isNegated(before) === (word === 'while');
}

/** True in a loop without a condition that ends when the file exists. */
function isBreak(
  code: string,
  { before, at, end }: { readonly before: string; readonly at: number; readonly end: number },
): boolean {
  const isEndless = /^[ \t]*(?:while\b[ \t]*\(?(?:True|true|1|:)|for[ \t]*\(;;\))/m.test(
    code.slice(Math.max(0, at - 200), at),
  );
  const after = code.slice(end, end + 300);
  return isEndless && /^[^]{0,60}\bbreak\b/.test(after) && SLEEPS.test(after) && !isNegated(before);
}

function isNegated(before: string): boolean {
  return /(?:!|\bnot\b)[^!]*$/.test(before);
}

/** True if the script leads to itself while the file does not exist. */
function leadsBack(
  { edges, file }: StateNode,
  { code, at, end }: { readonly code: string; readonly at: number; readonly end: number },
): boolean {
  const back = edges.filter(({ to, role }) => to.kind === 'state' && to.file === file && role === 'target');
  if (back.length === 0 || !back.every(({ mention }) => mention.attributes.has('delay') || SLEEPS.test(code)))
    return false;
  const name = new RegExp(`\\b${literalPattern(stem(file))}\\b`, 'g');
  name.lastIndex = end;
  const tag = name.exec(code);
  if (tag === null) return false;
  const between = code.slice(end, tag.index);
  const isOther = /\belse\b|\|\||\b(?:exit|return)\b/.test(between + code.slice(at, end).replace(/^[^|]*/, ''));
  return isNegated(code.slice(code.lastIndexOf('\n', at) + 1, end)) !== isOther;
}

const ONLY_TESTS = /\s-[efs]\s|\b(?:exists|isfile|is_file|existsSync)\(|\b(?:rm|rmSync|unlink|unlinkSync|remove)\b/;

const creations = new WeakMap<StateNode, Map<string, number | undefined>>();

/** Where a state may create a file; undefined if it does not. A prompt creates what it mentions. */
export function createsAt(state: StateNode, file: string): number | undefined {
  const known = creations.get(state) ?? new Map<string, number | undefined>();
  creations.set(state, known);
  if (!known.has(file)) known.set(file, creationIn(state, file));
  return known.get(file);
}

function creationIn(state: StateNode, file: string): number | undefined {
  const code = plainText(state);
  const name = literalPattern(file);
  if (state.source.kind === 'prompt') {
    const isWord = /^[a-z]+$/i.test(file);
    const at = code.search(
      new RegExp(isWord ? `["'\`]${name}["'\`]|\\bfile ${name}\\b` : `(?<![\\w/-])${name}(?![\\w/-])`),
    );
    return at < 0 ? undefined : at;
  }
  const folder = file.includes('/') ? literalPattern(file.slice(0, file.lastIndexOf('/') + 1)) : '(?!)';
  const alias = new RegExp(
    `^[ \\t]*(?:const |let |var )?(\\w+)(?:\\s*:\\s*\\w+)?\\s*=\\s*(?:[\\w.]*Path\\(\\s*)?["'\`]${name}["'\`]\\s*\\)?\\s*;?\\s*$`,
  );
  const aliases = code.split('\n').flatMap((line) => alias.exec(line)?.[1] ?? []);
  const named = [
    `(?<![\\w./-])${name}(?![\\w/-])`,
    `(?<![\\w-])${folder}["'\`]?(?:[$\\{%*]|["'\`]\\s*[+,/])`,
    ...aliases.map((one) => `(?<![\\w.])${one}(?!\\w)`),
  ];
  const pattern = new RegExp(named.join('|'));
  let offset = 0;
  for (const line of code.split('\n')) {
    const at = line.search(pattern);
    if (at >= 0 && !ONLY_TESTS.test(line) && !alias.test(line)) return offset + at;
    offset += line.length + 1;
  }
  return undefined;
}
