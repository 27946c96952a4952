// Which awaiting agents can continue, and what becomes of failures that they receive.
import { describe, expect, test } from '@jest/globals';
import type { AgentStatus } from '../../../src/contract/runs.js';
import { Ledger } from '../../../src/workflows/run/ledger.js';
import { ledgerOf, STATUSES, WAYS_TO_END } from './ledgers.js';

const { running, completed, paused } = STATUSES;
const { failed, lost } = WAYS_TO_END;
const forks = { after: 1, last: 3 };
const awaiting: AgentStatus = { kind: 'awaiting', forks };

function withForks(...statuses: readonly AgentStatus[]): Ledger {
  const ledger = ledgerOf({ main: running });
  statuses.forEach((status, index) => {
    const agentId = `main_w${index + 1}`;
    ledger.enter({ agentId, parent: 'main', state: 'W.sh', number: index + 1 });
    ledger.apply({ agentId, state: 'W.sh', costUsd: 0, status });
  });
  ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0, status: awaiting });
  return ledger;
}

const ready = { id: 'main', forks };

test.each([
  ['runs', running],
  ['is paused', paused],
])('nobody continues while an awaited agent %s', (_title, status) => {
  const ledger = withForks(completed, completed, status);
  expect(ledger.roster.takeReady()).toEqual([]);
  ledger.apply({ agentId: 'main_w3', state: 'W.sh', costUsd: 0, status: completed });
  expect(ledger.roster.takeReady()).toEqual([ready]);
});

test('agents forked before the last await, or afterwards, are not waited for', () => {
  expect(withForks(running, completed, completed, running).roster.takeReady()).toEqual([ready]);
});

test('however the awaited agents ended, they have ended', () => {
  const ledger = withForks(completed, completed, failed);
  expect(ledger.roster.takeReady()).toEqual([ready]);
  expect(ledger.roster.endedForks('main', forks).map(({ id }) => id)).toEqual(['main_w2', 'main_w3']);
});

test('an agent whose awaited forks were started again waits for them once more', () => {
  const ledger = withForks(completed, completed, lost);
  const line = ledger.roster.get('main_w3');
  if (line !== undefined) ledger.restart(line);
  expect(ledger.roster.takeReady()).toEqual([]);
});

test('an agent that got its results runs again, and gets them once', () => {
  const ledger = withForks(completed, completed, completed);
  ledger.deliver('main', { forks, archivedFailures: 0 });
  expect(ledger.roster.get('main')).toMatchObject({ status: running, awaited: 3 });
  expect(ledger.roster.takeReady()).toEqual([]);
});

test('an await that travels to the next history is looked at there', () => {
  const ledger = new Ledger(withForks(completed, completed, completed).snapshot());
  expect(ledger.roster.takeReady()).toEqual([ready]);
});

test('a failure that its awaiting agent received does not make the run fail, but the others do', () => {
  const ledger = withForks(failed, completed, failed);
  ledger.deliver('main', { forks, archivedFailures: 0 });
  expect(ledger.roster.get('main_w3')).toMatchObject({ status: { kind: 'failed' }, handled: true });
  expect(ledger.hasFailed).toBe(true);
  ledger.deliver('main', { forks: { after: 0, last: 1 }, archivedFailures: 0 });
  expect(ledger.hasFailed).toBe(true);
  ledger.apply({
    agentId: 'main',
    state: 'A.md',
    costUsd: 0,
    status: { kind: 'awaiting', forks: { after: 0, last: 1 } },
  });
  ledger.deliver('main', { forks: { after: 0, last: 1 }, archivedFailures: 0 });
  expect(ledger.hasFailed).toBe(false);
});

test('the same for failures that are in the archive already', () => {
  const ledger = withForks(completed, failed, lost);
  ledger.archive(ledger.roster.endedAgents() as never, 'kept');
  expect(ledger.hasFailed).toBe(true);
  ledger.deliver('main', { forks, archivedFailures: 2 });
  expect([ledger.hasFailed, new Ledger(ledger.snapshot()).hasFailed]).toEqual([false, false]);
});

describe('results that were sent just as the <await> timed out', () => {
  const ended = (awaited: number) =>
    ({ agentId: 'main', state: 'LATE.sh', costUsd: 0, status: completed, awaited }) as const;

  test('are not handled by an agent that ends without them', () => {
    const ledger = withForks(completed, failed, completed);
    ledger.deliver('main', { forks, archivedFailures: 0 });
    ledger.apply({ agentId: 'main', state: 'LATE.sh', costUsd: 0, status: running });
    expect(ledger.hasFailed).toBe(false);
    ledger.apply(ended(1));
    expect(ledger.roster.get('main_w2')).not.toHaveProperty('handled');
    expect(new Ledger(ledger.snapshot()).hasFailed).toBe(true);
  });

  test('stay handled by an agent that ends after it has used them', () => {
    const ledger = withForks(completed, failed, completed);
    ledger.deliver('main', { forks, archivedFailures: 0 });
    ledger.apply(ended(3));
    expect(ledger.hasFailed).toBe(false);
  });

  test('are delivered once more to an agent that awaits the same forks again', () => {
    const ledger = withForks(completed, failed, completed);
    ledger.deliver('main', { forks, archivedFailures: 0 });
    ledger.apply({ agentId: 'main', state: 'LATE.sh', costUsd: 0, status: running });
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0, status: awaiting });
    expect([ledger.hasFailed, ledger.roster.takeReady()]).toEqual([true, [ready]]);
    ledger.deliver('main', { forks, archivedFailures: 0 });
    ledger.apply(ended(3));
    expect(ledger.hasFailed).toBe(false);
  });

  test.each([
    ['before', 2],
    ['after', 0],
  ])('count as failures also where their lines went into the archive %s that', (when, archivedFailures) => {
    const ledger = withForks(completed, failed, lost);
    const archive = (): void => ledger.archive(ledger.roster.endedAgents() as never, 'kept');
    if (when === 'before') archive();
    ledger.deliver('main', { forks, archivedFailures });
    if (when === 'after') archive();
    expect([ledger.hasFailed, ledger.archived.failed]).toEqual([false, 0]);
    ledger.apply(ended(1));
    expect([ledger.hasFailed, ledger.archived.failed]).toEqual([true, 2]);
  });
});
