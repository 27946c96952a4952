// The rule about a promise or a coroutine in the place of its value.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, withoutLongLines, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { closeOf } from './promise-rules.js';
import { isDefinedOnce, programCode } from './program-code.js';

/** Functions of which a call gives a promise, or a coroutine. */
const ASYNC = {
  node: /\basync\s+function\s+(\w+)|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\b|(?:util\.)?promisify\()|\bfunction\s+(\w+)\([^{}\n]*\):\s*Promise</g,
  python: /\basync\s+def\s+(\w+)/g,
} as const;

function* missingAwaits(state: ScriptState, files: Analysis['graph']['source']['files']): Generator<Mistake> {
  const executor = executorOf(state.file);
  if (executor !== 'node' && executor !== 'python') return;
  const code = plainText(state);
  const isNode = executor === 'node';
  const required = isNode ? requiredAsync(code) : [];
  for (const name of new Set([...asyncIn(code, executor), ...importedAsync(code, { executor, files }), ...required])) {
    const used = { code: programCode(state), name, isNode };
    for (const at of new Set([...usedAsValues(code, name), ...usedAsOthers(used)]))
      yield {
        at,
        message: `${calledAt(code, at)} is async: without await, this is a ${isNode ? 'promise' : 'coroutine'}, not its value`,
        fix: `write await ${calledAt(code, at)}(…)`,
      };
  }
}

/** Functions of `fs` that give their value to a callback, and throw an error without one. */
const WITH_CALLBACK =
  'access|appendFile|chmod|copyFile|cp|lstat|mkdir|mkdtemp|open|readdir|readFile|readlink|realpath|rename|rm|rmdir|stat|symlink|truncate|unlink|utimes|writeFile';

/** Those that need two values before the callback. */
const TWO_VALUES = /(?:^|\.)(?:appendFile|chmod|copyFile|cp|rename|symlink|writeFile)$/;

/** What surely is no callback, as the last argument. */
const NO_CALLBACK = /^(?:["'`][^]*["'`]|\d+|\{(?:(?!=>|\bfunction\b)[^])*\}|(?:path\.join|JSON\.stringify)\([^]*)$/;

/** The calls of such functions without a callback. */
function* missingCallbacks(state: ScriptState): Generator<Mistake> {
  if (executorOf(state.file) !== 'node') return;
  const text = plainText(state);
  const module = String.raw`\brequire\(["'](?:node:)?fs["']\)(?!\.)|\bfrom\s+["'](?:node:)?fs["']`;
  const [, whole, list = ''] =
    new RegExp(
      String.raw`\b(?:const|let|var|import)\s+(?:\*\s*as\s+)?(?:(\w+)|\{([^{}]*)\})\s*(?:=\s*)?(?:${module})`,
    ).exec(text) ?? [];
  if (whole === undefined && list === '') return;
  const named = list.match(new RegExp(`(?<![\\w:.])(?:${WITH_CALLBACK})(?=\\s*(?:,|$))`, 'g')) ?? [];
  const called = whole === undefined ? named.join('|') || '(?!)' : `${whole}\\.(?:${WITH_CALLBACK})`;
  const code = programCode(state);
  for (const { index, 0: head } of code.matchAll(new RegExp(`(?<![\\w.$])(?:${called})\\(`, 'g'))) {
    const end = closeOf(code, index + head.length - 1);
    const args = argumentsIn(code.slice(index + head.length, end));
    const name = head.slice(0, -1);
    const isShort = args.length < (TWO_VALUES.test(name) ? 3 : 2) && !args.some((arg) => arg.startsWith('...'));
    if (!isShort && !NO_CALLBACK.test(args.at(-1) ?? '')) continue;
    yield {
      at: index,
      message: `${name} needs a callback and returns nothing: without a callback, it throws an error`,
      fix: `write ${name}Sync(…)`,
    };
  }
}

/** The arguments of a call. */
function argumentsIn(text: string): readonly string[] {
  const ends: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if ('([{'.includes(text.charAt(index))) index = closeOf(text, index);
    else if (text.charAt(index) === ',') ends.push(index);
  }
  const args = [...ends, text.length].map((end, index) =>
    text.slice(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end),
  );
  return args.map((arg) => arg.trim()).filter((arg) => arg !== '');
}

/** The name of the function that is called at an offset. */
function calledAt(code: string, at: number): string {
  return /^[\w.$]+/.exec(code.slice(at, at + 200))?.[0] ?? '';
}

function asyncIn(code: string, executor: 'node' | 'python'): readonly string[] {
  return [...code.matchAll(ASYNC[executor])].map(
    ({ 1: declared, 2: assigned, 3: typed }) => declared ?? assigned ?? typed ?? '',
  );
}

/** Modules of Node.js whose functions give promises. */
const PROMISES = /^(?:node:)?(?:fs|timers|dns|readline|stream)\/promises$/;

/** What these modules give besides: iterators, objects and settings. */
const NO_PROMISE =
  '(?!(?:constants|watch|glob|createInterface|setInterval|scheduler|[gs]etServers|[gs]etDefaultResultOrder)\\b)';

/** The functions that give promises and are built in, or that a program gets by `require`. */
function requiredAsync(code: string): readonly string[] {
  const module = String.raw`require\(["'](?:node:)?(?:fs|timers|dns|readline|stream)/promises["']\)|(?:require\(["'](?:node:)?fs["']\)|\bfs)\.promises\b`;
  const required = new RegExp(
    String.raw`\b(?:const|let|var)\s+(?:(\w+)|\{([^{}]*)\})\s*=\s*(?:${module})[ \t]*(?:;|$)`,
    'gm',
  );
  const names = [...code.matchAll(required)].flatMap(({ 1: whole, 2: list = '' }) =>
    whole === undefined
      ? list.split(',').map(
          (entry) =>
            entry
              .trim()
              .split(/\s*:\s*/)
              .at(-1) ?? '',
        )
      : [`${whole}\\.${NO_PROMISE}[a-z]\\w*`],
  );
  const isNamed = new RegExp(`^(?:${NO_PROMISE}[a-z]\\w*|\\w+\\\\\\..*)$`);
  const fetch = /\bfetch\s*[=,}]|\bfunction fetch\b/.test(code) ? [] : ['fetch'];
  return [
    ...names.filter((name) => isNamed.test(name)),
    ...fetch,
    String.raw`fs\.promises\.${NO_PROMISE}[a-z]\w*`,
    String.raw`Promise\.(?:all|allSettled|race|any)`,
  ];
}

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
    if (whole !== undefined)
      return isPromise ? [`${whole}\\.${NO_PROMISE}[a-z]\\w*`] : known.map((name) => `${whole}\\.${name}`);
    return (match[2] ?? '').split(',').flatMap((entry) => {
      const [name = '', as = name] = entry.trim().split(/\s+as\s+/);
      return isPromise ? (new RegExp(`^${NO_PROMISE}[a-z]`).test(name) ? [as] : []) : known.includes(name) ? [as] : [];
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
  return isFilledIn && !isHandedOn(code, variable);
}

/** True for a promise that is awaited later, or handed to another function. */
function isHandedOn(code: string, variable: string): boolean {
  return new RegExp(
    `\\bawait\\b[^\\n]*\\b${variable}\\b|[([,]\\s*${variable}\\s*[,)\\]]|\\b${variable}\\.(?:then|catch|finally)\\b|\\breturn\\s+${variable}\\b|\\{[ \\t]*${variable}[ \\t]*(?:,|\\}[ \\t]*\\))`,
  ).test(code.replace(/\$\{[^{}\n]*\}/g, ''));
}

/** The members that a promise or a coroutine has. */
const OWN = {
  node: 'then|catch|finally|constructor|toString',
  python: 'a?close|a?send|a?throw|cr_\\w+|__\\w+__',
} as const;

/** The calls of which a program takes a part that only the value has: a member, an item, or the items in a loop. */
function usedAsOthers({
  code,
  name,
  isNode,
}: {
  readonly code: string;
  readonly name: string;
  readonly isNode: boolean;
}): readonly number[] {
  const member = String.raw`(?:\??\.(?!(?:${isNode ? OWN.node : OWN.python})\b)\w|\??\.?\[)`;
  const calls = code.matchAll(new RegExp(String.raw`(?<![\w.$]|\b(?:def|function|new)\s+)(?:${name})\(`, 'g'));
  return [...calls].flatMap(({ index, 0: head }) => {
    const end = closeOf(code, index + head.length - 1) + 1;
    if (new RegExp(`^\\s*${member}`).test(code.slice(end, end + 40))) return [index];
    const line = code.slice(code.lastIndexOf('\n', index) + 1, index);
    const [, variable] =
      /^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=[ \t]*$/.exec(line) ?? [];
    if (variable === undefined || !/^[ \t]*(?:;|\n|$)/.test(code.slice(end, end + 40))) return [];
    // In `await answer.json()`, the promise itself is not awaited.
    const others = code.replace(new RegExp(String.raw`\bawait\s+(?=${variable}${member})`, 'g'), '');
    if (!isDefinedOnce(variable, code) || isHandedOn(others, variable)) return [];
    const word = String.raw`(?<![\w.$"'])${variable}`;
    const used = String.raw`${word}${member}|\.\.\.${variable}\b|(?<!\b(?:await\s*\(|async\s+for\b)[^()\n]{0,60})\b${isNode ? 'of' : 'in'}\s+${variable}\s*[):]`;
    return new RegExp(used).test(code.slice(end)) ? [index] : [];
  });
}

/** The rule about promises in the place of values. */
export const AWAIT_VALUE_RULES: readonly Rule[] = [
  {
    id: 'missing-await',
    severity: 'warning',
    summary:
      'A Python or JavaScript program uses the result of an async function without await, as if it were the value.',
    why: 'Without await, the result is a promise, or in Python a coroutine. A text then contains "[object Promise]" or "<coroutine object …>", and a list has neither items nor methods such as filter. A function of fs such as readFile throws an error if it gets no callback.',
    check: (analysis) =>
      mistakesOf(analysis, (state) => [
        ...missingAwaits(state, analysis.graph.source.files),
        ...missingCallbacks(state),
      ]),
  },
];
