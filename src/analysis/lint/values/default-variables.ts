// Finds variables that a script reads with a default, although only the default is ever used: no tag passes the attribute to this state, or it has
// another spelling there. Pure.
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { hasUnknownTargets, plainText, scriptsOf, searchableText, statesOf, type ScriptState } from '../helpers.js';
import { attributesPassed, mayBeBound } from '../passed.js';
import { COMMON } from '../scripts/lost-effect-rules.js';
import { variablesOfProgram } from '../scripts/program-variables.js';
import type { Analysis, FindingDetails } from '../rule.js';

interface Read {
  readonly state: ScriptState;
  readonly name: string;
  readonly at: number;
  readonly guarded: boolean;
}

/** Why `RAYMOND_INPUT_NAME` has no value: only the fields of a result have variables. */
export function fieldOfInput(
  analysis: Analysis,
  { state, name }: Read,
): Pick<FindingDetails, 'message' | 'fix'> | undefined {
  if (!/^RAYMOND_INPUT_(?!FILE$)/.test(name) || !isOurs(analysis, name)) return undefined;
  if (new RegExp(`(?<![\\w$])${name}=|["'.]${name}["']?\\]?\\s*=(?!=)`).test(searchableText(state))) return undefined;
  return {
    message: `${name} is never set: fields of the result of a call have variables such as RAYMOND_RESULT_NAME, but fields of an input do not`,
    fix: 'read the field from the JSON in RAYMOND_INPUT, or pass it as an attribute of the tag',
  };
}

/** True for a name that only Raymond sets: inherited variables of this prefix are dropped. */
export function isOurs({ graph }: Analysis, name: string): boolean {
  return name.startsWith('RAYMOND_') && graph.source.parsedManifest?.environment[name] === undefined;
}

/** Why a variable with a default always has the default. */
export function alwaysDefault(
  analysis: Analysis,
  { state, name, at, guarded }: Read,
): Pick<FindingDetails, 'message' | 'fix'> | undefined {
  const { file, source } = state;
  const { shell } = source.script;
  if (!/^(?=\w*[a-z])[A-Za-z_]\w*$/.test(name) || name.startsWith('RAYMOND_')) return undefined;
  if (!guarded && shell?.isSet(name) !== true) return undefined;
  if (mayBeBound(analysis, { file, name })) return undefined;
  if (shell !== undefined && setsItself(state, name)) return undefined;
  const meant =
    otherSpelling(name, attributesPassed(analysis, file)) ??
    withHyphen(analysis, { file, text: source.raw.text.slice(at, at + 100) });
  if (meant !== undefined)
    return {
      message: `${name} is never set, because the tag that leads here passes ${meant}`,
      fix: `write ${meant}, which must have the same spelling in both states`,
    };
  if (!isLost(analysis, { file, name })) return undefined;
  return {
    message: `${name} is never set here: a tag passes it to another state only, so the script always uses the default`,
    fix: 'let the other state pass it on, in its <result>, in a file or in the tag that leads here',
  };
}

/** True for a script that sets a variable otherwise than by a default for it. */
function setsItself({ source }: ScriptState, name: string): boolean {
  const { shell } = source.script;
  if (shell?.isSet('-') === true) return true;
  if (shell?.isSet(name) !== true) return false;
  const rest = plainText({ source })
    .replace(new RegExp(`(?<![\\w$])${name}=["']?\\$\\{${name}:?[-=][^}\\n]*\\}["']?`, 'g'), '')
    .replace(new RegExp(`\\$\\{${name}:?=[^}\\n]*\\}`, 'g'), '');
  return new RegExp(
    `(?<![$\\w{])${name}(?:\\[[^\\]]*\\])?(?:\\+?=|\\+\\+|--)|\\b(?:read|local|declare|typeset|for|getopts|mapfile|readarray|select|export|let|unset|printf\\s+-v)\\b[^\\n;|&]*\\b${name}\\b|\\(\\([^)\\n]*\\b${name}\\s*[-+*/]?=(?!=)`,
  ).test(rest);
}

/** A name without what often differs: case, hyphens and underscores, and the plural. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '').replace(/s$/, '');
}

/** A known name that differs only in its spelling. */
export function otherSpelling(name: string, known: Iterable<string>): string | undefined {
  const all = [...known];
  const plain = plainName(name);
  return plain.length < 2 || all.includes(name) ? undefined : all.find((one) => plainName(one) === plain);
}

/** `${start-date}` in bash is the variable `start` with a default. */
function withHyphen(
  analysis: Analysis,
  { file, text }: { readonly file: string; readonly text: string },
): string | undefined {
  const [, written] = /^\$\{(\w+-\w+)\}/.exec(text) ?? [];
  return written === undefined ? undefined : otherSpelling(written, attributesPassed(analysis, file));
}

/** True for an attribute that tags pass to other states only; attributes reach the next state, but no later one. */
export function isLost(analysis: Analysis, { file, name }: { readonly file: string; readonly name: string }): boolean {
  const { entry, source } = analysis.graph;
  if (entry.kind !== 'state' || entry.file === file || source.parsedManifest?.environment[name] !== undefined)
    return false;
  if (analysis.entriesFromOutside?.includes(file) === true || !analysis.reached.has(file)) return false;
  const isPassed = statesOf(analysis).some(({ mentions }) =>
    mentions.some(({ tag, attributes }) => isOwnAttribute(tag, name) && attributes.has(name)),
  );
  return isPassed && !hasUnknownTargets(analysis) && !mayBeBound(analysis, { file, name });
}

/** The words of a name in capitals, without their plurals. */
function wordsOf(name: string): readonly string[] {
  return name.split('_').map((word) => word.replace(/IES$/, 'Y').replace(/S$/, ''));
}

/** A name that only the environment may give a value. */
function isOrdinary(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{3,}$/.test(name) && !COMMON.test(name);
}

/** A name under `environment` that nothing reads, in the place of a name that a script needs. */
export function unreadSetting(analysis: Analysis, name: string): string | undefined {
  const { parsedManifest, files } = analysis.graph.source;
  const environment = parsedManifest?.environment ?? {};
  const keys = Object.keys(environment).filter(isOrdinary);
  if (!isOrdinary(name) || keys.length === 0) return undefined;
  const texts = [...files.values()].flatMap((file) =>
    'raw' in file && file.file !== 'workflow.yaml' ? [file.raw.text] : [],
  );
  // A file that a script reads in may set it.
  if (texts.some((text) => new RegExp(`\\b${name}=`).test(text))) return undefined;
  const unread = keys.filter((key) => !texts.some((text) => new RegExp(`\\b${key}\\b`).test(text)));
  const [only = '', ...others] = unread;
  const isPair = only !== '' && others.length === 0 && isOnlyNeed(analysis, name);
  const isMeant = isPair && (hasSameEnd(name, only) || (isNumber(environment[only]) && usesAsNumber(texts, name)));
  return unread.find((key) => hasSameWords(name, key)) ?? (isMeant ? only : undefined);
}

/** True if one name has all words of the other, of which some may be shorter: COVER and COVERAGE. */
function hasSameWords(one: string, other: string): boolean {
  const [few = [], many = []] = [wordsOf(one), wordsOf(other)].sort((left, right) => left.length - right.length);
  const isSame = (left: string, right: string): boolean =>
    left === right || (Math.min(left.length, right.length) > 3 && (left.startsWith(right) || right.startsWith(left)));
  return few.every((word) => many.some((that) => isSame(word, that)));
}

/** True for BASE_BRANCH and TARGET_BRANCH, but not for the ends that names of different things share. */
function hasSameEnd(one: string, other: string): boolean {
  const [mine, theirs] = [wordsOf(one).at(-1) ?? '', wordsOf(other).at(-1)];
  return mine === theirs && mine.length > 4 && !/^(?:TOKEN|SECRET|PASSWORD|VERSION|ADDRESS|WEBHOOK|FOLDER)$/.test(mine);
}

/** True if the scripts need no other variable that nothing sets. */
function isOnlyNeed(analysis: Analysis, name: string): boolean {
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  return scriptsOf(analysis).every((state) => {
    const { shell } = state.source.script;
    const read = shell?.variables ?? variablesOfProgram(searchableText(state));
    return read.every(
      (one) =>
        one.name === name ||
        one.guarded ||
        !isOrdinary(one.name) ||
        shell?.isSet(one.name) === true ||
        environment[one.name] !== undefined,
    );
  });
}

function isNumber(value = ''): boolean {
  return /^\d+(?:\.\d+)?$/.test(value);
}

function usesAsNumber(texts: readonly string[], name: string): boolean {
  const used = new RegExp(
    `\\b(?:int|float|Decimal|Number|parseInt|parseFloat)\\([^()\\n]*(?:\\(\\s*)?["'.]${name}\\b|\\s-(?:eq|ne|lt|le|gt|ge)\\s+["']?\\$\\{?${name}\\b|\\(\\([^()\\n]*\\b${name}\\b`,
  );
  return texts.some((text) => used.test(text));
}
