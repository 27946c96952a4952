// `raymond start`, further: runs in a crowd, quick turns and prints, and a start that is interrupted or killed.
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

  test('says nothing else of a run with many quick turns', async () => {
    const many = await Place.sharing({
      'flow/START.sh':
        'echo x >> n; [ $(wc -l < n) -lt 40 ] && echo "<goto>START</goto>" || echo "<result>x</result>"\n',
    });
    expect(await many.bin(['start', 'flow', '--quiet'])).toEqual({ stdout: 'x', stderr: '', exitCode: 0 });
  });

  test('a print is shown while the state still runs, whole, and leaves stdout to the result', async () => {
    const other = await Place.sharing({
      'flow/START.sh':
        'printf "<pri"; sleep 0.1; echo "nt>half way</print>"; until [ -f go ]; do sleep 0.05; done; echo "<result>ok</result>"\n',
    });
    const running = other.begin(['start', 'flow']);
    let said = '';
    running.stderr?.on('data', (chunk) => (said += String(chunk)));
    await until(() => said.includes('main START.sh half way\n'), { what: 'the print' });
    await other.write('go');
    expect(await running).toMatchObject({ stdout: 'ok', exitCode: 0 });
  });

  test('--detach --json tells the run and where the Web UI shows it', async () => {
    const { stdout, exitCode } = await place.bin(['start', 'flow', '--detach', '--json', '--id', 'detached-too']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      runId: 'detached-too',
      uiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/detached-too$/),
    });
    await until(async () => (await place.raymond(['result', 'detached-too'])).exitCode === 0);
  });
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

  test('Ctrl-C once lets the turn end and leaves the run resumable', async () => {
    const other = await Place.sharing({
      'flow/START.sh':
        'touch started; until [ -f go ]; do sleep 0.05; done; echo x >> turns; echo "<goto>NEXT</goto>"\n',
      'flow/NEXT.sh': 'echo "<result>$(wc -l < turns)</result>"\n',
    });
    running = other.begin(['start', 'flow', '--id', 'paused']);
    await other.made('started');
    running.kill('SIGINT');
    await other.write('go');
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(String(stderr)).toContain('raymond resume paused');
    expect(await other.raymond(['resume', 'paused'])).toMatchObject({ stdout: '1', exitCode: 0 });
  });
});
