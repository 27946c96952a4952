// One case as a run: sets up its folder, starts it, answers its questions, follows it until it ends or is
// held, and collects its results.
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScriptedCall } from '../backends/scripted/backend.js';
import { openPackage, type OpenPackage } from '../client/start/package.js';
import { viewRun, type RunView } from '../client/look/runs.js';
import { checkInput, runEnvironment, startRun } from '../client/start/start.js';
import { withAllForks } from '../history/steps.js';
import { executionOf, type RecordedTurn } from '../history/turns.js';
import { SEARCH_ATTRIBUTES } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { TEST_QUEUE, type TestEnvironment } from './environment.js';
import type { TestCase } from './case-file.js';
import { Questions, type AskedQuestion } from './questions.js';
import { layOut, type CaseFolders } from './repository.js';
import { checkStateNames } from './unknown-states.js';
import { waitsOf, type Wait } from './waited.js';

/** A run of a case as it was when it ended or was held. */
export interface CaseRecord {
  readonly runId: string;
  readonly folders: CaseFolders;
  readonly workflow: OpenPackage;
  readonly view: RunView;
  /** Of all agents, in the order in which they ended. */
  readonly turns: readonly RecordedTurn[];
  readonly calls: readonly ScriptedCall[];
  readonly asked: readonly AskedQuestion[];
  readonly waits: readonly Wait[];
  readonly prints: readonly string[];
  readonly warnings: readonly string[];
  /** Why following it stopped, when it did not end by itself. */
  readonly stopped?: string;
}

/** How long a case may take in real time. */
export interface CaseLimits {
  readonly seconds: number;
}

/** The budget of a case that sets none, in USD: the default of runs. */
const DEFAULT_BUDGET = 10;

/** A case with this many turns is in a loop. */
const MAX_TURNS = 1000;

const QUICK_MS = 40;
const SLOW_MS = 1000;
const QUICK_FOR_MS = 2000;

/** Runs a case. Throws `ClientError` when it cannot be started. */
export async function runCase(environment: TestEnvironment, test: TestCase, limits: CaseLimits): Promise<CaseRecord> {
  const running = await CaseRun.begin(environment, test);
  return await running.finish(limits);
}

class CaseRun {
  private readonly calls: ScriptedCall[] = [];
  private readonly prints: string[] = [];
  private readonly warnings: string[];
  private readonly questions: Questions;
  private turns = 0;
  /** Until when a change is likely soon, in epoch milliseconds. */
  private quickUntil = 0;
  private ring: () => void = () => undefined;

  private constructor(
    private readonly environment: TestEnvironment,
    private readonly test: TestCase,
    private readonly running: { readonly runId: string; readonly folders: CaseFolders; readonly workflow: OpenPackage },
  ) {
    this.warnings = [...running.workflow.warnings];
    const { runId, folders } = running;
    this.questions = new Questions({ environment, test, runId, folder: join(folders.work, '..', 'answers') });
  }

  static async begin(environment: TestEnvironment, test: TestCase): Promise<CaseRun> {
    const slug =
      test.name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')
        .slice(0, 40) || 'case';
    const folder = await mkdtemp(join(environment.folder, `${slug}-`));
    const folders = await layOut(folder, { repository: environment.repository, test });
    const workflow = await openPackage(test.workflow, {
      cwd: folders.work,
      cacheDir: join(environment.folder, 'registry'),
      check: { ignore: [] },
    });
    await checkStateNames(test, workflow);
    const runId = folder.slice(environment.folder.length + 1);
    const run = new CaseRun(environment, test, { runId, folders, workflow });
    await run.start();
    return run;
  }

  private async start(): Promise<void> {
    const { environment, test, running } = this;
    const { runId, folders, workflow } = running;
    const { input, budget, model, effort, cwd = '.', env = {} } = test.start;
    checkInput(workflow, input);
    const { environment: variables, warnings } = runEnvironment(workflow, { ...environment.env, ...env });
    this.warnings.push(...warnings);
    const path = `${folders.bin}:${env['PATH'] ?? environment.env['PATH'] ?? ''}`;
    const manifestBudget = workflow.manifest?.defaultBudgetUsd ?? 0;
    const budgetUsd = budget ?? (manifestBudget > 0 ? manifestBudget : DEFAULT_BUDGET);
    environment.expect(runId, {
      script: test.script,
      onCall: (call) => void this.calls.push(call),
      progress: (event) => this.onProgress(event),
    });
    await startRun(environment.link.client, {
      runId,
      package: workflow,
      cwd: resolve(folders.work, cwd),
      taskQueue: TEST_QUEUE,
      turn: {
        permissions: 'accept-edits',
        environment: { ...variables, ...env, PATH: path },
        ...defined({ model, effort }),
      },
      failFast: false,
      skipsWaits: true,
      turnsPerHistory: 2 * MAX_TURNS,
      searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
      ...(budgetUsd === 0 ? {} : { budgetUsd }),
      ...(input === undefined ? {} : { input: await environment.artifacts.value(input) }),
    });
  }

  private onProgress(event: Parameters<Parameters<TestEnvironment['expect']>[1]['progress']>[0]): void {
    if (event.kind === 'started') this.turns += 1;
    if (event.kind === 'printed') this.prints.push(event.text);
    if (event.kind === 'warned') this.warnings.push(event.text);
    const asks =
      event.kind === 'ended' && event.outcome.kind === 'transition' && event.outcome.transition.kind === 'ask';
    if (asks || event.kind === 'failed') {
      this.quickUntil = Date.now() + QUICK_FOR_MS;
      this.ring();
    }
  }

  async finish({ seconds }: CaseLimits): Promise<CaseRecord> {
    const { client } = this.environment.link;
    const { runId, folders, workflow } = this.running;
    const until = Date.now() + seconds * 1000;
    const { view, stopped } = await this.followed(until);
    if (stopped !== undefined) await client.workflow.getHandle(runId).cancel();
    const { artifacts } = this.environment;
    const ids = view.agents.map(({ id }) => id);
    const turns = (
      await Promise.all(ids.map((agentId) => executionOf(client, { runId, agentId }, { artifacts })))
    ).flatMap((one) => one.turns);
    const waits = await waitsOf(client, { runId, late: this.questions.late });
    return {
      ...{ runId, folders, workflow, view, waits, calls: this.calls, prints: this.prints, warnings: this.warnings },
      asked: [...this.questions.asked.values()],
      turns: await withAllForks(
        turns.toSorted((one, other) => one.endedAt.getTime() - other.endedAt.getTime()),
        artifacts,
      ),
      ...defined({ stopped }),
    };
  }

  private async followed(until: number): Promise<Pick<CaseRecord, 'view' | 'stopped'>> {
    const { client } = this.environment.link;
    const { runId } = this.running;
    const ended = client.workflow
      .getHandle(runId)
      .result()
      .then(
        () => undefined,
        () => undefined, // a run that failed has ended, too
      );
    for (;;) {
      const timer = new AbortController();
      const rung = new Promise<void>((done) => (this.ring = done));
      const look = delay(Date.now() < this.quickUntil ? QUICK_MS : SLOW_MS, undefined, { signal: timer.signal });
      await Promise.race([ended, look.catch(() => undefined), rung]);
      timer.abort();
      const view = await viewRun(client, runId);
      if (!view.open || view.status === 'paused') return { view };
      const asked = await this.questions.answer(view);
      if (asked === 'waits') return { view };
      if (asked === 'answers') this.quickUntil = Date.now() + QUICK_FOR_MS;
      if (this.turns > MAX_TURNS) return { view, stopped: `more than ${MAX_TURNS} turns: the run is in a loop` };
      if (Date.now() > until) return { view, stopped: `still ${whereIs(view)} when the time limit of the case ended` };
    }
  }
}

function whereIs({ agents }: RunView): string {
  return agents.map(({ id, status, state }) => `${status} in ${state} (${id})`).join(', ');
}
