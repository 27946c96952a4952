// How long an agent waits after a failure, and when it gives up.
import { describe, expect, test } from '@jest/globals';
import type { FailureType } from '../../../src/protocol/failure.js';
import { newAgent, type Agent } from '../../../src/protocol/machine/inbox.js';
import type { Workspace } from '../../../src/protocol/machine/agent.js';
import { afterFailure } from '../../../src/protocol/machine/retry.js';
import type { WorkFailure } from '../../../src/protocol/machine/work-end.js';
import { AGENT, NOW } from './holds.js';

/** The waits of an agent in seconds that fails so again and again, until a person must resume it. */
function waitsOf(type: FailureType, more: { readonly costUsd: number; readonly retries?: number }): readonly number[] {
  let agent: Agent = newAgent(AGENT);
  for (const waits: number[] = []; ;) {
    agent = afterFailure(agent, { type, message: 'x', ...more }, { work: 'turn', now: NOW });
    const { hold } = agent.record;
    if (hold?.kind !== 'retry' || hold.until === undefined) return waits;
    waits.push((hold.until - NOW) / 1000);
  }
}

/** How often an agent with a workspace of its own fails so on a host, and moves, before it pauses. */
function movesOf(
  failed: Omit<WorkFailure, 'message'>,
  more: Partial<Workspace> = {},
): { readonly retries: number; readonly moves: number } {
  const workspace = { owner: 'main', path: '/ws/r/main', place: { host: 'a', queue: 'q@a', generation: 1 }, ...more };
  let agent: Agent = newAgent({ ...AGENT, workspace });
  for (let [retries, moves] = [0, 0]; ;) {
    agent = afterFailure(agent, { ...failed, message: 'x' }, { work: 'turn', now: NOW, movesFromTrouble: true });
    const { hold } = agent.record;
    if (hold?.kind === 'workspace') moves += 1;
    else if (hold?.kind === 'retry' && hold.until !== undefined) retries += 1;
    else return { retries, moves };
  }
}

describe('trouble of the host', () => {
  test.each<FailureType>(['DiskTrouble', 'HostTrouble'])('%s is tried again for minutes, then pauses', (type) => {
    expect(waitsOf(type, { costUsd: 0 })).toEqual([2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
  });

  test('a prompt that was paid and cannot be kept is not paid again until there is room', () => {
    expect(waitsOf('DiskTrouble', { costUsd: 0.5 })).toEqual([]);
  });

  test.each<FailureType>(['DiskTrouble', 'HostTrouble'])(
    '%s makes a workspace move after minutes, up to three times, where that is wanted',
    (type) => {
      expect(movesOf({ type, costUsd: 0 })).toEqual({ retries: 10, moves: 3 });
    },
  );

  test.each([
    ['was paid for', { type: 'DiskTrouble', costUsd: 0.5 }, 0],
    ['does not pass by itself', { type: 'DiskTrouble', costUsd: 0, retries: 0 }, 0],
    ['is not trouble of the host', { type: 'ClaudeFailed', costUsd: 0 }, 2],
  ] as const)('a workspace does not move for a failure that %s', (_what, failed, retries) => {
    expect(movesOf(failed)).toEqual({ retries, moves: 0 });
  });

  test('files that could not be saved keep their workspace on its host', () => {
    const unsaved = { type: 'DiskTrouble', message: 'full' } as const;
    expect(movesOf({ type: 'DiskTrouble', costUsd: 0 }, { unsaved })).toEqual({ retries: 10, moves: 0 });
  });

  test('what does not pass by itself pauses at once', () => {
    expect(waitsOf('DiskTrouble', { costUsd: 0, retries: 0 })).toEqual([]);
  });
});
