// The figures that a serving process shows to Prometheus, read over HTTP from real processes, and the addresses at which it may.
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { pageAt, pageWhere } from '../support/metrics-page.js';
import { MetricsPlace, occupied } from './metrics-place.js';

const metrics = new MetricsPlace();

describe('a run with --metrics', () => {
  test('serves turns, money, tokens, slots and open questions on the page of the SDK', async () => {
    const { run, page } = await metrics.asking('counted');
    expect(page.value('raymond_turns_total', { kind: 'prompt', state: 'START.md', outcome: 'transition' })).toBe(1);
    expect(page.value('raymond_turns_total', { kind: 'script', state: 'ASK.sh', outcome: 'transition' })).toBe(1);
    expect(page.value('raymond_turn_seconds_count')).toBe(2);
    expect(page.value('raymond_turn_seconds_sum', { kind: 'prompt' })).toBeGreaterThan(0);
    expect(page.value('raymond_turn_dollars_sum', { model: 'claude-fake-1' })).toBeCloseTo(0.25);
    expect(page.value('raymond_tokens_total', { model: 'claude-fake-1', type: 'input' })).toBe(10);
    expect(page.value('raymond_tokens_total', { model: 'claude-fake-1', type: 'output' })).toBe(5);
    expect(page.value('raymond_slots', { kind: 'prompt' })).toBe(8);
    expect(page.value('raymond_slots', { kind: 'script' })).toBe(64);
    expect(page.value('raymond_slots_used')).toBe(0);
    expect(page.value('raymond_prompts_waiting')).toBe(0);
    expect(page.value('raymond_agents_sleeping')).toBe(0);
    expect(page.value('raymond_launcher_restarts_total')).toBe(0);
    expect(page.value('temporal_workflow_task_execution_latency_count')).toBeGreaterThan(0);
    await metrics.place.raymond(['answer', 'counted', 'blue']);
    expect(await run).toMatchObject({ exitCode: 0, stdout: 'blue' });
    expect(await pageAt(metrics.address)).toBeUndefined();
  });

  test('counts an attempt that failed by the type of its failure', async () => {
    await metrics.place.write('fails/START.sh', 'echo "<fork next=\\"REST\\">BAD</fork>"\n');
    await metrics.place.write('fails/BAD.sh', 'exit 3\n');
    await metrics.place.write('fails/REST.sh', 'until [ -f end ]; do sleep 0.05; done; echo "<result>x</result>"\n');
    const run = metrics.begin(['start', 'fails', '--metrics', metrics.address]);
    await pageWhere(
      metrics.address,
      (page) => page.value('raymond_turns_total', { state: 'BAD.sh', outcome: 'ScriptFailed' }) === 1,
    );
    await metrics.place.write('end');
    expect((await run).exitCode).toBe(1);
  });
});

describe('an address', () => {
  test('that is in use is one line, before anything is started', async () => {
    const fresh = await Place.at({ 'quick/START.sh': 'echo "<result>done</result>"\n' });
    const { port, close } = await occupied();
    const asked = `127.0.0.1:${port}`;
    expect(await fresh.raymond(['start', 'quick', '--metrics', asked])).toEqual({
      exitCode: 69,
      stdout: '',
      stderr: `raymond: metrics cannot be served at ${asked}: the port is in use; choose another address with --metrics`,
    });
    expect((await fresh.raymond(['server', 'status'])).stdout).toContain('not running');
    await close();
  });

  test('of the config that another run has leaves this one without metrics, with a word', async () => {
    const { port, close } = await occupied();
    const config = `[raymond]\nmetrics = "127.0.0.1:${port}"\n`;
    const fresh = await Place.sharing({
      'quick/START.sh': 'echo "<result>done</result>"\n',
      '.raymond/config.toml': config,
    });
    const called = await fresh.raymond(['start', 'quick']);
    expect(called).toMatchObject({ exitCode: 0, stdout: 'done' });
    expect(called.stderr).toContain(`metrics are not served: metrics cannot be served at 127.0.0.1:${port}`);
    await close();
  });

  test.each(['9464', ':9464', 'localhost', '127.0.0.1:0', '127.0.0.1:65536', '::1:9464', 'http://localhost:9464'])(
    'such as %s is wrong usage',
    async (text) => {
      const called = await metrics.place.raymond(['start', 'quick', '--metrics', text]);
      expect(called).toMatchObject({ exitCode: 64, stdout: '' });
      expect(called.stderr).toContain('expected HOST:PORT such as 127.0.0.1:9464');
    },
  );

  test('in the config that is none is reported with file and line', async () => {
    const fresh = await Place.at({ '.raymond/config.toml': '[raymond]\nmetrics = "9464"\n' });
    const { exitCode, stderr } = await fresh.raymond(['list']);
    expect(exitCode).toBe(64);
    expect(stderr).toContain(`${join('.raymond', 'config.toml')}:2: metrics: expected HOST:PORT`);
  });

  test('is refused where workers do the turns', async () => {
    const words = ['start', 'quick', '--address', '127.0.0.1:1', '--metrics', metrics.address];
    const called = await metrics.place.raymond(words);
    expect(called).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('give --metrics to "raymond fleet worker"'),
    });
  });
});
