// What a call of the command line uses of its process: folder, environment, streams, signals; and what to close when it
// ends. Only bin/raymond.js passes the real ones, so several calls can run in one process.
import { ClientError } from '../client/error.js';
import { errorCode } from '../host/files.js';
import { MAX_BYTES } from '../host/plain-file.js';
import { visible } from '../protocol/text.js';

/** An output stream; on a terminal with its width. */
export interface Outlet extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Where signals to the process arrive. */
export interface Signals {
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly off: (signal: NodeJS.Signals, listener: () => void) => unknown;
}

/** What the caller provides of its process; nothing else of it is used. */
export interface CallOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Outlet;
  readonly stderr: Outlet;
  /** The umask for files of turns; absent = the engine's. */
  readonly umask?: number;
  /** Absent = this call cannot be interrupted. */
  readonly signals?: Signals;
}

/** The same with functions to print. stdout is an interface for programs: only `print` writes to it. */
export interface Io extends CallOptions {
  readonly signals: Signals;
  /** A line for people, on stderr, with control characters made visible. */
  readonly say: (line: string) => void;
  /** A complete result with a final newline; resolves when it is written, also into a slow pipe. */
  readonly print: (text: string) => Promise<void>;
  /** A text for people, on stdout: like `print`, with control characters made visible. */
  readonly show: (text: string) => Promise<void>;
  /** Closes something when the call ends, in reverse order of opening. */
  readonly atEnd: (close: () => Promise<void>) => void;
  /** Aborted when the reader of stdout has closed its pipe, as `head` does: a command that only prints can stop. */
  readonly unread: AbortSignal;
  /** The embedded server that this call has found or started. */
  readonly embedded: { log?: string };
  /** Leaves without waiting until everything is closed, after a second signal. */
  readonly hurry: () => void;
  /** Closes everything. */
  readonly close: () => Promise<void>;
}

/** The text of a stream that ends, such as stdin or a pipe. Throws `InvalidUsage` for one without an end. */
export async function readAll(
  stream: AsyncIterable<string | Buffer>,
  most: number = MAX_BYTES.record,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > most)
      throw new ClientError('InvalidUsage', `the input has more than ${most} bytes; give a path instead`);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

const NO_SIGNALS: Signals = { on: () => undefined, off: () => undefined };

/** The context of one call. */
export function openIo(options: CallOptions): Io {
  const closings: (() => Promise<void>)[] = [];
  let hurried = false;
  const closeAll = async (): Promise<void> => {
    // A resource that cannot be closed has already reported its error.
    for (const close of closings.splice(0).reverse()) await close().catch(() => undefined);
  };
  const reader = new AbortController();
  keepsRunning(options.stdout);
  keepsRunning(options.stderr);
  const print = async (text: string): Promise<void> => {
    if (reader.signal.aborted) return;
    const isRead = await written(options.stdout, text.endsWith('\n') ? text : `${text}\n`);
    if (!isRead) reader.abort();
  };
  return {
    cwd: options.cwd,
    env: options.env,
    // Reading `stdin` opens it, which only a command that needs it may do.
    get stdin() {
      return options.stdin;
    },
    stdout: options.stdout,
    stderr: options.stderr,
    signals: options.signals ?? NO_SIGNALS,
    ...(options.umask === undefined ? {} : { umask: options.umask }),
    say: (line) => void options.stderr.write(`${visible(line)}\n`),
    print,
    show: (text) => print(visible(text)),
    unread: reader.signal,
    embedded: {},
    atEnd: (close) => void closings.push(close),
    hurry: () => void (hurried = true),
    close: async () => {
      const closed = closeAll();
      if (!hurried) await closed;
    },
  };
}

/** Without a listener, a failed write would end the process and all its runs. `print` reports failures on stdout. */
function keepsRunning(stream: Outlet): void {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

function ignore(): void {
  // A line for people that cannot be written cannot be reported either.
}

/** False when the reader has closed its pipe. */
function written(stream: Outlet, text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      const isClosed = errorCode(error) === 'EPIPE';
      if (error && !isClosed) reject(error);
      else resolve(!isClosed);
    });
  });
}

/** Signals as a person means them: the first asks to stop, the second insists. */
interface Interruption {
  /** Resolves at the second signal. */
  readonly insisted: Promise<void>;
  readonly off: () => void;
}

/** Listens for these signals until `off`; the first one calls `onSignal`. */
export function hearSignals(
  { signals }: Pick<Io, 'signals'>,
  {
    names,
    onSignal,
  }: { readonly names: readonly NodeJS.Signals[]; readonly onSignal: (signal: NodeJS.Signals) => void },
): Interruption {
  let count = 0;
  let insist: () => void;
  const insisted = new Promise<void>((resolve) => (insist = resolve));
  const listeners = names.map((name) => {
    const handle = (): void => {
      count += 1;
      if (count === 1) onSignal(name);
      else insist();
    };
    signals.on(name, handle);
    return () => signals.off(name, handle);
  });
  return { insisted, off: () => listeners.forEach((off) => off()) };
}
