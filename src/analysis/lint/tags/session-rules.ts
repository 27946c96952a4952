// Rules about the conversation that a forked agent begins with: the values of `context` and `task`, and whether there is a conversation.
import { nearest } from '../../../protocol/text.js';
import { allEdges, type Edge } from '../../graph.js';
import { isComputed, type Mention } from '../../mention.js';
import type { Position } from '../../position.js';
import { assignedAt, mayGetAttributes } from './assigned-attributes.js';
import { continuesConversation, mentionsOf, searchableText, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** Attributes of `<fork>` with fixed values; any other value is an attribute of one's own. */
const VALUES: Readonly<Record<string, readonly string[]>> = { context: ['branch'], task: ['new', 'inherit'] };

/** Words that mean one of the values. */
const MEANT: Readonly<Record<string, RegExp>> = {
  context:
    /^(?:branch\w*|fork|forked|copy|copied|inherit\w*|keep|kept|shared?|same|conversation|current|full|continue|new|fresh|parent|true|yes)$/i,
  task: /^(?:inherit\w*|shared?|same|parent|keep|fresh|own|true|yes|no|false)$/i,
};

function* nearValues(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis))
    for (const [name, values] of Object.entries(VALUES)) {
      const attribute = mention.attributes.get(name);
      const value = attribute?.value ?? '';
      if (attribute === undefined || isComputed(value) || isRead(analysis, { from: state.file, mention, name }))
        continue;
      if (mention.tag === 'fork') {
        if (values.includes(value) || !(MEANT[name]?.test(value) ?? false)) continue;
        const meant = nearest(value, values) ?? values[0] ?? '';
        yield {
          at: attribute.valueAt,
          state: state.file,
          mention,
          message: `${name}="${value}" has no effect: <fork> takes only ${values.map((one) => `${name}="${one}"`).join(' and ')}, and the next state does not read the attribute`,
          fix: `write ${name}="${meant}", or remove it`,
        };
      } else if (
        name === 'context' &&
        values.includes(value) &&
        ['goto', 'reset', 'call', 'function'].includes(mention.tag)
      )
        yield {
          at: attribute.at,
          state: state.file,
          mention,
          message: `<${mention.tag}> does not take context, and the next state does not read it`,
          fix: 'remove it; only <fork> can give a new agent a copy of the conversation',
        };
    }
}

/** True if the state that the tag leads to reads the attribute. */
function isRead(
  { graph }: Analysis,
  { from, mention, name }: { readonly from: string; readonly mention: Mention; readonly name: string },
): boolean {
  const edges =
    graph.states.get(from)?.edges.filter((edge) => edge.mention === mention && edge.role === 'target') ?? [];
  return edges.some(({ to }) => {
    const state = to.kind === 'state' ? graph.states.get(to.file) : undefined;
    return (
      state === undefined ||
      new RegExp(`\\{\\{${name}\\}\\}|\\$\\{?${name}\\b|env\\w*\\W{1,7}${name}\\b`).test(searchableText(state))
    );
  });
}

function* branchesOfNothing(analysis: Analysis): Generator<FindingDetails> {
  const { entry } = analysis.graph;
  if (entry.kind !== 'state' || (analysis.entriesFromOutside ?? []).length > 0) return;
  const talking = statesWithConversation(analysis);
  const seen = new Set<string>();
  for (const { state, mention } of mentionsOf(analysis)) {
    if (mention.tag !== 'fork' || talking.has(state.file) || !analysis.reached.has(state.file)) continue;
    const at = state.kind === 'script' ? branchAt(state as ScriptState, mention) : undefined;
    if (at === undefined || seen.has(`${at.file} ${at.line}`)) continue;
    seen.add(`${at.file} ${at.line}`);
    yield {
      at,
      state: state.file,
      mention,
      message: `there is no conversation to copy: no prompt runs before ${state.file}`,
      fix: 'remove context, or fork in a state that comes after a prompt',
    };
  }
}

/** Where a fork gets context="branch": in its tag, or in the attributes that the script puts together for it. */
function branchAt(state: ScriptState, mention: Mention): Position | undefined {
  const context = mention.attributes.get('context');
  if (context !== undefined) return context.value === 'branch' ? context.at : undefined;
  const forks = state.mentions.filter(({ tag }) => tag === 'fork');
  const at = mayGetAttributes(mention) && forks.every(mayGetAttributes) ? assignedAt(state, BRANCH) : undefined;
  return at === undefined ? undefined : state.source.raw.at(at);
}

const BRANCH = { name: 'context', value: 'branch' };

/** The states that an agent may enter with a conversation; a tag whose target is not known may lead to any state. */
function statesWithConversation({ graph }: Analysis): ReadonlySet<string> {
  const talking = new Set<string>();
  const mayTalkAfter = (file: string): boolean => talking.has(file) || graph.states.get(file)?.kind === 'prompt';
  for (let size = -1; size < talking.size;) {
    size = talking.size;
    for (const { file, hasUnknownTargets } of graph.states.values())
      if (hasUnknownTargets && mayTalkAfter(file)) return new Set(graph.states.keys());
    for (const edge of allEdges(graph))
      if (edge.to.kind === 'state' && keepsConversation(edge) && mayTalkAfter(edge.from)) talking.add(edge.to.file);
  }
  return talking;
}

/** True for an edge behind which an agent has the conversation, or a copy of it. */
function keepsConversation(edge: Edge): boolean {
  const { tag, mention } = edge;
  const mayBranch =
    mention.source === 'policy' || mention.attributes.get('context')?.value === 'branch' || mayGetAttributes(mention);
  return continuesConversation(edge) || (tag === 'fork' && mayBranch);
}

/** Rules about conversations. */
export const SESSION_RULES: readonly Rule[] = [
  {
    id: 'unknown-context',
    severity: 'warning',
    summary:
      'The attribute context or task of <fork> has a value that Raymond does not know, or another tag has context="branch". Neither changes the conversation or the task folder.',
    why: '<fork> takes context="branch", task="new" and task="inherit". With any other value, or on another tag, the attribute is passed to the next state, which does not read it here.',
    check: nearValues,
  },
  {
    id: 'no-conversation',
    severity: 'warning',
    summary:
      'A script forks an agent with context="branch", but no prompt runs before the script, so there is no conversation to copy.',
    why: 'context="branch" needs a conversation: a prompt must have run before in the same agent. At the start of a run, and after a <reset>, there is none until a prompt has run.',
    check: branchesOfNothing,
  },
];
