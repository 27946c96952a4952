// A rule about scripts that wait longer than their own timeout, which counts the seconds without output.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { functionsIn, numbersIn, PRODUCT, valueOf } from '../numbers/lengths.js';
import { silentLoops, type Pause } from './silent-loops.js';

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

const OPERAND = String.raw`["']?\$?\{?[\w.]+\}?["']?|["']?\$\(\([ \t]*[\w$][^()\n]{0,60}\)\)["']?`;

const IN_BASH = new RegExp(
  String.raw`(?:^|[;&|{(]|\b(?:do|then|else))[ \t]*(sleep)[ \t]+((?:${OPERAND})?)([smhd]?)["']?(?=[ \t]*(?:$|[;#}]|\|\|))`,
  'gm',
);
const IN_PYTHON = new RegExp(String.raw`(?<![\w.])((?:time\.|asyncio\.)?sleep)\([ \t]*(${PRODUCT})[ \t]*\)()`, 'g');
const IN_NODE = new RegExp(
  String.raw`\bawait\s+((?:new Promise(?:<\w+>)?\(\s*\(?\w+\)?\s*=>\s*\{?\s*)?(?:setTimeout|sleep|delay|wait)\((?:\w+,\s*)?)(${PRODUCT})(?:,[^()\n]{0,40})?\)|\bAtomics\.wait\(([^()]{0,80}(?:\([^()]{0,80}\)[^()]{0,80}){0,3},\s*)(\d[\d_]*)\s*\)`,
  'g',
);

/** All pauses of a script of which the length is known. */
function pausesIn({ file }: ScriptState, text: string): readonly Pause[] {
  const numbers = numbersIn(text);
  const executor = executorOf(file);
  const pattern = executor === 'bash' ? IN_BASH : executor === 'python' ? IN_PYTHON : IN_NODE;
  // A function of this name may count seconds.
  const isOwn =
    /\bfunction\s+(?:sleep|delay|wait|setTimeout)\b|\b(?:const|let)\s+(?:sleep|delay|wait)\b|\bdef sleep\b|^[ \t]*sleep[ \t]*\(\)/m;
  const scale = executor === 'node' ? 1 / 1000 : 1;
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, call = '', amount = match[4] ?? '', unit = ''] = match;
    if (isOwn.test(text) && !/setTimeout|Atomics/.test(whole)) return [];
    const product = amount.replace(/^["']?\$\(\(|\)\)["']?$/g, '');
    const seconds = valueOf(product, numbers) * scale * (executor === 'bash' ? (UNITS[unit] ?? 1) : 1);
    const at = match.index + Math.max(0, whole.indexOf(call === '' ? 'Atomics' : call));
    return seconds <= 0 ? [] : [{ at, end: match.index + whole.length, seconds }];
  });
}

/** The program `sleep` as Python and Node.js start it, and other pauses of Python. */
const BY_PROGRAM = new RegExp(
  String.raw`["'\`](sleep)(?:["'],\s*(?:\[\s*)?["']|[ \t]+)(\d+)([smhd]?)["'\`]|\bEvent\(\)\.(wait)\([ \t]*(${PRODUCT})[ \t]*\)`,
  'g',
);

function pausesByProgram({ file }: ScriptState, text: string): readonly Pause[] {
  if (executorOf(file) === 'bash') return [];
  const numbers = numbersIn(text);
  return [...text.matchAll(BY_PROGRAM)].map(({ 0: whole, 2: amount, 3: unit = '', 5: product = '', index }) => ({
    at: index,
    end: index + whole.length,
    seconds: amount === undefined ? valueOf(product, numbers) : Number(amount) * (UNITS[unit] ?? 1),
  }));
}

/** A tag that a program of Node.js prints only when a timer ends. */
const BY_TIMER =
  /\b(setTimeout)\([ \t]*\(\)[ \t]*=>[ \t]*\{?\s*(?:console\.log|process\.stdout\.write)\([ \t]*["'`]<[^]{0,600}?,[ \t]*([\w.]+(?:[ \t]*\*[ \t]*[\w.]+){0,3})\);?[ \t]*$/gm;

function pausesByTimer({ file }: ScriptState, text: string): readonly Pause[] {
  if (executorOf(file) !== 'node' || /clearTimeout/.test(text)) return [];
  const numbers = numbersIn(text);
  return [...text.matchAll(BY_TIMER)].map(({ 0: whole, 2: product = '', index }) => ({
    at: index,
    end: index + whole.length,
    seconds: valueOf(product, numbers) / 1000,
  }));
}

/** Names under which a program imports the function that waits, and which then take milliseconds. */
const IMPORTED =
  /\bsetTimeout[ \t]*(?:as|:)[ \t]*(\w+)|\bconst[ \t]+(\w+)[ \t]*=[ \t]*(?:util\.)?promisify\([ \t]*setTimeout[ \t]*\)/g;

/** The pauses that functions of the script make: `pause(15_000)`, with what they make of the number. */
function pausesOfFunctions({ file }: ScriptState, text: string): readonly Pause[] {
  const numbers = numbersIn(text);
  const executor = executorOf(file);
  const unit = executor === 'node' ? 1 / 1000 : 1;
  const own = functionsIn(text).flatMap(({ name, params: [param = ''], at, end }) => {
    const waits =
      /(?:\bsetTimeout\([^,\n]{0,60},|(?<![\w.])(?:time\.|asyncio\.)?sleep(?:\(|[ \t]))[ \t]*([^()\n]{1,60})/.exec(
        text.slice(at, end),
      );
    const word = executor === 'bash' ? '1' : param;
    const product =
      waits?.[1]
        ?.replace(/[,;].*/, '')
        .replace(/["'{}$]/g, '')
        .trim() ?? '';
    const isPassed = executor !== 'bash' || /\$\{?1\b/.test(waits?.[1] ?? '');
    const isWait = isPassed && word !== '' && product.split('*').some((factor) => factor.trim() === word);
    return isWait ? [{ name, factor: valueOf(product, new Map([...numbers, [word, 1]])) * unit }] : [];
  });
  const imported = [...text.matchAll(IMPORTED)].map(({ 1: first, 2: second = '' }) => ({
    name: first ?? second,
    factor: unit,
  }));
  return [...own, ...imported].flatMap(({ name, factor }) => {
    const call =
      executor === 'bash'
        ? `^[ \\t]*(${name})[ \\t]+(${PRODUCT})[ \\t]*$`
        : `(?<![\\w.]|def |function )(${name})\\([ \\t]*(${PRODUCT})[ \\t]*\\)`;
    return [...text.matchAll(new RegExp(call, 'gm'))].map(({ 0: whole, 1: called = '', 2: product = '', index }) => {
      const at = index + whole.indexOf(called);
      return { at, end: index + whole.length, seconds: valueOf(product, numbers) * factor };
    });
  });
}

const PAUSES = [pausesIn, pausesOfFunctions, pausesByProgram, pausesByTimer];

/** A process in the background, a thread or a timer may print meanwhile. */
const IN_BACKGROUND = /[^&|<>]&[ \t]*(?:$|#)|\bcoproc\b|\bThread\b|\bPopen\b|setInterval|create_task|gather\(/m;

function* silences(state: ScriptState): Generator<Mistake> {
  const { timeout } = state.source.settings;
  if (timeout === undefined || timeout <= 0) return;
  const text = plainText(state);
  if (IN_BACKGROUND.test(text)) return;
  const pauses = PAUSES.flatMap((find) => find(state, text));
  const long = pauses.find(({ seconds }) => seconds > timeout);
  const found = long ?? [...silentLoops(state, text, pauses)].find(({ seconds }) => seconds > timeout);
  if (found === undefined) return;
  const length = `${Math.round(found.seconds)} s`;
  yield {
    at: found.at,
    message:
      found === long
        ? `the script prints nothing for ${length} here, but its timeout ends it after ${timeout} s without output`
        : `this loop may wait ${length} without printing, but the timeout ends the script after ${timeout} s without output`,
    fix: 'set a longer timeout, print something in the meantime, or let a tag wait: delay="…"',
  };
}

/** The rule about silence. */
export const SILENCE_RULES: readonly Rule[] = [
  {
    id: 'pause-beyond-timeout',
    severity: 'warning',
    summary: 'A script sleeps for longer than its timeout without printing anything, so Raymond stops the script.',
    why: 'The timeout of a state counts the seconds without output. A script that sleeps for longer, at once or in a loop that prints nothing, is stopped before it reaches its tag.',
    check: (analysis) => mistakesOf(analysis, silences),
  },
];
