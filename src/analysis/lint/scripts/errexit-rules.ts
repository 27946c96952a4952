// A rule about `set -e`: commands whose exit code is not 0 in a case that the script handles below, or that is no failure at all.
import { literalPattern } from '../../../protocol/text.js';
import type { Assignment, Command, Redirection, Statement, WordPart } from 'unbash';
import { commandLine, type ShellScript } from '../../shell/shell.js';
import { isOptionSet, nodesOf } from '../../shell/walk.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { endlessPipe } from './endless-pipes.js';

type Node = Statement['command'];

/** A command whose failure ends the script, with the statement behind it. */
interface Plain {
  readonly node: Node;
  readonly next: Node | undefined;
}

/** The commands that no condition, no && and no || asks for their exit code. */
function* plainCommands(list: readonly Statement[], shell: ShellScript): Generator<Plain> {
  for (const [index, { command: node, background }] of list.entries()) {
    if (background === true) continue;
    yield { node, next: list[index + 1]?.command };
    for (const inner of listsIn(node, shell)) yield* plainCommands(inner, shell);
  }
}

function listsIn(node: Node, shell: ShellScript): readonly (readonly Statement[])[] {
  switch (node.type) {
    case 'If':
      return [node.then, ...node.elif.map(({ then }) => then), ...(node.else === undefined ? [] : [node.else])].map(
        ({ commands }) => commands,
      );
    case 'For':
    case 'While':
    case 'ArithmeticFor':
    case 'BraceGroup':
      return [node.body.commands];
    case 'Case':
      return node.items.map(({ body }) => body.commands);
    case 'Redirected':
      return listsIn(node.command, shell);
    case 'Command':
      return functionOf(node, shell);
    default:
      return [];
  }
}

/** The body of a function that only this command calls: it may be called in no condition. */
function functionOf(node: Command, { functions, commands }: ShellScript): readonly (readonly Statement[])[] {
  const name = node.name?.value ?? '';
  const body = functions.get(name)?.body;
  const calls = commands.filter((line) => line.name === name).length;
  return body?.type === 'BraceGroup' && calls === 1 ? [body.body.commands] : [];
}

function* unwantedExits(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = searchableText(state);
  if (shell === undefined || !/\bset\b[^\n]*(?:-\w*e|errexit)/.test(text) || /\btrap\b[^\n]*\bERR\b/.test(text)) return;
  for (const plain of plainCommands(shell.ast.commands, shell)) {
    const { pos: at } = plain.node;
    if (!isOptionSet(shell, { at, name: 'errexit', letter: 'e' })) continue;
    const found =
      countFromZero(plain, shell) ??
      endOfInput(plain, text) ??
      foundNothing(plain, { shell, text }) ??
      cutOff(plain, { shell, text }) ??
      status(plain, text);
    if (found !== undefined) yield { at, ...found };
  }
}

type Finding = Omit<Mistake, 'at'>;

/** `((n++))` has the exit code 1 if n was 0. */
function countFromZero({ node }: Plain, { ast }: ShellScript): Finding | undefined {
  const body = node.type === 'ArithmeticCommand' ? node.body : letOf(node);
  const [, name = ''] = /^\s*(\w+)\+\+\s*$/.exec(body ?? '') ?? [];
  // To look through the whole script for each command takes the square of its length.
  const values = name === '' ? [] : nodesOf(ast, 'Assignment').filter((one) => one.name === name);
  if (values.length === 0 || values.some(({ value }) => value.type !== 'Word' || value.text !== '0')) return undefined;
  return {
    message: `${name} is 0 at first, so ${name}++ has the exit code 1, which ends the script under set -e`,
    fix: `write ${name}=$((${name} + 1))`,
  };
}

function letOf(node: Node): string | undefined {
  const line = node.type === 'Command' ? commandLine(node) : undefined;
  return line?.name === 'let' && line.args.length === 1 ? line.args[0]?.text : undefined;
}

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
  if (assigned !== undefined) {
    const [last] = assigned.script.slice(-1);
    const program = last && failing(last.command, { shell, text });
    return program === undefined || !isTested(assigned.name, rest) ? undefined : neverTested(program, assigned.name);
  }
  const program = failing(node, { shell, text });
  const target = fileOf(node);
  if (program === undefined || target === undefined) return undefined;
  return new RegExp(`-s\\s+["']?${literalPattern(target)}["']?\\s`).test(rest)
    ? neverTested(program, target)
    : undefined;
}

function neverTested(program: string, name: string): Finding {
  return {
    message: `${program} has an exit code other than 0 when it finds nothing, which ends the script under set -e before the test of ${name}`,
    fix: 'append || true to the command',
  };
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

const SEARCHERS =
  /^(?:\w+=\S* )*((?:grep|egrep|fgrep|rg|pgrep|diff|cmp|expr|which)(?=\s)|git (?:grep|describe|diff (?=[^\n]*--(?:exit-code|no-index)))|command -v|type -[pP]|jq (?=-\w*e\b|--exit-status)|ls (?=[^\n]*\*))/;

function searcher(command: string): string | undefined {
  return SEARCHERS.exec(command)?.[1]?.trim();
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
  /^(?:(?:local |declare )?\w+=["']?\$(?:\?|\{\?\})["']?$|(?:if\s+)?(?:!\s+)?(?:\[\[?|test)\s+["']?\$\?|(?:if\s+)?\(\(\s*\$\?|case\s+["']?\$\?)/;

/** Rules about set -e. */
export const ERREXIT_RULES: readonly Rule[] = [
  {
    id: 'unwanted-exit',
    severity: 'warning',
    summary:
      'A command ends a bash script that has set -e, although the command has not failed, such as grep -c when it counts 0 lines.',
    why: 'grep that finds nothing, diff that finds a difference, ((n++)) from 0, and read at the end of its input have the exit code 1. Under set -e the script ends there, so the agent fails, and a test below is never reached.',
    check: (analysis) => mistakesOf(analysis, unwantedExits),
  },
];
