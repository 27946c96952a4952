// Runs of schedules in workspaces of their own: what they begin with is what the repository has when each of them is started.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fleet } from '../support/fleet.js';
import { folder } from '../support/folder.js';
import { Repository } from '../support/repository.js';
import { Desk, SELDOM } from '../support/schedules.js';

let fleet: Fleet;
let desk: Desk;
beforeAll(async () => {
  const files = {
    'reads/START.sh': 'cat sub/news > seen; echo "<goto>END</goto>"\n',
    'reads/END.sh': 'echo "<result>$(cat seen) $(git log -1 --format=%s) $PWD</result>"\n',
  };
  fleet = await Fleet.open(files, { config: `workspace_root = ${JSON.stringify(await folder())}\n` });
  desk = new Desk(fleet);
  await fleet.work();
}, 60_000);
afterAll(() => fleet.close());

const result = async (name: string): Promise<string> => {
  const { runId } = await desk.document('schedule trigger', name);
  await fleet.shows(runId!, /: completed/);
  const { stdout } = await fleet.call(['result', runId!]);
  return stdout.replace(runId!.replaceAll(':', '%3A'), 'RUN');
};

test('begin with what the repository has when each is started', async () => {
  const repository = await Repository.of({ 'sub/news': 'old\n' });
  const words = ['--workspace', 'git', '--repo', repository.url, '--ref', 'main'];
  expect(await fleet.call(desk.create('fresh', 'reads', ...SELDOM, ...words))).toMatchObject({ exitCode: 0 });
  expect(await result('fresh')).toMatch(/^old first \/.*\/RUN\/main$/);
  await writeFile(join(repository.clone, 'sub/news'), 'new\n');
  await repository.git('commit', '--quiet', '-am', 'second');
  await repository.git('push', '--quiet');
  expect(await result('fresh')).toMatch(/^new second \/.*\/RUN\/main$/);
});

test('begin with a commit, where one is named', async () => {
  const repository = await Repository.of({ 'sub/news': 'old\n' });
  const words = ['--workspace', 'git', '--repo', repository.url, '--ref', await repository.git('rev-parse', 'HEAD')];
  expect(await fleet.call(desk.create('fixed', 'reads', ...SELDOM, ...words))).toMatchObject({ exitCode: 0 });
  await writeFile(join(repository.clone, 'sub/news'), 'new\n');
  await repository.git('commit', '--quiet', '-am', 'second');
  await repository.git('push', '--quiet');
  expect(await result('fixed')).toMatch(/^old first /);
});

test('of a branch that the repository has not are refused, and wait when it has it no more', async () => {
  const repository = await Repository.of({ 'sub/news': 'old\n' });
  const words = ['--workspace', 'git', '--repo', repository.url, '--ref', 'feature'];
  const [, ...refusedWords] = desk.create('gone', 'reads', ...SELDOM, ...words);
  expect(await desk.refused(...refusedWords)).toContain('has no branch, tag or commit feature');
  await repository.git('push', '--quiet', 'origin', 'main:feature');
  expect(await fleet.call(desk.create('gone', 'reads', ...SELDOM, ...words))).toMatchObject({ exitCode: 0 });
  await repository.git('push', '--quiet', 'origin', ':feature');
  const { runId } = await desk.document('schedule trigger', 'gone');
  await fleet.shows(runId!, /no longer has a branch, tag or commit feature/);
  await fleet.call(['cancel', runId!]);
});
