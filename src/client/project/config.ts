// The config of a project, `.raymond/config.toml`, and how it is read. Invalid values and misspelt keys are errors with
// file and line; other unknown keys are warnings, because a config of the original, or of a newer version, should work.
import { TomlError, parse } from 'smol-toml';
import { z } from 'zod';
import { ClientError } from '../error.js';
import { CONFIG_KEYS, type ConfigKey } from './config-keys.js';
import { fromOriginal } from './config-original.js';
import { defined, issueText, nearest } from '../../protocol/text.js';

/** A key's name. */
type ConfigName = keyof typeof CONFIG_KEYS;

/** The table `[raymond]` of a config file; every key is optional. */
export type Config = { readonly [K in ConfigName]?: z.infer<(typeof CONFIG_KEYS)[K]['schema']> | undefined };

/** All keys with their common properties. */
export function configKeys(): readonly (ConfigKey & { readonly name: ConfigName })[] {
  return (Object.keys(CONFIG_KEYS) as ConfigName[]).map((name) => ({ name, ...(CONFIG_KEYS[name] as ConfigKey) }));
}

const schema = z.strictObject(
  Object.fromEntries(
    configKeys().map(({ name, schema: accepted, says, byDefault, example }) => [
      name,
      accepted.optional().meta({
        description: says,
        ...defined({ default: byDefault }),
        ...(example === undefined ? {} : { examples: [example] }),
      }),
    ]),
  ),
);

/** A config file as a whole, for editors. */
export const configSchema = z.strictObject({ raymond: schema.optional() });

/** A config, and warnings about keys that have no effect, each `file:line: …`. */
interface ParsedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
}

/** Reads a config text. Throws `InvalidUsage` naming file and line. */
export function parseConfig(text: string, file: string): ParsedConfig {
  const table = toml(text, file);
  const stranger = Object.keys(table).find((key) => key !== 'raymond');
  if (stranger !== undefined) {
    const what = unknown('table or key', { name: stranger, known: ['raymond'] });
    throw invalid(`${file}:${lineOf(text, stranger)}: ${what}; all keys belong under [raymond]`);
  }
  const written = table['raymond'] ?? {};
  const { keys, notes, writtenAs } = fromOriginal(written);
  const known = isTable(keys) ? knownKeys(keys, { text, file }) : { keys, warnings: [] };
  const warnings = [...notes.map(({ key, note }) => `${file}:${lineOf(text, key)}: ${note}`), ...known.warnings];
  const checked = schema.safeParse(known.keys);
  if (checked.success) return { config: checked.data, warnings };
  const [issue] = checked.error.issues;
  if (issue === undefined) throw invalid(`${file}: invalid`);
  const key = writtenAs(String(issue.path[0] ?? 'raymond'));
  throw invalid(`${file}:${lineOf(text, key)}: ${key}: ${issueText(issue.message)}`);
}

type Table = Readonly<Record<string, unknown>>;

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keys without unknown ones, each a warning. Throws for one that is nearly a known key. */
function knownKeys(
  keys: Table,
  { text, file }: { readonly text: string; readonly file: string },
): { readonly keys: Table; readonly warnings: readonly string[] } {
  const known = Object.keys(schema.shape);
  const warnings = Object.keys(keys).flatMap((key) => {
    if (known.includes(key)) return [];
    const message = `${file}:${lineOf(text, key)}: ${unknown('key', { name: key, known })}`;
    if (nearest(key, known) !== undefined) throw invalid(`${message}; the keys are ${known.join(', ')}`);
    return [`${message}; it has no effect (raymond config lists the keys)`];
  });
  return { keys: Object.fromEntries(Object.entries(keys).filter(([key]) => known.includes(key))), warnings };
}

function unknown(what: string, { name, known }: { readonly name: string; readonly known: readonly string[] }): string {
  const near = nearest(name, known);
  return `unknown ${what} "${name}"${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

function toml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) throw invalid(`${file}:${error.line}: ${error.message.split('\n')[0]}`);
    throw error;
  }
}

function lineOf(text: string, key: string): number {
  const found = text.split('\n').findIndex((line) => keyOf(line) === key);
  return found < 0 ? 1 : found + 1;
}

/** The key that a line sets, or the table that it opens, without brackets and quotes and relative to [raymond]. */
function keyOf(line: string): string | undefined {
  return /^\s*\[*\s*(?:raymond\s*\.\s*)?["']?([^\s"'=.\]]+)/.exec(line)?.[1];
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidUsage', message);
}
