// A worker that is killed within a chain of script turns: whatever command comes next, no turn that was recorded is done again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { documentOf } from '../support/fakes.js';

let running: ResultPromise | undefined;
afterEach(() => {
  running?.kill('SIGKILL');
});

const STATES = {
  'flow/START.sh': 'echo start >> done; echo "<goto>FIRST</goto>"\n',
  'flow/FIRST.sh': 'echo first >> done; echo "<call return=\\"LAST\\">SECOND</call>"\n',
  'flow/SECOND.sh': 'echo second >> done; echo "<goto>SLOW</goto>"\n',
  'flow/SLOW.sh': 'echo slow >> done; [ -f started ] || { touch started; sleep 500; }; echo "<result>slow</result>"\n',
  'flow/LAST.sh': 'echo last >> done; echo "<result>end</result>"\n',
};

test('a cancel keeps the turns of the chain; a resumption continues after them', async () => {
  const place = await Place.at(STATES);
  running = place.begin(['flow', '--id', 'r']);
  await place.made('started');
  running.kill('SIGKILL');
  await running;
  expect(await place.raymond(['cancel', 'r'])).toMatchObject({ exitCode: 0 });
  // The resumption applies the transition of the last recorded turn, unless SLOW.sh began as an activity of its own: a chain
  // ends after 250 ms.
  const { agents } = documentOf(await place.raymond(['status', 'r', '--json']));
  expect(agents).toMatchObject([
    { id: 'main', status: 'cancelled', state: expect.stringMatching(/^(SECOND|SLOW)\.sh$/) },
  ]);
  expect(await place.raymond(['resume', 'r'])).toMatchObject({ exitCode: 0, stdout: 'end' });
  expect(await readFile(join(place.cwd, 'done'), 'utf8')).toBe('start\nfirst\nsecond\nslow\nslow\nlast\n');
  const { turns } = JSON.parse((await place.raymond(['history', 'r', '--json'])).stdout) as {
    readonly turns: readonly {
      readonly number: number;
      readonly state: string;
      readonly end: { readonly kind: string };
    }[];
  };
  const lines = turns.map(({ number, state, end }) => `${number} ${state} ${end.kind}`);
  expect(lines.filter((line) => line !== '4 SLOW.sh cancelled')).toEqual([
    '1 START.sh transition',
    '2 FIRST.sh transition',
    '3 SECOND.sh transition',
    '4 SLOW.sh transition',
    '5 LAST.sh transition',
  ]);
});
