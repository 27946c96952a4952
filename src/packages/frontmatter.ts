// Reads a prompt's policy, from its frontmatter or from the keys beside it in YAML: every problem with file and line. Used before a start
// and before each turn. Never throws on a frontmatter.
import {
  NO_POLICY,
  implicitTag,
  policyInScope,
  policyProblems,
  type AllowedTransition,
  type Policy,
} from '../protocol/language/policy.js';
import { describeProblem } from '../protocol/language/problem.js';
import type { Folder } from '../protocol/language/resolve.js';
import { FRONTMATTER_KEYS, lostFrontmatter, splitPrompt, type LineProblem } from '../protocol/language/state-file.js';
import { ruleOfTag } from '../protocol/language/tag-table.js';
import { clip, nearest, defined } from '../protocol/text.js';
import { ScopeError } from './error.js';
import { entryKeys, policySchema, type PolicyFields } from './policy-fields.js';
import { YamlText } from './yaml-document.js';
import type { Place, YamlEntry } from './yaml-parse.js';

/** A prompt file that was understood, or all that is wrong with it, each `file:line: …`. */
export type PromptFile =
  | {
      readonly kind: 'prompt';
      readonly body: string;
      readonly policy: Policy;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** A policy that was understood, or what is wrong with it. */
export type PolicyRead =
  | { readonly kind: 'policy'; readonly policy: Policy; readonly warnings: readonly LineProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly LineProblem[] };

/** How many unknown keys are told at once. */
const SHOWN = 20;

/** A prompt as its package holds it: `policy` absent = it may begin with a frontmatter. */
interface PromptSource {
  readonly text: string;
  readonly policy?: PolicyRead | undefined;
}

/** Reads a prompt and checks that the states which its policy names are there. */
export function readPromptFile(
  { text, policy }: PromptSource,
  { place, ...folder }: Folder & { readonly place: Place },
): PromptFile {
  const read = policy === undefined ? parseFrontmatter(text, place) : placed(text, { policy, place });
  if (read.kind === 'invalid') return read;
  const problems = policyProblems(read.policy, folder);
  if (problems.length === 0) return { ...read, policy: policyInScope(read.policy, folder) };
  const told = problems.map(({ line, problem }) => ({
    line,
    text: `allowed_transitions: ${describeProblem(problem)}`,
  }));
  return { kind: 'invalid', problems: inOrder(told, place) };
}

/** Reads a prompt that may have a frontmatter, by itself. */
export function parseFrontmatter(text: string, place: Place): PromptFile {
  const { frontmatter, body } = splitPrompt(text);
  const policy = frontmatter === undefined ? noFrontmatter(body) : frontmatterPolicy(frontmatter, place);
  return policy.kind === 'told' ? policy.file : placed(body, { policy, place });
}

function placed(
  body: string,
  { policy: read, place }: { readonly policy: PolicyRead; readonly place: Place },
): PromptFile {
  if (read.kind === 'invalid') return { kind: 'invalid', problems: inOrder(read.problems, place) };
  return { kind: 'prompt', body, policy: read.policy, warnings: inOrder(read.warnings, place) };
}

function inOrder(problems: readonly LineProblem[], place: Place): readonly string[] {
  return [...problems].sort((a, b) => a.line - b.line).map(({ line, text }) => `${place(line)}: ${text}`);
}

function noFrontmatter(body: string): PolicyRead {
  const lost = lostFrontmatter(body);
  if (lost?.kind === 'not-closed') return { kind: 'invalid', problems: [{ line: lost.line, text: NEVER_CLOSED }] };
  const warnings = lost === undefined ? [] : [{ line: lost.line, text: NOT_AT_TOP }];
  return { kind: 'policy', policy: NO_POLICY, warnings };
}

/** The first line of a frontmatter in its file: line 1 is the fence. */
const FIRST_LINE = 2;

type FrontmatterRead = PolicyRead | { readonly kind: 'told'; readonly file: PromptFile };

function frontmatterPolicy(text: string, place: Place): FrontmatterRead {
  try {
    const yaml = new YamlText(text, { place, firstLine: FIRST_LINE, tooLong: 'a prompt belongs below it' });
    const entries = yaml.isEmpty
      ? []
      : yaml.top('the frontmatter must consist of keys and values, such as "model: haiku"');
    const read = readPolicy(yaml, entries);
    if (read.kind === 'invalid') return read;
    return { ...read, warnings: [...yaml.warnings, ...unknownKeys(entries), ...read.warnings] };
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    // What the reader of YAML throws names its line already.
    return { kind: 'told', file: { kind: 'invalid', problems: [error.message] } };
  }
}

/** Reads the keys of a policy, whatever stands beside them. Throws a `ScopeError` about aliases. */
export function readPolicy(yaml: YamlText, entries: readonly YamlEntry[]): PolicyRead {
  const read = yaml.read(policySchema, entries);
  if (read.kind === 'invalid') return read;
  const policy = policyOf(read.data, linesOf(yaml, entries));
  return { kind: 'policy', policy, warnings: warningsOf(policy, entries) };
}

/** The lines of the entries of `allowed_transitions`. */
function linesOf(yaml: YamlText, entries: readonly YamlEntry[]): readonly number[] {
  const list = entries.find(({ key }) => key === 'allowed_transitions');
  const items = yaml.itemsOf(list?.value) ?? [];
  return items.map((item) => yaml.places.lineOf(item) ?? list?.line ?? yaml.places.firstLine);
}

function policyOf(
  { allowed_transitions = [], model, effort, backend, timeout, limit, account, force_implicit }: PolicyFields,
  lines: readonly number[],
): Policy {
  return {
    allowed: allowed_transitions.map((entry, index): AllowedTransition => ({ ...entry, line: lines[index] ?? 1 })),
    ...defined({ model, effort, backend, timeout, limits: limit, accounts: account }),
    forceImplicit: force_implicit ?? false,
  };
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
    'force_implicit has no effect: it needs exactly one allowed transition that says everything its tag needs';
  return [...warnings, { line: entries.find(({ key }) => key === 'force_implicit')?.line ?? 1, text }];
}

const NOT_AT_TOP =
  'the frontmatter has no effect, because it does not begin with "---" in the very first line; remove what stands before it';

// It would be sent to the model as text, and the turn would be done without the policy.
const NEVER_CLOSED =
  'the frontmatter is never closed: put a line "---" below its last key, and the prompt below that (a rule at the top of a prompt is written "***")';

/** Keys of an entry that no transition can ever be compared with: most likely misspelt. */
function entryWarnings({ tag, attributes }: AllowedTransition): readonly string[] {
  const rule = ruleOfTag(tag);
  if (rule === undefined || rule.free) return [];
  const known = entryKeys(tag);
  return Object.keys(attributes)
    .filter((key) => !known.includes(key))
    .sort()
    .map((key) => {
      const near = nearest(key, known);
      return `<${tag}> does not take ${clip(key, 60)}${near === undefined ? '' : `, did you mean ${near}?`} (it takes ${known.join(', ')})`;
    });
}
