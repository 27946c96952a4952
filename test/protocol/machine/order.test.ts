// What orders leave in the record of an agent, whatever holds it: notes for its next prompt, and the pause of what it forks.
import { describe, expect, test } from '@jest/globals';
import { newAgent, type Agent } from '../../../src/protocol/machine/inbox.js';
import { HELD, HOLD_NAMES, NOTE, PAUSE, WITHDRAW, held, ordered, settled } from './holds.js';

describe.each(HOLD_NAMES)('an agent that is held by %s', (name) => {
  const fresh = (): Agent => (name === 'nothing' || name === 'pending-transition' ? newAgent(HELD[name]) : held(name));

  test('keeps what an operator wrote for its next prompt until it is withdrawn', () => {
    const { agent } = settled(ordered(fresh(), NOTE));
    expect(agent.record.operatorNotes).toEqual([{ text: 'hello', by: 'bob' }]);
    expect(settled(ordered(agent, WITHDRAW)).agent.record.operatorNotes).toBeUndefined();
  });

  test('starts the agents that it forks paused, after it alone continued, until all are resumed', () => {
    const { agent } = settled(ordered(fresh(), PAUSE));
    const alone = settled(ordered(agent, { kind: 'resume', by: 'ann' })).agent;
    expect(alone.record).toMatchObject({ forksPausedBy: 'bob' });
    expect(alone.record.pausedBy).toBeUndefined();
    expect(settled(ordered(alone, { kind: 'resume' })).agent.record.forksPausedBy).toBeUndefined();
  });
});
