// The figures of runs that wait or are detached and of workers, and the dashboard that is drawn from such figures.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { pageWhere } from '../support/metrics-page.js';
import { MetricsPlace } from './metrics-place.js';

const metrics = new MetricsPlace();

describe('a run with --metrics', () => {
  test('shows an agent that sits out a usage limit', async () => {
    const said = { isError: true, assistantError: 'rate_limit', apiErrorStatus: 429, costUsd: 0 } as const;
    const resetsAt = Math.ceil(Date.now() / 1000) + 3600;
    const fake = await fakeWith({ ...said, text: 'limit', rateLimit: { status: 'rejected', resetsAt } });
    void metrics.begin(['start', 'flow', '--id', 'limited', '--metrics', metrics.address], fake.env);
    const page = await pageWhere(metrics.address, (one) => one.value('raymond_agents_sleeping') === 1);
    expect(page.value('raymond_turns_total', { state: 'START.md', outcome: 'UsageLimit' })).toBe(1);
  });

  test('that is detached leaves them to the engine, whose config names the address', async () => {
    const other = await Place.at({
      'slow/START.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
      '.raymond/config.toml': `[raymond]\nmetrics = "${metrics.address}"\n`,
    });
    const detach = ['start', 'slow', '--id', 'behind', '--detach'];
    const refused = await other.raymond([...detach, '--metrics', metrics.address]);
    expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('add --foreground') });
    await other.raymond(detach);
    await pageWhere(metrics.address, (page) => page.value('raymond_slots_used', { kind: 'script' }) === 1);
    await other.write('go');
    expect(await other.raymond(['watch', 'behind'])).toMatchObject({ exitCode: 0, stdout: 'done' });
    await other.raymond(['down']);
  });
});

test('a worker with --metrics shows its slots and its queue', async () => {
  const { address } = metrics;
  await metrics.place.raymond(['server', 'start']);
  const { stdout } = await metrics.place.raymond(['server', 'status', '--json']);
  const server = z.object({ address: z.string() }).parse(JSON.parse(stdout)).address;
  const words = ['worker', '--address', server, '--metrics', address];
  void metrics.begin([...words, '--task-queue', 'fleet', '--max-prompts', '3']);
  const page = await pageWhere(address, (one) => one.value('raymond_asks_open', { queue: 'fleet' }) === 0);
  expect(page.value('raymond_slots', { kind: 'prompt', queue: 'fleet' })).toBe(3);
  const another = await metrics.place.raymond(words);
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
    const { page } = await metrics.asking('drawn');
    const exprs = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const names = exprs.flatMap((expr) => expr.match(/\b(?:raymond|temporal)_\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(exprs.length - 1);
    expect([...new Set(names)].filter((name) => !page.names.has(name))).toEqual([]);
  });
});
