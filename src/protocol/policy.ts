// What a prompt's frontmatter says of its turn: which transitions are allowed, and which one is meant when none is written. Pure.
// Must not read YAML: activities/frontmatter.ts does.
import { completeTag, stateKeys, type AllowedTransition, type Variables } from './allowed-transition.js';
import type { Problem } from './problem.js';
import { resolveState, type Folder } from './resolve.js';
import { nameInScope } from './scope.js';
import type { Tag } from './tag.js';

/** A frontmatter that was understood. `timeout` is seconds of silence, 0 = never; without `allowed` entries everything is allowed. */
export interface Policy {
  readonly allowed: readonly AllowedTransition[];
  readonly model?: string;
  readonly effort?: string;
  readonly timeout?: number;
  readonly forceImplicit: boolean;
}

/** A policy, and the variables of the prompt that it stands in. */
export interface Rules {
  readonly policy: Policy;
  readonly variables: Variables;
}

/** The policy of a prompt without frontmatter. */
export const NO_POLICY: Policy = { allowed: [], forceImplicit: false };

/** The only allowed transition, if its entry says all that its tag needs: it is meant when an output has no tag. */
export function implicitTag({ allowed }: Policy, variables: Variables): Tag | undefined {
  const [only, ...others] = allowed;
  return only === undefined || others.length > 0 ? undefined : completeTag(only, variables);
}

/** The names of states in a policy, each once, in order. */
export function policyNames({ allowed }: Policy): readonly string[] {
  return [...new Set(allowed.flatMap(namesOf))];
}

/** The policy as its scope takes the names in it: those of files are compared with files, and a YAML scope has none. */
export function policyInScope(policy: Policy, scope: Pick<Folder, 'kind'>): Policy {
  const allowed = policy.allowed.map((entry) => {
    const named = stateKeys(entry.tag).flatMap((key) => {
      const name = entry.attributes[key];
      return name === undefined ? [] : [[key, nameInScope(scope, name)] as const];
    });
    return { ...entry, attributes: { ...entry.attributes, ...Object.fromEntries(named) } };
  });
  return { ...policy, allowed };
}

/** The names of a policy that are no states of the folder, with the lines of their entries. */
export function policyProblems(
  { allowed }: Policy,
  folder: Folder,
): readonly { readonly line: number; readonly problem: Problem }[] {
  return allowed.flatMap((entry) =>
    namesOf(entry).flatMap((name) => {
      const found = resolveState({ ...folder, name });
      return found.kind === 'problem' ? [{ line: entry.line, problem: found.problem }] : [];
    }),
  );
}

function namesOf({ tag, attributes }: AllowedTransition): readonly string[] {
  return stateKeys(tag).flatMap((key) => attributes[key] ?? []);
}
