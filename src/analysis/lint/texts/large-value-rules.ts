// The rule about values that are too long for a variable: a script gets no variable of more than 100 KiB.
import { MAX_VARIABLE_BYTES } from '../../../protocol/language/variables.js';
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { allEdges, type StateNode } from '../../graph.js';
import type { Position } from '../../position.js';
import { computedParts, plainText, scriptsOf, searchableText, statesOf, type ScriptState } from '../helpers.js';
import { giversOf } from '../values/result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { valuesOfVariable } from './known-values.js';
import { lengthOf, lengthPrinted, limitOf, numbersOf, type SizedCode } from './value-sizes.js';

const LIMIT = `${MAX_VARIABLE_BYTES / 1024} KiB`;

/** A computed value in a tag that is, or may be, longer than a variable. */
interface LongValue {
  /** Where it stands in the script. */
  readonly at: number;
  /** The attribute; absent = the text of a result. */
  readonly attribute?: string;
  readonly verb: 'has' | 'may have';
}

function* longValues(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis))
    for (const value of longValuesIn(analysis, state)) {
      const { attribute, at } = value;
      if (attribute === undefined || attribute === 'input')
        yield* readersOf(analysis, { state, attribute }).map((use) => unsetValue(use, { state, value }));
      else if (isReadByScript(analysis, { state, name: attribute }))
        yield {
          at: state.source.raw.at(at),
          state: state.file,
          message: `the attribute ${attribute} ${value.verb} more than ${LIMIT}, so the next script does not get it`,
          fix: 'pass the text as input, and let the script read the file at RAYMOND_INPUT_FILE',
        };
    }
}

/** What a text of a known length is made with. */
const MAY_BE_LONG =
  /\brange\(|\bwhile\b|\bproduct\(|\bseq\b|\.\.\d|\blength:|\bArray\(|\bfor\s*\(|["'`]\s*\*\s*\w|\.repeat\(|\b(?:head|tail)\s|\brand|random|token_hex|\[:\d|\.(?:slice|substring)\(/;

function longValuesIn(analysis: Analysis, state: ScriptState): readonly LongValue[] {
  const code = plainText(state);
  if (!MAY_BE_LONG.test(code)) return [];
  const known = (name: string): number | undefined => smallest(valuesOfVariable(analysis, { file: state.file, name }));
  const sized = { code, numbers: numbersOf(code, known) };
  const seen = new Set<number>();
  const parts = computedParts(state.source.script).flatMap(({ offset, inAttribute }): readonly LongValue[] => {
    if (seen.has(offset)) return [];
    seen.add(offset);
    const verb = verbOf(expressionAt(code, offset), sized);
    const [, name] =
      /([\w-]+)=\\?["'](?:["'`]\s*\+\s*)?[^"'\n]*$/.exec(code.slice(Math.max(0, offset - 80), offset)) ?? [];
    if (verb === undefined || (inAttribute && name === undefined)) return [];
    return [{ at: offset, verb, ...(inAttribute && name !== undefined ? { attribute: name } : {}) }];
  });
  return [...parts, ...printedResult(sized)];
}

function smallest(values: { readonly texts: ReadonlySet<string> } | undefined): number | undefined {
  const numbers = [...(values?.texts ?? [])].map(Number);
  return numbers.length === 0 || numbers.some(Number.isNaN) ? undefined : Math.min(...numbers);
}

function verbOf(expression: string, sized: SizedCode): LongValue['verb'] | undefined {
  if (lengthOf(expression, sized) > MAX_VARIABLE_BYTES) return 'has';
  return limitOf(expression, sized) > MAX_VARIABLE_BYTES ? 'may have' : undefined;
}

/** The expression at an offset: `$(…)`, `{…}`, `${…}`, a variable of bash, or an operand of `+`. */
function expressionAt(code: string, offset: number): string {
  const rest = code.slice(offset, offset + 600).replace(/^(["'])\s*\+\s*/, '');
  const opening = /^\$?[({]/.exec(rest)?.[0];
  if (opening === undefined)
    return /^\$\w+/.exec(rest)?.[0] ?? /^[^\n]*?(?=\s*\+\s*["'`]|\s*$|\n)/.exec(rest)?.[0] ?? '';
  let depth = 0;
  for (let index = 0; index < rest.length; index++) {
    const char = rest[index] ?? '';
    if ('({['.includes(char)) depth++;
    else if (')}]'.includes(char) && --depth === 0) return rest.slice(opening.length, index);
  }
  return '';
}

/** A result whose text loops print between its opening and its closing tag. */
function printedResult(sized: SizedCode): readonly LongValue[] {
  const { code } = sized;
  const from =
    /^[ \t]*(?:echo|printf|print\(|console\.log\(|(?:sys|process)\.stdout\.write\()[^\n]*<result>[^<\n]*$/m.exec(
      code,
    )?.index;
  const to = from === undefined ? -1 : code.indexOf('</result>', from);
  if (from === undefined || to < 0) return [];
  return lengthPrinted({ from, to }, sized) > MAX_VARIABLE_BYTES ? [{ at: from, verb: 'has' }] : [];
}

/** Where a script reads a value from a variable. */
interface Use {
  readonly state: ScriptState;
  readonly at: number;
  readonly name: string;
}

/** The scripts that get a value and read it only from its variable. */
function readersOf(
  analysis: Analysis,
  { state, attribute }: { readonly state: StateNode; readonly attribute: string | undefined },
): readonly Use[] {
  const files =
    attribute === undefined
      ? statesOf(analysis).flatMap(({ file }) => (giversOf(analysis, file)?.includes(state) === true ? [file] : []))
      : targetsOf(state, attribute);
  return scriptsOf(analysis).flatMap((reader) => (files.includes(reader.file) ? (useIn(reader) ?? []) : []));
}

function targetsOf({ edges }: StateNode, attribute: string): readonly string[] {
  return edges.flatMap(({ to, role, mention }) =>
    to.kind === 'state' && role === 'target' && mention.attributes.has(attribute) ? [to.file] : [],
  );
}

function useIn(state: ScriptState): Use | undefined {
  const text = searchableText(state);
  const match = /\bRAYMOND_(?:INPUT|RESULT)\b(?!_)/.exec(text);
  if (match === null || /\bRAYMOND_(?:INPUT|RESULT)_FILE\b/.test(text)) return undefined;
  return { state, at: match.index, name: match[0] };
}

function unsetValue(
  { state: reader, at, name }: Use,
  { state, value }: { readonly state: StateNode; readonly value: LongValue },
): FindingDetails {
  return {
    at: reader.source.raw.at(at),
    state: reader.file,
    message: `the value that ${state.file} passes ${value.verb} more than ${LIMIT}, so ${name} is not set`,
    fix: `read the file whose path is in ${name}_FILE`,
  };
}

function isReadByScript(
  analysis: Analysis,
  { state, name }: { readonly state: StateNode; readonly name: string },
): boolean {
  const isOwn = state.edges.some(({ tag, mention }) => mention.attributes.has(name) && isOwnAttribute(tag, name));
  const files = isOwn ? targetsOf(state, name) : [];
  return scriptsOf(analysis).some(
    (reader) => files.includes(reader.file) && new RegExp(`\\b${name}\\b`).test(searchableText(reader)),
  );
}

const SIZE = /(\d+(?:\.\d+)?)\s?(KB|KiB|MB|MiB|GB|megabytes?|kilobytes?)(?![\w/])/gi;

/** True for words that name a size of more than a variable has. */
function namesLongText(words: string): boolean {
  return [...words.matchAll(SIZE)].some(([, amount = '', unit = '']) => {
    const scale = /^k/i.test(unit) ? 1 : 1000;
    return Number(amount) * scale > MAX_VARIABLE_BYTES / 1024;
  });
}

/** Scripts that read an input which the manifest or a question describes as long. */
function* statedSizes(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  const { label = '', description = '' } = graph.source.parsedManifest?.input ?? {};
  const entry = graph.entry.kind === 'state' && namesLongText(`${label} ${description}`) ? graph.entry.file : undefined;
  const asked = allEdges(graph).flatMap(({ tag, role, to, mention }) => {
    const isLong = tag === 'ask' && role === 'next' && mention.body !== undefined && namesLongText(mention.body.value);
    // A button gives a short answer, and a file is no answer.
    const isOther = ['choices', 'upload_slots', 'upload_bucket'].some((name) => mention.attributes.has(name));
    return isLong && !isOther && to.kind === 'state' ? [to.file] : [];
  });
  for (const state of scriptsOf(analysis)) {
    const isEntry = state.file === entry;
    const use = isEntry || asked.includes(state.file) ? useIn(state) : undefined;
    const at: Position | undefined = use && state.source.raw.at(use.at);
    if (use !== undefined && at !== undefined)
      yield {
        at,
        state: state.file,
        message: `the ${isEntry ? 'manifest' : 'question'} speaks of a longer text than ${LIMIT}, and with such a text ${use.name} is not set`,
        fix: `read the file whose path is in ${use.name}_FILE`,
      };
  }
}

/** The rule about values that are too long for a variable. */
export const LARGE_VALUE_RULES: readonly Rule[] = [
  {
    id: 'value-too-long',
    severity: 'warning',
    summary:
      'A script reads a value of more than 100 KiB from a variable such as RAYMOND_INPUT, but a value of this length is only in the file at RAYMOND_INPUT_FILE.',
    why: 'A variable of more than 100 KiB is not set, because many systems start no process with one. The value is in the file at RAYMOND_INPUT_FILE; the result of a call is also at RAYMOND_RESULT_FILE. An attribute of your own of this length is lost.',
    check: (analysis) => [...longValues(analysis), ...statedSizes(analysis)],
  },
];
