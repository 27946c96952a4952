// A limit of processes for root, whom no limit of a user holds, where no control group can be made: since Linux 6.14 each
// namespace of process numbers has a highest number of its own.
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { ask } from '../host/ask.js';

/** In older kernels that number is one for the whole host, and must not be written. */
const SINCE: readonly [major: number, minor: number] = [6, 14];
/** The kernel takes no less. */
const LEAST = 512;
/** What is measured ends the turn; this only stops what grows faster. */
const BEYOND = 2;

const SCRIPT = 'echo "$0" >/proc/sys/kernel/pid_max && exec "$@"';

/** The command that runs a program so that at most twice these processes are in it. */
export function numbering(processes: number): readonly [command: string, ...args: string[]] {
  return [
    'unshare',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    SCRIPT,
    String(Math.max(LEAST, processes * BEYOND)),
  ];
}

let known: Promise<boolean> | undefined;

/** Whether this process is the root of its host, and may do that. */
export async function canNumber(): Promise<boolean> {
  return await (known ??= tried());
}

async function tried(): Promise<boolean> {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const isNew = major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
  if (!isNew || !(await isHostRoot())) return false;
  const [command, ...args] = numbering(LEAST);
  return (await ask(command, [...args, 'true'], { timeoutMs: TRIAL_MS })).error === undefined;
}

const TRIAL_MS = 10_000;

/** In a container of an ordinary user, root is another user of the host, and has limits. */
export async function isHostRoot(): Promise<boolean> {
  return process.getuid?.() === 0 && /^ *0 +0 /m.test(await readFile('/proc/self/uid_map', 'utf8').catch(() => ''));
}
