// YAML text values: what each key may be, and the message for anything else. zod carries the path, yaml-document.ts
// knows the line. `meta` repeats for editors (schemas.ts) what a check in code says.
import { z } from 'zod';
import { KEY, KEY_FORM, parseKeys } from '../protocol/leases.js';
import { DURATION, DURATION_FORM, parseDuration, clip, nearest } from '../protocol/text.js';
import type { YamlText } from './yaml-document.js';
import type { YamlEntry } from './yaml-parse.js';

/** A text. */
export function textField(key: string): z.ZodType<string> {
  return z.string({ error: ({ input }) => `${key}: expected a text, got ${kindOf(input)}` });
}

/** A number that is not negative, such as 90 or 0.5. */
export function numberField(key: string, what: string): z.ZodType<number> {
  const read = textField(key).transform((text, context) => {
    if (NUMBER.test(text.trim())) return Number(text);
    return refuse(context, `${key}: expected ${what}, got "${clip(text, 60)}"`);
  });
  return read.meta({ pattern: NUMBER.source, minimum: 0 });
}

const NUMBER = /^\+?(\d+(\.\d*)?|\.\d+)$/;

/** A duration such as 90, 60s or 1.5m, in seconds; 0 = never. */
export function durationField(key: string): z.ZodType<number> {
  const read = textField(key).transform((text, context) => {
    const seconds = parseDuration(text);
    return seconds ?? refuse(context, `${key}: expected ${DURATION_FORM}; 0 = never, got "${clip(text, 60)}"`);
  });
  return read.meta({ pattern: DURATION.source, minimum: 0 });
}

/** A whole number that is not negative. */
export function countField(key: string, what: string): z.ZodType<number> {
  const read = textField(key).transform((text, context) => {
    if (COUNT.test(text.trim())) return Number(text);
    return refuse(context, `${key}: expected ${what}, got "${clip(text, 60)}"`);
  });
  return read.meta({ pattern: COUNT.source, minimum: 0, multipleOf: 1 });
}

const COUNT = /^\d{1,9}$/;

/** One of several words. */
export function choiceField<T extends string>(key: string, choices: readonly T[]): z.ZodType<T> {
  const read = textField(key).transform((text, context) => {
    const choice = choices.find((known) => known === text.trim().toLowerCase());
    return choice ?? refuse(context, `${key}: expected ${choices.join(', ')}, got "${clip(text, 60)}"`);
  });
  return read.meta({ enum: choices });
}

/** Names of limits: one, several separated by commas, or a list. */
export function keysField(key: string): z.ZodType<readonly string[]> {
  const error: z.core.$ZodErrorMap = ({ input }) => `${key}: expected a name or a list of names, got ${kindOf(input)}`;
  const one = z.string().meta({ pattern: KEYS });
  const several = z.array(z.string().meta({ pattern: KEY.source }));
  return z.union([one, several], { error }).transform((given, context) => {
    if (given.length === 0 && typeof given !== 'string') return [];
    const text = typeof given === 'string' ? given : given.join(',');
    return parseKeys(text) ?? refuse(context, `${key}: expected ${KEY_FORM}, got "${clip(text, 60)}"`);
  });
}

const BARE_KEY = KEY.source.slice(1, -1);
const KEYS = `^\\s*${BARE_KEY}\\s*(,\\s*${BARE_KEY}\\s*)*$`;

/** A mapping of names to texts. */
export function mapField(key: string): z.ZodType<Readonly<Record<string, string>>> {
  return z.record(z.string(), textField(key), {
    error: ({ input }) => `${key}: expected names and texts, got ${kindOf(input)}`,
  });
}

/** A warning for each unknown key; `x-…` is for remarks and anchors. */
export function unknownKeys(
  entries: readonly YamlEntry[],
  { yaml, known }: { readonly yaml: YamlText; readonly known: readonly string[] },
): readonly string[] {
  const strangers = entries.filter(({ key }) => !known.includes(key) && !key.startsWith('x-'));
  return strangers.map(({ key, line }) => {
    const near = nearest(key, known);
    const hint = near === undefined ? '' : `, did you mean ${near}?`;
    return yaml.positions.message(
      line,
      `unknown key ${JSON.stringify(clip(key, 60))}${hint} (the keys are ${known.join(', ')})`,
    );
  });
}

/** Adds a problem, with the path of the key that has it; returns what zod takes for "no value". */
export function refuse(context: z.RefinementCtx, message: string, path: readonly string[] = []): never {
  context.issues.push({ code: 'custom', message, input: context.value, path: [...path] });
  return z.NEVER;
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'nothing' : `"${clip(value, 60)}"`;
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : 'a mapping';
}
