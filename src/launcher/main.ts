// The launcher: a small child of the worker that starts every process of every turn. It obeys only
// its channel. When the channel closes, however the worker ended, it kills all its processes; it
// also does so when the worker has not confirmed for a while that it is connected. To stay small,
// it imports only node: and src/host.
import type { Child, Listener } from './child.js';
import type { FromLauncher, LauncherSettings, ToLauncher } from './messages.js';
import { Pipes } from './pipes.js';
import { startChild } from './start.js';
import { ProcessFamily } from './process-tree.js';
import { Watchdog } from './watchdog.js';

const TICKS = 10;

/** Calls `expired` when nothing was confirmed for `timeoutMs`. */
class Leash {
  #silentTicks = 0;

  constructor({ timeoutMs, expired }: { timeoutMs: number; expired: () => void }) {
    // Counts ticks, not clock time: after this host slept or was stopped, a waiting confirmation is
    // read first.
    setInterval(() => {
      this.#silentTicks += 1;
      if (this.#silentTicks <= TICKS) return;
      this.#silentTicks = 0;
      expired();
    }, timeoutMs / TICKS);
  }

  /** The worker is alive and connected. */
  confirm(): void {
    this.#silentTicks = 0;
  }
}

// A worker that died while this process was starting has closed the channel before a listener
// existed.
if (!process.connected) process.exit();

const running = new Map<number, Child>();
const { confirmTimeoutMs, patience, lateMs } = JSON.parse(process.argv[2] ?? '') as LauncherSettings;
const means = { watchdog: new Watchdog(), pipes: new Pipes(), patience, lateMs };
const leash = new Leash({ timeoutMs: confirmTimeoutMs, expired: () => void loseAll() });

// A Ctrl-C or a closing terminal is meant for the worker, which lets its turns finish and then closes the channel.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => void loseAll().finally(() => process.exit()));
process.on('message', (message) => receive(message as ToLauncher));

function receive(message: ToLauncher): void {
  switch (message.kind) {
    case 'run':
      return run(message);
    case 'stop':
      return running.get(message.id)?.stop(message);
    case 'ack':
      return running.get(message.id)?.acknowledge(message.bytes);
    case 'sweep':
      return void sweep(message);
    case 'confirm':
      return leash.confirm();
    default:
      // Not assertNever: the launcher's files import nothing of the protocol.
      message satisfies never;
  }
}

function run({ id, spec }: ToLauncher & { kind: 'run' }): void {
  // A worker with a new turn has just been in contact with the server.
  leash.confirm();
  const child = startChild(spec, means, listenerOf(id));
  if (child !== undefined) running.set(id, child);
}

function listenerOf(id: number): Listener {
  return {
    started: (identity) => send({ kind: 'started', id, identity }),
    output: (stream, chunk) => send({ kind: 'output', id, stream, chunk }),
    ended: (end) => {
      running.delete(id);
      send({ kind: 'ended', id, end });
    },
  };
}

async function sweep({ id, filter }: ToLauncher & { kind: 'sweep' }): Promise<void> {
  send({ kind: 'swept', id, result: await ProcessFamily.ofAttempts(filter).end({ patience }) });
}

/** Kills all processes at once; the worker is gone, or must be considered gone. */
async function loseAll(): Promise<void> {
  const lost = [...running.values()];
  if (lost.length === 0) return;
  for (const child of lost) child.disown();
  const family = ProcessFamily.union(lost.map((child) => child.family));
  family.refresh();
  for (const child of lost) child.killGroup();
  await family.end({ patience });
  for (const child of lost) child.close();
}

function send(message: FromLauncher): void {
  // When the channel has closed, `disconnect` reports it; a failed send needs no report.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
