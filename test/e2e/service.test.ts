// The engine as a service: a fake systemctl at the very edge does with the unit what systemd would do, the rest is real.
import { beforeAll, expect, test } from '@jest/globals';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serverStatus } from '../../dist/server/index.js';
import { Place } from '../support/cli.js';
import { documentOf } from '../support/fakes.js';
import { folder } from '../support/folder.js';
import { describeUnless, NO_LINUX } from '../support/unless.js';
import { until } from '../support/until.js';

/** Runs the unit's command where it says, and knows its process. */
const SYSTEMCTL = `#!/bin/bash
cd "$(dirname "$0")"
echo "$*" >>asked
unit=("$XDG_CONFIG_HOME"/systemd/user/raymond-*.service)
alive() { [ -f pid ] && grep -qs '^State:.[^Z]' "/proc/$(cat pid)/status"; }
case "$*" in
  *"enable --now"*|*"--user start"*)
    alive && exit 0
    command="$(sed -n 's/^ExecStart=://p' "$unit")"
    there="$(sed -n 's/^WorkingDirectory=//p' "$unit")"
    log="$(sed -n 's/^StandardOutput=append://p' "$unit")"
    pid="$PWD/pid"
    (cd "$there" && eval "exec setsid $command" >>"$log" 2>&1 </dev/null & echo $! >"$pid") ;;
  *"disable --now"*) alive && kill "$(cat pid)"; while alive; do sleep 0.05; done; rm -f pid ;;
  *is-active*) alive && echo active || { echo inactive; exit 3; } ;;
esac
`;

interface Running {
  readonly status: string;
  readonly pid: number;
}

describeUnless(NO_LINUX)('an engine as a service', () => {
  let place: Place;
  let bin: string;
  beforeAll(async () => {
    bin = await folder({ systemctl: SYSTEMCTL });
    await chmod(join(bin, 'systemctl'), 0o755);
    const env = {
      RAYMOND_FOREGROUND: '',
      XDG_CONFIG_HOME: join(bin, 'config'),
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    };
    place = await Place.at({ 'says/START.sh': 'echo "<result>said</result>"\n' }, env);
  });

  const raymond = (line: string): ReturnType<Place['raymond']> => place.raymond(line.split(' '));

  async function running(): Promise<number> {
    return await until(
      async () => {
        const { status, pid } = JSON.parse((await raymond('up --status --json')).stdout) as Running;
        return status === 'running' ? pid : undefined;
      },
      { what: 'the engine of the service' },
    );
  }

  const stopped = async (): Promise<boolean> =>
    (await serverStatus({ raymondDir: join(place.cwd, '.raymond') })).kind === 'stopped';

  test('replaces the one that runs, executes runs, and is started as a service by the next command', async () => {
    expect(await raymond('service status')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^not installed; /),
    });
    expect(await raymond('up')).toMatchObject({ exitCode: 0 });
    const before = await running();
    expect(await raymond('service install')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^installed: raymond-raymond-test-\S+ \(\/.*\.service\)$/),
      stderr: expect.stringContaining('the service replaces the running engine'),
    });
    const pid = await running();
    expect(pid).not.toBe(before);
    expect(await raymond('service install')).toMatchObject({ exitCode: 0 });
    expect(await running()).toBe(pid);
    expect(await raymond('says')).toMatchObject({ exitCode: 0, stdout: 'said' });
    expect(documentOf(await raymond('service status --json'))).toMatchObject({
      installed: true,
      state: 'active',
      outdated: false,
      engine: { status: 'running', pid },
    });
    expect(await raymond('down')).toMatchObject({ exitCode: 0, stdout: 'stopped' });
    const isInactive = async (): Promise<boolean> =>
      /, inactive\nengine stopped\n/.test((await raymond('service status')).stdout);
    await until(isInactive, { what: 'the end of the service' });
    expect(await raymond('up')).toMatchObject({ exitCode: 0 });
    expect(await place.read('.raymond/engine/engine.log')).toContain(`the engine runs (process ${await running()})`);
    expect(await raymond('service status')).toMatchObject({
      stdout: expect.stringContaining(', active\nengine running'),
    });
  });

  test('ends with its server when its manager stops it, and remove leaves nothing', async () => {
    expect(await raymond('service remove')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^removed: raymond-/),
    });
    expect(await stopped()).toBe(true);
    expect(await raymond('service remove')).toMatchObject({ exitCode: 0, stdout: 'not installed' });
  });

  test('that cannot start is one clear error', async () => {
    await raymond('service install');
    await running();
    await raymond('down');
    const [log, fails] = [
      join(place.cwd, '.raymond/engine/engine.log'),
      '#!/bin/sh\n[ "$2" = is-active ] && echo failed\nexit 0\n',
    ];
    await mkdir(dirname(log), { recursive: true });
    await writeFile(log, 'raymond: no such luck\n');
    await writeFile(join(bin, 'systemctl'), fails);
    const { exitCode, stderr } = await raymond('up');
    expect(exitCode).toBe(69);
    expect(stderr).toMatch(
      /the engine of this project did not start, its service raymond-\S+ has ended: no such luck; its log: /,
    );
  });

  test.each([
    ['service', 64, /Usage: raymond service/],
    ['service begin', 64, /unknown command 'begin'/],
    ['service install --json', 64, /unknown option '--json'/],
    ['service install now', 64, /too many arguments/],
  ])('raymond %s is refused', async (line, code, says) => {
    expect(await raymond(line)).toMatchObject({ exitCode: code, stderr: expect.stringMatching(says) });
  });

  test('on a cluster is refused', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    expect(await place.raymond(['service', 'install'], { env })).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('on a cluster, workers execute runs'),
    });
  });
});
