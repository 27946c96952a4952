// The debug folder of a run as users find it: while the run continues, after its process was killed, and when it is not wanted or possible.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { jsonOf } from '../../dist/protocol/text.js';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

const SCRIPT = { 'flow/START.sh': 'echo why >&2; echo "<result>ok</result>"\n' };

/** The only debug folder of a place, relative to it. */
async function debugFolder(place: Place): Promise<string> {
  const names = await readdir(join(place.cwd, '.raymond/debug')).catch(() => []);
  expect(names).toHaveLength(1);
  return `.raymond/debug/${names[0] ?? ''}`;
}

/** What a file of the folder holds as JSON, or undefined while it is not there. */
async function events(place: Place, file: string): Promise<readonly Record<string, unknown>[] | undefined> {
  const text = await place.read(`${await debugFolder(place)}/${file}`);
  // A file that was only just made is empty, or has a part.
  return jsonOf(text ?? '') as Record<string, unknown>[] | undefined;
}

describe('a prompt', () => {
  test('can be read while it runs, after a kill, and beside its second attempt; all in one folder', async () => {
    const fake = await fakeWith(
      { text: 'a half', hang: 'mid', times: 1 },
      { text: '<result>ok</result>', costUsd: 0.25 },
    );
    const place = await Place.sharing({ 'flow/START.md': 'Do it.\n' }, { ...fake.env });
    const running = place.begin(['start', 'flow', '--id', 'watched']);
    const begun = async (): Promise<boolean> => {
      const names = await readdir(join(place.cwd, '.raymond/debug')).catch(() => []);
      return names.length > 0 && ((await events(place, 'main_START_001.json')) ?? []).length > 0;
    };
    await until(begun, { what: 'the first event' });
    running.kill('SIGKILL');
    await running;
    const first = await events(place, 'main_START_001.json');
    expect(first?.[0]).toMatchObject({ type: 'system' });

    expect(await place.raymond(['resume', 'watched'])).toMatchObject({ stdout: 'ok', exitCode: 0 });
    expect(await debugFolder(place)).toMatch(/debug\/watched_\d{8}_\d{6}$/);
    expect(await events(place, 'main_START_001.json')).toEqual(first);
    expect((await events(place, 'main_START_001_2.json'))?.at(-1)).toMatchObject({ type: 'result' });
    const log = await place.read(`${await debugFolder(place)}/transitions.log`);
    expect(log?.match(/ -> /g)).toHaveLength(1);
    expect(log).toMatch(
      /\[main\] START\.md -> \(result, terminated\)\n[^]*session_id: [0-9a-f-]{36}\n {2}cost: \$0\.25\d*\n/,
    );
  });
});

describe('a script', () => {
  test('leaves its output, its facts and its entry', async () => {
    const place = await Place.sharing(SCRIPT);
    expect(await place.raymond(['flow'])).toMatchObject({ stdout: 'ok', exitCode: 0 });
    const at = async (name: string): Promise<string | undefined> => place.read(`${await debugFolder(place)}/${name}`);
    expect(await at('main_START_001.stdout.txt')).toBe('<result>ok</result>\n');
    expect(await at('main_START_001.stderr.txt')).toBe('why\n');
    expect(JSON.parse((await at('main_START_001.meta.json')) ?? '')).toMatchObject({ exit_code: 0 });
    expect(await at('transitions.log')).toContain('[main] START.sh -> (result, terminated)');
  });

  test('that gives a result back is logged with the state that gets it', async () => {
    const place = await Place.sharing({
      'flow/START.sh': 'echo "<function return=\\"END\\">ASK</function>"\n',
      'flow/ASK.sh': 'echo "<result>42</result>"\n',
      'flow/END.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    });
    expect(await place.raymond(['flow'])).toMatchObject({ stdout: '42', exitCode: 0 });
    const log = await place.read(`${await debugFolder(place)}/transitions.log`);
    expect(log?.match(/\] .* -> .*/g)).toEqual([
      '] START.sh -> ASK.sh (function)',
      '] ASK.sh -> END.sh (result)',
      '] END.sh -> (result, terminated)',
    ]);
  });

  test.each<[string, { config?: string; flags?: string[] }, boolean]>([
    ['--no-debug', { flags: ['--no-debug'] }, false],
    ['no_debug in the config', { config: 'no_debug = true\n' }, false],
    ['--debug over the config', { config: 'no_debug = true\n', flags: ['--debug'] }, true],
  ])('with %s', async (_what, { config = '', flags = [] }, kept) => {
    const place = await Place.sharing({ ...SCRIPT, '.raymond/config.toml': `[raymond]\n${config}` });
    expect(await place.raymond(['flow', ...flags])).toMatchObject({ exitCode: 0 });
    expect((await readdir(join(place.cwd, '.raymond'))).includes('debug')).toBe(kept);
  });

  test('ends as well when something is in the way of the folder, with one warning', async () => {
    const place = await Place.sharing({
      'flow/START.sh': 'echo "<goto>NEXT</goto>"\n',
      'flow/NEXT.sh': 'echo "<result>ok</result>"\n',
      '.raymond/debug': 'in the way',
    });
    const { stdout, stderr, exitCode } = await place.raymond(['flow']);
    expect({ stdout, exitCode }).toEqual({ stdout: 'ok', exitCode: 0 });
    expect(stderr.match(/warning: the debug files/g)).toHaveLength(1);
  });
});
