// Chains of script turns on a real server: an activity that does several turns tells the same as one activity for each, and whatever
// befalls it, no turn that was written down is done again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { pauseRun, resumeOpenRun } from '../../dist/client/steer/control.js';
import { viewRun } from '../../dist/client/look/runs.js';
import { recordedTurns } from '../../dist/history/recorded-run.js';
import { eventsOf } from '../../dist/history/events.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends, hasHeard, notes, readDone } from './waiting.js';

const STATES = {
  'START.sh': notes('start', '<call return="AFTER" input="q">SUB</call>'),
  'SUB.sh': 'echo sub >> done; echo "<goto input=\\"[$RAYMOND_INPUT]\\">DEEP</goto>"\n',
  'DEEP.sh': 'echo deep >> done; echo "<result>$RAYMOND_INPUT</result>"\n',
  'AFTER.sh': 'echo after >> done; echo "<reset>LAST</reset>"\n',
  'LAST.sh': notes('last', '<result>end</result>'),
};

describe.each([{ chains: 'file' as const }, { chains: 'heartbeat' as const }, { chains: 'none' as const }])(
  'a run whose worker keeps chains by $chains',
  ({ chains }) => {
    const stage = new Stage({ settings: { chains, heartbeatMs: 30_000 } });
    const turns = async (staged: Staged): ReturnType<typeof recordedTurns> =>
      await recordedTurns(
        { client: stage.link.client, artifacts: artifactsOf(stage) },
        { runId: staged.runId, agentId: 'main' },
      );
    const activities = async (staged: Staged): Promise<number> => {
      let count = 0;
      for await (const event of eventsOf(stage.link.client, { workflowId: `${staged.runId}/main` }))
        if (event.activityTaskScheduledEventAttributes) count += 1;
      return count;
    };

    test('records every turn with its state, its number and what was before it', async () => {
      const staged = await stage.start(STATES);
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'end' });
      expect(await readDone(staged)).toBe('start\nsub\ndeep\nafter\nlast\n');
      const recorded = await turns(staged);
      expect(recorded.map(({ number, state, end }) => [number, state, end.kind])).toEqual(
        ['START.sh', 'SUB.sh', 'DEEP.sh', 'AFTER.sh', 'LAST.sh'].map((state, index) => [
          index + 1,
          state,
          'transition',
        ]),
      );
      expect(recorded.map(({ before }) => before?.stack.length)).toEqual([0, 1, 1, 0, 0]);
      expect(recorded[3]?.before?.pending).toEqual({ value: '[q]', returning: true });
      expect(
        recorded.every(({ startedAt, endedAt }, index) => {
          const next = recorded[index + 1];
          return startedAt <= endedAt && (next === undefined || endedAt <= next.startedAt);
        }),
      ).toBe(true);
      // How many turns a chain takes is a matter of time.
      const count = await activities(staged);
      expect(chains === 'none' ? count === 5 : count <= 5).toBe(true);
    });

    test('tells of each turn as it begins and ends', async () => {
      const staged = await stage.start(STATES);
      await staged.ended;
      const own = staged.progress.filter(({ runId }) => runId === staged.runId);
      const told = own.filter(({ kind }) => kind === 'started' || kind === 'ended');
      expect(told.map(({ kind, state, turn }) => `${kind} ${state} ${turn}`)).toEqual(
        ['START.sh', 'SUB.sh', 'DEEP.sh', 'AFTER.sh', 'LAST.sh'].flatMap((state, index) => [
          `started ${state} ${index + 1}`,
          `ended ${state} ${index + 1}`,
        ]),
      );
    });

    test('fails an agent in the state that has failed, and counts the tries that it asks for', async () => {
      const staged = await stage.start({
        'START.sh': notes('start', '<goto>BAD</goto>'),
        'BAD.sh': '# raymond: retries=1\necho bad >> done; echo no good >&2; exit 3\n',
      });
      const view = await staged.ended;
      expect(view.agents[0]).toMatchObject({ id: 'main', status: 'failed', state: 'BAD.sh' });
      expect(view.agents[0]?.error).toContain('main, BAD.sh: the script ended with exit code 3\nno good');
      expect(await readDone(staged)).toBe('start\nbad\nbad\n');
      const recorded = await turns(staged);
      expect(recorded.map(({ number, state, end }) => [number, state, end.kind])).toEqual([
        [1, 'START.sh', 'transition'],
        [2, 'BAD.sh', 'failed'],
        [2, 'BAD.sh', 'failed'],
      ]);
    });

    test('fails an agent for a mistake of the second script', async () => {
      const staged = await stage.start({ 'START.sh': ends('<goto>BAD</goto>'), 'BAD.sh': 'echo nothing\n' });
      const view = await staged.ended;
      expect(view.agents[0]).toMatchObject({ status: 'failed', state: 'BAD.sh' });
      expect(view.agents[0]?.error).toContain('main, BAD.sh: ');
    });

    test('continues with the turn whose processes were killed, and does none again that was written down', async () => {
      const staged = await stage.start({
        'START.sh': notes('start', '<goto>FIRST</goto>'),
        'FIRST.sh': notes('first', '<goto>SLOW</goto>'),
        'SLOW.sh': notes(
          'slow',
          '<result>end</result>',
          'echo begun >> done; if [ ! -f go ]; then touch go; kill -9 $PPID; sleep 600; fi',
        ),
      });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'end' });
      expect(await readDone(staged)).toBe('start\nfirst\nbegun\nbegun\nslow\n');
      expect((await turns(staged)).map(({ number, state }) => [number, state])).toEqual([
        [1, 'START.sh'],
        [2, 'FIRST.sh'],
        [3, 'SLOW.sh'],
      ]);
    });

    test('does no turn again that a later attempt wrote down before its processes were killed, too', async () => {
      const dies = (name: string): string =>
        `echo begun-${name} >> done; if [ ! -f ${name} ]; then touch ${name}; kill -9 $PPID; sleep 600; fi`;
      const staged = await stage.start({
        'START.sh': notes('start', '<goto>FIRST</goto>'),
        'FIRST.sh': notes('first', '<goto>SECOND</goto>', dies('one')),
        'SECOND.sh': notes('second', '<goto>THIRD</goto>'),
        'THIRD.sh': notes('third', '<result>end</result>', dies('two')),
      });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'end' });
      expect(await readDone(staged)).toBe('start\nbegun-one\nbegun-one\nfirst\nsecond\nbegun-two\nbegun-two\nthird\n');
    });
  },
);

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
    let scheduled = 0;
    for await (const event of eventsOf(stage.link.client, { workflowId: `${staged.runId}/main` }))
      if (event.activityTaskScheduledEventAttributes) scheduled += 1;
    expect(scheduled).toBe(5);
  });
});
