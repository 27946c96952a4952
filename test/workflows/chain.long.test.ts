// Chains of script turns, further: a worker that keeps none, and one that falls silent, which takes the server's timeout to see.
import { describe, expect, test } from '@jest/globals';
import { recordedTurns } from '../../dist/history/recorded-run.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';
import { keepsTurns } from './chain-turns.js';
import { artifactsOf, notes, readDone, revived } from './waiting.js';

describe('a run whose worker keeps chains by none', () => {
  keepsTurns('none');
});

describe('a worker that reports nothing more after a cancel', () => {
  // It sends no heartbeat of its own, so that the server gives it up after 15 s, as if it had died.
  const stage = new Stage({ settings: { chains: 'heartbeat', heartbeatMs: 600_000 } });

  // A chain lasts 250 ms: the turn after it has an activity of its own, whose loss stands in the history.
  test.each([
    { which: 'its chain', work: '', hasEnded: false },
    { which: 'a chain that ended before', work: 'sleep 0.4', hasEnded: true },
  ])('loses no turn of $which that the server has confirmed', async ({ work, hasEnded }) => {
    const staged = await stage.start({
      'START.sh': notes('start', '<goto>FIRST</goto>'),
      'FIRST.sh': notes('first', '<goto>SECOND</goto>'),
      'SECOND.sh': notes('second', '<goto>SLOW</goto>', work),
      'SLOW.sh': notes('slow', '<result>end</result>', 'echo begun >> done; [ -f go ] || { touch go; sleep 600; }'),
    });
    await until(async () => (await readDone(staged)).includes('begun'), { what: 'the last script' });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const view = await staged.ended;
    expect(view.agents[0]).toMatchObject({ id: 'main', status: 'cancelled' });
    expect(await revived(stage, view)).toMatchObject({ status: 'completed', result: 'end' });
    expect(await readDone(staged)).toBe('start\nfirst\nsecond\nbegun\nbegun\nslow\n');
    const agent = { runId: staged.runId, agentId: 'main' };
    const turns = await recordedTurns({ client: stage.link.client, artifacts: artifactsOf(stage) }, agent);
    const how = turns.map(({ end }) => (end.kind === 'failed' ? end.failure.type : end.kind));
    // On a loaded machine the first chain may end before its time.
    expect(turns.map(({ number, state }, index) => `${number} ${state} ${how[index] ?? ''}`)).toEqual([
      '1 START.sh transition',
      '2 FIRST.sh transition',
      '3 SECOND.sh transition',
      ...(hasEnded || how.includes('WorkerLost') ? ['4 SLOW.sh WorkerLost'] : []),
      '4 SLOW.sh transition',
    ]);
  });
});
