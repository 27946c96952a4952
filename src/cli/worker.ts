// `raymond worker`: serves the task queue of a fleet until it is told to stop; its log is JSON on stderr.
import { pino } from 'pino';
import { ClientError } from '../client/error.js';
import { startWorker } from '../worker.js';
import type { ConnectionFlags } from './flags.js';
import { openContext, settingsOf } from './context.js';

/** Flags of `worker`. */
export interface WorkerFlags extends ConnectionFlags {
  readonly maxPrompts?: number;
  readonly maxScripts?: number;
  readonly drain?: number;
  readonly maxCachedWorkflows?: number;
}

const DRAIN_SECONDS = 600;

/** Polls until SIGTERM or SIGINT, then drains; a second signal ends it at once. Gives the exit code. */
export async function worker(flags: WorkerFlags): Promise<number> {
  const log = pino({ name: 'raymond' }, pino.destination(2));
  const { project, link, mode } = await openContext(flags, (line) => log.warn(line));
  if (mode.kind === 'local') {
    throw new ClientError(
      'InvalidUsage',
      'a worker serves a cluster: give --address, a Temporal profile, or address in the config; local runs are served by "raymond start" and "raymond resume"',
    );
  }
  const settings = settingsOf(project);
  const serving = await startWorker({
    connection: link.connection,
    namespace: link.namespace,
    dataConverter: link.dataConverter,
    taskQueue: mode.taskQueue,
    settings: {
      ...settings,
      maxPrompts: flags.maxPrompts ?? settings.maxPrompts,
      maxScripts: flags.maxScripts ?? settings.maxScripts,
    },
    progress: ({ kind, ...news }) => {
      if (kind !== 'said') log.info(news, kind);
    },
    drainMs: (flags.drain ?? DRAIN_SECONDS) * 1000,
    stickyMs: 5000,
    maxCachedWorkflows: flags.maxCachedWorkflows ?? 150,
  });
  log.info({ address: link.address, namespace: link.namespace, taskQueue: mode.taskQueue }, 'polling');
  let signals = 0;
  const stop = (): void => {
    signals += 1;
    if (signals > 1) void serving.abandon().finally(() => process.exit(130));
    else log.info('draining');
    if (signals === 1) void serving.drain();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  await serving.finished;
  log.info('stopped');
  return 0;
}
