// What a sandbox refused: remembered until the agent's next prompt is recorded, and never too much of it.
import { expect, test } from '@jest/globals';
import type { AgentState } from '../../../src/protocol/machine/agent.js';
import { newAgent } from '../../../src/protocol/machine/inbox.js';
import { afterWork } from '../../../src/protocol/machine/turn-end.js';
import { deniedText } from '../../../src/protocol/language/reminder.js';
import { AGENT, NOW } from './holds.js';

/** The agent after a turn that was refused something. */
function after(record: AgentState, denied?: readonly string[]): AgentState {
  const outcome = { kind: 'transition', transition: { kind: 'goto', target: 'NEXT.sh' } } as const;
  const report = { outcome, costUsd: 0, ...(denied === undefined ? {} : { denied }) };
  const agent = { ...newAgent(record), memory: { ...newAgent(record).memory, work: 'turn' } } as const;
  return afterWork(agent, { kind: 'reported', report, chain: [] }, { now: NOW }).record;
}

test('refusals of scripts add up until the next prompt, which keeps only its own', () => {
  const once = after(AGENT, ['network: a', 'network: b']);
  expect(once.denied).toEqual(['network: a', 'network: b']);
  expect(after(once, ['network: b', 'network: c']).denied).toEqual(['network: a', 'network: b', 'network: c']);
  expect(after(once).denied).toEqual(['network: a', 'network: b']);
  expect(after({ ...once, state: 'ASK.md' }, ['network: d']).denied).toEqual(['network: d']);
  expect(after({ ...once, state: 'ASK.md' })).not.toHaveProperty('denied');
});

test('the record of an agent holds 20 refusals at most', () => {
  const many = Array.from({ length: 30 }, (_, index) => `network: ${index}`);
  expect(after(AGENT, many).denied).toEqual(many.slice(10));
});

test('the prompt gets one line', () => {
  expect(deniedText([])).toBe('');
  expect(deniedText(['network: a', 'write: b'])).toMatch(
    /^The sandbox refused: network: a; write: b\. It .*\n\n---\n\n$/,
  );
});
