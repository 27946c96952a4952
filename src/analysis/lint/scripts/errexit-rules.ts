// A rule about `set -e`: commands whose exit code is not 0 in a case that the script handles below, or that is no failure at all.
import { literalPattern } from '../../../protocol/text.js';
import type { Assignment, Command, Redirection, Statement, WordPart } from 'unbash';
import { commandLine, type ShellScript } from '../../shell/shell.js';
import { isOptionSet } from '../../shell/walk.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { isAlwaysUsed } from '../values/repeated-values.js';
import { endlessPipe } from './endless-pipes.js';
import { plainCommands, type Plain } from './plain-commands.js';
import { failingCalls } from './failing-calls.js';
import { differs, searcher } from './searchers.js';
import { arithmeticContext, zeroArithmetic } from './zero-arithmetic.js';

type Node = Statement['command'];

function* unwantedExits(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = searchableText(state);
  if (shell === undefined) yield* failingCalls(state);
  if (shell === undefined || !/\bset\b[^\n]*(?:-\w*e|errexit)/.test(text) || /\btrap\b[^\n]*\bERR\b/.test(text)) return;
  const arithmetic = arithmeticContext(shell, (name, from) => isTested(name, text.slice(from)));
  for (const plain of plainCommands(shell)) {
    const { pos: at } = plain.node;
    if (!isOptionSet(shell, { at, name: 'errexit', letter: 'e' })) continue;
    const found =
      zeroArithmetic(plain.node, arithmetic) ??
      endOfInput(plain, text) ??
      foundNothing(plain, { shell, text }) ??
      countedNothing(plain, { shell, text }) ??
      cutOff(plain, { shell, text }) ??
      status(plain, text);
    if (found !== undefined) yield { at, ...found };
  }
}

type Finding = Omit<Mistake, 'at'>;

/** `read` fails at the end of its input. */
function endOfInput({ node }: Plain, text: string): Finding | undefined {
  const line = node.type === 'Command' ? commandLine(node) : undefined;
  if (node.type !== 'Command' || line?.name !== 'read' || !hasInput(node.redirects)) return undefined;
  const words = line.args.map((arg) => arg.text);
  const fix = 'write read … || true';
  if (words.some((word, index) => /^-\w*d$/.test(word) && words[index + 1] === ''))
    return { message: "read -d '' always has the exit code 1, which ends the script under set -e", fix };
  const [name] = words.filter((word) => /^[A-Za-z_]\w*$/.test(word)).slice(-1);
  const isFile = node.redirects.some(({ type, operator }) => type === 'Redirect' && operator === '<');
  if (name === undefined || !isFile || !isTested(name, text.slice(node.end))) return undefined;
  return {
    message: `read has the exit code 1 if the file is empty, which ends the script under set -e before the test of ${name}`,
    fix,
  };
}

function hasInput(redirects: readonly Redirection[]): boolean {
  return redirects.some(({ operator }) => operator.startsWith('<') && operator !== '<>');
}

interface Context {
  readonly shell: ShellScript;
  readonly text: string;
}

/** What a program does not find, though the script handles that case below. */
function foundNothing({ node }: Plain, { shell, text }: Context): Finding | undefined {
  const rest = text.slice(node.end);
  const assigned = node.type === 'Command' ? substituted(node) : undefined;
  const [last] = assigned?.script.slice(-1) ?? [];
  const asked = assigned === undefined ? node : last?.command;
  const program = asked && failing(asked, { shell, text });
  const target = assigned?.name ?? fileOf(node);
  if (program === undefined || target === undefined) return undefined;
  const isUsed = differs(program) && rest.includes(target);
  const isAsked = assigned === undefined ? isFileTested(target, rest) : isTested(target, rest);
  return isUsed || isAsked ? neverTested(program, { name: target, isAsked }) : undefined;
}

/** `name=$(… grep -c 'pattern' …)`. */
const COUNT =
  /(?<![\w$])(\w+)=["']?\$\(([^()\n]*?)\bgrep((?:[ \t]+--?[\w-]+)*)[ \t]+("[^"\n]*"|'[^'\n]*'|[^\s"'|()-][^\s"'|()]*)([^()\n|]*)(?:\|\|[^()\n]*)?\)/g;

/** A count of lines: what is read, and what is counted in it. */
interface Count {
  readonly name: string;
  readonly read: string;
  readonly counted: string;
}

function countsIn(text: string): readonly Count[] {
  return [...text.matchAll(COUNT)].flatMap(([, name = '', before = '', options = '', pattern = '', after = '']) =>
    /-\w*c\b|-c|--count/.test(options)
      ? { name, read: `${before}|${after}`.replace(/[\s"'{}]/g, ''), counted: `${options.trim()} ${pattern}` }
      : [],
  );
}

/** A count of one kind of lines beside a count of another kind in the same text: each of them may be 0. */
function countedNothing({ node }: Plain, { shell, text }: Context): Finding | undefined {
  const [last] = (node.type === 'Command' ? substituted(node)?.script.slice(-1) : undefined) ?? [];
  if (last === undefined || failing(last.command, { shell, text }) === undefined) return undefined;
  const [count] = countsIn(text.slice(node.pos, node.end));
  if (count === undefined || !new RegExp(`\\$\\{?${count.name}\\b`).test(text.slice(node.end))) return undefined;
  return mayBeNone(count, text.slice(0, node.pos)) || isOneOfTwo(count, { before: text.slice(0, node.pos), text })
    ? neverTested('grep -c', { name: count.name, isAsked: false })
    : undefined;
}

/** True for a count beside another one, of lines that the script has not looked for before. */
function isOneOfTwo(count: Count, { before, text }: { readonly before: string; readonly text: string }): boolean {
  if (!/\w\w/.test(count.counted.replace(/^(?:-\S+\s+)*/, ''))) return false;
  const isBeside = countsIn(text).some(({ read, counted }) => read === count.read && counted !== count.counted);
  const [pattern = ''] = count.counted.split(' ').slice(-1);
  const isKnown = new RegExp(`\\bgrep[^\\n]*-\\w*q[^\\n]*${literalPattern(pattern)}`).test(before);
  return isBeside && !isKnown;
}

/** What matches any line, or nearly any, and the signs of a pattern. */
const ANYTHING = /\\[A-Za-z<>]|(?<!\\)(?:\[(?:\[:\w+:\]|[^\]])*\]|[.^$*+?])|["'\\]/g;

/** True for a count of special lines in what a program has just printed, or in a value, of which the script knows nothing. */
function mayBeNone({ read, counted }: Count, before: string): boolean {
  const pattern = counted.replace(/^(?:-\S+\s+)*/, '').replace(ANYTHING, '');
  if (pattern.trim() === '' || /-\w*v|--invert/.test(counted) || !isAlwaysUsed(before, before.length)) return false;
  const source = read.replace(/^\|/, '');
  if (/^<<<\$RAYMOND_(?:RESULT|INPUT)$/.test(source)) return true;
  const lines = before.split('\n').map((line) => line.replace(/[\s"'{}]/g, ''));
  const isMade = new RegExp(`(?<!>)>${literalPattern(source)}(?:2>.*)?$`);
  return (
    /^[$\w]/.test(source) &&
    lines.some((line) => isMade.test(line) && !/^(?:(?:echo|printf)(?!.*\$RAYMOND_(?:RESULT|INPUT))|seq|:)/.test(line))
  );
}

function neverTested(
  program: string,
  { name, isAsked }: { readonly name: string; readonly isAsked: boolean },
): Finding {
  const found = differs(program) ? 'when it finds a difference' : 'when it finds nothing';
  const [use] = name.split('/').slice(-1);
  return {
    message: `${program} has an exit code other than 0 ${found}, which ends the script under set -e before the ${isAsked ? 'test' : 'use'} of ${use}`,
    fix: 'append || true to the command',
  };
}

/** True if a test asks whether a file is empty, or whether a number that is made of it is 0. */
function isFileTested(file: string, rest: string): boolean {
  const path = literalPattern(file);
  if (new RegExp(`-s\\s+["']?${path}["']?\\s`).test(rest)) return true;
  const made = new RegExp(`(?<![\\w$])(\\w+)=["']?\\$\\([^\\n]*${path}`, 'g');
  return [...rest.matchAll(made)].some(({ index, 1: name = '' }) => isTested(name, rest.slice(index)));
}

/** `name=$(…)`, without a command behind it. */
function substituted({
  name,
  prefix,
}: Command): { readonly name: string; readonly script: readonly Statement[] } | undefined {
  const [only, other] = prefix;
  if (name !== undefined || other !== undefined || only?.type !== 'Assignment') return undefined;
  const [part, second] = partsOf(only);
  if (part?.type !== 'CommandExpansion' || second !== undefined || part.script?.source !== undefined) return undefined;
  return { name: only.name, script: part.script?.commands ?? [] };
}

function partsOf({ value }: Assignment): readonly WordPart[] {
  if (value.type !== 'Word') return [];
  const [only, other] = value.parts ?? [];
  return only?.type === 'DoubleQuoted' && other === undefined ? only.parts : (value.parts ?? []);
}

/** The program that fails if there is nothing to find; of a pipeline, the last one, or with pipefail any. */
function failing(node: Node, { shell, text }: Context): string | undefined {
  if (node.type === 'Command') return searcher(text.slice(node.pos, node.end));
  if (node.type !== 'Pipeline') return undefined;
  const counted = isOptionSet(shell, { at: node.pos, name: 'pipefail' }) ? node.commands : node.commands.slice(-1);
  for (const one of counted) {
    const program = one.type === 'Command' ? searcher(text.slice(one.pos, one.end)) : undefined;
    if (program !== undefined) return program;
  }
  return undefined;
}

/** The file to which a command writes. */
function fileOf(node: Node): string | undefined {
  const last = node.type === 'Pipeline' ? node.commands.at(-1) : node;
  if (last?.type !== 'Command') return undefined;
  const target = last.redirects.find(
    ({ type, operator, descriptor }) => type === 'Redirect' && operator === '>' && descriptor === undefined,
  );
  return target?.type === 'Redirect' ? target.target?.text.replace(/^["']|["']$/g, '') : undefined;
}

/** True if a test asks whether a variable is 0 or empty. */
function isTested(name: string, rest: string): boolean {
  const use = `\\$\\{?${name}\\}?["']?`;
  return new RegExp(
    [
      `${use}\\s+-(?:eq|ne|gt|le)\\s+["']?0\\b`,
      `${use}\\s+-(?:lt|ge)\\s+["']?1\\b`,
      `${use}\\s+[!=]?==?\\s+(?:["']?0["']?|""|'')\\s`,
      `\\(\\(\\s*!?\\s*\\$?${name}\\s*(?:\\)\\)|(?:==|!=|>|<=)\\s*0\\b)`,
      `(?:\\[|\\btest|!|&&|\\|\\|)\\s+-[zn]\\s+["']?${use}`,
      `\\$\\{${name}:[-?]`,
      `\\bcase\\s+["']?${use}\\s+in\\s+\\(?(?:0|""|'')\\)`,
    ].join('|'),
  ).test(rest);
}

/** A program without an end, which a pipe ends: with pipefail, that is a failure. */
function cutOff({ node }: Plain, { shell, text }: Context): Finding | undefined {
  const found = isOptionSet(shell, { at: node.pos, name: 'pipefail' }) ? endlessPipe(node, { shell, text }) : undefined;
  if (found === undefined) return undefined;
  return {
    message: `${found.last} reads a part only and ends, which kills ${found.first}: with pipefail the exit code is 141, which ends the script under set -e`,
    fix: 'append || true, or let the first program print a limited amount, such as head -c 1000 /dev/urandom',
  };
}

/** `$?` behind a command is always 0 under set -e. */
function status({ node, next }: Plain, text: string): Finding | undefined {
  const isSilent =
    node.type !== 'Command' ||
    (node.name === undefined
      ? substituted(node) === undefined
      : /^(?:echo|printf|set|:|true|export|local|readonly|declare|shift|trap|exit|return|unset)$/.test(
          node.name.value,
        ));
  if ((isSilent && node.type !== 'Pipeline') || next === undefined) return undefined;
  if (!READS_STATUS.test(text.slice(next.pos, next.end))) return undefined;
  return {
    message: 'if this command fails, it ends the script under set -e, so $? below is always 0',
    fix: 'write if …; then …; else …; fi, or append || status=$?',
  };
}

const READS_STATUS =
  /^(?:(?:local |declare )?\w+=["']?\$(?:\?|\{\?\})["']?$|(?:if\s+)?(?:!\s+)?(?:\[\[?|test)\s+["']?\$\?|(?:if\s+)?\(\(\s*\$\?|case\s+["']?\$\?|(?:echo|printf)\s[^\n|;]*\$\?)/;

/** Rules about set -e. */
export const ERREXIT_RULES: readonly Rule[] = [
  {
    id: 'unwanted-exit',
    severity: 'warning',
    summary:
      'A command ends a script because its exit code is not 0, although the command has not failed, such as grep -c when it counts 0 lines.',
    why: 'grep that finds nothing, diff that finds a difference, ((n++)) from 0, and read at the end of its input have the exit code 1. Under set -e of bash, with check=True of Python and with execSync of Node.js, the script ends there, so the agent fails, and a test below is never reached.',
    check: (analysis) => mistakesOf(analysis, unwantedExits),
  },
];
