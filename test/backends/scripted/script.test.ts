// Which reply a script gives to whom.
import { describe, expect, test } from '@jest/globals';
import { choose, parseSelector, type Script, type ScriptedReply } from '../../../src/backends/scripted/script.js';

const says = (text: string): ScriptedReply => ({ says: text, costUsd: 0, writes: {}, removes: [], denied: [] });

function script(states: Readonly<Record<string, readonly string[]>>, exact = false): Script {
  const entries = Object.entries(states);
  return {
    exact,
    states: entries.map(([key, texts]) => ({ selector: parseSelector(key)!, replies: texts.map(says) })),
  };
}

function asked(
  given: Script,
  who: { state: string; agentId?: string; attributes?: Record<string, string> },
  number = 1,
) {
  const asker = { runId: 'r', agentId: 'main', attributes: {}, ...who };
  const chosen = choose(given, { asker, number, prompt: 'Draft the letter.\nSTOP.' });
  return chosen.kind === 'reply' ? chosen.reply.says : chosen.message;
}

describe('a selector', () => {
  test.each([
    ['PLAN', { state: 'PLAN', attributes: {} }],
    ['PLAN.md#2', { state: 'PLAN.md', attributes: {}, number: 2 }],
    ['main_worker1/WORKER', { state: 'WORKER', agentId: 'main_worker1', attributes: {} }],
    ['WORKER[item=a b, out=1.md]#3', { state: 'WORKER', attributes: { item: 'a b', out: '1.md' }, number: 3 }],
  ])('%s is read', (text, selector) => {
    expect(parseSelector(text)).toEqual(selector);
  });

  test.each(['', 'A/B/C', 'A#0', 'A[b]', 'A[b=1'])('%j is none', (text) => {
    expect(parseSelector(text)).toBeUndefined();
  });
});

describe('a script', () => {
  test('answers prompt after prompt, and the last reply repeats', () => {
    const given = script({ REVIEW: ['one', 'two'] });
    expect([1, 2, 3].map((number) => asked(given, { state: 'REVIEW.md' }, number))).toEqual(['one', 'two', 'two']);
  });

  test('prefers an agent to an attribute, and an attribute to none', () => {
    const given = script({ W: ['any'], 'W[item=a]': ['a'], 'main_w2/W': ['second'] });
    expect(asked(given, { state: 'W.md', agentId: 'main_w1', attributes: { item: 'b' } })).toBe('any');
    expect(asked(given, { state: 'W.md', agentId: 'main_w1', attributes: { item: 'a' } })).toBe('a');
    expect(asked(given, { state: 'W.md', agentId: 'main_w2', attributes: { item: 'a' } })).toBe('second');
  });

  test('that is exact says which reply was asked for once more, with the prompt', () => {
    const given = script({ DRAFT: ['one', 'two'] }, true);
    expect(asked(given, { state: 'DRAFT.md' }, 3)).toBe(
      'no reply for prompt 3 of DRAFT; the test has 2\n  | Draft the letter.\n  | STOP.',
    );
  });

  test('without the state names the nearest that it has', () => {
    const given = script({ DRAFTS: ['one'], PLAN: ['two'] });
    expect(asked(given, { state: 'DRAFT.md' })).toContain('no reply for DRAFT; did you mean DRAFTS?');
    expect(asked(given, { state: 'X.md', agentId: 'main_x1' })).toContain(
      'no reply for main_x1/X; the test has replies for: DRAFTS, PLAN',
    );
  });
});
