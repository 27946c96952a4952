// Reads a prompt's frontmatter: YAML and its shape, every mistake with file and line. Used before a start and before each turn.
// Must not know more of the world than the text that it is given, and must not throw.
import type { AllowedTransition } from '../protocol/allowed-transition.js';
import { FRONTMATTER_KEYS, lostFrontmatter, splitPrompt } from '../protocol/frontmatter.js';
import { implicitTag, NO_POLICY, policyInScope, policyProblems, type Policy } from '../protocol/policy.js';
import { describeProblem } from '../protocol/problem.js';
import type { Folder } from '../protocol/resolve.js';
import { nearest } from '../protocol/text.js';
import { entryWarnings, frontmatterSchema, type Fields } from './frontmatter-schema.js';
import { LocatedYaml, type Note } from './located-yaml.js';

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
    return { kind: 'prompt', body, policy: NO_POLICY, warnings: placed(lostNotes(body), place) };
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

function lostNotes(body: string): readonly Note[] {
  const lost = lostFrontmatter(body);
  if (lost === undefined) return [];
  const why =
    lost.kind === 'not-at-top'
      ? 'the frontmatter has no effect, because it does not begin with "---" in the very first line; remove what stands before it'
      : 'the frontmatter has no effect, because it is not closed by a line "---"; add one';
  return [{ line: lost.line, text: why }];
}
