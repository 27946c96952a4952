// Waits between two states: how they begin, how they end, and which answers are refused.
import { describe, expect, test } from '@jest/globals';
import type { AgentState, Ask } from '../../../src/protocol/machine/agent.js';
import { newAgent } from '../../../src/protocol/machine/inbox.js';
import { afterFailure } from '../../../src/protocol/machine/retry.js';
import { statusOf } from '../../../src/protocol/machine/status.js';
import {
  afterAnswer,
  beginWait,
  afterAwait,
  afterLateForks,
  reopenAsk,
  answerProblem,
  afterDelay,
  afterTimeout,
  waitOf,
} from '../../../src/protocol/machine/wait.js';
import { agentState } from '../../workflows/run/ledgers.js';

const ASK: Ask = { id: 'ask_main_3', prompt: 'Which?', next: 'NEXT.md', until: 5000, timeoutNext: 'LATE.md' };
const asking: AgentState = { ...agentState('main'), turn: 3, hold: { kind: 'ask', ...ASK } };
const answer = { askId: ASK.id, text: 'this one', files: [] };

test('a question is numbered by its turn, and its time is absolute from its beginning', () => {
  const { id: _id, until: _until, ...question } = ASK;
  const wait = waitOf(asking, { kind: 'ask', ...question, timeoutMs: 4000 });
  expect(beginWait(wait, 1000)).toEqual({ kind: 'ask', ...ASK, askedAt: 1000 });
});

test('a delay ends at a fixed time; a wait for forked agents has none', () => {
  expect(beginWait({ kind: 'delay', ms: 500 }, 1000)).toEqual({ kind: 'delay', until: 1500 });
  expect(beginWait({ kind: 'await', next: 'A.md' }, 1000)).toEqual({ kind: 'await', next: 'A.md' });
  expect(afterDelay({ ...agentState('main'), hold: { kind: 'delay', until: 1 } })).toEqual(agentState('main'));
});

test('an answer leads to next with the text as its value', () => {
  const files = [{ name: 'report', bytes: 3, type: 'text/plain', sha256: 'ab' }];
  expect(afterAnswer(asking, { ask: ASK, answer: { ...answer, files } })).toEqual({
    ...agentState('main'),
    turn: 3,
    state: 'NEXT.md',
    via: 'ask',
    pending: {
      value: 'this one',
      returning: false,
      askId: ASK.id,
      files: [{ name: 'report', sha256: 'ab' }],
      answered: { ask: ASK, state: asking.state },
    },
    asks: [{ id: ASK.id, how: 'answered' }],
  });
});

describe('an answer that cannot be used', () => {
  const files = [{ name: 'report', bytes: 3, type: 'text/plain', sha256: 'ab' }];
  const answered = afterAnswer(asking, { ask: ASK, answer: { ...answer, files } });
  const { until, ...untimed } = ASK;

  test.each([
    ['for the rest of its time', 4000, { until }],
    ['without a time limit when that is over', 6000, {}],
  ])('opens its question again, %s', (_how, now, time) => {
    const again = reopenAsk(answered, { why: 'no room', now });
    expect(again).toEqual({
      ...asking,
      via: 'ask',
      asks: [],
      hold: { kind: 'ask', ...untimed, ...time, unusable: { answers: 1, why: 'no room' } },
    });
    expect(answerProblem(again!, answer)).toBeUndefined();
  });

  test('of a failed turn asks again, where another failure fails the agent', () => {
    const failed = { message: 'no room', costUsd: 0 };
    const patience = { now: 4000, work: 'turn' } as const;
    const after = afterFailure(newAgent(answered), { ...failed, type: 'AnswerUnusable' }, patience);
    expect(after.record.hold).toMatchObject({ kind: 'ask', id: ASK.id, unusable: { answers: 1, why: 'no room' } });
    expect(statusOf(after.record, 0)).toMatchObject({
      kind: 'asking',
      ask: { id: ASK.id, unusable: { answers: 1, why: 'no room' } },
    });
    expect(afterFailure(newAgent(answered), { ...failed, type: 'ScriptFailed' }, patience).memory.ending).toBeDefined();
    const without = { ...answered, pending: { value: 'x', returning: false } };
    expect(
      afterFailure(newAgent(without), { ...failed, type: 'AnswerUnusable' }, patience).memory.ending,
    ).toBeDefined();
  });
});

test('without an answer in time the agent goes to timeout_next with no value, or nowhere', () => {
  expect(afterTimeout(asking, ASK)).toEqual({
    ...agentState('main'),
    turn: 3,
    state: 'LATE.md',
    via: 'ask, no answer',
    asks: [{ id: ASK.id, how: 'timed out' }],
  });
  const { timeoutNext: _none, ...open } = ASK;
  expect(afterTimeout(asking, open)).toBeUndefined();
});

test('a time limit of an await counts from its beginning', () => {
  const wait = { kind: 'await', next: 'A.md', timeoutMs: 500, timeoutNext: 'B.md' } as const;
  expect(beginWait(wait, 1000)).toEqual({ kind: 'await', next: 'A.md', timeoutNext: 'B.md', until: 1500 });
});

test('forked agents that are late are still to be awaited', () => {
  const hold = { kind: 'await', next: 'A.md', until: 1500, timeoutNext: 'B.md' } as const;
  const agent: AgentState = { ...agentState('main'), forks: 4, awaited: 2, hold };
  expect(afterLateForks(agent, hold)).toEqual({
    ...agentState('main'),
    forks: 4,
    awaited: 2,
    state: 'B.md',
    via: 'await, too late',
  });
  expect(afterLateForks(agent, { kind: 'await', next: 'A.md', until: 1500 })).toBeUndefined();
});

test('results of forked agents are awaited once', () => {
  const agent: AgentState = { ...agentState('main'), forks: 4, hold: { kind: 'await', next: 'SUM.md' } };
  expect(afterAwait(agent, { next: 'SUM.md', results: '[]' })).toEqual({
    ...agentState('main'),
    forks: 4,
    awaited: 4,
    state: 'SUM.md',
    via: 'await',
    pending: { value: '[]', returning: false },
  });
});

test('only the latest settled questions are remembered', () => {
  const many = Array.from({ length: 25 }, (_, n) => n).reduce<AgentState>(
    (agent, n) => afterAnswer(agent, { ask: { ...ASK, id: `ask_main_${n}` }, answer }),
    asking,
  );
  expect(many.asks).toHaveLength(20);
  expect(many.asks?.at(-1)).toEqual({ id: 'ask_main_24', how: 'answered' });
});

describe('an answer', () => {
  const after = afterAnswer(asking, { ask: ASK, answer });
  const late = afterTimeout(asking, ASK) ?? asking;
  test.each<[string, AgentState, object, string | undefined]>([
    ['to the open question is taken', asking, answer, undefined],
    ['to another question', asking, { ...answer, askId: 'ask_main_1' }, 'its open question is ask_main_3'],
    ['that comes twice', after, answer, 'has been answered already'],
    ['that comes late', late, answer, 'ask_main_3 expired before this answer arrived'],
    ['to an agent that asks nothing', agentState('main'), answer, 'no open question ask_main_3'],
    [
      'with files that nobody asked for',
      asking,
      { ...answer, files: [{ name: 'a', bytes: 1, type: 'x/y' }] },
      'no files',
    ],
  ])('%s', (...[, agent, given, refusal]) => {
    const said = answerProblem(agent, given as typeof answer);
    if (refusal === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(refusal);
  });
});
