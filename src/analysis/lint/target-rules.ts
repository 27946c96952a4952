// Rules about where tags lead: names of states and of other workflows, and names that are missing altogether.
import { assertNever } from '../../protocol/failure.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { stem } from '../../protocol/ids.js';
import type { WorkflowAnswer } from '../workflows.js';
import { allEdges, type Edge } from '../graph.js';
import type { Mention } from '../mention.js';
import { mentionsOf } from './helpers.js';
import type { Analysis, Edit, Found, Rule } from './rule.js';

type MissingEdge = Edge & { readonly to: Extract<Edge['to'], { readonly kind: 'missing' }> };

function missingEdges({ graph }: Analysis): readonly MissingEdge[] {
  return allEdges(graph).filter((edge): edge is MissingEdge => edge.to.kind === 'missing');
}

function* missing(analysis: Analysis, isReturn: boolean): Generator<Found> {
  for (const edge of missingEdges(analysis)) {
    const { to, at, from, role } = edge;
    if (to.problem.kind === 'ambiguous-state' || (role === 'return') !== isReturn) continue;
    yield { at, message: describeProblem(to.problem), state: from, ...remedy(edge, analysis) };
  }
}

/** A state that is written the same but for case is surely meant; one that is only near is a guess. */
function remedy({ to, at }: MissingEdge, { graph }: Analysis): { readonly fix?: string; readonly edit?: Edit } {
  const files = [...graph.states.keys()];
  const { name } = to;
  const twins = files.filter((file) => [file, stem(file)].some((known) => known.toLowerCase() === name.toLowerCase()));
  const [twin, other] = twins;
  if (twin !== undefined && other === undefined) {
    const text = twin.toLowerCase() === name.toLowerCase() ? twin : stem(twin);
    return { fix: `write ${text}`, edit: { kind: 'replace', at, old: name, text } };
  }
  const near = to.problem.kind === 'unknown-state' ? to.problem.near : undefined;
  return {
    fix: near === undefined ? `add ${name}, or name a state that there is` : `write ${stem(near)}, or add ${name}`,
  };
}

function* ambiguous(analysis: Analysis): Generator<Found> {
  const { entry, source } = analysis.graph;
  if (entry.kind === 'problem' && entry.problem.kind === 'ambiguous-state')
    yield { at: { file: source.path, line: 1, column: 1 }, message: describeProblem(entry.problem) };
  for (const { to, at, from } of missingEdges(analysis))
    if (to.problem.kind === 'ambiguous-state') yield { at, message: describeProblem(to.problem), state: from };
}

/** Tags that are written out; a policy may leave things open. */
function* written(
  analysis: Analysis,
): Generator<{ readonly file: string; readonly mention: Mention; readonly beside: readonly Mention[] }> {
  for (const { state, mention } of mentionsOf(analysis))
    if (mention.source !== 'policy') yield { file: state.file, mention, beside: state.mentions };
}

function has({ attributes }: Mention, name: string): boolean {
  return (attributes.get(name)?.value.trim() ?? '') !== '';
}

function* lacking(
  analysis: Analysis,
  { tags, name, fix }: { readonly tags: readonly string[]; readonly name: string; readonly fix: string },
): Generator<Found> {
  for (const { file, mention } of written(analysis))
    if (tags.includes(mention.tag) && !has(mention, name))
      yield { at: mention.at, message: `<${mention.tag}> needs the attribute ${name}="STATE"`, fix, state: file };
}

function* forksWithoutNext(analysis: Analysis): Generator<Found> {
  for (const { file, mention, beside } of written(analysis)) {
    const isFork = mention.tag === 'fork' || mention.tag === 'fork-workflow';
    const goesOn = beside.some((other) => other.tag === 'goto' || (other.tag.startsWith('fork') && has(other, 'next')));
    if (isFork && !goesOn)
      yield {
        at: mention.at,
        message: `<${mention.tag}> does not say where this agent goes on`,
        fix: 'add next="STATE", or a <goto> beside it',
        state: file,
      };
  }
}

function* nexts(analysis: Analysis): Generator<Found> {
  const [name, fix] = ['next', 'add next="STATE", the state that gets what has come'] as const;
  yield* lacking(analysis, { tags: ['ask', 'await'], name, fix });
}

function* returns(analysis: Analysis): Generator<Found> {
  yield* missing(analysis, true);
  const [name, fix] = ['return', 'add return="STATE", the state that gets the result'] as const;
  yield* lacking(analysis, { tags: ['call', 'function', 'call-workflow', 'function-workflow'], name, fix });
}

function* workflows(analysis: Analysis): Generator<Found> {
  for (const { to, at, from, tag } of allEdges(analysis.graph)) {
    const answer = to.kind === 'workflow' ? analysis.workflows.get(to.specifier) : undefined;
    const why = answer === undefined ? undefined : whyNot(answer);
    if (why !== undefined && to.kind === 'workflow')
      yield {
        at,
        message: `<${tag}>${to.specifier}</${tag}>: ${why}`,
        fix: 'correct the path; it is relative to this package',
        state: from,
      };
  }
}

function whyNot(answer: WorkflowAnswer): string | undefined {
  switch (answer.kind) {
    case 'workflow':
      return undefined;
    case 'problem':
      return describeProblem(answer.problem);
    case 'unusable':
      return answer.error.message;
    default:
      return assertNever(answer);
  }
}

/** Where tags lead. */
export const TARGET_RULES: readonly Rule[] = [
  {
    id: 'missing-target',
    severity: 'error',
    says: 'A tag or a policy leads to a state that is not there.',
    why: 'The turn that writes it would be a mistake, and a prompt turn has been paid for by then. Names are compared exactly; a name with a dot is the name of a file.',
    check: (analysis) => missing(analysis, false),
  },
  {
    id: 'missing-return',
    severity: 'error',
    says: 'A call does not say where its result goes, or names a state that is not there.',
    why: '<call>, <function> and the two for other workflows need return="STATE": the state that gets the result.',
    check: returns,
  },
  {
    id: 'missing-fork-next',
    severity: 'error',
    says: 'A fork does not say where its own agent goes on.',
    why: 'The forking agent goes on at next. Of several forks one may name it for all, or a <goto> beside them.',
    check: forksWithoutNext,
  },
  {
    id: 'missing-ask-next',
    severity: 'error',
    says: 'An <ask> or <await> does not say which state gets the answer.',
    why: 'Both wait, and go on at next with what has come.',
    check: nexts,
  },
  {
    id: 'ambiguous-state-resolution',
    severity: 'error',
    says: 'A name fits more than one file.',
    why: 'A name without extension is looked for with each extension that this platform runs. NAME.md and NAME.sh both fit NAME: name the file in full, or remove one.',
    check: ambiguous,
  },
  {
    id: 'cross-workflow-missing',
    severity: 'error',
    says: 'A tag leads to another workflow that is not there or cannot be used.',
    why: 'Paths are relative to this package; a package in one file stands for a folder of its name, so ../x/ is beside it.',
    check: workflows,
  },
];
