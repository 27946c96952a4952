// From a state's output to the turn's outcome: tags parsed, combined, resolved to files, allowed, made a transition (maker.ts).
// Mistakes of the output are values; only the world makes this throw.
import { disallowed } from '../protocol/allow.js';
import { combineTags, type Combined } from '../protocol/combine.js';
import { parseTags, type ParseResult } from '../protocol/parse.js';
import { implicitTag, NO_POLICY, type Rules } from '../protocol/policy.js';
import type { Problem } from '../protocol/problem.js';
import { resolveChange } from '../protocol/resolve-change.js';
import { Maker } from './maker.js';
import { Mistake, type Reading } from './reading.js';
import { listScope } from '../packages/state.js';
import type { TurnOutcome } from './types.js';

/** The outcome, and warnings for the author. `text` is what the state said: a script's stdout, or Claude's final message. */
export async function readOutcome(
  text: string,
  reading: Reading,
): Promise<{ readonly outcome: TurnOutcome; readonly warnings: readonly string[] }> {
  const { policy } = reading.rules ?? { policy: NO_POLICY };
  const mistaken = (problem: Problem): TurnOutcome => {
    const remindable = policy.allowed.length > 0 ? ({ remindable: true } as const) : {};
    return { kind: 'problem', problem, text: (reading.redactor?.text(text) ?? text).slice(-2000), ...remindable };
  };
  const meant = meantTags(text, reading.rules);
  if (meant.kind === 'problem') return { outcome: mistaken(meant.problem), warnings: [] };
  const outcome = await transitionOf(combineTags(meant.tags), reading).catch((error: unknown) => {
    if (error instanceof Mistake) return mistaken(error.problem);
    throw error;
  });
  return { outcome, warnings: meant.warnings };
}

/** The tags of the text; without any, or when they are not to count, the only one that is allowed. */
function meantTags(text: string, rules: Rules | undefined): ParseResult {
  const implicit = rules && implicitTag(rules.policy, rules.variables);
  if (implicit && rules.policy.forceImplicit) return { kind: 'tags', tags: [implicit], warnings: [] };
  const parsed = parseTags(text);
  const none = parsed.kind === 'tags' && parsed.tags.length === 0;
  return none && implicit ? { ...parsed, tags: [implicit] } : parsed;
}

async function transitionOf(combined: Combined, reading: Reading): Promise<TurnOutcome> {
  if (combined.kind === 'problem') throw new Mistake(combined.problem);
  const resolved = resolveChange(combined, await listScope(reading.agent.scope));
  if (resolved.kind === 'problem') throw new Mistake(resolved.problem);
  const { change } = resolved;
  const forbidden = reading.rules && disallowed(reading.rules.policy, change);
  if (forbidden) throw new Mistake(forbidden);
  const maker = new Maker(reading);
  return {
    kind: 'transition',
    transition: change.kind === 'fork' ? await maker.fork(change) : await maker.one(change.tag),
  };
}
