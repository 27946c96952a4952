// A Temporal server for one process: in memory, on its own ports, ends with its parent. For tests
// of workflows; it has no record, so no other process finds it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerError } from './error.js';
import { findCli } from './find.js';
import { serverArguments, serverEnvironment } from './flags.js';
import { anyPorts, HOST } from './ports.js';
import { answeringVersion } from './probe.js';
import type { Report } from './temporal-cli.js';

/**
 * A shell that runs a server, and kills it when its own input closes: nothing but the process that started it holds the
 * other end, and the kernel closes that however the process ends.
 */
const GUARD = `trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r line <&3; kill -KILL "$server"; } &
guard=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL "$guard"
exit "$code"`;

const READY_MS = 30_000;
const POLL_MS = 20;
const PROBE_MS = 2000;
const LOG_BYTES = 4096;

/** Windows has none; a process that is killed there leaves its server. */
const HAS_SHELL = process.platform !== 'win32';

/** A running server. */
export interface EphemeralServer {
  readonly address: string;
  /** Ends it and deletes its data. */
  stop(): Promise<void>;
}

/** A port is chosen before the server listens on it: another program may take it meanwhile. */
const TRIES = 3;

/** Starts one; throws a `ServerError` when it does not come up. */
export async function startEphemeralServer(options: {
  readonly cli?: string | undefined;
  readonly report: Report;
}): Promise<EphemeralServer> {
  const cli = await findCli(options);
  for (let left = TRIES - 1; ; left -= 1) {
    const started = await tryToStart(cli.path);
    if (started.kind === 'answers') return started.server;
    if (started.kind === 'exited' && left > 0) continue;
    throw new ServerError(
      'NotAnswering',
      `the Temporal server for tests (${cli.path}) did not come up: ${started.log}`,
    );
  }
}

type Attempt =
  | { readonly kind: 'answers'; readonly server: EphemeralServer }
  | { readonly kind: 'exited' | 'silent'; readonly log: string };

async function tryToStart(cli: string): Promise<Attempt> {
  const ports = await anyPorts();
  const server = [cli, ...serverArguments({ ports })];
  const [command = '', ...words] = HAS_SHELL ? ['/bin/sh', '-c', GUARD, 'guard', ...server] : server;
  const child = spawn(command, words, { stdio: 'pipe', env: serverEnvironment(), windowsHide: true });
  let log = '';
  const keep = (chunk: Buffer): void => void (log = `${log}${chunk.toString()}`.slice(-LOG_BYTES));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => void (log += error.message));
  const lives = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const stop = async (): Promise<void> => {
    const ended = lives() ? once(child, 'exit') : undefined;
    child.stdin.destroy(); // It is killed: there is nothing that it could still write down.
    if (!HAS_SHELL) child.kill('SIGKILL');
    await ended;
  };
  for (const until = Date.now() + READY_MS; lives() && Date.now() < until; await delay(POLL_MS))
    if ((await answeringVersion(ports.http, PROBE_MS)) !== undefined)
      return { kind: 'answers', server: { address: `${HOST}:${ports.grpc}`, stop } };
  const kind = lives() ? 'silent' : 'exited';
  await stop();
  return { kind, log: log.trim() };
}
