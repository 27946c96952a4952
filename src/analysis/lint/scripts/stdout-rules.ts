// A rule about scripts that send their own stdout to a file, before they print their tag.
import type { Redirection, SyntaxNode } from 'unbash';
import { executorOf } from '../../../protocol/language/resolve.js';
import { outputOf, type CommandLine, type ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';
import { mistakesOf, plainText, TAG, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';

function* lostStdout(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  if (shell !== undefined) yield* lostInShell(shell);
  else yield* lostInProgram(state);
}

/** `exec >file`, and a tag behind it. */
function* lostInShell(shell: ShellScript): Generator<Mistake> {
  const moves = nodesOf(shell.ast, 'Command').filter(
    ({ name, args, redirects }) => name?.value === 'exec' && args.length === 0 && outputOf(redirects) !== undefined,
  );
  const [first] = moves;
  const target = first && outputOf(first.redirects);
  // A second one may undo the first.
  if (first === undefined || target === undefined || moves.length > 1 || !isLost(first.redirects, target)) return;
  if (/\/dev\/(?:stdout|fd|tty)/.test(shell.text)) return;
  const { pos: at, end } = first;
  const rest = shell.text.slice(end);
  if (/[})\]]\s*1?>&\s*["']?[$\d]|\bexec\s+(?:1?>|\{)/.test(rest) || isInSubshell(shell, at)) return;
  if (first.redirects.some(isSaved) && shell.commands.some((line) => line.at > at && printsTo(line))) return;
  const tag = shell.commands.find((line) => isPrintedAfter(line, { shell, at }) && !isRedirected(shell, line.at));
  if (tag === undefined) return;
  yield {
    at,
    message: `from here on, stdout goes to ${target === 'stderr' ? 'stderr' : 'a file'}, so the tags below do not reach Raymond`,
    fix: `write exec 3>&1 before it, and print the tag with >&3`,
  };
}

/** `3>&1`: stdout is kept under another number. */
function isSaved(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect') return false;
  const { operator, descriptor, target } = redirect;
  return operator === '>&' && target?.value === '1' && (descriptor?.type !== 'FileDescriptor' || descriptor.value > 2);
}

/** `echo '<goto>NEXT</goto>' >&3`. */
function printsTo({ args, stdin, output }: CommandLine): boolean {
  return /^[3-9]$/.test(output ?? '') && [...args, ...stdin].some(({ text }) => TAG.test(text));
}

/** Another descriptor, or a program, may lead to stdout. */
function isLost(redirects: readonly Redirection[], target: string): boolean {
  const isCopy = redirects.some(({ operator, descriptor }) => operator === '>&' && descriptor === undefined);
  return target === 'stderr' || (!/^(?:\d+|-|>\(.*)$/.test(target) && !isCopy);
}

function isInSubshell({ ast, functions }: ShellScript, at: number): boolean {
  const isAround = ({ pos, end }: { readonly pos: number; readonly end: number }): boolean => at >= pos && at < end;
  const others = [...nodesOf(ast, 'Subshell'), ...nodesOf(ast, 'CommandExpansion'), ...functions.values()];
  return others.some(isAround);
}

/** A command that prints a tag to stdout, itself or by a function. */
function isPrintedAfter(
  { name, args, stdin, at: from, output }: CommandLine,
  { shell, at }: { readonly shell: ShellScript; readonly at: number },
): boolean {
  const body = shell.functions.get(name);
  const isPrinter = /^(?:echo|printf|cat)$/.test(name) || (body !== undefined && !/>&/.test(textOf(body, shell)));
  if (!isPrinter || output !== undefined || ![...args, ...stdin].some(({ text }) => TAG.test(text))) return false;
  if (from > at) return true;
  const around = [...shell.functions].find(([, one]) => from >= one.pos && from < one.end);
  return (
    around !== undefined &&
    shell.commands.some((call) => call.name === around[0] && call.at > at && call.output === undefined)
  );
}

function textOf({ pos, end }: { readonly pos: number; readonly end: number }, { text }: ShellScript): string {
  return text.slice(pos, end);
}

/** True inside of a group whose output goes to another place. */
function isRedirected({ ast }: ShellScript, at: number): boolean {
  return redirectedIn(ast).some(
    ({ pos, end, redirects }) => at >= pos && at < end && outputOf(redirects) !== undefined,
  );
}

function redirectedIn(
  ast: SyntaxNode,
): readonly { readonly pos: number; readonly end: number; readonly redirects: readonly Redirection[] }[] {
  return nodesOf(ast, 'Redirected');
}

const MOVED = {
  python:
    /^[ \t]*sys\.stdout[ \t]*=[ \t]*(?!sys\.__stdout__|io\.TextIOWrapper|codecs|Tee|tee|old|orig|saved|real|stdout)[^\n]+$/gm,
  node: /^[ \t]*(?:console\.log[ \t]*=[ \t]*(?:console\.error|[^\n]*(?:appendFileSync|writeFileSync|stderr|\.write\())|process\.stdout\.write[ \t]*=[ \t]*(?:process\.stderr|\w+\.write)|(?:globalThis\.)?console[ \t]*=[ \t]*new (?:console\.)?Console\()[^\n]*$/gm,
} as const;

/** `sys.stdout = open(…)`, `console.log = console.error`, and a tag behind it. */
function* lostInProgram(state: ScriptState): Generator<Mistake> {
  const executor = executorOf(state.file);
  if (executor !== 'python' && executor !== 'node') return;
  const text = plainText(state);
  const moves = [...text.matchAll(MOVED[executor])];
  const [first] = moves;
  const sets = text.match(
    executor === 'python' ? /\bsys\.stdout[ \t]*=(?!=)/g : /\b(?:console\.log|stdout\.write|console)[ \t]*=(?!=)/g,
  );
  if (first === undefined || sets?.length !== 1) return;
  const rest = text.slice(first.index + first[0].length);
  const call = executor === 'python' ? /^[ \t]*print\([^\n]*/gm : /\bconsole\.log\([^\n]*/g;
  const isPrinted = [...rest.matchAll(call)].some(([line]) => TAG.test(line) && !/\bfile[ \t]*=|__stdout__/.test(line));
  const isOther = executor === 'node' && /stdout/.test(first[0]) && !/writeSync\(1|fd: ?1/.test(rest);
  if (!isPrinted || (executor === 'node' && !isOther && !/console/.test(first[0]))) return;
  yield {
    at: first.index + first[0].search(/\S/),
    message: 'from here on, stdout goes to another place, so the tags below do not reach Raymond',
    fix: executor === 'python' ? 'print the log lines with file=…' : 'write the log lines with another function',
  };
}

/** The rule about stdout. */
export const STDOUT_RULES: readonly Rule[] = [
  {
    id: 'stdout-redirected',
    severity: 'warning',
    summary: 'A script sends its stdout to a file, for example with exec >log, and then prints its tag into this file.',
    why: 'Raymond reads the tag from the stdout of a script. After exec >log in bash, or sys.stdout = open(…) in Python, everything that the script prints goes to the file, the tag included.',
    check: (analysis) => mistakesOf(analysis, lostStdout),
  },
];
