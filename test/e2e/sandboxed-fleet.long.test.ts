// A fleet of which one host has no bubblewrap: the turn that it refuses, and that a host with bubblewrap does.
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { Fleet } from '../support/fleet.js';
import { beforeRemoval, folder } from '../support/folder.js';
import { noSandbox, testUnless } from '../support/unless.js';

/** A PATH with the programs of this host, without those that make sandboxes. */
async function pathWithoutSandboxes(): Promise<string> {
  const bin = await folder();
  const names = (await readdir('/usr/bin')).filter((name) => !['bwrap', 'docker', 'podman'].includes(name));
  await Promise.all(names.map((name) => symlink(join('/usr/bin', name), join(bin, name))));
  return bin;
}

testUnless(noSandbox())(
  'a host without the sandbox of a turn refuses it by its name, and another one does it',
  async () => {
    const fleet = await Fleet.open({ 'flow/START.sh': '# raymond: sandbox=process\necho "<result>done</result>"\n' });
    beforeRemoval(() => fleet.close());
    const bare = await fleet.host('bare', { PATH: await pathWithoutSandboxes() });
    await fleet.start('flow', 'inside');
    await fleet.shows('inside', /needs the sandbox "process" on host bare: bubblewrap \(bwrap\) is not on PATH/);

    await fleet.host('equipped');
    const { stdout } = await fleet.call(['hosts', '--task-queue', 'fleet', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { host: 'bare', workers: [{ sandboxes: [] }] },
      { host: 'equipped', workers: [{ sandboxes: expect.arrayContaining(['process']) }] },
    ]);
    bare.process.kill('SIGTERM');
    await bare.process;
    expect(await fleet.call(['resume', 'inside'])).toMatchObject({ exitCode: 0 });
    await fleet.shows('inside', /: completed/);
  },
  120_000,
);
