// One action on several runs of the list. Each run succeeds or fails on its own; the failures stay listed.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { hrefOf } from '../router.js';
import { counted } from '../words.js';
import { order } from '../pending.js';
import { Action } from './action.js';
import type { ListedRun } from '../../serve/types.js';

/** The box that selects a run. */
export function Selectable({
  id,
  selected,
  set,
}: {
  readonly id: string;
  readonly selected: readonly string[];
  readonly set: (selected: readonly string[]) => void;
}): JSX.Element {
  const isSelected = selected.includes(id);
  return (
    <input
      type="checkbox"
      class="select"
      aria-label={`Select ${id}`}
      checked={isSelected}
      onChange={() => set(isSelected ? selected.filter((one) => one !== id) : [...selected, id])}
    />
  );
}

interface BulkAction {
  readonly label: string;
  readonly consequence: string;
  readonly done: string;
  readonly tone?: 'bad';
  readonly fits: (run: ListedRun) => boolean;
  readonly act: (run: ListedRun) => Promise<unknown>;
}

const ACTIONS: readonly BulkAction[] = [
  {
    label: 'Retry failed',
    consequence: 'All agents of these runs that did not complete run their last turn again.',
    done: 'retried',
    fits: ({ status, failed = 0, open }) => status === 'failed' || (open && failed > 0),
    act: async (run) => {
      await api.retryFailed(run.runId);
      order(run, `Retrying ${counted(run.failed ?? 0, 'agent')}…`);
    },
  },
  {
    label: 'Cancel',
    tone: 'bad',
    consequence: 'Turns in progress are interrupted, and the runs end as cancelled. “Resume” can continue each later.',
    done: 'cancelled',
    fits: ({ open }) => open,
    act: ({ runId }) => api.cancel(runId),
  },
  {
    label: 'Archive',
    consequence: 'The runs are hidden from the list; “Archive” above the list shows them. Nothing is deleted.',
    done: 'archived',
    fits: ({ open, archived }) => !open && archived !== true,
    act: ({ runId }) => api.archive(runId, true),
  },
  {
    label: 'Remove from archive',
    consequence: 'The runs are in the list again.',
    done: 'removed from the archive',
    fits: ({ archived }) => archived === true,
    act: ({ runId }) => api.archive(runId, false),
  },
  {
    label: 'Delete',
    tone: 'bad',
    consequence: 'The runs are deleted permanently, with their history, conversations and results.',
    done: 'deleted',
    fits: ({ open }) => !open,
    act: ({ runId }) => api.deleteRun(runId),
  },
];

interface BulkProps {
  /** The selected runs. */
  readonly runs: readonly ListedRun[];
  readonly set: (selected: readonly string[]) => void;
  readonly changed: () => void;
}

/** What can be done with the selected runs. */
export function Bulk({ runs, set, changed }: BulkProps): JSX.Element | null {
  const [one, other, ...more] = runs;
  if (one === undefined) return null;
  return (
    <div class="row actions" role="group" aria-label="Actions on the selected runs">
      <strong>{counted(runs.length, 'run')} selected</strong>
      {other !== undefined && more.length === 0 && (
        <a class="button" href={hrefOf({ view: 'compare', one: one.runId, other: other.runId })}>
          Compare
        </a>
      )}
      {ACTIONS.map((action) => (
        <OnAll key={action.label} action={action} runs={runs.filter(action.fits)} set={set} changed={changed} />
      ))}
      <button type="button" class="quiet" onClick={() => set([])}>
        Clear
      </button>
    </div>
  );
}

function OnAll({ action, runs, set, changed }: BulkProps & { readonly action: BulkAction }): JSX.Element | null {
  if (runs.length === 0) return null;
  const { label, consequence, done, tone } = action;
  const [first, ...others] = runs;
  const act = async (): Promise<void> => {
    const failed: string[] = [];
    const problems: string[] = [];
    for (const run of runs)
      await action.act(run).catch((error: unknown) => {
        failed.push(run.runId);
        problems.push(`${run.runId}: ${error instanceof Error ? error.message : String(error)}`);
      });
    set(failed);
    changed();
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };
  const names = runs
    .slice(0, 10)
    .map(({ runId }) => runId)
    .join(', ');
  return (
    <Action
      label={`${label}${first === undefined || others.length > 0 ? ` ${runs.length}` : `: ${first.runId}`}`}
      submit={label}
      consequence={`${consequence} (${names}${runs.length > 10 ? ', …' : ''})`}
      done={`${counted(runs.length, 'run')} ${done}.`}
      act={act}
      {...(tone === undefined ? {} : { tone })}
    />
  );
}
