// Runs that leave garbage, and `raymond gc` on it, for tests.
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Place } from './cli.js';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Texts so long that they are artifacts; `mark` makes them different. */
export const long = (mark: string): string => `head -c 50000 /dev/zero | tr '\\0' ${mark}`;

export const FLOWS = {
  'done/START.sh': `echo "<goto input=\\"$(${long('d')})\\">END</goto>"\n`,
  'done/END.sh': 'echo "<result>${#RAYMOND_INPUT}</result>"\n',
  'asks/START.sh': `echo "<goto input=\\"$(${long('a')})\\">ASK</goto>"\n`,
  'asks/ASK.sh': 'echo "<ask next=\\"SAY\\">$RAYMOND_INPUT?</ask>"\n',
  'asks/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  'fails/START.sh': `echo "<goto input=\\"$(${long('f')})\\">MEND</goto>"\n`,
  'fails/MEND.sh': '[ -f mended ] || exit 1\necho "<result>${#RAYMOND_INPUT}</result>"\n',
};

export interface Gone {
  readonly dryRun: boolean;
  readonly keptRuns: number;
  readonly artifacts: { readonly files: number; readonly bytes: number };
  readonly tasks: { readonly files: number };
  readonly debug: { readonly files: number };
  readonly runs: { readonly files: number };
}

export async function filesOf(place: Place, folder: string): Promise<readonly string[]> {
  const path = join(place.cwd, '.raymond', folder);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Makes all that lies in these folders `days` old. */
export async function age(place: Place, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  for (const folder of ['artifacts', 'tasks', 'debug', 'runs', 'unpacked']) {
    const path = join(place.cwd, '.raymond', folder);
    const names = await readdir(path, { recursive: true }).catch(() => []);
    for (const name of names) await utimes(join(path, name), then, then);
  }
}

/** Runs that ended in this test are too young for any age but this. */
export const ENDED = '0s';

export async function collect(place: Place, ...flags: readonly string[]): Promise<Gone> {
  const { stdout, exitCode, stderr } = await place.raymond(['gc', '--json', ...flags]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Gone;
}
