// The rule about numbers with decimals that bash compares or calculates with, although bash knows whole numbers only.
import { executorOf } from '../../../protocol/language/resolve.js';
import { edgesInto } from '../../graph.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import { giversOf, schemaOfField } from '../values/result-rules.js';
import type { Analysis, Rule } from '../rule.js';
import { plainCode } from './carried-variables.js';

const DECIMAL = /^-?\d*\.\d+$/;

/** A command that prints decimals in any case, and no part that makes a whole number or a comparison of them. */
const PRINTS_DECIMALS = /%\.[1-9]\d*f|\bscale=[1-9]\d*\s*;[^|\n]*\/|\bbc\s+-l\b(?=[^\n]*\/)|\.toFixed\([1-9]/;
const NOT_DECIMAL =
  /%\.0f|%d|%s|\bcut\b|\bint\(|\bround\b|\bfloor\b|\btr\b|\bsed\b|\/\s?1["'\s]|(?<![<>])[<>]=?(?![<>&(\d/"$])|==|\bgrep\b|\*\s?100*\b/;

/** How many variables may stand for each other. */
const DEPTH = 3;

interface Sought {
  readonly analysis: Analysis;
  readonly state: ScriptState;
  readonly code: string;
}

/** An example of the decimals that a variable has; undefined if it may have none. */
function decimalsOf(sought: Sought, name: string, depth = 0): string | undefined {
  const { code } = sought;
  if (
    depth > DEPTH ||
    new RegExp(`\\b(?:read|mapfile|printf -v)\\b[^\\n;]*\\s${name}\\b|\\bfor\\s+${name}\\s`).test(code)
  )
    return undefined;
  const given = [...code.matchAll(new RegExp(`(?<![\\w$-])${name}[-+]?=(?!=)([^\\n]*)`, 'g'))];
  const [first] = given;
  if (first === undefined) return decimalsGiven(sought, name);
  const value = (first[1] ?? '').trim();
  if (given.length > 1) return undefined;
  if (value.startsWith('$(') || value.startsWith('"$('))
    return PRINTS_DECIMALS.test(value) && !NOT_DECIMAL.test(value) ? 'such as 0.75' : undefined;
  const [, other, fallback] =
    /^["']?(?:\$\{?(\w+)(?::?[-=](-?\d*\.\d+))?\}?|())["']?[ \t]*(?:[;&#].*)?$/.exec(value) ?? [];
  if (fallback !== undefined) return fallback;
  const literal = value.replace(/[ \t]*[;#].*$/, '').replace(/^(["'])(.*)\1$/, '$2');
  if (DECIMAL.test(literal)) return literal;
  return other === undefined || other === '' || other === name ? undefined : decimalsOf(sought, other, depth + 1);
}

/** What a script gets: from the manifest, from the tags that lead to it, and from results. */
function decimalsGiven({ analysis, state: { file } }: Sought, name: string): string | undefined {
  const { graph } = analysis;
  const [, field] = /^RAYMOND_RESULT_(\w+)$/.exec(name) ?? [];
  if (field !== undefined) {
    const schemas = (giversOf(analysis, file) ?? []).map((giver) => schemaOfField(giver, field));
    return schemas.length > 0 && schemas.every(isShare) ? 'between 0 and 1' : undefined;
  }
  const inManifest = graph.source.parsedManifest?.environment[name];
  const edges = edgesInto(graph, file).filter(({ role }) => role === 'target');
  const passed = edges.flatMap(
    ({ mention }) => mention.attributes.get(name === 'RAYMOND_INPUT' ? 'input' : name)?.value.trim() ?? [],
  );
  return [...passed, ...(passed.length === 0 && inManifest !== undefined ? [inManifest] : [])].find((value) =>
    DECIMAL.test(value),
  );
}

/** True for the schema of numbers from 0 to 1. */
function isShare(schema: ReturnType<typeof schemaOfField>): boolean {
  return schema?.['type'] === 'number' && schema['minimum'] === 0 && schema['maximum'] === 1;
}

/** A side of a comparison: a variable, perhaps with a default, a number, or another word. */
const OPERAND = String.raw`["']?(?:\$\{?(\w+)(?::?-(-?\d*\.\d+))?\}?|(-?\d*\.\d+)|[^\s"']+)["']?`;
const TESTED = new RegExp(
  String.raw`(?:\[\[?|\btest)[ \t](?:[^\n]*?[ \t])?${OPERAND}[ \t]+-(?:eq|ne|lt|le|gt|ge)[ \t]+${OPERAND}(?![^\s;\]])`,
  'g',
);
const CALCULATED =
  /\$\(\(([^()\n]+)\)\)|^[ \t]*(?:if|elif|while|until)[ \t]+!?[ \t]*\(\(([^()\n]+)\)\)[ \t]*(?:;|&&|\|\||$)|^[ \t]*\(\(([^()\n]+)\)\)[ \t]*(?:&&|\|\||$)/gm;

function* decimals(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  if (executorOf(state.file) !== 'bash') return;
  const code = plainText(state);
  const sought = { analysis, state, code: plainCode(state) };
  const example = (name: string | undefined, literal: string | undefined): string | undefined =>
    literal ?? (name === undefined ? undefined : decimalsOf(sought, name));
  for (const match of code.matchAll(TESTED)) {
    const [, one, oneDefault, oneNumber, two, twoDefault, twoNumber] = match as readonly (string | undefined)[];
    const found = example(one, oneDefault ?? oneNumber) ?? example(two, twoDefault ?? twoNumber);
    const line = code.slice(match.index, code.indexOf('\n', match.index));
    if (found === undefined || /2>\s*\/dev\/null/.test(line)) continue;
    yield { at: match.index, ...wholeOnly(found) };
  }
  for (const { index, 0: whole, 1: expansion, 2: condition, 3: command } of code.matchAll(CALCULATED)) {
    const expression = expansion ?? condition ?? command ?? '';
    const literal = /(?<![\w.])\d+\.\d+(?![\w.])/.exec(expression)?.[0];
    const names = expression.match(/(?<![\w#.]|\$\{[#!]?)[A-Za-z_]\w*(?![\w[])|(?<=\$\{)\w+(?=\})/g) ?? [];
    const found = literal ?? names.map((name) => decimalsOf(sought, name)).find((one) => one !== undefined);
    if (found !== undefined) yield { at: index + whole.indexOf('(('), ...wholeOnly(found) };
  }
}

function wholeOnly(example: string): Pick<Mistake, 'message' | 'fix'> {
  return {
    message: `bash knows whole numbers only, and here it gets a number with decimals (${example}): this fails, and a test counts as false`,
    fix: 'compare with awk: awk -v a="$a" -v b="$b" \'BEGIN { exit !(a > b) }\'',
  };
}

/** The rule about decimals in bash. */
export const DECIMAL_RULES: readonly Rule[] = [
  {
    id: 'decimal-in-bash',
    severity: 'warning',
    summary: 'A bash script compares or calculates with a number that has decimals, but bash knows whole numbers only.',
    why: 'For a number such as 0.75, [ "$a" -gt "$b" ] prints an error and counts as false, and $(( … )) and (( … )) fail. awk and bc calculate with decimals.',
    check: (analysis) => mistakesOf(analysis, (state) => decimals(analysis, state)),
  },
];
