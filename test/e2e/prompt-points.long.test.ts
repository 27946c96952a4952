// kill -9 at the moments of a prompt turn at which its cost passes from hand to hand: it is counted once (invariant I4).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place, processesWith } from '../support/cli.js';
import { documentOf, fakeWith, leftovers, statesOf, transcriptsOf } from '../support/fakes.js';

const STATES = {
  'flow/START.md': 'First.\n',
  'flow/MIDDLE.md': 'Second.\n',
  'flow/END.sh': 'echo "<result>end</result>"\n',
};
const ONCE = ['START.md', 'MIDDLE.md'];
const TWICE = ['START.md', 'MIDDLE.md', 'MIDDLE.md'];

// Each turn keeps two artifacts: the state as it was read, and its conversation.
test.each([
  { point: 'result-heard', calls: TWICE },
  { point: 'before-artifact', nth: 4, calls: TWICE },
  { point: 'artifact-written', nth: 4, calls: TWICE },
  { point: 'after-artifact', nth: 4, calls: TWICE },
  { point: 'before-report', calls: TWICE },
  { point: 'after-report', calls: ONCE },
  // The third turn carries the report of the second one to the run.
  { point: 'before-delivery', nth: 1, calls: ONCE },
  { point: 'after-delivery', nth: 1, calls: ONCE },
])('the worker is killed at its second turn, or after it, $point', async ({ point, nth = 2, calls }) => {
  const fake = await fakeWith(
    { match: '^First', text: '<goto>MIDDLE</goto>', costUsd: 0.01 },
    { match: '^Second', text: '<goto>END</goto>', costUsd: 0.2 },
  );
  const place = await Place.at(STATES, fake.env);
  const wish = join(place.cwd, 'wish');
  await writeFile(wish, `${point} ${nth} x`);
  const killed = await place.bin(['start', 'flow', '--id', point, '--json'], { env: { RAYMOND_FAULTS: wish } });
  expect(killed).toMatchObject({ stdout: '', exitCode: undefined });
  const resumed = await place.raymond(['resume', point, '--json']);
  expect(statesOf(await fake.calls())).toEqual(calls);
  expect(documentOf(resumed)).toMatchObject({ status: 'completed', result: 'end' });
  expect(documentOf(resumed).costUsd).toBeCloseTo(0.01 + (calls.length - 1) * 0.2, 10);
  expect(await leftovers(place.cwd)).toEqual([]);
  expect(await transcriptsOf(fake)).toHaveLength(2);
  expect(await processesWith(`RAYMOND_WORKFLOW_ID=${point}`)).toEqual([]);
});
