// Rules about the value that <await> gives, a list of the forked agents: which fields they have, and which status.
import { nearest } from '../../../protocol/text.js';
import { allEdges } from '../../graph.js';
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { agentListIn, getsAgents } from './agent-lists.js';
import { valuesMisread } from './agent-values.js';
import { jsonReads, keysWritten } from '../values/json-reads.js';

const FIELDS = ['id', 'state', 'status', 'attributes', 'result', 'error'];
const STATUSES = ['completed', 'failed', 'cancelled', 'lost'];

function* misread(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = searchableText(state);
  if (!getsAgents(analysis, state) || !/\bRAYMOND_(?:INPUT|RESULT)/.test(code)) return;
  const { shell, program } = state.source.script;
  if (program?.isRead === false) return;
  const written = keysWritten(code);
  const found = [...(shell === undefined ? usesInProgram(code) : usesInFilters(code))];
  const byText = found.filter(({ kind, name }) => kind !== 'field' || !written.has(name));
  const uses = [...byText, ...usesFollowed(state, byText)];
  const attributes = namesPassed(analysis);
  for (const use of uses) {
    const mistake = problemOf(use, attributes);
    if (mistake !== undefined) yield { at: use.at, ...mistake };
  }
}

/** How a script reads the list: a field of the list itself, a field or the status of an agent, or one of its attributes. */
interface Use {
  readonly kind: 'list' | 'field' | 'status' | 'attribute';
  readonly name: string;
  readonly at: number;
}

function problemOf({ kind, name }: Use, attributes: ReadonlySet<string> | undefined): Omit<Mistake, 'at'> | undefined {
  if (kind === 'attribute' && attributes === undefined) return undefined;
  if (kind === 'list')
    return {
      message: `the value of <await> is a list of agents, and a list has no field ${name}`,
      fix: `read ${name} of each agent in the list`,
    };
  const known = kind === 'field' ? FIELDS : kind === 'status' ? STATUSES : [...(attributes ?? [])];
  if (known.includes(name)) return undefined;
  const near = nearest(name, known);
  const what = {
    field: `an agent in the value of <await> has no field ${name}; its fields are ${FIELDS.join(', ')}`,
    status: `the status of an agent is never ${name}; it is ${STATUSES.join(', ').replace(/, (?=\w+$)/, ' or ')}`,
    attribute: `no <fork> passes the attribute ${name}${known.length === 0 ? '' : `; the attributes are ${known.join(', ')}`}`,
  }[kind];
  return { message: what, fix: near === undefined ? 'use one of these' : `did you mean ${near}?` };
}

/** What the script reads by names that are followed from the list to an agent; without what is known already. */
function usesFollowed(state: ScriptState, known: readonly Use[]): readonly Use[] {
  return jsonReads(state).flatMap(({ of, path, key: name, at }): readonly Use[] => {
    const kind = /^RAYMOND_(?:INPUT|RESULT)$/.test(of) ? KINDS[path.join(' ')] : undefined;
    const isKnown = known.some((use) => use.name === name && Math.abs(use.at - at) < 3);
    return kind === undefined || isKnown ? [] : [{ kind, name, at }];
  });
}

/** What is at which path of the list. */
const KINDS: Readonly<Record<string, Use['kind']>> = { '': 'list', '*': 'field', '* attributes': 'attribute' };

/** The attributes that the list may have; undefined when they are not known. */
function namesPassed({ graph }: Analysis): ReadonlySet<string> | undefined {
  const forks = allEdges(graph).filter(({ tag, role }) => tag.startsWith('fork') && role === 'target');
  const isOpen = forks.some(
    ({ mention }) => mention.source === 'policy' || mention.malformed !== undefined || mention.stray !== undefined,
  );
  if (isOpen || forks.length === 0) return undefined;
  return new Set(
    forks.flatMap(({ tag, mention }) => [...mention.attributes.keys()].filter((name) => isOwnAttribute(tag, name))),
  );
}

function* found(code: string, pattern: RegExp, kind: Use['kind']): Generator<Use> {
  for (const { index, 0: whole, groups } of code.matchAll(pattern)) {
    const name = groups?.['name'] ?? '';
    yield { kind, name, at: index + whole.lastIndexOf(name) };
  }
}

/** The filters of jq. */
function* usesInFilters(code: string): Generator<Use> {
  for (const { index, 0: whole, 2: filter = '' } of code.matchAll(
    /\bjq\s+(?:-[-\w]+\s+|--arg(?:json)?\s+\w+\s+(?:"[^"]*"|\S+)\s+)*(['"])([^]*?)\1(?=[^|;\n]*RAYMOND_(?:INPUT|RESULT))/g,
  )) {
    const uses = [
      ...found(filter, /^\s*\.(?<name>[A-Za-z_]\w*)/g, 'list'),
      ...found(filter, /\.status\s*[!=]=\s*\\?"(?<name>\w+)\\?"/g, 'status'),
      ...found(filter, /\.attributes\.(?<name>[A-Za-z_]\w*)/g, 'attribute'),
    ];
    for (const use of uses) yield { ...use, at: index + whole.indexOf(filter) + use.at };
  }
}

function* usesInProgram(code: string): Generator<Use> {
  const agentList = agentListIn(code);
  if (agentList === undefined) return;
  const { list, agents } = agentList;
  yield* found(code, new RegExp(`(?<![\\w.])${list}(?:\\[|\\.get\\()["'](?<name>\\w+)["']`, 'g'), 'list');
  for (const agent of agents) {
    const one = `(?<![\\w.])${agent}`;
    yield* found(code, new RegExp(`${one}(?:\\[|\\.get\\()["'](?<name>\\w+)["']`, 'g'), 'field');
    yield* found(
      code,
      new RegExp(`${one}\\??\\.(?!get\\b|items\\b|keys\\b|values\\b)(?<name>[a-z]\\w*)\\b(?!\\()`, 'g'),
      'field',
    );
    yield* found(
      code,
      new RegExp(
        `${one}(?:\\[["']status["']\\]|\\.status|\\.get\\(["']status["']\\))\\s*[!=]==?\\s*["'](?<name>\\w+)["']`,
        'g',
      ),
      'status',
    );
    yield* found(
      code,
      new RegExp(
        `${one}(?:\\[["']attributes["']\\]|\\.attributes)\\??(?:\\.(?!get\\b)|\\.get\\(["']|\\[["'])(?<name>[A-Za-z_]\\w*)`,
        'g',
      ),
      'attribute',
    );
  }
}

/** Rules about the value of `<await>`. */
export const AGENT_LIST_RULES: readonly Rule[] = [
  {
    id: 'misread-agents',
    severity: 'warning',
    summary:
      'A script reads a field, a status or another value that does not occur in the list of agents that the script gets from <await>.',
    why: 'The value is a JSON list with an object for each forked agent: id, state, status (completed, failed, cancelled or lost), the attributes of its <fork>, and result or error. A result is always a text, and only an agent with the status completed has one.',
    check: (analysis) =>
      mistakesOf(analysis, (state) => [...misread(analysis, state), ...valuesMisread(analysis, state)]),
  },
];
