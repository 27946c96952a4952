// From a state's output to the turn's outcome: its tags, the transition that they ask for, and an evaluator's replacement for
// place. Problems of the output are values; only external failures throw.
import { listScope } from '../../packages/state.js';
import {
  filledChange,
  isKeep,
  objectionTo,
  renderChange,
  type Judge,
  type Pattern,
} from '../../protocol/language/evaluate.js';
import {
  combineTags,
  parseTags,
  type Change,
  type ChangeResult,
  type ParseResult,
} from '../../protocol/language/parse.js';
import { NO_POLICY, implicitTag, type Rules } from '../../protocol/language/policy.js';
import { describeProblem, type Problem } from '../../protocol/language/problem.js';
import { resolveState } from '../../protocol/language/resolve.js';
import type { Transition } from '../../protocol/machine/transition.js';
import { clip } from '../../protocol/text.js';
import type { Judged } from './prompt-file.js';
import { ProblemError } from '../failure.js';
import { allowedChange, MAX_KEPT_BYTES, transitionOf, type OutcomeContext } from './transition.js';
import type { TurnOutcome } from '../../contract/turns.js';

/**
 * The outcome, and warnings for the author. `text` is the state's output: a script's stdout, or Claude's final message.
 */
export async function readOutcome(
  text: string,
  reading: OutcomeContext,
): Promise<{ readonly outcome: TurnOutcome; readonly warnings: readonly string[] }> {
  const { policy } = reading.rules ?? { policy: NO_POLICY };
  const problemOutcome = (problem: Problem): TurnOutcome => {
    const isReminded = policy.allowed.length > 0 || (reading.rules !== undefined && reading.judged !== undefined);
    const remindable = isReminded ? ({ remindable: true } as const) : {};
    return { kind: 'problem', problem, text: (reading.redactor?.text(text) ?? text).slice(-2000), ...remindable };
  };
  const meant = reading.structured === undefined ? meantTags(text, reading.rules) : structuredTags(reading.structured);
  if (meant.kind === 'problem') return { outcome: problemOutcome(meant.problem), warnings: [] };
  const outcome = await outcomeOf(combineTags(meant.tags, meant.open), { ...reading, text }).catch((error: unknown) => {
    if (error instanceof ProblemError) return problemOutcome(error.problem);
    throw error;
  });
  return { outcome, warnings: meant.warnings };
}

/** The tags of the text; without any, or when tags do not count, the only one that is allowed. */
function meantTags(text: string, rules: Rules | undefined): ParseResult {
  const implicit = rules && implicitTag(rules.policy, rules.variables);
  if (implicit && rules.policy.forceImplicit) return { kind: 'tags', tags: [implicit], warnings: [] };
  const parsed = parseTags(text);
  const none = parsed.kind === 'tags' && parsed.tags.length === 0;
  return none && implicit ? { ...parsed, tags: [implicit] } : parsed;
}

/** The answer of a backend that was asked for the result itself. */
function structuredTags(value: unknown): ParseResult {
  return { kind: 'tags', tags: [{ kind: 'result', payload: JSON.stringify(value) }], warnings: [] };
}

/** The proposed transition, unless an evaluator objects to it; of a judge, its decision. A judge is not judged itself. */
async function outcomeOf(
  combined: ChangeResult,
  reading: OutcomeContext & { readonly text: string },
): Promise<TurnOutcome> {
  if (combined.kind === 'problem') throw new ProblemError(combined.problem);
  const { rules, judged } = reading;
  if (judged !== undefined) return await decision(combined, { ...reading, judged });
  const { change, transition } = await transitionOf(combined, reading);
  const tag = renderChange(change);
  // A result that the backend asked for is not in the text of the reply.
  const text = reading.structured === undefined ? reading.text : `${reading.text}\n\n${tag}`;
  const objection = rules?.evaluator && objectionTo(rules.evaluator, text);
  if (objection === undefined) return { kind: 'transition', transition };
  const proposal = { reading: { ...reading, text }, tag };
  if (objection.kind === 'judge')
    return { kind: 'transition', transition: await judgement(objection.judge, { ...proposal, proposed: transition }) };
  return await overridden(objection.pattern, proposal);
}

/** The decision of a judge: both its own policy and that of the state that it decides about must allow its tag. */
async function decision(combined: Change, reading: OutcomeContext & { readonly judged: Judged }): Promise<TurnOutcome> {
  const { judged, artifacts, ...rest } = reading;
  const change = await allowedChange(combined, reading);
  if (isKeep(change)) return { kind: 'transition', transition: { kind: 'result', payload: 'keep' } };
  const { session: _own, task: _none, depth: _same, ...agent } = rest.agent;
  const { judging: _asked, ...caller } = judged.frame;
  const rules = await judged.rules();
  const asked = { ...rest, artifacts, agent: { ...agent, ...caller }, rules };
  const { transition } = await transitionOf(change, asked).catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError({ kind: 'bad-verdict', state: caller.state, why: describeProblem(error.problem) });
  });
  const payload = await artifacts.value(renderChange(change), MAX_KEPT_BYTES);
  return { kind: 'transition', transition: { kind: 'result', payload, verdict: transition } };
}

/** The call of a judge. */
async function judgement(
  { state }: Judge,
  { reading: { agent, artifacts, text }, tag, proposed }: Proposal & { readonly proposed: Transition },
): Promise<Transition> {
  const found = resolveState({ ...(await listScope(agent.scope, artifacts)), name: state });
  if (found.kind === 'problem') throw new ProblemError(found.problem);
  const [output, written] = [await artifacts.value(text, MAX_KEPT_BYTES), await artifacts.value(tag, MAX_KEPT_BYTES)];
  return {
    kind: 'function',
    target: found.file,
    return: agent.state,
    judging: { proposed, tag: written, output },
  };
}

/** What an output with a transition proposes. */
interface Proposal {
  readonly reading: OutcomeContext & { readonly text: string };
  readonly tag: string;
}

/** A mistake in the transition of a pattern is the author's: the model is not reminded of it. */
async function overridden({ match, instead }: Pattern, { reading, tag }: Proposal): Promise<TurnOutcome> {
  const { rules: _policy, ...plain } = reading;
  try {
    const { transition } = await transitionOf(filledChange(instead, reading.variables ?? {}), plain);
    const proposed = clip(reading.redactor?.text(tag) ?? tag, 200);
    return { kind: 'transition', transition, overridden: { pattern: clip(match, 100), proposed } };
  } catch (error) {
    if (error instanceof ProblemError) return { kind: 'problem', problem: error.problem, text: '' };
    throw error;
  }
}
