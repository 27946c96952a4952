// What a shell and a laptop do to a command: its readers go, its folder goes, it may open hardly any file.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': 'echo "<goto>END</goto>"\n',
    'flow/END.sh': 'touch went; echo "<result>x</result>"\n',
  });
});

describe('a reader that closes its pipe', () => {
  test.each([['list', '--json'], ['--help'], ['config']])('of raymond %s ends it quietly', async (...args) => {
    const call = place.begin(args);
    call.stdout?.destroy();
    const said: string[] = [];
    call.stderr?.on('data', (chunk) => said.push(String(chunk)));
    await call;
    expect(said.join('')).not.toMatch(/EPIPE|\bat /);
  });

  test('lets the run of this process continue to its end', async () => {
    const call = place.begin(['start', 'flow', '--id', 'unread']);
    call.stdout?.destroy();
    call.stderr?.destroy();
    await call;
    expect(await place.read('went')).toBe('');
    expect(await place.raymond(['result', 'unread'])).toMatchObject({ stdout: 'x', exitCode: 0 });
  });
});
