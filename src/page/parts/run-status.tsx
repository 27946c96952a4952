// The status of a run: what it was ordered to do, that it is pausing, or that it completed although agents failed.
import type { JSX } from 'preact';
import { orderOf } from '../pending.js';
import { Status } from './bits.js';
import type { ListedRun } from '../../serve/types.js';

/** What the status is made of; runs in lists and single runs have it. */
export type RunState = Pick<ListedRun, 'runId' | 'status' | 'open' | 'endedAt' | 'pausedBy' | 'failed'>;

/** A pause was ordered, and turns are still in progress. */
export function isPausing({ open, status, pausedBy }: RunState): boolean {
  return open && pausedBy !== undefined && status !== 'paused';
}

/** The status. */
export function RunStatus({ run }: { readonly run: RunState }): JSX.Element {
  const { status, failed = 0 } = run;
  const order = orderOf(run);
  if (order !== undefined) return <span class="status wait">{order}</span>;
  if (isPausing(run)) return <span class="status wait">‖ pausing after the current turns</span>;
  if (status !== 'completed' || failed === 0) return <Status of={status} />;
  return (
    <span class="status bad">
      <span aria-hidden="true">✗</span> completed, {failed} failed
    </span>
  );
}
