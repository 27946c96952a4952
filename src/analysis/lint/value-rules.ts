// Rules about the values that go from state to state, and about what nobody should write down.
import { allEdges, type Edge, type StateNode } from '../graph.js';
import type { PlacedText } from '../position.js';
import { matches, promptsOf, readsInput, statesOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

/** The variables that every prompt may use, if not always with a value. */
const BUILT_IN = new Set(['input', 'result', 'ask_id', 'workflow_id', 'agent_id', 'task_folder']);

/** The attributes of forks that lead to a state, by their names; undefined when forks lead where only their run knows. */
function forkAttributes({ graph }: Analysis, file: string): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { tag, role, to, mention } of allEdges(graph)) {
    if (tag !== 'fork' || role !== 'target') continue;
    if (to.kind === 'computed') return undefined;
    // A policy compares neither: a reply may add what it likes.
    if (to.kind === 'state' && to.file === file) {
      if (mention.source === 'policy') return undefined;
      for (const name of mention.attributes.keys()) names.add(name);
    }
  }
  return names;
}

function* unbound(analysis: Analysis): Generator<Found> {
  const open = statesOf(analysis).some((state) => state.open);
  for (const state of promptsOf(analysis)) {
    const attributes = open ? undefined : forkAttributes(analysis, state.file);
    for (const { match, at } of matches(state.source.prompt.body, /\{\{([A-Za-z_]\w*)\}\}/g)) {
      const name = match[1] ?? '';
      if (BUILT_IN.has(name)) {
        if ((name === 'input' || name === 'result') && neverGiven(analysis, state))
          yield {
            at,
            state: state.file,
            message: `nothing that leads to ${state.file} passes a value: {{${name}}} stays as it is written`,
            fix: 'pass input="…", or remove it',
          };
      } else if (attributes !== undefined && !attributes.has(name))
        yield {
          at,
          state: state.file,
          message: `{{${name}}} stays as it is written: no fork gives ${state.file} an attribute of this name`,
          fix: `fork with ${name}="…", or use {{input}}`,
        };
    }
  }
}

/** True for a state to which ways lead, none of which brings a value. */
function neverGiven(analysis: Analysis, { file }: StateNode): boolean {
  const { graph } = analysis;
  if (graph.entry.kind !== 'state' || graph.entry.file === file || statesOf(analysis).some((state) => state.open))
    return false;
  const ways = allEdges(graph).filter(({ to }) => to.kind === 'state' && to.file === file);
  return ways.length > 0 && ways.every((way) => !mayBring(way));
}

function mayBring({ role, mention, tag }: Edge): boolean {
  if (role === 'return' || role === 'timeout' || tag === 'ask' || tag === 'await') return true;
  // What a policy does not compare, a reply may add.
  return mention.attributes.has('input') || mention.source === 'policy' || tag.startsWith('fork');
}

function* unusedInputs(analysis: Analysis): Generator<Found> {
  for (const { role, to, mention, from } of allEdges(analysis.graph)) {
    const input = mention.attributes.get('input');
    const state = to.kind === 'state' ? analysis.graph.states.get(to.file) : undefined;
    if (role !== 'target' || input === undefined || state === undefined || state.kind === 'unreadable') continue;
    if (readsInput(state) || (state.source.kind === 'script' && state.source.script.opaque && state.open)) continue;
    yield {
      at: input.at,
      state: from,
      message: `${state.file} does not read the value that it is given`,
      fix: 'use {{input}} or RAYMOND_INPUT there, or leave input out',
    };
  }
}

/** Forms that only credentials have. */
const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an API key of Anthropic', /\bsk-ant-[A-Za-z0-9_-]{16,}/g],
  ['an API key of OpenAI', /\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b/g],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{30,})\b/g],
  ['a token of GitLab', /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ['a token of Slack', /\bxox[abprs]-[A-Za-z0-9-]{20,}/g],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['an API key of Google', /\bAIza[A-Za-z0-9_-]{35}\b/g],
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/$<{]+:[^\s:@/$<{]{4,}@[\w.-]+/g],
];

function* secrets(analysis: Analysis): Generator<Found> {
  for (const source of analysis.graph.source.files.values()) {
    const raw: PlacedText | undefined = 'raw' in source ? source.raw : undefined;
    if (raw === undefined) continue;
    const isState = analysis.graph.states.has(source.file);
    for (const [what, pattern] of SECRETS)
      for (const { at } of matches(raw, pattern))
        yield {
          at,
          message: `this looks like ${what}`,
          fix: 'take it out, make it invalid, and read it from the environment',
          ...(isState ? { state: source.file } : {}),
        };
  }
}

/** What goes from state to state. */
export const VALUE_RULES: readonly Rule[] = [
  {
    id: 'unbound-variable',
    severity: 'warning',
    says: 'A prompt uses a variable that nothing sets.',
    why: '{{input}} and {{result}} are the value that a state is given; {{workflow_id}}, {{agent_id}} and {{task_folder}} are always there. Attributes of a <fork> are variables of the first state of the new agent, and of no later one.',
    check: unbound,
  },
  {
    id: 'unused-input',
    severity: 'info',
    says: 'A value is passed to a state that does not read it.',
    why: 'The value is gone after that state.',
    check: unusedInputs,
  },
  {
    id: 'secret-in-file',
    severity: 'error',
    says: 'A file of the package holds a credential.',
    why: 'Packages are copied, sent to stores and kept with runs, and prompts are sent to a model. Whoever has seen it can use it: make it invalid, too.',
    check: secrets,
  },
];
