// The two ways to speak: results on stdout, everything for people on stderr.
// Must not be bypassed: stdout is an interface.

/** A line for people. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A result, whole, with a newline at its end; resolves when it is written, also into a slow pipe. */
export async function print(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, (error) => {
      // A reader that has closed its pipe has read enough.
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
      else resolve();
    });
  });
}
