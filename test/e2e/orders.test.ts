// Orders to a run from another process than the one that executes it: each says what it has done, never that all is well when nothing was done.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

const waits = (name: string, tag: string): string =>
  `touch ${name}; until [ -f go ]; do sleep 0.05; done; echo "${tag}"\n`;

test('resume continues the paused agents of a run that another process executes, and prints which agents continue, or that none does', async () => {
  const fake = await fakeWith(
    { times: 1, isError: true, assistantError: 'billing_error', text: 'Credit balance is too low' },
    { text: '<result>paid</result>' },
  );
  const files = {
    'flow/START.sh': 'echo "<fork next=\\"MAIN\\">PAY</fork>"\n',
    'flow/MAIN.sh': waits('main', '<result>main</result>'),
    'flow/PAY.md': 'Pay.\n',
  };
  const at = await Place.sharing(files, fake.env);
  running = at.begin(['start', 'flow', '--id', 'r1']);
  await at.made('main');
  await until(async () => (await at.raymond(['status', 'r1'])).stdout.includes('main_pay1  paused'), {
    what: 'the pause',
  });
  expect(await at.raymond(['resume', 'r1'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^resumed main_pay1 \(paused: .*Credit balance is too low.*\)$/),
  });
  await until(async () => (await at.raymond(['status', 'r1'])).stdout.includes('main_pay1  completed'), {
    what: 'the end',
  });
  const { exitCode, stdout, stderr } = await at.raymond(['resume', 'r1', '--json']);
  expect({ exitCode, stdout: JSON.parse(stdout) as unknown }).toEqual({
    exitCode: 1,
    stdout: { runId: 'r1', resumed: [], failed: [], asks: [] },
  });
  expect(stderr).toContain('nothing to resume in r1');
  await at.write('go');
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'main' });
});

test('a question that has expired is not proposed for an answer, nor is one taken: resume continues the run', async () => {
  const at = await Place.sharing({
    'flow/START.sh': 'echo "<ask next=\\"END\\" timeout=\\"4s\\">Which?</ask>"\n',
    'flow/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  running = at.begin(['start', 'flow', '--id', 'r2', '--on-ask', 'exit']);
  expect(await running).toMatchObject({ exitCode: 2 });
  const statusOf = async (): Promise<string> => (await at.raymond(['status', 'r2'])).stdout;
  await until(async () => (await statusOf()).includes('expired'), { what: 'the end of the time' });
  expect(await statusOf()).toMatch(
    /ask_main_1 expired \d+ seconds? ago; continue with: raymond resume r2\nnext: raymond up$/,
  );
  const refused = async (): Promise<unknown> => await at.raymond(['answer', 'r2', 'red']);
  expect(await refused()).toMatchObject({
    exitCode: 64,
    stderr: expect.stringMatching(/^raymond: ask_main_1 expired \d+ seconds? ago; continue with: raymond resume r2$/),
  });
  // It is asked again, without a time.
  expect(await at.raymond(['resume', 'r2', '--on-ask', 'exit'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^resumed main \(ask_main_1 expired \d+ seconds? ago\)$/m),
  });
  expect(await at.raymond(['answer', 'r2', 'red'])).toMatchObject({ exitCode: 0, stdout: 'red' });
});

test('pause, retry and goto of what they cannot change say so', async () => {
  const at = await Place.sharing({
    'flow/START.sh': waits('began', '<goto>END</goto>'),
    'flow/END.sh': 'echo "<result>x</result>"\n',
  });
  running = at.begin(['start', 'flow', '--id', 'r3', '--no-chain']);
  await at.made('began');
  expect(await at.raymond(['retry', 'r3', 'main'])).toMatchObject({
    exitCode: 64,
    stderr: 'raymond: main is running: there is nothing to retry',
  });
  expect(await at.raymond(['goto', 'r3', 'main', 'END'])).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('a turn of main is in progress'),
  });
  expect(await at.raymond(['pause', 'r3'])).toMatchObject({ exitCode: 0 });
  await until(async () => (await at.raymond(['status', 'r3'])).stdout.includes('to be paused by'), {
    what: 'the news',
  });
  expect(await at.raymond(['pause', 'r3'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /^raymond: r3 is being paused already \(by \S+@\S+\); resume it with: raymond resume r3$/,
    ),
  });
  await at.write('go');
  expect(await running).toMatchObject({ exitCode: 3 });
  expect(await at.raymond(['pause', 'r3', '--now'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^raymond: r3 is paused already \(by \S+@\S+\); resume it with: raymond resume r3$/),
  });
});
