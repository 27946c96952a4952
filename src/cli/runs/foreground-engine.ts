// An engine within a command, for `--foreground`: the same code as in the background, and no process remains when the
// command ends.
import { listRuns, type RunView } from '../../client/look/runs.js';
import { waitUntilApplied } from '../../client/look/follow.js';
import { ClientError } from '../../client/error.js';
import { engineOf } from '../../client/open.js';
import { engineStatus } from '../../engine/record.js';
import type { Progress, ProgressSink } from '../../contract/turns.js';
import { openEngine, type Engine } from '../../serve/engine/engine.js';
import { contextToServe, settingsOf, type ClientContext, type ServingContext } from '../context.js';
import type { ConnectionFlags, TelemetryFlags, ViewFlags } from '../flags.js';
import { HooksOfRuns } from '../hooks/hooks-of-runs.js';
import { servedTelemetry, telemetryOf, type Telemetry } from '../telemetry.js';

/** A person at a terminal may insist earlier. */
export const INTERACTIVE_SECONDS = 600;

/** How long turns of the project's other runs, which it also executes, may take when its own command ends. */
const OTHERS_SECONDS = 30;

/** The context of a command that starts no engine in the background. */
export function withoutEngine(given: ClientContext): ClientContext {
  const { io, project } = given;
  return { ...given, engine: engineOf(project, { caller: io, report: io.say, starts: false }) };
}

/** An engine in this process. */
export class ForegroundEngine {
  private readonly listeners = new Set<ProgressSink>();
  private note: (line: string) => void;
  private closed: Promise<void> | undefined;

  private constructor(
    readonly context: ServingContext,
    private readonly parts: {
      readonly hooks: HooksOfRuns;
      readonly open: (progress: ProgressSink, note: (line: string) => void) => Promise<Engine>;
    },
    private engine?: Engine,
  ) {
    this.note = context.io.say;
  }

  /** Becomes the engine of the project; undefined when another process already is. */
  static async open(
    { io, project }: Pick<ClientContext, 'io' | 'project'>,
    flags: ConnectionFlags & ViewFlags & TelemetryFlags,
    given?: Telemetry,
  ): Promise<ForegroundEngine | undefined> {
    if (engineStatus(project.raymondDir).kind !== 'stopped') return undefined;
    const report = flags.quiet === true ? (): void => undefined : io.say;
    const telemetry = given ?? (await telemetryOf(project, { io, flags, report }));
    const context = await contextToServe(project, { io, flags, report, telemetry });
    const hooks = new HooksOfRuns(context, (line) => here.note(line));
    const open = (progress: ProgressSink, note: (line: string) => void): Promise<Engine> =>
      openEngine({
        kind: 'foreground',
        raymond: context,
        settings: settingsOf(project),
        report: note,
        onView: hooks.wanted,
        progress,
        telemetry: servedTelemetry(telemetry, note),
      });
    const here = new ForegroundEngine(context, { hooks, open });
    try {
      await here.begin();
      return here;
    } catch (error) {
      if (error instanceof ClientError && error.code === 'RunServed') return undefined;
      throw error;
    }
  }

  /** The context of a command with this engine instead of one in the background. */
  inside(given: ClientContext): ClientContext {
    return { ...withoutEngine(given), link: this.context.link };
  }

  /** Subscribes to its turns until it is closed; lines for people go to `note`. */
  listen(listener: (event: Progress) => void, note: (line: string) => void): void {
    this.listeners.add(listener);
    this.note = note;
  }

  /** Rejects when it can no longer execute runs. */
  get broken(): Promise<never> {
    return this.engine?.broken ?? new Promise<never>(() => undefined);
  }

  /** Lets turns end within this many seconds, and the run record them; returns the run after that. */
  async finishTurns(runId: string, seconds: number): Promise<RunView | undefined> {
    const held = await this.engine?.runs?.finishTurns(seconds);
    return held === undefined ? undefined : await waitUntilApplied(this.context.link.client, runId, held);
  }

  /** Interrupts turns now; another engine runs them again. */
  async abandon(): Promise<void> {
    this.parts.hooks.stop();
    await this.engine?.runs?.abandon();
  }

  /** Stops it after the turns of other runs. `ended` = the run of the command. */
  close(ended?: RunView): Promise<void> {
    return (this.closed ??= this.end(ended));
  }

  private async end(ended: RunView | undefined): Promise<void> {
    const { engine, context } = this;
    if (ended?.open === false) await engine?.runs?.settled(ended);
    const { link, mode } = context;
    const open = await listRuns(link.client, { openOnly: true }).catch(() => []); // Temporal does not answer: nothing can be cleaned up.
    const others = open.filter((run) => run.taskQueue === mode.taskQueue && (run.runId !== ended?.runId || ended.open));
    // Tells the server at once that this worker no longer caches the histories of open runs.
    await engine?.close(OTHERS_SECONDS, { isLast: others.length === 0 });
    await this.parts.hooks.settle();
  }

  private async begin(): Promise<void> {
    const progress: ProgressSink = (event) => this.listeners.forEach((listener) => listener(event));
    this.engine = await this.parts.open(progress, (line) => this.note(line));
    this.context.io.atEnd(() => this.close());
  }
}
