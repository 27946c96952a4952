// The hooks of a run: commands of the config that are told what happens in it, at least once, each event as one JSON document on stdin.
// They never hold or fail a run: what one does not take is tried again, and said in the end.
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

/** The pause before each try. */
const TRIES_MS = [0, 1000, 5000];

/** A try that takes longer is ended, when the config does not say. */
const TRY_SECONDS = 30;

/** So long the end of a run waits for hooks that are under way. */
const SETTLE_MS = 10_000;

/**
 * What a hook prints goes into a file: a process that it leaves behind would hold a pipe open. File descriptor 3 closes with the process
 * that called the hook, however that died: then the guard ends the hook and all of its group.
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

/** Tells the hooks of a project what is new in one run. */
export class Hooks {
  private readonly commands: ReadonlyMap<HookName, string>;
  private readonly stopped = new AbortController();
  private record: HookRecord | undefined;
  private looking = Promise.resolve();
  /** What each hook is doing: one call of it at a time, in the order of the events. */
  private readonly calls = new Map<HookName, Promise<void>>();
  /** Waits that are none for a limit. */
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

  /** Takes a look at the run and returns at once. */
  look(view: RunView): void {
    if (this.commands.size === 0 || this.stopped.signal.aborted) return;
    this.looking = this.looking.then(() => this.take(view)).catch((error: unknown) => this.complain(error));
  }

  /** Waits for the hooks that are under way, at most 10 s; what is not told then, the next process that serves the run tells. */
  async settle(): Promise<void> {
    const over = new AbortController();
    const patience = delay(SETTLE_MS, undefined, { signal: AbortSignal.any([over.signal, this.stopped.signal]) });
    const late = await Promise.race([this.idle().then(() => false), patience.then(() => true).catch(() => false)]);
    over.abort();
    if (late) this.options.warn(`warning: hooks did not end within ${SETTLE_MS / 1000} s and were stopped`);
    this.stop();
    await this.idle();
    await this.record?.close().catch((error: unknown) => this.complain(error));
  }

  /** Ends the hooks that are under way. */
  stop(): void {
    this.stopped.abort();
  }

  private async idle(): Promise<void> {
    await this.looking;
    await Promise.all(this.calls.values());
  }

  private async take(view: RunView): Promise<void> {
    const record = await this.opened();
    if (record === undefined) return;
    for (const agent of view.agents) if (!hasFailed(agent)) record.forget(failureKey(agent.id));
    const news: Pending[] = [];
    for (const occasion of occasionsOf(view)) {
      if (!this.commands.has(occasion.event) || record.knows(occasion.key)) continue;
      if (occasion.event === 'limit' && !(await this.isLimit(occasion))) continue;
      news.push({ key: occasion.key, event: await this.eventOf(view, occasion) });
    }
    if (news.length === 0) return;
    // What cannot be noted is told all the same, perhaps twice.
    await record.add(news).catch((error: unknown) => this.complain(error));
    for (const item of news) this.call(record, item);
  }

  /** The record, once no other process has it; what that one did not tell is told now. */
  private async opened(): Promise<HookRecord | undefined> {
    if (this.record !== undefined) return this.record;
    this.record = await HookRecord.open(this.context.project.raymondDir, this.options.runId);
    for (const item of this.record?.pending ?? []) if (this.record !== undefined) this.call(this.record, item);
    return this.record;
  }

  /** An agent also waits before it tries again by itself; why it does, its last turn says. */
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
    { runId, workflow, costUsd, budgetUsd }: RunView,
    { event, facts: { prompt, ...facts } }: Occasion,
  ): Promise<HookEvent> {
    const { artifacts } = this.context;
    // A text that is not on this host must not keep the question from being told.
    const text = prompt === undefined ? undefined : await textOf(prompt, artifacts).catch(() => undefined);
    const at = new Date().toISOString();
    const more = defined({ prompt: text, budgetUsd, uiUrl: uiAddress(this.context, runId) });
    return { event, runId, workflow, ...facts, costUsd, ...more, at };
  }

  private call(record: HookRecord, item: Pending): void {
    const { event: name } = item.event;
    const before = this.calls.get(name) ?? Promise.resolve();
    const told = before.then(() => this.deliver(record, item)).catch((error: unknown) => this.complain(error));
    this.calls.set(name, told);
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
      if (problem === undefined) return await record.taken(item);
    }
    if (signal.aborted) return;
    const log = logOf(this.context, this.options.runId);
    this.options.warn(`warning: hook_${name} failed ${TRIES_MS.length} times (${problem}); what it printed: ${log}`);
  }

  /** Runs a hook once; gives what went wrong. */
  private async run(command: string, event: HookEvent): Promise<string | undefined> {
    const { io, project } = this.context;
    const { execa } = await import('execa');
    const log = logOf(this.context, this.options.runId);
    await appendFile(log, '', { mode: 0o600 });
    const seconds = project.config.hook_timeout ?? TRY_SECONDS;
    const over = AbortSignal.any([this.stopped.signal, AbortSignal.timeout(seconds * 1000)]);
    const child = execa('sh', ['-c', LEASHED, 'sh', command, log], {
      cwd: project.root,
      env: io.env,
      extendEnv: false,
      input: `${JSON.stringify(event)}\n`,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      // A group of its own: it is ended as a whole, and Ctrl-C is not meant for it.
      detached: true,
      reject: false,
    });
    const end = (): void => endGroup(child.pid);
    over.addEventListener('abort', end, { once: true });
    if (over.aborted) end();
    const { exitCode, signal, shortMessage } = await child;
    over.removeEventListener('abort', end);
    if (exitCode === 0) return undefined;
    if (over.aborted) return `ended after ${seconds} s`;
    return exitCode === undefined ? (signal ?? shortMessage ?? 'not started') : `exit code ${exitCode}`;
  }

  /** Says what keeps hooks from being called, once while it stays the same. */
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
