// Tests that need something of the machine. Where it is missing they are skipped, and their titles say for want of what; `npm test` lists them.
import { mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from '@jest/globals';
import { whyNoSandbox } from '../../scripts/sandbox.mjs';
import { findOnPath } from '../../src/host/files.js';

/** Why something cannot be tested here; undefined = it can. */
type Reason = string | undefined;

/** Why what only Linux has cannot be tested here. */
export const NO_LINUX: Reason = process.platform === 'linux' ? undefined : 'only Linux has that';

/** Why what only root may do cannot be tested here. */
export const NO_ROOT: Reason = process.getuid?.() === 0 ? undefined : 'only root may do that';

/** Why the sandbox `process` cannot be tested here; a function, because it tries it. */
export const noSandbox = (): Reason => whyNoSandbox();

/** Why a network list in the sandbox `process` cannot be tested here. */
export const noNetworkList = (): Reason =>
  findOnPath('socat') === undefined ? 'socat is not installed' : whyNoSandbox();

/** Why limits by control groups cannot be tested here. */
export const noControlGroups = (): Reason =>
  NO_ROOT ??
  (isWritable('/sys/fs/cgroup') || isWritable('/sys/fs/cgroup/pids') ? undefined : 'there are no control groups');

/** The words before a command of root that hide the control groups from it. */
export const WITHOUT_CONTROL_GROUPS: readonly string[] = [
  ...['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o ro tmpfs /sys/fs/cgroup && exec "$@"', 'sh'],
];

function isWritable(folder: string): boolean {
  try {
    const trial = mkdtempSync(join(folder, 'raymond-trial-'));
    rmdirSync(trial);
    return true;
  } catch {
    return false;
  }
}

const titled = (title: string, reason: string): string => `${title} (skipped: ${reason})`;

/** Like `describe`, unless there is a reason against it. */
export function describeUnless(reason: Reason): (title: string, body: () => void) => void {
  if (reason === undefined) return describe;
  return (title, body) => describe.skip(titled(title, reason), body);
}

/** Like `test`, unless there is a reason against it. */
export function testUnless(
  reason: Reason,
): (title: string, body: () => Promise<void> | void, timeoutMs?: number) => void {
  if (reason === undefined) return test;
  return (title, body) => test.skip(titled(title, reason), body);
}
