// Rules about slips of one language: TypeScript that Node.js cannot run, a promise or a coroutine in place of its value, and the indices
// of a list in place of its values.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, searchableText, withoutLongLines, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';

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

/** Functions of which a call gives a promise, or a coroutine. */
const ASYNC = {
  node: /\basync\s+function\s+(\w+)|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\b|(?:util\.)?promisify\()|\bfunction\s+(\w+)\([^{}\n]*\):\s*Promise</g,
  python: /\basync\s+def\s+(\w+)/g,
} as const;

function* missingAwaits(state: ScriptState, files: Analysis['graph']['source']['files']): Generator<Mistake> {
  const executor = executorOf(state.file);
  if (executor !== 'node' && executor !== 'python') return;
  const code = plainText(state);
  for (const name of new Set([...asyncIn(code, executor), ...importedAsync(code, { executor, files })])) {
    for (const at of usedAsValues(code, name))
      yield {
        at,
        message: `${name} is async: without await, this is a ${executor === 'python' ? 'coroutine' : 'promise'}, not its value`,
        fix: `write await ${name}(…)`,
      };
  }
}

function asyncIn(code: string, executor: 'node' | 'python'): readonly string[] {
  return [...code.matchAll(ASYNC[executor])].map(
    ({ 1: declared, 2: assigned, 3: typed }) => declared ?? assigned ?? typed ?? '',
  );
}

/** Modules of Node.js whose functions give promises. */
const PROMISES = /^(?:node:)?(?:fs|timers|dns|readline|stream)\/promises$/;

/** The imported functions that are async: of Node.js, or of a file beside the state. */
function importedAsync(
  code: string,
  { executor, files }: { readonly executor: 'node' | 'python'; readonly files: Analysis['graph']['source']['files'] },
): readonly string[] {
  const imports =
    executor === 'node'
      ? /\bimport\s+(?:(\w+)\s*,\s*)?(?:\{([^{}]*)\}|\*\s*as\s+(\w+)|(\w+))\s+from\s+["']([\w./:-]+)["']/g
      : /^[ \t]*(?:from[ \t]+\.?(\w+)[ \t]+import[ \t]+\(?([\w, \t]+)\)?|import[ \t]+(\w+))[ \t]*$/gm;
  return [...code.matchAll(imports)].flatMap((match) => {
    const path = executor === 'node' ? (match[5] ?? '') : `${match[1] ?? match[3] ?? ''}.py`;
    const whole = executor === 'node' ? (match[3] ?? match[4]) : match[3];
    const source = files.get(path.replace(/^\.\//, ''));
    const text = source !== undefined && source.kind === 'script' ? source.raw.text : undefined;
    const isPromise = executor === 'node' && PROMISES.test(path);
    const known = text === undefined ? [] : asyncIn(withoutLongLines(text), executor);
    if (whole !== undefined) return isPromise ? [`${whole}\\.\\w+`] : known.map((name) => `${whole}\\.${name}`);
    return (match[2] ?? '').split(',').flatMap((entry) => {
      const [name = '', as = name] = entry.trim().split(/\s+as\s+/);
      return isPromise ? (/^[a-z]\w*$/.test(as) && as !== 'constants' ? [as] : []) : known.includes(name) ? [as] : [];
    });
  });
}

const ARGUMENTS = String.raw`\((?:[^(){}\n]|\([^(){}\n]*\)){0,200}\)`;

/** The calls whose results become part of a text without `await`, directly or by a variable. */
function usedAsValues(code: string, name: string): readonly number[] {
  const inText = [
    ...code.matchAll(new RegExp(`(?<=[$]?\\{\\s*)(?<!\\}\\s*)${name}${ARGUMENTS}\\s*\\}`, 'g')),
    ...code.matchAll(new RegExp(`(?<=["'\`]\\s*\\+\\s*)${name}${ARGUMENTS}\\s*\\+\\s*["'\`]`, 'g')),
  ];
  const assigned = [
    ...code.matchAll(
      new RegExp(
        `^[ \\t]*(?:const |let |var )?(\\w+)(?:\\s*:\\s*[\\w<>[\\] |]{1,60})?\\s*=\\s*(${name}${ARGUMENTS})[ \\t]*;?[ \\t]*$`,
        'gm',
      ),
    ),
  ];
  const kept = assigned.filter(({ 1: variable = '' }) => isUsedAsValue(code, variable));
  return [
    ...inText.map(({ index }) => index),
    ...kept.map(({ index, 0: line, 2: call = '' }) => index + line.lastIndexOf(call)),
  ];
}

/** True for a variable that a program puts into a text, and never awaits. */
function isUsedAsValue(code: string, variable: string): boolean {
  const isFilledIn = new RegExp(
    `\\{\\s*${variable}\\b(?:\\.(?!then\\b|catch\\b|finally\\b)[\\w.]+)?\\s*\\}|["'\`]\\s*\\+\\s*${variable}\\b|(?<![\\w.])${variable}\\s*\\+\\s*["'\`]`,
  ).test(code);
  // A promise that is awaited later, or handed to another function.
  const isHandedOn = new RegExp(
    `\\bawait\\b[^\\n]*\\b${variable}\\b|[([,]\\s*${variable}\\s*[,)\\]]|\\b${variable}\\.(?:then|catch|finally)\\b|\\breturn\\s+${variable}\\b|\\{[ \\t]*${variable}[ \\t]*(?:,|\\}[ \\t]*\\))`,
  ).test(code.replace(/\$\{[^{}\n]*\}/g, ''));
  return isFilledIn && !isHandedOn;
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
    id: 'missing-await',
    severity: 'warning',
    summary:
      'A Python or JavaScript program puts the result of an async function into a text without await, so the value is missing in the text.',
    why: 'The text then contains "[object Promise]", or in Python "<coroutine object …>", instead of the value.',
    check: (analysis) => mistakesOf(analysis, (state) => missingAwaits(state, analysis.graph.source.files)),
  },
  {
    id: 'positions-for-values',
    severity: 'warning',
    summary: 'A JavaScript loop of the form for … in gets the positions 0, 1, 2 of a list, not the values of the list.',
    why: 'for … in gives the keys of an object; the keys of a list are 0, 1, 2 and so on. for … of gives the values.',
    check: (analysis) => mistakesOf(analysis, indices),
  },
];
