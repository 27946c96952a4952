// Finds counters of loops that a script reads from a file, compares with a limit and writes back as they are, so that the limit is never reached.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { loopsIn } from '../../loops.js';
import type { StateNode } from '../../graph.js';
import { type Mistake, plainText, type ScriptState, wholeName } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { numberOf } from './number-comparisons.js';
import { definitionsIn } from '../scripts/program-code.js';

/** A number that a script has read from a file. */
interface Counter {
  readonly name: string;
  /** The expressions that are the number. */
  readonly pattern: string;
  /** The variable with the whole content of the file, if the number is a field of it. */
  readonly whole?: string;
  /** What the script names as the file. */
  readonly file: string;
}

/** Reports, for each loop, the first counter that its script writes back unchanged. */
export function* countersKept(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsIn(analysis.graph, analysis.reached))
    for (const state of loop) {
      const { source } = state;
      if (source.kind !== 'script' || analysis.syntax.has(state.file)) continue;
      const found = keptIn({ ...state, source }, loop);
      if (found === undefined) continue;
      const { at, ...finding } = found;
      yield { at: source.raw.at(at), state: state.file, ...finding };
      break;
    }
}

function keptIn(state: ScriptState, loop: readonly StateNode[]): Mistake | undefined {
  const code = plainText(state);
  const isShell = executorOf(state.file) === 'bash';
  const counters = isShell ? countersOfShell(code) : countersOfProgram(code);
  for (const counter of counters.slice(0, MOST_COUNTERS)) {
    const file = fileNamed(counter.file, code);
    if (file === undefined || isWrittenByOthers(file, { state, loop })) continue;
    if (!isShell && isPassedOn(counter, code)) continue;
    const at = isShell ? keptInShell(counter, code) : keptInProgram(counter, code);
    if (at === undefined) continue;
    return {
      at,
      message: `${counter.name} is written back to ${file} as it was read, so it is the same in every round of the loop and its limit is never reached`,
      fix: `write ${counter.name} with one added`,
    };
  }
  return undefined;
}

/** Each is followed through the whole script. */
const MOST_COUNTERS = 30;

/** The last part of the path that an expression or a variable is. */
function fileNamed(expression: string, code: string): string | undefined {
  const plain = expression.replace(/["'$`{}]/g, '').trim();
  const direct = lastPart(expression);
  if (direct !== undefined) return direct;
  if (!/^\w+$/.test(plain)) return undefined;
  const given = new RegExp(String.raw`(?<![\w.$])${plain}[ \t]*=(?!=)[ \t]*([^\n]*)`).exec(code)?.[1];
  return given === undefined ? undefined : lastPart(given);
}

function lastPart(text: string): string | undefined {
  const parts = [...text.matchAll(/(?:\/|["'`])([\w-]+(?:\.\w+)*)(?=["'`\s;)]|$)/g)].map(([, part = '']) => part);
  return parts.filter((part) => !/^(?:utf-?8|r|w|RAYMOND_\w+)$/.test(part)).at(-1);
}

/** Another state of the loop may raise the number. */
function isWrittenByOthers(
  file: string,
  { state, loop }: { readonly state: StateNode; readonly loop: readonly StateNode[] },
): boolean {
  const named = wholeName(file);
  return loop.some((other) => other.file !== state.file && named.test(plainText(other)));
}

const FILE = String.raw`("[^"\n]+"|[^\s()|;]+)`;

function countersOfShell(code: string): readonly Counter[] {
  const read = [
    String.raw`^[ \t]*(?:local[ \t]+)?(\w+)=["']?\$\((?:cat[ \t]+(?:--[ \t]+)?|<[ \t]*)${FILE}[^()\n]*\)["']?`,
    String.raw`\bread[ \t]+(?:-r[ \t]+)?(\w+)[ \t]*<[ \t]*${FILE}`,
  ].flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'gm'))].map(([, name = '', file = '']) => ({ name, file })),
  );
  const sourced = [...code.matchAll(/(?:^|&&|;|\bthen)[ \t]*(?:\.|source)[ \t]+("[^"\n]+"|[^\s;]+)/gm)].flatMap(
    ({ index, 1: file = '' }) =>
      [...code.slice(0, index).matchAll(/^[ \t]*(\w+)=0[ \t]*$/gm)].map(([, name = '']) => ({ name, file })),
  );
  return [...read, ...sourced].map(({ name, file }) => ({ name, file, pattern: String.raw`\$?\{?${name}\}?` }));
}

function keptInShell({ name, pattern, file }: Counter, code: string): number | undefined {
  const limit = new RegExp(
    String.raw`\$\{?${name}\}?["']?[ \t]+-(?:ge|gt|le|lt|eq)[ \t]+["']?\$?\{?(\w+)|\(\([ \t]*\$?${name}[ \t]*(?:>=?|<=?|==)[ \t]*\$?(\w+)`,
  ).exec(code);
  if (limit === null || numberOf(code, limit[1] ?? limit[2] ?? '') === undefined) return undefined;
  const written = new RegExp(
    String.raw`^[^\n]*\b(?:echo|printf)\b[^\n]*\$(?:\{?${name}\}?(?!\w)|\(\(\s*${name}(?:\+\+|--)\s*\)\))[^\n<>]*>[ \t]*${literalPattern(file)}`,
    'm',
  ).exec(code);
  if (written === null) return undefined;
  const rest = code.slice(0, written.index) + code.slice(written.index + written[0].length);
  const changed = new RegExp(
    String.raw`\(\([^\n()]*(?<![\w$])\$?${pattern}[ \t]*(?:[-+*/%]|=(?!=))|\(\([ \t]*(?:\+\+|--)${name}|\blet[ \t][^\n]*\b${name}|\bexpr\b[^\n]*\$\{?${name}|\bbc\b|\bawk\b|\bsed[ \t]+-i`,
  );
  if (changed.test(rest) || /[-+]\s*\d/.test(written[0].replace(/"[^"$]*"|'[^']*'/g, ''))) return undefined;
  const values = [...code.matchAll(new RegExp(String.raw`(?<![\w$'"-])${name}=(\S*)`, 'g'))].map(
    ([, value = '']) => value,
  );
  if (values.some((value) => !/^["']?(?:\$\((?:cat|<).*|0|\$\{\w+:-0\})/.test(value))) return undefined;
  return written.index + written[0].search(/\S/);
}

/** What reads a file; a function such as `load(file)` may do so. */
const READ = String.raw`(?:\.read_text\(|\.read\(|readFileSync\(|\bjson\.load\(|(?<![\w.])(?:load|read)\w*\()`;

function countersOfProgram(code: string): readonly Counter[] {
  const assigned = new RegExp(
    String.raw`^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+|\{[^{}\n]*\})(?:[ \t]*:[^=\n]{1,60})?[ \t]*=(?!=)[ \t]*((?:[^\n]*\n[ \t]+[?:.][^\n]*?|[^\n]*)${READ}[^\n]*(?:\n[ \t]+[?:.][^\n]*){0,2})$`,
    'gm',
  );
  return [...code.matchAll(assigned)].flatMap(([, target = '', value = '']): readonly Counter[] => {
    const file = pathRead(value) || pathOfReader(value, code);
    if (isRaisedHere(value, code)) return [];
    if (target.startsWith('{'))
      return [...target.matchAll(/(\w+)(?:\s*:\s*(\w+))?(?:\s*=[^,}]*)?(?=[,}\s])/g)].map(([, key = '', as]) =>
        plain(as ?? key, file),
      );
    const isNumber = /\b(?:int|Number|parseInt)\(/.test(value);
    return isNumber ? [plain(target, file)] : fieldsOf(target, { code, file });
  });
}

/** The path that a function such as `load()` reads. */
function pathOfReader(value: string, code: string): string {
  const [, reader] = /(?<![\w.])((?:load|read)\w*)\(\s*\)/.exec(value) ?? [];
  const at = reader === undefined ? -1 : code.search(new RegExp(`(?:def|function|const)[ \\t]+${reader}\\b`));
  const lines =
    at < 0
      ? []
      : code
          .slice(at, at + 500)
          .split('\n')
          .slice(1);
  return pathRead(lines.find((line) => /\.read_text\(|\bopen\(|readFileSync\(/.test(line)) ?? '');
}

/** True if a number is added where the file is read, also by the function that reads it. */
function isRaisedHere(value: string, code: string): boolean {
  const sum = /[-+][ \t]*\d|\b\d+[ \t]*\+/;
  const [, reader] = /(?<![\w.])((?:load|read)\w*)\(/.exec(value) ?? [];
  const at = reader === undefined ? -1 : code.search(new RegExp(`(?:def|function|const)[ \\t]+${reader}\\b`));
  return sum.test(value) || (at >= 0 && sum.test(code.slice(at, at + 500)));
}

function plain(name: string, file: string): Counter {
  return { name, file, pattern: String.raw`(?<![\w.$"'])${name}(?![\w$"'])` };
}

/** The fields of an object that are compared with something. */
function fieldsOf(whole: string, { code, file }: { readonly code: string; readonly file: string }): readonly Counter[] {
  const use = String.raw`(?<![\w.])${whole}(?:\[["'](\w+)["']\]|\.get\(\s*["'](\w+)["'][^()\n]{0,20}\)|\??\.(\w+)(?![\w(]))`;
  const compared = [...code.matchAll(new RegExp(String.raw`${use}\)?[ \t]*(?:>=?|<=?)`, 'g'))].map(
    ([, index, got, dotted]) => index ?? got ?? dotted ?? '',
  );
  // A list is longer after a push, which names no length.
  const names = [...new Set(compared)].filter((name) => name !== 'length');
  return names.map((name) => ({
    name,
    whole,
    file,
    pattern: String.raw`(?<![\w.])${whole}(?:\[["']${name}["']\]|\.get\(\s*["']${name}["'][^()\n]{0,20}\)|\??\.${name}(?![\w(]))`,
  }));
}

/** The path that an expression reads. */
function pathRead(value: string): string {
  const [, before] = /(["'\w]+)\)?\.(?:read_text|read)\(/.exec(value) ?? [];
  const [, given] = /(?:readFileSync|json\.load|open|(?:load|read)\w*)\(\s*(?:open\(\s*)?([^,()\n]+)/.exec(value) ?? [];
  return before !== undefined && !/\bopen\(/.test(value) ? before : (given ?? '');
}

const WRITE =
  /(?:\.write_text\(|\bjson\.dump\(|\bwriteFileSync\(|\.write\()(?:[^\n]*\)[ \t]*;?[ \t]*$|(?:[^\n]*\n){1,4}?[^\n]*\)[ \t]*;?[ \t]*$)/gm;

function keptInProgram({ name, pattern, whole }: Counter, code: string): number | undefined {
  const limit = new RegExp(String.raw`${pattern}\)?[ \t]*(?:>=?|<=?|===?)[ \t]*(\w+)`).exec(code);
  if (limit === null || numberOf(code, limit[1] ?? '') === undefined) return undefined;
  const value = whole === undefined ? pattern : String.raw`(?:(?<![\w."'])|(?<=\.\.\.))${whole}(?![\w.["'])`;
  const written = [...code.matchAll(WRITE)].find(([text]) => new RegExp(value).test(text));
  if (written === undefined) return undefined;
  const late = new RegExp(String.raw`${pattern}(?:\+\+|--)`);
  const text = late.test(written[0]) ? written[0].replace(new RegExp(late, 'g'), name) : written[0];
  const rest = code.slice(0, written.index) + text + code.slice(written.index + written[0].length);
  const changed = new RegExp(
    String.raw`${pattern}\)?[ \t]*(?:\+\+|--|\+|-|[-+*/]=)|(?:\+\+|--|\b1[ \t]*\+[ \t]*)${pattern}`,
  );
  if (changed.test(rest)) return undefined;
  if (whole !== undefined && isFieldSet(whole, name, code)) return undefined;
  return whole === undefined && definitionsIn(name, code) !== 1 ? undefined : written.index + written[0].search(/\w/);
}

function isFieldSet(whole: string, name: string, code: string): boolean {
  return new RegExp(
    String.raw`(?<![\w.])${whole}(?:\[["']${name}["']\]|\.${name})[ \t]*(?:[-+*/]?=(?!=)|\+\+|--)|(?:\+\+|--)${whole}\.${name}\b|(?<![\w.])${whole}\.(?:update|set|setdefault)\(|["']?\b${name}["']?[ \t]*:[ \t]*[^,}\n]*[-+]|(?<![\w.])${whole}\[\w+\][ \t]*[-+*/]?=(?!=)`,
  ).test(code);
}

/** True if a function gets the counter, or the object that contains it, and may change it. */
function isPassedOn({ name, whole }: Counter, code: string): boolean {
  const calls = code.matchAll(new RegExp(String.raw`([\w.]+)\(\s*(?:[^()\n]*,\s*)?${whole ?? name}\s*[,)]`, 'g'));
  return [...calls].some(
    ([, called = '']) =>
      !/^(?:(?:json\.|JSON\.)?(?:dumps?|stringify)|print|len|str|int|Number|String|console\.log|Object\.keys|if|while|isinstance|(?:\w+\.)?(?:writeFileSync|write|write_text)|(?:save|store|write|persist)\w*)$/.test(
        called,
      ),
  );
}
