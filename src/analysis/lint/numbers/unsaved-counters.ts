// Finds counters of loops that a script reads from a file and raises, though no state of the loop writes the file.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { reachableFrom, type StateNode } from '../../graph.js';
import { loopsIn } from '../../loops.js';
import { lineAround, type Mistake, plainText, type ScriptState, statesOf, wholeName } from '../helpers.js';
import { fileNameOf, inTaskFolder, mayBeSamePath, UNKNOWN } from '../paths/path.js';
import { pathUses } from '../paths/path-uses.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { numberOf } from './number-comparisons.js';

/** A number that a script reads from a file. */
interface Counter {
  readonly name: string;
  readonly path: string;
  readonly readAt: number;
  /** The expression that is the number: the variable, or a field of it. */
  readonly pattern: string;
  /** Where it is raised, and the names that then have the raised number; the name is empty if only the comparison raises it. */
  readonly raisedAt: number;
  readonly raised: readonly string[];
}

/** Reports, for each loop, the first counter that is raised but not written. */
export function* countersUnsaved(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsIn(analysis.graph, analysis.reached))
    for (const state of loop) {
      const { source } = state;
      if (source.kind !== 'script' || analysis.syntax.has(state.file)) continue;
      const found = unsavedIn(analysis, { state: { ...state, source }, loop });
      if (found === undefined) continue;
      const { at, ...finding } = found;
      yield { at: source.raw.at(at), state: state.file, ...finding };
      break;
    }
}

function unsavedIn(
  analysis: Analysis,
  { state, loop }: { readonly state: ScriptState; readonly loop: readonly StateNode[] },
): Mistake | undefined {
  const code = plainText(state);
  const isCompared = (one: Counter): boolean =>
    isUnused(one, code) ||
    [...one.raised.map(wordOf), String.raw`${one.pattern}\s*\+\s*\d+\s*\)*`].some((name) => isLimited(code, name));
  const after = statesAfter(analysis, loop);
  const numbers = countersIn(state, code);
  const counters = numbers.filter(isCompared);
  const appended = counters
    .map((one) => appendedIn(analysis, { state, counter: one }))
    .find((one) => one !== undefined);
  if (appended !== undefined) return appended;
  const counter = counters.find(
    (one) =>
      (isStarted(analysis, one.path) || hasDefault(code, one)) && !after?.some((other) => maySave(other, one.path)),
  );
  if (counter === undefined) return numbers.flatMap((one) => neverWritten(analysis, { state, counter: one }) ?? [])[0];
  if (after === undefined || isNamedByHelper(analysis, counter.path)) return undefined;
  const file = fileNameOf(counter.path);
  return {
    at: counter.raisedAt,
    message: `${counter.name} is counted up, but never written back to ${file}: it is the same in every round`,
    fix: `write the raised number to ${file} in each round`,
  };
}

/** A counter whose only writer appends the raised number to the file of which it reads the whole text as one number. */
function appendedIn(
  analysis: Analysis,
  { state, counter: { name, path } }: { readonly state: ScriptState; readonly counter: Counter },
): Mistake | undefined {
  const writes = pathUses(state).filter((use) => use.kind !== 'read' && use.kind !== 'test' && use.path === path);
  const [write] = writes;
  const file = fileNameOf(path);
  const isNamed = statesOf(analysis).some(
    (other) => other.file !== state.file && wholeName(file).test(plainText(other)),
  );
  const line = write === undefined ? '' : lineAround(plainText(state), write.at);
  if (write === undefined || writes.length > 1 || isNamed || !/>>|\bappendFile|["']a\+?["']/.test(line))
    return undefined;
  return {
    at: write.at,
    message: `${name} is appended to ${file}, so from the second round on the file has several numbers and its text is not the counter`,
    fix: `replace the text of ${file} in each round, such as by > instead of >>`,
  };
}

/** A number that a script compares with its limit, from a file of the task folder that nothing else in the package names. */
function neverWritten(
  analysis: Analysis,
  { state, counter }: { readonly state: ScriptState; readonly counter: Counter },
): Mistake | undefined {
  const { name, path, raised, raisedAt: at } = counter;
  const code = plainText(state);
  const file = fileNameOf(path);
  if (raised.length > 0 || !hasDefault(code, counter) || !isLimited(code, wordOf(name))) return undefined;
  const mayWrite = statesOf(analysis).some((other) =>
    other.file === state.file ? writes(other, path) : wholeName(file).test(plainText(other)),
  );
  if (mayWrite || isNamedByHelper(analysis, path)) return undefined;
  return {
    at,
    message: `${name} is read from ${file}, but no state writes this file: it is the same in every round`,
    fix: `write the raised number to ${file} in each round`,
  };
}

function writes(state: StateNode, path: string): boolean {
  return pathUses(state).some(
    (use) =>
      use.kind !== 'read' && use.kind !== 'test' && (use.path.startsWith(UNKNOWN) || mayBeSamePath(use.path, path)),
  );
}

/** True for a file of the task folder in whose absence the script uses a first number. */
function hasDefault(code: string, { path, readAt }: Counter): boolean {
  return (
    inTaskFolder(path) !== undefined &&
    /\|\|[ \t]*(?:echo|printf)\b|\bexists(?:Sync)?\(|\bis_file\(/.test(lineAround(code, readAt))
  );
}

/** The states that a loop leads to, also by calls and forks; undefined if these are not all. */
export function statesAfter({ graph }: Analysis, loop: readonly StateNode[]): readonly StateNode[] | undefined {
  const files = reachableFrom(graph, { from: loop.map(({ file }) => file) });
  const states = [...files].flatMap((file) => graph.states.get(file) ?? []);
  const isOpen = states.some(
    ({ edges, hasUnknownTargets }) =>
      hasUnknownTargets || edges.some(({ tag, to }) => to.kind === 'workflow' && tag !== 'reset-workflow'),
  );
  return isOpen ? undefined : states;
}

const SHELL_READS = /^[ \t]*(?:local[ \t]+|readonly[ \t]+)?(\w+)=[^\n]*|\bread[ \t]+(?:-r[ \t]+)?(\w+)[ \t]*<[^\n]*/gm;
const PROGRAM_READS =
  /^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=(?!=)[^\n]*(?:\n[ \t]+[?:.][^\n]*){0,2}/gm;

function countersIn(state: ScriptState, code: string): readonly Counter[] {
  const isShell = executorOf(state.file) === 'bash';
  const reads = pathUses(state).filter(({ kind, path }) => kind === 'read' && !path.includes(UNKNOWN) && path !== '');
  return [...code.matchAll(isShell ? SHELL_READS : PROGRAM_READS)].flatMap((match): readonly Counter[] => {
    const [line] = match;
    const name = match[1] ?? match[2] ?? '';
    const read = reads.find(({ at }) => at >= match.index && at < match.index + line.length);
    const isNumber = isShell ? /\$\(\(|\$\((?:cat\b|<)|\bread\b/ : /\b(?:int|Number|parseInt)\(|\b(?:loads?|parse)\(/;
    if (read === undefined || !isNumber.test(line) || /(?<!\|)\|(?!\|)/.test(line)) return [];
    const { path, at: readAt } = read;
    const raisedHere = /\)[ \t]*\+[ \t]*\d|\b\d[ \t]*\+[ \t]*(?:\$\(|int|Number)/.test(line);
    if (raisedHere)
      return [{ name, path, readAt, pattern: name, raisedAt: match.index + line.search(/\S/), raised: [name] }];
    const rest = { code, from: match.index + line.length, name };
    const raised = isShell ? raisedInShell(rest) : raisedInProgram(rest);
    const readOnly = { name, pattern: wordOf(name), raisedAt: match.index + line.search(/\S/), raised: [] };
    return [{ ...(raised ?? readOnly), path, readAt }];
  });
}

interface Rest {
  readonly code: string;
  readonly from: number;
  readonly name: string;
}

type Raised = Omit<Counter, 'path' | 'readAt'>;

function raisedInShell({ code, from, name }: Rest): Raised | undefined {
  const sum = String.raw`\(\([ \t]*\$?\{?${name}\}?[ \t]*\+[ \t]*\d+[ \t]*\)\)`;
  const raised = new RegExp(
    String.raw`(?<![\w$])(\w+)=["']?\$${sum}|\(\([ \t]*(?:${name}(?:\+\+|[ \t]*\+=)|\+\+${name})|\blet[ \t]+["']?${name}(?:\+\+|\+=)`,
  ).exec(code.slice(from));
  const inTest = new RegExp(String.raw`\$${sum}`).exec(code.slice(from));
  const found = raised ?? inTest;
  if (found === null) return undefined;
  const to = raised === null ? [] : [raised[1] ?? name];
  return { name, pattern: String.raw`\$?\{?${name}\}?`, raisedAt: from + found.index, raised: to };
}

function raisedInProgram({ code, from, name }: Rest): Raised | undefined {
  const number = String.raw`(?<![\w.$"'])${name}(?:\[["']\w+["']\]|\.(?!get\b)\w+|\.get\(["']\w+["'](?:,[ \t]*0)?\))?`;
  const raised = new RegExp(
    String.raw`^[ \t]*(?:(?:const|let|var)[ \t]+)?([\w.]+(?:\[["']\w+["']\])?)[ \t]*=[ \t]*(${number})[ \t]*\+[ \t]*\d+[ \t]*;?[ \t]*$|(${number})(?:\+\+|[ \t]*\+=[ \t]*1\b)|\+\+(${number})|(${number})[ \t]*\+[ \t]*1[ \t]*[<>]|^(?:print|console\.log)\((${number})[ \t]*\+[ \t]*\d+\);?[ \t]*$`,
    'm',
  ).exec(code.slice(from));
  if (raised === null) return undefined;
  const [whole, to, other, ...own] = raised;
  const value = other ?? own.find(Boolean) ?? name;
  const field = /["'](\w+)["']|\.(\w+)$/.exec(value);
  return {
    name: field?.[1] ?? field?.[2] ?? value,
    pattern: wordOf(value),
    raisedAt: from + raised.index + whole.search(/\S/),
    raised: (own[2] ?? own[3]) === undefined ? [to ?? value] : [],
  };
}

/** The pattern of a variable, or of a field of it. */
function wordOf(name: string): string {
  return /^\w+$/.test(name)
    ? String.raw`\$?\{?(?<![\w.])${name}\}?(?!\w)`
    : String.raw`(?<![\w.])${literalPattern(name)}`;
}

/** A line that prints a number alone, which no state sees. */
const PRINTS_NUMBER =
  /^(?:echo[ \t]+|printf[ \t]+["'][^"'\n]*["'][ \t]+|print\(|console\.log\()(?:"?\$\{?\w+\}?"?|"?\$\(\([^()\n]*\)\)"?|\w+(?:[ \t]*\+[ \t]*\d+)?)\)?;?[ \t]*$/;

/** True for a variable that the script does not use once it has the raised number: another state compares what is in the file. */
function isUnused({ raised: [to = '', ...others], raisedAt }: Counter, code: string): boolean {
  const printed = /\bexec\b|\}[ \t]*>|redirect_stdout/.test(code) ? /(?!)/ : PRINTS_NUMBER;
  if (to === '') return printed.test(lineAround(code, raisedAt));
  const isInBlock = /[ \t]/.test(code.charAt(raisedAt - 1));
  const rest = code
    .slice(raisedAt)
    .replace(/^[^;&|\n]*/, '')
    .replace(new RegExp(printed, 'gm'), '');
  const [name] = /^\w+/.exec(to) ?? [];
  return name !== undefined && others.length === 0 && !isInBlock && !new RegExp(String.raw`\b${name}\b`).test(rest);
}

/** True for a number that a script compares with one that is known, or with a variable of the environment. */
function isLimited(code: string, name: string): boolean {
  const compared = new RegExp(
    String.raw`${name}\)*["']?[ \t]*(?:-(?:ge|gt|le|lt|eq)\b|[<>]=?|===?)[ \t]*["']?\$?\{?([\w.]+)`,
    'g',
  );
  return [...code.matchAll(compared)].some(
    ([, limit = '']) =>
      numberOf(code, limit) !== undefined || (/^[A-Z][A-Z_]+$/.test(limit) && !code.includes(`${limit}=`)),
  );
}

/** A line that writes a number which is in the text. */
export const WRITES_NUMBER =
  /(?:\b(?:echo|printf)[ \t]+["']?\d+(?:\\n)?["']?[ \t]*>|\.write(?:_text)?\([ \t]*["']\d+(?:\\n)?["']|writeFile(?:Sync)?\([^\n]*,[ \t]*["'`]\d+(?:\\n)?["'`]|\{(?:[ \t]*["']?\w+["']?[ \t]*:[ \t]*(?:["'][^"'\n]*["']|\[\]|\d+|[Tt]rue|[Ff]alse|None|null)[ \t]*,?)+[ \t]*\})/;

function isConstant(state: StateNode, at: number): boolean {
  return WRITES_NUMBER.test(lineAround(plainText(state), at));
}

/** True for a file that a state writes with a first number. */
function isStarted(analysis: Analysis, path: string): boolean {
  return statesOf(analysis).some((state) =>
    pathUses(state).some((use) => use.kind === 'write' && use.path === path && isConstant(state, use.at)),
  );
}

/** What may write a file although no path shows it. */
const WRITES_UNSEEN =
  /\bsed[ \t]+(?:-\w+[ \t]+)*-i|\b(?:sponge|truncate|dd|ed|eval|perl)[ \t]|["']r\+|\b(?:python3?|node|ruby)\b[^\n]*(?:<<|[ \t]-[ce]\b)/;

/** True for a state that may write a number to a file which is not in its text. */
export function maySave(state: StateNode, path: string): boolean {
  const file = fileNameOf(path);
  const code = plainText(state);
  if (state.kind !== 'script') return wholeName(file).test(plainText(state));
  if (WRITES_UNSEEN.test(code)) return true;
  return pathUses(state).some((use) => {
    if (use.kind === 'read' || use.kind === 'test' || use.kind === 'list') return false;
    const isFolder = use.kind === 'unknown' && path.startsWith(use.path.replace(/\/?$/, '/'));
    const isFile = use.path.startsWith(UNKNOWN) || mayBeSamePath(use.path, path);
    return isFolder || (isFile && !isConstant(state, use.at));
  });
}

/** True for a file that other files of the package name, which are no states. */
function isNamedByHelper({ graph }: Analysis, path: string): boolean {
  const file = fileNameOf(path);
  return [...graph.source.files.values()].some((source) => {
    const isState = graph.states.has(source.file);
    return !isState && 'raw' in source && source.file !== 'workflow.yaml' && source.raw.text.includes(file);
  });
}
