// An agent whose workspace is on a host that has had no room for its turn for minutes.
import { describe, expect, test } from '@jest/globals';
import { newAgent } from '../../../src/protocol/machine/inbox.js';
import { statusOf } from '../../../src/protocol/machine/status.js';
import { HELD, NOW, ordered, received, settled } from './holds.js';

describe('a workspace on a host without room', () => {
  const failure = { type: 'DiskTrouble', message: 'the disk is full' } as const;
  const loss = { generation: 1, why: 'trouble', failure } as const;
  const leaving = settled(
    newAgent({
      ...HELD.workspace,
      hold: { kind: 'workspace', until: NOW, failure, loss },
      nextTurn: { tries: { DiskTrouble: 11 } },
    }),
  );

  test('moves: its agent shows why, and has its turn where the workspace is then', () => {
    expect(leaving.actions).toContainEqual(expect.objectContaining({ kind: 'ask-place', loss }));
    expect(statusOf(leaving.agent.record, NOW)).toMatchObject({ kind: 'waiting', failure });
    const workspace = { ...HELD.workspace.workspace, place: { host: 'b', queue: 'q@b', generation: 2 } };
    const moved = received(leaving.agent, { placement: { kind: 'placed', workspace } });
    expect(settled(moved)).toMatchObject({ last: { kind: 'turn' }, agent: { record: { workspace } } });
  });

  test('stays where no other host takes it: its agent pauses, and continues there when it is resumed', () => {
    const refused = { type: 'HostTrouble', message: 'no other host has taken the workspace of main' } as const;
    const paused = settled(received(leaving.agent, { placement: { kind: 'failed', failure: refused } })).agent;
    expect(statusOf(paused.record, NOW)).toEqual({
      kind: 'paused',
      failure: { type: 'DiskTrouble', message: `the disk is full; ${refused.message}` },
    });
    const { last, agent } = settled(ordered(paused, { kind: 'resume' }));
    expect(last.kind).toBe('turn');
    expect(agent.record.workspace).toEqual(HELD.workspace.workspace);
  });
});
