// Reads all open runs every second and reports changes: their status and cost, their agents and their questions. For
// runs that other processes execute it also follows the turns, while a client listens to them by name.
import { listRuns, viewRun, type RunLine, type RunView } from '../../client/look/runs.js';
import { RunWatch } from '../../client/look/watch.js';
import type { Raymond } from '../../client/open.js';
import type { ProgressSink } from '../../contract/turns.js';
import { defined, messageOf } from '../../protocol/text.js';
import type { EventHub } from './hub.js';
import type { EngineRuns } from '../engine/runs.js';
import type { ServeEvent } from '../types.js';

const LOOK_EVERY_MS = 1000;

/** What to observe, and the receivers. */
interface ObserverOptions {
  readonly raymond: Raymond;
  readonly hub: EventHub;
  /** Absent = the workers of a cluster execute all runs. */
  readonly runs?: EngineRuns | undefined;
  /** Receives the turns of runs that other processes execute. */
  readonly progress: ProgressSink;
  /** Receives every change of a run that is executed here; absent = not needed. */
  readonly onView?: () => ((view: RunView) => void) | undefined;
  readonly report: (line: string) => void;
}

type Seen = ReadonlyMap<string, { readonly text: string; readonly event: ServeEvent }>;

/** Observes until it is closed. */
export class Observer {
  private readonly seen = new Map<string, Seen>();
  private readonly watches = new Map<string, RunWatch>();
  /** The open runs that are executed here, as far as known. */
  private readonly ours = new Set<string>();
  /** Since when clients have named a run, as far as it was read. */
  private readonly namedAt = new Map<string, number>();
  private lookedAt = Date.now();
  private readonly stop = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private readonly timer = setInterval(() => this.poll(), LOOK_EVERY_MS);
  private isBusy = false;
  private trouble: string | undefined;

  constructor(private readonly options: ObserverOptions) {}

  /**
   * Notes that a turn of a run is executed here: the run may have started since the last reading, and end before the
   * next.
   */
  addRun(runId: string): void {
    this.ours.add(runId);
  }

  /** Reads now; a reading in progress is enough. */
  poll(): void {
    if (this.isBusy || this.stop.signal.aborted) return;
    this.isBusy = true;
    const before = this.lookedAt;
    this.lookedAt = Date.now();
    this.looking = this.pollOnce(before)
      .then(() => (this.trouble = undefined))
      .catch((error: unknown) => this.complain(error))
      .then(() => void (this.isBusy = false));
  }

  /** Ends it. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    // Runs that have ended since the last reading are reported, too.
    if (this.options.onView?.() !== undefined) await this.pollOnce(Date.now()).catch(() => undefined);
    this.stop.abort();
    await Promise.all([...this.watches.values()].map((watch) => watch.close().catch(() => undefined)));
  }

  /** `before` = when the previous reading began. */
  private async pollOnce(before: number): Promise<void> {
    const { raymond, hub, onView } = this.options;
    if (hub.listeners === 0 && onView?.() === undefined) return;
    const { client } = raymond.link;
    const open = new Map((await listRuns(client, { openOnly: true })).map((line) => [line.runId, line]));
    const absent = [...new Set([...this.ours, ...this.seen.keys()])].filter((runId) => !open.has(runId));
    // Visibility does not list a run that has just started; of a run that has ended this is the last state.
    const views = await Promise.all(absent.map((runId) => viewRun(client, runId).catch(() => undefined)));
    for (const view of views) if (view !== undefined) open.set(view.runId, view);
    for (const line of open.values()) await this.publishChanges(line);
    for (const runId of absent) if (open.get(runId)?.open !== true) await this.forgetRun(runId);
    this.watchNamed(open, before);
  }

  private async publishChanges(line: RunLine): Promise<void> {
    const { runId } = line;
    const before = this.seen.get(runId);
    const now = factsOf(line);
    this.seen.set(runId, now);
    const changed = [...now].filter(([key, { text }]) => before?.get(key)?.text !== text);
    const gone = [...(before ?? [])].filter(([key]) => !now.has(key)).flatMap(([, { event }]) => closing(event));
    for (const event of [...changed.map(([, one]) => one.event), ...gone]) this.options.hub.publish(event);
    const { onView, runs, raymond } = this.options;
    if (runs?.has(line) !== true) return;
    if (line.open) this.ours.add(runId);
    const listener = onView?.();
    if (changed.length + gone.length > 0 && listener !== undefined) listener(await viewRun(raymond.link.client, runId));
  }

  private async forgetRun(runId: string): Promise<void> {
    this.seen.delete(runId);
    const watch = this.watches.get(runId);
    this.watches.delete(runId);
    // When it is started again, its earlier events are not sent again.
    if (this.namedAt.has(runId)) this.namedAt.set(runId, Date.now());
    await watch?.settle();
    await watch?.close();
    this.ours.delete(runId);
  }

  private watchNamed(open: ReadonlyMap<string, RunLine>, before: number): void {
    const { hub, raymond, progress } = this.options;
    // For runs that are executed here, the worker itself reports.
    const named = new Set([...hub.named].filter((runId) => !this.isOurs(runId, open.get(runId))));
    for (const runId of this.namedAt.keys()) if (!named.has(runId)) this.namedAt.delete(runId);
    for (const runId of named) {
      const since = this.namedAt.get(runId) ?? before;
      this.namedAt.set(runId, since);
      const line = open.get(runId);
      if (line?.agents === undefined) continue;
      // A client that listened before the run started gets all of its events.
      const from = line.startedAt.getTime() >= since ? 'start' : 'now';
      const watch = this.watches.get(runId) ?? new RunWatch(raymond.link.client, { runId, from, onProgress: progress });
      this.watches.set(runId, watch);
      watch.update({ agents: line.agents });
    }
    for (const [runId, watch] of this.watches)
      if (!named.has(runId)) {
        this.watches.delete(runId);
        void watch.close().catch(() => undefined); // it has no listener
      }
  }

  private isOurs(runId: string, line: RunLine | undefined): boolean {
    return this.ours.has(runId) || (line !== undefined && this.options.runs?.has(line) === true);
  }

  /** The same failure is reported once. */
  private complain(error: unknown): void {
    const text = messageOf(error);
    if (text !== this.trouble && !this.stop.signal.aborted) this.options.report(`cannot look at the runs: ${text}`);
    this.trouble = text;
  }
}

/** The facts of a run that clients get; a fact has changed when the text of its key differs. */
function factsOf({ runId, workflow, status, open, costUsd, startedAt, endedAt, agents = [] }: RunLine): Seen {
  const asking = agents.flatMap(({ id, ask }) => (ask === undefined ? [] : [{ agentId: id, askId: ask.id }]));
  const times = { startedAt: startedAt.toISOString(), ...defined({ endedAt: endedAt?.toISOString() }) };
  const events: readonly (readonly [string, ServeEvent])[] = [
    ['run', { type: 'run', runId, status, open, asks: asking.length, ...times, ...defined({ workflow, costUsd }) }],
    ...agents.map(({ id, state, status: how, costUsd: cost }) => {
      return [`agent ${id}`, { type: 'agent', runId, agentId: id, state, status: how, costUsd: cost }] as const;
    }),
    ...asking.map(
      ({ agentId, askId }) => [`ask ${askId}`, { type: 'ask', runId, agentId, askId, open: true }] as const,
    ),
  ];
  return new Map(events.map(([key, event]) => [key, { text: JSON.stringify(event), event }]));
}

/** The event for something that no longer exists. */
function closing(event: ServeEvent): readonly ServeEvent[] {
  return event.type === 'ask' ? [{ ...event, open: false }] : [];
}
