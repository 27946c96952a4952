// Finds the loops of scripts that wait for a known time, by their rounds or by a clock, and whether they print meanwhile. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { ScriptState } from '../helpers.js';
import {
  argumentsFor,
  blockAt,
  functionsIn,
  numbersIn,
  PRODUCT,
  valueOf,
  type NamedFunction,
} from '../numbers/lengths.js';

/** A pause, in seconds, with its place; NaN = the length is not known. */
export interface Pause {
  readonly at: number;
  readonly end: number;
  readonly seconds: number;
}

/** A loop: what decides how long it runs, and what it repeats. */
interface Loop {
  readonly at: number;
  readonly end: number;
  readonly head: string;
  readonly body: string;
}

/** At most this many loops are followed: the names in each are sought in the whole script. */
const MOST_LOOPS = 30;

const NODE_LOOP = /^([ \t]*)(?:(?:for|while)[ \t]*(?:await[ \t]*)?\([^\n]{0,300}|do[ \t]*)\{[ \t]*$/gm;
const PYTHON_LOOP = /^([ \t]*)(?:for|while)\b[^\n]{0,300}:[ \t]*$/gm;
const BASH_FOR = /^([ \t]*)for\b[^\n]{0,300}?;?[ \t]*(?:\n[ \t]*)?\bdo\b/gm;

function loopsIn({ file, source }: ScriptState, text: string): readonly Loop[] {
  const executor = executorOf(file);
  const heads = executor === 'bash' ? BASH_FOR : executor === 'python' ? PYTHON_LOOP : NODE_LOOP;
  const found = [...text.matchAll(heads)].slice(0, MOST_LOOPS).map(({ 0: head, 1: indent = '', index }) => {
    const from = index + head.length;
    const body = blockAt(text, { from, indent });
    const end = from + body.length;
    // The condition of `do … while` stands behind its body.
    const last = /^[^\n]*\bdo\b[ \t]*\{/.test(head) ? (/^\n[^\n]*/.exec(text.slice(end))?.[0] ?? '') : '';
    return { at: index, end, head: head + last, body };
  });
  const whiles = (source.script.shell?.loops ?? []).slice(0, MOST_LOOPS);
  return [
    ...found,
    ...whiles.map(({ at, test, body }) => {
      const head = text.slice(test.at, test.end);
      return { at, end: body.end, head: `while ${head}`, body: `${head}\n${text.slice(body.at, body.end)}` };
    }),
  ];
}

/** What a loop repeats with a fixed number of rounds. */
const ROUNDS: readonly RegExp[] = [
  /\bin[ \t]+\{1\.\.(\d+)\}/,
  new RegExp(String.raw`\bin[ \t]+\$\(seq[ \t]+(?:1[ \t]+)?(${PRODUCT})\)`),
  new RegExp(String.raw`\brange\((?:[01],[ \t]*)?(${PRODUCT})(?:[ \t]*\+[ \t]*1)?\)`),
  new RegExp(
    String.raw`\([ \t]*(?:(?:let|var)[ \t]+)?\w+(?::[ \t]*number)?[ \t]*=[ \t]*[01];[ \t]*\w+[ \t]*<=?[ \t]*(${PRODUCT});`,
  ),
];

const LIST = /\bin[ \t]+((?:\d+[ \t]*){2,60});?[ \t]*(?:\n[ \t]*)?do\b/;
const LESS = String.raw`(?:<=?|-l[te]|>=?|-g[te]|-eq|={2,3})`;

/** The number of rounds after which a loop surely ends; NaN if there is none. */
function roundsOf({ head, body }: Loop, { text, numbers }: Known): number {
  const list = LIST.exec(head)?.[1];
  if (list !== undefined) return list.trim().split(/\s+/).length;
  const fixed = ROUNDS.map((pattern) => pattern.exec(head)?.[1]).find((product) => product !== undefined);
  if (fixed !== undefined) return valueOf(fixed, numbers);
  const counted = new RegExp(String.raw`(?<![\w.])\$?\{?(\w+)\}?["']?[ \t]*${LESS}[ \t]*(${PRODUCT})`, 'g');
  const rounds = [...`${head}\n${body}`.matchAll(counted)].flatMap(({ 1: name = '', 2: limit = '' }) => {
    const step = stepOf(name, { body: `${head}\n${body}`, numbers });
    const start = startOf(name, { text, numbers });
    const count = (valueOf(limit, numbers) - start) / step;
    return count > 0 ? [count] : [];
  });
  return rounds.length === 0 ? NaN : Math.min(...rounds);
}

/** By how much a loop raises or lowers a name in each round. */
function stepOf(
  name: string,
  { body, numbers }: { readonly body: string; readonly numbers: Known['numbers'] },
): number {
  if (new RegExp(`(?<![\\w.])${name}\\+\\+|\\+\\+${name}\\b`).test(body)) return 1;
  if (new RegExp(`(?<![\\w.])${name}--|--${name}\\b`).test(body)) return -1;
  const added = new RegExp(
    `(?<![\\w.])${name}[ \\t]*(?:([-+])=|=[ \\t]*(?:\\$\\(\\()?[ \\t]*\\$?\\{?${name}\\}?[ \\t]*([-+]))[ \\t]*([\\w$.{}]+)`,
  ).exec(body);
  const [, first, second, step = ''] = added ?? [];
  return valueOf(step, numbers) * ((first ?? second) === '-' ? -1 : 1);
}

function startOf(name: string, { text, numbers }: Pick<Known, 'text' | 'numbers'>): number {
  const match = new RegExp(`(?:^|[;\\s(])${name}(?::[ \\t]*\\w+)?[ \\t]*=[ \\t]*(\\w+)(?![\\w.(])`).exec(text);
  return valueOf(match?.[1] ?? '', numbers);
}

const CLOCK = String.raw`(?:(?:time\.)?(?:time|monotonic|perf_counter)\(\)|(?:\w+\.){0,2}(?:now|utcnow)\([^()\n]{0,30}\)|(?:Date|performance)\.now\(\)|\$?\{?SECONDS\b\}?|["']?\$\(date \+%s\)["']?)`;
const DELTA = String.raw`(?:(?:datetime\.)?timedelta\(\w+[ \t]*=[ \t]*)?(${PRODUCT})`;

/** The time after which the clock ends a loop; NaN if it does not. */
function clockOf(loop: Loop, known: Known): number {
  const { text, isNode } = known;
  const whole = `${loop.head}\n${loop.body}`;
  if (!new RegExp(CLOCK).test(whole)) return NaN;
  const scale = isNode ? 1 / 1000 : 1;
  const since = new RegExp(String.raw`${CLOCK}[ \t]*-[ \t]*\$?\w+[ \t)]*${LESS}[ \t]*(${PRODUCT})`).exec(whole);
  if (since !== null) return lengthOf(since[1] ?? '', { known, at: loop.at }) * scale;
  const seconds = new RegExp(String.raw`(?:\$?\{?SECONDS\b\}?)["']?[ \t]*${LESS}[ \t]*(${PRODUCT})`).exec(whole);
  const reset = /^[ \t]*SECONDS=0\b/m.test(text);
  if (seconds !== null && reset) return lengthOf(seconds[1] ?? '', { known, at: loop.at });
  const ends = [
    ...text.matchAll(
      new RegExp(
        String.raw`(?<![\w.$])(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*(?:\$\(\()?[ \t]*${CLOCK}[ \t]*\+[ \t]*${DELTA}`,
        'g',
      ),
    ),
  ].filter(({ 1: name = '' }) => isCompared(name, whole));
  const [end] = ends;
  if (end === undefined || ends.length > 1) return NaN;
  const unit = /timedelta\((\w+)/.exec(end[0])?.[1];
  const factor = unit === undefined ? scale : (DELTA_UNITS[unit] ?? NaN);
  return lengthOf(end[2] ?? '', { known, at: loop.at }) * factor;
}

const DELTA_UNITS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600 };

function isCompared(name: string, loop: string): boolean {
  const word = `["']?\\$?\\{?${name}\\b\\}?["']?`;
  return new RegExp(`${CLOCK}[ \\t]*${LESS}[ \\t]*${word}|(?<![\\w.])${word}[ \\t]*${LESS}[ \\t]*${CLOCK}`).test(loop);
}

/** The value of a product; of a parameter, the largest that the calls of the function pass. */
function lengthOf(product: string, { known, at }: { readonly known: Known; readonly at: number }): number {
  const { text, numbers, functions } = known;
  const owner = functions.find((one) => one.at < at && at < one.end && one.params.includes(product));
  if (owner === undefined) return valueOf(product, numbers);
  return Math.max(...argumentsFor(text, owner, product).map((argument) => valueOf(argument, numbers)), -Infinity);
}

/** What prints, or may print. */
const PRINTS =
  /\b(?:run|call|write)\(|\b(?:echo|printf|cat|tee|print|console\.\w+|stdout|stderr|log|logg\w+|notify|progress|curl|wget|Popen|spawn\w*|exec\w*|make|npm|docker|kubectl|ssh|gh|git|system)\b(?![^\n]*>[ \t]*\/dev\/null)|(?:^|[;&|!][ \t]*|\b(?:if|while|until|do|then)[ \t]+)["']?\.{0,2}\/[\w./-]+(?![^\n]*>[ \t]*\/dev\/null)/m;

/** True for a body of a loop that may print before the loop ends, itself or by a function of the script. */
function mayPrint(body: string, { text, functions, isBash }: Known): boolean {
  if (PRINTS.test(printable(body, isBash))) return true;
  const called = functions.filter(({ name }) => new RegExp(`(?<![\\w.])${name}(?:\\(|(?=[ \\t\\n;)]))`).test(body));
  return called.some(({ at, end }) => PRINTS.test(printable(text.slice(at, end), isBash)));
}

/** The output of a command that becomes a value, and a quiet request. */
const CAPTURED = /\$\([^()\n]{0,200}\)/g;
const QUIET = /\bcurl\b(?=[^\n]*[ \t]-[a-zA-Z]*s)(?=[^\n]*(?:[ \t]-o|>[ \t]*["'$\w/]))/g;
const LEAVES = /\b(?:break|exit|return|raise|throw)\b/;

/** A text without what prints only as the loop ends, to a file, or as a value. */
function printable(body: string, isBash: boolean): string {
  const lines = body.split('\n');
  const next = (index: number): string => lines.slice(index + 1).find((line) => line.trim() !== '') ?? '';
  return lines
    .filter(
      (line, index) =>
        !LEAVES.test(line) && !(/^\s*(?:echo|printf|print|console)\b/.test(line) && LEAVES.test(next(index))),
    )
    .filter((line) => !/^\s*(?:echo|printf)\b[^\n]*[^-=]>>?[ \t]*["']?[$\w./-]+["']?[ \t]*$/.test(line))
    .map((line) =>
      isBash
        ? line.replace(CAPTURED, ' ').replace(QUIET, ' ')
        : line.replace(/\.(?:call|run)\b(?=[^\n]*capture_output)/g, ' '),
    )
    .join('\n');
}

/** What is known of the script. */
interface Known {
  readonly text: string;
  readonly numbers: ReadonlyMap<string, number>;
  readonly functions: readonly NamedFunction[];
  readonly isNode: boolean;
  readonly isBash: boolean;
}

/** The loops that print nothing, with the time that they wait at most. */
export function* silentLoops(state: ScriptState, text: string, pauses: readonly Pause[]): Generator<Pause> {
  const executor = executorOf(state.file);
  const known = {
    text,
    numbers: numbersIn(text),
    functions: functionsIn(text),
    isNode: executor === 'node',
    isBash: executor === 'bash',
  };
  for (const loop of loopsIn(state, text)) {
    const inside = pauses.filter(({ at }) => at >= loop.at && at < loop.end);
    const [pause] = inside;
    if (pause === undefined || mayPrint(loop.body, known)) continue;
    const byClock = clockOf(loop, known);
    const byRounds = roundsOf(loop, known) * Math.min(...inside.map(({ seconds }) => seconds));
    const lengths = [byClock, byRounds].filter((seconds) => seconds > 0 && Number.isFinite(seconds));
    if (lengths.length > 0) yield { ...pause, seconds: Math.min(...lengths) };
  }
}
