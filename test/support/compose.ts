// Reading docker-compose.yml as Compose does: anchors merged, variables replaced, checked against the specification's schema.
// Must not need Docker, and must refuse what it does not understand.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

/** The compose file of this project. */
export const COMPOSE_FILE = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));

/** The folder against which the paths in it are read. */
export const COMPOSE_FOLDER = dirname(COMPOSE_FILE);

/** Variables for the replacement, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A value as a YAML file holds it. */
export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml };

const SCHEMA_FILE = new URL('schemas/compose-spec.json', import.meta.url);

/** The compose file with all variables replaced. */
export function readCompose(variables: Variables = process.env, source = readFileSync(COMPOSE_FILE, 'utf8')): Yaml {
  return replaceAll(parse(source, { merge: true }) as Yaml, variables);
}

/** What the specification's schema says against a compose file; nothing when it is valid. */
export function composeErrors(compose: Yaml): readonly string[] {
  const { $schema: _draft7, ...schema } = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true });
  const validate = ajv.compile(schema);
  validate(compose);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message ?? 'invalid'}`);
}

/** The value at a path; fails with the path when there is none. */
export function at(value: Yaml, ...path: readonly string[]): Yaml {
  return path.reduce<Yaml>((inner, key) => {
    const next = mapping(inner)[key];
    if (next === undefined) throw new Error(`the compose file has no ${path.join('.')}`);
    return next;
  }, value);
}

/** A mapping; fails on anything else. */
export function mapping(value: Yaml): Readonly<Record<string, Yaml>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`expected a mapping: ${JSON.stringify(value)}`);
  return value as Readonly<Record<string, Yaml>>;
}

/** A text; fails on anything else. */
export function text(value: Yaml): string {
  if (typeof value !== 'string') throw new Error(`expected a text: ${JSON.stringify(value)}`);
  return value;
}

/** A list of texts; fails on anything else. */
export function texts(value: Yaml): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) {
    throw new Error(`expected a list of texts: ${JSON.stringify(value)}`);
  }
  return value;
}

/** The argv with which Compose starts a service; the image's entry point comes before it. */
export function composeCommand(service: string, variables: Variables = process.env): readonly string[] {
  return texts(at(readCompose(variables), 'services', service, 'command'));
}

/** The mounts of a service, as source and target. */
export function mounts(service: Yaml): readonly { readonly source: string; readonly target: string }[] {
  const volumes = mapping(service)['volumes'];
  return (volumes === undefined ? [] : texts(volumes)).map((mount) => {
    const [source = '', target = ''] = mount.split(':');
    return { source, target };
  });
}

/** Replaces `$$`, `${NAME}` and `${NAME:-default}` (a default may hold variables); fails on every other use of `$`. */
export function replaceVariables(text: string, variables: Variables): string {
  const dollar = text.indexOf('$');
  if (dollar < 0) return text;
  const before = text.slice(0, dollar);
  const { value, end } =
    text[dollar + 1] === '$' ? { value: '$', end: dollar + 2 } : replaceOne(text, { dollar, variables });
  return before + value + replaceVariables(text.slice(end), variables);
}

interface Place {
  readonly dollar: number;
  readonly variables: Variables;
}

function replaceOne(text: string, { dollar, variables }: Place): { readonly value: string; readonly end: number } {
  const end = closingBrace(text, dollar + 1) + 1;
  const found = /^(\w+)(?::-(.*))?$/s.exec(text.slice(dollar + 2, end - 1));
  const name = found?.[1];
  if (text[dollar + 1] !== '{' || name === undefined) throw new Error(`cannot replace the variable in ${text}`);
  const given = variables[name];
  // `:-` also stands in for an empty value.
  return { value: given !== undefined && given !== '' ? given : replaceVariables(found?.[2] ?? '', variables), end };
}

function closingBrace(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return index;
  }
  throw new Error(`a brace is not closed in ${text}`);
}

function replaceAll(value: Yaml, variables: Variables): Yaml {
  if (typeof value === 'string') return replaceVariables(value, variables);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Yaml[]).map((one) => replaceAll(one, variables));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceAll(one, variables)]));
}
