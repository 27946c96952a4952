// Rules about the targets of tags: unknown states and workflows, and missing attributes.
import { literalPattern } from '../../../protocol/text.js';
import { assertNever } from '../../../protocol/failure.js';
import { describeProblem } from '../../../protocol/language/problem.js';
import { stem } from '../../../protocol/ids.js';
import { stateFiles } from '../../../protocol/language/resolve.js';
import { TAG_RULES } from '../../../protocol/language/tag-table.js';
import type { WorkflowAnswer } from '../../workflows.js';
import { allEdges, type Edge, type StateNode } from '../../graph.js';
import { printsByLibrary } from '../../library-output.js';
import { hasComputedAttributes, isComputed, PLACEHOLDER, type Mention } from '../../mention.js';
import { namesWithDot } from './dotted-names.js';
import { mentionsOf, searchableText, statesOf } from '../helpers.js';
import type { Analysis, Edit, FindingDetails, Rule, Severity } from '../rule.js';

type MissingEdge = Edge & { readonly to: Extract<Edge['to'], { readonly kind: 'missing' }> };

function missingEdges({ graph }: Analysis): readonly MissingEdge[] {
  return allEdges(graph).filter((edge): edge is MissingEdge => edge.to.kind === 'missing');
}

function* missing(analysis: Analysis, isReturn: boolean): Generator<FindingDetails> {
  for (const edge of missingEdges(analysis)) {
    const { to, at, from, role } = edge;
    if (to.problem.kind === 'ambiguous-state' || (role === 'return') !== isReturn) continue;
    const severity = severityOf(edge, analysis);
    yield { at, message: describeProblem(to.problem), state: from, severity, ...remedy(edge, analysis) };
  }
}

function* missingTargets(analysis: Analysis): Generator<FindingDetails> {
  yield* missing(analysis, false);
  yield* emptyTargets(analysis);
  yield* namesWithDot(analysis);
}

/** A tag without a name between its parts. The text of a prompt may only speak of it. */
function* emptyTargets(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of writtenTags(analysis)) {
    const { tag, at, body, attributes, fenced, source, isCertain } = mention;
    if (body?.value.trim() !== '' || !['state', 'workflow'].includes(TAG_RULES[tag].body)) continue;
    // A variable of a script may be empty on some of its paths.
    if (!new RegExp(`>\\s*</${tag}>`).test(searchableText(state))) continue;
    const [named] = MEANT_BODY.flatMap((name) => attributes.get(name)?.value ?? []);
    if (source === 'text' && (fenced || named === undefined)) continue;
    yield {
      at,
      state: state.file,
      message: `<${tag}> names no ${TAG_RULES[tag].body}: there is no name between <${tag}> and </${tag}>`,
      fix: `write <${tag}>${named === undefined || isComputed(named) ? 'STATE' : named}</${tag}>`,
      severity: source === 'script' && isCertain !== false ? 'error' : 'warning',
      mention,
    };
  }
}

/** Attributes that others write in the place of the body. */
const MEANT_BODY = ['target', 'state', 'to', 'next', 'name', 'workflow'];

function severityOf(edge: MissingEdge, analysis: Analysis): Severity {
  const { to, mention } = edge;
  const isNear = to.problem.kind === 'unknown-state' && to.problem.near !== undefined;
  if (isGenerated(to.name, analysis)) return 'info';
  if (mention.isCertain === false) return isNear ? 'warning' : 'info';
  if (!isDoubtful(edge, analysis)) return 'error';
  return PLACEHOLDER.test(to.name) || (mention.fenced && !isNear && hasOtherTarget(edge, analysis))
    ? 'info'
    : 'warning';
}

/** True if a state writes a file of this name: it may be there when it is needed. */
function isGenerated(name: string, { graph }: Analysis): boolean {
  const files = stateFiles(
    ['.md', '.sh', '.py', '.js', '.ts', '.bat', '.ps1'].map((extension) => stem(name) + extension),
  );
  return [...graph.states.values()].some(({ source }) => {
    if (source.kind !== 'prompt' && source.kind !== 'script') return false;
    const written = source.kind === 'prompt' ? source.prompt.body.text : source.raw.text;
    const text = written.replace(/>[^<>]*<\//g, '');
    return files.some((file) => new RegExp(`(?<![\\w-])${literalPattern(file)}(?!\\w)`).test(text));
  });
}

/**
 * True for a name in a text that also names a state that exists, unless it is nearly the name of one: the text may only
 * speak of it.
 */
function isDoubtful(edge: MissingEdge, analysis: Analysis): boolean {
  const { to, mention } = edge;
  if (mention.source !== 'text') return false;
  if (mention.fenced || /…|\.\.\.|[[\]]/.test(to.name)) return true;
  const isNear = to.problem.kind === 'unknown-state' && to.problem.near !== undefined && !PLACEHOLDER.test(to.name);
  return !isNear && hasOtherTarget(edge, analysis);
}

/** True if the state also names a target that exists. */
function hasOtherTarget({ mention, from }: MissingEdge, { graph }: Analysis): boolean {
  const others = graph.states.get(from)?.edges ?? [];
  return others.some((edge) => edge.mention !== mention && (edge.to.kind === 'state' || edge.to.kind === 'end'));
}

/** A state that differs only in case is certainly meant, so it is an automatic fix; a similar name is only a suggestion. */
function remedy(
  { to, at, mention }: MissingEdge,
  { graph }: Analysis,
): { readonly fix?: string; readonly edit?: Edit } {
  const files = [...graph.states.keys()];
  const { name } = to;
  if (mention.source === 'script' && /^\$(?:\w+|\{\w+\})$/.test(name))
    return { fix: `single quotes keep ${name} as it is; write the tag in double quotes` };
  if (/[/\\]/.test(name)) return { fix: 'a tag such as <reset-workflow> or <call-workflow> leads to another package' };
  const similars = files.filter((file) =>
    [file, stem(file)].some((known) => known.toLowerCase() === name.toLowerCase()),
  );
  const [similar, other] = similars;
  if (similar !== undefined && other === undefined) {
    // A name with a dot is the name of a file.
    const isFile = name.includes('.') || similar.toLowerCase() === name.toLowerCase();
    const text = isFile ? similar : stem(similar);
    return { fix: `write ${text}`, edit: { kind: 'replace', at, old: name, text } };
  }
  const suggestion = to.problem.kind === 'unknown-state' ? to.problem.near : undefined;
  return {
    fix:
      suggestion === undefined ? `add ${name}, or name an existing state` : `write ${stem(suggestion)}, or add ${name}`,
  };
}

function* ambiguous(analysis: Analysis): Generator<FindingDetails> {
  const { entry, source } = analysis.graph;
  if (entry.kind === 'problem' && entry.problem.kind === 'ambiguous-state')
    yield { at: { file: source.path, line: 1, column: 1 }, message: describeProblem(entry.problem) };
  for (const { to, at, from } of missingEdges(analysis))
    if (to.problem.kind === 'ambiguous-state') yield { at, message: describeProblem(to.problem), state: from };
}

/** Tags in texts and scripts; an entry of a policy may be incomplete. */
function* writtenTags(analysis: Analysis): Generator<{ readonly state: StateNode; readonly mention: Mention }> {
  for (const { state, mention } of mentionsOf(analysis))
    if (mention.source !== 'policy' && !(mention.source === 'text' && takesNoTag(state))) yield { state, mention };
}

/** True for a prompt of which no reply counts, because of `force_implicit`. */
function takesNoTag({ source }: StateNode): boolean {
  return source.kind === 'prompt' && source.prompt.policy?.forceImplicit === true;
}

function has({ attributes }: Mention, name: string): boolean {
  return (attributes.get(name)?.value.trim() ?? '') !== '';
}

function* lacking(
  analysis: Analysis,
  { tags, name, fix }: { readonly tags: readonly string[]; readonly name: string; readonly fix: string },
): Generator<FindingDetails> {
  for (const { state, mention } of writtenTags(analysis))
    if (tags.includes(mention.tag) && !has(mention, name) && !hasComputedAttributes(mention))
      yield {
        at: mention.at,
        message: `<${mention.tag}> needs the attribute ${name}="STATE"`,
        fix,
        state: state.file,
        mention,
      };
}

function* forksWithoutNext(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of writtenTags(analysis)) {
    const isFork = mention.tag === 'fork' || mention.tag === 'fork-workflow';
    const hasNext = state.mentions.some(
      (other) => other.tag === 'goto' || (other.tag.startsWith('fork') && has(other, 'next')),
    );
    if (isFork && !hasNext && !mayHaveNext(state) && !printsByLibrary(state.source, analysis.graph.source.folder))
      yield {
        at: mention.at,
        message: `<${mention.tag}> does not say where this agent continues`,
        fix: 'add next="STATE", or a <goto> beside it',
        state: state.file,
        mention,
      };
  }
}

/** True if one of the forks of a state gets attributes from a variable, which may name the next state. */
function mayHaveNext({ mentions }: StateNode): boolean {
  return mentions.some((mention) => mention.tag.startsWith('fork') && hasComputedAttributes(mention));
}

function* missingNexts(analysis: Analysis): Generator<FindingDetails> {
  const [name, fix] = ['next', 'add next="STATE", the state that gets the answer or the results'] as const;
  yield* lacking(analysis, { tags: ['ask', 'await'], name, fix });
  for (const { state, mention } of writtenTags(analysis))
    // Between two commands that print its ends, others may print the question.
    if (mention.tag === 'ask' && mention.body?.value === '' && />[ \t]*<\/ask>/.test(searchableText(state)))
      yield {
        at: mention.at,
        state: state.file,
        message: '<ask> asks nothing: there is no question between <ask> and </ask>',
        fix: 'write the question between <ask> and </ask>',
        mention,
      };
}

function* returns(analysis: Analysis): Generator<FindingDetails> {
  yield* missing(analysis, true);
  const [name, fix] = ['return', 'add return="STATE", the state that gets the result'] as const;
  yield* lacking(analysis, { tags: ['call', 'function', 'call-workflow', 'function-workflow'], name, fix });
}

function* workflows(analysis: Analysis): Generator<FindingDetails> {
  for (const { to, at, from, tag, mention } of allEdges(analysis.graph)) {
    const answer = to.kind === 'workflow' ? analysis.workflows.get(to.specifier) : undefined;
    const problem = answer === undefined ? undefined : workflowProblem(answer);
    if (problem !== undefined && to.kind === 'workflow')
      yield {
        at,
        ...(isMade(to.specifier, analysis) ? { severity: 'info' } : {}),
        message: `<${tag}>${to.specifier}</${tag}>: ${problem}`,
        fix: 'fix the path; it is relative to this package',
        state: from,
        mention,
      };
  }
}

/** True if a state also uses the path outside of a tag: it may write the package before it is called. */
function isMade(specifier: string, analysis: Analysis): boolean {
  const name = specifier.replace(/^(?:\.{1,2}\/)+/, '').split('/')[0] ?? specifier;
  if (name === '') return false;
  const word = `(?<![\\w-])${literalPattern(name)}(?![\\w-]|\\.\\w)`;
  return statesOf(analysis).some((state) => {
    const text = searchableText(state).replaceAll(/<([\w-]+-workflow)\b[^>]*>[^<]*<\/\1>/g, '');
    // In prose, and as the name of a variable, "review" may be any word.
    const path = `\\.\\./${word}|${word}/`;
    const made = `["'\`]${word}["'\`]|=${word}(?=[;\\s]|$)|\\bfor \\w+ in [^\\n:]*${word}[^\\n:]*$|${MAKES}[^\\n]*${word}`;
    return new RegExp(state.kind === 'prompt' ? path : `${path}|${made}`, 'm').test(text);
  });
}

/** What makes files and folders. */
const MAKES =
  '\\b(?:mkdir|cp|mv|ln|install|rsync|tar|unzip|clone|curl|wget|convert|makedirs|copytree|extractall|unpack\\w*)\\b';

function workflowProblem(answer: WorkflowAnswer): string | undefined {
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

/** Rules about the targets of tags. */
export const TARGET_RULES: readonly Rule[] = [
  {
    id: 'missing-target',
    severity: 'error',
    summary: 'A tag or a policy names a state that does not exist, or a tag names no state.',
    why: 'The turn would end with a mistake, and a prompt turn would already have cost money. Names are case-sensitive; a name with a dot is a file name.',
    check: missingTargets,
  },
  {
    id: 'missing-return',
    severity: 'error',
    summary:
      'A <call>, <function>, <call-workflow> or <function-workflow> has no attribute return, or the attribute names a state that does not exist.',
    why: '<call>, <function>, <call-workflow> and <function-workflow> need return="STATE": the state that gets the result.',
    check: returns,
  },
  {
    id: 'missing-fork-next',
    severity: 'error',
    summary:
      'A state forks an agent, but neither the attribute next nor a <goto> says where the forking agent continues.',
    why: 'The forking agent continues at next. Of several forks, one may name it for all; so may a <goto> beside them.',
    check: forksWithoutNext,
  },
  {
    id: 'missing-ask-next',
    severity: 'error',
    summary:
      'An <ask> or an <await> has no attribute next, so no state would get the answer or the results, or an <ask> has no question.',
    why: 'Both wait, then continue at next with the answer or the results.',
    check: missingNexts,
  },
  {
    id: 'ambiguous-state-resolution',
    severity: 'error',
    summary:
      'A name without an extension matches two files, neither of which takes precedence, such as PLAN.md and PLAN.sh on Linux and macOS.',
    why: 'A name without extension matches every extension that this platform runs. NAME.md and NAME.sh both match NAME: name the file in full, or remove one.',
    check: ambiguous,
  },
  {
    id: 'cross-workflow-missing',
    severity: 'error',
    summary: 'A tag names another workflow, but that workflow does not exist or cannot be opened.',
    why: 'Paths are relative to this package; a package in one file counts as a folder of its name, so ../x/ is beside it.',
    check: workflows,
  },
];
