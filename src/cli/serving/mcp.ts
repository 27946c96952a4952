// `raymond mcp`: lets coding agents and editors operate runs, by the Model Context Protocol on stdin and stdout.
import { Readable, Writable } from 'node:stream';
import { ClientError } from '../../client/error.js';
import { serveMcp } from '../../mcp/server.js';
import { callerOf } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import { hearSignals, type Io } from '../io.js';

/** Flags of `mcp`. */
export interface McpFlags extends ConnectionFlags {
  readonly readOnly?: boolean;
}

/** Serves until stdin ends or a signal arrives. Returns the exit code. */
export async function mcp(io: Io, { readOnly, ...choice }: McpFlags): Promise<number> {
  const { stdin: input, stdout: output } = io;
  if (!(input instanceof Readable) || !(output instanceof Writable))
    throw new ClientError('InvalidUsage', 'raymond mcp needs stdin and stdout; connect both to the client');
  const stop = new AbortController();
  const interruption = hearSignals(io, { names: ['SIGINT', 'SIGTERM'], onSignal: () => stop.abort() });
  try {
    await serveMcp({
      open: { caller: callerOf(io), choice, report: io.say },
      input,
      output,
      isReadOnly: readOnly === true,
      signal: stop.signal,
    });
    return EXIT.completed;
  } finally {
    interruption.off();
  }
}
