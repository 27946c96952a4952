// Chains of script turns on a real server: an activity that does several turns tells the same as one activity for each, and whatever
// befalls it, no turn that was written down is done again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { pauseRun, resumeOpenRun } from '../../dist/client/steer/control.js';
import { viewRun } from '../../dist/client/look/runs.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';
import { STATES, activitiesOf, keepsTurns } from './chain-turns.js';
import { hasHeard, notes, readDone } from './waiting.js';

describe.each(['file', 'heartbeat'] as const)('a run whose worker keeps chains by %s', keepsTurns);

describe('an operator', () => {
  const stage = new Stage({ settings: { chains: 'file' } });

  test('stops a chain at the next turn with a cancel; the record is that of the last turn that has ended', async () => {
    const staged = await stage.start({
      'START.sh': notes('start', '<goto>FIRST</goto>'),
      'FIRST.sh': notes('first', '<goto>SLOW</goto>'),
      'SLOW.sh': 'echo begun >> done; sleep 600\n',
    });
    await until(async () => (await readDone(staged)).includes('begun'), { what: 'the second script' });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const view = await staged.ended;
    expect(view.agents[0]).toMatchObject({ id: 'main', status: 'cancelled' });
    expect(await readDone(staged)).toBe('start\nfirst\nbegun\n');
  });

  test('pauses an agent when the turn that runs has ended, also within a chain, and lets it continue', async () => {
    const staged = await stage.start({
      'START.sh': notes('start', '<goto>FIRST</goto>'),
      'FIRST.sh': notes('first', '<goto>WAIT</goto>'),
      'WAIT.sh': notes('wait', '<goto>END</goto>', 'echo begun >> done; until [ -f go ]; do sleep 0.02; done'),
      'END.sh': notes('end', '<result>end</result>'),
    });
    await until(async () => (await readDone(staged)).includes('begun'), { what: 'the second script' });
    await pauseRun(stage.link.client, { view: await viewRun(stage.link.client, staged.runId), by: 'me' });
    await until(async () => await hasHeard(stage, staged, 'pause'), { what: 'the pause' });
    await writeFile(join(staged.cwd, 'go'), '');
    const held = await staged.ended;
    expect(held).toMatchObject({ status: 'paused' });
    expect(await readDone(staged)).toBe('start\nfirst\nbegun\nwait\n');
    const resumptions = await resumeOpenRun(stage.link.client, held);
    expect(await stage.end(staged.runId, resumptions)).toMatchObject({ status: 'completed', result: 'end' });
  });
});

describe('a run that was started without chains', () => {
  const stage = new Stage({ settings: { chains: 'file' } });

  test('has an activity for every turn', async () => {
    const staged = await stage.start(STATES, { chain: false });
    expect(await staged.ended).toMatchObject({ status: 'completed' });
    expect(await activitiesOf(stage, staged)).toBe(5);
  });
});
