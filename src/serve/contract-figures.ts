// The part of the contract about figures: of a workflow, and of what runs have cost.
import { z } from 'zod';
import { count, list, text, time, usd } from '../client/documents/document-parts.js';

/** Statistics of the latest runs of a workflow: up to 500 among the latest 2,000 of all; medians are absent when none completed. */
export const statistics = z.strictObject({
  runs: count,
  completed: count,
  /** Completed runs of which agents failed; they count as completed, too. */
  withFailures: count,
  failed: count,
  cancelled: count,
  overBudget: count,
  costUsd: usd,
  open: count,
  medianCostUsd: usd.optional(),
  highCostUsd: usd.optional(),
  medianMs: count.optional(),
});

/** The costs of the runs that were started from this time on. */
export const spending = z.strictObject({
  since: time,
  runs: count,
  costUsd: usd,
  /** The most expensive first. */
  byWorkflow: list(z.strictObject({ workflow: text, runs: count, costUsd: usd })),
});

/** The time. */
export const spendingQuery = z.strictObject({ since: time });
