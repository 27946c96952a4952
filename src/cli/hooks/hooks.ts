// The hooks of a run: commands of the config that get each event of the run as one JSON document on stdin, at least
// once. They never hold or fail a run: a failed call is retried, and then reported.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunView } from '../../client/look/runs.js';
import { turnsOf, type TurnEnd } from '../../history/turns.js';
import { fileNameOfRun } from '../../protocol/ids.js';
import { defined, messageOf } from '../../protocol/text.js';
import { uiAddress } from '../../client/open.js';
import type { ClientContext } from '../context.js';
import {
  failureKey,
  hasFailed,
  HOOK_EVENTS,
  occasionsOf,
  type HookEvent,
  type HookName,
  type Occasion,
} from './events.js';
import { HookRecord, type Pending } from './record.js';
import { textOf } from '../../client/documents/run-document.js';

/** The pause before each attempt. */
const TRIES_MS = [0, 1000, 5000];

/** The default time limit of an attempt. */
const TRY_SECONDS = 30;

/** How long the end of a run waits for calls in progress. */
const SETTLE_MS = 10_000;

/**
 * A hook's output goes into a file: a process that it leaves behind would keep a pipe open. File descriptor 3 closes
 * when the process that called the hook ends in any way: then the guard kills the hook and its whole group.
 */
const LEASHED = `
{ read -r _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
guard=$!
sh -c "$1" 3<&- >>"$2" 2>&1
code=$?
kill -KILL "$guard"
exit "$code"`;

interface HookOptions {
  readonly runId: string;
  /** A line for people. */
  readonly warn: (line: string) => void;
}

/** Calls a project's hooks on the events of one run. */
export class Hooks {
  private readonly commands: ReadonlyMap<HookName, string>;
  private readonly stopped = new AbortController();
  private record: HookRecord | undefined;
  private looking = Promise.resolve();
  /** The work of each hook: one call at a time, in the order of the events. */
  private readonly calls = new Map<HookName, Promise<void>>();
  /** Waits that are not for a limit. */
  private readonly otherWaits = new Set<string>();
  private lastProblem: string | undefined;

  constructor(
    private readonly context: ClientContext,
    private readonly options: HookOptions,
  ) {
    const { config } = context.project;
    this.commands = new Map(
      HOOK_EVENTS.flatMap((name) => {
        const command = config[`hook_${name}`];
        return command === undefined ? [] : [[name, command] as const];
      }),
    );
  }

  /** Accepts the state of the run and returns at once. */
  update(view: RunView): void {
    if (this.commands.size === 0 || this.stopped.signal.aborted) return;
    this.looking = this.looking.then(() => this.queueEvents(view)).catch((error: unknown) => this.complain(error));
  }

  /** Waits for the calls in progress, at most 10 s; the next engine reports the rest. */
  async settle(): Promise<void> {
    const idle = new AbortController();
    const timeout = delay(SETTLE_MS, undefined, { signal: AbortSignal.any([idle.signal, this.stopped.signal]) });
    const late = await Promise.race([this.idle().then(() => false), timeout.then(() => true).catch(() => false)]);
    idle.abort();
    if (late) this.options.warn(`warning: hooks did not end within ${SETTLE_MS / 1000} s and were stopped`);
    this.stop();
    await this.idle();
    await this.record?.close().catch((error: unknown) => this.complain(error));
  }

  /** Stops the calls in progress. */
  stop(): void {
    this.stopped.abort();
  }

  private async idle(): Promise<void> {
    await this.looking;
    await Promise.all(this.calls.values());
  }

  private async queueEvents(view: RunView): Promise<void> {
    const record = await this.opened();
    if (record === undefined) return;
    for (const agent of view.agents) if (!hasFailed(agent)) record.forget(failureKey(agent.id));
    const events: Pending[] = [];
    for (const occasion of occasionsOf(view)) {
      if (!this.commands.has(occasion.event) || record.knows(occasion.key)) continue;
      if (occasion.event === 'limit' && !(await this.isLimit(occasion))) continue;
      events.push({ key: occasion.key, event: await this.eventOf(view, occasion) });
    }
    if (events.length === 0) return;
    // An event that cannot be noted is reported anyway, perhaps twice.
    await record.add(events).catch((error: unknown) => this.complain(error));
    for (const item of events) this.call(record, item);
  }

  /** The record, once no other process has it; events that the other one did not report are reported now. */
  private async opened(): Promise<HookRecord | undefined> {
    if (this.record !== undefined) return this.record;
    this.record = await HookRecord.open(this.context.project.raymondDir, this.options.runId);
    for (const item of this.record?.pending ?? []) if (this.record !== undefined) this.call(this.record, item);
    return this.record;
  }

  /** An agent also waits before its own retries; the failure of its last turn says why. */
  private async isLimit({ key, facts: { agentId = '' } }: Occasion): Promise<boolean> {
    if (this.otherWaits.has(key)) return false;
    let last: TurnEnd | undefined;
    const { link } = this.context;
    for await (const { end } of turnsOf(link.client, { runId: this.options.runId, agentId })) last = end;
    const isLimit = last?.kind === 'failed' && last.failure.type === 'UsageLimit';
    if (!isLimit) this.otherWaits.add(key);
    return isLimit;
  }

  private async eventOf(
    { runId, workflow, labels, costUsd, budgetUsd }: RunView,
    { event, facts: { prompt, ...facts } }: Occasion,
  ): Promise<HookEvent> {
    const { artifacts } = this.context;
    // A text that is not on this host must not keep the question from being reported.
    const text = prompt === undefined ? undefined : await textOf(prompt, artifacts).catch(() => undefined);
    const at = new Date().toISOString();
    const more = defined({ prompt: text, labels, budgetUsd, uiUrl: uiAddress(this.context, runId) });
    return { event, runId, workflow, ...facts, costUsd, ...more, at };
  }

  private call(record: HookRecord, item: Pending): void {
    const { event: name } = item.event;
    const before = this.calls.get(name) ?? Promise.resolve();
    const delivered = before.then(() => this.deliver(record, item)).catch((error: unknown) => this.complain(error));
    this.calls.set(name, delivered);
  }

  private async deliver(record: HookRecord, item: Pending): Promise<void> {
    const name = item.event.event;
    const command = this.commands.get(name);
    if (command === undefined) return;
    const { signal } = this.stopped;
    let problem: string | undefined;
    for (const pause of TRIES_MS) {
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      problem = await this.run(command, item.event);
      if (problem === undefined) return await record.delivered(item);
    }
    if (signal.aborted) return;
    const log = logOf(this.context, this.options.runId);
    this.options.warn(`warning: hook_${name} failed ${TRIES_MS.length} times (${problem}); its output: ${log}`);
  }

  /** Runs a hook once; returns its error, if any. */
  private async run(command: string, event: HookEvent): Promise<string | undefined> {
    const { io, project } = this.context;
    const { execa } = await import('execa');
    const log = logOf(this.context, this.options.runId);
    await appendFile(log, '', { mode: 0o600 });
    const seconds = project.config.hook_timeout ?? TRY_SECONDS;
    const timedOut = AbortSignal.any([this.stopped.signal, AbortSignal.timeout(seconds * 1000)]);
    const child = execa('sh', ['-c', LEASHED, 'sh', command, log], {
      cwd: project.root,
      env: io.env,
      extendEnv: false,
      input: `${JSON.stringify(event)}\n`,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      // Its own process group: it is killed as a whole, and Ctrl-C does not reach it.
      detached: true,
      reject: false,
    });
    const end = (): void => endGroup(child.pid);
    timedOut.addEventListener('abort', end, { once: true });
    if (timedOut.aborted) end();
    const { exitCode, signal, shortMessage } = await child;
    timedOut.removeEventListener('abort', end);
    if (exitCode === 0) return undefined;
    if (timedOut.aborted) return `ended after ${seconds} s`;
    return exitCode === undefined ? (signal ?? shortMessage ?? 'not started') : `exit code ${exitCode}`;
  }

  /** Reports why hooks cannot be called, once while the reason stays the same. */
  private complain(error: unknown): void {
    const problem = messageOf(error);
    if (problem !== this.lastProblem) this.options.warn(`warning: hooks: ${problem}`);
    this.lastProblem = problem;
  }
}

function logOf({ project }: ClientContext, runId: string): string {
  return join(project.raymondDir, 'runs', `${fileNameOfRun(runId)}.hooks.log`);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
