// Finds comparisons of a boolean of a result with a text or a number that it never is: it reaches a script as "true" or "false".
import { executorOf } from '../../../protocol/language/resolve.js';
import { FILE } from '../../program/atoms.js';
import { plainText, searchableText, statesOf, type Mistake, type ScriptState } from '../helpers.js';
import { allGiversOf, typeOfField } from '../values/result-rules.js';
import type { Analysis } from '../rule.js';
import { comparedValues } from './compared-values.js';
import { programCode, readTexts } from '../scripts/program-code.js';

/** Texts that people write for a boolean, but that JSON does not. */
const OTHER_TEXT = String.raw`["'](?:True|False|TRUE|FALSE|[Yy]es|YES|[Nn]o|NO|[YyNn]|[01]|on|off|pass(?:ed)?|fail(?:ed)?|ok)["']`;

/** True for a field that is a boolean in the schema of a result that reaches a state. */
function isBoolean(analysis: Analysis, { file, field }: { readonly file: string; readonly field: string }): boolean {
  const givers = allGiversOf(analysis, file) ?? [];
  return givers.length > 0 && givers.every((giver) => typeOfField(giver, field) === 'boolean');
}

/** The comparisons of a script in which a boolean is taken for another text or for a number. */
export function* comparedBooleans(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const { file } = state;
  const is = (field: string): boolean => isBoolean(analysis, { file, field });
  yield* inRowsOfFile(analysis, state);
  if (!searchableText(state).includes('RAYMOND_RESULT')) return;
  if (state.source.script.shell === undefined) {
    yield* inProgram(state, is);
    yield* inParsed(state, is);
  } else yield* inShell(state, is);
}

function mistake(at: number, field: string, equals: string): Mistake {
  return {
    at,
    message: `${field} is a boolean of the result, so this text is "true" or "false" and nothing else`,
    fix: `compare it with a text: ${equals}`,
  };
}

function* inProgram(state: ScriptState, is: (field: string) => boolean): Generator<Mistake> {
  const code = programCode(state);
  const isPython = executorOf(state.file) === 'python';
  for (const { name, isVariable, pattern } of readTexts(state, code)) {
    const [, field = ''] = /^RAYMOND_RESULT_(?!FILE$)(\w+)$/.exec(name) ?? [];
    if (!isVariable || field === '' || !is(field)) continue;
    // A script that also knows the text of JSON is prepared for several.
    if (
      new RegExp(
        `${pattern}\\s*[!=]==?\\s*["'](?:true|false)["']|["'](?:true|false)["']\\s*[!=]==?\\s*${pattern}`,
      ).test(code)
    )
      continue;
    const wrong = new RegExp(
      [
        `${pattern}\\s*(?:[!=]==?|\\bis(?:\\s+not)?\\b)\\s*(?:${OTHER_TEXT}|-?\\d+\\b)`,
        `${OTHER_TEXT}\\s*[!=]==?\\s*${pattern}`,
        `${pattern}\\s+(?:not\\s+)?in\\s+[([{](?![^\\n)\\]}]*["']true["'])[^\\n)\\]}]{1,80}[)\\]}]`,
        `(?:^|[^\\w.])(?:int|float|Number|parseInt)\\(\\s*${pattern}\\s*\\)`,
      ].join('|'),
      'gm',
    );
    for (const { index, 0: whole } of code.matchAll(wrong)) {
      if (/(?:upper|toUpperCase)\(\)\s*[!=]==?\s*["'](?:TRUE|FALSE)["']/.test(whole)) continue;
      yield mistake(index + whole.search(/[\w"']/), field, `${isPython ? '==' : '==='} "true"`);
    }
  }
}

const PARSED =
  /^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*[\w<>, ]{1,60})?[ \t]*=[ \t]*(?:json\.loads|JSON\.parse)\([^\n]{0,60}\bRAYMOND_RESULT\b(?!_)/gm;

/** `json.loads(os.environ["RAYMOND_RESULT"])["passed"] == "true"`: what is parsed is no text. */
function* inParsed(state: ScriptState, is: (field: string) => boolean): Generator<Mistake> {
  const code = programCode(state);
  const isPython = executorOf(state.file) === 'python';
  for (const [, name = ''] of code.matchAll(PARSED)) {
    const field = isPython
      ? `(?:\\[["'](\\w+)["']\\]|\\.get\\(["'](\\w+)["']\\))`
      : `(?:\\??\\.(\\w+)|\\[["'](\\w+)["']\\])`;
    const compared = new RegExp(
      `(?<![\\w.])${name}${field}\\s*(?:===?|!==?)\\s*(?:["'](?:true|false)["']|${OTHER_TEXT})`,
      'g',
    );
    for (const { index, 1: first, 2: second } of code.matchAll(compared)) {
      const read = first ?? second ?? '';
      if (is(read)) yield parsedMistake(index, read, isPython);
    }
  }
}

/** `row["passed"] == "true"`, where each row of a file is a result that another script has written there. */
function* inRowsOfFile(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  for (const { value, texts, at } of comparedValues(state)) {
    const fields = value.map((atom) => (atom.kind === 'json' && atom.of.startsWith(FILE) ? atom : undefined));
    const [atom] = fields;
    const field = atom?.path.at(-1);
    if (atom === undefined || field === undefined || fields.some((one) => one?.path.at(-1) !== field)) continue;
    if (atom.path.slice(0, -1).some((step) => step !== '*')) continue;
    if (!texts.every(({ text }) => /^(?:true|false|yes|no)$/i.test(text))) continue;
    if (isBooleanInFile(analysis, { state, field, name: atom.of.slice(FILE.length) }))
      yield parsedMistake(at, field, executorOf(state.file) === 'python');
  }
}

/** Makes a file empty, or removes it. */
const EMPTIES = /,\s*(["'`])\1\s*\)|write_text\((["'])\2|^\s*(?::\s*)?>(?!>)|\b(?:rm|touch|truncate|unlink\w*)\b/;

/** May make texts of all values. */
const CONVERTS = /\bstr\(|\bString\(|\btostring\b|\brepr\(|toString|\bfor\b|\.map\(|\breplacer?\b|\b(?:sed|tr|awk)\b/;

/** True for a field of the results that one script, which does not name the field, writes to a file. */
function isBooleanInFile(
  analysis: Analysis,
  { state, field, name }: { readonly state: ScriptState; readonly field: string; readonly name: string },
): boolean {
  const others = statesOf(analysis).filter(({ file }) => file !== state.file);
  const [writer, ...more] = others.filter((one) =>
    plainText(one)
      .split('\n')
      .some((line) => line.includes(name) && !EMPTIES.test(line)),
  );
  if (writer?.kind !== 'script' || more.length > 0 || CONVERTS.test(plainText(writer))) return false;
  const isNamed = others.some((one) => one.kind === 'script' && new RegExp(`\\b${field}\\b`).test(plainText(one)));
  return !isNamed && isBoolean(analysis, { file: writer.file, field });
}

function parsedMistake(at: number, field: string, isPython: boolean): Mistake {
  return {
    at,
    message: `${field} is a boolean of the result, and parsed JSON has it as a boolean, not as a text`,
    fix: `compare it with ${isPython ? 'True or False' : 'true or false'}, or test it without a comparison`,
  };
}

function* inShell(state: ScriptState, is: (field: string) => boolean): Generator<Mistake> {
  const text = plainText(state);
  const fields = new Set([...text.matchAll(/\bRAYMOND_RESULT_(?!FILE\b)(\w+)/g)].map(([, field = '']) => field));
  const byJq = [
    ...text.matchAll(
      /^[ \t]*(?:local[ \t]+)?(\w+)=["']?\$\([^\n]{0,80}\bjq\b[^\n]{0,40}["' ]\.(\w+)["' )][^\n]{0,80}\bRAYMOND_RESULT\b|^[ \t]*(?:local[ \t]+)?(\w+)=["']?\$\([^\n]{0,60}\bRAYMOND_RESULT\b[^\n]{0,40}\bjq\b[^\n]{0,40}["' ]\.(\w+)["' )]/gm,
    ),
  ];
  const read = [
    ...[...fields].map((field) => ({ field, names: [`RAYMOND_RESULT_${field}`, ...aliasesOf(field, text)] })),
    ...byJq.map((match) => ({ field: match[2] ?? match[4] ?? '', names: [match[1] ?? match[3] ?? ''] })),
  ];
  for (const { field, names } of read) {
    if (!is(field)) continue;
    const use = `\\$\\{?(?:${names.join('|')})(?:,,|:?-\\w*)?\\}?`;
    if (new RegExp(`${use}["']?\\s*(?:==?|!=)\\s*["']?(?:true|false)\\b|\\btrue["']?\\s*(?:\\)|\\||==?)`).test(text))
      continue;
    const bare = OTHER_TEXT.replaceAll(`["']`, `["']?`);
    const wrong = new RegExp(
      `${use}["']?\\s+(?:(?:==?|!=)\\s+${bare}(?=["'\\s])|-(?:eq|ne|gt|ge|lt|le)\\s)|\\(\\(\\s*!?\\s*\\$?\\{?(?:${names.join('|')})\\b|\\bcase\\s+["']?${use}["']?\\s+in\\s+\\(?${bare}\\s*[|)]`,
      'g',
    );
    for (const { index } of text.matchAll(wrong)) yield mistake(index, field, `[ "$RAYMOND_RESULT_${field}" = true ]`);
  }
}

/** The variables that get the field as it is. */
function aliasesOf(field: string, text: string): readonly string[] {
  const assigned = new RegExp(
    `(?:^|[\\s;])(\\w+)=["']?\\$\\{?RAYMOND_RESULT_${field}(?::?-\\w*)?\\}?["']?[ \\t]*(?:$|;)`,
    'gm',
  );
  return [...text.matchAll(assigned)].flatMap(([, name = '']) =>
    text.match(new RegExp(`(?:^|[\\s;])${name}=`, 'gm'))?.length === 1 ? [name] : [],
  );
}
