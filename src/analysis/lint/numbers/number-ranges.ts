// The ranges of the numbers that a state gets: by the schemas of results, by what a prompt says of its result, and by attributes that pass a
// field of a result on.
import { edgesInto, type StateNode } from '../../graph.js';
import { plainText } from '../helpers.js';
import { giversOf, schemaOfField } from '../values/result-rules.js';
import type { Analysis } from '../rule.js';

/** The least and the greatest number; infinite where nothing limits it. */
export interface Range {
  readonly least: number;
  readonly greatest: number;
  /** The file that limits it. */
  readonly by: string;
}

/** The range of a field of the result that reaches a state; of the whole result without a field. */
export function rangeOfResult(
  analysis: Analysis,
  { file, field }: { readonly file: string; readonly field: string | undefined },
): Range | undefined {
  const { graph } = analysis;
  if (graph.entry.kind === 'state' && graph.entry.file === file) return undefined;
  const givers = giversOf(analysis, file);
  if (givers === undefined || givers.length === 0) return undefined;
  return united(givers.map((giver) => rangeOfGiver(giver, field)));
}

/** The range of an attribute that is a field of a result, in each tag that leads to a state. */
export function rangeOfAttribute(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): Range | undefined {
  const { graph } = analysis;
  if (graph.entry.kind === 'state' && graph.entry.file === file) return undefined;
  const edges = edgesInto(graph, file);
  const ranges = edges.map(({ from, role, mention }) => {
    const giver = graph.states.get(from);
    if (role !== 'target' || giver === undefined || !mention.attributes.has(name)) return undefined;
    const field = fieldPassed(giver, name);
    return field === undefined
      ? undefined
      : rangeOfResult(analysis, { file: from, field: field === '' ? undefined : field });
  });
  return united(ranges);
}

/** The field of the result that a state writes into an attribute; empty for the whole result. */
function fieldPassed(state: StateNode, name: string): string | undefined {
  const code = plainText(state);
  const values = [...code.matchAll(new RegExp(`[\\s'"]${name}=\\\\?(["'])([^"'\\\\\\n]{1,80})\\\\?\\1?`, 'g'))].map(
    ([, , value = '']) => value,
  );
  const [value, ...others] = values;
  if (value === undefined || others.some((other) => other !== value)) return undefined;
  const direct = /^(?:\$\{?RAYMOND_RESULT(?:_(\w+))?\}?|\{\{result(?:\.(\w+))?\}\})$/.exec(value);
  if (direct !== null) return direct[1] ?? direct[2] ?? '';
  const variable = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(value)?.[1];
  const given =
    variable === undefined
      ? []
      : [
          ...withoutTags(code).matchAll(
            new RegExp(`(?<![\\w.$])${variable}(?:\\s*:\\s*\\w+)?\\s*=(?!=)([^\\n]*)`, 'g'),
          ),
        ];
  const plain = /RAYMOND_RESULT(?:_(\w+))?/.exec(given[0]?.[1] ?? '');
  return given.length === 1 && plain !== null && !/[*/+]|\bround\b|\[["']\w+["']\]\s*\[/.test(given[0]?.[1] ?? '')
    ? (plain[1] ?? '')
    : undefined;
}

/** The code without the opening tags that it prints: their attributes are no assignments. */
export function withoutTags(code: string): string {
  return code.replace(/<(?:goto|reset|call|function|fork)\b[^<>\n]*>/g, ' ');
}

function united(ranges: readonly (Range | undefined)[]): Range | undefined {
  const known = ranges.flatMap((range) => range ?? []);
  const [first] = known;
  if (first === undefined || known.length < ranges.length) return undefined;
  return {
    least: Math.min(...known.map(({ least }) => least)),
    greatest: Math.max(...known.map(({ greatest }) => greatest)),
    by: first.by,
  };
}

function rangeOfGiver(giver: StateNode, field: string | undefined): Range | undefined {
  const { source, file } = giver;
  if (source.kind !== 'prompt') return undefined;
  const { resultSchema } = source.prompt;
  if (resultSchema === undefined) return rangeInWords(giver, field);
  const schema = field === undefined ? resultSchema : schemaOfField(giver, field);
  const { type, enum: values, const: one } = schema ?? {};
  if (schema === undefined) return undefined;
  if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'number'))
    return { least: Math.min(...values), greatest: Math.max(...values), by: file };
  if (typeof one === 'number') return { least: one, greatest: one, by: file };
  if (type !== 'integer' && type !== 'number') return undefined;
  const number = (...keys: readonly string[]): number | undefined =>
    keys.map((key) => schema[key]).find((value): value is number => typeof value === 'number');
  const [least, greatest] = [number('minimum', 'exclusiveMinimum'), number('maximum', 'exclusiveMaximum')];
  if (least === undefined && greatest === undefined) return rangeInWords(giver, field);
  return { least: least ?? -Infinity, greatest: greatest ?? Infinity, by: file };
}

const RANGE =
  /\b(?:from|between)\s+(\d+(?:\.\d+)?)(?:\s*\([^()]{0,30}\))?\s+(?:to|and)\s+(\d+(?:\.\d+)?)(?![\w.]*\d)|\bscale\s+of\s+(\d+)\s*(?:-|–|to)\s*(\d+)|(?<![\w.-])(\d+)\s*(?:-|–)\s*(\d+)(?=\s*[).,;:]|\s+(?:points|stars|scale))|\bout\s+of\s+()(\d+)\b/gi;

/** The only range that a prompt names, if its example of the result is a number in it. */
function rangeInWords({ source, file, mentions }: StateNode, field: string | undefined): Range | undefined {
  if (source.kind !== 'prompt') return undefined;
  const ranges = [...source.prompt.body.text.matchAll(RANGE)].map((match) => {
    const [least = '0', greatest = ''] = match.slice(1).filter((part: string | undefined) => part !== undefined);
    return { least: Number(least), greatest: Number(greatest), by: file };
  });
  const [range] = ranges;
  if (range === undefined || ranges.some(({ least, greatest }) => least !== range.least || greatest !== range.greatest))
    return undefined;
  const examples = mentions.flatMap(({ tag, body, source: from }) =>
    tag === 'result' && from === 'text' && body !== undefined ? [body.value] : [],
  );
  const numbers = examples.map((example) => numberIn(example, field));
  const isIn =
    numbers.length > 0 &&
    numbers.every((number) => number !== undefined && number >= range.least && number <= range.greatest);
  return isIn && range.greatest > range.least ? range : undefined;
}

function numberIn(example: string, field: string | undefined): number | undefined {
  const text =
    field === undefined ? example.trim() : new RegExp(`"${field}"\\s*:\\s*(-?\\d+(?:\\.\\d+)?)`).exec(example)?.[1];
  const numbers = field === undefined ? [] : (example.match(/:\s*-?\d/g) ?? []);
  return text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text) || numbers.length > 1 ? undefined : Number(text);
}
