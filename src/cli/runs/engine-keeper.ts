// Keeps a followed run moving: starts its engine again when that ends, and shows turns live. Only `raymond down` ends
// the engine for good.
import { setTimeout as delay } from 'node:timers/promises';
import type { TurnProgress, Progress } from '../../contract/turns.js';
import { EngineError, frozenText, stoppedSince } from '../../engine/ensure.js';
import { engineStatus } from '../../engine/record.js';
import { ClientError } from '../../client/error.js';
import type { RunView } from '../../client/look/runs.js';
import { serverLoss } from '../../client/project/local.js';
import type { ClientContext } from '../context.js';
import type { ConnectionFlags, ForegroundFlags, TelemetryFlags, ViewFlags } from '../flags.js';
import type { LiveView } from '../view/live.js';
import { ForegroundEngine } from './foreground-engine.js';
import { followEngineEvents } from './engine-events.js';

/** The events that an engine sends live; all others are in Temporal. */
export const LIVE_EVENTS: ReadonlySet<TurnProgress['kind']> = new Set([
  'queued',
  'started',
  'said',
  'printed',
  'warned',
]);

interface EngineKeeperOptions {
  readonly runId: string;
  readonly flags: ConnectionFlags & ViewFlags & TelemetryFlags & ForegroundFlags;
  readonly view: LiveView;
  /** The engine in this process. */
  readonly here?: ForegroundEngine | undefined;
  /** Another process is the engine: when it ends, this process becomes it. */
  readonly foreground: boolean;
}

const LOOK_EVERY_MS = 500;

/** How often, and after how long, to check whether a server is back. */
const TRIES = 30;
const AGAIN_MS = 1000;

/** Keeps the engine of a run alive until `end`. */
export class EngineKeeper {
  here: ForegroundEngine | undefined;
  private readonly startedAt = Date.now();
  private readonly ended = new AbortController();
  private stopEvents: () => void = () => undefined;

  constructor(
    private readonly context: ClientContext,
    private readonly options: EngineKeeperOptions,
  ) {
    this.here = options.here;
  }

  /** Starts showing turns live. */
  begin(): void {
    const { view, runId } = this.options;
    const { raymondDir } = this.context.project;
    if (this.here !== undefined) this.listen(this.here);
    else if (!view.isQuiet) this.stopEvents = followEngineEvents({ raymondDir, runId, onProgress: view.show });
  }

  /**
   * Follows a run while its engine may end and start again. Throws `Unreachable` when the engine was stopped, or is
   * gone.
   */
  async followWithEngine(
    follow: () => Promise<RunView | undefined>,
    signal: AbortSignal,
  ): Promise<RunView | undefined> {
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
    this.stopEvents();
  }

  /** Never resolves: rejects when there is no engine and none can start. */
  private async untilLost(): Promise<never> {
    const { signal } = this.ended;
    for (let frozen: number | undefined; ;) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => new Promise<never>(() => undefined));
      const status = engineStatus(this.context.project.raymondDir);
      if (this.here !== undefined || status.kind === 'running') continue;
      if (status.kind === 'frozen') {
        // It continues its turns when a user continues it: only a user knows why it is stopped.
        if (status.pid !== frozen) this.options.view.note(frozenText(status.pid));
        frozen = status.pid;
        continue;
      }
      this.refuseStopped();
      if (!this.options.foreground) await this.context.engine.ensure();
      else this.here = await ForegroundEngine.open(this.context, this.options.flags);
      if (this.here !== undefined) this.listen(this.here);
    }
  }

  private listen(here: ForegroundEngine): void {
    const { view, runId } = this.options;
    this.stopEvents();
    here.listen((event: Progress) => {
      if (event.runId === runId && LIVE_EVENTS.has(event.kind)) view.show(event);
    }, view.note);
  }

  private refuseStopped(): void {
    const { runId } = this.options;
    if (!stoppedSince(this.context.project.raymondDir, this.startedAt)) return;
    const message = `the engine of this project was stopped; ${runId} continues with: raymond up`;
    throw new ClientError('Unreachable', message);
  }

  private lossError(loss: string): ClientError {
    const next = `once resolved, run: raymond resume ${this.options.runId}`;
    return new ClientError('Unreachable', `${loss}; ${next}`);
  }
}
