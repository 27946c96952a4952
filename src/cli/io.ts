// What a call of the command line has of the process it runs in: folder, environment, streams, signals; and what is to be closed when
// it ends. Only bin/raymond.js hands in the real ones, so several calls can run in one process.
import { errorCode } from '../host/files.js';
import { visible } from '../protocol/text.js';

/** An output stream; on a terminal with its width. */
export interface Outlet extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Where signals to the process are heard. */
export interface Signals {
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly off: (signal: NodeJS.Signals, listener: () => void) => unknown;
}

/** What the caller of a command line gives of its process; nothing else of it is looked at. */
export interface CallOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Outlet;
  readonly stderr: Outlet;
  /** What files of turns are not allowed for; absent = as the engine's. */
  readonly umask?: number;
  /** Absent = nobody interrupts this call. */
  readonly signals?: Signals;
}

/** The same with the words to print by. stdout is an interface: only `print` writes to it. */
export interface Io extends CallOptions {
  readonly signals: Signals;
  /** A line for people, on stderr. What a terminal would act upon in it is shown. */
  readonly say: (line: string) => void;
  /** A result, whole, with a newline at its end; resolves when it is written, also into a slow pipe. */
  readonly print: (text: string) => Promise<void>;
  /** A text for people, on stdout: like `print`, but what a terminal would act upon is shown. */
  readonly show: (text: string) => Promise<void>;
  /** Closes something when the call ends; what was opened last is closed first. */
  readonly atEnd: (close: () => Promise<void>) => void;
  /** Aborted once the reader of stdout has closed its pipe, as `head` does: a command that only prints has nothing left to do. */
  readonly unread: AbortSignal;
  /** The embedded server that this call has found or started. */
  readonly embedded: { log?: string };
  /** Leaves without waiting until everything is closed: somebody wants to be gone now. */
  readonly hurry: () => void;
  /** Closes everything. */
  readonly close: () => Promise<void>;
}

const NO_SIGNALS: Signals = { on: () => undefined, off: () => undefined };

/** The surroundings of one call. */
export function openIo(options: CallOptions): Io {
  const closings: (() => Promise<void>)[] = [];
  let hurried = false;
  const closeAll = async (): Promise<void> => {
    // What cannot be closed any more has broken with an error that was told already.
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
    // Opened by a look at it, which only a command that reads it may have.
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

/** Without a listener, a write that fails ends the process, with all runs that it executes. `print` reports what fails on stdout. */
function keepsRunning(stream: Outlet): void {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

function ignore(): void {
  // A line for people that cannot be written cannot be reported either.
}

/** False when the reader has closed its pipe: it has read enough. */
function written(stream: Outlet, text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      const isClosed = errorCode(error) === 'EPIPE';
      if (error && !isClosed) reject(error);
      else resolve(!isClosed);
    });
  });
}

/** Signals as a person means them: the first asks, the second insists. */
export interface Interruption {
  /** Resolves at the second signal. */
  readonly insisted: Promise<void>;
  readonly off: () => void;
}

/** Hears these signals until `off`; the first calls `asked`. */
export function hearSignals(
  { signals }: Pick<Io, 'signals'>,
  { names, asked }: { readonly names: readonly NodeJS.Signals[]; readonly asked: (signal: NodeJS.Signals) => void },
): Interruption {
  let count = 0;
  let insist: () => void;
  const insisted = new Promise<void>((resolve) => (insist = resolve));
  const listeners = names.map((name) => {
    const heard = (): void => {
      count += 1;
      if (count === 1) asked(name);
      else insist();
    };
    signals.on(name, heard);
    return () => signals.off(name, heard);
  });
  return { insisted, off: () => listeners.forEach((off) => off()) };
}
