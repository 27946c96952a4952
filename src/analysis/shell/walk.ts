// Finds the nodes of a parsed bash script. Their positions are those of the script; parts that have positions of their own are left out.
import { forEachChild, type SyntaxNode } from 'unbash';
import type { ShellScript } from './shell.js';

/** All nodes of one type, in the order of the text. */
export function nodesOf<T extends SyntaxNode['type']>(
  root: SyntaxNode,
  type: T,
): readonly Extract<SyntaxNode, { readonly type: T }>[] {
  const found: Extract<SyntaxNode, { readonly type: T }>[] = [];
  const isWanted = (node: SyntaxNode): node is Extract<SyntaxNode, { readonly type: T }> => node.type === type;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Script' && node.source !== undefined) return;
    if (isWanted(node)) found.push(node);
    forEachChild(node, visit);
  };
  visit(root);
  return found;
}

/** True if `set` has switched on an option of bash, by its name or its letter, before an offset. */
export function isOptionSet(
  { commands }: ShellScript,
  { at, name, letter }: { readonly at: number; readonly name: string; readonly letter?: string },
): boolean {
  let isSet = false;
  for (const command of commands) {
    if (command.name !== 'set' || command.at >= at) continue;
    const words = command.args.map(({ text }) => text);
    for (const [index, word] of words.entries()) {
      const isLetter = letter !== undefined && /^[-+]\w+$/.test(word) && word.includes(letter);
      if (isLetter || (word === name && /^[-+]\w*o$/.test(words[index - 1] ?? '')))
        isSet = (isLetter ? word : (words[index - 1] ?? '')).startsWith('-');
    }
  }
  return isSet;
}
