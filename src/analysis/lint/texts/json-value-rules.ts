// Rules about values that are JSON or plain text: a result that fits a schema is JSON, a field that is a text has no quotes, and a field that is a
// list is JSON.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { mistakesOf, plainText, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import { jsonReads } from '../values/json-reads.js';
import { isAlwaysUsed } from '../values/repeated-values.js';
import { giverWithout, isPlainText } from '../values/result-field-rules.js';
import { allGiversOf, listsAsWords, schemaOfField, typeOfField } from '../values/result-rules.js';
import type { StateNode } from '../../graph.js';
import type { Analysis, Rule } from '../rule.js';
import { programCode, readTexts } from '../scripts/program-code.js';

function schemaTypeOf({ source }: StateNode): unknown {
  const schema = source.kind === 'prompt' ? source.prompt.resultSchema : undefined;
  if (schema === undefined) return undefined;
  const { type, enum: values } = schema;
  if (type === undefined && Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return 'string';
  return type;
}

/** A script that compares a result with a plain word, though the schema makes it JSON. */
function* comparedJson(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  if (!/\bRAYMOND_(?:RESULT|INPUT)\b/.test(code)) return;
  const givers = allGiversOf(analysis, state.file) ?? [];
  const types = givers.map(schemaTypeOf);
  if (types.length === 0 || !types.every((type) => type === 'string' || type === 'object' || type === 'array')) return;
  const read = String.raw`RAYMOND_(?:RESULT|INPUT)\b`;
  const alias = [
    ...code.matchAll(
      new RegExp(
        String.raw`(?<![\w.$])(\w+)\s*=(?!=)\s*(?:"?\$\{?${read}\}?"?\s*$|(?:os\.)?environ\[["']${read}["']\]\s*$|process\.env\.${read};?\s*$)`,
        'gm',
      ),
    ),
  ].map(([, name = '']) => `\\b${name}`);
  const names = [read, ...alias].join('|');
  const patterns = [
    String.raw`\[\[?\s+"?\$\{?(?:${names})\}?"?\s+!?==?\s+["']?([A-Za-z][\w-]*)["']?\s+\]`,
    String.raw`(?<![\w$])(?:${names})["'\])]{0,3}\s*[!=]==?\s*["']([A-Za-z][\w -]*)["']`,
    String.raw`\bcase\s+"?\$\{?(?:${names})\}?"?\s+in\s+["']?([A-Za-z][\w-]*)["']?\)`,
  ];
  const match = new RegExp(patterns.join('|')).exec(code);
  const word = match?.[1] ?? match?.[2] ?? match?.[3];
  if (match === null || word === undefined) return;
  const [type] = types;
  yield {
    at: match.index + match[0].lastIndexOf(word),
    message: `the result is never ${word}: its schema makes it JSON, ${type === 'string' ? `as in "${word}" with the quotes` : `${type === 'object' ? 'an object' : 'a list'} in brackets`}`,
    fix:
      type === 'object'
        ? 'compare a field, such as RAYMOND_RESULT_verdict'
        : `let the schema be an object with a field for the text, and compare RAYMOND_RESULT_FIELD`,
  };
}

/** A script that parses a field as JSON, though the field is a text. */
function* parsedTexts(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const patterns =
    /\b(?:json\.loads|JSON\.parse)\(\s*(?:os\.)?(?:process\.env\.|environ\[["'])(RAYMOND_RESULT_\w+)|\bjq\b[^\n]*<<<\s*"?\$\{?(RAYMOND_RESULT_\w+)|(?:echo|printf)\b[^\n|]*\$\{?(RAYMOND_RESULT_\w+)[^\n|]*\|\s*jq\b(?![^\n]*-\w*R)/g;
  for (const match of code.matchAll(patterns)) {
    const name = match[1] ?? match[2] ?? match[3] ?? '';
    const field = name.replace('RAYMOND_RESULT_', '');
    const givers = field === 'FILE' ? [] : (allGiversOf(analysis, state.file) ?? []);
    if (givers.length === 0 || !givers.every((giver) => typeOfField(giver, field) === 'string')) continue;
    if (/\bjq\b[^\n]*\s-\w*R/.test(match[0])) continue;
    yield {
      at: match.index + match[0].lastIndexOf(name),
      message: `${name} is a text without quotes, not JSON, so it cannot be parsed`,
      fix: `use ${name} as it is`,
    };
  }
}

/** Functions that go through the items of a list. */
const TAKES_LIST =
  'len|enumerate|list|sorted|reversed|tuple|set|iter|zip|(?:itertools\\.)?islice|(?:collections\\.)?(?:Counter|deque)|random\\.(?:choice|sample|choices)|Array\\.from|Set';
const LIST_USES = String.raw`\.split\(|\.length\b|\.(?:map|forEach|filter|join|slice|push|find|includes)\(|\[\d`;

/** A program or a script that treats a list as a text, though it arrives as JSON. */
function* listsAsTexts(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const lists = listFields(analysis, state);
  if (lists.length === 0) return;
  if (executorOf(state.file) === 'bash') {
    yield* listsInShell(plainText(state), lists);
    return;
  }
  const code = programCode(state);
  for (const { name, pattern, held = [] } of readTexts(state, code)) {
    if (!lists.includes(name.replace('RAYMOND_RESULT_', ''))) continue;
    const use = new RegExp(
      String.raw`\bfor\b(?:(?!\b(?:in|of)\b)[^\n]){0,60}\b(?:in|of)\s+${pattern}\s*(?:[:)\]}]|(?:if|for)\b)|${pattern}(?:${LIST_USES})|(?<![\w.])(?:new\s+)?(?:${TAKES_LIST})\(${pattern}\s*[,)]|(?<![\w.])(?:map|filter)\([^(),\n]{1,40},\s*${pattern}\)|\.\.\.${pattern}`,
    ).exec(code);
    if (use === null) continue;
    const holder = held.find((one) => new RegExp(`(?<![\\w.$])${one.name}(?![\\w$])`).test(use[0]));
    yield listMistake(holder?.at ?? use.index, name);
  }
}

/** What bash takes for words or lines, though it is one line of JSON. */
function* listsInShell(code: string, lists: readonly string[]): Generator<Mistake> {
  for (const list of lists) {
    const name = `RAYMOND_RESULT_${list}`;
    const given = [...code.matchAll(new RegExp(`^[ \\t]*(?:local )?(\\w+)="?\\$\\{?${name}\\}?"?[ \\t]*$`, 'gm'))];
    const names = given.flatMap(([, alias = '']) =>
      code.match(new RegExp(`(?<![\\w$])${alias}\\+?=`, 'g'))?.length === 1 ? [alias] : [],
    );
    const read = (all: readonly string[]): string => String.raw`\$\{?(?=(?:${all.join('|')})\b(?![\w:#%/^,[]))`;
    const text = read([name, ...names]);
    const words = names.length === 0 ? '(?!)' : String.raw`\bfor\s+\w+\s+in\s+${read(names)}(?=\w+\}?\s*(?:;|$))`;
    const cut = new RegExp(
      String.raw`${words}|(?:\b(?:read\b[^\n]*\s-\w*a\w*\b|mapfile\b|readarray\b|tr\s+["']?,["']?)[^\n(|;]*<<<\s*"?|=\(\s*|^\s*done\s*<<<\s*"?)${text}`,
      'm',
    ).exec(code);
    if (cut !== null) yield listMistake(cut.index + cut[0].length, name);
  }
}

function listMistake(at: number, name: string): Mistake {
  return {
    at,
    message: `${name} is a list as JSON text, such as ["a","b"], so this works on the characters of that text`,
    fix: `parse it first, for example with json.loads, JSON.parse or jq`,
  };
}

/** The fields that are lists in every result that reaches a state. */
function listFields(analysis: Analysis, state: ScriptState): readonly string[] {
  const code = searchableText(state);
  const names = new Set([...code.matchAll(/\bRAYMOND_RESULT_(?!FILE\b)(\w+)/g)].map(([, name = '']) => name));
  if (names.size === 0 || edgesWithValue(analysis, state.file).length === 0) return [];
  const givers = allGiversOf(analysis, state.file) ?? [];
  return [...names].filter(
    (name) => givers.length > 0 && givers.every((giver) => typeOfField(giver, name) === 'array'),
  );
}

/** A script that fails without a field which the schema does not require. */
function* optionalFields(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const isBash = executorOf(state.file) === 'bash';
  if (isBash ? !/^\s*set\s+-\w*u|^\s*set\s[^\n]*nounset/m.test(code) : executorOf(state.file) !== 'python') return;
  for (const { name, at, text } of [...fieldVariables(code, isBash), ...parsedFields(state)]) {
    const givers = name === 'FILE' ? [] : (allGiversOf(analysis, state.file) ?? []);
    const hasSchemas = givers.length > 0 && givers.every((giver) => schemaOfField(giver, name) !== undefined);
    const isOptional = hasSchemas && givers.some((giver) => isNotRequired(giver, name));
    const without = isOptional || !isAlwaysUsed(code, at) ? undefined : giverWithout(givers, name);
    if (!isOptional && without === undefined) continue;
    if (new RegExp(`${literalPattern(text)}(?::?[-+?=]|["']\\s*(?:,|(?:not )?in\\b))|\\bexcept\\b`).test(code))
      continue;
    const parsed = without !== undefined && isPlainText(without) ? code.search(/\bjson\.loads\(/) : -1;
    const lack =
      without === undefined
        ? `the schema does not require ${name}`
        : `a result of ${without.file} ${parsed < 0 ? `has no field ${name}` : 'is no JSON object'}`;
    yield {
      at: parsed < 0 ? at : parsed,
      message: `${lack}, and the script fails if a result has no such field`,
      fix: isBash ? `write \${${text}:-}` : `write .get("${text}", "")`,
    };
    return;
  }
}

/** A field that a script reads: its name, and what the script writes for it. */
interface NeededField {
  readonly name: string;
  readonly at: number;
  readonly text: string;
}

function fieldVariables(code: string, isBash: boolean): readonly NeededField[] {
  const reads = isBash ? /\$\{?RAYMOND_RESULT_(\w+)(?![\w:+?=-])/g : /\benviron\[\s*["']RAYMOND_RESULT_(\w+)["']\s*\]/g;
  return [...code.matchAll(reads)].map(({ index, 0: whole, 1: name = '' }) => {
    return { name, at: index + whole.indexOf('RAYMOND'), text: `RAYMOND_RESULT_${name}` };
  });
}

/** `json.loads(os.environ["RAYMOND_RESULT"])["score"]` in Python, in a line that always runs. */
function parsedFields(state: ScriptState): readonly NeededField[] {
  const code = plainText(state);
  if (executorOf(state.file) !== 'python') return [];
  const reads = jsonReads(state).filter(({ of, path }) => of === 'RAYMOND_RESULT' && path.length === 0);
  return reads.flatMap(({ key, at }) =>
    /\[\s*["']?$/.test(code.slice(0, at)) && isAlwaysUsed(code, at) ? [{ name: key, at, text: key }] : [],
  );
}

/** True for a schema that requires other fields, but not this one. */
function isNotRequired({ source }: StateNode, name: string): boolean {
  const required: unknown = source.kind === 'prompt' ? source.prompt.resultSchema?.['required'] : undefined;
  return Array.isArray(required) && required.length > 0 && !required.includes(name);
}

/** A text field that a script compares with a text in quotes. */
function* quotedTexts(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const compared =
    /\bRAYMOND_RESULT_(?!FILE\b)(\w+)\}?"?["'\])]{0,2}\s*(?:[!=]==?|=)\s*('"[\w -]+"'|"\\"[\w -]+\\""|\\"[\w-]+\\")/g;
  for (const { index, 0: whole, 1: name = '', 2: text = '' } of code.matchAll(compared)) {
    const givers = allGiversOf(analysis, state.file) ?? [];
    if (givers.length === 0 || !givers.every((giver) => typeOfField(giver, name) === 'string')) continue;
    yield {
      at: index + whole.indexOf(text),
      message: `RAYMOND_RESULT_${name} is a text without quotes, so it never equals ${text}`,
      fix: 'compare without the inner quotes',
    };
  }
}

/** A result that a script compares with a text that begins or ends with white space, which Raymond removes. */
function* untrimmedTexts(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const edges = edgesWithValue(analysis, state.file);
  if (edges.length === 0 || !edges.every(({ role }) => role === 'return')) return;
  const compared =
    /\bRAYMOND_RESULT\b\}?["'\])]{0,3}\s*(?:[!=]==?|=)\s*\$?(["'])((?:\\n|\s)[^"'\n]*|[^"'\n]*(?:\\n|[ \t]))\1/g;
  for (const { index, 0: whole, 2: text = '' } of code.matchAll(compared))
    yield {
      at: index + whole.lastIndexOf(text),
      message: 'a result has no white space at its beginning and its end, so it never equals this text',
      fix: 'compare with the text alone',
    };
}

/** Rules about JSON and text. */
export const JSON_VALUE_RULES: readonly Rule[] = [
  {
    id: 'list-as-words',
    severity: 'warning',
    summary: 'A script splits a result field into words or characters, but the field is a list, written as JSON.',
    why: 'The variable of a field that is a list or an object contains JSON. Its words are pieces of that text, with brackets, quotes and commas.',
    check: (analysis) => [...listsAsWords(analysis), ...mistakesOf(analysis, (state) => listsAsTexts(analysis, state))],
  },
  {
    id: 'optional-field',
    severity: 'warning',
    summary:
      'A script needs a field of a result, but the schema of the result does not require this field, or one of the results that reach the script does not have it.',
    why: 'A field that a result does not have has no variable. With "set -u" in bash, or with os.environ[…] in Python, the script then fails.',
    check: (analysis) => mistakesOf(analysis, (state) => optionalFields(analysis, state)),
  },
  {
    id: 'json-as-word',
    severity: 'warning',
    summary:
      'A script compares a result with a text that the result never is, because of the quotes or braces of JSON, or because of white space at the end.',
    why: 'A result with a schema is JSON: a text has quotes, as in "good", and an object has braces. Only its fields arrive as plain texts.',
    check: (analysis) => [
      ...mistakesOf(analysis, (state) => comparedJson(analysis, state)),
      ...mistakesOf(analysis, (state) => quotedTexts(analysis, state)),
      ...mistakesOf(analysis, (state) => untrimmedTexts(analysis, state)),
    ],
  },
  {
    id: 'text-as-json',
    severity: 'warning',
    summary: 'A script parses a field of a result as JSON, but the field is a text, which arrives without quotes.',
    why: 'A field that is a text arrives as this text. Only numbers, lists, objects, true, false and null arrive as JSON.',
    check: (analysis) => mistakesOf(analysis, (state) => parsedTexts(analysis, state)),
  },
];
