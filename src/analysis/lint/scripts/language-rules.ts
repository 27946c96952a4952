// Rules about slips of one language: TypeScript that Node.js cannot run, and the indices of a list in place of its values.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';

/** TypeScript that is more than types, so that Node.js cannot leave it out. */
const NOT_ERASABLE: readonly (readonly [what: string, pattern: RegExp, fix: string])[] = [
  [
    'an enum',
    /^[ \t]*(?:export\s+)?(?:const\s+)?enum\s+\w+\s*\{/gm,
    'write an object with "as const", or a union of strings',
  ],
  [
    'a namespace',
    /^[ \t]*(?:export\s+)?(?:namespace|module)\s+[\w.]+\s*\{/gm,
    'move its functions and constants to the top level of the file',
  ],
  ['import … = require', /^[ \t]*import\s+\w+\s*=\s*require\(/gm, 'write import … from'],
  [
    'a parameter property',
    /\bconstructor\s*\([^)]*\b(?:public|private|protected|readonly)\s+\w+/g,
    'declare the field, and assign it in the constructor',
  ],
];

function* notErasable(state: ScriptState): Generator<Mistake> {
  if (!state.file.endsWith('.ts')) return;
  const code = searchableText(state);
  for (const [what, pattern, fix] of NOT_ERASABLE)
    for (const { index, 0: found } of code.matchAll(pattern))
      yield {
        at: index + found.search(/\S/),
        message: `Node.js cannot run ${what}: it only removes types, and this is more than a type`,
        fix,
      };
}

/** What surely gives a list in JavaScript. */
const A_LIST =
  /^\[|\.split\(|\.(?:filter|map|sort|slice|flatMap)\(|readdirSync\(|readdir\(|Object\.(?:keys|values|entries)\(|Array\.from\(|new Set\(/;

function* indices(state: ScriptState): Generator<Mistake> {
  if (executorOf(state.file) !== 'node') return;
  const code = searchableText(state);
  for (const { index, 1: variable = '', 2: list = '' } of code.matchAll(
    /\bfor \((?:const|let|var) (\w+) in (\w+)\)/g,
  )) {
    const [, value = ''] =
      new RegExp(`\\b(?:const|let|var)\\s+${list}\\b[^=\\n]*=\\s*([^;]*(?:;|\\n))`).exec(code) ?? [];
    const isIndex = new RegExp(`\\b${list}\\s*\\[\\s*${variable}\\b`).test(code);
    if (!A_LIST.test(value) || isIndex) continue;
    yield {
      at: index,
      message: `for … in gives ${/^new Set\(/.test(value) ? 'nothing' : 'the positions 0, 1, …'}, not the values of ${list}`,
      fix: 'write for … of',
    };
  }
}

/** Rules about slips of one language. */
export const LANGUAGE_RULES: readonly Rule[] = [
  {
    id: 'not-erasable',
    severity: 'warning',
    summary: 'A .ts state contains TypeScript that Node.js cannot run, such as an enum.',
    why: 'Node.js runs a .ts file by removing its types. An enum, a namespace, import … = require and a parameter property of a constructor are more than types, so Node.js rejects the file.',
    check: (analysis) => mistakesOf(analysis, notErasable),
  },
  {
    id: 'positions-for-values',
    severity: 'warning',
    summary: 'A JavaScript loop of the form for … in gets the positions 0, 1, 2 of a list, not the values of the list.',
    why: 'for … in gives the keys of an object; the keys of a list are 0, 1, 2 and so on. for … of gives the values.',
    check: (analysis) => mistakesOf(analysis, indices),
  },
];
