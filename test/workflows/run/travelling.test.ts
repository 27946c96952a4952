// What was ordered and is not done yet travels with the ledger: no order is lost when a run continues as new.
import { describe, expect, test } from '@jest/globals';
import type { RunInput } from '../../../src/contract/runs.js';
import { Retries } from '../../../src/workflows/run/retries.js';
import { Placements } from '../../../src/workflows/run/placements.js';
import { Restarts } from '../../../src/workflows/run/restarts.js';
import { ledgerOf, runInput, STATUSES, WAYS_TO_END } from './ledgers.js';

const ledger = ledgerOf({ main: STATUSES.running, main_a1: WAYS_TO_END.failed });
const snapshot = ledger.snapshot();

describe('agents that shall continue', () => {
  const restarts = (input: Pick<RunInput, 'ledger' | 'restart' | 'only'>): Restarts =>
    new Restarts(
      { ledger, retries: new Retries(() => false), input: () => runInput({}), onEntered: () => ({}) },
      input,
    );
  const revival = { agentId: 'main_a1', by: 'ann' };

  test('one by one', () => {
    const before = restarts({});
    expect([before.isPending, before.snapshot()]).toEqual([false, {}]);
    before.revive(revival);
    const after = restarts({ ledger: { ...snapshot, ...before.snapshot() } });
    expect([after.isPending, after.snapshot()]).toEqual([true, { revivals: [revival] }]);
  });

  test('all of them', () => {
    const before = restarts({});
    before.reopen();
    const after = restarts({ ledger: { ...snapshot, ...before.snapshot() } });
    expect([after.isPending, after.snapshot()]).toEqual([true, { restarting: 'listed' }]);
  });

  test.each<[string, Pick<RunInput, 'restart' | 'only'>, object]>([
    ['a resumed run begins with those that its ledger lists', { restart: true }, { restarting: 'listed' }],
    [
      'a run that is resumed for one of them starts only that',
      { restart: true, only: revival },
      { revivals: [revival] },
    ],
  ])('%s', (_title, how, travels) => {
    expect(restarts({ ...how, ledger: snapshot }).snapshot()).toEqual(travels);
  });

  test('do not when the run is cancelled after that, which is shown; who is asked for later does', () => {
    const one = restarts({ ledger: snapshot, restart: true });
    one.revive(revival);
    one.stop('cancelled');
    expect([one.isPending, ledger.refused]).toEqual([false, [{ ...revival, why: 'the run was cancelled after that' }]]);
    one.revive(revival);
    expect(one.snapshot()).toEqual({ revivals: [revival] });
  });
});

describe('workspaces that shall be on another host', () => {
  const placements = (before?: Placements): Placements =>
    new Placements(
      { runId: 'r', settings: undefined, isLive: () => true, changed: () => undefined },
      before?.snapshot(),
    );
  const workspace = { owner: 'main', path: '/ws/r/main', place: { host: 'h1', queue: 'q@h1', generation: 1 } };

  test('stay wanted', () => {
    const before = placements();
    before.onSaved({ agentId: 'main', workspace });
    before.relocate({ agentId: 'main', to: 'h2', by: 'ann' });
    expect(placements(placements(before)).snapshot()).toMatchObject({ relocations: { main: { to: 'h2' } } });
  });

  test('also when their agent has ended meanwhile', () => {
    const before = placements();
    before.onSaved({ agentId: 'main', workspace });
    before.onEnded('main');
    before.relocate({ agentId: 'main', by: 'ann' });
    expect(placements(before).snapshot()).toEqual({ relocations: { main: {} } });
  });
});
