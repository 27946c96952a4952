// How long an agent waits after a failure, and when it gives up.
import { describe, expect, test } from '@jest/globals';
import type { FailureType } from '../../../src/protocol/failure.js';
import { newAgent, type Agent } from '../../../src/protocol/machine/inbox.js';
import { afterFailure } from '../../../src/protocol/machine/retry.js';
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

describe('trouble of the host', () => {
  test.each<FailureType>(['DiskTrouble', 'HostTrouble'])('%s is tried again for minutes, then pauses', (type) => {
    expect(waitsOf(type, { costUsd: 0 })).toEqual([2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
  });

  test('a prompt that was paid and cannot be kept is not paid again until there is room', () => {
    expect(waitsOf('DiskTrouble', { costUsd: 0.5 })).toEqual([]);
  });

  test('what does not pass by itself pauses at once', () => {
    expect(waitsOf('DiskTrouble', { costUsd: 0, retries: 0 })).toEqual([]);
  });
});
