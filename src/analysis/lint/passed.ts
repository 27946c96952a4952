// What a state gets when a tag leads to it: a value, attributes, and the variables that are always set. Pure.
import { implicitTag } from '../../protocol/language/policy.js';
import { isOwnAttribute, TAG_RULES } from '../../protocol/language/tag-table.js';
import { nearest } from '../../protocol/text.js';
import { allEdges, edgesInto, type Edge, type StateNode } from '../graph.js';
import { isComputed, type Mention } from '../mention.js';
import type { PromptSource } from '../prompt-source.js';
import { hasUnknownTargets, readsInput, searchableText, shownAt } from './helpers.js';
import type { Analysis, FindingDetails } from './rule.js';

/** The variables that every prompt may use, though not always with a value. */
export const BUILT_IN = new Set(['input', 'result', 'ask_id', 'workflow_id', 'agent_id', 'task_folder', 'state_dir']);

/** True for a label of the runs, and for a name that a tag which leads to the state may pass as an attribute. */
export function mayBeBound(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): boolean {
  if (analysis.graph.source.parsedManifest?.labels?.includes(name) === true) return true;
  const { graph } = analysis;
  return allEdges(graph).some((edge) => {
    const { from, tag, role, to, mention } = edge;
    if (role !== 'target' || !TAG_RULES[tag].free || (name === 'input' && tag !== 'fork')) return false;
    // What the text names has edges of its own.
    if (to.kind === 'computed') return !isNamedInText({ graph }, edge);
    // A name that leads nowhere, or a tag that cannot be read, may mean this state.
    if (to.kind === 'missing') return mention.attributes.has(name) || mention.malformed !== undefined;
    if (to.kind !== 'state' || to.file !== file) return false;
    if (mention.malformed !== undefined || mention.stray !== undefined) return true;
    if (mention.attributes.has(name)) return true;
    // A policy does not compare attributes, so a reply may add any; that of a fork need not name them.
    const isAsked = (): boolean =>
      mentionsWord(analysis, { file: from, word: name }) && !isShownWithout(analysis, { edge, name });
    return mention.source === 'policy' && (tag === 'fork' || isAsked());
  });
}

/** True for an entry of a policy without a target, of a prompt whose text names the targets of such tags. */
function isNamedInText({ graph }: Pick<Analysis, 'graph'>, { from, tag, mention }: Edge): boolean {
  const tags = graph.states.get(from)?.mentions.filter((one) => one.source === 'text' && one.tag === tag) ?? [];
  return mention.source === 'policy' && tags.length > 0 && tags.every(({ body }) => !isComputed(body?.value ?? ''));
}

/** True if a state may lead anywhere; not for a prompt that leaves open in its policy what its text names. */
export function mayLeadAnywhere({ graph }: Pick<Analysis, 'graph'>, except?: string): boolean {
  return [...graph.states.values()].some(({ hasUnknownTargets, edges, kind, file }) => {
    if (file === except) return false;
    const computed = edges.filter(({ to }) => to.kind === 'computed');
    return hasUnknownTargets && (kind !== 'prompt' || !computed.every((edge) => isNamedInText({ graph }, edge)));
  });
}

/** What asks for an attribute: in "the flag {{flag}}" without it, the word only says what the value is. */
const ASKS_TO_PASS = String.raw`(?:pass|add|giv|set|put|keep|repeat|includ|hand|carr|attribut|tags?|append|fill|writ|with|nam|end|us)\w*\b`;

/** True for a prompt that writes a word, with `isOutside` outside of its tags: each of those passes it to its own target. */
function mentionsWord(
  { graph }: Pick<Analysis, 'graph'>,
  { file, word, isOutside }: { readonly file: string; readonly word: string; readonly isOutside?: true },
): boolean {
  const state = graph.states.get(file);
  // To read it is not to pass it on.
  const shown = new RegExp(
    `(?<!\\b${ASKS_TO_PASS}[^.]{0,60})\\b(?:the|this|of|for)\\s+(?:\\w+\\s+)?${word}\\s+[\`"'“]?\\{\\{${word}\\}\\}`,
    'gi',
  );
  const text = state === undefined ? '' : searchableText(state).replace(shown, '').replaceAll(`{{${word}}}`, '');
  const prose = isOutside ? text.replace(/<[a-z][\w-]*\s[^<>]*>/g, '') : text;
  return (
    new RegExp(`\\b${word}\\b`).test(prose) &&
    (!isOutside || word === 'input' || /\battributes?\b|\bpass\b|\badd\b/i.test(prose))
  );
}

/** The names of all attributes that tags pass to a state, and of the labels of its runs. */
export function attributesPassed({ graph }: Analysis, file: string): ReadonlySet<string> {
  const edges = allEdges(graph).filter(({ to, role }) => role === 'target' && to.kind === 'state' && to.file === file);
  const labels = graph.source.parsedManifest?.labels ?? [];
  const passed = edges.flatMap(({ tag, mention }) =>
    [...mention.attributes.keys()].filter(
      (name) => isOwnAttribute(tag, name) || mention.source === 'policy' || (name === 'input' && tag === 'fork'),
    ),
  );
  return new Set([...labels, ...passed]);
}

/** The variables that Raymond sets for a script. */
export const SCRIPT_VARIABLES = [
  'INPUT',
  'RESULT',
  'INPUT_FILE',
  'RESULT_FILE',
  'WORKFLOW_ID',
  'AGENT_ID',
  'STATE_DIR',
  'STATE_FILE',
  'TASK_FOLDER',
  'TURN_ID',
  'ATTEMPT',
  'ASK_ID',
].map((name) => `RAYMOND_${name}`);

/** The variable that a name is nearly the name of. */
export function nearVariable(name: string, attributes: ReadonlySet<string>): string | undefined {
  const known = [...BUILT_IN, ...attributes];
  return known.find((variable) => variable !== name && variable === name.toLowerCase()) ?? nearest(name, known);
}

/** The edges that lead to a state, except after a timeout, which passes nothing. */
export function edgesWithValue({ graph }: Pick<Analysis, 'graph'>, file: string): readonly Edge[] {
  return allEdges(graph).filter(({ to, role }) => to.kind === 'state' && to.file === file && role !== 'timeout');
}

/** True for a state that other states lead to, none of which passes a value. */
export function neverGetsValue(analysis: Analysis, { file }: StateNode): boolean {
  const { graph } = analysis;
  if (graph.entry.kind !== 'state' || graph.entry.file === file || hasUnknownTargets(analysis)) return false;
  const incoming = edgesInto(graph, file);
  // A name that leads nowhere may mean this state.
  if (allEdges(graph).some(({ to, mention }) => to.kind === 'missing' && mention.attributes.has('input'))) return false;
  return incoming.length > 0 && incoming.every((edge) => passesNoValue(analysis, edge));
}

/** True for an edge on which a state surely gets no value. */
export function passesNoValue(analysis: Pick<Analysis, 'graph'>, edge: Edge): boolean {
  return !mayPassValue(edge) || isShownWithout(analysis, { edge, name: 'input' });
}

/** The tags in the text of a prompt that an entry of its policy is about. */
export function tagsShown(
  { graph }: Pick<Analysis, 'graph'>,
  { from, tag, mention }: Pick<Edge, 'from' | 'tag' | 'mention'>,
): readonly Mention[] {
  return (graph.states.get(from)?.mentions ?? []).filter(
    (one) => one.source === 'text' && one.tag === tag && one.body?.value === mention.body?.value,
  );
}

/** True for an entry of a policy whose tag the prompt shows without an attribute, and that says nothing of the attribute. */
export function isShownWithout(
  { graph }: Pick<Analysis, 'graph'>,
  { edge: { from, tag, role, mention }, name }: { readonly edge: Edge; readonly name: string },
): boolean {
  if (mention.source !== 'policy' || role !== 'target' || mention.attributes.has(name)) return false;
  const state = graph.states.get(from);
  if (state?.source.kind === 'prompt' && appliesUnseen(state.source.prompt, mention)) return true;
  const shown = tagsShown({ graph }, { from, tag, mention });
  const isPlain = (one: Mention): boolean => !one.attributes.has(name) && one.malformed === undefined;
  return (
    shown.length > 0 && shown.every(isPlain) && !mentionsWord({ graph }, { file: from, word: name, isOutside: true })
  );
}

/** True for the only entry of a policy, if the text speaks of no tag: the model knows of none, and the entry applies as it is. */
function appliesUnseen({ body, entries, policy }: PromptSource, mention: Mention): boolean {
  const isOnly = entries.length === 1 && entries[0] === mention && policy !== undefined;
  return isOnly && implicitTag(policy, {}) !== undefined && !/<[a-z]|\btags?\b|\w=["']|@\{?\w/i.test(body.text);
}

/** True for the call of a judge, which an `evaluate` names. */
export function isJudged({ source, attributes }: Edge['mention']): boolean {
  return source === 'policy' && attributes.has('output') && attributes.has('transition');
}

function mayPassValue({ role, mention, tag }: Edge): boolean {
  // A judge gets its values as attributes.
  if (role === 'timeout' || isJudged(mention)) return false;
  if (role === 'return' || tag === 'ask' || tag === 'await') return true;
  // The input of a fork is for the forked agent.
  if (tag.startsWith('fork') && role === 'next') return false;
  // A policy does not compare input, so a reply may add it.
  return (
    mention.attributes.has('input') ||
    mention.malformed !== undefined ||
    mention.stray !== undefined ||
    mention.source === 'policy' ||
    tag.startsWith('fork')
  );
}

/** The only tag that leads to a state, if it passes nothing, and if the state with the tag has no value that it could mean. */
export function emptyTagInto(
  analysis: Analysis,
  { file }: StateNode,
): Pick<FindingDetails, 'at' | 'state'> | undefined {
  const { graph } = analysis;
  const [edge, ...others] = edgesInto(graph, file);
  if (edge === undefined || others.length > 0 || edge.role !== 'target' || edge.tag.startsWith('fork'))
    return undefined;
  const from = graph.states.get(edge.from);
  const isFirst = graph.entry.kind === 'state' && graph.entry.file === edge.from;
  if (from === undefined || isFirst || readsInput(from)) return undefined;
  const { mention, tag } = edge;
  const isEmpty = [...mention.attributes.keys()].every((name) => !isOwnAttribute(tag, name));
  const at = shownAt(analysis, { ...edge, at: mention.at });
  // An entry that the text does not show applies as it is, so the prompt knows of no tag.
  const isUnseen = mention.source === 'policy' && at === mention.at;
  return isEmpty && !isUnseen && !isJudged(mention) ? { at, state: edge.from } : undefined;
}
