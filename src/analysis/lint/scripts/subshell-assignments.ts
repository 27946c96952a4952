// Finds variables that a bash script sets in a process of its own, such as `( … )`, `$( … )` or `… &`, directly or by a function, and then
// uses where their new values are lost. Pure.
import type { Assignment, SyntaxNode } from 'unbash';
import { commandLine, type ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';
import { searchableText, withoutLongLines, type Mistake, type ScriptState } from '../helpers.js';

/** Commands that bash runs in a process of its own. */
interface Subshell {
  readonly node: SyntaxNode;
  readonly words: string;
}

/** A new value of a variable; `isUpdate`: it is made from the old one. */
interface Change {
  readonly name: string;
  readonly at: number;
  readonly isUpdate: boolean;
}

/** The first value of a variable, as it is written. */
interface FirstValue {
  readonly text: string;
  readonly pos: number;
}

/** Reports the first lost variable of each subshell. */
export function* lostInSubshells(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = searchableText(state);
  if (shell === undefined) return;
  const subshells = subshellsOf(shell, text);
  const functions = functionsOnlyIn(subshells, shell);
  const given = valuesOutside(shell);
  const reported = new Set<string>();
  let checks = 0;
  for (const { node, words } of subshells) {
    const found = [...ownChanges(node, text), ...changesByCalls(node, functions)].find(
      (change) =>
        isGivenBefore(change, { first: given.get(change.name), at: node.pos }) &&
        checks++ < MOST_CHECKS &&
        isUsedAfter(change.name, { shell, text, end: node.end }),
    );
    if (found === undefined || reported.has(found.name)) continue;
    reported.add(found.name);
    const isOwn = found.at >= node.pos && found.at < node.end;
    yield {
      at: isOwn ? found.at : node.pos,
      message: `bash runs ${words} in a process of its own: after it, ${found.name} has its old value`,
      fix: `set ${found.name} outside of it: from its output, or in a loop or a function that bash runs in the script itself`,
    };
  }
}

/** Each check looks through the rest of the script. */
const MOST_CHECKS = 100;

function subshellsOf({ ast }: ShellScript, text: string): readonly Subshell[] {
  const expansions = [...nodesOf(ast, 'CommandExpansion'), ...nodesOf(ast, 'ProcessSubstitution')];
  const lists = [ast, ...nodesOf(ast, 'CompoundList')];
  const pipes = nodesOf(ast, 'Pipeline').filter(({ commands }) => commands.length > 1);
  const isLastHere = /\blastpipe\b/.test(text);
  const found = [
    ...nodesOf(ast, 'Subshell').map((node) => ({ node, words: 'the commands in ( )' })),
    ...expansions
      .filter(({ script }) => script !== undefined && script.source === undefined)
      .map((node) => ({ node, words: node.type === 'CommandExpansion' ? '$( )' : `${node.operator}( )` })),
    ...pipes.flatMap(({ commands }) =>
      commands.slice(0, isLastHere ? -1 : undefined).map((node) => ({ node, words: 'each part of a pipeline' })),
    ),
    ...lists.flatMap(({ commands }) =>
      commands
        .filter(({ background }) => background === true)
        .map(({ command: node }) => ({ node, words: 'a command with & behind it' })),
    ),
  ];
  return found.sort((one, other) => one.node.pos - other.node.pos);
}

/** What the functions change that no command of the script itself calls. */
function functionsOnlyIn(
  subshells: readonly Subshell[],
  { functions, commands }: ShellScript,
): ReadonlyMap<string, readonly Change[]> {
  const isInside = new Set<number>();
  for (const { node } of subshells)
    for (const { name } of nodesOf(node, 'Command')) if (name !== undefined) isInside.add(name.pos);
  const called = new Set(commands.map(({ name }) => name));
  const calledHere = new Set(commands.filter(({ at }) => !isInside.has(at)).map(({ name }) => name));
  return new Map(
    [...functions]
      .filter(([name]) => called.has(name) && !calledHere.has(name))
      .map(([name, { body }]) => [name, changesIn(body, localsIn(body))]),
  );
}

function localsIn(node: SyntaxNode): ReadonlySet<string> {
  const declared = nodesOf(node, 'Command').filter(({ name }) => /^(?:local|declare|typeset)$/.test(name?.value ?? ''));
  return new Set(declared.flatMap(({ args }) => args.map((arg) => (arg.type === 'Assignment' ? arg.name : arg.value))));
}

function changesByCalls(node: SyntaxNode, functions: ReadonlyMap<string, readonly Change[]>): readonly Change[] {
  return nodesOf(node, 'Command').flatMap(({ name }) => functions.get(name?.value ?? '') ?? []);
}

/** The loops of pipelines have a rule of their own. */
function ownChanges(node: SyntaxNode, text: string): readonly Change[] {
  const isLoop = /^(?:While|For|Redirected|BraceGroup|Command)$/.test(node.type);
  const isPiped = isLoop && /\|\s*$/.test(text.slice(Math.max(0, node.pos - 40), node.pos).replace(/\\\n/g, ' '));
  return isPiped ? [] : changesIn(node, new Set());
}

function changesIn(node: SyntaxNode, locals: ReadonlySet<string>): readonly Change[] {
  const changes = [
    ...nodesOf(node, 'Command').flatMap((command): readonly Change[] => [
      ...(command.name === undefined ? command.prefix.flatMap(changeBy) : []),
      ...readBy(command),
    ]),
    ...nodesOf(node, 'ArithmeticCommand').flatMap(({ body, pos }) => counted(body, pos)),
  ];
  return changes.filter(({ name }) => !locals.has(name));
}

function changeBy(part: SyntaxNode): readonly Change[] {
  if (part.type !== 'Assignment') return [];
  const { name, pos: at } = part;
  return [{ name, at, isUpdate: part.append === true || part.index !== undefined || isMadeFrom(part) }];
}

function isMadeFrom({ name, value }: Assignment): boolean {
  const text = value.type === 'Word' ? value.text : value.elements.map((one) => one.text).join(' ');
  return new RegExp(`\\$\\{?${name}\\b|\\(\\([^)]*\\b${name}\\b`).test(text);
}

/** `read name`, `mapfile names`, `let n++`. */
function readBy(command: SyntaxNode & { readonly type: 'Command' }): readonly Change[] {
  const line = commandLine(command);
  if (line?.name === 'let') return line.args.flatMap(({ text }) => counted(text, line.at));
  if (line === undefined || !/^(?:mapfile|readarray)$/.test(line.name)) return [];
  return line.args.flatMap(({ text }) =>
    /^[A-Za-z_]\w*$/.test(text) ? [{ name: text, at: line.at, isUpdate: false }] : [],
  );
}

function counted(body: string, at: number): readonly Change[] {
  const [, name] = /^\s*(?:\+\+|--)?([A-Za-z_]\w*)\s*(?:\+\+|--|[-+*]=|=(?!=)|$)/.exec(body) ?? [];
  return name === undefined ? [] : [{ name, at, isUpdate: true }];
}

/** The first values of the variables that the script itself sets, not its functions. */
function valuesOutside({ ast, functions }: ShellScript): ReadonlyMap<string, FirstValue> {
  const inFunctions = new Set<number>();
  for (const { body } of functions.values())
    for (const type of ['Assignment', 'Command'] as const)
      for (const { pos } of nodesOf(body, type)) inFunctions.add(pos);
  const given = nodesOf(ast, 'Assignment').map(({ name, value, pos }) => ({ name, text: textOf(value), pos }));
  const declared = nodesOf(ast, 'Command').flatMap(({ name, args, pos }) =>
    name?.value === 'declare' ? args.map((arg) => ({ name: arg.text, text: '', pos })) : [],
  );
  const found = new Map<string, FirstValue>();
  for (const { name, ...first } of [...given, ...declared])
    if (!found.has(name) && !inFunctions.has(first.pos)) found.set(name, first);
  return found;
}

function textOf(value: Assignment['value']): string {
  if (value.type === 'Word') return value.text;
  return value.elements.length === 0 ? '' : 'list';
}

/** A value that a script gives a variable to change it later. */
const FIRST_VALUE =
  /^(?:["']{2}|0|["']?(?:no|yes|false|true|none|null|ok|fine|good|clean|green|pass(?:ed)?|unknown|idle)["']?|)$/;

/** True if the script gives the variable a value before: a first one, such as 0, if the new value is not made from it. */
function isGivenBefore(
  { isUpdate }: Change,
  { first, at }: { readonly first: FirstValue | undefined; readonly at: number },
): boolean {
  if (first === undefined || first.pos >= at) return false;
  return isUpdate || FIRST_VALUE.test(first.text);
}

/** True if the script uses a variable after an offset, and does not give it another value there. */
export function isUsedAfter(
  name: string,
  { shell, text, end }: { readonly shell: ShellScript; readonly text: string; readonly end: number },
): boolean {
  const isSetAgain = new RegExp(
    `(?:^|[;&|({]|\\b(?:then|do|else|local|export|declare|readonly))[ \\t]*${name}\\+?=|\\bfor[ \\t]+(?:\\(\\([^\\n]*\\b)?${name}\\b|\\b(?:read|mapfile|readarray)\\b[^\\n]*\\b${name}\\b`,
    'm',
  );
  if (isSetAgain.test(withoutLongLines(text.slice(end)))) return false;
  return shell.variables.some((use) => use.name === name && use.at >= end);
}
