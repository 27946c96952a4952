// Runs programs that answer at once, such as `node --version`: each has a time limit, so that one that hangs is an error.
import { execFile } from 'node:child_process';

interface AskOptions {
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The most that it may print, in bytes. */
  readonly maxBuffer?: number;
}

/** What it printed. `error`: it did not start, failed, or was killed because its time was up (`killed`). */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly error?: Error & {
    readonly killed?: boolean | undefined;
    readonly code?: string | number | null | undefined;
  };
}

/** Runs a program to its end; a failure is part of the answer. */
export async function ask(
  program: string,
  args: readonly string[],
  { timeoutMs: timeout, ...options }: AskOptions,
): Promise<Answer> {
  return await new Promise((resolve) => {
    execFile(
      program,
      args,
      { ...options, timeout, killSignal: 'SIGKILL', windowsHide: true },
      (error, stdout, stderr) => resolve({ stdout, stderr, ...(error === null ? {} : { error }) }),
    );
  });
}
