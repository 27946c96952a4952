// The replies of a scripted backend: by state, chosen by agent and the number of the prompt. Pure; the caller brings the scripts.
import type { FailureType } from '../../protocol/failure.js';
import { stem } from '../../protocol/ids.js';
import { nearest } from '../../protocol/text.js';
import type { Asker } from '../backend.js';

/** The failures that a reply can simulate, by their names in scripts. */
export const SCRIPTED_FAILURES = {
  'usage-limit': 'UsageLimit',
  'rate-limit': 'RateLimited',
  'api-trouble': 'ApiTrouble',
  login: 'NeedsPerson',
  refused: 'ClaudeRefused',
  'over-budget': 'OverBudget',
  crash: 'ClaudeFailed',
  timeout: 'ClaudeFailed',
} as const satisfies Record<string, FailureType>;

/** One of their names. */
export type ScriptedFailure = keyof typeof SCRIPTED_FAILURES;

/** One reply. Texts, and the names and contents of files, may use the fork attributes of the agent as `{{name}}`. */
export interface ScriptedReply {
  readonly says: string;
  readonly costUsd: number;
  /** Files that the agent writes, by path in its directory. */
  readonly writes: Readonly<Record<string, string>>;
  /** Files that the agent removes. */
  readonly removes: readonly string[];
  /** Tools that the agent was denied. */
  readonly denied: readonly string[];
  readonly fails?: ScriptedFailure;
  /** When the limit ends, in milliseconds from the reply. */
  readonly resetsInMs?: number;
}

/**
 * The turns that a selector matches: those of a state, of one agent or of agents with fork attributes, the `number`th
 * of them.
 */
export interface Selector {
  readonly state: string;
  readonly agentId?: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly number?: number;
}

/** The replies to the turns of a selector, in order; the last one repeats. */
export interface ScriptedState {
  readonly selector: Selector;
  readonly replies: readonly ScriptedReply[];
}

/** The answers of one run. */
export interface Script {
  readonly states: readonly ScriptedState[];
  /** Whether each reply is used once: a further prompt fails. */
  readonly exact: boolean;
}

/** The form of selectors. */
export const SELECTOR_FORM =
  'STATE, AGENT/STATE or STATE[attribute=value], with #2 appended for the second prompt in it';

/** Parses `main_worker1/WORKER[item=a]#2`; undefined for other text. */
export function parseSelector(text: string): Selector | undefined {
  const match = /^(?:([\w.-]+)\/)?([^/[\]#]+?)(?:\[([^\]]*)\])?(?:#([1-9]\d*))?$/.exec(text.trim());
  const [, agentId, state, pairs = '', number] = match ?? [];
  if (state === undefined) return undefined;
  const attributes = pairs.split(',').filter((pair) => pair.trim() !== '');
  if (attributes.some((pair) => !pair.includes('='))) return undefined;
  return {
    state: state.trim(),
    attributes: Object.fromEntries(attributes.map((pair) => halves(pair))),
    ...(agentId === undefined ? {} : { agentId }),
    ...(number === undefined ? {} : { number: Number(number) }),
  };
}

function halves(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

/** Whether a selector matches this prompt; the caller counts. */
export function selects(selector: Selector, { state, agentId, attributes }: Omit<Asker, 'runId'>): boolean {
  if (selector.agentId !== undefined && selector.agentId !== agentId) return false;
  if (!isSameState(selector.state, state)) return false;
  return Object.entries(selector.attributes).every(([name, value]) => attributes[name] === value);
}

/** True for a state's file name, and for it without its extension. */
export function isSameState(name: string, file: string): boolean {
  return name === file || name === stem(file);
}

/** A prompt that needs a reply: the `number`th of the agent in that state. */
export interface Question {
  readonly asker: Asker;
  readonly number: number;
  readonly prompt: string;
}

/** A reply, or why there is none. */
export type Chosen =
  { readonly kind: 'reply'; readonly reply: ScriptedReply } | { readonly kind: 'unscripted'; readonly message: string };

/** Chooses the reply; of several matching selectors the narrowest counts. */
export function choose(script: Script, question: Question): Chosen {
  const { asker, number } = question;
  const fitting = script.states.filter(({ selector }) => selects(selector, asker));
  const found = fitting.toSorted((one, other) => narrowness(other.selector) - narrowness(one.selector))[0];
  const replies = found?.replies ?? [];
  const reply = replies[number - 1] ?? (script.exact ? undefined : replies.at(-1));
  if (reply !== undefined) return { kind: 'reply', reply };
  return { kind: 'unscripted', message: unscripted(script, question, replies.length) };
}

function narrowness({ agentId, attributes }: Selector): number {
  return (agentId === undefined ? 0 : 1000) + Object.keys(attributes).length;
}

/** How many characters of a prompt a message quotes. */
const QUOTED = 1200;

function unscripted({ states }: Script, { asker, number, prompt }: Question, scripted: number): string {
  const { state, agentId } = asker;
  const who = agentId === 'main' ? stem(state) : `${agentId}/${stem(state)}`;
  const known = states.map(({ selector }) => selector.state);
  const near = nearest(stem(state), known);
  const hint =
    near === undefined ? `the test has replies for: ${known.join(', ') || 'no state'}` : `did you mean ${near}?`;
  const missing =
    scripted > 0 ? `no reply for prompt ${number} of ${who}; the test has ${scripted}` : `no reply for ${who}; ${hint}`;
  const text = prompt.trim();
  const quoted = text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}…`;
  const lines = quoted.split('\n').map((line) => `  | ${line}`);
  return `${missing}\n${lines.join('\n')}`;
}
