// `raymond gc` on real runs: what no run needs goes, what a run could still need stays, and without an answer nothing goes at all.
import { lstat, mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { age, collect, DAY_MS, ENDED, filesOf, FLOWS } from '../support/gc-place.js';

test('what a completed run has left goes when it is old, and nothing with --dry-run', async () => {
  const place = await Place.at({
    ...FLOWS,
    '.raymond/notes/mine.txt': 'mine\n',
    '.raymond/artifacts/ab/mine': 'mine\n',
  });
  expect(await place.raymond(['start', 'done', '--id', 'old'])).toMatchObject({ exitCode: 0, stdout: '50000' });
  const unknown = `.raymond/artifacts/ab/ab${'0'.repeat(62)}`;
  await place.write(unknown, '{}');
  const count = (await filesOf(place, 'artifacts')).length;
  expect(count).toBeGreaterThan(2);

  expect(await collect(place, '--older-than', ENDED)).toMatchObject({ keptRuns: 0, artifacts: { files: 0 } });
  await age(place, 40);
  expect(await collect(place)).toMatchObject({ keptRuns: 1, artifacts: { files: 1 }, debug: { files: 0 } });
  expect(await place.read(unknown)).toBeUndefined();

  const gone = await collect(place, '--older-than', ENDED, '--dry-run');
  // One file is mine, one has gone, two are the files of the run.
  expect(gone).toMatchObject({ dryRun: true, keptRuns: 0, chapters: { files: 2 }, artifacts: { files: count - 4 } });
  expect(gone.debug.files).toBeGreaterThan(0);
  expect(await filesOf(place, 'artifacts')).toHaveLength(count - 1);

  expect(await collect(place, '--older-than', ENDED)).toEqual({ ...gone, dryRun: false });
  expect(await filesOf(place, 'artifacts')).toEqual([join(place.cwd, '.raymond/artifacts/ab/mine')]);
  expect(await filesOf(place, 'debug')).toEqual([]);
  expect(await place.read('.raymond/notes/mine.txt')).toBe('mine\n');
  const again = await place.raymond(['gc', '--older-than', ENDED]);
  expect(again.stdout.split('\n').at(-1)).toMatch(/^removed +0 files +0 bytes$/);
});

test('what an open run and a failed run need stays: one is answered, the other resumed', async () => {
  const place = await Place.at(FLOWS);
  expect(await place.raymond(['start', 'asks', '--id', 'asking', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  expect(await place.raymond(['start', 'fails', '--id', 'failed'])).toMatchObject({ exitCode: 1 });
  expect(await place.raymond(['start', 'done', '--id', 'over'])).toMatchObject({ exitCode: 0 });
  await age(place, 40);
  const gone = await collect(place, '--older-than', ENDED);
  expect(gone.keptRuns).toBe(2);
  expect(gone.artifacts.files).toBeGreaterThan(0);
  const debug = await readdir(join(place.cwd, '.raymond/debug'));
  expect(debug.map((name) => name.split('_')[0]).sort()).toEqual(['asking', 'failed']);
  expect((await place.raymond(['status', 'asking'])).stdout).toContain(`${'a'.repeat(50_000)}?`);
  expect(await place.raymond(['answer', 'asking', 'yes'])).toMatchObject({ exitCode: 0, stdout: 'yes' });
  await place.write('mended');
  expect(await place.raymond(['resume', 'failed'])).toMatchObject({ exitCode: 0, stdout: '50000' });
});

test('a run that is started again needs what lies there already: it counts as new', async () => {
  const place = await Place.at(FLOWS);
  await place.raymond(['start', 'done', '--id', 'first']);
  await age(place, 40);
  expect(await place.raymond(['start', 'done', '--id', 'second'])).toMatchObject({ exitCode: 0 });
  // Of two runs that had the same value both are over, but it was needed just now.
  const before = await filesOf(place, 'artifacts');
  await collect(place, '--older-than', ENDED);
  const fresh = await Promise.all((await filesOf(place, 'artifacts')).map(async (path) => (await lstat(path)).mtimeMs));
  expect(fresh.length).toBeGreaterThan(0);
  expect(fresh.every((time) => time > Date.now() - DAY_MS)).toBe(true);
  expect(before.length).toBeGreaterThanOrEqual(fresh.length);
});

test('task folders, locks and logs of runs that nobody knows go; those of other names stay', async () => {
  const place = await Place.at(FLOWS);
  await place.raymond(['start', 'asks', '--id', 'kept', '--on-ask', 'exit']);
  for (const name of [
    'tasks/gone/main/a',
    'tasks/kept/main/a',
    'tasks/note',
    'runs/gone.log',
    'runs/gone.hooks.json',
    'runs/gone.lock',
    'runs/kept.log',
    'runs/kept.env',
    'runs/kept.hooks.log',
    'runs/note',
  ])
    await place.write(`.raymond/${name}`, 'x');
  await mkdir(join(place.cwd, '.raymond/debug/mine'), { recursive: true });
  await age(place, 40);
  expect(await collect(place)).toMatchObject({ tasks: { files: 1 }, runs: { files: 3 } });
  const names = (await filesOf(place, 'tasks'))
    .concat(await filesOf(place, 'runs'))
    .map((path) => path.split('.raymond/')[1]);
  expect(names.sort()).toEqual([
    'runs/kept.env',
    'runs/kept.hooks.log',
    'runs/kept.log',
    'runs/note',
    'tasks/kept/main/a',
    'tasks/note',
  ]);
  expect(await readdir(join(place.cwd, '.raymond/debug'))).toContain('mine');
});

test('on a cluster all runs of the namespace count, and those of an embedded server are not forgotten', async () => {
  const cluster = await Place.at();
  const [address = ''] = /127\.0\.0\.1:\d+/.exec((await cluster.raymond(['server', 'start'])).stdout) ?? [];
  const place = await Place.at();
  await place.write(`.raymond/artifacts/cd/cd${'0'.repeat(62)}`, 'x');
  await age(place, 40);
  const tidied = await place.raymond(['gc', '--address', address]);
  expect(tidied).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('files of runs in the namespace "default" are kept'),
  });
  expect(await filesOf(place, 'artifacts')).toEqual([]);
  await place.raymond(['server', 'start']);
  expect(await place.raymond(['gc', '--address', address])).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining("contains runs of this project's embedded server"),
  });
});

test('an artifact folder that other projects may share is left alone', async () => {
  const place = await Place.at({ '.raymond/config.toml': '[raymond]\nartifact_dir = "shared"\n' });
  await place.raymond(['server', 'start']);
  const shared = `shared/cd/cd${'0'.repeat(62)}`;
  await place.write(shared, 'x');
  await utimes(join(place.cwd, shared), new Date(0), new Date(0));
  expect((await place.raymond(['gc'])).stderr).toContain('shared may contain artifacts of other projects');
  expect(await place.read(shared)).toBe('x');
});
