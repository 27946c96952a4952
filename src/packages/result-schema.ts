// The JSON schema of a state's result: read from its package, checked, and made ready to judge results. Patterns in it
// are matched in linear time (RE2), because the text comes from a model.
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import type { Change } from '../protocol/language/parse.js';
import type { JsonObject, Policy, ResultCheck, ResultShape } from '../protocol/language/policy.js';
import { clip, jsonOf } from '../protocol/text.js';
import { decodeText, ScopeError } from './error.js';
import { linearSearch } from './linear-pattern.js';

/** A longer schema would not fit into a command line beside other arguments. */
const MAX_SCHEMA_BYTES = 32 * 1024;

/** A longer result belongs into a file. */
const MAX_RESULT_BYTES = 1024 ** 2;

/** The most that a message says about one result. */
const SHOWN = 5;

/** How a package gives a file. */
type ReadFile = (file: string) => Promise<Uint8Array>;

/** The check that a policy asks for. Throws a `ScopeError` about a schema that cannot be used. */
export async function resultCheckOf(shape: ResultShape, read: ReadFile): Promise<ResultCheck> {
  const name = shape.kind === 'file' ? shape.file : 'the schema of the result';
  const schema = shape.kind === 'file' ? await schemaIn(shape.file, read) : shape.schema;
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES)
    throw invalid(`${name} is longer than ${MAX_SCHEMA_BYTES / 1024} KiB; shorten it`);
  const validate = await compiled(schema, { name, shape });
  const problemOf = (text: string): string | undefined => {
    if (Buffer.byteLength(text) > MAX_RESULT_BYTES) return 'it is longer than 1 MiB';
    const value = jsonOf(text);
    if (value === undefined) return 'it is not JSON';
    if (validate(value) === true) return undefined;
    return clip((validate.errors ?? []).slice(0, SHOWN).map(described).join('; '), 500);
  };
  return { schema, problemOf };
}

/**
 * The same of a whole policy: the results that `evaluate` puts in the place of a reply must fit, too. Throws a
 * `ScopeError` with their lines.
 */
export async function resultOfPolicy({ result, evaluation }: Policy, read: ReadFile): Promise<ResultCheck | undefined> {
  if (result === undefined) return undefined;
  const check = await resultCheckOf(result, read);
  const problems = (evaluation?.patterns ?? []).flatMap(({ instead, line }) => {
    const payload = payloadOf(instead);
    const why = payload === undefined ? undefined : check.problemOf(payload);
    const text = `evaluate: the result "${clip(payload ?? '', 60)}" does not fit its schema: ${why}`;
    return why === undefined ? [] : [{ line, text }];
  });
  if (problems.length === 0) return check;
  throw new ScopeError('InvalidSchema', problems.map(({ text }) => text).join('\n'), { problems });
}

function payloadOf(change: Change): string | undefined {
  return change.kind === 'one' && change.tag.kind === 'result' ? change.tag.payload : undefined;
}

async function schemaIn(file: string, read: ReadFile): Promise<JsonObject> {
  const text = decodeText(file, Buffer.from(await read(file)));
  const value = jsonOf(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw invalid(`${file} is not a JSON schema: it must hold one JSON object`);
}

async function compiled(
  schema: JsonObject,
  { name, shape }: { readonly name: string; readonly shape: ResultShape },
): Promise<ReturnType<Ajv['compile']>> {
  if (schema['$async'] !== undefined) throw invalid(`${name}: $async is not for results; remove it`);
  // Loaded only for a state that has one.
  const { Ajv } = await import('ajv');
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const engine: RegExpEngine = Object.assign(
    (pattern: string) => {
      // ajv distinguishes patterns by their text.
      return { test: linearSearch(pattern), toString: () => pattern };
    },
    { code: 'undefined' },
  );
  // A format is a remark, as the standard has it; an unknown keyword is a mistake.
  const options: Options = { allErrors: true, validateFormats: false, strictTypes: false, code: { regExp: engine } };
  try {
    const isNew = typeof schema['$schema'] === 'string' && /20(?:19|20)-/.test(schema['$schema']);
    const ajv = isNew ? new Ajv2020(options) : new Ajv(options);
    const [first] = ajv.validateSchema(schema) === true ? [] : (ajv.errors ?? []);
    if (first !== undefined) throw new SchemaError(described(first), pathOf(first.instancePath));
    return ajv.compile(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const path = error instanceof SchemaError ? error.path : pathTo(schema, why);
    throw invalid(
      `${name} is not a JSON schema: ${why}`,
      shape.kind === 'inline' ? shape.lineOf(path ?? []) : undefined,
    );
  }
}

class SchemaError extends Error {
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message);
  }
}

/** The path of a JSON pointer. */
function pathOf(pointer: string): readonly string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The keyword that a message of ajv quotes, or the pattern that RE2 refuses: such a message has no pointer. */
function pathTo(schema: object, why: string): readonly string[] | undefined {
  for (const [key, value] of Object.entries(schema)) {
    const patterns = key === 'pattern' ? [key, value] : [key];
    if (why.endsWith(`: "${key}"`) || (/\bregexp\b/.test(why) && patterns.some(isRefused))) return [key];
    const inner = typeof value === 'object' && value !== null ? pathTo(value as object, why) : undefined;
    if (inner !== undefined) return [key, ...inner];
  }
  return undefined;
}

function isRefused(pattern: unknown): boolean {
  try {
    if (typeof pattern === 'string') linearSearch(pattern);
    return false;
  } catch {
    return true;
  }
}

function described({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : '';
  const allowed = 'allowedValues' in params ? `: ${JSON.stringify(params['allowedValues'])}` : '';
  return `${instancePath === '' ? 'it' : instancePath} ${message}${extra}${allowed}`;
}

function invalid(message: string, line?: number): ScopeError {
  const text = clip(message, 500);
  return new ScopeError(
    'InvalidSchema',
    text,
    line === undefined ? {} : { problems: [{ line, text: `result: ${text}` }] },
  );
}

/** The text of a result without the code fence that models like to put around JSON. */
export function withoutFence(text: string): string {
  return /^```(?:json)?\s*\n([^]*?)\n?```$/.exec(text.trim())?.[1]?.trim() ?? text;
}
