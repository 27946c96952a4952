// A rule about scripts that wait longer than their own timeout, which counts the seconds without output.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';

/** A pause, in seconds, with its place. */
interface Pause {
  readonly at: number;
  readonly end: number;
  readonly seconds: number;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

const NAMED_NUMBER =
  /^[ \t]*(?:readonly |export |local |declare -\w+ |const |let |var )?([A-Za-z_]\w*)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*["']?(\d[\d_]*(?:\.\d+)?)["']?[ \t]*;?[ \t]*$/gm;

/** The names that get a number and nothing else. */
function numbersIn(text: string): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const several = new Set<string>();
  for (const [, name = ''] of text.matchAll(/(?<![\w.$-])([A-Za-z_]\w*)(?:[ \t]*:[ \t]*\w+)?[ \t]*[-+*/]?=(?![=>])/g)) {
    if (numbers.has(name)) several.add(name);
    numbers.set(name, NaN);
  }
  for (const [, name = '', value = ''] of text.matchAll(NAMED_NUMBER))
    numbers.set(name, several.has(name) ? NaN : Number(value.replaceAll('_', '')));
  return numbers;
}

/** A product of numbers and names that have one; NaN if it is anything else. */
function valueOf(expression: string, numbers: ReadonlyMap<string, number>): number {
  return expression
    .split('*')
    .map((factor) => {
      const word = factor.trim().replace(/^["']?\$?\{?|\}?["']?$/g, '');
      return /^\d[\d_]*(?:\.\d+)?$/.test(word) ? Number(word.replaceAll('_', '')) : (numbers.get(word) ?? NaN);
    })
    .reduce((product, factor) => product * factor, 1);
}

const OPERAND = String.raw`["']?\$?\{?[\w.]+\}?["']?`;
const PRODUCT = String.raw`[\w.]+(?:[ \t]*\*[ \t]*[\w.]+){0,3}`;

const IN_BASH = new RegExp(
  String.raw`(?:^|[;&|{(]|\b(?:do|then|else))[ \t]*(sleep)[ \t]+(${OPERAND}?)([smhd]?)["']?(?=[ \t]*(?:$|[;#}]|\|\|))`,
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
    const seconds = valueOf(amount, numbers) * scale * (executor === 'bash' ? (UNITS[unit] ?? 1) : 1);
    const at = match.index + Math.max(0, whole.indexOf(call === '' ? 'Atomics' : call));
    return seconds > 0 ? [{ at, end: match.index + whole.length, seconds }] : [];
  });
}

/** What prints, or may print. */
const PRINTS =
  /\b(?:echo|printf|cat|tee|print|console\.\w+|stdout|stderr|log\w*|write|notify|progress|curl|wget|run|call|Popen|spawn\w*|exec\w*|make|npm|docker|kubectl|ssh|gh|git)\b(?![^\n]*>[ \t]*\/dev\/null)/;

/** The pauses of a loop with a fixed number of rounds, which prints nothing. */
function* loopsOf(state: ScriptState, text: string, pauses: readonly Pause[]): Generator<Pause> {
  const numbers = numbersIn(text);
  const executor = executorOf(state.file);
  const heads =
    executor === 'bash'
      ? /^([ \t]*)for[ \t]+\w+[ \t]+in[ \t]+(?:\{1\.\.(\d+)\}|\$\(seq[ \t]+(?:1[ \t]+)?(["']?\$?\{?\w+\}?["']?)\)|((?:\d+[ \t]*){2,60}));?[ \t]*(?:\n[ \t]*)?do\b/gm
      : executor === 'python'
        ? /^([ \t]*)for[ \t]+\w+[ \t]+in[ \t]+range\((?:1,[ \t]*)?(?:(\w+)(?:[ \t]*\+[ \t]*1)?)\)():/gm
        : /^([ \t]*)for[ \t]*\((?:let|var)[ \t]+\w+(?:: number)?[ \t]*=[ \t]*[01];[ \t]*\w+[ \t]*<=?[ \t]*(\w+)();[^\n)]*\)[ \t]*\{/gm;
  for (const match of text.matchAll(heads)) {
    const [head, indent = '', first, second = '', list] = match;
    const rounds = list === undefined ? valueOf(first ?? second, numbers) : list.trim().split(/\s+/).length;
    const from = match.index + head.length;
    const rest = text.slice(from, from + 4000);
    const [body = ''] = rest.split(new RegExp(`\\n(?=${indent}(?:[^ \\t\\n#]))`), 1);
    const inside = pauses.filter(({ at }) => at >= from && at < from + body.length);
    const seconds = rounds * inside.reduce((sum, pause) => sum + pause.seconds, 0);
    if (inside.length === 1 && seconds > 0 && !PRINTS.test(printable(body))) {
      const [pause] = inside;
      if (pause !== undefined) yield { ...pause, seconds };
    }
  }
}

/** A body of a loop without what prints only as the loop ends, or to a file. */
function printable(body: string): string {
  return body
    .split('\n')
    .filter((line) => !/\b(?:break|exit|return)\b/.test(line))
    .filter((line) => !/^\s*(?:echo|printf)\b[^\n]*[^-=]>>?[ \t]*["']?[$\w./-]+["']?[ \t]*$/.test(line))
    .join('\n');
}

/** A process in the background, a thread or a timer may print meanwhile. */
const IN_BACKGROUND = /[^&|<>]&[ \t]*(?:$|#)|\bcoproc\b|\bThread\b|\bPopen\b|setInterval|create_task|gather\(/m;

function* silences(state: ScriptState): Generator<Mistake> {
  const { timeout } = state.source.settings;
  if (timeout === undefined || timeout <= 0) return;
  const text = plainText(state);
  if (IN_BACKGROUND.test(text)) return;
  const pauses = pausesIn(state, text);
  const long = pauses.find(({ seconds }) => seconds > timeout);
  const found = long ?? [...loopsOf(state, text, pauses)].find(({ seconds }) => seconds > timeout);
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
