// Rules about the conditions and the loops of scripts: a test that gives always the same, and a loop that nothing ends.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { Program, Step } from '../../program/program.js';
import type { ShellLoop, ShellScript } from '../../shell/shell.js';
import { mistakesOf, scriptsOf, searchableText, TAG, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { exitsTooEarly } from './tagless-programs.js';

function* constant({ source, file }: ScriptState): Generator<Mistake> {
  const { raw } = source;
  const { shell } = source.script;
  if (shell !== undefined) {
    yield* shellTests(shell);
    yield* firstStatus(searchableText({ source }));
  } else if (executorOf(file) === 'python') yield* guards(raw.text);
  else if (executorOf(file) === 'node') yield* assignments(raw.text);
}

/** `$?` where no command has run yet, so that it says nothing of the state before. */
function* firstStatus(text: string): Generator<Mistake> {
  const quiet = String.raw`(?:[ \t]*(?:set[ \t]+[-+][^\n;$]*|(?:readonly[ \t]+|export[ \t]+)?[A-Za-z_]\w*=[^\s$\x60;()]*[ \t]*)?[\n;])*`;
  const opening = String.raw`[ \t]*(?:(?:if|while|until|case|echo|readonly|local|declare)[ \t]+)?(?:![ \t]*)?(?:\[\[?[ \t]+|\(\([ \t]*|test[ \t]+)?(?:\w+=)?["']?`;
  const found = new RegExp(`^${quiet}${opening}(?=\\$\\{?\\?|\\$\\{PIPESTATUS)`).exec(text);
  if (found !== null)
    yield {
      at: found[0].length,
      message: '$? is always 0 here: no command of this script has run yet, and the state before has no exit status',
      fix: 'test the value in RAYMOND_RESULT or RAYMOND_INPUT',
    };
}

/** `[` is a command: what is between the brackets must be words of their own. */
function* shellTests({ commands }: ShellScript): Generator<Mistake> {
  for (const { name, args, at, output } of commands) {
    const words = name === '[' ? args.slice(0, -1) : args;
    const [word] = words;
    if (/^\[[^[\]]|^\[\[[^\s\]:]/.test(name))
      yield {
        at,
        message: `${name.startsWith('[[') ? '[[' : '['} begins a test only if a blank follows`,
        fix: 'write a blank after it',
      };
    else if (name !== '[' && name !== 'test') continue;
    else if (name === '[' && args.at(-1)?.text !== ']')
      yield { at, message: 'the test fails, because its ] is not a word of its own', fix: 'write a blank before ]' };
    else if (output !== undefined && /^-?[\w\uE000]+$/.test(output) && words.length === 1)
      yield {
        at,
        message: `this test writes the file ${output.replaceAll('\uE000', '…')}, because > does not compare here`,
        fix: 'write -gt, or [[ … ]] to compare texts',
      };
    else if (words.length === 1 && word !== undefined && /.!?={1,2}./.test(word.text))
      yield {
        at,
        message: 'this test is always true: without blanks, bash reads it as one word',
        fix: 'write blanks around the =',
      };
  }
}

/** `if __name__ == "main"`. */
function* guards(text: string): Generator<Mistake> {
  for (const { index, 1: name = '' } of text.matchAll(/^[ \t]*if\s*\(?\s*__name__\s*==\s*["']([^"'\n]*)["']/gm))
    if (name !== '__main__')
      yield {
        at: index + text.slice(index).search(/\S/),
        message: `this is never true: __name__ is "__main__", not "${name}"`,
        fix: 'write if __name__ == "__main__":',
      };
}

/** `if (done = true)`. */
function* assignments(text: string): Generator<Mistake> {
  for (const { index } of text.matchAll(/^[ \t]*(?:\} *else )?if \(([\w$.]+) = (?:true|false|\d+|'[^']*'|"[^"]*")\)/gm))
    yield {
      at: index + text.slice(index).search(/\S/),
      message: 'this assigns a value instead of comparing',
      fix: 'write ===',
    };
}

function* endless(analysis: Analysis): Generator<FindingDetails> {
  yield* mistakesOf(analysis, (state) => {
    const { shell } = state.source.script;
    return shell === undefined ? [] : shellLoops(shell, searchableText(state));
  });
  for (const { source, file } of scriptsOf(analysis)) {
    const { program } = source.script;
    if (program === undefined || analysis.syntax.has(file)) continue;
    const all = [...program.steps, ...[...program.functions.values()].flatMap(({ body }) => body)];
    for (const step of all.flatMap(loopsIn)) {
      const name = unchangedIn(step, program.text);
      if (name !== undefined) yield { at: source.raw.at(step.at), state: file, ...neverEnds(name) };
    }
  }
}

function neverEnds(name: string): Pick<Mistake, 'message' | 'fix'> {
  return {
    message: `the loop tests ${name}, but nothing in the loop changes it: the test always has the same result`,
    fix: `change ${name} in the loop`,
  };
}

/** What may end a loop besides its test, or change a variable by other means. */
const LEAVES = /\b(?:break|exit|return|exec|eval|source|kill)\b|^\s*\.\s/m;

/** Variables that change by themselves. */
const MOVING = /\$(?:\{?(?:SECONDS|RANDOM|EPOCH\w*|BASHPID|LINENO|[#?!@*1-9])|\()|`|<\(|\bread\b/;

/** Tests of the file system and of whether a variable is set. */
const OUTSIDE = /(?:^|[\s(![])-[a-hkprstuvwxGLNOS]\s/;

const COMPARED = /["']?\$\{?([A-Za-z_]\w*)\}?["']?\s+-(?:lt|le|gt|ge|eq|ne)\s/g;

function* shellLoops(shell: ShellScript, text: string): Generator<Mistake> {
  for (const loop of shell.loops) {
    const test = text.slice(loop.test.at, loop.test.end);
    const body = `${text.slice(loop.body.at, loop.body.end)}\n${functionsIn(shell, text)}`;
    if (MOVING.test(test) || LEAVES.test(body)) continue;
    const names = namesTested(shell, loop, test);
    const [name] = names;
    if (name !== undefined && names.every((one) => !mayChange(one, { test, body })))
      yield { at: loop.at, ...neverEnds(name) };
  }
}

function functionsIn({ functions }: ShellScript, text: string): string {
  return [...functions.values()].map(({ pos, end }) => text.slice(pos, end)).join('\n');
}

/** The variables on which a loop depends; of a test with other commands, only those that count. */
function namesTested(shell: ShellScript, { test: { at, end } }: ShellLoop, test: string): readonly string[] {
  const isIn = (offset: number): boolean => offset >= at && offset < end;
  const isPure = shell.commands.every((command) => !isIn(command.at) || /^(?:\[|test)$/.test(command.name));
  if (!isPure || OUTSIDE.test(test)) return [...test.matchAll(COMPARED)].map(([, name = '']) => name);
  return shell.variables.filter((use) => isIn(use.at) && /^[A-Za-z_]/.test(use.name)).map(({ name }) => name);
}

function mayChange(name: string, { test, body }: { readonly test: string; readonly body: string }): boolean {
  const isWritten = new RegExp(`\\b${name}\\s*(?:\\+\\+|--|[-+*/%]?=(?!=))|(?:\\+\\+|--)\\s*${name}\\b`);
  return isWritten.test(test) || new RegExp(`(?<![$\\w{#!])${name}\\b`).test(body) || /\$\{[^}]*:?=/.test(body);
}

function loopsIn(step: Step): readonly (Step & { readonly kind: 'loop' })[] {
  const inner = listsIn(step).flat().flatMap(loopsIn);
  return step.kind === 'loop' ? [step, ...inner] : inner;
}

/** The lists of steps in a step. */
function listsIn(step: Step): readonly (readonly Step[])[] {
  switch (step.kind) {
    case 'loop':
      return [step.body, step.otherwise];
    case 'block':
      return [step.body];
    case 'choice':
      return step.branches.map(({ body }) => body);
    case 'try':
      return [step.body, ...step.handlers.map(({ body }) => body), step.otherwise, step.last];
    case 'do':
    case 'return':
    case 'throw':
    case 'exit':
    case 'break':
    case 'continue':
      return [];
  }
}

/** The variable of which the end of a `while` depends, if it gets a value once, and before the loop. */
function unchangedIn({ at, end, test, body }: Step & { readonly kind: 'loop' }, text: string): string | undefined {
  const [first] = body;
  const loop = text.slice(at, end);
  const head = text.slice(at, first?.at ?? end).replace(/\s*[:{]?\s*$/, '');
  if (
    test === undefined ||
    !/^while\b/.test(head) ||
    /\b(?:break|return|raise|throw|exit|quit|await|yield)\b/.test(loop)
  )
    return undefined;
  const condition = head.replace(/^while\s*/, '').replace(/(["'])[^"']*\1/g, '');
  if (/[\w\])]\s*\(|[.[\]]|\b(?:True|true|in|is|of)\b/.test(condition)) return undefined;
  const names =
    condition
      .match(/[A-Za-z_$][\w$]*/g)
      ?.filter((word) => !/^(?:not|and|or|False|None|false|null|undefined)$/.test(word)) ?? [];
  const isComparison = /[<>=]/.test(condition);
  // What others get may change without an assignment.
  const handedOut = (name: string): boolean =>
    new RegExp(`(?<![\\w$])${name}\\s*[.[]${isComparison ? '' : `|\\(${name}\\b`}`).test(loop.slice(head.length));
  if (!(isComparison || /^\(?(?:not |!)/.test(condition)) || names.some(handedOut)) return undefined;
  return names.every((name) => assignedOnce(name, { text, before: at })) ? names[0] : undefined;
}

function assignedOnce(name: string, { text, before }: { readonly text: string; readonly before: number }): boolean {
  const word = `(?<![\\w$.])${name.replace(/\$/g, '\\$&')}(?![\\w$])`;
  const all = [
    ...text.matchAll(
      new RegExp(`${word}\\s*(?::[^=\\n]*)?[-+*/%|&:]*=(?!=)|${word}\\s*(?:\\+\\+|--)|(?:\\+\\+|--)${word}`, 'g'),
    ),
  ];
  const isChanged = new RegExp(
    `\\b(?:global|nonlocal|for|as|del|import)\\s[^\\n:]*${word}|${word}\\s*,[^()\\n]*=(?!=)|,\\s*${word}\\s*\\]?\\s*=(?!=)`,
  );
  const [first] = all;
  return first !== undefined && all.length === 1 && first.index < before && !isChanged.test(text);
}

/** Old code may stand behind the end of a script that prints its tag before. */
function printsNone({ source }: ScriptState): boolean {
  return source.script.printed.every(({ text }) => !TAG.test(text));
}

function* unreached(state: ScriptState): Generator<Mistake> {
  const text = searchableText(state);
  for (const { at, end } of state.source.script.shell?.dead ?? []) {
    const index = text.slice(at, end).search(TAG);
    if (index < 0) continue;
    const isCase = /^[^\n]*\)/.test(text.slice(at, end)) && /^[ \t]*\*\)/m.test(text.slice(0, at));
    if (!isCase && !printsNone(state)) continue;
    yield {
      at: at + (isCase ? 0 : index),
      message: isCase ? 'this case is never taken, because *) stands above it' : 'this tag is never reached',
      fix: isCase ? 'write *) last' : 'print it before the script or the loop ends',
    };
  }
}

function* unreachedInPrograms(analysis: Analysis): Generator<FindingDetails> {
  yield* mistakesOf(analysis, unreached);
  for (const state of scriptsOf(analysis)) {
    const { source, file } = state;
    const { program } = source.script;
    if (program === undefined || analysis.syntax.has(file) || !printsNone(state)) continue;
    for (const steps of [program.steps, ...[...program.functions.values()].map(({ body }) => body)])
      for (const at of behindEnd(steps, program))
        yield {
          at: source.raw.at(at),
          state: file,
          message: 'this tag is never reached',
          fix: 'print it before the program or the function ends',
        };
  }
}

/** The tags behind a step that ends its list. */
function behindEnd(steps: readonly Step[], program: Program): readonly number[] {
  const inner = steps.flatMap(listsIn).flatMap((list) => behindEnd(list, program));
  const index = steps.findIndex(
    (step) =>
      /^(?:return|throw|exit|break|continue)$/.test(step.kind) ||
      (step.kind === 'do' && step.value.kind === 'call' && program.effectOf(step.value) === 'exit'),
  );
  const [next, last] = [steps[index + 1], steps.at(-1)];
  if (index < 0 || next === undefined || last === undefined) return inner;
  const tag = program.text.slice(next.at, last.end).search(TAG);
  return tag < 0 ? inner : [...inner, next.at + tag];
}

/** Rules about conditions and loops in scripts. */
export const CONDITION_RULES: readonly Rule[] = [
  {
    id: 'constant-condition',
    severity: 'warning',
    summary:
      'A condition in a script always gives the same result, for example because spaces are missing in a bash test.',
    why: 'Examples: if __name__ == "main" in Python, if (x = 1) in JavaScript, and [ "$a"="b" ], [ $n > 3 ] or [ $n = 3] in bash.',
    check: (analysis) => mistakesOf(analysis, constant),
  },
  {
    id: 'endless-loop',
    severity: 'warning',
    summary: 'A loop inside a script tests a variable that nothing in the loop changes.',
    why: 'The loop never ends, or its counter never stops it. A script has no timeout unless one is set, so its agent waits forever.',
    check: endless,
  },
  {
    id: 'unreached-tag',
    severity: 'warning',
    summary: 'A script prints a tag only in a line that never runs, for example below an exit.',
    why: 'The tag stands behind exit, return or break, or in a case below *).',
    check: (analysis) => [...unreachedInPrograms(analysis), ...mistakesOf(analysis, exitsTooEarly)],
  },
];
