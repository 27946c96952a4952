// Finds programs such as grep and diff that a Python or JavaScript program runs so that their exit code 1 raises an error, though it is no
// failure: nothing was found, or something differs. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { callsOf, type FoundCall } from '../../program/calls.js';
import type { Call } from '../../program/effects.js';
import type { Expression, Program } from '../../program/program.js';
import { plainText, type Mistake, type ScriptState } from '../helpers.js';
import { differs, searcher } from './searchers.js';

/** How a call runs another program. */
interface Run {
  readonly command: string;
  /** True if the program gets the output. */
  readonly isRead: boolean;
  /** Where the program says that the exit code counts. */
  readonly at: number;
}

interface Context {
  readonly program: Program;
  readonly text: string;
  readonly isPython: boolean;
  /** The functions that run what their caller names. */
  readonly helpers: ReadonlySet<string>;
}

/** Reports the first such call. */
export function* failingCalls(state: ScriptState): Generator<Mistake> {
  const { program } = state.source.script;
  const text = plainText(state);
  if (program === undefined || !/\b(?:subprocess|child_process|check_output)\b/.test(text)) return;
  const isPython = executorOf(state.file) === 'python';
  const calls = callsOf(program, isPython ? catchesInPython : () => true);
  const helpers = helpersIn(calls, { program, text, isPython, helpers: new Set() });
  const candidates = calls.filter(({ call, isCaught }) => {
    const run = isCaught ? undefined : runBy(call, { program, text, isPython, helpers });
    return run !== undefined && searcher(run.command) !== undefined;
  });
  for (const found of candidates.slice(0, MOST_CALLS)) {
    const mistake = failing(found, { program, text, isPython, helpers });
    if (mistake === undefined) continue;
    yield mistake;
    return;
  }
}

/** Each is followed through the rest of the program. */
const MOST_CALLS = 30;

function catchesInPython(head: string): boolean {
  return /^except\s*:|\b(?:CalledProcessError|SubprocessError|Exception|BaseException)\b/.test(head);
}

function failing({ call, inFunction }: FoundCall, context: Context): Mistake | undefined {
  const run = runBy(call, context);
  const program = run === undefined ? undefined : searcher(run.command);
  if (run === undefined || program === undefined || !run.isRead) return undefined;
  if (!differs(program) && !isTestedForNothing({ call, inFunction }, context)) return undefined;
  return {
    at: run.at,
    message: `${program} has the exit code 1 ${differs(program) ? 'when it finds a difference' : 'when it finds nothing'}, so this call raises an error, which ends the script without a tag`,
    fix: context.isPython
      ? 'run it without check=True, and test returncode: 1 is no failure'
      : 'use spawnSync, and test status: 1 is no failure',
  };
}

/** The command that a call runs so that an exit code other than 0 raises an error. */
function runBy(call: Call, context: Context): Run | undefined {
  const { name, args } = call;
  const throwing = throwingCall(call, context);
  if (throwing !== undefined) return { command: commandOf(args), ...throwing };
  return context.helpers.has(name) ? { command: commandOf(args), isRead: true, at: call.at } : undefined;
}

function throwingCall({ name, args, named, at }: Call, { text, isPython }: Context): Omit<Run, 'command'> | undefined {
  const textOf = (part: Expression | undefined): string => (part === undefined ? '' : text.slice(part.at, part.end));
  if (isPython) {
    const [, method] = /^(?:(?:subprocess|sp)\.)?(run|check_output|check_call)$/.exec(name) ?? [];
    if (method === undefined || (method === 'run' && textOf(named.get('check')) !== 'True')) return undefined;
    const isRead = method === 'check_output' || named.has('capture_output') || isKept(textOf(named.get('stdout')));
    return { isRead, at: named.get('check')?.at ?? at };
  }
  const isPromise =
    text.includes('promisify(') &&
    new RegExp(`\\b${name.replace(/\W/g, '')}\\s*=\\s*(?:util\\.)?promisify\\(\\s*(?:\\w+\\.)?exec`).test(text);
  if (!isPromise && !/^(?:\w+\.)?exec(?:File)?Sync$/.test(name)) return undefined;
  return { at, isRead: !args.some((arg) => /stdio:\s*["'](?:inherit|ignore)/.test(textOf(arg))) };
}

/** True for a pipe or a file. */
function isKept(stdout: string): boolean {
  return stdout !== '' && !/\bDEVNULL$/.test(stdout);
}

/** The words of a command as far as they are literals; of a pipeline, those of its last part. */
function commandOf(args: readonly Expression[]): string {
  const words = args.flatMap((arg) => (arg.kind === 'other' ? arg.parts : [arg])).map(literalOf);
  const command = words.join(' ').trim();
  if (/\|\||;/.test(command)) return '';
  return (command.split(/\||&&/).at(-1) ?? '').trim();
}

function literalOf(part: Expression): string {
  if (part.kind === 'text') return part.text.text;
  return part.kind === 'join' ? part.parts.map(literalOf).join('') : '…';
}

/** The functions that hand their parameters to such a call, without a `try`. */
function helpersIn(calls: readonly FoundCall[], context: Context): ReadonlySet<string> {
  const names = calls.flatMap(({ call, inFunction, isCaught }) => {
    const body = inFunction === undefined ? undefined : context.program.functions.get(inFunction);
    if (inFunction === undefined || body === undefined || isCaught) return [];
    if (throwingCall(call, context)?.isRead !== true) return [];
    const [first] = call.args;
    const words = first === undefined ? '' : context.text.slice(first.at, first.end);
    const head = context.text.slice(body.at, first?.at ?? body.at).split(/\)\s*(?:->[^:\n]*)?[:{]|=>/)[0] ?? '';
    const [, given] = /^[[(\s*.]*(\w+)[\])\s]*$/.exec(words) ?? [];
    return given !== undefined && new RegExp(`[(,\\s*.]${given}\\b`).test(head) ? [inFunction] : [];
  });
  return new Set(names);
}

/** True if the program asks below whether the output of a call, or what is made of it, is empty. */
function isTestedForNothing({ call, inFunction }: Pick<FoundCall, 'call' | 'inFunction'>, context: Context): boolean {
  const { text } = context;
  const lineAt = text.lastIndexOf('\n', call.at) + 1;
  const assigned =
    /^[ \t]*(?:(?:const|let|var)[ \t]+)?(?:\{\s*(?:stdout\s*:\s*)?)?(\w+)(?:\s*\})?(?:[ \t]*:[^=\n]{1,40})?[ \t]*=(?!=)/.exec(
      text.slice(lineAt, call.at),
    )?.[1];
  const isReturned = /\breturn\b/.test(text.slice(lineAt, call.at));
  const name = assigned ?? (isReturned ? inFunction : undefined);
  if (name === undefined) return false;
  const names = new Set([name]);
  const from = assigned === undefined ? 0 : lineAt;
  for (const [, target = '', value = ''] of text
    .slice(from)
    .matchAll(/^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[^=\n]{1,40})?[ \t]*=(?!=)[ \t]*([^\n]*)/gm))
    if (value.match(/\w+/g)?.some((word) => names.has(word)) === true) names.add(target);
  return isAskedForNothing([...names].join('|'), text.slice(from));
}

function isAskedForNothing(names: string, text: string): boolean {
  const one = `(?<![\\w.])(?:${names})(?:\\.(?:strip|trim|splitlines)\\(\\))?`;
  return new RegExp(
    [
      `\\b(?:if|elif|while)[ \\t]*\\(?[ \\t]*(?:not[ \\t]+|!)?${one}[ \\t]*(?::|\\)|\\band\\b|&&)`,
      `(?:\\bnot[ \\t]+|!)${one}(?![\\w(.])`,
      `\\blen\\([ \\t]*${one}[ \\t]*\\)[ \\t]*(?:==|!=|>|<)`,
      `${one}\\.length\\b[ \\t]*(?:[=!]==?|>|<|\\?|\\))`,
      `${one}[ \\t]*[=!]==?[ \\t]*(?:""|''|0|\\[\\])(?![\\w.])`,
      `\\bif[ \\t]+${one}[ \\t]+else\\b|${one}[ \\t]*\\?(?![.?])`,
    ].join('|'),
  ).test(text);
}
