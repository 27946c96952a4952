// Processes that SIGKILL does not end: they wait in the kernel for a disk that is dead, or belong to another user. Nobody waits for
// them for ever, and the caller gets them.
import { afterEach, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '../../src/launcher/client.js';
import { until } from '../support/until.js';
import { Kit, lives } from './kit.js';
import { TestWorker } from './test-worker.js';
import { describeUnless } from '../support/unless.js';

const kit = new Kit();
const disk = join(kit.folder, 'disk');
mkdirSync(disk);

const OWN_NAMESPACE = ['unshare', '-Urm'];
const WITHOUT_RIGHTS = ['setpriv', '--inh-caps', '-kill', '--bounding-set', '-kill', '--'];
const OTHER_USER = ['--reuid', '65534', '--clear-groups', '--'];

const patience = { nestedMs: 0, executingMs: 0, strayMs: 50, killedMs: 200 };

let worker: TestWorker | undefined;
afterEach(() => worker?.kill('SIGKILL')); // the disk ends with it, and whoever waits for the disk

function onDeadDisk(spec: ProcessSpec): TestWorker {
  return (worker = new TestWorker([spec], { before: OWN_NAMESPACE, disk, patience }));
}

const STUCK = { pid: expect.any(Number), state: 'D', why: 'unkillable' };

const onFrozenDisk = works([...OWN_NAMESPACE, process.execPath, '-e', "require('fs').openSync('/dev/fuse', 'r+')"]);
describeUnless(onFrozenDisk ? undefined : 'no disk may be mounted and frozen')(
  'a process that waits for a dead disk',
  () => {
    test('is given up by a stop, which names it with its state', async () => {
      const host = onDeadDisk(kit.spec('cat', [join(disk, 'file')], { graceMs: 50 }));
      const pid = await host.first('started');
      await host.first('waits');
      host.tell('stop 0');
      expect(await host.first('end')).toEqual({ kind: 'stopped', survivors: [{ ...STUCK, pid }] });
      host.kill('SIGKILL');
      await until(() => !lives(pid), { what: 'its end' });
    });

    test('is given up by a sweep, which names it and ends the others', async () => {
      const spec = kit.bash(`sleep 300 & cat ${disk}/file`);
      const host = onDeadDisk(spec);
      await host.first('waits');
      host.tell(`sweep ${spec.marker.attempt}`);
      expect(await host.first('swept')).toEqual({ count: 2, survivors: [STUCK] });
    });

    test('that a failed script has left does not hold the turn', async () => {
      const go = join(kit.folder, 'go');
      const script = `(setsid cat ${disk}/file >/dev/null 2>&1 &); until [ -e ${go} ]; do sleep 0.01; done; exit 1`;
      const host = onDeadDisk(kit.bash(script));
      await host.first('waits');
      writeFileSync(go, '');
      expect(await host.first('end')).toEqual({ kind: 'exited', code: 1, strays: 0, survivors: [STUCK] });
    });

    test('does not hold the end of the launcher', async () => {
      const host = onDeadDisk(kit.spec('cat', [join(disk, 'file')]));
      await host.first('waits');
      host.tell('close');
      expect(await host.first('end')).toEqual({ kind: 'lost' });
      expect(await host.first('closed')).toBe(true);
    });
  },
);

const asTwoUsers = works([...WITHOUT_RIGHTS, 'setpriv', ...OTHER_USER, 'true']);
describeUnless(asTwoUsers ? undefined : 'nobody may become another user')('a process of another user', () => {
  test('is given up by a stop, which names it', async () => {
    const spec = kit.spec('setpriv', [...OTHER_USER, 'sleep', '300'], { graceMs: 50 });
    worker = new TestWorker([spec], { before: WITHOUT_RIGHTS, patience });
    const pid = await worker.first('started');
    await until(() => userOf(pid) === OTHER_USER[1], { what: 'the other user' });
    worker.tell('stop 0');
    expect(await worker.first('end')).toEqual({
      kind: 'stopped',
      survivors: [{ pid, state: 'S', why: 'forbidden' }],
    });
    expect(lives(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

function works([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function userOf(pid: number): string {
  return spawnSync('ps', ['-o', 'uid=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}
