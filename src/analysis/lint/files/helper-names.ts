// Finds scripts that read a file through a helper of their package, where the helper names the file with a number of its own process or turn,
// and the script of another turn has written the file.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import type { SourceFile } from '../../source.js';
import { plainText, scriptsOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { isName } from './unique-numbers.js';
import { uniqueUses } from './unique-paths.js';
import { kindOfUse } from './use-kinds.js';

type Helper = Extract<SourceFile, { readonly kind: 'script' }>;

/** A function of a helper that reads or writes such a file. */
interface FileFunction {
  readonly name: string;
  readonly group: string;
  readonly isWriter: boolean;
}

/** A call of such a function in a state. */
interface Call extends FileFunction {
  readonly at: number;
  /** The first argument, if it is a text. */
  readonly literal?: string;
}

const known = new WeakMap<Helper, readonly FileFunction[]>();

/** The reads through helpers of files that only other turns have written. */
export function* namesOfHelpers(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  for (const helper of helpersOf(analysis)) {
    const functions = known.get(helper) ?? functionsOf(helper);
    known.set(helper, functions);
    if (!functions.some(({ isWriter }) => isWriter) || functions.every(({ isWriter }) => isWriter)) continue;
    const calls = callsOf(state, { helper, functions });
    const read = calls.find((call) => !call.isWriter && !calls.some((one) => one.isWriter && isSameFile(one, call)));
    const writer =
      read &&
      scriptsOf(analysis).find(
        (other) =>
          other !== state && callsOf(other, { helper, functions }).some((one) => one.isWriter && isSameFile(one, read)),
      );
    if (read === undefined || writer === undefined) continue;
    yield {
      at: read.at,
      message: `${helper.file} puts a number into the name of this file that differs for each process or turn, so this is not the file that ${writer.file} has written`,
      fix: 'keep the file under a fixed name in the folder that RAYMOND_TASK_FOLDER names, or pass its path as an attribute',
    };
    return;
  }
}

/** The scripts of a package that are no states. */
function helpersOf({ graph }: Analysis): readonly Helper[] {
  return [...graph.source.files.values()].filter(
    (file): file is Helper => file.kind === 'script' && !graph.states.has(file.file),
  );
}

function isSameFile(one: Call, other: Call): boolean {
  if (one.group !== other.group) return false;
  const isKnown = one.group.includes('*') && one.literal !== undefined && other.literal !== undefined;
  return !isKnown || one.literal === other.literal;
}

const HEADS = {
  bash: /^(?:function\s+)?([\w-]+)\s*\(\)/,
  python: /^(?:async )?def (\w+)\(/,
  node: /^(?:export )?(?:async )?function\*? (\w+)\(|^(?:export )?(?:const|let) (\w+)(?:: [^=\n]{1,60})? = (?:async )?(?:\(|function\b|\w+ =>)|^(?:module\.)?exports\.(\w+) = |^\s+(?:async )?(?!if\b|for\b|while\b|switch\b|catch\b)(\w+)\([^()\n]*\) \{$|^\s+(\w+): (?:async )?(?:\(|function\b)/,
};

function headsOf(file: string): RegExp | undefined {
  const executor = executorOf(file);
  return executor === 'bash' || executor === 'python' || executor === 'node' ? HEADS[executor] : undefined;
}

/** The functions of a helper that read or write a file with such a name. */
function functionsOf(helper: Helper): readonly FileFunction[] {
  const heads = headsOf(helper.file);
  if (heads === undefined) return [];
  const text = plainText({ source: helper });
  const uses = uniqueUses({ file: helper.file, source: helper }).flatMap((use) => {
    const kind = kindOfUse(helper.file, use);
    const name = functionAround(text, { at: use.at, heads });
    const isFile = isName(use.key) && kind !== 'neutral' && kind !== 'test';
    return isFile && name !== undefined ? [{ name, group: use.group, kind }] : [];
  });
  const names = [...new Set(uses.map(({ name }) => name))];
  return names.flatMap((name) => {
    const own = uses.filter((use) => use.name === name);
    const [first] = own;
    const isRead = own.every(({ kind }) => kind === 'read');
    return first === undefined ? [] : [{ name, group: first.group, isWriter: !isRead }];
  });
}

/** The name of the function in which an offset is. */
function functionAround(
  text: string,
  { at, heads }: { readonly at: number; readonly heads: RegExp },
): string | undefined {
  const end = text.indexOf('\n', at);
  const lines = text.slice(0, end < 0 ? text.length : end).split('\n');
  for (const [index, line] of lines.reverse().entries()) {
    const name = heads.exec(line)?.slice(1).find(Boolean);
    if (name !== undefined) return name;
    // Below the end of a function, code is in none.
    if (index > 0 && /^[})\w]/.test(line)) return undefined;
  }
  return undefined;
}

function callsOf(
  state: ScriptState,
  { helper, functions }: { readonly helper: Helper; readonly functions: readonly FileFunction[] },
): readonly Call[] {
  const text = plainText(state);
  if (executorOf(state.file) !== executorOf(helper.file)) return [];
  const pattern = callPattern(text, helper.file);
  return functions.flatMap((one) =>
    [...text.matchAll(pattern(one.name))].map(({ index, 0: whole }) => {
      const literal = /^\(?\s*["'`]?([\w.-]+)["'`]?(?=\s*[,);|&\n]|\s+["'$]|$)/.exec(text.slice(index + whole.length));
      return { ...one, at: index, ...(literal?.[1] === undefined ? {} : { literal: literal[1] }) };
    }),
  );
}

/** What matches no text. */
const NEVER = /(?!)/g;

/** The calls of a function, by the names under which a script imports it and its helper. */
function callPattern(text: string, file: string): (name: string) => RegExp {
  const stem = literalPattern(file.replace(/\.\w+$/, ''));
  if (executorOf(file) === 'bash') {
    const isSourced = new RegExp(`(?:^|[;&{]|\\s)(?:\\.|source)\\s[^\\n]*\\b${literalPattern(file)}`, 'm').test(text);
    return (name) => (isSourced ? new RegExp(`(?<![\\w$./-])${name}(?![\\w=(-])`, 'g') : NEVER);
  }
  const from = `(?:=\\s*(?:await\\s+)?(?:require|import)\\(|from)\\s*["'][^"'\\n]*\\b${stem}(?:\\.\\w+)?["']`;
  const lists = [
    ...text.matchAll(new RegExp(`\\{([^{}]*)\\}\\s*${from}`, 'g')),
    ...text.matchAll(new RegExp(`^[ \\t]*from\\s+${stem}\\s+import\\s+(\\([^()]*\\)|[^\\n]*)`, 'gm')),
  ].map(([, list = '']) => list);
  const modules = [
    ...text.matchAll(new RegExp(`\\b(\\w+)\\s+${from}|\\b(\\w+)\\s*${from}`, 'g')),
    ...text.matchAll(new RegExp(`^[ \\t]*import\\s+(?:${stem}\\s+as\\s+(\\w+)|(${stem})[ \\t]*$)`, 'gm')),
  ].map((match) => match.slice(1).find(Boolean) ?? '');
  return (name) => {
    const renamed = new RegExp(`(?<![\\w.])${name}(?:(?:\\s*:\\s*|\\s+as\\s+)(\\w+))?(?=\\s*(?:[,)]|$))`);
    const own = lists.flatMap((list) => {
      const match = renamed.exec(list.trim());
      return match === null ? [] : [match[1] ?? name];
    });
    const calls = [...own, ...modules.filter(Boolean).map((module) => `${module}\\.${name}`)];
    return calls.length === 0 ? NEVER : new RegExp(`(?<![\\w.])(?:${calls.join('|')})(?=\\()`, 'g');
  };
}
