// The keys of a policy as YAML text values: what each may be, and the message for anything else.
import { z } from 'zod';
import {
  BACKENDS,
  EFFORTS,
  comparedKeys,
  entryProblem,
  isEffort,
  isModelName,
  MODEL_FORM,
  MODEL_NAME,
  stateKeys,
  type AllowedTransition,
} from '../protocol/language/policy.js';
import { changeIn } from '../protocol/language/evaluate.js';
import { describeProblem } from '../protocol/language/problem.js';
import type { FRONTMATTER_KEYS } from '../protocol/language/state-file.js';
import { TAG_NAMES, TAG_RULES } from '../protocol/language/tag-table.js';
import type { Attributes, TagName } from '../protocol/language/tag.js';
import { clip, messageOf, nearest, DURATION, DURATION_FORM, parseDuration } from '../protocol/text.js';
import { linearSearch } from './linear-pattern.js';
import { sandboxField } from './sandbox-field.js';
import { keysField } from './yaml-fields.js';

/** Adds a problem; returns what zod takes for "no value". */
type Refuse = (message: string, path?: readonly string[]) => never;

/** A text that `read` parses or rejects. */
function text<T>(key: string, read: (value: string, refuse: Refuse) => T): z.ZodType<T> {
  return z
    .string({ error: ({ input }) => `${key}: expected one value, got ${nameOf(input)}` })
    .transform((value, context) => {
      const refuse: Refuse = (message) => {
        context.issues.push({ code: 'custom', message: `${key}: ${message}, got "${clip(value, 60)}"`, input: value });
        return z.NEVER;
      };
      return read(value.trim(), refuse);
    });
}

const model = text('model', (value, refuse) => {
  // The parts of an ARN are case-sensitive; all other names of models are written in lower case.
  const name = value.startsWith('arn:') ? value : value.toLowerCase();
  return isModelName(name) ? name : refuse(MODEL_FORM);
});

const effort = text('effort', (value, refuse) => {
  const level = value.toLowerCase();
  return isEffort(level) ? level : refuse(`expected one of ${EFFORTS.join(', ')}`);
});

const backend = text('backend', (value, refuse) => {
  const name = BACKENDS.find((known) => known === value.toLowerCase());
  return name ?? refuse(`expected one of ${BACKENDS.join(', ')}`);
});

const timeout = text('timeout', (value, refuse) => {
  return parseDuration(value) ?? refuse(`expected ${DURATION_FORM}; 0 = never`);
});

const limit = keysField('limit');
const account = keysField('account');
const lintIgnore = keysField('lint_ignore');

const forceImplicit = text('force_implicit', (value, refuse) => {
  if (/^true$/i.test(value)) return true;
  return /^false$/i.test(value) ? false : refuse('expected true or false');
});

const RESULT = 'result: expected { schema: FILE }, a file of the package or the schema itself';

/** Only its form: a schema in the policy itself is read with its numbers and booleans. */
const result = z
  .strictObject(
    {
      schema: z
        .union([z.string().min(1), z.record(z.string(), z.unknown())], { error: () => RESULT })
        .describe('a file of the package, or the schema itself'),
    },
    { error: () => RESULT },
  )
  .meta({ description: 'JSON schema of the result: { schema: FILE } of the package, or the schema itself' });

const EVALUATE = `evaluate: expected a list of { match: REGEX, transition: "<goto>STATE</goto>" } and at most one { state: JUDGE }`;

const evaluateForm = { error: () => EVALUATE };

const evaluateEntry = z
  .union(
    [
      z.strictObject(
        {
          match: z.string().min(1).describe('a pattern (RE2) that the last message of the turn is searched for'),
          transition: z.string().describe('the tag that counts instead when it matches'),
        },
        evaluateForm,
      ),
      z.strictObject(
        {
          state: z
            .string()
            .trim()
            .min(1)
            .describe('the state that decides: it keeps the transition or ends with another tag'),
        },
        evaluateForm,
      ),
    ],
    evaluateForm,
  )
  .transform((entry, context) => {
    if ('state' in entry) return entry;
    const wrong = patternProblem(entry.match);
    const instead = changeIn(entry.transition);
    if (wrong === undefined && instead.kind !== 'problem') return { match: entry.match, instead };
    const message = wrong ?? `transition: ${instead.kind === 'problem' ? describeProblem(instead.problem) : ''}`;
    context.issues.push({ code: 'custom', message: `evaluate: ${message}`, input: entry });
    return z.NEVER;
  });

function patternProblem(match: string): string | undefined {
  try {
    linearSearch(match);
    return undefined;
  } catch (error) {
    return `match: "${clip(match, 60)}" is not a pattern of RE2: ${clip(messageOf(error), 200)}`;
  }
}

const evaluate = z
  .array(evaluateEntry, evaluateForm)
  .refine((entries) => entries.filter((entry) => 'state' in entry).length <= 1, {
    error: 'evaluate: only one entry may name a state; remove the others',
  });

/** An example of an entry. */
const EXAMPLE = '{ tag: goto, target: NEXT }';

/** The schema of an entry for editors: its keys are those of its tag. */
const ENTRY = {
  properties: { tag: { enum: TAG_NAMES } },
  required: ['tag'],
  allOf: (TAG_NAMES as readonly TagName[]).flatMap((tag) =>
    TAG_RULES[tag].free
      ? []
      : [
          {
            if: { properties: { tag: { const: tag } } },
            then: { propertyNames: { enum: ['tag', ...entryKeys(tag)] } },
          },
        ],
  ),
};

const entry = z
  .record(
    z.string(),
    z.string({ error: ({ input, path }) => `${String(path?.at(-1))}: expected text, got ${nameOf(input)}` }),
    {
      error: ({ input }) => `allowed_transitions: expected entries such as ${EXAMPLE}, got ${nameOf(input)}`,
    },
  )
  .transform((keys, context): Omit<AllowedTransition, 'line'> => {
    const { tag: written, ...rest } = keys;
    const name = written?.trim();
    const tag = TAG_NAMES.find((known): known is TagName => known === name);
    if (tag === undefined) {
      context.issues.push({
        code: 'custom',
        message: tagProblem(name),
        input: keys,
        path: name === undefined ? [] : ['tag'],
      });
      return z.NEVER;
    }
    const attributes = trimmed(rest, comparedKeys(tag));
    for (const key of stateKeys(tag).filter((key) => attributes[key] === '')) {
      context.issues.push({ code: 'custom', message: `${key} of <${tag}> names no state`, input: keys, path: [key] });
    }
    const wrong = entryProblem({ tag, attributes });
    if (wrong !== undefined) {
      const message = `${wrong.attribute} of <${tag}>: expected ${wrong.expected}`;
      context.issues.push({ code: 'custom', message, input: keys, path: [wrong.attribute] });
    }
    return { tag, attributes };
  })
  .meta(ENTRY);

const transitions = z.array(entry, {
  error: ({ input }) => `allowed_transitions: expected a list of entries such as ${EXAMPLE}, got ${nameOf(input)}`,
});

/** The known keys; all are optional, others are ignored here. */
export const policySchema = z
  .object({
    allowed_transitions: transitions.describe('the tags that the prompt may end with; default: any'),
    model: model.meta({
      description: 'the model that answers the prompt',
      pattern: MODEL_NAME.source,
      examples: ['opus', 'sonnet', 'haiku'],
    }),
    effort: effort.meta({ description: 'reasoning effort of the model', enum: EFFORTS }),
    evaluate: evaluate.meta({
      description: 'what may replace the transition of a turn: patterns, and at most one state that decides',
    }),
    backend: backend.meta({
      description: 'backend that runs the prompt: Claude Code, or another program',
      enum: BACKENDS,
    }),
    timeout: timeout.meta({
      description: 'longest time without output; 0 = no limit',
      pattern: DURATION.source,
      minimum: 0,
    }),
    limit: limit.describe('limits of the config that apply to its turns'),
    account: account.describe('accounts of the config that it may use'),
    sandbox: sandboxField,
    force_implicit: forceImplicit.meta({
      description: 'apply the only allowed transition, whatever the reply ends with',
      enum: ['true', 'false'],
    }),
    result,
    lint_ignore: lintIgnore.describe('rules of raymond lint to ignore here'),
  } satisfies Record<(typeof FRONTMATTER_KEYS)[number], z.ZodType>)
  .partial();

/** The keys of an entry besides `tag` and custom attributes. */
export function entryKeys(tag: TagName): readonly string[] {
  return [...comparedKeys(tag), ...TAG_RULES[tag].takes];
}

/** The values of the known keys. */
export type PolicyFields = z.infer<typeof policySchema>;

/** White space around a name or payload is dropped; all other text is kept. */
function trimmed(attributes: Attributes, names: readonly string[]): Attributes {
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([key, value]) => [key, names.includes(key) ? value.trim() : value]));
}

function tagProblem(name: string | undefined): string {
  if (name === undefined || name === '') return `an allowed transition needs a tag, as in ${EXAMPLE}`;
  const near = nearest(name, TAG_NAMES);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return `there is no tag "${clip(name, 60)}"${hint} (the tags are ${TAG_NAMES.join(', ')})`;
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'nothing' : `"${clip(value, 60)}"`;
  return Array.isArray(value) ? 'a list' : 'a mapping';
}
