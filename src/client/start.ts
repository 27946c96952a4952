// Starting a run: the request becomes the input of the `run` workflow, with a first memo so that it can be seen at once.
// Must not wait for it, serve it, or print.
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { WorkflowIdReusePolicy } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { TurnSettings } from '../activities/types.js';
import type { AgentState } from '../protocol/agent.js';
import { MAIN_AGENT, RUN_ID } from '../protocol/ids.js';
import type { Value } from '../protocol/text.js';
import { openLedger, spentUsd } from '../workflows/ledger.js';
import { summarise } from '../workflows/summary.js';
import { attributePairs } from '../workflows/attributes.js';
import { SUMMARY_MEMO, type Ledger, type RunInput } from '../workflows/contract.js';
import { ClientError } from './error.js';
import type { OpenPackage } from './package.js';

/** Turns after which an agent continues as new, when nothing else is said. */
const TURNS_PER_HISTORY = 500;

/** What to run. `input` is stored as an artifact by the caller when it is large. */
export interface StartRequest {
  readonly runId: string;
  readonly package: OpenPackage;
  readonly cwd: string;
  readonly taskQueue: string;
  readonly input?: Value;
  readonly budgetUsd?: number;
  readonly turn: TurnSettings;
  readonly failFast: boolean;
  readonly rejectAsks?: boolean;
  readonly pauseAtLimit?: boolean;
  /** Debug files are kept; absent = no. */
  readonly debug?: boolean;
  readonly searchAttributes: readonly string[];
  readonly turnsPerHistory?: number;
  readonly probeSeconds?: number;
}

/** Checks a run id that a person chose. Throws `InvalidUsage`. */
export function checkRunId(id: string): string {
  if (RUN_ID.test(id)) return id;
  throw new ClientError(
    'InvalidUsage',
    `"${id}" cannot be a run id; use letters, digits, ".", "_" and "-", a letter or digit first`,
  );
}

/** A run id nobody has: the package's name, the time, and some chance. */
export function newRunId(workflow: string, now = new Date()): string {
  const name =
    workflow
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 60) || 'run';
  const time = now.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${name}-${time}-${randomBytes(4).toString('hex')}`;
}

/** Starts the run. Throws `RunExists` when its id was ever used. */
export async function startRun(client: Client, request: StartRequest): Promise<void> {
  const input = inputOf(request);
  const ledger = openLedger(input.main, Date.now());
  try {
    await launchRun(client, { input, ledger, taskQueue: request.taskQueue, reuse: 'REJECT_DUPLICATE' });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      throw new ClientError(
        'RunExists',
        `the run id ${request.runId} is in use; choose another --id, or "raymond resume ${request.runId}"`,
      );
    }
    throw error;
  }
}

/** Starts the `run` workflow on its books; `reuse` says whether its id may have been used before. */
export async function launchRun(
  client: Client,
  {
    input,
    ledger,
    taskQueue,
    reuse,
  }: {
    readonly input: RunInput;
    readonly ledger: Ledger;
    readonly taskQueue: string;
    readonly reuse: WorkflowIdReusePolicy;
  },
): Promise<void> {
  const { runId, workflow, settings } = input;
  const shown = {
    RaymondWorkflow: workflow,
    RaymondRun: runId,
    RaymondStatus: 'running',
    RaymondCostUsd: spentUsd(ledger),
  };
  await client.workflow.start('run', {
    workflowId: runId,
    taskQueue,
    args: [input],
    workflowIdReusePolicy: reuse,
    memo: { [SUMMARY_MEMO]: summarise(ledger, { input, status: 'running' }) },
    typedSearchAttributes: attributePairs(shown, settings.searchAttributes),
    staticSummary: `${workflow} · run`,
  });
}

function inputOf({ runId, cwd, ...request }: StartRequest): RunInput {
  const main: AgentState = {
    id: MAIN_AGENT,
    scope: request.package.scope,
    state: request.package.entry,
    via: 'start',
    cwd,
    home: cwd,
    stack: [],
    ...(request.input === undefined ? {} : { pending: { value: request.input, returning: false } }),
    attributes: {},
    forks: 0,
    turn: 0,
  };
  return {
    runId,
    workflow: request.package.name,
    main,
    settings: {
      turn: { ...request.turn, ...(request.debug === true ? { debug: { startedAt: Date.now() } } : {}) },
      failFast: request.failFast,
      ...(request.rejectAsks === true ? { rejectAsks: true } : {}),
      ...(request.pauseAtLimit === true ? { pauseAtLimit: true } : {}),
      searchAttributes: request.searchAttributes,
      turnsPerHistory: request.turnsPerHistory ?? TURNS_PER_HISTORY,
      ...(request.budgetUsd === undefined ? {} : { budgetUsd: request.budgetUsd }),
      ...(request.probeSeconds === undefined ? {} : { probeSeconds: request.probeSeconds }),
    },
  };
}
