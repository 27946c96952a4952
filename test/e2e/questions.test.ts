// Questions about runs start no server: not where there has never been one, nor where a person has stopped it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '../support/until.js';
import { Place } from '../support/cli.js';
import { serverStatus } from '../../dist/server/index.js';

const QUICK = 'echo "<result>ok</result>"\n';

async function stateOf({ cwd }: Place): Promise<string> {
  return (await serverStatus({ raymondDir: join(cwd, '.raymond') })).kind;
}

test.each([
  ['resume', 'nope'],
  ['cancel', 'nope'],
  ['answer', 'nope', 'yes'],
  ['budget', 'nope', '3'],
  ['status', 'nope'],
  ['result', 'nope'],
  ['decode', 'nope'],
])('in a project without runs %s says that there is none', async (...args) => {
  const place = await Place.at();
  const refused = await place.raymond(args);
  expect(refused).toMatchObject({ exitCode: 64, stdout: '' });
  expect(refused.stderr).toContain('there is no run nope; to list the runs, run: raymond list');
  if (['status', 'result'].includes(args[0])) expect(refused.stderr).toContain(`raymond: project ${place.cwd}: there`);
  expect(await place.read('.raymond/temporal/server.json')).toBeUndefined();
});

test('in a project without runs resume --all has nothing to do, and a worker is refused before anything is started', async () => {
  const place = await Place.at();
  expect(await place.raymond(['resume', '--all'])).toMatchObject({ exitCode: 0, stderr: 'nothing to resume' });
  expect((await place.raymond(['worker'])).stderr).toContain('a worker needs a cluster: give --address');
  expect(await stateOf(place)).toBe('stopped');
});

test('a stopped server stays stopped when a user asks, and runs of one that died can be seen', async () => {
  const place = await Place.at({ 'flow/START.sh': QUICK });
  await place.raymond(['flow', '--id', 'r']);
  expect(await place.raymond(['server', 'stop'])).toMatchObject({ exitCode: 0 });
  for (const args of [['list'], ['status', 'r'], ['result', 'r'], ['decode', 'r']]) {
    const refused = await place.raymond(args);
    expect(refused).toMatchObject({ exitCode: 69, stdout: '' });
    expect(refused.stderr).toMatch(/^raymond: the Temporal server of the project .* is stopped.*raymond up/);
  }
  expect(await stateOf(place)).toBe('stopped');
  await place.raymond(['server', 'start']);
  expect(await place.raymond(['result', 'r'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
  const status = await serverStatus({ raymondDir: join(place.cwd, '.raymond') });
  if (status.kind !== 'running') throw new Error(status.kind);
  process.kill(status.server.pid, 'SIGKILL');
  expect(await place.raymond(['result', 'r'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
});

test('server stop waits for the turns of the engine, and stops it, too', async () => {
  const place = await Place.at({
    'flow/START.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<goto>NEXT</goto>"\n',
    'flow/NEXT.sh': 'echo "<result>ok</result>"\n',
  });
  const running = place.begin(['flow', '--id', 'busy']);
  let said = '';
  running.stderr?.on('data', (chunk) => (said += String(chunk)));
  try {
    await place.made('started');
    const stopping = place.raymond(['server', 'stop']);
    await until(() => said.includes('stopping after the current turns'), { what: 'the end of the turns' });
    await place.write('go');
    expect(await stopping).toMatchObject({ exitCode: 0 });
    expect(await running).toMatchObject({ exitCode: 130 });
    expect(await stateOf(place)).toBe('stopped');
    expect(await place.raymond(['resume', 'busy'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
  } finally {
    running.kill('SIGKILL');
  }
});

test('.raymond ignores itself, whichever command makes it', async () => {
  const places = await Promise.all([Place.at({ 'flow/START.sh': QUICK }), Place.at(), Place.at()]);
  const calls = [['flow'], ['init'], ['server', 'start']];
  for (const [at, place] of places.entries()) {
    await rm(join(place.cwd, '.raymond'), { recursive: true });
    expect(await place.raymond(calls[at] ?? [])).toMatchObject({ exitCode: 0 });
    expect(await place.read('.raymond/.gitignore')).toBe('*\n');
  }
});
