// Compares the run of a case with what the case expects; every difference is a line for people. It reads the files of
// the run and changes nothing.
import { isSameState, selects, type Selector } from '../backends/scripted/script.js';
import type { ScriptedCall } from '../backends/scripted/backend.js';
import { MAIN_AGENT, stem } from '../protocol/ids.js';
import type { ArtifactStore } from '../store/store.js';
import { meant, selectorOf, type TestCase } from './case-file.js';
import type { Expected } from './case-schema.js';
import type { CaseRecord } from './case-run.js';
import { commandsOf, filesOf, textDifferences, type Difference } from './differences.js';

/** Replies and answers that only this case has and that nothing asked for. */
export function unusedReplies({ ownReplies }: TestCase, { calls, asked }: CaseRecord): readonly Difference[] {
  return ownReplies.flatMap(({ kind, name, selector, count }) => {
    const numbers =
      kind === 'claude'
        ? calls.filter(({ asker }) => selects(selector, asker)).map(({ number }) => number)
        : asked
            .filter((one) => selects(selector, { ...one, attributes: selector.attributes }))
            .map((_one, index) => index + 1);
    const used = Math.max(0, ...numbers);
    if (used >= count) return [];
    const states =
      kind === 'claude' ? calls.map(({ asker }) => stem(asker.state)) : asked.map((one) => stem(one.state));
    const what = kind === 'claude' ? 'no prompt asked for this reply' : 'no question asked for this answer';
    const text = used === 0 ? `${what}${meant(name, states)}` : `${used} of its ${count} texts were used`;
    return [{ key: `${kind}.${name}`, text }];
  });
}

/** States that changed after the case was recorded. */
export function changedStates(hashes: TestCase['hashes'], { turns }: CaseRecord): readonly Difference[] {
  return Object.entries(hashes).flatMap(([name, hash]) => {
    const now = turns.find(({ state }) => isSameState(name, state))?.stateSha256;
    if (now === undefined || now.startsWith(hash)) return [];
    return [
      {
        key: `hashes.${name}`,
        text: `${name} has changed since this was recorded; check that the replies still fit, then run: raymond test --update`,
      },
    ];
  });
}

/** A record with what its comparison needs. */
interface Compared {
  readonly record: CaseRecord;
  readonly artifacts: ArtifactStore;
}

/** Compares; an absent `status` means `completed`. Returns nothing for a run that is as expected. */
export async function compare(expected: Expected, compared: Compared): Promise<readonly Difference[]> {
  const { record } = compared;
  if (record.stopped !== undefined) return [{ key: 'status', text: record.stopped }];
  const unscripted = record.calls.flatMap(({ unscripted: text }) =>
    text === undefined ? [] : [{ key: 'claude', text }],
  );
  if (unscripted.length > 0) return unscripted;
  const wanted = filled(expected, record.runId);
  const found: Difference[] = [
    ...statusOf(wanted, record),
    ...pathOf(wanted, record),
    ...costOf(wanted, record),
    ...sessionsOf(wanted, record),
    ...promptsOf(wanted, record),
    ...waitedOf(wanted, record),
    ...asksOf(wanted, record),
    ...textDifferences('prints', wanted.prints, record.prints.join('\n')),
    ...textDifferences('warnings', wanted.warnings, record.warnings.join('\n')),
  ];
  return [
    ...found,
    ...(await resultsOf(wanted, compared)),
    ...(await filesOf(wanted, record)),
    ...(await commandsOf(wanted, record)),
  ];
}

/** `{{workflow_id}}` in an expected text is the id of the run. */
function filled(expected: Expected, runId: string): Expected {
  return JSON.parse(JSON.stringify(expected).replaceAll(/\{\{\s*workflow_id\s*\}\}/g, runId)) as Expected;
}

function statusOf({ status = 'completed' }: Expected, { view }: CaseRecord): readonly Difference[] {
  if (view.status === status) return [];
  const errors = view.agents.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const asks = view.agents.flatMap(({ id, state, ask }) =>
    ask === undefined ? [] : [`${id} asks a question in ${state}, but the test has no answer for it`],
  );
  return [{ key: 'status', text: [`expected ${status}, got ${view.status}`, ...errors, ...asks].join('\n') }];
}

/** The states that an agent visited, each visit once: reminders and retries of the same turn do not count. */
export function visitsOf({ turns }: Pick<CaseRecord, 'turns'>, agentId: string): readonly string[] {
  const own = turns.filter((turn) => turn.agentId === agentId && turn.reminder === undefined);
  return own.filter(({ number }, index) => own[index - 1]?.number !== number).map(({ state }) => state);
}

function pathOf({ path }: Expected, record: CaseRecord): readonly Difference[] {
  if (path === undefined) return [];
  const wanted: Readonly<Record<string, readonly string[]>> = Array.isArray(path) ? { [MAIN_AGENT]: path } : path;
  return Object.entries(wanted).flatMap(([agentId, states]) => {
    const seen = visitsOf(record, agentId);
    if (seen.length === states.length && states.every((name, index) => isSameState(name, seen[index] ?? ''))) return [];
    const key = Array.isArray(path) ? 'path' : `path.${agentId}`;
    return [{ key, text: `expected ${states.join(' → ')}\nactual:  ${seen.map(stem).join(' → ') || '(no turn)'}` }];
  });
}

/** Sums of binary fractions are not exact. */
const CENT_FRACTION = 1e-6;

function costOf({ cost }: Expected, { view: { costUsd } }: CaseRecord): readonly Difference[] {
  if (cost === undefined) return [];
  const { operator, amount } = cost;
  const more = costUsd - amount;
  const equal = Math.abs(more) < CENT_FRACTION;
  const holds = {
    '=': equal,
    '<=': equal || more < 0,
    '>=': equal || more > 0,
    '<': !equal && more < 0,
    '>': !equal && more > 0,
  };
  if (holds[operator]) return [];
  return [{ key: 'cost', text: `expected ${operator === '=' ? '' : `${operator} `}${amount}, got ${costUsd}` }];
}

async function resultsOf(
  { result, error, agents = {} }: Expected,
  { record, artifacts }: Compared,
): Promise<readonly Difference[]> {
  const { view } = record;
  const textOf = async (value: (typeof view)['result']): Promise<string> =>
    value === undefined ? '' : await artifacts.text(value);
  const found: Difference[] = [
    ...textDifferences('result', result, await textOf(view.result)),
    ...textDifferences('error', error, view.agents.flatMap((line) => line.error ?? []).join('\n')),
  ];
  for (const [id, wanted] of Object.entries(agents)) {
    const line = view.agents.find((one) => one.id === id);
    const key = `agents.${id}`;
    if (line === undefined)
      found.push({
        key,
        text: `there is no such agent; the agents are ${view.agents.map((one) => one.id).join(', ')}`,
      });
    else {
      if (wanted.status !== undefined && wanted.status !== line.status)
        found.push({ key: `${key}.status`, text: `expected ${wanted.status}, got ${line.status}` });
      found.push(...textDifferences(`${key}.result`, wanted.result, await textOf(line.result)));
    }
  }
  return found;
}

/** The prompts that a selector matches. */
function meantBy(selector: Selector, { calls }: CaseRecord): readonly ScriptedCall[] {
  return calls.filter(({ asker, number }) => selects(selector, asker) && (selector.number ?? number) === number);
}

/** The prompts that a key of `prompts` means. */
export function promptsOfKey(name: string, record: CaseRecord): readonly string[] {
  return meantBy(selectorOf(name), record).map(({ prompt }) => prompt);
}

function promptsOf({ prompts = {} }: Expected, record: CaseRecord): readonly Difference[] {
  return Object.entries(prompts).flatMap(([name, { model, effort, ...check }]) => {
    const calls = meantBy(selectorOf(name), record);
    const key = `prompts.${name}`;
    if (calls.length === 0) return [{ key, text: 'this prompt never ran' }];
    return calls.flatMap((call) => [
      ...textDifferences(key, check, call.prompt),
      ...sameWord(`${key}.model`, model, call.model),
      ...sameWord(`${key}.effort`, effort, call.effort),
    ]);
  });
}

function sameWord(key: string, expected: string | undefined, seen: string | undefined): readonly Difference[] {
  return expected === undefined || expected === seen
    ? []
    : [{ key, text: `expected ${expected}, got ${seen ?? 'none'}` }];
}

function sessionsOf({ sessions = {} }: Expected, record: CaseRecord): readonly Difference[] {
  return Object.entries(sessions).flatMap(([name, wanted]) => {
    const key = `sessions.${name}`;
    const calls = meantBy(selectorOf(name), record);
    if (calls.length === 0) return [{ key, text: 'this prompt never ran' }];
    const parent = /^continues\s+(\S.*)$/.exec(wanted.trim())?.[1];
    if (parent === undefined && wanted.trim() !== 'fresh')
      return [{ key, text: `expected "fresh" or "continues STATE#2", got "${wanted}"` }];
    const allowed: readonly (string | undefined)[] =
      parent === undefined ? [undefined] : meantBy(selectorOf(parent), record).map(({ sessionId }) => sessionId);
    return calls
      .filter(({ continues }) => !allowed.includes(continues))
      .map((call) => ({ key, text: `expected ${wanted}, but the conversation ${origin(call, record)}` }));
  });
}

function origin({ continues }: ScriptedCall, { calls }: CaseRecord): string {
  const parent = calls.find(({ sessionId }) => sessionId === continues);
  return parent === undefined ? 'was new' : `continues ${nameOf(parent)}`;
}

function nameOf({ asker: { agentId, state }, number }: ScriptedCall): string {
  return `${agentId === MAIN_AGENT ? '' : `${agentId}/`}${stem(state)}#${number}`;
}

function waitedOf({ waited = {} }: Expected, { waits }: CaseRecord): readonly Difference[] {
  return Object.entries(waited).flatMap(([name, seconds]) => {
    const selector = selectorOf(name);
    const own = waits.filter((wait) => selects(selector, { ...wait, attributes: selector.attributes }));
    const sum = own.reduce((total, wait) => total + wait.seconds, 0);
    // The time is rounded to seconds and comes from two clocks.
    if (Math.abs(sum - seconds) <= Math.max(own.length, seconds * 0.001)) return [];
    return [{ key: `waited.${name}`, text: `expected ${inUnits(seconds)}, the run would have waited ${inUnits(sum)}` }];
  });
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** A duration as test files write it: in the largest unit in which it is a whole number. */
export function inUnits(seconds: number): string {
  const [unit, size] = UNITS.find(([, of]) => seconds > 0 && seconds % of === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

function asksOf({ asks = {} }: Expected, { asked }: CaseRecord): readonly Difference[] {
  return Object.entries(asks).flatMap(([name, check]) => {
    const selector = selectorOf(name);
    const own = asked.filter((one) => selects(selector, { ...one, attributes: selector.attributes }));
    const meant = selector.number === undefined ? own : own.slice(selector.number - 1, selector.number);
    if (meant.length === 0) return [{ key: `asks.${name}`, text: 'this state asked no question' }];
    return meant.flatMap(({ prompt }) => textDifferences(`asks.${name}`, check, prompt));
  });
}
