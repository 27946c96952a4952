// Looking at a run that continues as a program does, and a resumption with other limits.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

test('watch --json prints a line for every turn that ends, and the run as the last one', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'touch began; until [ -f go ]; do sleep 0.05; done; echo "<goto>END</goto>"\n',
    'flow/END.sh': 'echo "<result>x</result>"\n',
  });
  running = place.begin(['start', 'flow', '--id', 'r4']);
  await place.made('began');
  const watching = place.begin(['watch', 'r4', '--json']);
  let seen = '';
  watching.stderr?.on('data', (chunk) => (seen += String(chunk)));
  await until(() => seen.includes('run r4'), { what: 'the watching' });
  await place.write('go');
  const { stdout, exitCode } = await watching;
  const lines = String(stdout)
    .split('\n')
    .map((line) => DOCUMENTS.watch.parse(JSON.parse(line)));
  expect(exitCode).toBe(0);
  expect(lines).toMatchObject([
    { event: 'turn', turn: { state: 'START.sh', number: 1 } },
    { event: 'turn', turn: { state: 'END.sh', end: { kind: 'transition' } } },
    { event: 'run', run: { status: 'completed', result: 'x' } },
  ]);
});

test('resume --timeout counts for a run that has ended, and is refused for one that is open', async () => {
  const place = await Place.sharing({
    'flow/START.sh': '[ -f slow ] && sleep 60; exit 1\n',
    'asks/START.sh': 'echo "<ask next=\\"START\\">Which?</ask>"\n',
  });
  expect(await place.raymond(['start', 'flow', '--id', 'r5'])).toMatchObject({ exitCode: 1 });
  await place.write('slow');
  const { stderr } = await place.raymond(['resume', 'r5', '--timeout', '0.01m']);
  expect(stderr).toContain('0.6 s without output');
  await place.raymond(['start', 'asks', '--id', 'open', '--on-ask', 'exit']);
  const refused = await place.raymond(['resume', 'open', '--timeout', '5m']);
  expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('the run open is open (asking)') });
});
