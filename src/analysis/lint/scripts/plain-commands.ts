// The commands of a bash script whose failure ends it under `set -e`: no condition, no && and no || asks for their exit code. Pure.
import type { Command, Statement } from 'unbash';
import type { ShellScript } from '../../shell/shell.js';

type Node = Statement['command'];

/** A command whose failure ends the script, with the statement behind it. */
export interface Plain {
  readonly node: Node;
  readonly next: Node | undefined;
}

/** The commands in the order of their calls, also those of functions that are called in this way. */
export function plainCommands({ ast, functions }: ShellScript): Generator<Plain> {
  return plainIn(ast.commands, { functions, visited: new Set() });
}

interface Context {
  readonly functions: ShellScript['functions'];
  /** The functions whose commands have been listed. */
  readonly visited: Set<string>;
}

function* plainIn(list: readonly Statement[], context: Context): Generator<Plain> {
  for (const [index, { command: node, background }] of list.entries()) {
    if (background === true) continue;
    yield { node, next: list[index + 1]?.command };
    const last = node.type === 'AndOr' ? node.commands.at(-1) : undefined;
    if (last !== undefined) yield { node: last, next: undefined };
    for (const inner of listsIn(last ?? node, context)) yield* plainIn(inner, context);
  }
}

function listsIn(node: Node, context: Context): readonly (readonly Statement[])[] {
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
      return listsIn(node.command, context);
    case 'Command':
      return bodyOf(node, context);
    default:
      return [];
  }
}

/** The body of a function that this command calls. */
function bodyOf({ name }: Command, { functions, visited }: Context): readonly (readonly Statement[])[] {
  const word = name?.value ?? '';
  const body = functions.get(word)?.body;
  if (body?.type !== 'BraceGroup' || visited.has(word)) return [];
  visited.add(word);
  return [body.body.commands];
}
