// The figures that a serving process shows to Prometheus, read over HTTP from real processes, and the dashboard that is drawn from them.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { z } from 'zod';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { freeAddress, pageAt, pageWhere, type MetricsPage } from '../support/metrics-page.js';

let place: Place;
let address: string;
const running: ResultPromise[] = [];
beforeAll(async () => {
  place = await Place.sharing({
    'flow/START.md': 'Begin.\n',
    'flow/ASK.sh': 'echo \'<ask next="SAY">Which colour?</ask>\'\n',
    'flow/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'quick/START.sh': 'echo "<result>done</result>"\n',
    'slow/START.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
  });
  address = await freeAddress();
});
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.kill('SIGKILL');
    await one;
  }
});

function begin(args: readonly string[], env: Readonly<Record<string, string>> = {}): ResultPromise {
  const started = place.begin(args, { env });
  running.push(started);
  return started;
}

/** A run that has had a prompt and a script and now asks. */
async function asking(runId: string): Promise<{ readonly run: ResultPromise; readonly page: MetricsPage }> {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const fake = await fakeWith({ text: '<goto>ASK</goto>', costUsd: 0.25, usage });
  const run = begin(['start', 'flow', '--id', runId, '--on-ask', 'wait', '--metrics', address], fake.env);
  const page = await pageWhere(address, (one) => one.value('raymond_asks_open') === 1);
  return { run, page };
}

describe('a run with --metrics', () => {
  test('serves turns, money, tokens, slots and open questions on the page of the SDK', async () => {
    const { run, page } = await asking('counted');
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
    await place.raymond(['answer', 'counted', 'blue']);
    expect(await run).toMatchObject({ exitCode: 0, stdout: 'blue' });
    expect(await pageAt(address)).toBeUndefined();
  });

  test('counts an attempt that failed by the type of its failure', async () => {
    await place.write('fails/START.sh', 'echo "<fork next=\\"REST\\">BAD</fork>"\n');
    await place.write('fails/BAD.sh', 'exit 3\n');
    await place.write('fails/REST.sh', 'until [ -f end ]; do sleep 0.05; done; echo "<result>x</result>"\n');
    const run = begin(['start', 'fails', '--metrics', address]);
    await pageWhere(
      address,
      (page) => page.value('raymond_turns_total', { state: 'BAD.sh', outcome: 'ScriptFailed' }) === 1,
    );
    await place.write('end');
    expect((await run).exitCode).toBe(1);
  });

  test('shows an agent that sits out a usage limit', async () => {
    const said = { isError: true, assistantError: 'rate_limit', apiErrorStatus: 429, costUsd: 0 } as const;
    const resetsAt = Math.ceil(Date.now() / 1000) + 3600;
    const fake = await fakeWith({ ...said, text: 'limit', rateLimit: { status: 'rejected', resetsAt } });
    void begin(['start', 'flow', '--id', 'limited', '--metrics', address], fake.env);
    const page = await pageWhere(address, (one) => one.value('raymond_agents_sleeping') === 1);
    expect(page.value('raymond_turns_total', { state: 'START.md', outcome: 'UsageLimit' })).toBe(1);
  });

  test('that is detached leaves them to the engine, whose config names the address', async () => {
    const other = await Place.at({
      'slow/START.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
      '.raymond/config.toml': `[raymond]\nmetrics = "${address}"\n`,
    });
    const detach = ['start', 'slow', '--id', 'behind', '--detach'];
    const refused = await other.raymond([...detach, '--metrics', address]);
    expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('add --foreground') });
    await other.raymond(detach);
    await pageWhere(address, (page) => page.value('raymond_slots_used', { kind: 'script' }) === 1);
    await other.write('go');
    expect(await other.raymond(['watch', 'behind'])).toMatchObject({ exitCode: 0, stdout: 'done' });
    await other.raymond(['down']);
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
      const called = await place.raymond(['start', 'quick', '--metrics', text]);
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
    const called = await place.raymond(['start', 'quick', '--address', '127.0.0.1:1', '--metrics', address]);
    expect(called).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('give --metrics to "raymond fleet worker"'),
    });
  });
});

test('a worker with --metrics shows its slots and its queue', async () => {
  await place.raymond(['server', 'start']);
  const { stdout } = await place.raymond(['server', 'status', '--json']);
  const server = z.object({ address: z.string() }).parse(JSON.parse(stdout)).address;
  void begin(['worker', '--address', server, '--task-queue', 'fleet', '--max-prompts', '3', '--metrics', address]);
  const page = await pageWhere(address, (one) => one.value('raymond_asks_open', { queue: 'fleet' }) === 0);
  expect(page.value('raymond_slots', { kind: 'prompt', queue: 'fleet' })).toBe(3);
  const another = await place.raymond(['worker', '--address', server, '--metrics', address]);
  expect(another).toMatchObject({ exitCode: 69, stderr: expect.stringContaining('the port is in use') });
});

describe('the Grafana dashboard', () => {
  /** What is used of Grafana's model of a dashboard (schema version 39). */
  const target = z.strictObject({
    refId: z.string().regex(/^[A-Z]$/),
    datasource: z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') }),
    editorMode: z.literal('code'),
    range: z.literal(true),
    expr: z.string().min(1),
    legendFormat: z.string(),
  });
  const panel = z.strictObject({
    id: z.int().positive(),
    type: z.enum(['timeseries', 'stat']),
    title: z.string().min(1),
    description: z.string().optional(),
    datasource: target.shape.datasource,
    gridPos: z.strictObject({
      x: z.int().min(0).max(23),
      y: z.int().min(0),
      w: z.int().min(1).max(24),
      h: z.int().min(1),
    }),
    fieldConfig: z.strictObject({ defaults: z.looseObject({ unit: z.string() }), overrides: z.array(z.never()) }),
    options: z.looseObject({}),
    targets: z.array(target).min(1),
  });
  const model = z.looseObject({
    uid: z.string().max(40),
    title: z.string(),
    schemaVersion: z.literal(39),
    time: z.strictObject({ from: z.string(), to: z.string() }),
    templating: z.strictObject({ list: z.array(z.looseObject({ name: z.string(), type: z.literal('datasource') })) }),
    panels: z.array(panel).min(1),
  });
  let dashboard: z.output<typeof model>;

  beforeAll(async () => {
    const file = fileURLToPath(new URL('../../deploy/grafana-dashboard.json', import.meta.url));
    dashboard = model.parse(JSON.parse(await readFile(file, 'utf8')));
  });

  test('has panels with ids of their own that do not cover each other', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test('asks for nothing that a real page does not have', async () => {
    const { page } = await asking('drawn');
    const exprs = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const names = exprs.flatMap((expr) => expr.match(/\b(?:raymond|temporal)_\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(exprs.length - 1);
    expect([...new Set(names)].filter((name) => !page.names.has(name))).toEqual([]);
  });
});

async function occupied(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return { port: bound.port, close: () => new Promise((resolve) => void server.close(() => resolve())) };
}
