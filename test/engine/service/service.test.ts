// The engine of a project as a service, with fake managers on PATH that keep what they were asked and what they know.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Service, serviceName } from '../../../src/engine/service/service.js';
import { folder } from '../../support/folder.js';

/** Knows one service; fails at the words in the file `fails`. */
const MANAGER = `#!/bin/sh
cd "$(dirname "$0")"
echo "$(basename "$0") $*" >>asked
if [ -f fails ] && echo "$*" | grep -q "$(cat fails)"; then echo "Failed: no such bus" >&2; exit 1; fi
case "$*" in
  *"enable --now"*|bootstrap*|"--user start"*|kickstart*) touch running ;;
  *"disable --now"*|bootout*) rm -f running ;;
  *is-active*) [ -f running ] && echo active || { echo inactive; exit 3; } ;;
  "print gui/"*/*) [ -f running ] || exit 113; printf '\\tstate = running\\n' ;;
esac
`;

const PLATFORMS = [
  {
    platform: 'linux',
    first: ['show-environment', 'is-active', 'daemon-reload', 'enable --now'],
    again: ['show-environment', 'is-active', 'daemon-reload', 'enable --now'],
    removed: ['show-environment', 'is-active', 'disable --now', 'daemon-reload'],
    state: 'active',
    starts: '--user start',
    enables: 'enable',
  },
  {
    platform: 'darwin',
    first: ['print gui', 'print gui', 'enable gui', 'bootstrap gui'],
    again: ['print gui', 'print gui', 'enable gui', 'kickstart gui'],
    removed: ['print gui', 'print gui', 'bootout gui'],
    state: 'running',
    starts: 'kickstart gui',
    enables: 'bootstrap',
  },
] as const;

describe.each(PLATFORMS)('on $platform', ({ platform, first, again, removed, state, starts, enables }) => {
  let bin: string;
  let home: string;
  let service: Service;
  let released: number;
  let root: string;
  beforeEach(async () => {
    [bin, home, root, released] = [await folder(), await folder(), await folder(), 0];
    for (const name of ['systemctl', 'launchctl']) {
      await writeFile(join(bin, name), MANAGER);
      await chmod(join(bin, name), 0o755);
    }
    service = serviceWith(`${bin}:/usr/bin:/bin`);
  });

  function serviceWith(PATH: string): Service {
    const options = { root, raymondDir: join(root, '.raymond'), env: { PATH, HOME: home }, platform };
    const made = Service.of(options);
    if (made === undefined) throw new Error(platform);
    return made;
  }

  /** What the manager was asked since the last look. */
  async function asked(): Promise<readonly string[]> {
    const lines = (await readFile(join(bin, 'asked'), 'utf8')).trim().split('\n');
    await writeFile(join(bin, 'asked'), '');
    return lines;
  }

  const install = async (one = service): Promise<void> =>
    await one.install({ drainSeconds: 30, release: () => Promise.resolve(void (released += 1)) });

  const matching = (words: readonly string[]): unknown => words.map((word) => expect.stringContaining(word));

  test('it is installed, installed again without a change, started and removed', async () => {
    await install();
    expect(await asked()).toEqual(matching(first));
    const text = await readFile(service.file, 'utf8');
    expect(basename(service.file)).toMatch(new RegExp(`^${service.name}\\.(service|plist)$`));
    expect(text).toContain('--service');
    await install();
    expect(await asked()).toEqual(matching(again));
    expect(await readFile(service.file, 'utf8')).toBe(text);
    expect(released).toBe(1);
    expect(await service.status()).toEqual({ installed: true, outdated: false, state });
    await asked();
    expect(await service.start()).toBe(true);
    expect(await asked()).toEqual(matching([starts]));
    expect(await service.remove()).toBe(true);
    expect(await asked()).toEqual(matching(removed));
    expect(await service.status()).toEqual({ installed: false, outdated: false });
    expect(await service.remove()).toBe(false);
    expect(await service.start()).toBe(false);
  });

  test('without a manager nothing is written, and the error says what is missing', async () => {
    await writeFile(join(bin, 'fails'), '.');
    await expect(install()).rejects.toThrow(
      /^no .* runs for .*; nothing was changed: Failed: no such bus; .*raymond up$/,
    );
    await expect(install(serviceWith(await folder()))).rejects.toThrow(
      /nothing was changed: there is no \w+ctl on PATH/,
    );
    expect([await readdir(home), await readdir(root)]).toEqual([[], []]);
  });

  test('what the manager refuses is undone', async () => {
    await writeFile(join(bin, 'fails'), `^${enables}\\|--user ${enables}`);
    await expect(install()).rejects.toThrow(
      /ctl .*enable.* failed: Failed: no such bus|ctl bootstrap .* failed: Failed/,
    );
    expect(await service.status()).toEqual({ installed: false, outdated: false });
  });

  test('one of another installation is outdated, and starts nothing', async () => {
    await install();
    const text = await readFile(service.file, 'utf8');
    await writeFile(service.file, text.replaceAll('raymond.js', 'elsewhere.js'));
    expect(await service.status()).toMatchObject({ installed: true, outdated: true });
    expect(await service.start()).toBe(false);
    await install();
    expect(await readFile(service.file, 'utf8')).toBe(text);
    expect(released).toBe(2);
  });

  test('a folder whose name has a line break is refused', async () => {
    const bad = `${root}\nx`;
    await mkdir(bad);
    root = bad;
    await expect(install(serviceWith(`${bin}:/usr/bin:/bin`))).rejects.toThrow('control character; rename it');
    expect(await readdir(home)).toEqual([]);
    await rename(bad, `${bad.slice(0, -2)}/x`);
  });
});

test('other platforms have no service', () => {
  expect(Service.of({ root: '/x', raymondDir: '/x/.raymond', env: {}, platform: 'win32' })).toBeUndefined();
});

test('a service has a name that people know, and no other project has', () => {
  expect(serviceName('/home/ada/My Flöws (2)')).toMatch(/^raymond-My-Fl-ws-2-[0-9a-f]{8}$/);
  expect(serviceName('/')).toMatch(/^raymond-[0-9a-f]{8}$/);
  expect(serviceName('/a/x')).not.toBe(serviceName('/b/x'));
});
