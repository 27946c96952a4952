// What views show between an order and the first report of the new execution.
import { beforeAll, expect, test } from '@jest/globals';

type Pending = typeof import('../../src/page/pending.js');
let pending: Pending;

// The parts of a browser that the module uses when it is loaded.
beforeAll(async () => {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  Object.assign(globalThis, { localStorage, addEventListener: () => undefined });
  pending = await import('../../src/page/pending.js');
});

const failed = { runId: 'one', status: 'failed', open: false, endedAt: '2026-01-01T00:00:00Z' } as const;

test('a retried run shows the order until it reports another status, or fails again', () => {
  pending.order(failed, 'Retrying 60 agents…');
  const shown = [
    failed,
    { runId: 'one', status: 'failed', open: true } as const,
    { runId: 'one', status: 'running', open: true } as const,
    { ...failed, endedAt: '2026-01-01T00:05:00Z' },
    { ...failed, runId: 'other' },
  ].map((run) => pending.orderOf(run));
  expect(shown).toEqual(['Retrying 60 agents…', 'Retrying 60 agents…', undefined, undefined, undefined]);
});
