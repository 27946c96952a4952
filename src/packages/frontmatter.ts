// Reads a prompt's policy from its frontmatter, or from the keys beside it in YAML, and reports every problem with file
// and line. Called before a start and before each turn. Never throws on a bad frontmatter.
import {
  NO_POLICY,
  implicitTag,
  policyInScope,
  policyProblems,
  type AllowedTransition,
  type JsonObject,
  type Policy,
  type ResultShape,
} from '../protocol/language/policy.js';
import type { Evaluation } from '../protocol/language/evaluate.js';
import { describeProblem } from '../protocol/language/problem.js';
import type { Folder } from '../protocol/language/resolve.js';
import { FRONTMATTER_KEYS, lostFrontmatter, splitPrompt, type LineProblem } from '../protocol/language/state-file.js';
import { isOwnAttribute } from '../protocol/language/tag-table.js';
import type { TagName } from '../protocol/language/tag.js';
import { clip, nearest, defined } from '../protocol/text.js';
import { ScopeError } from './error.js';
import { entryKeys, policySchema, type PolicyFields } from './policy-fields.js';
import { YamlText } from './yaml-document.js';
import type { PositionText, YamlEntry } from './yaml-parse.js';

/** A prompt file that was understood, or its problems, each `file:line: …`. */
export type PromptFile =
  | {
      readonly kind: 'prompt';
      readonly body: string;
      readonly policy: Policy;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** A policy that was understood, or its problems. */
export type PolicyRead =
  | { readonly kind: 'policy'; readonly policy: Policy; readonly warnings: readonly LineProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly LineProblem[] };

/** The number of unknown keys that one message lists. */
const SHOWN = 20;

/** A prompt as its package holds it; without `policy` it may begin with a frontmatter. */
interface PromptSource {
  readonly text: string;
  readonly policy?: PolicyRead | undefined;
}

/** Reads a prompt and checks that the states named in its policy exist. */
export function readPromptFile(
  { text, policy }: PromptSource,
  { positionText, ...folder }: Folder & { readonly positionText: PositionText },
): PromptFile {
  const read = policy === undefined ? parseFrontmatter(text, positionText) : promptOf(text, { policy, positionText });
  if (read.kind === 'invalid') return read;
  const problems = policyProblems(read.policy, folder);
  if (problems.length === 0) return { ...read, policy: policyInScope(read.policy, folder) };
  const lines = problems.map(({ key, line, problem }) => ({ line, text: `${key}: ${describeProblem(problem)}` }));
  return { kind: 'invalid', problems: inOrder(lines, positionText) };
}

/** Reads a prompt alone, with its frontmatter if it has one. */
export function parseFrontmatter(text: string, positionText: PositionText): PromptFile {
  const { frontmatter, body } = splitPrompt(text);
  const policy = frontmatter === undefined ? noFrontmatter(body) : frontmatterPolicy(frontmatter, positionText);
  return policy.kind === 'unreadable' ? policy.file : promptOf(body, { policy, positionText });
}

function promptOf(
  body: string,
  { policy: read, positionText }: { readonly policy: PolicyRead; readonly positionText: PositionText },
): PromptFile {
  if (read.kind === 'invalid') return { kind: 'invalid', problems: inOrder(read.problems, positionText) };
  return { kind: 'prompt', body, policy: read.policy, warnings: inOrder(read.warnings, positionText) };
}

function inOrder(problems: readonly LineProblem[], positionText: PositionText): readonly string[] {
  return [...problems].sort((a, b) => a.line - b.line).map(({ line, text }) => `${positionText(line)}: ${text}`);
}

function noFrontmatter(body: string): PolicyRead {
  const lost = lostFrontmatter(body);
  if (lost?.kind === 'not-closed') return { kind: 'invalid', problems: [{ line: lost.line, text: NEVER_CLOSED }] };
  const warnings = lost === undefined ? [] : [{ line: lost.line, text: NOT_AT_TOP }];
  return { kind: 'policy', policy: NO_POLICY, warnings };
}

/** The first line of a frontmatter in its file: line 1 is the fence. */
const FIRST_LINE = 2;

type FrontmatterRead = PolicyRead | { readonly kind: 'unreadable'; readonly file: PromptFile };

function frontmatterPolicy(text: string, positionText: PositionText): FrontmatterRead {
  try {
    const yaml = new YamlText(text, { positionText, firstLine: FIRST_LINE, tooLong: 'write the prompt below it' });
    const entries = yaml.isEmpty
      ? []
      : yaml.top('the frontmatter must consist of keys and values, such as "model: haiku"');
    const read = readPolicy(yaml, entries);
    if (read.kind === 'invalid') return read;
    return { ...read, warnings: [...yaml.warnings, ...unknownKeys(entries), ...read.warnings] };
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    // The YAML reader's own messages already name the line.
    return { kind: 'unreadable', file: { kind: 'invalid', problems: [error.message] } };
  }
}

/** Reads the keys of a policy and ignores keys of other kinds. Throws a `ScopeError` about aliases. */
export function readPolicy(yaml: YamlText, entries: readonly YamlEntry[]): PolicyRead {
  const read = yaml.read(policySchema, entries);
  if (read.kind === 'invalid') return read;
  const lines = {
    allowed: linesOf(yaml, entries, 'allowed_transitions'),
    evaluate: linesOf(yaml, entries, 'evaluate'),
  };
  const policy = withResult(policyOf(read.data, lines), resultOf(yaml, entries));
  return { kind: 'policy', policy, warnings: warningsOf(policy, entries) };
}

/** The schema of the result, which `policySchema` has found to be a file name or a mapping. */
function resultOf(yaml: YamlText, entries: readonly YamlEntry[]): ResultShape | undefined {
  const key = entries.find(({ key }) => key === 'result');
  const schema = yaml.entriesOf(key?.value)?.find(({ key }) => key === 'schema');
  if (schema === undefined) return undefined;
  const { line } = schema;
  const value = yaml.typed(schema.value);
  if (typeof value === 'object' && value !== null) {
    const lineOf = (path: readonly string[]): number => yaml.lineWithin(schema.value, path) ?? line;
    return { kind: 'inline', schema: value as JsonObject, line, lineOf };
  }
  return { kind: 'file', file: String(value).trim(), line };
}

/** A state with a schema and without a policy may only end with a result. */
function withResult(policy: Policy, result: ResultShape | undefined): Policy {
  if (result === undefined) return policy;
  const only: AllowedTransition = { tag: 'result', attributes: {}, line: result.line };
  return { ...policy, result, allowed: policy.allowed.length === 0 ? [only] : policy.allowed };
}

/** The lines of the entries of a list. */
function linesOf(yaml: YamlText, entries: readonly YamlEntry[], name: string): readonly number[] {
  const list = entries.find(({ key }) => key === name);
  const items = yaml.itemsOf(list?.value) ?? [];
  return items.map((item) => yaml.positions.lineOf(item) ?? list?.line ?? yaml.positions.firstLine);
}

function policyOf(
  { allowed_transitions = [], evaluate, force_implicit, limit, account, ...fields }: PolicyFields,
  lines: { readonly allowed: readonly number[]; readonly evaluate: readonly number[] },
): Policy {
  const { model, effort, backend, timeout, sandbox } = fields;
  const evaluation = evaluate === undefined ? undefined : evaluationOf(evaluate, lines.evaluate);
  return {
    allowed: allowed_transitions.map((entry, index): AllowedTransition => ({
      ...entry,
      line: lines.allowed[index] ?? 1,
    })),
    ...defined({ model, effort, backend, timeout, limits: limit, accounts: account, sandbox, evaluation }),
    forceImplicit: force_implicit ?? false,
  };
}

function evaluationOf(entries: NonNullable<PolicyFields['evaluate']>, lines: readonly number[]): Evaluation {
  const placed = entries.map((entry, index) => ({ ...entry, line: lines[index] ?? 1 }));
  const patterns = placed.flatMap((entry) => ('match' in entry ? [entry] : []));
  const judge = placed.find((entry) => 'state' in entry);
  return { patterns, ...defined({ judge }) };
}

function unknownKeys(entries: readonly YamlEntry[]): readonly LineProblem[] {
  const known: readonly string[] = FRONTMATTER_KEYS;
  const keys = entries.filter(({ key }) => !known.includes(key));
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

function warningsOf(policy: Policy, entries: readonly YamlEntry[]): readonly LineProblem[] {
  const warnings = policy.allowed.flatMap((entry) => entryWarnings(entry).map((text) => ({ line: entry.line, text })));
  if (!policy.forceImplicit || implicitTag(policy, {}) !== undefined) return warnings;
  const text =
    'force_implicit has no effect: it needs exactly one allowed transition, with every attribute that its tag requires';
  return [...warnings, { line: entries.find(({ key }) => key === 'force_implicit')?.line ?? 1, text }];
}

const NOT_AT_TOP = 'the frontmatter has no effect, because "---" is not the first line; remove what comes before it';

// The model would get it as text, and the turn would run without the policy.
const NEVER_CLOSED =
  'the frontmatter is never closed: put a line "---" below its last key, and the prompt below that (to start a prompt with a horizontal rule, write "***")';

/** True for an attribute of the author's own that is not nearly a key of the entry. */
function isPassedOn(tag: TagName, key: string): boolean {
  return isOwnAttribute(tag, key) && (tag === 'fork' || nearest(key, entryKeys(tag)) === undefined);
}

/** Keys of an entry that no transition can match: most likely typos. */
function entryWarnings({ tag, attributes }: AllowedTransition): readonly string[] {
  const known = entryKeys(tag);
  return Object.keys(attributes)
    .filter((key) => !known.includes(key) && !isPassedOn(tag, key))
    .sort()
    .map((key) => {
      const near = nearest(key, known);
      return `<${tag}> does not take ${clip(key, 60)}${near === undefined ? '' : `, did you mean ${near}?`} (it takes ${known.join(', ')})`;
    });
}
