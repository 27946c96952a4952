// A rule about async callbacks of functions that do not wait for them: forEach, filter and others, and map without Promise.all.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { programCode } from './program-code.js';

/** Where the bracket closes that opens here. */
export function closeOf(code: string, open: number): number {
  let depth = 0;
  for (let index = open; index < code.length; index += 1) {
    if ('([{'.includes(code.charAt(index))) depth += 1;
    if (')]}'.includes(code.charAt(index))) depth -= 1;
    if (depth === 0) return index;
  }
  return code.length;
}

/** What runs later than the statements that follow. */
const LATER = /\bprocess\.on(?:ce)?\(|\bset(?:Timeout|Immediate|Interval)\(|\bReadable\b|[sS]tream\b/;

function* notWaitedFor(state: ScriptState): Generator<Mistake> {
  if (executorOf(state.file) !== 'node') return;
  const code = programCode(state);
  yield* usedBeforeCallback(code);
  if (LATER.test(code)) return;
  for (const match of code.matchAll(/\.(forEach|map|flatMap|filter|some|every|find|findIndex|sort)\((?=\s*async\b)/g)) {
    const [whole, method = ''] = match;
    const at = match.index + 1;
    const open = match.index + whole.length - 1;
    const call = { code, at, open, end: closeOf(code, open) + 1, method };
    const message =
      method === 'forEach'
        ? changedTooLate(call)
        : method.endsWith('ap')
          ? promisesForValues(call)
          : alwaysTrue(method);
    if (message !== undefined)
      yield {
        at,
        message,
        fix: 'wait for all: await Promise.all(items.map(async …)), or write for (… of …) with await',
      };
  }
}

const LATER_CALL =
  /^(?:\w+\.)?(?:readFile|readdir|stat|access|exec|execFile|get|request|lookup)\([^\n]*(?:=>|\bfunction\b)[^\n]*\n(?:(?!^\S)[^])*^\}\);?/gm;

/** `readFile(…, (error, text) => { report = text; });` and then a use of `report`. */
function* usedBeforeCallback(code: string): Generator<Mistake> {
  for (const { index, 0: call } of code.matchAll(LATER_CALL))
    for (const [, name = ''] of call.matchAll(/^\s+(\w+) = /gm)) {
      const isOuter = new RegExp(
        `^let ${name}(?::[^=\\n]+)?(?: = (?:\\[\\]|\\{\\}|''|""|0|null|undefined))?;`,
        'm',
      ).test(code.slice(0, index));
      const rest = code.slice(index + call.length);
      const use = new RegExp(`^(?=\\S)[^\\n]*?(?<![\\w.])${name}\\b`, 'm').exec(rest);
      // A function below may run later.
      if (!isOuter || use === null || /=>|\bfunction\b|\bawait\b/.test(rest.slice(0, use.index + use[0].length)))
        continue;
      const at = index + call.length + use.index + use[0].length - name.length;
      yield {
        at,
        message: `${name} has no value yet: the callback that sets it runs after these lines`,
        fix: 'use the value in the callback, or read it with the Sync function',
      };
    }
}

function alwaysTrue(method: string): string {
  return `${method} does not wait for its async callback, whose result is a promise and never false`;
}

interface Call {
  readonly code: string;
  readonly open: number;
  readonly end: number;
}

/** A variable that the callback changes after an await, and that the program uses before. */
function changedTooLate({ code, open, end }: Call): string | undefined {
  const callback = code.slice(open, end);
  const waits = callback.search(/\bawait\b/);
  if (waits < 0) return undefined;
  const late = callback.slice(callback.lastIndexOf('\n', waits) + 1);
  const changes = late.matchAll(
    /(?<![\w.$])(?:([A-Za-z_$]\w*)\s*(?:[-+*/]?=(?![=>])|\+\+|--)|([A-Za-z_$]\w*)(?:\.(?:push|add|set|unshift)\(|\[[^\]\n]{1,60}\]\s*[-+]?=(?!=)))/g,
  );
  for (const [, first, second] of changes) {
    const name = first ?? second ?? '';
    if (
      new RegExp(
        `\\b(?:const|let|var)\\s+[^=\\n]*\\b${name}\\b|async\\s*\\(?[^()\\n]*\\b${name}\\b[^()\\n]*\\)?\\s*=>`,
      ).test(callback)
    )
      continue;
    if (!new RegExp(`\\b(?:const|let|var)\\s+${name}\\b`).test(code.slice(0, open))) continue;
    const rest = code.slice(end);
    const use = rest.search(new RegExp(`(?<![\\w.$])${name}(?![\\w$])`));
    if (use < 0 || /\bawait\b|^\}/m.test(rest.slice(0, use))) continue;
    return `forEach does not wait for its async callback: ${name} is used below before the callback has changed it`;
  }
  return undefined;
}

/** The promises of `map` where their values are meant. */
function promisesForValues({ code, open, end }: Call): string | undefined {
  const message = 'map does not wait for its async callback: the result is a list of promises, not of values';
  const start = code.lastIndexOf('\n', open) + 1;
  const before = code.slice(start, open);
  if (/\bawait\b|\bPromise\b/.test(before)) return undefined;
  const rest = code.slice(end);
  if (/^\s*\.(?:join|includes|sort)\(/.test(rest)) return message;
  const [, name] = /^[ \t]*(?:const|let|var)[ \t]+(\w+)[ \t]*=[^=\n]*$/.exec(before) ?? [];
  if (name === undefined || !/^\s*;?\s*\n/.test(rest)) return undefined;
  const word = `(?<![\\w.$])${name}(?![\\w$])`;
  if (
    new RegExp(
      `\\bawait\\b[^\\n]*${word}|\\bPromise\\.\\w+\\([^\\n]*${word}|\\breturn\\s+${word}|\\bof\\s+${word}|(?<!JSON\\.stringify|console\\.log)[(,]\\s*${word}\\s*[,)]`,
    ).test(rest)
  )
    return undefined;
  const isUsed = new RegExp(
    `${word}\\.(?:join|includes|sort)\\(|\\$\\{\\s*${word}\\s*\\}|JSON\\.stringify\\(\\s*${word}`,
  );
  return isUsed.test(rest) ? message : undefined;
}

/** The rule about async callbacks. */
export const PROMISE_RULES: readonly Rule[] = [
  {
    id: 'callback-not-awaited',
    severity: 'warning',
    summary: 'A JavaScript program uses the result of an async callback before the callback has ended.',
    why: 'forEach, map, filter and the like do not wait for an async callback: they get a promise from it. A sum is still 0 when the tag is printed, a list contains promises, and a filter keeps everything.',
    check: (analysis) => mistakesOf(analysis, notWaitedFor),
  },
];
