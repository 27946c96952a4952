// Runs the process of a turn to its end, and distinguishes output, silence, cancellation and the worker's own end.
import { hostname } from 'node:os';
import type { ProcessEnd, ProcessSpec, RunningProcess } from '../../launcher/client.js';
import { point } from '../../host/faults.js';
import { troubleOf } from '../../host/trouble.js';
import { hostFailure, turnFailure } from '../failure.js';
import { defined } from '../../protocol/text.js';
import { LimitWatch, type Exceeded, type Look } from '../../sandbox/index.js';
import type { Attempt } from '../attempt/attempt.js';
import { warnOfSurvivors } from '../attempt/earlier-attempts.js';
import type { Ending } from './ending.js';
import { noDirectory } from './files.js';

/**
 * What to run and what to do with its output; `enough` ends the process early, without an error.
 */
interface ProcessRequest {
  readonly spec: ProcessSpec;
  /** Seconds of silence that end it; 0 = any. */
  readonly idleSeconds: number;
  /** Seconds after which it is ended, silent or not; 0 = never. */
  readonly maxSeconds: number;
  /** Output beyond it ends the process. */
  readonly maxBytes: number;
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void | Promise<void>;
  readonly enough?: Promise<void>;
  /** Looks at the limits of its sandbox while it runs, and finds the one that was exceeded, at its end. */
  readonly look?: Look;
  readonly exceeded?: () => Promise<Exceeded | undefined>;
}

/**
 * Runs it. Throws `WorkerLost` when this worker stops or is no longer current: then nothing may be
 * reported.
 */
export async function runProcess(attempt: Attempt, request: ProcessRequest): Promise<Ending> {
  await attempt.delivery;
  point('before-spawn');
  const idleTimer = new Timer('idle', request.idleSeconds);
  const overtime = new Timer('overtime', request.maxSeconds);
  const flood = new OutputLimit(request.maxBytes);
  const { launcher, umask } = attempt.worker;
  const process = launcher.run({ ...request.spec, ...defined({ umask }) }, (stream, chunk) => {
    idleTimer.reset();
    attempt.markOutput();
    flood.add(chunk.length);
    return request.onOutput(stream, chunk);
  });
  const watch = new LimitWatch(request.look);
  void process.started.then((identity) => {
    point('after-spawn');
    if (identity !== undefined) watch.start(identity.pid);
  });
  try {
    const ending = await firstEnding(attempt, {
      process,
      limits: [idleTimer.expired, overtime.expired, flood.exceeded, watch.exceeded.then(limited)],
      enough: request.enough,
    });
    const exceeded = ending.kind === 'exited' ? await request.exceeded?.() : undefined;
    return exceeded === undefined ? ending : limited(exceeded);
  } finally {
    idleTimer.clear();
    overtime.clear();
    watch.stop();
    const end = await process.stop();
    if ('survivors' in end) warnOfSurvivors(attempt, end.survivors);
    point('after-process');
  }
}

const limited = (exceeded: Exceeded): Ending => ({ kind: 'limited', exceeded });

async function firstEnding(
  attempt: Attempt,
  {
    process,
    limits,
    enough,
  }: { process: RunningProcess; limits: readonly Promise<Ending>[]; enough: Promise<void> | undefined },
): Promise<Ending> {
  const finished = new AbortController();
  const ending = await Promise.race([
    process.ended.then((end): Ending => ({ kind: 'exited', end })),
    ...limits,
    aborted(attempt.context.cancellationSignal, finished.signal),
    ...(enough === undefined ? [] : [enough.then((): Ending => ({ kind: 'enough' }))]),
  ]).finally(() => finished.abort());
  if (ending.kind === 'exited') {
    if (ending.end.kind === 'lost')
      throw turnFailure('WorkerLost', 'the launcher of this worker ended during the turn');
    if (ending.end.kind === 'unstartable') throwIfHost(attempt, ending.end);
    return ending;
  }
  await (ending.kind === 'limited' ? process.kill() : process.stop());
  if (ending.kind === 'cancelled' && !attempt.isCancelled) throw turnFailure('WorkerLost', whyLost(attempt));
  return ending;
}

function whyLost({ context: { cancellationDetails } }: Attempt): string {
  return cancellationDetails?.notFound === true || cancellationDetails?.timedOut === true
    ? 'the server no longer waits for this attempt of the turn'
    : 'the worker was shut down during the turn';
}

/** Nothing has started, and the state and its command are not the cause. */
function throwIfHost(
  { request: { agent } }: Attempt,
  { what, code, message }: Extract<ProcessEnd, { kind: 'unstartable' }>,
): void {
  const trouble = troubleOf(code);
  const where = `${agent.id}, ${agent.state}`;
  if (trouble !== undefined) throw hostFailure({ ...trouble, message: `${message}: ${trouble.message}` }, where);
  if (what === 'cwd' && NO_DIRECTORY.includes(code)) throw noDirectory(agent.cwd);
  if (what === 'input') throw turnFailure('DiskTrouble', `${where} on host ${hostname()}: ${message}`);
}

const NO_DIRECTORY = ['ENOENT', 'ENOTDIR'];

/** Listens until `stop`: an activity may perform many turns, each with a process. */
function aborted(signal: AbortSignal, stop: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: 'cancelled' });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true, signal: stop });
  });
}

const LONGEST_TICK_MS = 1000;
const TICKS = 10;

/** Ends a process after a time. */
class Timer {
  readonly expired: Promise<Ending>;
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;

  constructor(kind: 'idle' | 'overtime', seconds: number) {
    this.expired = new Promise((resolve) => {
      const ms = seconds * 1000;
      if (ms <= 0) return;
      const tickMs = Math.min(ms / TICKS, LONGEST_TICK_MS);
      // Counts ticks, not clock time: while this host sleeps or is stopped, the process does
      // nothing either.
      this.timer = setInterval(() => {
        this.ticks += 1;
        if (this.ticks * tickMs > ms) resolve({ kind, seconds });
      }, tickMs);
    });
  }

  reset(): void {
    this.ticks = 0;
  }

  clear(): void {
    clearInterval(this.timer);
  }
}

/** How much output is too much. */
class OutputLimit {
  readonly exceeded: Promise<Ending>;
  private bytes = 0;
  private ring: () => void = () => undefined;

  constructor(private readonly limit: number) {
    this.exceeded = new Promise((resolve) => (this.ring = () => resolve({ kind: 'flooded', bytes: limit })));
  }

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.limit) this.ring();
  }
}
