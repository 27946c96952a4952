// The hooks of all runs that an engine executes.
import type { RunView } from '../../client/look/runs.js';
import type { Config } from '../../client/project/config.js';
import type { Project } from '../../client/project/project.js';
import type { ClientContext } from '../context.js';
import { HOOK_EVENTS } from './events.js';
import { Hooks } from './hooks.js';

/** True when the config names a hook. */
function namesHooks(config: Config): boolean {
  return HOOK_EVENTS.some((name) => config[`hook_${name}`] !== undefined);
}

/** Calls the hooks for every run that it receives. */
export class HooksOfRuns {
  private readonly byRun = new Map<string, Hooks>();
  /** Hooks of runs that have ended. */
  private readonly ending = new Set<Promise<void>>();

  constructor(
    private context: ClientContext,
    private readonly warn: (line: string) => void = context.io.say,
  ) {}

  /** The receiver of runs; does nothing when the config names no hook. */
  readonly wanted = (): HooksOfRuns['update'] | undefined =>
    namesHooks(this.context.project.config) ? this.update : undefined;

  /** Uses the hooks of this config from now on; calls in progress finish. */
  reload(project: Project): void {
    this.context = { ...this.context, project };
    for (const [runId, hooks] of this.byRun) this.settleLater(hooks, runId);
  }

  /** Accepts the state of a run and returns at once. */
  readonly update = (view: RunView): void => {
    const { runId, open } = view;
    const hooks = this.byRun.get(runId) ?? new Hooks(this.context, { runId, warn: this.warn });
    this.byRun.set(runId, hooks);
    hooks.update(view);
    if (!open) this.settleLater(hooks, runId);
  };

  /** Waits for the calls in progress. */
  async settle(): Promise<void> {
    await Promise.all([...this.ending, ...[...this.byRun.values()].map((hooks) => hooks.settle())]);
  }

  private settleLater(hooks: Hooks, runId: string): void {
    this.byRun.delete(runId);
    const settled = hooks.settle().finally(() => this.ending.delete(settled));
    this.ending.add(settled);
  }

  /** Stops them. */
  stop(): void {
    for (const hooks of this.byRun.values()) hooks.stop();
  }
}
