// Finds the list that <await> gives in a script, and the variables that stand for one agent of it. Pure.
import { edgesWithValue } from '../passed.js';
import type { ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** True for a state that gets its value from `<await>` alone. */
export function getsAgents(analysis: Analysis, { file }: ScriptState): boolean {
  const edges = edgesWithValue(analysis, file);
  return edges.length > 0 && edges.every(({ tag, role }) => tag === 'await' && role === 'next');
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

/** An agent that is taken out of the list at once: `json.loads(…)[0]`. */
const FIRST = /\)\s*(?:\[\s*-?\d+\s*\]|\.at\(-?\d+\))\s*;?\s*$/;

/** The list of agents of a program, and the variables that stand for one of them; undefined if it is not clear. */
export function agentListIn(code: string): { readonly list: string; readonly agents: readonly string[] } | undefined {
  const all = [...code.matchAll(PARSED)];
  const lists = all.filter(({ 2: expression = '' }) => hasValue(code, expression));
  const [one] = lists.filter(({ 2: expression = '' }) => FIRST.test(expression));
  if (one?.[1] !== undefined) return lists.length > 1 ? undefined : { list: READ_AT_ONCE, agents: [one[1]] };
  const list = lists[0]?.[1] ?? READ_AT_ONCE;
  if (lists.length > 1 || all.filter(({ 1: name }) => name === list).length > 1) return undefined;
  return { list, agents: agentsOf(code, list) };
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
