// Serving a run in the background: a second Raymond that outlives this one, with its log beside the run's lock.
// Must not be used on a cluster, where workers serve.
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';

/** Starts the background process; resolves when it has been started. */
export async function detach(runId: string, raymondDir: string): Promise<void> {
  const folder = join(raymondDir, 'runs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = await open(join(folder, `${runId}.log`), 'a', 0o600);
  try {
    const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
    const child = spawn(process.execPath, [program, 'resume', runId, '--on-ask', 'wait'], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));
    child.unref();
  } finally {
    await log.close();
  }
}
