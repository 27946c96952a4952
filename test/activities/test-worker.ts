// A worker for tests of whole turns: the real activities and launcher as built (dist), in a Temporal activity context without a server.
// Must not replace anything of a turn; what a test learns it learns from the report, the files and the processes.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { createActivities } from '../../dist/activities/index.js';
import type {
  Progress,
  TurnFailureDetails,
  TurnHeartbeat,
  TurnReport,
  TurnRequest,
} from '../../dist/contract/turns.js';
import { DEFAULT_SETTINGS, type WorkerContextSettings } from '../../dist/activities/settings.js';
import { createWorkerContext, type WorkerContext } from '../../dist/activities/worker-context.js';
import { Launcher } from '../../dist/launcher/client.js';
import { byNode } from '../support/by-node.js';
import { processesWith } from '../support/cli.js';
import { folder } from '../support/folder.js';

const { ApplicationFailure } = await byNode('@temporalio/common');
const { MockActivityEnvironment } = await byNode('@temporalio/testing');
const { DefaultLogger } = await byNode('@temporalio/worker');

/** What a test may say about a turn; `agent` lies over an agent `main` that starts with START.sh. */
export type TurnOptions = Omit<Partial<TurnRequest>, 'agent'> & { readonly agent?: Partial<TurnRequest['agent']> };

/** A turn under way. */
export interface Playing {
  readonly report: Promise<TurnReport>;
  readonly heartbeats: readonly TurnHeartbeat[];
  /** Ends it from outside: a cancel, or the end of its worker. */
  end(why: 'cancel' | 'worker shutdown' | 'not found'): void;
}

/** How the activities of a worker stand with a server: their worker's client, and how long ago they were given out. */
export interface TestWorkerServer {
  readonly client: Client;
  readonly scheduledMsAgo: number;
}

/** A worker's equipment in folders of its own. */
export class TestWorker {
  /** How many activities each agent has had. */
  private readonly activities = new Map<string, number>();
  /** Processes are found by the ids of their turns: no two workers of this host share one. */
  readonly runId = `r-${randomUUID()}`;

  private constructor(
    readonly context: WorkerContext,
    readonly progress: readonly Progress[],
    private readonly place: {
      readonly scope: string;
      readonly cwd: string;
      readonly server?: TestWorkerServer | undefined;
    },
  ) {}

  /** Where the states are. */
  get scope(): string {
    return this.place.scope;
  }

  /** Where the agent works. */
  get cwd(): string {
    return this.place.cwd;
  }

  /** The worker's own folder. */
  get raymondDir(): string {
    return this.context.settings.raymondDir;
  }

  /** A worker with these states; `environment` is all that the worker was started with. */
  static async with(
    states: Readonly<Record<string, string>>,
    options: {
      readonly environment?: Readonly<Record<string, string>>;
      readonly settings?: Partial<WorkerContextSettings>;
      readonly server?: TestWorkerServer;
    } = {},
  ): Promise<TestWorker> {
    const raymondDir = join(await folder(), '.raymond');
    const progress: Progress[] = [];
    const launcher = Launcher.start({ confirmTimeoutMs: 300_000 });
    launchers.push(launcher);
    const settings = { ...DEFAULT_SETTINGS, raymondDir, graceMs: 500, resultGraceMs: 500, ...options.settings };
    const environment = { PATH: process.env['PATH'] ?? '', ...options.environment };
    const context = createWorkerContext({
      settings,
      launcher,
      environment,
      progress: (piece) => progress.push(piece),
      limiterQueue: 'limits',
    });
    return new TestWorker(context, progress, {
      scope: await folder(states),
      cwd: await folder(),
      server: options.server,
    });
  }

  /** Plays attempt number `attempt` of a turn. */
  play(options: TurnOptions = {}, attempt = 1): Playing {
    const request = this.request(options);
    // The workflow tries again by a new activity, Temporal by a new attempt of the same one.
    const { id } = request.agent;
    if (attempt === 1) this.activities.set(id, (this.activities.get(id) ?? 0) + 1);
    const environment = new MockActivityEnvironment(
      {
        attempt,
        activityId: String(this.activities.get(id)),
        workflowExecution: { workflowId: `${this.runId}/main`, runId: `${this.runId}/${request.agent.id}` },
        currentAttemptScheduledTimestampMs: Date.now() - (this.place.server?.scheduledMsAgo ?? 0),
      },
      {
        logger: new DefaultLogger('ERROR'),
        ...(this.place.server === undefined ? {} : { client: this.place.server.client }),
      },
    );
    const heartbeats: TurnHeartbeat[] = [];
    environment.on('heartbeat', (beat: TurnHeartbeat) => heartbeats.push(beat));
    const activities = createActivities(this.context);
    const name = request.agent.state.endsWith('.md') ? 'runPrompt' : 'runScript';
    return {
      report: environment.run((turn: TurnRequest) => activities[name](turn), request),
      heartbeats,
      end: (why) => {
        if (why === 'cancel') environment.cancel();
        else environment.cancel(why === 'not found' ? 'NOT_FOUND' : 'WORKER_SHUTDOWN', {} as never);
      },
    };
  }

  /** Forgets the turns that it has done, as a worker that was started again: a slow turn is kept for the next attempt. */
  restart(): void {
    this.context.running.clear();
  }

  /** The processes that a turn of an agent has left on this host. */
  async processesOf(agentId: string, turn = 1): Promise<readonly number[]> {
    return await processesWith(`RAYMOND_TURN_ID=${this.runId}/${agentId}/${turn}\0`);
  }

  /** Plays a turn to its end. */
  async turn(options: TurnOptions = {}, attempt = 1): Promise<TurnReport> {
    return await this.play(options, attempt).report;
  }

  private request({ agent, ...options }: TurnOptions): TurnRequest {
    return {
      runId: this.runId,
      settings: { permissions: 'accept-edits' },
      ...options,
      agent: {
        id: 'main',
        scope: { kind: 'directory', path: this.scope },
        state: 'START.sh',
        via: 'start',
        cwd: this.cwd,
        home: this.cwd,
        attributes: {},
        forks: 0,
        turn: 0,
        ...agent,
      },
    };
  }
}

/** The failure of a turn as Temporal gets it. */
export async function failureOf(
  turn: Promise<unknown>,
): Promise<{ type: string; message: string; retryable: boolean } & Omit<TurnFailureDetails, 'type'>> {
  const error = await turn.then(
    (report) => new Error(`no failure: ${JSON.stringify(report)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApplicationFailure)) throw error;
  const [details] = (error.details ?? []) as readonly TurnFailureDetails[];
  if (details === undefined) throw error;
  return { ...details, type: error.type ?? '', message: error.message, retryable: error.nonRetryable !== true };
}

const launchers: Launcher[] = [];

afterAll(async () => {
  await Promise.all(launchers.splice(0).map((launcher) => launcher.close()));
});
