// Rules about the value that <await> gives, a list of the forked agents: which fields they have, and which status.
import { nearest } from '../../../protocol/text.js';
import { allEdges } from '../../graph.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { Analysis, Rule } from '../rule.js';

const FIELDS = ['id', 'state', 'status', 'attributes', 'result', 'error'];
const STATUSES = ['completed', 'failed', 'cancelled', 'lost'];

/** True for a state that gets its value from `<await>` alone. */
function getsAgents(analysis: Analysis, { file }: ScriptState): boolean {
  const edges = edgesWithValue(analysis, file);
  return edges.length > 0 && edges.every(({ tag, role }) => tag === 'await' && role === 'next');
}

function* misread(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = searchableText(state);
  if (!getsAgents(analysis, state) || !/\bRAYMOND_(?:INPUT|RESULT)/.test(code)) return;
  const { shell, program } = state.source.script;
  const uses = shell === undefined ? usesInProgram(code) : usesInFilters(code);
  if (program?.isRead === false) return;
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

function problemOf({ kind, name }: Use, attributes: ReadonlySet<string>): Omit<Mistake, 'at'> | undefined {
  if (kind === 'list')
    return {
      message: `the value of <await> is a list of agents, and a list has no field ${name}`,
      fix: `read ${name} of each agent in the list`,
    };
  const known = kind === 'field' ? FIELDS : kind === 'status' ? STATUSES : [...attributes];
  if (known.length === 0 || known.includes(name)) return undefined;
  const near = nearest(name, known);
  const what = {
    field: `an agent in the value of <await> has no field ${name}; its fields are ${FIELDS.join(', ')}`,
    status: `the status of an agent is never ${name}; it is ${STATUSES.join(', ').replace(/, (?=\w+$)/, ' or ')}`,
    attribute: `no <fork> passes the attribute ${name}; the attributes are ${known.join(', ')}`,
  }[kind];
  return { message: what, fix: near === undefined ? 'use one of these' : `did you mean ${near}?` };
}

function namesPassed({ graph }: Analysis): ReadonlySet<string> {
  const forks = allEdges(graph).filter(({ tag, role }) => tag.startsWith('fork') && role === 'target');
  const isOpen = forks.some(({ mention }) => mention.source === 'policy' || mention.malformed !== undefined);
  return new Set(isOpen ? [] : forks.flatMap(({ mention }) => [...mention.attributes.keys()]));
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
      ...found(
        filter,
        /(?:\.\[\d*\]\s*(?:\|\s*)?|\b(?:map|select|any|all|sort_by|group_by)\(\s*)\.(?<name>[A-Za-z_]\w*)/g,
        'field',
      ),
      ...found(filter, /\.status\s*[!=]=\s*\\?"(?<name>\w+)\\?"/g, 'status'),
      ...found(filter, /\.attributes\.(?<name>[A-Za-z_]\w*)/g, 'attribute'),
    ];
    for (const use of uses) yield { ...use, at: index + whole.indexOf(filter) + use.at };
  }
}

/** What a program reads as JSON, by the name of its variable. */
const PARSED =
  /(?<![\w.])(\w+)(?:\s*:[^=\n]*)?\s*=\s*(?:await\s+)?(?:json\.loads?|JSON\.parse)\(([^\n]*(?:\n[^\n]*RAYMOND_[^\n]*)?)/g;

const VALUE = String.raw`\bRAYMOND_(?:INPUT|RESULT)(?:_FILE)?\b`;

/** True for an expression with the value of the state, or with a variable that was made of it. */
function hasValue(code: string, expression: string, steps = 3): boolean {
  if (new RegExp(VALUE).test(expression)) return true;
  const names = steps === 0 ? [] : (expression.match(/(?<![\w.$"'])[A-Za-z_]\w*(?![\w(])/g) ?? []);
  return names.some((name) => {
    const given = new RegExp(
      `^[ \\t]*(?:(?:const|let|var)[ \\t]+)?${name}\\b[^=\\n]*=([^=\\n][^\\n]*)|^([^\\n]*)\\bas ${name}\\b`,
      'gm',
    );
    return [...code.matchAll(given)].some(([, value, opened]) => hasValue(code, value ?? opened ?? '', steps - 1));
  });
}

/** The list where no variable holds it: `json.loads(os.environ["RAYMOND_INPUT"])`. */
const READ_AT_ONCE = String.raw`(?:json\.loads|JSON\.parse)\((?:os\.environ\[|process\.env[.[])["']?RAYMOND_INPUT["']?\]?\)`;

function* usesInProgram(code: string): Generator<Use> {
  const all = [...code.matchAll(PARSED)];
  const lists = all.filter(({ 2: expression = '' }) => hasValue(code, expression));
  const list = lists[0]?.[1] ?? READ_AT_ONCE;
  if (lists.length > 1 || all.filter(({ 1: name }) => name === list).length > 1) return;
  const agents = agentsOf(code, list);
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

/** The variables that stand for one agent of the list. */
function agentsOf(code: string, list: string): readonly string[] {
  const patterns = [
    `\\bfor\\s+(\\w+)\\s+in\\s+${list}(?![\\w.])`,
    `\\bfor\\s*\\((?:const|let|var)\\s+(\\w+)\\s+of\\s+${list}(?![\\w.])`,
    `(?<![\\w.])${list}\\s*\\.(?:map|filter|forEach|some|every|find|flatMap)\\(\\s*(?:async\\s+)?\\(?(\\w+)\\)?\\s*(?::\\s*\\w+)?\\s*=>`,
  ];
  const names = patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => !new RegExp(`(?<![\\w.])${name}\\s*=(?![=>])`).test(code));
}

/** Rules about the value of `<await>`. */
export const AGENT_LIST_RULES: readonly Rule[] = [
  {
    id: 'misread-agents',
    severity: 'warning',
    summary:
      'A script reads a field or a status that does not occur in the list of agents that the script gets from <await>.',
    why: 'The value is a JSON list with an object for each forked agent: id, state, status (completed, failed, cancelled or lost), the attributes of its <fork>, and result or error.',
    check: (analysis) => mistakesOf(analysis, (state) => misread(analysis, state)),
  },
];
