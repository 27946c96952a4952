// Finds what a script reads of the agents that <await> gives although it is not there: fields of a result, which is a text; the result of an
// agent that has failed; an agent behind the last one; a state that no agent ends with. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom } from '../../graph.js';
import type { Term } from '../../program/terms.js';
import { evaluationOf } from '../../program/values.js';
import { hasUnknownTargets, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { jsonReads, keysWritten } from '../values/json-reads.js';
import { agentListIn, getsAgents } from './agent-lists.js';
import { agentsInOrder } from './agent-name-rules.js';

/** The mistakes of a script that reads values which the list of agents cannot have. */
export function* valuesMisread(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  if (!getsAgents(analysis, state) || !/\bRAYMOND_(?:INPUT|RESULT)/.test(code)) return;
  const isShell = state.source.script.shell !== undefined;
  const list = isShell ? undefined : agentListIn(code);
  if (!isShell && list === undefined) return;
  const { agents = [], list: name = '' } = list ?? {};
  const one = isShell ? '' : `(?<![\\w.])(?:${agents.join('|')})`;
  const reads = isShell ? SHELL_READS : agents.length === 0 ? [] : programReads(one);
  const fields = {
    message: 'the result of an agent in the list is a text, also if the text is JSON, so it has no fields',
    fix: isShell ? 'write (.result | fromjson)' : 'parse the result as JSON first',
  };
  const found = [...firstOf(code, reads, fields)];
  const kept = found.length > 0 ? undefined : resultWithFields(state);
  yield* kept === undefined ? found : [{ at: kept, ...fields }];
  const absent = isShell ? SHELL_ABSENT : agents.length === 0 ? [] : programAbsent(one);
  yield* firstOf(code, absent, {
    message: 'only an agent with the status completed has a result, and only one with the status failed has an error',
    fix: 'read error of an agent that has failed, and result of an agent that has completed',
  });
  yield* beyondTheEnd(analysis, { code, name, isShell });
  yield* statesPassedThrough(analysis, { code, one, isShell });
}

/** Where a program takes the result of an agent that it does not parse, and of which it reads a field in another place. */
function resultWithFields(state: ScriptState): number | undefined {
  const { program } = state.source.script;
  const isResult = ({ of, path }: { readonly of: string; readonly path: readonly string[] }): boolean =>
    /^RAYMOND_(?:INPUT|RESULT)$/.test(of) && path.join() === '*,result';
  const read = jsonReads(state).find(isResult);
  if (program === undefined || read === undefined || keysWritten(program.text).has('result')) return undefined;
  const evaluation = evaluationOf(program);
  const { members, calls } = evaluation.terms;
  const parsed = new Set<Term>(calls.flatMap(({ args }) => args));
  const taken = members.filter(
    (member) =>
      !parsed.has(member) && evaluation.valueOf(member).some((atom) => atom.kind === 'json' && isResult(atom)),
  );
  return taken.map(({ key }) => key.at).sort((one, other) => one - other)[0] ?? read.at;
}

function* firstOf(code: string, patterns: readonly RegExp[], mistake: Omit<Mistake, 'at'>): Generator<Mistake> {
  for (const pattern of patterns) {
    const match = pattern.exec(code);
    if (match === null) continue;
    yield { at: match.index + match[0].lastIndexOf(match[1] ?? ''), ...mistake };
    return;
  }
}

const SHELL_READS = [
  /\bjq\b[^\n]*?(?:\]|\bmap\(|\|)\s*\.(result)(?:\.[a-z_]\w*|\["\w+"\])/i,
  /\bjq\b[^\n]*?\.\[\d*\]\.(result)(?:\.[a-z_]\w*|\["\w+"\])/i,
];

const SHELL_ABSENT = [
  /select\(\s*\.status\s*==\s*\\?"(?:failed|cancelled|lost)\\?"\s*\)\s*(?:\||\))?\s*\.(result)\b/,
  /select\(\s*\.status\s*!=\s*\\?"completed\\?"\s*\)\s*(?:\||\))?\s*\.(result)\b/,
  /select\(\s*\.status\s*==\s*\\?"completed\\?"\s*\)\s*(?:\||\))?\s*\.(error)\b/,
];

const TEXT_MEMBERS =
  'length|trim\\w*|split|includes|startsWith|endsWith|slice|substring|toUpperCase|toLowerCase|replace\\w*|match\\w*|indexOf|lastIndexOf|padEnd|padStart|concat|at|charAt|search|toString|localeCompare|normalize|repeat|codePointAt|charCodeAt';

function programReads(one: string): readonly RegExp[] {
  return [
    new RegExp(`${one}\\[["'](result)["']\\]\\s*(?:\\[["']\\w+["']\\]|\\.get\\(["'])`),
    new RegExp(`${one}\\??\\.(result)\\??\\.(?!(?:${TEXT_MEMBERS})\\b)[a-z_]\\w*(?!\\w|\\()`, 'i'),
    new RegExp(`${one}\\??\\.(result)\\[["']\\w+["']\\]`),
  ];
}

function programAbsent(one: string): readonly RegExp[] {
  const status = `${one}(?:\\[["']status["']\\]|\\.status|\\.get\\(["']status["']\\))`;
  const result = `${one}(?:\\[["'](result)["']\\]|\\.(result)\\b(?!\\s*(?:\\?\\?|\\|\\|)))`;
  const failed = `(?:${status}\\s*===?\\s*["'](?:failed|cancelled|lost)["']|${status}\\s*!==?\\s*["']completed["'])`;
  return [
    new RegExp(`\\bif\\s*\\(?${failed}\\)?[ \\t]*:?[ \\t]*\\{?[ \\t]*\\n[ \\t]+[^\\n]*?${result}`),
    new RegExp(`\\bif\\s*\\(?${failed}\\)?[ \\t]*:?[ \\t]*\\{?(?:(?!\\b(?:or|and)\\b)[^\\n?:{}|&]){0,60}?${result}`),
    new RegExp(`${result}[^\\n]{0,40}\\bfor\\s+\\w+\\s+in\\s+\\w+\\s+if\\s+${failed}`),
    new RegExp(`filter\\([^\\n]{0,30}=>\\s*${failed}\\s*\\)\\s*\\.map\\([^\\n]{0,30}=>\\s*[^\\n]{0,20}?${result}`),
  ];
}

/** An agent of the list by a position that the list does not have. */
function* beyondTheEnd(
  analysis: Analysis,
  { code, name, isShell }: { readonly code: string; readonly name: string; readonly isShell: boolean },
): Generator<Mistake> {
  const agents = agentsInOrder(analysis);
  if (agents === undefined || (!isShell && !/^\w+$/.test(name))) return;
  const pattern = isShell
    ? /\bjq\b[^\n]*?["'][^"'\n]*?(?<![\w\])])\.\[(\d+)\]/g
    : new RegExp(`(?<![\\w.])${name}\\[(\\d+)\\]`, 'g');
  for (const match of code.matchAll(pattern)) {
    const [whole, number = ''] = match;
    if (Number(number) < agents.length) continue;
    yield {
      at: match.index + whole.lastIndexOf(number),
      message: `the list has only ${agents.length} agents, and their positions begin at 0, so there is none at ${number}`,
      fix: `write 0 to ${agents.length - 1}`,
    };
    return;
  }
}

/** A comparison with a state with which no forked agent ends. */
function* statesPassedThrough(
  analysis: Analysis,
  { code, one, isShell }: { readonly code: string; readonly one: string; readonly isShell: boolean },
): Generator<Mistake> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis) || (!isShell && one.endsWith('(?:)'))) return;
  const forks = allEdges(graph).filter(({ tag, role }) => tag === 'fork' && role === 'target');
  const first = forks.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : []));
  for (const file of reachableFrom(graph, { from: first })) {
    const edges = graph.states.get(file)?.edges ?? [];
    if (edges.length === 0 || edges.some(({ to }) => to.kind !== 'state')) continue;
    const quoted = `\\\\?["']${literalPattern(file)}\\\\?["']`;
    const field = isShell ? '\\.state' : `${one}(?:\\.state|\\[["']state["']\\])`;
    const match = new RegExp(`${field}\\s*===?\\s*${quoted}`).exec(code);
    if (match === null || /status/.test(lineOf(code, match.index))) continue;
    yield {
      at: match.index,
      message: `no agent ends with ${file}: state is the file of the last state of an agent`,
      fix: 'compare with the file of the state that ends with <result>, or find the agent by an attribute of its <fork>',
    };
    return;
  }
}

function lineOf(code: string, at: number): string {
  const end = code.indexOf('\n', at);
  return code.slice(code.lastIndexOf('\n', at) + 1, end < 0 ? code.length : end);
}
