// The rule about names of forked agents: they have only the first six characters of the state, in lower case, and the numbers of a parent
// begin at 1 and count all its forks.
import { stem } from '../../../protocol/ids.js';
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom, type Edge } from '../../graph.js';
import { isFork, isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, plainText, statesOf, textOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** The part of an agent's name that a fork gives it. */
interface Forked {
  /** The whole name of the state or workflow, in lower case. */
  readonly name: string;
  readonly short: string;
}

function forkedOf({ to }: Edge): readonly Forked[] {
  if (to.kind === 'state') return [named(stem(to.file))];
  if (to.kind !== 'workflow') return [];
  const parts = to.specifier.split(/[/\\]/).filter((part) => part !== '' && !/^\.\.?$/.test(part));
  return parts.slice(-2).map((part) => named(part.replace(/\.\w+$/, '')));
}

function named(name: string): Forked {
  const lower = name.toLowerCase();
  return { name: lower, short: Array.from(lower).slice(0, 6).join('') };
}

/** What stands before the part that a fork gives: `main_`, or the name of the parent in a variable. */
const PARENT = String.raw`(?<![\w-])(?:main|\$\{?RAYMOND_AGENT_ID\}|\{\{agent_id\}\}|\{(?:os\.)?environ\[["']RAYMOND_AGENT_ID["']\]\}|\$\{process\.env\.RAYMOND_AGENT_ID\}ALIASES)_`;

/** The pattern of a parent in a script, which may have its name in a variable. */
function parentIn(code: string): string {
  const assigned = /(?<![\w.$])(\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?=(?!=)[^\n=]{0,40}\bRAYMOND_AGENT_ID\b/g;
  const names = [...code.matchAll(assigned)].map(([, name = '']) => `|\\$?\\{${name}\\}`);
  return PARENT.replace('ALIASES', names.join(''));
}

/** A number, or a variable in the place of a number. */
const NUMBER = String.raw`(\d+|(?=\$?\{|\$\w|%[ds]|["'\`]\s*(?:\+|\.\s|,\s*\w+\s*\)|\))))`;

function* wrongNames(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const forks = allEdges(analysis.graph).filter(isFork);
  const all = forks.flatMap(forkedOf);
  const order = agentsInOrder(analysis);
  for (const state of statesOf(analysis)) {
    const text = textOf(state);
    const code = plainText(state);
    if (text === undefined || !/main_|RAYMOND_AGENT_ID|\{\{agent_id\}\}_/.test(code)) continue;
    const found = firstWrong(code, { all, order });
    if (found === undefined) continue;
    const { at, ...rest } = found;
    yield { at: text.at(at), state: state.file, ...rest };
  }
}

type Found = Omit<FindingDetails, 'at'> & { readonly at: number };

function firstWrong(
  code: string,
  { all, order }: { readonly all: readonly Forked[]; readonly order: readonly string[] | undefined },
): Found | undefined {
  const shorts = new Set(all.map(({ short }) => short));
  const parent = parentIn(code);
  for (const { name, short } of all) {
    const pattern = new RegExp(`${parent}(${literalPattern(name)}|${literalPattern(short)})${NUMBER}`, 'gi');
    for (const match of code.matchAll(pattern)) {
      const [whole, written = '', number = ''] = match;
      const wrong = problemOf({ written, number, short, shorts, order });
      if (wrong !== undefined)
        return { at: match.index, ...wrong, message: `no agent is called ${whole}: ${wrong.message}` };
    }
  }
  return undefined;
}

interface Written {
  readonly written: string;
  readonly number: string;
  readonly short: string;
  readonly shorts: ReadonlySet<string>;
  readonly order: readonly string[] | undefined;
}

function problemOf({ written, number, short, shorts, order }: Written): { message: string; fix: string } | undefined {
  if (written !== short) {
    if (shorts.has(written)) return undefined;
    return {
      message: 'the name of a forked agent has only the first six characters of its state, in lower case',
      fix: `write ${short}${number} in the place of ${written}${number}, or find the agent by an attribute of its <fork>`,
    };
  }
  if (/^0+$/.test(number)) return { message: 'the numbers of the forks begin at 1', fix: 'count from 1' };
  if (order === undefined || number === '' || order.includes(`${short}${number}`)) return undefined;
  return {
    message: `each parent numbers all its forks, so the agents here are ${order.map((one) => `main_${one}`).join(', ')}`,
    fix: 'use one of these names, or find the agent by its state or an attribute of its <fork>',
  };
}

/** The names of all agents without `main_`, if one script forks all of them in one output that is known. */
export function agentsInOrder({ graph, reached }: Analysis): readonly string[] | undefined {
  const forks = allEdges(graph).filter(isFork);
  const [file, ...others] = [...new Set(forks.map(({ from }) => from))];
  const state = file === undefined ? undefined : graph.states.get(file);
  if (file === undefined || others.length > 0 || state?.source.kind !== 'script' || !reached.has(file))
    return undefined;
  const forked = reachableFrom(graph, { from: forks.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : [])) });
  const next = state.edges.flatMap((edge) => (edge.to.kind === 'state' && isOwnTransition(edge) ? [edge.to.file] : []));
  const returns = reachableFrom(graph, { from: next, accepts: isOwnTransition }).has(file);
  const { flow } = state.source.script;
  if (forked.has(file) || returns || flow?.isComplete !== true || flow.repeated.length > 0) return undefined;
  const printed = flow.paths.filter(({ status }) => status !== 'false');
  const [path] = printed;
  if (path === undefined || printed.length > 1 || path.isOpen || forks.some(({ to }) => to.kind !== 'state'))
    return undefined;
  const tags = [...path.text.text.matchAll(/<fork\b[^<>]*>\s*([\w-]+)(?:\.\w+)?\s*<\/fork>/g)];
  if (tags.length !== (path.text.text.match(/<fork\b/g) ?? []).length) return undefined;
  return tags.map(([, name = ''], index) => `${named(name).short}${index + 1}`);
}

/** The rule, for the table of all rules. */
export const AGENT_NAME_RULES: readonly Rule[] = [
  {
    id: 'unknown-agent-name',
    severity: 'warning',
    summary:
      'A state uses the name of a forked agent, but no forked agent has this name. The name of an agent contains only six characters of the name of its state.',
    why: 'The name of a forked agent is the name of its parent, a "_", the first six characters of the state in lower case, and a number. Each parent numbers all its forks 1, 2, 3, whatever their states are.',
    check: wrongNames,
  },
];
