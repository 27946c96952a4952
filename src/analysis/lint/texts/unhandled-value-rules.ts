// The rule about values without a branch: the schema of a result allows a text for which the script that gets it has only a branch that fails.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { valuesOfVariable } from './known-values.js';
import { tableGaps } from './table-choices.js';

/** A choice by a variable: the texts that have a branch; every other text makes the script fail. */
interface Choice {
  readonly at: number;
  readonly isHandled: (text: string) => boolean;
}

function* unhandled(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const { file, source } = state;
  const code = plainText({ source });
  const reported: number[] = [];
  for (const mistake of byText(analysis, { file, code })) {
    reported.push(mistake.at);
    yield mistake;
  }
  if (reported.length > 0) return;
  for (const { at, missing } of tableGaps(analysis, state)) yield { at, ...noBranch(missing) };
}

function noBranch(missing: readonly string[]): Omit<Mistake, 'at'> {
  return {
    message: `the result may be "${missing.join('" or "')}", but there is no branch for it here, and the script fails`,
    fix: `add a branch for ${missing.join(', ')}, or remove it from the schema of the result`,
  };
}

function* byText(
  analysis: Analysis,
  { file, code }: { readonly file: string; readonly code: string },
): Generator<Mistake> {
  const fields = new Set([...code.matchAll(/\bRAYMOND_RESULT_(?!FILE\b)\w+/g)].map(([name]) => name));
  for (const field of [...fields, 'RAYMOND_RESULT']) {
    const values = valuesOfVariable(analysis, { file, name: field });
    if (values === undefined || values.isOpen || values.texts.size < 2) continue;
    for (const { at, isHandled } of choicesIn(code, { name: nameOf(code, field), file })) {
      const missing = [...values.texts].filter((text) => !isHandled(text));
      // Without one text in common, it is not this variable that decides.
      if (missing.length === 0 || missing.length === values.texts.size) continue;
      yield { at, ...noBranch(missing) };
    }
  }
}

/** A pattern for the variable and for names that the script gives to it as a whole. */
function nameOf(code: string, field: string): string {
  const read = String.raw`(?:"?\$\{?${field}(?:,,|:-[^}"]*|:\?[^}"]*)?\}?"?[ \t]*$|(?:os\.environ(?:\.get)?[[(]|os\.getenv\(|process\.env[.[])["']?${field}\b["'\])]*(?:\.(?:strip|trim|lower|toLowerCase)\(\))*;?[ \t]*$)`;
  const names = [
    ...code.matchAll(new RegExp(String.raw`^[ \t]*(?:const |let |local )?([A-Za-z_]\w*)\s*=\s*${read}`, 'gm')),
  ].map(([, name = '']) => name);
  const once = names.filter((name) => code.match(new RegExp(`(?<![\\w.$])${name}\\s*=(?![=>])`, 'g'))?.length === 1);
  const direct = String.raw`(?:os\.environ\[|process\.env[.[])["']?${field}["']?\]?`;
  return `(?:${[direct, field, ...once].join('|')})`;
}

function* choicesIn(code: string, { name, file }: { readonly name: string; readonly file: string }): Generator<Choice> {
  const executor = executorOf(file);
  if (executor === 'bash') {
    yield* casesOfShell(code, name);
    yield* arraysOfShell(code, name);
  } else {
    yield* switches(code, name);
    yield* guards(code, name);
    yield* tables(code, { name, isPython: executor === 'python' });
  }
  yield* chains(code, name);
}

/** What ends a script with a failure: at the beginning of a branch. */
const FAILS =
  /^\s*(?:\{\s*)?(?:(?:echo|printf)\b[^\n]*>&2\s*[;\n]?\s*|(?:console\.error|print)\([^\n]*\);?\s*\n\s*)?(?:exit\s+[1-9]|raise\b|throw\b|sys\.exit\(\s*(?:[1-9f"'])|process\.exit\([1-9]|die\b|fail\b)/;

/** `case "$severity" in … *) exit 1 ;; esac`. */
function* casesOfShell(code: string, name: string): Generator<Choice> {
  const pattern = new RegExp(String.raw`\bcase\s+"?\$\{?${name}(?:,,|:-[^}"]*)?\}?"?\s+in\b([^]*?)\besac\b`, 'g');
  for (const { index, 1: body = '' } of code.matchAll(pattern)) {
    const items = body.split(';;').map((item) => /^\s*\(?([^()\n]+)\)([^]*)$/.exec(item));
    const other = items.find((item) => item?.[1]?.trim() === '*');
    if (other === undefined || !FAILS.test(other?.[2] ?? '') || /\bcase\b/.test(body)) continue;
    const patterns = items.flatMap((item) => (item === null || item === other ? [] : (item[1] ?? '').split('|')));
    const globs = patterns.map((one) => globOf(one.trim()));
    if (globs.some((glob) => glob === undefined)) continue;
    yield { at: index, isHandled: (text) => globs.some((glob) => glob?.test(text) === true) };
  }
}

/** `${target[$kind]}` of an associative array, which fails with `set -u`. */
function* arraysOfShell(code: string, name: string): Generator<Choice> {
  if (!/^\s*set\s+-\w*u|^\s*set\s[^\n]*nounset/m.test(code)) return;
  const uses = new RegExp(String.raw`\$\{([A-Za-z_]\w*)\[["']?\$\{?${name}\}?["']?\]\}`, 'g');
  for (const { index, 1: table = '' } of code.matchAll(uses)) {
    const made = new RegExp(String.raw`\b(?:declare|local|typeset)\s+-\w*A\w*\s+${table}=\(([^()]*)\)`).exec(code);
    const keys = [...(made?.[1] ?? '').matchAll(/\[["']?([^\]"']+)["']?\]=/g)].map(([, key = '']) => key);
    const isChanged = new RegExp(String.raw`(?:^|[;\s])${table}(?:\[[^\]\n]*\]\+?=|\+=)|-v\s+["']?${table}\[`).test(
      code,
    );
    if (keys.length < 2 || isChanged) continue;
    yield { at: index, isHandled: (text) => keys.includes(text) };
  }
}

/** A pattern of bash as an expression; undefined when it has more than stars and classes of letters. */
function globOf(pattern: string): RegExp | undefined {
  const plain = pattern.replace(/^(["'])(.*)\1$/, '$2');
  if (!/^[\w*?. [\]-]+$/.test(plain)) return undefined;
  try {
    return new RegExp(`^${plain.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`);
  } catch {
    return undefined;
  }
}

/** `match severity:` and `switch (severity) {` with a default that fails. */
function* switches(code: string, name: string): Generator<Choice> {
  const heads = new RegExp(String.raw`^([ \t]*)(?:match\s+${name}\s*:|switch\s*\(\s*${name}\s*\)\s*\{)[ \t]*$`, 'gm');
  for (const { index, 0: head, 1: indent = '' } of code.matchAll(heads)) {
    const body = blockBelow(code, { from: index + head.length, indent });
    const other = /^[ \t]*(?:case\s+_\s*:|default\s*:)([^]*)$/m.exec(body);
    const cases = [...body.matchAll(/^[ \t]*case\s+([^_\n][^\n]*?):/gm)].map(([, list = '']) => list);
    if (other === null || !FAILS.test(other[1] ?? '') || !cases.every((list) => /^[\s|"'\w.-]+$/.test(list))) continue;
    const texts = new Set(cases.flatMap(quotedIn));
    yield { at: index + indent.length, isHandled: (text) => texts.has(text) };
  }
}

/** The lines that are indented deeper than their head. */
function blockBelow(code: string, { from, indent }: { readonly from: number; readonly indent: string }): string {
  const end = new RegExp(`^${indent}(?=\\S)`, 'm').exec(code.slice(from + 1));
  return code.slice(from, end === null ? code.length : from + 1 + end.index);
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/(["'])([^"'\n]*)\1/g)].map(([, , word = '']) => word);
}

/** `if severity not in ("low", "high"): sys.exit(1)`. */
function* guards(code: string, name: string): Generator<Choice> {
  const pattern = new RegExp(
    String.raw`^([ \t]*)if\s+\(?\s*(?:${name}\s+not\s+in\s+([^:\n]+):|!\s*([^\n]+?)\.(?:includes|has)\(\s*${name}\s*\)\)?)([^\n]*\n[^\n]*)`,
    'gm',
  );
  for (const { index, 1: indent = '', 2: python, 3: node, 4: rest = '' } of code.matchAll(pattern)) {
    const list = listOf(code, (python ?? node ?? '').trim());
    if (list === undefined || !FAILS.test(rest)) continue;
    yield { at: index + indent.length, isHandled: (text) => list.includes(text) };
  }
}

/** The texts of a list, or of the only list with this name; of a table, its keys. */
function listOf(code: string, expression: string): readonly string[] | undefined {
  const literal = /^(?:new Set\()?[([{]([^()[\]{}]*)[)\]}]\)?$/.exec(expression)?.[1];
  if (literal !== undefined) return plainList(literal);
  const plain = /^(?:Object\.keys\()?([A-Za-z_]\w*)(?:\.keys\(\))?\)?$/.exec(expression)?.[1];
  const given = plain === undefined ? [] : [...code.matchAll(assignmentOf(plain))];
  return given.length === 1 ? (plainList(given[0]?.[1] ?? '') ?? keysOf(given[0]?.[1] ?? '')) : undefined;
}

function assignmentOf(name: string): RegExp {
  return new RegExp(
    String.raw`^[ \t]*(?:const |let |var )?${name}\s*(?::[^=\n]*)?=\s*(?:new Set\(|frozenset\()?[([{]([^()[\]{}]*)[)\]}]`,
    'gm',
  );
}

function plainList(text: string): readonly string[] | undefined {
  return /^\s*(?:(?:"[^"\n]*"|'[^'\n]*')\s*(?:,\s*|$))+$/.test(text) ? quotedIn(text) : undefined;
}

/** The keys of a table of texts. */
function keysOf(text: string): readonly string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const keys = entries.map((entry) => /^(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))\s*:\s*\S/.exec(entry));
  if (keys.length < 2 || keys.some((key) => key === null)) return undefined;
  return keys.map((key) => key?.[1] ?? key?.[2] ?? key?.[3] ?? '');
}

/** `NEXT[severity]`: in Python, a key that is missing is a KeyError. */
function* tables(
  code: string,
  { name, isPython }: { readonly name: string; readonly isPython: boolean },
): Generator<Choice> {
  for (const { index, 1: table = '' } of code.matchAll(
    new RegExp(String.raw`(?<![\w.])([A-Za-z_]\w*)\[${name}\]`, 'g'),
  )) {
    const given = [...code.matchAll(assignmentOf(table))];
    const keys = given.length === 1 ? keysOf(given[0]?.[1] ?? '') : undefined;
    // JavaScript gives undefined for a missing key, which fails only as the name of a state.
    const fails =
      isPython || /<(?:goto|reset|call|function)\b[^<>\n]*>\$\{$/.test(code.slice(Math.max(0, index - 200), index));
    if (keys === undefined || !fails || isGuarded(code, { table, name })) continue;
    yield { at: index, isHandled: (text) => keys.includes(text) };
    return;
  }
}

/** True for a script that tests whether the table has the key, or that catches the error. */
function isGuarded(code: string, { table, name }: { readonly table: string; readonly name: string }): boolean {
  return new RegExp(
    String.raw`\bin\s+${table}\b|${table}\.get\(|hasOwn|\?\?|\|\||\bKeyError\b|\bcatch\b|\bexcept\b|defaultdict|${table}\[${name}\]\s*=[^=]|\bif\b[^\n]*${name}\b`,
  ).test(code);
}

/** `if … elif … else` of which each condition compares the variable with texts, and of which the `else` fails. */
function* chains(code: string, name: string): Generator<Choice> {
  const comparison = new RegExp(
    String.raw`"?\$?\{?(?<![\w.])${name}(?:,,|:-)?\}?"?\s*={1,3}\s*(?:"([\w .-]*)"|'([\w .-]*)'|([A-Za-z][\w-]*))|(?<![\w.])${name}\s+in\s+[([{]([^()[\]{}]*)[)\]}]`,
    'g',
  );
  for (const { index, 1: indent = '', 2: first = '' } of code.matchAll(/^([ \t]*)if\b([^\n]*)$/gm)) {
    if (first.search(comparison) < 0) continue;
    const conditions = [first];
    let otherwise: string | undefined;
    let from = index + indent.length;
    for (
      let next = branchAfter(code, { from, indent });
      next !== undefined;
      next = branchAfter(code, { from, indent })
    ) {
      from = next.end;
      if (next.condition === undefined) {
        otherwise = code.slice(next.end);
        break;
      }
      conditions.push(next.condition);
    }
    const isPure = conditions.every((one) => /^(?:then\b|or\b|[\s()[\]{}:;|])*$/.test(one.replace(comparison, '')));
    if (otherwise === undefined || !isPure || !FAILS.test(otherwise)) continue;
    const texts = new Set(
      conditions.flatMap((one) =>
        [...one.matchAll(comparison)].flatMap(([, double, single, bare, list]) =>
          list === undefined ? [double ?? single ?? bare ?? ''] : quotedIn(list),
        ),
      ),
    );
    yield { at: index + indent.length, isHandled: (text) => texts.has(text) };
  }
}

/** The next branch of a choice: the next line that is not indented deeper. */
function branchAfter(
  code: string,
  { from, indent }: { readonly from: number; readonly indent: string },
): { readonly condition?: string; readonly end: number } | undefined {
  const line = new RegExp(`\\n${indent}(?=[^\\s])([^\\n]*)`).exec(code.slice(from));
  if (line === null) return undefined;
  const end = from + line.index + line[0].length;
  const [, condition] = /^(?:\} )?(?:elif|else if)\b(.*)$/.exec(line[1] ?? '') ?? [];
  if (condition !== undefined) return { condition, end };
  return /^(?:\} )?else\b\s*[:{]?\s*$/.test(line[1] ?? '') ? { end } : undefined;
}

/** The rule about values without a branch. */
export const UNHANDLED_VALUE_RULES: readonly Rule[] = [
  {
    id: 'unhandled-value',
    severity: 'warning',
    summary: 'A script fails for a value that the schema of the result, or the policy of the called prompt, allows.',
    why: 'The state whose result comes here may end with any value of the enum in its schema. The script has a branch for the other values, but for this one it ends with an error, and the agent fails.',
    check: (analysis) => mistakesOf(analysis, (state) => unhandled(analysis, state)),
  },
];
