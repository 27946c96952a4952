// Commands that come at once for one run, and places that two projects share: one of them takes effect, and nothing is done twice.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

const FLOW = {
  'flow/START.sh': 'echo x >> turns; [ -f go ] || exit 1; echo "<result>$RAYMOND_INPUT</result>"\n',
};

test('of many starts with one id one starts the run, and the others say that it exists', async () => {
  const place = await Place.at({ ...FLOW, go: '' });
  const starts = Array.from({ length: 6 }, () => place.bin(['start', 'flow', '--id', 'one', '--input', 'x']));
  const done = await Promise.all(starts);
  const [won, ...lost] = done.toSorted((a, b) => (a.exitCode ?? -1) - (b.exitCode ?? -1));
  expect(won).toMatchObject({ exitCode: 0, stdout: 'x' });
  for (const one of lost) expect(one).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('one') });
  expect(await place.read('turns')).toBe('x\n');
}, 240_000);

test('three resumptions at once do the failed turn once more', async () => {
  const place = await Place.at(FLOW);
  expect(await place.bin(['start', 'flow', '--id', 'one', '--input', 'x'])).toMatchObject({ exitCode: 1 });
  await place.write('go');
  const done = await Promise.all([1, 2, 3].map(() => place.bin(['resume', 'one'])));
  expect(done.map(({ exitCode }) => exitCode)).toContain(0);
  const ended = async (): Promise<boolean> => {
    const { exitCode, stdout } = await place.raymond(['result', 'one']);
    return exitCode === 0 && stdout === 'x';
  };
  await until(ended, { what: 'the end of the run', timeoutMs: 200_000 });
  expect(await place.read('turns')).toBe('x\nx\n');
}, 400_000);

test('two projects may have one .raymond; a locale of C changes no text', async () => {
  const one = await Place.at({ ...FLOW, go: '' });
  const two = await Place.at({ 'project/flow/START.sh': FLOW['flow/START.sh'], 'project/go': '' });
  await symlink(join(one.cwd, '.raymond'), join(two.cwd, 'project', '.raymond'));
  const env = { LANG: 'C', LC_ALL: 'C' };
  const [first, second] = await Promise.all([
    one.bin(['start', 'flow', '--id', 'first', '--input', 'größer 日本'], { env }),
    one.bin(['start', 'flow', '--id', 'second', '--input', 'é'], { env, cwd: join(two.cwd, 'project') }),
  ]);
  expect(first).toMatchObject({ exitCode: 0, stdout: 'größer 日本' });
  expect(second).toMatchObject({ exitCode: 0, stdout: 'é' });
}, 240_000);
