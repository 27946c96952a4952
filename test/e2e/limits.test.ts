// Who runs what when, as users see it: the line for the slots of a worker.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { DOCUMENTS, type DocumentOf } from '../../src/client/documents.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

const config = (text: string): Readonly<Record<string, string>> => ({ '.raymond/config.toml': `[raymond]\n${text}` });

async function statusOf(place: Place): Promise<DocumentOf<'status'>> {
  return DOCUMENTS.status.parse(JSON.parse((await place.raymond(['status', 'r', '--json'])).stdout));
}

test('status shows the place of a turn in the line for a slot', async () => {
  const forks = ['<fork next="REST">WORK</fork>', '<fork next="REST">WORK</fork>'].join('');
  const place = await Place.at({
    ...config('max_scripts = 1\n'),
    'flow/START.sh': `echo '${forks}'\n`,
    'flow/WORK.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
    'flow/REST.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>rested</result>"\n',
  });
  running = place.begin(['start', 'flow', '--id', 'r']);
  const places = async (): Promise<readonly string[]> => {
    const { agents } = await statusOf(place).catch(() => ({ agents: [] }));
    return agents.flatMap(({ queue }) => (queue === undefined ? [] : [`${queue.place} of ${queue.of}`]));
  };
  await until(async () => (await places()).toSorted().join() === '1 of 2,2 of 2', { what: 'a line of two' });
  expect((await place.raymond(['status', 'r'])).stdout).toMatch(/turn \d, queued on \S+, 2nd of 2/);
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'rested' });
});

test.each(['0', '6', '1.5', 'high'])('--priority %s is wrong usage, told with what is right', async (priority) => {
  const place = await Place.at({ 'flow/START.sh': 'echo "<result>x</result>"\n' });
  const { exitCode, stderr } = await place.raymond(['flow', '--priority', priority]);
  expect(exitCode).toBe(64);
  expect(stderr).toContain('expected a priority from 1 (first) to 5');
});
