// Reads a prompt's frontmatter: YAML and its shape, every mistake with file and line. Used before a start and before each turn. Never throws.
import { z } from 'zod';
import { EFFORTS, isEffort, isModelName } from '../protocol/policy.js';
import {
  comparedKeys,
  entryProblem,
  stateKeys,
  NO_POLICY,
  implicitTag,
  policyInScope,
  policyProblems,
  type AllowedTransition,
  type Policy,
} from '../protocol/policy.js';
import { DURATION_FORM, parseDuration } from '../protocol/wait.js';
import { FRONTMATTER_KEYS, lostFrontmatter, splitPrompt } from '../protocol/state-file.js';
import { describeProblem } from '../protocol/problem.js';
import type { Folder } from '../protocol/resolve.js';
import { TAG_NAMES, ruleOfTag } from '../protocol/tag-table.js';
import type { Attributes, TagName } from '../protocol/tag.js';
import { clip, nearest } from '../protocol/text.js';
import { LocatedYaml, type Note } from './frontmatter-yaml.js';

/** A prompt file that was understood, or all its mistakes, each `file:line: …`. */
export type PromptFile =
  | {
      readonly kind: 'prompt';
      readonly body: string;
      readonly policy: Policy;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'mistaken'; readonly mistakes: readonly string[] };

/** How many mistakes or unknown keys are told at once. */
const SHOWN = 20;

/** How messages call a line of the prompt file: `file:line`. */
export type Place = (line: number) => string;

/** Reads a prompt file and checks that the states which its policy names are there. */
export function readPromptFile(text: string, { place, ...folder }: Folder & { readonly place: Place }): PromptFile {
  const read = parseFrontmatter(text, place);
  if (read.kind === 'mistaken') return read;
  const problems = policyProblems(read.policy, folder);
  if (problems.length === 0) return { ...read, policy: policyInScope(read.policy, folder) };
  const notes = problems.map(({ line, problem }) => ({
    line,
    text: `allowed_transitions: ${describeProblem(problem)}`,
  }));
  return mistaken(notes, place);
}

/** Reads a prompt file by itself. */
export function parseFrontmatter(text: string, place: Place): PromptFile {
  const { frontmatter, body } = splitPrompt(text);
  if (frontmatter === undefined) {
    const lost = lostFrontmatter(body);
    if (lost?.kind === 'not-closed') return mistaken([{ line: lost.line, text: NEVER_CLOSED }], place);
    const warnings = lost === undefined ? [] : [{ line: lost.line, text: NOT_AT_TOP }];
    return { kind: 'prompt', body, policy: NO_POLICY, warnings: placed(warnings, place) };
  }
  const yaml = new LocatedYaml(frontmatter);
  if (yaml.mistakes.length > 0) return mistaken(yaml.mistakes, place);
  const fields = frontmatterSchema.safeParse(yaml.values);
  if (!fields.success) {
    const notes = fields.error.issues
      .slice(0, SHOWN)
      .map(({ path, message }) => ({ line: yaml.lineOf(path), text: message }));
    return mistaken(notes, place);
  }
  const policy = policyOf(fields.data, yaml);
  const warnings = [...yaml.warnings, ...unknownKeys(yaml), ...warningsOf(policy, yaml)];
  return { kind: 'prompt', body, policy, warnings: placed(warnings, place) };
}

function mistaken(notes: readonly Note[], place: Place): PromptFile {
  return { kind: 'mistaken', mistakes: placed(notes, place) };
}

function placed(notes: readonly Note[], place: Place): readonly string[] {
  return [...notes].sort((a, b) => a.line - b.line).map(({ line, text }) => `${place(line)}: ${text}`);
}

function policyOf(
  { allowed_transitions = [], model, effort, timeout, force_implicit }: Fields,
  yaml: LocatedYaml,
): Policy {
  const allowed = allowed_transitions.map((entry, index): AllowedTransition => {
    return { ...entry, line: yaml.lineOf(['allowed_transitions', index]) };
  });
  return {
    allowed,
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(timeout === undefined ? {} : { timeout }),
    forceImplicit: force_implicit ?? false,
  };
}

function unknownKeys(yaml: LocatedYaml): readonly Note[] {
  const known: readonly string[] = FRONTMATTER_KEYS;
  const keys = yaml.keys().filter(({ key }) => !known.includes(key));
  const [first] = keys;
  if (first === undefined) return [];
  const names = keys
    .map(({ key }) => key)
    .sort()
    .slice(0, SHOWN);
  const shown = names.map((name) => {
    const near = nearest(name, known);
    return near === undefined ? name : `${name} (did you mean ${near}?)`;
  });
  const more = keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : '';
  const text = `unknown ${keys.length === 1 ? 'key' : 'keys'} ${shown.join(', ')}${more}; the keys are ${known.join(', ')}`;
  return [{ line: first.line, text }];
}

function warningsOf(policy: Policy, yaml: LocatedYaml): readonly Note[] {
  const notes = policy.allowed.flatMap((entry) => entryWarnings(entry).map((text) => ({ line: entry.line, text })));
  if (!policy.forceImplicit || implicitTag(policy, {}) !== undefined) return notes;
  const text =
    'force_implicit has no effect: it needs exactly one allowed transition that says everything its tag needs';
  return [...notes, { line: yaml.lineOf(['force_implicit']), text }];
}

const NOT_AT_TOP =
  'the frontmatter has no effect, because it does not begin with "---" in the very first line; remove what stands before it';

// It would be sent to the model as text, and the turn would be done without the policy.
const NEVER_CLOSED =
  'the frontmatter is never closed: put a line "---" below its last key, and the prompt below that (a rule at the top of a prompt is written "***")';

/** Adds a mistake; gives what zod takes for "no value". */
type Refuse = (message: string, path?: readonly string[]) => never;

/** A text that `read` makes something of, or refuses. */
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
  return isModelName(name) ? name : refuse('expected opus, sonnet, haiku or a full model name such as claude-…');
});

const effort = text('effort', (value, refuse) => {
  const level = value.toLowerCase();
  return isEffort(level) ? level : refuse(`expected one of ${EFFORTS.join(', ')}`);
});

const timeout = text('timeout', (value, refuse) => {
  return parseDuration(value) ?? refuse(`expected ${DURATION_FORM}; 0 = never`);
});

const forceImplicit = text('force_implicit', (value, refuse) => {
  if (/^true$/i.test(value)) return true;
  return /^false$/i.test(value) ? false : refuse('expected true or false');
});

const EXAMPLE = '{ tag: goto, target: NEXT }';

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
        message: tagMistake(name),
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
  });

const transitions = z.array(entry, {
  error: ({ input }) => `allowed_transitions: expected a list of entries such as ${EXAMPLE}, got ${nameOf(input)}`,
});

/** The known keys; all are optional, others are ignored here. */
const frontmatterSchema = z
  .object({ allowed_transitions: transitions, model, effort, timeout, force_implicit: forceImplicit })
  .partial();

/** What the known keys say. */
export type Fields = z.infer<typeof frontmatterSchema>;

/** White space around a name or a payload means nothing; all other text is the author's. */
function trimmed(attributes: Attributes, names: readonly string[]): Attributes {
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([key, value]) => [key, names.includes(key) ? value.trim() : value]));
}

function tagMistake(name: string | undefined): string {
  if (name === undefined || name === '') return `an allowed transition needs a tag, as in ${EXAMPLE}`;
  const near = nearest(name, TAG_NAMES);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return `there is no tag "${clip(name, 60)}"${hint} (the tags are ${TAG_NAMES.join(', ')})`;
}

/** Keys of an entry that no transition can ever be compared with: most likely misspelt. */
function entryWarnings({ tag, attributes }: AllowedTransition): readonly string[] {
  const rule = ruleOfTag(tag);
  if (rule === undefined || rule.free) return [];
  const known = [...comparedKeys(tag), ...rule.takes];
  return Object.keys(attributes)
    .filter((key) => !known.includes(key))
    .sort()
    .map((key) => {
      const near = nearest(key, known);
      return `<${tag}> does not take ${clip(key, 60)}${near === undefined ? '' : `, did you mean ${near}?`} (it takes ${known.join(', ')})`;
    });
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'nothing' : `"${clip(value, 60)}"`;
  return Array.isArray(value) ? 'a list' : 'a mapping';
}
