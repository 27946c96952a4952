// What keeps a followed run moving: its engine is started again when it ends, and what its turns do is shown as it happens. Only
// `raymond down` ends it for good.
import { setTimeout as delay } from 'node:timers/promises';
import type { News, Progress } from '../../activities/types.js';
import { EngineError, stoppedSince } from '../../engine/ensure.js';
import { engineStatus } from '../../engine/record.js';
import { ClientError } from '../../client/error.js';
import type { RunView } from '../../client/look/runs.js';
import { serverLoss } from '../../local.js';
import type { ClientContext } from '../context.js';
import type { ConnectionFlags, ForegroundFlags, TelemetryFlags, ViewFlags } from '../flags.js';
import type { LiveView } from '../view/live.js';
import { EngineHere } from './engine-here.js';
import { followNews } from './engine-news.js';

/** The news that an engine tells as they happen; all others stand in Temporal. */
export const LIVE: ReadonlySet<News['kind']> = new Set(['queued', 'started', 'said', 'printed', 'warned']);

interface UpkeepOptions {
  readonly runId: string;
  readonly flags: ConnectionFlags & ViewFlags & TelemetryFlags & ForegroundFlags;
  readonly view: LiveView;
  /** The engine in this process. */
  readonly here?: EngineHere | undefined;
  /** Another process is the engine: when it ends, this one becomes it. */
  readonly foreground: boolean;
}

const LOOK_EVERY_MS = 500;

/** So often, and after so long, it is looked whether a server that does not answer is back. */
const TRIES = 30;
const AGAIN_MS = 1000;

/** Looks after the engine of a run until `end`. */
export class Upkeep {
  here: EngineHere | undefined;
  private readonly startedAt = Date.now();
  private readonly ended = new AbortController();
  private stopNews: () => void = () => undefined;

  constructor(
    private readonly context: ClientContext,
    private readonly options: UpkeepOptions,
  ) {
    this.here = options.here;
  }

  /** Begins to show what turns do. */
  begin(): void {
    const { view, runId } = this.options;
    const { raymondDir } = this.context.project;
    if (this.here !== undefined) this.hear(this.here);
    else if (!view.isQuiet) this.stopNews = followNews({ raymondDir, runId, take: view.take });
  }

  /** Follows a run while its engine may end and start again. Throws `Unreachable` when the engine was stopped, or is there no more. */
  async following(follow: () => Promise<RunView | undefined>, signal: AbortSignal): Promise<RunView | undefined> {
    if (this.context.mode.kind === 'cluster') return await follow();
    const lost = this.untilLost();
    for (let tries = 1; ; tries += 1) {
      try {
        const broken = this.here?.broken ?? new Promise<never>(() => undefined);
        return await Promise.race([follow(), lost, broken]);
      } catch (error) {
        if (error instanceof ClientError || error instanceof EngineError || signal.aborted) throw error;
        const loss = await serverLoss(this.context.project.raymondDir);
        this.refuseStopped();
        if (loss !== undefined && this.options.foreground) throw this.lossError(loss);
        if (this.options.foreground || tries > TRIES) throw loss === undefined ? error : this.lossError(loss);
        // The engine starts its server again, at the same address.
        await this.context.engine.ensure();
        await delay(AGAIN_MS);
      }
    }
  }

  /** Ends it. */
  end(): void {
    this.ended.abort();
    this.stopNews();
  }

  /** Never resolves: rejects when there is no engine and there can be none. */
  private async untilLost(): Promise<never> {
    const { signal } = this.ended;
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => new Promise<never>(() => undefined));
      if (this.here !== undefined || engineStatus(this.context.project.raymondDir).kind === 'running') continue;
      this.refuseStopped();
      if (!this.options.foreground) await this.context.engine.ensure();
      else this.here = await EngineHere.open(this.context, this.options.flags);
      if (this.here !== undefined) this.hear(this.here);
    }
  }

  private hear(here: EngineHere): void {
    const { view, runId } = this.options;
    this.stopNews();
    here.hear((news: Progress) => {
      if (news.runId === runId && LIVE.has(news.kind)) view.take(news);
    }, view.note);
  }

  private refuseStopped(): void {
    const { runId } = this.options;
    if (!stoppedSince(this.context.project.raymondDir, this.startedAt)) return;
    const message = `the engine of this project was stopped; ${runId} continues with: raymond up`;
    throw new ClientError('Unreachable', message);
  }

  private lossError(loss: string): ClientError {
    const next = `when that is resolved, continue with: raymond resume ${this.options.runId}`;
    return new ClientError('Unreachable', `${loss}; ${next}`);
  }
}
