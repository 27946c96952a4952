// Who runs what when, as users see it: the line for the slots of a worker.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { DOCUMENTS, type DocumentOf } from '../../src/client/documents/documents.js';
import { Place } from '../support/cli.js';
import { freeAddress, pageWhere } from '../support/metrics-page.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

const config = (text: string): Readonly<Record<string, string>> => ({ '.raymond/config.toml': `[raymond]\n${text}` });

async function statusOf(place: Place, id: string): Promise<DocumentOf<'status'>> {
  return DOCUMENTS.status.parse(JSON.parse((await place.raymond(['status', id, '--json'])).stdout));
}

test('status shows the place of a turn in the line for a slot', async () => {
  const forks = ['<fork next="REST">WORK</fork>', '<fork next="REST">WORK</fork>'].join('');
  const place = await Place.sharing({
    ...config('max_scripts = 1\n'),
    'flow/START.sh': `echo '${forks}'\n`,
    'flow/WORK.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
    'flow/REST.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>rested</result>"\n',
  });
  running = place.begin(['start', 'flow', '--id', 'r1']);
  const places = async (): Promise<readonly string[]> => {
    const { agents } = await statusOf(place, 'r1').catch(() => ({ agents: [] }));
    return agents.flatMap(({ queue }) => (queue === undefined ? [] : [`${queue.position} of ${queue.of}`]));
  };
  await until(async () => (await places()).toSorted().join() === '1 of 2,2 of 2', { what: 'a line of two' });
  expect((await place.raymond(['status', 'r1'])).stdout).toMatch(/turn \d, queued on \S+, 2nd of 2/);
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'rested' });
});

test('local runs of a project share a limit, and what waits says for what; the figures are in metrics', async () => {
  const address = await freeAddress();
  const place = await Place.sharing({
    ...config('limits = { db = 1 }\n'),
    'flow/workflow.yaml': 'id: flow\nlimit: db\n',
    'flow/START.sh':
      'touch "on-$RAYMOND_WORKFLOW_ID"; until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
  });
  running = place.begin(['start', 'flow', '--id', 'first', '--metrics', address]);
  await place.made('on-first');
  const second = place.begin(['start', 'flow', '--id', 'r2']);
  const shown = async (): Promise<string> => (await place.raymond(['status', 'r2'])).stdout;
  await until(async () => (await shown()).includes('waits for a slot of db (1 in use)'), { what: 'the wait' });
  expect((await statusOf(place, 'r2')).agents).toMatchObject([
    { status: 'queued', waitsFor: 'a slot of db (1 in use)' },
  ]);
  const page = await pageWhere(address, (one) => one.value('raymond_limit_waiting', { limit: 'db' }) === 1);
  expect([page.value('raymond_limit', { limit: 'db' }), page.value('raymond_limit_used', { limit: 'db' })]).toEqual([
    1, 1,
  ]);
  expect(await place.read('on-r2')).toBeUndefined();
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(await second).toMatchObject({ exitCode: 0, stdout: 'x' });
  expect((await place.raymond(['history', 'r2'])).stdout).not.toContain('waits for');
});

test.each(['0', '6', '1.5', 'high'])('--priority %s is wrong usage, told with what is right', async (priority) => {
  const place = await Place.at({ 'flow/START.sh': 'echo "<result>x</result>"\n' });
  const { exitCode, stderr } = await place.raymond(['flow', '--priority', priority]);
  expect(exitCode).toBe(64);
  expect(stderr).toContain('expected a priority from 1 (first) to 5');
});
