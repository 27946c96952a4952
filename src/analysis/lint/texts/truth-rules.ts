// Rules about texts that a script takes for true or false: every text that is not empty counts as true, "false" and "0" included.
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges } from '../../graph.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import { allGiversOf, typeOfField } from '../values/result-rules.js';
import type { Analysis, Rule } from '../rule.js';
import { comparedBooleans } from './boolean-rules.js';
import { valuesOf } from './known-values.js';
import { linesAround, matchesAround, programCode, readTexts } from '../scripts/program-code.js';

const NO = /^(?:false|off)$/i;
const YES = /^(?:true|yes|on|1)$/i;
const EITHER = /^(?:(?:true|yes)\W{1,3}(?:or )?(?:false|no)|(?:false|no)\W{1,3}(?:or )?(?:true|yes))$/i;

/** A text for "no" that a variable may have, although a test takes it for true; undefined when none is known. */
function textForNo(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): string | undefined {
  const { graph } = analysis;
  const [, field] = /^RAYMOND_RESULT_(?!FILE$)(\w+)$/.exec(name) ?? [];
  if (field !== undefined) return isBoolean(analysis, { file, field }) ? 'false' : undefined;
  const inManifest = graph.source.parsedManifest?.environment[name];
  if (inManifest !== undefined && (NO.test(inManifest) || inManifest === '0')) return inManifest;
  if (/^RAYMOND_(?:INPUT|RESULT)$/.test(name)) return amongTexts([...(valuesOf(analysis, file)?.texts ?? [])]);
  const edges = allEdges(graph).filter(({ to, role }) => role === 'target' && to.kind === 'state' && to.file === file);
  return amongTexts(edges.flatMap(({ mention }) => mention.attributes.get(name)?.value.trim() ?? []));
}

function isBoolean(analysis: Analysis, { file, field }: { readonly file: string; readonly field: string }): boolean {
  return (allGiversOf(analysis, file) ?? []).some((giver) => [typeOfField(giver, field)].flat().includes('boolean'));
}

/** "no" and "0" may be answers and numbers: they count beside their opposite. */
function amongTexts(texts: readonly string[]): string | undefined {
  const hasYes = texts.some((text) => YES.test(text));
  if (texts.some((text) => EITHER.test(text))) return 'false';
  return texts.find((text) => NO.test(text) || (hasYes && /^(?:no|0)$/i.test(text)));
}

/** The tests of a text, by which a script takes it for true or false. */
function testsOf(text: string, isPython: boolean): RegExp {
  if (isPython)
    return new RegExp(
      [
        `^[ \\t]*(?:if|elif|while)\\s+(?:not\\s+)?(${text})\\s*(?::|and\\b|or\\b)`,
        `^[ \\t]*(?:if|elif|while)\\b[^\\n]{1,120}?\\b(?:and|or)\\s+(?:not\\s+)?(${text})\\s*(?::|and\\b|or\\b)`,
        `\\bif\\s+(?:not\\s+)?(${text})\\s+else\\b`,
        `(?<![\\w.])bool\\(\\s*(${text})\\s*\\)`,
        `=\\s*not\\s+(${text})\\s*$`,
      ].join('|'),
      'gm',
    );
  return new RegExp(
    [
      `\\b(?:if|while)\\s*\\(\\s*!?(${text})\\s*(?:\\)|&&)`,
      `\\b(?:if|while)\\s*\\([^\\n]{1,120}?&&\\s*!?(${text})\\s*\\)`,
      `[=(\\[{,:]\\s*!?(${text})\\s+\\?\\s(?!\\?)`,
      `\\bBoolean\\(\\s*(${text})\\s*\\)`,
      `!!(${text})(?!\\s*[!=]=)`,
      `=\\s*!(${text})\\s*;?\\s*$`,
    ].join('|'),
    'gm',
  );
}

/** A script that compares or parses the text knows what it is. */
function isParsed(text: string): RegExp {
  const call = String.raw`(?:loads|parse|int|float|Number|parseInt|strtobool|literal_eval|safe_load|test|includes|has|search|match|fullmatch|[A-Za-z]*(?:[Bb]ool|[Tt]rue|[Tt]ruthy|[Ff]lag|[Yy]es)[A-Za-z_]*(?<!\bbool|\bBoolean))\(\s*`;
  return new RegExp(
    `${text}\\s*(?:[!=]==?|in\\b|not in\\b|\\??\\.(?:startswith|startsWith|isdigit|match|includes|casefold|localeCompare))|[!=]==?\\s*${text}|${call}${text}|\\b(?:match|switch \\()\\s*${text}|\\bin\\s+${text}`,
    'g',
  );
}

/** True for a test of whether there is a value at all: without one, the program ends. */
function isGuard(code: string, end: number, test: string): boolean {
  return (
    /\bnot\b|!/.test(test) &&
    /\b(?:exit|raise|throw|return|abort)\b/.test(
      code
        .slice(end, end + 160)
        .split('\n', 2)
        .join('\n'),
    )
  );
}

function* truths(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = programCode(state);
  const isPython = executorOf(state.file) === 'python';
  if (!/environ|getenv|process\.env/.test(code)) return;
  for (const { name, isVariable, pattern } of readTexts(state, code)) {
    if (!isVariable) continue;
    const lines = linesAround(code, pattern);
    yield* comparedWithTruth(code, { name, pattern, lines, isPython });
    const no =
      matchesAround(code, lines, isParsed(pattern)).length > 0
        ? undefined
        : textForNo(analysis, { file: state.file, name });
    if (no === undefined) continue;
    for (const { at, whole: test } of matchesAround(code, lines, testsOf(pattern, isPython)))
      if (!isGuard(code, at + test.length, test))
        yield { at: at + test.search(/\S/), ...alwaysTrue(name, { no, isPython }) };
  }
}

function alwaysTrue(
  name: string,
  { no, isPython }: { readonly no: string; readonly isPython: boolean },
): Pick<Mistake, 'message' | 'fix'> {
  return {
    message: `${name} may be the text "${no}", and every text that is not empty is true`,
    fix: `compare it with a text: ${isPython ? '==' : '==='} "${oppositeOf(no)}"`,
  };
}

function oppositeOf(no: string): string {
  if (/^no$/i.test(no)) return 'yes';
  return no === '0' ? '1' : no === 'off' ? 'on' : 'true';
}

/** `os.environ["signed"] == True` is never true. */
function* comparedWithTruth(
  code: string,
  {
    name,
    pattern,
    lines,
    isPython,
  }: {
    readonly name: string;
    readonly pattern: string;
    readonly lines: ReturnType<typeof linesAround>;
    readonly isPython: boolean;
  },
): Generator<Mistake> {
  const compared = isPython
    ? `${pattern}\\s*(?:[!=]=|is|is not)\\s*(?:True|False)\\b`
    : `${pattern}\\s*[!=]==?\\s*(?:true|false)\\b`;
  for (const { at, whole } of matchesAround(code, lines, new RegExp(compared, 'g'))) {
    if (/,\s*(?:True|False)\s*\)/.test(whole) || /,\s*(?:True|False)\s*\)/.test(code.slice(0, at))) continue;
    const value = /\w+$/.exec(whole)?.[0].toLowerCase() ?? '';
    yield {
      at,
      message: `the variable ${name} is a text, which is never equal to ${isPython ? `${value[0]?.toUpperCase() ?? ''}${value.slice(1)}` : value}`,
      fix: `compare it with a text: ${isPython ? '==' : '==='} "${value}"`,
    };
  }
}

/** `[ -n "$dry_run" ]` and `${dry_run:+…}` of bash, where the script does nothing else with the variable. */
function* truthsOfShell(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  if (shell === undefined) return;
  const text = plainText(state);
  for (const match of text.matchAll(
    /\b(?:if|while|elif)[ \t]+(?:!\s+)?\[\[?[ \t]+(?:-n[ \t]+)?"?\$\{?(\w+)(?::?-)?\}?"?[ \t]+\]\]?|\$\{(\w+):\+/g,
  )) {
    const name = match[1] ?? match[2] ?? '';
    const others = text.split(new RegExp(`(?<!\\w)${name}(?!\\w)`)).length - 2;
    const no = others > 0 || shell.isSet(name) ? undefined : textForNo(analysis, { file: state.file, name });
    if (no === undefined) continue;
    yield {
      at: match.index,
      message: `${name} may be the text "${no}", which is not empty either`,
      fix: `compare it with a text: [ "$${name}" = ${oppositeOf(no)} ]`,
    };
  }
}

/** Rules about texts in the place of true and false. */
export const TRUTH_RULES: readonly Rule[] = [
  {
    id: 'text-as-condition',
    severity: 'warning',
    summary: 'A script uses a text such as "false" as a condition, but every text that is not empty counts as true.',
    why: 'Attributes, results and the environment reach scripts as texts. Python and JavaScript take every text that is not empty for true, and a text is never equal to True or true. A test with -n in bash is true for "false" as well.',
    check: (analysis) =>
      mistakesOf(analysis, function* (state) {
        yield* comparedBooleans(analysis, state);
        yield* truths(analysis, state);
        yield* truthsOfShell(analysis, state);
      }),
  },
];
