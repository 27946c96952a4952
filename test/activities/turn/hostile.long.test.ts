// A script that prints without end: the worker's memory stays small.
import { describe, expect, test } from '@jest/globals';
import type { Progress } from '../../../dist/contract/turns.js';
import { until } from '../../support/until.js';
import { TestWorker } from '../test-worker.js';

const MIB = 1024 ** 2;

describe('a script', () => {
  test('that prints for ever keeps the memory small, and a cancel ends it', async () => {
    const worker = await TestWorker.with({ 'START.sh': 'yes "<result>more and more and more</result>"\n' });
    const playing = worker.play({ agent: { id: 'yes' } });
    let printed = 0;
    await until(
      () => {
        // The worker would remember every word.
        for (const piece of (worker.progress as Progress[]).splice(0))
          if (piece.kind === 'said') printed += piece.text.length;
        return printed > 200 * MIB;
      },
      { what: '200 MiB of output', timeoutMs: 120_000 },
    );
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(150 * MIB);
    playing.end('cancel');
    expect((await playing.report).outcome).toEqual({ kind: 'cancelled' });
    expect(await worker.processesOf('yes')).toEqual([]);
  }, 180_000);
});
