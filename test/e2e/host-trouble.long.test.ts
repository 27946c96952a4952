// A fleet with a host whose disk is full: turns that find no room there are tried again, and continue on a host that has room.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fleet } from '../support/fleet.js';
import { folder } from '../support/folder.js';
import { Repository } from '../support/repository.js';
import { describeOnTinyDisk } from '../support/tiny-disk.js';
import { until } from '../support/until.js';

const GOES = 'echo "<goto input=\\"given by $ON_HOST\\">NEXT</goto>"\n';
const ENDS = 'echo "<result>$(cat made) $RAYMOND_INPUT, done on $ON_HOST</result>"\n';

const NO_ROOM = /main {2}waiting {2}NEXT\.sh[^]*: the disk is full \(ENOSPC\)/;

describeOnTinyDisk('on a fleet with a host whose disk is full', () => {
  let fleet: Fleet;
  let repository: Repository;
  beforeAll(async () => {
    repository = await Repository.of({ made: 'by git,' });
    fleet = await Fleet.open(
      { 'flow/START.sh': GOES, 'flow/NEXT.sh': ENDS, made: 'by hand,' },
      { config: `workspace_root = ${JSON.stringify(await folder())}\non_host_loss = "move"\n` },
    );
    // An input is written there: the first turn has none.
    await fleet.host('full', {}, { full: '.raymond/tmp' });
  }, 60_000);
  afterAll(() => fleet.close());

  test('a turn goes to another host as soon as there is one, and an agent with a workspace when it is moved or after minutes', async () => {
    expect(await fleet.start('flow', 'free')).toMatchObject({ exitCode: 0 });
    const words = ['--workspace', 'git', '--repo', repository.url, '--ref', 'main'];
    for (const run of ['bound', 'leaves'])
      expect(await fleet.start('flow', run, ...words)).toMatchObject({ exitCode: 0 });
    for (const run of ['free', 'bound', 'leaves']) await fleet.shows(run, NO_ROOM, 60_000);
    await fleet.host('roomy');
    expect(await fleet.call(['move', 'bound', 'main', '--to', 'roomy'])).toMatchObject({ exitCode: 0 });
    const results: Record<string, string> = {};
    const ended = async (run: string): Promise<boolean> => {
      const { exitCode, stdout } = await fleet.call(['result', run]);
      results[run] = stdout;
      // The full host takes turns, too: without an order the time between the tries grows.
      if (exitCode !== 0) await fleet.call(['resume', run]);
      return exitCode === 0;
    };
    for (const run of ['free', 'bound'])
      await until(() => ended(run), { what: `the result of ${run}`, timeoutMs: 90_000, everyMs: 8000 });
    expect(results).toEqual({
      free: 'by hand, given by full, done on roomy',
      bound: 'by git, given by full, done on roomy',
    });
    const left = async (): Promise<string> => (await fleet.call(['result', 'leaves'])).stdout;
    await until(async () => (await left()) !== '', { what: 'the result of leaves', timeoutMs: 600_000, everyMs: 8000 });
    expect(await left()).toBe('by git, given by full, done on roomy');
  }, 900_000);
});
