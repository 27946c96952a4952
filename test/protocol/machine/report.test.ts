// A report that goes with the next turn: when it does, and what follows when nobody knows whether it has arrived.
import { expect, test } from '@jest/globals';
import { newAgent } from '../../../src/protocol/machine/inbox.js';
import { AGENT, HELD, received, settled, type Settled } from './holds.js';

const done = { kind: 'transition', transition: { kind: 'goto', target: 'NEXT.sh' } } as const;

test('a turn carries the report of the one before, which is sent again unless it was delivered', () => {
  const first = settled(newAgent({ ...AGENT, owedUsd: 0.5, reports: 4 }));
  expect(first.actions.map(({ kind }) => kind)).toEqual(['turn']);
  const carried = { number: 5, state: 'WORK.sh', costUsd: 0.5 };
  expect(first.agent.record).toMatchObject({ reports: 5, carried });
  const ended = (delivered?: true): Settled => {
    const report = { outcome: done, costUsd: 0, ...(delivered && { delivered }) };
    return settled(received(first.agent, { workEnd: { kind: 'reported', report, chain: [] } }));
  };
  expect(ended(true).actions.map(({ kind }) => kind)).toEqual(['turn']);
  expect(ended().actions).toMatchObject([{ kind: 'report', ...carried }, { kind: 'turn' }]);
  expect(ended().agent.record.carried).toBeUndefined();
});

test('no turn carries the report of an agent that is paused, or one to a host that may be gone', () => {
  const { workspace } = HELD.workspace;
  for (const agent of [
    { ...AGENT, workspace },
    { ...AGENT, pausedBy: 'ann' },
  ]) {
    const { actions, agent: after } = settled(newAgent({ ...agent, owedUsd: 0.5 }));
    expect(actions[0]).toMatchObject({ kind: 'report', costUsd: 0.5 });
    expect(after.record.carried).toBeUndefined();
  }
  const { actions } = settled(newAgent({ ...AGENT, owedUsd: 0.5 }), { carriesReports: false });
  expect(actions.map(({ kind }) => kind)).toEqual(['report', 'turn']);
});

test('a wait is reported also where time passes at once: raymond test reads it', () => {
  const { actions } = settled(newAgent(HELD.delay), { skipsWaits: true });
  expect(actions).toMatchObject([{ kind: 'report', status: { kind: 'sleeping' } }, { kind: 'turn' }]);
});
