// An agent whose files could not be saved on a host that is silent by now.
import { describe, expect, test } from '@jest/globals';
import type { PlacementAnswer } from '../../../src/protocol/machine/workspace.js';
import { statusOf } from '../../../src/protocol/machine/status.js';
import { CONTEXT, HELD, held, NOW, ordered, received, settled, type Settled } from './holds.js';

const loss = { generation: 1, why: 'silent' } as const;
const { workspace } = HELD['files not saved'];

/** Its save after a `resume`, which nobody on the host starts. */
function asking(context = CONTEXT): Settled {
  const saving = settled(ordered(held('files not saved'), { kind: 'resume' }), context);
  expect(saving.last).toEqual({ kind: 'work', work: 'save' });
  const workEnd = { kind: 'lost', loss, costUsd: 0, activities: [] } as const;
  return settled(received(saving.agent, { workEnd }), { ...context, now: NOW + 2000 });
}

const answered = ({ agent }: Settled, placement: PlacementAnswer): Settled => settled(received(agent, { placement }));

describe('an agent with the only copy of its files on a silent host', () => {
  test('asks its run, and waits for the host', () => {
    const asked = settled(asking().agent, { ...CONTEXT, now: NOW + 5000 });
    const actions = [...asking().actions, ...asked.actions];
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'ask-place', loss }));
    const { agent } = answered(asked, { kind: 'waits', host: 'a' });
    expect(statusOf(agent.record, NOW)).toMatchObject({
      kind: 'waiting',
      failure: {
        message: expect.stringMatching(
          /waits for a, the only host with the files of its last turn, .*without these with: raymond fleet move/,
        ),
      },
    });
  });

  test('saves them when the host is back', () => {
    const { last } = answered(settled(asking().agent, { ...CONTEXT, now: NOW + 5000 }), { kind: 'placed', workspace });
    expect(last).toEqual({ kind: 'work', work: 'save' });
  });

  test('continues without them on the host to which an operator moves it', () => {
    const place = { host: 'b', queue: 'q@b', generation: 2 };
    const { last, agent } = answered(settled(asking().agent, { ...CONTEXT, now: NOW + 5000 }), {
      kind: 'placed',
      workspace: { ...HELD.workspace.workspace, place },
    });
    expect(last.kind).toBe('turn');
    expect(agent.record).toMatchObject({ state: 'NEXT.sh', workspace: { place } });
    expect(agent.record.workspace?.unsaved).toBeUndefined();
  });

  test('tries to save them again every half minute, in a history from before', () => {
    const { agent } = asking({ ...CONTEXT, asksForUnsaved: false });
    expect(agent.record.hold).toMatchObject({ kind: 'retry', failure: { type: 'HostLost' }, until: NOW + 32_000 });
  });
});
