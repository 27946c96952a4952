// The JSON document of a run (`--json`) and its result as text: what scripts read.
// Must not print.
import type { ArtifactStore } from '../store/folder.js';
import type { RunView } from '../client/runs.js';
import type { Value } from '../protocol/text.js';
import { asksOf, type AskDocument } from './asks.js';
import { textOf } from './texts.js';

/** The shape that design and tests promise; absent fields are absent. */
export interface RunDocument {
  readonly runId: string;
  readonly status: RunView['status'];
  readonly result?: string;
  readonly costUsd: number;
  readonly budgetUsd?: number;
  readonly agents: readonly {
    readonly id: string;
    readonly status: string;
    readonly state: string;
    readonly result?: string;
    readonly error?: string;
    readonly costUsd: number;
  }[];
  readonly asks: readonly AskDocument[];
  readonly startedAt: string;
  readonly endedAt?: string;
}

/** The document of a run, its large results read from the artifact store. */
export async function documentOf(view: RunView, artifacts: ArtifactStore): Promise<RunDocument> {
  const { runId, status, costUsd, budgetUsd, startedAt, endedAt } = view;
  return {
    runId,
    status,
    ...(await resultOf(view.result, artifacts)),
    costUsd,
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    agents: await Promise.all(
      view.agents.map(async ({ until: _until, ask: _ask, result, ...line }) => ({
        ...line,
        ...(await resultOf(result, artifacts)),
      })),
    ),
    asks: await asksOf(view, artifacts),
    startedAt: startedAt.toISOString(),
    ...(endedAt === undefined ? {} : { endedAt: endedAt.toISOString() }),
  };
}

async function resultOf(value: Value | undefined, artifacts: ArtifactStore): Promise<{ readonly result?: string }> {
  return value === undefined ? {} : { result: await textOf(value, artifacts) };
}
