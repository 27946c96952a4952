// Whether a run that was ordered to continue still shows its old status.
import { expect, test } from '@jest/globals';
import { isStillAt, stopOf } from '../../src/page/stops.js';

const failed = { runId: 'one', status: 'failed', open: false, endedAt: '2026-01-01T00:00:00Z' } as const;

test('a retried run is at its stop until it reports another status, or fails again', () => {
  const later = [
    failed,
    { runId: 'one', status: 'failed', open: true } as const,
    { runId: 'one', status: 'running', open: true } as const,
    { ...failed, endedAt: '2026-01-01T00:05:00Z' },
    { ...failed, runId: 'other' },
  ];
  expect(later.map((run) => isStillAt(stopOf(failed), run))).toEqual([true, true, false, false, false]);
});
