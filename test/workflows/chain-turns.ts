// What holds of chains of script turns however a worker keeps them, for the tests of chains.
import { expect, test } from '@jest/globals';
import { eventsOf } from '../../dist/history/events.js';
import { recordedTurns } from '../../dist/history/recorded-run.js';
import { Stage, type Staged } from '../support/stage.js';
import { artifactsOf, ends, notes, readDone } from './waiting.js';

/** Five turns of four kinds. */
export const STATES = {
  'START.sh': notes('start', '<call return="AFTER" input="q">SUB</call>'),
  'SUB.sh': 'echo sub >> done; echo "<goto input=\\"[$RAYMOND_INPUT]\\">DEEP</goto>"\n',
  'DEEP.sh': 'echo deep >> done; echo "<result>$RAYMOND_INPUT</result>"\n',
  'AFTER.sh': 'echo after >> done; echo "<reset>LAST</reset>"\n',
  'LAST.sh': notes('last', '<result>end</result>'),
};

async function turnsOf(stage: Stage, { runId }: Staged): ReturnType<typeof recordedTurns> {
  const at = { client: stage.link.client, artifacts: artifactsOf(stage) };
  return await recordedTurns(at, { runId, agentId: 'main' });
}

/** How many activities the agent `main` of a run has had. */
export async function activitiesOf(stage: Stage, { runId }: Staged): Promise<number> {
  let count = 0;
  for await (const event of eventsOf(stage.link.client, { workflowId: `${runId}/main` }))
    if (event.activityTaskScheduledEventAttributes) count += 1;
  return count;
}

/** The tests of a worker that keeps chains in this way. */
export function keepsTurns(chains: 'file' | 'heartbeat' | 'none'): void {
  const stage = new Stage({ settings: { chains, heartbeatMs: 30_000 } });
  records(stage, chains);
  fails(stage);
  survives(stage);
}

function records(stage: Stage, chains: 'file' | 'heartbeat' | 'none'): void {
  test('records every turn with its state, its number and what was before it', async () => {
    const staged = await stage.start(STATES);
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'end' });
    expect(await readDone(staged)).toBe('start\nsub\ndeep\nafter\nlast\n');
    const recorded = await turnsOf(stage, staged);
    expect(recorded.map(({ number, state, end }) => [number, state, end.kind])).toEqual(
      ['START.sh', 'SUB.sh', 'DEEP.sh', 'AFTER.sh', 'LAST.sh'].map((state, index) => [index + 1, state, 'transition']),
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
    const count = await activitiesOf(stage, staged);
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
}

function fails(stage: Stage): void {
  test('fails an agent in the state that has failed, and counts the tries that it asks for', async () => {
    const staged = await stage.start({
      'START.sh': notes('start', '<goto>BAD</goto>'),
      'BAD.sh': '# raymond: retries=1\necho bad >> done; echo no good >&2; exit 3\n',
    });
    const view = await staged.ended;
    expect(view.agents[0]).toMatchObject({ id: 'main', status: 'failed', state: 'BAD.sh' });
    expect(view.agents[0]?.error).toContain('main, BAD.sh: the script ended with exit code 3\nno good');
    expect(await readDone(staged)).toBe('start\nbad\nbad\n');
    const recorded = await turnsOf(stage, staged);
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
}

function survives(stage: Stage): void {
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
    expect((await turnsOf(stage, staged)).map(({ number, state }) => [number, state])).toEqual([
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
}
