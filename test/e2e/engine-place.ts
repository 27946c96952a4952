// Engines of projects in the background, for the tests of engines.
import { afterEach, expect } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultPromise } from 'execa';
import type { Place } from '../support/cli.js';
import { until } from '../support/until.js';

export { BACKGROUND } from '../support/cli.js';

/** Workflows of a state or two, by what they do. */
export const FLOWS = {
  'says/START.sh': 'umask > "umask-$RAYMOND_WORKFLOW_ID"; echo "<result>$FOO in $PWD</result>"\n',
  // Ends only beside the run that has the other name.
  'meets/START.sh':
    'touch "at-$FOO"; until [ -f at-one ] && [ -f at-two ]; do sleep 0.05; done; echo "<goto>SAY</goto>"\n',
  'meets/SAY.sh': 'umask > "umask-$RAYMOND_WORKFLOW_ID"; echo "<result>$FOO in $PWD</result>"\n',
  'waits/START.sh': 'echo x >> began; touch started; until [ -f go ]; do sleep 0.05; done; echo "<goto>NEXT</goto>"\n',
  'waits/NEXT.sh': 'echo "<result>went</result>"\n',
  'asks/START.sh': `echo '<ask next="SAY">Which colour?</ask>'\n`,
  'asks/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  'expires/START.sh': `echo '<ask next="NEVER" timeout="1s" timeout_next="LATE">Which?</ask>'\n`,
  'delays/START.sh': 'echo "<goto delay=\\"1s\\">LATE</goto>"\n',
  'delays/LATE.sh': 'echo "<result>late</result>"\n',
  'login/START.sh': '[ "$LOGIN" = ok ] && echo "<result>$(umask) $LC_TIME</result>"\n',
  'expires/NEVER.sh': 'exit 1\n',
  'expires/LATE.sh': 'echo "<result>late</result>"\n',
};

const running: ResultPromise[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.kill('SIGKILL');
    await one;
  }
});

/** A call in a process of its own, and what it has said so far. */
export function begun(
  place: Place,
  ...args: readonly string[]
): { readonly call: ResultPromise; readonly said: () => string } {
  const call = place.begin(args);
  running.push(call);
  let text = '';
  call.stderr?.on('data', (chunk) => (text += String(chunk)));
  return { call, said: () => text };
}

/** What `raymond up --status` says. */
export async function engineOf(
  place: Place,
): Promise<{ readonly status: string; readonly pid: number; readonly openRuns: number }> {
  return JSON.parse((await place.raymond(['up', '--status', '--json'])).stdout) as Awaited<ReturnType<typeof engineOf>>;
}

/** The result of a run, as soon as it has ended. */
export const ended = (place: Place, id: string): Promise<string> =>
  until(
    async () => {
      const { exitCode, stdout } = await place.raymond(['result', id]);
      return exitCode === 0 ? stdout : undefined;
    },
    { what: `the end of ${id}` },
  );

/** Makes the engine of a project look like one of another version; `unknown` = its record is of an older format. */
export async function claimVersion(place: Place, version: string): Promise<void> {
  const path = join(place.cwd, '.raymond/engine/engine.json');
  const record = JSON.parse(await readFile(path, 'utf8')) as { readonly pid: number; readonly startTime: string };
  const { pid, startTime } = record;
  await writeFile(path, JSON.stringify(version === 'unknown' ? { pid, startTime } : { ...record, version }));
}

/** An engine that looks like one of this other version is replaced by the next command, which says so. */
export async function expectReplaced(place: Place, version: string): Promise<void> {
  const { pid } = await engineOf(place);
  await claimVersion(place, version);
  expect((await place.raymond(['up', '--status'])).stdout).toMatch(`version ${version}, for `);
  const { stderr, stdout } = await place.raymond(['says', '--id', `after-${version}`]);
  expect(stderr).toMatch(new RegExp(`replacing the engine of version ${version} with version \\d`));
  expect(stdout).toContain(`in ${place.cwd}`);
  expect((await engineOf(place)).pid).not.toBe(pid);
}
