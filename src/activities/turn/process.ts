// Running the process of a turn to its end: output, silence, cancellation and the worker's own end, told apart.
import { hostname } from 'node:os';
import type { ProcessEnd, ProcessSpec, RunningProcess } from '../../launcher/client.js';
import { point } from '../../host/faults.js';
import { troubleOf } from '../../host/trouble.js';
import { hostFailure, turnFailure } from '../failure.js';
import { defined } from '../../protocol/text.js';
import type { Attempt } from '../attempt/attempt.js';
import { tellSurvivors } from '../attempt/earlier-attempts.js';

/** Why a process is no longer there: by itself, silent for too long, over its time, printing without end, ended on purpose by its owner, or cancelled. */
export type Ending =
  | { readonly kind: 'exited'; readonly end: ProcessEnd }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'overtime'; readonly seconds: number }
  | { readonly kind: 'flooded'; readonly bytes: number }
  | { readonly kind: 'enough' }
  | { readonly kind: 'cancelled' };

/** What to run and what to do with its output; `enough` ends the process early without blame. */
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
}

/** Runs it. Throws `WorkerLost` when this worker goes down or no longer counts: then nothing must be reported. */
export async function runProcess(attempt: Attempt, request: ProcessRequest): Promise<Ending> {
  point('before-spawn');
  const silence = new Timer('idle', request.idleSeconds);
  const overtime = new Timer('overtime', request.maxSeconds);
  const flood = new OutputLimit(request.maxBytes);
  const { launcher, umask } = attempt.bench;
  const process = launcher.run({ ...request.spec, ...defined({ umask }) }, (stream, chunk) => {
    silence.setBack();
    attempt.heard();
    flood.add(chunk.length);
    return request.onOutput(stream, chunk);
  });
  void process.started.then(() => point('after-spawn'));
  try {
    return await firstEnding(attempt, {
      process,
      limits: [silence.tooLong, overtime.tooLong, flood.tooMuch],
      enough: request.enough,
    });
  } finally {
    silence.over();
    overtime.over();
    await process.stop();
    const end = await process.ended;
    if ('survivors' in end) tellSurvivors(attempt, end.survivors);
    point('after-process');
  }
}

async function firstEnding(
  attempt: Attempt,
  {
    process,
    limits,
    enough,
  }: { process: RunningProcess; limits: readonly Promise<Ending>[]; enough: Promise<void> | undefined },
): Promise<Ending> {
  const over = new AbortController();
  const ending = await Promise.race([
    process.ended.then((end): Ending => ({ kind: 'exited', end })),
    ...limits,
    aborted(attempt.context.cancellationSignal, over.signal),
    ...(enough === undefined ? [] : [enough.then((): Ending => ({ kind: 'enough' }))]),
  ]).finally(() => over.abort());
  if (ending.kind === 'exited') {
    if (ending.end.kind === 'lost')
      throw turnFailure('WorkerLost', 'the launcher of this worker ended during the turn');
    if (ending.end.kind === 'unstartable') throwIfHost(attempt, ending.end);
    return ending;
  }
  await process.stop();
  if (ending.kind === 'cancelled' && !attempt.isCancelled) {
    throw turnFailure('WorkerLost', 'the worker was shut down during the turn');
  }
  return ending;
}

/** Nothing has begun, and neither the state nor its command is to blame. */
function throwIfHost(
  { request: { agent } }: Attempt,
  { what, code, message }: Extract<ProcessEnd, { kind: 'unstartable' }>,
): void {
  const trouble = troubleOf(code);
  const where = `${agent.id}, ${agent.state}`;
  if (trouble !== undefined) throw hostFailure({ ...trouble, message: `${message}: ${trouble.message}` }, where);
  if (what === 'input') throw turnFailure('DiskTrouble', `${where} on host ${hostname()}: ${message}`);
}

/** Listens until `over`: an activity may perform many turns, each with a process. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: 'cancelled' });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true, signal: over });
  });
}

/** Node fires a timer of more milliseconds than this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A time after which a process is ended. */
class Timer {
  readonly tooLong: Promise<Ending>;
  private timer: NodeJS.Timeout | undefined;

  constructor(kind: 'idle' | 'overtime', seconds: number) {
    this.tooLong = new Promise((resolve) => {
      const ms = Math.min(seconds * 1000, LONGEST_TIMER_MS);
      if (ms > 0) this.timer = setTimeout(() => resolve({ kind, seconds }), ms);
    });
  }

  setBack(): void {
    this.timer?.refresh();
  }

  over(): void {
    clearTimeout(this.timer);
  }
}

/** How much output is too much. */
class OutputLimit {
  readonly tooMuch: Promise<Ending>;
  private bytes = 0;
  private ring: () => void = () => undefined;

  constructor(private readonly limit: number) {
    this.tooMuch = new Promise((resolve) => (this.ring = () => resolve({ kind: 'flooded', bytes: limit })));
  }

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.limit) this.ring();
  }
}
