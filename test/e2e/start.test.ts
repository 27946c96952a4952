// `raymond start` and its neighbours as users call them, on the embedded server, with scripts only.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { Place, processesWith, SAMPLES } from '../support/cli.js';
import { until } from '../support/until.js';

let place: Place;
beforeAll(async () => {
  place = await Place.sharing({
    'flow/START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">NEXT</goto>"\n',
    'flow/NEXT.sh': 'echo "<result>got $RAYMOND_INPUT</result>"\n',
    'fails/START.sh': 'echo "no such thing" >&2; exit 3\n',
    'contained/START.sh': 'touch begun; echo "<goto>END</goto>"\n',
    'contained/END.sh': '# raymond: sandbox=container\necho "<result>x</result>"\n',
    'sleeps/START.sh': 'touch started; [ -f go ] && echo "<result>went</result>" || sleep 500\n',
  });
});

describe('start', () => {
  test('prints only the result on stdout and the rest on stderr', async () => {
    const { stdout, stderr, exitCode } = await place.bin(['start', 'flow', '--input', 'hi there'], {
      env: { TEMPORAL_DEBUG: undefined },
    });
    expect({ stdout, exitCode }).toEqual({ stdout: 'got hi there', exitCode: 0 });
    expect(stderr).toMatch(
      /run flow-\d{8}-\d{6}-\w+ · http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/flow-/,
    );
    expect(stderr).toMatch(/main START\.sh → NEXT\.sh \(goto\)/);
  });

  test('is the same without its name, and as run', async () => {
    for (const args of [
      ['flow', '--input', 'x'],
      ['run', 'flow', '--input', 'x'],
    ]) {
      expect(await place.raymond(args)).toMatchObject({ stdout: 'got x', exitCode: 0 });
    }
  });

  test('--json prints one document, --quiet nothing else', async () => {
    const { stdout, stderr } = await place.raymond([
      'start',
      'flow',
      '--input',
      'x',
      '--json',
      '--quiet',
      '--id',
      'json-1',
    ]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      runId: 'json-1',
      status: 'completed',
      result: 'got x',
      costUsd: 0,
      budgetUsd: 10,
      agents: [{ id: 'main', status: 'completed', state: 'NEXT.sh', costUsd: 0, result: 'got x' }],
      asks: [],
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('a state file can be started by its path', async () => {
    expect(await place.raymond(['flow/NEXT.sh', '--input', 'direct'])).toMatchObject({
      stdout: 'got direct',
      exitCode: 0,
    });
  });

  test('a script that fails gives exit code 1, its stderr, and the way on; --json still gives the document', async () => {
    const { stdout, stderr, exitCode } = await place.bin(['start', 'fails', '--id', 'failed-1']);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain('main, START.sh: the script ended with exit code 3\nno such thing');
    expect(stderr).toContain('raymond resume failed-1');
    const json = await place.raymond(['start', 'fails', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'failed', agents: [{ id: 'main', status: 'failed' }] });
  });

  test('a state that needs a sandbox which this host cannot make is refused before the first turn', async () => {
    const { exitCode, stderr, stdout } = await place.bin(['start', 'contained', '--id', 'contained-1']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
    expect(stderr).toMatch(/END\.sh:1: the state needs the sandbox "container": .+; .+/);
    expect(await place.read('begun')).toBeUndefined();
  });

  test('an id in use is refused', async () => {
    await place.raymond(['start', 'flow', '--id', 'twice']);
    const { exitCode, stderr } = await place.bin(['start', 'flow', '--id', 'twice']);
    expect(exitCode).toBe(64);
    expect(stderr).toContain('the run id twice is in use');
  });

  test('--detach returns at once with the run id, and the run ends by itself', async () => {
    const words = ['start', 'flow', '--input', 'later', '--detach', '--id', 'detached'];
    const { stdout, stderr, exitCode } = await place.bin(words);
    expect({ stdout, exitCode }).toEqual({ stdout: 'detached', exitCode: 0 });
    expect(stderr).toContain('it continues in the background; to follow it, run: raymond watch detached');
    const ended = await until(async () => {
      const called = await place.raymond(['result', 'detached']);
      return called.exitCode === 0 ? called : undefined;
    });
    expect(ended.stdout).toBe('got later');
  });
});

describe('a run that continues', () => {
  let running: ReturnType<Place['begin']> | undefined;
  afterEach(async () => {
    running?.kill('SIGKILL');
    await running;
  });

  test('a second resume finds nothing to resume while the first executes it, and cancel ends it', async () => {
    const other = await Place.sharing({
      'sleeps/START.sh': 'touch started; sleep 500; echo "<result>late</result>"\n',
    });
    running = other.begin(['start', 'sleeps', '--id', 'busy']);
    await other.made('started');
    const second = await other.raymond(['resume', 'busy']);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toBe('nothing to resume in busy: no agent is paused');
    const status = await other.raymond(['status', 'busy']);
    expect(status.stdout).toContain('busy: running\n');
    expect(await other.raymond(['cancel', 'busy'])).toMatchObject({ exitCode: 0 });
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(5);
    expect(String(stderr)).toContain('cancelled: busy');
    expect(await processesWith('RAYMOND_WORKFLOW_ID=busy')).toEqual([]);
  });

  test('Ctrl-C twice ends the turn now; resume runs it again', async () => {
    const other = await Place.at({
      'flow/START.sh': 'touch started; [ -f go ] && echo "<result>ok</result>" || sleep 500\n',
    });
    running = other.begin(['start', 'flow', '--id', 'twice']);
    await other.made('started');
    let said = '';
    running.stderr?.on('data', (chunk) => (said += String(chunk)));
    running.kill('SIGINT');
    // Two signals at once would be one: the second Ctrl-C follows the answer to the first.
    await until(() => said.includes('Ctrl-C again'), { what: 'the answer to Ctrl-C' });
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(await processesWith('RAYMOND_WORKFLOW_ID=twice')).toEqual([]);
    await other.write('go');
    expect(await other.raymond(['resume', '--all'])).toMatchObject({ stdout: 'ok', exitCode: 0 });
  });
});

test('the hello sample says hello', async () => {
  expect(await place.raymond([join(SAMPLES, 'hello'), '--input', 'Ada'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Ada'),
  });
});

describe('the input', () => {
  test('is read from stdin or from a file, whole', async () => {
    const long = 'line\n'.repeat(20_000).trim();
    await place.write('input.txt', long);
    await place.write('length/START.sh', 'echo "<result>$(wc -c < "$RAYMOND_INPUT_FILE")</result>"\n');
    const length = String(long.length);
    expect(await place.raymond(['start', 'length', '--input', '-'], { input: long })).toMatchObject({ stdout: length });
    expect(await place.raymond(['start', 'length', '--input-file', 'input.txt'])).toMatchObject({ stdout: length });
    expect(await place.raymond(['start', 'length', '--input-file', 'none.txt'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringMatching(/^raymond: --input-file: cannot read none\.txt: /),
    });
    const both = ['--input', 'x', '--input-file', 'input.txt'];
    expect(await place.raymond(['start', 'length', ...both])).toMatchObject({ exitCode: 64 });
  });
});
