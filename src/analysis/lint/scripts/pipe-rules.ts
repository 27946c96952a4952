// Rules about the pipelines of bash: what their parts assign is lost, and their exit code is that of the last command.
import type { Pipeline, Statement, SyntaxNode } from 'unbash';
import { executorOf } from '../../../protocol/language/resolve.js';
import { commandLine, type ShellScript } from '../../shell/shell.js';
import { isOptionSet, nodesOf } from '../../shell/walk.js';
import { mistakesOf, plainText, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { isUsedAfter, lostInSubshells } from './subshell-assignments.js';

function* lostVariables(state: ScriptState): Generator<Mistake> {
  const piped = [...lostInPipes(state)];
  yield* piped;
  const lines = new Set(piped.map(({ at }) => at));
  for (const mistake of lostInSubshells(state)) if (!lines.has(mistake.at)) yield mistake;
}

/** What a part of a pipeline assigns is lost behind it. */
function* lostInPipes(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = searchableText(state);
  if (shell === undefined || /\blastpipe\b/.test(text)) return;
  for (const { commands } of nodesOf(shell.ast, 'Pipeline')) {
    const last = commands.at(-1);
    if (commands.length < 2 || last === undefined) continue;
    const name = assignedIn(last, shell).find((one) => isUsedAfter(one, { shell, text, end: last.end }));
    if (name === undefined) continue;
    const isLoop = last.type !== 'Command';
    yield {
      at: last.pos,
      message: `this ${isLoop ? 'loop' : 'command'} is part of a pipeline, so bash runs it in a process of its own: after ${isLoop ? 'the loop' : 'it'}, ${name} has its old value`,
      fix: isLoop
        ? 'replace the pipe: end the loop with done < <(command)'
        : `replace the pipe: write ${commandLine(last)?.name ?? 'read'} … < <(command)`,
    };
  }
}

/** The variables that the last part of a pipeline sets. */
function assignedIn(node: Pipeline['commands'][number], shell: ShellScript): readonly string[] {
  switch (node.type) {
    case 'Command':
      return readBy(node);
    case 'Redirected':
      return assignedIn(node.command, shell);
    case 'While':
    case 'For':
    case 'BraceGroup':
      return [
        ...nodesOf(node, 'Command').flatMap(({ name, prefix }) =>
          name === undefined ? prefix.flatMap((part) => (part.type === 'Assignment' ? [part.name] : [])) : [],
        ),
        ...nodesOf(node, 'ArithmeticCommand').flatMap(({ body }) => COUNTS.exec(body)?.[1] ?? []),
        ...(node.type === 'BraceGroup' ? nodesOf(node.body, 'Command').flatMap(readBy) : []),
      ];
    default:
      return [];
  }
}

const COUNTS = /^\s*(?:\+\+)?(\w+)\s*(?:\+\+|--|[-+*]?=(?!=)|$)/;

/** `… | read -r name`, `… | mapfile -t names`. */
function readBy(node: SyntaxNode & { readonly type: 'Command' }): readonly string[] {
  const line = commandLine(node);
  if (line === undefined || !/^(?:read|mapfile|readarray)$/.test(line.name)) return [];
  return line.args.flatMap(({ text }) => (/^[A-Za-z_]\w*$/.test(text) ? [text] : []));
}

/** What ends with the exit code 0 whatever it reads. */
const COPIERS = /^(?:tee|tail|head|cat|sed|sort|tr|cut|uniq|nl|ts|fold|tac|column|logger|wc|less)$/;

/** What does not fail, or whose failure no script tests. */
const HARMLESS = /^(?:echo|printf|cat|ls|sed|sort|head|tail|yes|seq|date|:|true|)$/;

function* statusOfPipes(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = searchableText(state);
  if (shell === undefined) {
    yield* commandsOfPrograms(state);
    return;
  }
  if (/PIPESTATUS|^\s*(?:\.|source)\s/m.test(text)) return;
  for (const pipe of testedPipes(shell, text)) {
    const [first, last] = [pipe.commands[0], pipe.commands.at(-1)];
    if (first?.type !== 'Command' || last?.type !== 'Command') continue;
    const [program, end] = [commandLine(first)?.name ?? '', commandLine(last)?.name ?? ''];
    if (HARMLESS.test(program) || !COPIERS.test(end) || shell.functions.has(end)) continue;
    if (isOptionSet(shell, { at: pipe.pos, name: 'pipefail' })) continue;
    yield {
      at: pipe.pos,
      message: `this tests the exit code of ${end}, which is 0 also if ${program} fails`,
      fix: 'write set -o pipefail at the top of the script',
    };
  }
}

/** The pipelines whose exit code is tested. */
function testedPipes({ ast }: ShellScript, text: string): readonly Pipeline[] {
  const conditions = [
    ...nodesOf(ast, 'If').map(({ clause }) => clause),
    ...nodesOf(ast, 'Elif').map(({ clause }) => clause),
    ...nodesOf(ast, 'While').map(({ clause }) => clause),
  ].flatMap(({ commands }) => commands.slice(-1).map(({ command }) => command));
  const alternatives = nodesOf(ast, 'AndOr').flatMap(({ commands, operators }) => {
    const index = operators.indexOf('||');
    // `… || true` only lets the script continue.
    const isHarmless = /^(?:true|:|echo|printf)\b(?![^\n]*<)/.test(text.slice(commands[index + 1]?.pos));
    return index < 0 || isHarmless ? [] : commands.slice(0, 1);
  });
  const lists = [ast, ...nodesOf(ast, 'CompoundList')].map(({ commands }) => commands);
  return [...conditions, ...alternatives, ...lists.flatMap((list) => beforeStatus(list, text))].flatMap(pipesOf);
}

/** What stands before a statement that reads `$?`. */
function beforeStatus(list: readonly Statement[], text: string): readonly Statement['command'][] {
  return list.flatMap(({ command }, index) => {
    const next = list[index + 1]?.command;
    const isRead =
      next !== undefined &&
      /^(?:\w+=["']?\$\?|(?:if\s+)?(?:!\s+)?(?:\[\[?|test|\(\()\s+["']?\$\?)/.test(text.slice(next.pos, next.end));
    return isRead ? [command] : [];
  });
}

/** A pipeline, or that of `output=$(…)`. */
function pipesOf(node: Statement['command']): readonly Pipeline[] {
  if (node.type === 'Pipeline') return node.commands.length > 1 ? [node] : node.commands.flatMap(pipesOf);
  if (node.type === 'AndOr') return node.commands.slice(0, 1).flatMap(pipesOf);
  const [assignment] = node.type === 'Command' && node.name === undefined ? node.prefix : [];
  if (assignment?.type !== 'Assignment' || assignment.value.type !== 'Word') return [];
  const [part] = assignment.value.parts ?? [];
  const inner = part?.type === 'DoubleQuoted' ? part.parts[0] : part;
  if (inner?.type !== 'CommandExpansion' || inner.script?.source !== undefined) return [];
  return (inner.script?.commands ?? [])
    .slice(-1)
    .flatMap(({ command }) => pipesOf(command))
    .filter(({ commands: [first] }) => first?.type !== 'Command' || !SEARCHES.test(first.name?.value ?? ''));
}

/** Whose output says as much as its exit code. */
const SEARCHES = /^(?:grep|egrep|fgrep|rg|awk|find|jq|diff|cut)$/;

/** `subprocess.run("npm test | tee log", shell=True)`: sh has no pipefail. */
function* commandsOfPrograms(state: ScriptState): Generator<Mistake> {
  const text = plainText(state);
  const call =
    executorOf(state.file) === 'python'
      ? /\b(?:subprocess\.(?:run|call|check_call|check_output)|os\.system)\(\s*f?["'](?!echo|printf|cat)(\w[\w-]*)[^"'\n|]*\|\s*(tee|tail|head)\b/
      : /\b(?:execSync|exec)\(\s*["'`](?!echo|printf|cat)(\w[\w-]*)[^"'`\n|]*\|\s*(tee|tail|head)\b/;
  const match = /pipefail/.test(text) ? null : call.exec(text);
  if (
    match === null ||
    !/\breturncode\b|check=True|check_call|CalledProcessError|\bcatch\b|os\.system|\bif\b[^\n]*\bcall\(/.test(text)
  )
    return;
  yield {
    at: match.index,
    message: `the exit code of this command is that of ${match[2]}, which is 0 also if ${match[1]} fails`,
    fix: 'write the output to a file in the program, without a pipe',
  };
}

/** Rules about pipelines. */
export const PIPE_RULES: readonly Rule[] = [
  {
    id: 'lost-assignment',
    severity: 'warning',
    summary:
      'A bash script sets a variable in a pipeline, in ( ), in $( ) or in the background, but later uses the variable, which then has its old value.',
    why: 'bash runs each part of a pipeline in a process of its own, so after a loop in a pipeline the variable has the value that it had before. The same is true of … | read name, of the commands in ( ) and $( ), and of those with & behind them, also if a function sets the variable.',
    check: (analysis) => mistakesOf(analysis, lostVariables),
  },
  {
    id: 'status-of-pipe',
    severity: 'warning',
    summary:
      'A script tests the exit code of a pipeline, but this is the exit code of the last command only, such as tee.',
    why: 'Without set -o pipefail, if npm test | tee log is true also if the tests fail: tee has succeeded.',
    check: (analysis) => mistakesOf(analysis, statusOfPipes),
  },
];
