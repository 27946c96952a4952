// A host's name belongs to one machine: turns of agents whose files are on a host go to whichever worker polls the queue of that name, so a
// second machine of the same name is refused before it polls.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, explainingWrites } from '../../host/files.js';
import { MAX_BYTES, readPlainText } from '../../host/plain-file.js';
import { sha256Of } from '../../host/sha256.js';
import { msOf } from '../../history/events.js';
import { hostQueue, SILENCE_SECONDS } from '../../protocol/machine/workspace.js';
import { parseIdentity } from '../../protocol/ids.js';
import { endedPollers, pollersOf } from './pollers.js';
import { ClientError } from '../error.js';
import type { Link } from '../connect.js';

/** An id that distinguishes this machine and `.raymond` folder from others of the same name; restarts keep it. Throws `UnwritableError`. */
async function machineId(raymondDir: string): Promise<string> {
  const file = join(raymondDir, 'machine-id');
  await explainingWrites(file, async () => {
    await writeFile(file, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  });
  // Machines may share the folder, and a machine may be the copy of another: neither id is enough.
  const system = await readFile('/etc/machine-id', 'utf8').catch(() => ''); // most containers have none, nor has macOS
  return sha256Of(`${await readPlainText(file, MAX_BYTES.settings)}\n${system}`).slice(0, 12);
}

/** A host as its worker serves it. */
interface OwnHost {
  readonly name: string;
  /** The queue of the host. */
  readonly queue: string;
  readonly machine: string;
}

/** The host of this name on this machine. Throws `InvalidUsage` while another machine has the name. */
export async function ownHost(
  link: Pick<Link, 'client'>,
  { name, taskQueue, raymondDir }: { readonly name: string; readonly taskQueue: string; readonly raymondDir: string },
): Promise<OwnHost> {
  const host = { name, queue: hostQueue(taskQueue, name), machine: await machineId(raymondDir) };
  await requireOwnName(link, host, await endedPollers(link.client, taskQueue));
  return host;
}

async function requireOwnName(
  link: Pick<Link, 'client'>,
  { name, queue, machine: own }: OwnHost,
  hasEnded: Awaited<ReturnType<typeof endedPollers>>,
): Promise<void> {
  const pollers = (await pollersOf(link.client, queue)).filter((poller) => !hasEnded(poller));
  for (const { identity, lastAccessTime } of pollers) {
    const { pid, machine } = parseIdentity(identity ?? '') ?? {};
    const seconds = Math.round((Date.now() - msOf(lastAccessTime)) / 1000);
    // A worker of an older version names no machine.
    if (machine === undefined || machine === own || seconds >= SILENCE_SECONDS) continue;
    throw new ClientError(
      'InvalidUsage',
      `another machine or project serves as host ${name} (pid ${pid} there asked for work ${Math.max(0, seconds)} s ago): give this worker a name of its own with --host NAME; if the other one is gone, start again in ${SILENCE_SECONDS - Math.max(0, seconds)} s`,
    );
  }
}
