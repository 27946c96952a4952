// Runs started in a crowd, and a start that is killed.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Place, processesWith } from '../support/cli.js';
import { until } from '../support/until.js';

let place: Place;
beforeAll(async () => {
  place = await Place.sharing({
    'flow/START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">NEXT</goto>"\n',
    'flow/NEXT.sh': 'echo "<result>got $RAYMOND_INPUT</result>"\n',
    'fails/START.sh': 'echo "no such thing" >&2; exit 3\n',
    'sleeps/START.sh': 'touch started; [ -f go ] && echo "<result>went</result>" || sleep 500\n',
  });
});

describe('start', () => {
  test('ten runs at once on one server all end right, in one process or in several', async () => {
    const calls = Array.from({ length: 10 }, (_, n) => {
      const args = ['start', 'flow', '--input', `run ${n}`];
      return n < 3 ? place.bin(args) : place.raymond(args);
    });
    const ended = await Promise.all(calls);
    expect(ended.map(({ stdout, exitCode }) => `${exitCode} ${stdout}`)).toEqual(
      Array.from({ length: 10 }, (_, n) => `0 got run ${n}`),
    );
  }, 120_000);
});

describe('a run that continues', () => {
  let running: ReturnType<Place['begin']> | undefined;
  afterEach(async () => {
    running?.kill('SIGKILL');
    await running;
  });

  test('survives kill -9 of its process: nothing of the turn is left, list says what to do, resume finishes it', async () => {
    const own = await Place.at({
      'sleeps/START.sh': 'touch started; [ -f go ] || sleep 500; echo "<result>went</result>"\n',
    });
    running = own.begin(['start', 'sleeps', '--id', 'killed']);
    await own.made('started');
    expect(await processesWith('RAYMOND_WORKFLOW_ID=killed')).not.toEqual([]);
    running.kill('SIGKILL');
    await running;
    await until(async () => (await processesWith('RAYMOND_WORKFLOW_ID=killed')).length === 0, {
      what: 'the end of the script',
    });
    expect(await own.raymond(['list'])).toMatchObject({
      stdout: expect.stringMatching(/^killed +sleeps +running /m),
      stderr: 'the engine of this project does not run, so open runs wait; start it with: raymond up',
    });
    await own.write('go');
    expect(await own.raymond(['resume', 'killed'])).toMatchObject({ stdout: 'went', exitCode: 0 });
  });
});
