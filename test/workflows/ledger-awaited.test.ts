// Which awaiting agents can go on, and with what.
import { expect, test } from '@jest/globals';
import { endAwait, readyToGather, enter, book } from '../../src/workflows/ledger.js';
import type { AgentStatus, Ledger } from '../../src/workflows/contract.js';
import { FAILURE, ledgerOf, STATUSES, WAYS_TO_END } from './ledgers.js';

const { running, completed, paused } = STATUSES;
const awaiting: AgentStatus = { kind: 'awaiting', forks: { after: 1, last: 3 } };

function withForks(...statuses: readonly AgentStatus[]): Ledger {
  return statuses.reduce(
    (ledger, status, index) => {
      const agentId = `main_w${index + 1}`;
      const entered = enter(ledger, { agentId, parent: 'main', state: 'W.sh', number: index + 1 });
      return book(entered, { agentId, state: 'W.sh', costUsd: 0, status });
    },
    ledgerOf({ main: awaiting }),
  );
}

test.each([
  ['runs', running],
  ['is paused', paused],
])('nobody goes on while an awaited agent %s', (_title, status) => {
  expect(readyToGather(withForks(completed, completed, status))).toEqual([]);
});

test('agents forked before the last await, or afterwards, are not waited for', () => {
  expect(readyToGather(withForks(running, completed, completed, running))).toHaveLength(1);
});

test('however the awaited agents ended, they have ended', () => {
  const [ready] = readyToGather(withForks(completed, completed, WAYS_TO_END.failed));
  expect(ready).toEqual({
    id: 'main',
    forks: { after: 1, last: 3 },
    ended: [
      { id: 'main_w2', parent: 'main', number: 2, state: 'W.sh', status: 'completed', result: 'done' },
      { id: 'main_w3', parent: 'main', number: 3, state: 'W.sh', status: 'failed', error: FAILURE.message },
    ],
  });
});

test('an agent that was told runs again', () => {
  const ledger = endAwait(withForks(completed, completed, completed), 'main');
  expect(ledger.agents['main']?.status).toEqual(running);
  expect(readyToGather(ledger)).toEqual([]);
});
