// What a waterfall shows: turns, what lies between them, and what is in progress.
import { describe, expect, test } from '@jest/globals';
import { barAt, nearestBar, ticksOf, waterfallOf } from '../../../src/page/parts/waterfall-lanes.js';
import { earlierTries, withLater } from '../../../src/page/turn-groups.js';
import type { Turn } from '../../../src/page/words.js';
import type { Run } from '../../../src/serve/types.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

const turn = (number: number, [from, to]: readonly [number, number], more: Partial<Turn> = {}): Turn => ({
  agentId: 'main',
  number,
  state: 'A.sh',
  startedAt: at(from),
  endedAt: at(to),
  attempts: 1,
  end: { kind: 'transition', transition: { kind: 'goto', target: 'A.sh' } },
  costUsd: 0,
  durationMs: (to - from) * 1000,
  warnings: [],
  ...more,
});
const agent = (more: Partial<Run['agents'][number]> = {}): Run['agents'][number] => ({
  id: 'main',
  status: 'running',
  state: 'A.sh',
  costUsd: 0,
  ...more,
});
const run = (agents: Run['agents']): Run => ({
  runId: 'one',
  status: 'running',
  costUsd: 0,
  agents,
  asks: [],
  startedAt: at(0),
  workflow: 'w',
  scope: '/w',
  open: true,
  agentsBefore: 0,
  next: '',
});
const kindsOf = (agents: Run['agents'], turns: readonly Turn[], now = 100): readonly string[] =>
  waterfallOf(run(agents), turns, START + now * 1000).lanes[0]?.bars.map(({ kind }) => kind) ?? [];

test('an agent that works or is queued is not drawn as waiting', () => {
  const kinds = (['running', 'queued', 'awaiting'] as const).map(
    (status) => kindsOf([agent({ status, since: at(0) })], [])[0],
  );
  expect(kinds).toEqual(['running', 'queued', 'waited']);
});

test('lanes are in the order of the numbers in their names', () => {
  const { lanes } = waterfallOf(run(['main_a10', 'main_a2', 'main'].map((id) => agent({ id }))), [], START);
  expect(lanes.map(({ agentId }) => agentId)).toEqual(['main', 'main_a2', 'main_a10']);
});

test('the bar next to an empty time is found', () => {
  const lanes = waterfallOf(run([agent({ status: 'completed' })]), [turn(1, [0, 1]), turn(2, [10, 11])], START);
  expect([3, 9, 10.5].map((seconds) => (nearestBar(lanes, START + seconds * 1000) - START) / 1000)).toEqual([
    1, 10, 10.5,
  ]);
});

test('of a turn that was run again all tries but the last have a number', () => {
  const tries = [turn(1, [0, 1]), turn(1, [2, 3]), turn(1, [4, 5]), turn(2, [6, 7])];
  expect(tries.map((one) => earlierTries(tries).get(one))).toEqual([1, 2, undefined, undefined]);
});

describe('a lane', () => {
  test('has a bar for each turn, and a gap of more than a second is waiting', () => {
    expect(kindsOf([agent()], [turn(1, [0, 2]), turn(2, [2.5, 4]), turn(3, [9, 10])])).toEqual([
      'ran',
      'ran',
      'waited',
      'ran',
    ]);
  });

  test('has the time in a queue before its turn, apart from what the turn took', () => {
    const queued = turn(2, [4, 9], { queuedAt: at(3), ranAt: at(6) });
    const { lanes } = waterfallOf(run([agent()]), [turn(1, [0, 1]), queued], START + 100_000);
    expect(lanes[0]?.bars.map(({ kind, from, to }) => [kind, (from - START) / 1000, (to - START) / 1000])).toEqual([
      ['ran', 0, 1],
      ['waited', 1, 3],
      ['queued', 3, 6],
      ['ran', 6, 9],
    ]);
  });

  test('distinguishes what was retried and what failed', () => {
    const failed = { kind: 'failed', failure: { type: 'ScriptFailed', message: 'no' } } as const;
    expect(kindsOf([agent()], [turn(1, [0, 2], { attempts: 2 }), turn(2, [2, 3], { end: failed })])).toEqual([
      'retried',
      'failed',
    ]);
  });

  test('ends with what is in progress: running, queued, or waiting', () => {
    expect(kindsOf([agent({ since: at(5), phase: 'running' })], [])).toEqual(['running']);
    expect(kindsOf([agent({ since: at(5), phase: 'queued' })], [])).toEqual(['queued']);
    expect(kindsOf([agent({ since: at(5), status: 'asking' })], [])).toEqual(['waited']);
  });

  test('of an agent that the run lists no more is there by its turns', () => {
    const { lanes } = waterfallOf(run([agent()]), [turn(1, [3, 4], { agentId: 'main_old1' })], START);
    expect(lanes.map(({ agentId }) => agentId)).toEqual(['main', 'main_old1']);
  });

  test('gets the bars of later turns; the bars of other agents are kept as they are', () => {
    const first = [turn(1, [0, 2]), turn(1, [1, 3], { agentId: 'main_a1' })];
    const all = withLater(first, [turn(2, [4, 6]), turn(2, [7, 8], { agentId: 'main_b1' })]);
    const [before, after] = [first, all].map((turns) => waterfallOf(run([]), turns, START).lanes);
    expect(after?.map(({ agentId, bars }) => [agentId, bars.map(({ kind }) => kind)])).toEqual([
      ['main', ['ran', 'waited', 'ran']],
      ['main_a1', ['ran']],
      ['main_b1', ['ran']],
    ]);
    expect(after?.[1]?.bars).toBe(before?.[1]?.bars);
  });
});

test.each([
  ['a second', 1000, 200],
  ['a minute', 60_000, 10_000],
  ['a day', 86_400_000, 6 * 3_600_000],
  ['a year', 365 * 86_400_000, 55 * 86_400_000],
])('ticks of %s stand at round times with room between them', (_name, length, step) => {
  const ticks = ticksOf({ from: START + 1, to: START + length }, { perPixel: length / 600 });
  const zone = new Date(START).getTimezoneOffset() * 60_000;
  expect(ticks.length).toBeGreaterThan(3);
  expect(ticks.map(({ time }) => (time - zone) % step)).toEqual(ticks.map(() => 0));
  expect((ticks[1]?.time ?? 0) - (ticks[0]?.time ?? 0)).toBe(step);
  expect(ticks.every(({ words }) => words !== '')).toBe(true);
});

test('the bar at a time is found among thousands, turns before gaps', () => {
  const turns = Array.from({ length: 5000 }, (_one, index) => turn(index + 1, [index * 10, index * 10 + 2]));
  const [lane] = waterfallOf(run([agent()]), turns, START).lanes;
  expect(lane && barAt(lane, START + 40_001_000, 10)?.turn).toBe(4001);
  expect(lane && barAt(lane, START + 40_005_000, 10)?.kind).toBe('waited');
  expect(lane && barAt(lane, START + 40_002_500, 1000)?.turn).toBe(4001);
  expect(lane && barAt(lane, START - 5000, 10)).toBeUndefined();
});
