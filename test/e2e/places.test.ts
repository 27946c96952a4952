// Paths of the config mean the same wherever in the project a command is called.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

const LARGE = `echo "<result>$(head -c 100000 /dev/zero | tr '\\0' x)</result>"\n`;

test('a relative artifact_dir is below the project root, wherever the run was started', async () => {
  const place = await Place.at({
    '.raymond/config.toml': '[raymond]\nartifact_dir = "kept"\n',
    'sub/flow/START.sh': LARGE,
  });
  const sub = join(place.cwd, 'sub');
  const { exitCode, stdout, stderr } = await place.raymond(['flow', '--id', 'r'], { cwd: sub });
  const said = expect.stringContaining('completed: r');
  expect({ exitCode, stderr, length: stdout.length }).toEqual({ exitCode: 0, stderr: said, length: 100_000 });
  expect((await readdir(join(place.cwd, 'kept'))).length).toBeGreaterThan(0);
  expect(await readdir(sub)).toEqual(['flow']);
  for (const cwd of [place.cwd, sub]) {
    expect((await place.raymond(['result', 'r'], { cwd })).stdout).toHaveLength(100_000);
  }
});

test('a relative temporal_cli is looked for from the project root', async () => {
  const place = await Place.at({ '.raymond/config.toml': '[raymond]\ntemporal_cli = "tools/temporal"\n', 'sub/x': '' });
  const refused = await place.raymond(['server', 'start'], { cwd: join(place.cwd, 'sub') });
  expect(refused.exitCode).toBe(69);
  expect(refused.stderr).toContain(`${join(place.cwd, 'tools/temporal')}, cannot be used: there is no such file`);
});
