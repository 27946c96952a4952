// Fields of results without a schema: a state reads a field, but the results that reach it are plain texts, or JSON that a script writes with
// other fields.
import { nearest } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import { isComputed, type Mention } from '../../mention.js';
import { COMPUTED } from '../../shell/words.js';
import { searchableText } from '../helpers.js';
import type { FindingDetails } from '../rule.js';

/** The fields of the results with which states end; undefined when they may have others. */
export function fieldsOfTexts(givers: readonly StateNode[]): ReadonlySet<string> | undefined {
  const fields = givers.map(fieldsOfState);
  return fields.length === 0 || fields.includes(undefined) ? undefined : new Set(fields.flatMap((some) => some ?? []));
}

/** A state with a result that surely lacks a field, though other results may have it. */
export function giverWithout(givers: readonly StateNode[], name: string): StateNode | undefined {
  if (fieldsOfTexts(givers)?.has(name) === false) return undefined;
  return givers.find((giver) => resultsOf(giver)?.some((fields) => fields?.includes(name) === false));
}

/** True for a state none of whose results is a JSON object. */
export function isPlainText(state: StateNode): boolean {
  return resultsOf(state)?.every((fields) => fields?.length === 0) === true;
}

function fieldsOfState(state: StateNode): readonly string[] | undefined {
  const fields = resultsOf(state);
  return fields === undefined || fields.includes(undefined) ? undefined : fields.flatMap((some) => some ?? []);
}

/** The fields of each result of a state; undefined when nothing is known of them. */
function resultsOf(state: StateNode): readonly (readonly string[] | undefined)[] | undefined {
  const { source, effectiveMentions, mentions } = state;
  const schema = source.kind === 'prompt' ? source.prompt.resultSchema : undefined;
  // Only an object has fields.
  if (typeof schema?.['type'] === 'string' && schema['type'] !== 'object') return [[]];
  if (source.kind === 'prompt' && (schema !== undefined || mayBeJson(state))) return undefined;
  const results = [...new Set([...effectiveMentions, ...mentions])].filter(
    ({ tag, body }) => tag === 'result' && body !== undefined,
  );
  return results.length === 0
    ? undefined
    : results.map((result) => fieldsOfTag(result) ?? (results.length === 1 ? fieldsWritten(state, result) : undefined));
}

/** True for a prompt that asks for JSON, or whose policy allows a text that is JSON. */
function mayBeJson(state: StateNode): boolean {
  return /json|[{}]|\byaml\b|\bobject\b|\bfields?\b|\bkeys?\b/i.test(searchableText(state));
}

function fieldsOfTag({ body, isCertain, source, malformed }: Mention): readonly string[] | undefined {
  const text = body?.value.trim() ?? '';
  if (isCertain === false || malformed !== undefined || text === '') return undefined;
  if (text.startsWith(COMPUTED) || (source !== 'script' && isComputed(text))) return undefined;
  return text.startsWith('{') ? keysIn(text) : /^["[]|\.\.\.|…/.test(text) ? undefined : [];
}

/** The keys of the only object that a script turns into JSON, if this is its result. */
function fieldsWritten(state: StateNode, { body, isCertain }: Mention): readonly string[] | undefined {
  if (state.kind !== 'script' || isCertain === false || body?.value.trim() !== COMPUTED) return undefined;
  const code = searchableText(state);
  const calls = [...code.matchAll(/\b(?:json\.dumps|JSON\.stringify)\(\s*(?:\{([^{}]{1,400})\}\s*[,)]|(\w+)\s*\))?/g)];
  const [, literal, name] = calls.length === 1 ? (calls[0] ?? []) : [];
  const inner = literal ?? (name === undefined ? undefined : objectIn(code, name));
  if (inner === undefined || /\*\*|\.\.\./.test(inner)) return undefined;
  const parts = inner
    .replace(/\[[^[\]]*\]|\([^()]*\)/g, '')
    .split(',')
    .map((part) => part.trim());
  const keys = parts.filter((part) => part !== '').map((part) => /^["']?([A-Za-z_]\w*)["']?\s*(?::|$)/.exec(part)?.[1]);
  return keys.length === 0 || keys.includes(undefined) ? undefined : keys.flatMap((key) => key ?? []);
}

/** The content of an object that a variable gets once, and that nothing changes. */
function objectIn(code: string, name: string): string | undefined {
  const all = [
    ...code.matchAll(
      new RegExp(`(?<![\\w.])${name}(?:[ \\t]*:[ \\t]*\\w+)?[ \\t]*=(?!=)\\s*(?:\\{([^{}]{1,400})\\})?`, 'g'),
    ),
  ];
  const isChanged = new RegExp(
    `(?<![\\w.])${name}(?:\\[[^\\]\\n]*\\]|\\.\\w+)[ \\t]*=(?!=)|\\b${name}(?:\\.(?:update|setdefault)\\(|[ \\t]*\\|=)|\\bassign\\(\\s*${name}\\b`,
  ).test(code);
  return all.length === 1 && !isChanged ? all[0]?.[1] : undefined;
}

/** The keys of a JSON object in which values may be computed; undefined when it may have others. */
function keysIn(text: string): readonly string[] | undefined {
  const plain = text.replace(/"(?:\\.|[^"\\])*"(\s*:)?/g, (whole, colon?: string) =>
    colon === undefined ? '0' : whole,
  );
  if (!text.endsWith('}') || new RegExp(`[{,]\\s*${COMPUTED}|${COMPUTED}\\s*[:,]?\\s*${COMPUTED}`).test(plain))
    return undefined;
  const inner = plain.slice(1, -1).replace(/\{[^{}]*\}/g, '0');
  if (/[{}]/.test(inner)) return undefined;
  const keys = [...inner.matchAll(/"(\w+)"\s*:/g)].map(([, key = '']) => key);
  return keys.length === 0 ? undefined : keys;
}

/** The message about a field that no result has. */
export function missingField(
  name: string,
  {
    file,
    fields,
    givers,
  }: { readonly file: string; readonly fields: ReadonlySet<string>; readonly givers: readonly StateNode[] },
): Pick<FindingDetails, 'message' | 'fix'> {
  const names = givers.map((giver) => giver.file).join(', ');
  if (fields.size === 0)
    return {
      message: `no result that reaches ${file} has the field ${name}: the result of ${names} is not a JSON object`,
      fix: 'let the result be a JSON object, or read the whole text',
    };
  const near = nearest(name, [...fields]) ?? [...fields].find((field) => field.toLowerCase() === name.toLowerCase());
  return {
    message: `no result that reaches ${file} has the field ${name}: that of ${names} has ${[...fields].join(', ')}`,
    fix: near === undefined ? 'add it to the result, or remove it here' : `did you mean ${near}?`,
  };
}
