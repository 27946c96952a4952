// Turns that end in trouble of the model service or the account, for the tests of what comes of it.
import { expect } from '@jest/globals';
import { delimiter, dirname } from 'node:path';
import type { Place } from '../support/cli.js';
import type { FakeRule } from '../support/fake-claude.js';
import { documentOf, fakeWith } from '../support/fakes.js';

export const DONE = '<result>done</result>';

/** Workflows of a state each: a prompt, one that may go on for ever, and a script. */
export const STATES = {
  'one/START.md': 'Do it.\n',
  'loop/START.md': 'Again.\n',
  'script/START.sh': 'echo "<result>ok</result>"\n',
};

/** The environment of a host on which Claude Code is not installed. */
export const WITHOUT_CLAUDE: Readonly<Record<string, string>> = {
  PATH: [
    dirname(process.execPath),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules')),
  ].join(delimiter),
};

/** How the CLI ends a turn that the service refused. */
export function refused(assistantError: string, text: string, more: FakeRule = {}): FakeRule {
  return { isError: true, assistantError, text, costUsd: 0, ...more };
}

/** A turn that ends like this once pauses its run at once, which is said once in these words; `resume` continues it. */
export async function expectPaused(
  place: Place,
  { rule, words }: { readonly rule: FakeRule; readonly words: string },
): Promise<void> {
  const fake = await fakeWith({ ...rule, times: 1 }, { text: DONE });
  const paused = await place.raymond(['start', 'one', '--json'], { env: fake.env });
  expect(paused.exitCode).toBe(3);
  expect(paused.stderr.split(words)).toHaveLength(2);
  expect(await fake.calls()).toHaveLength(1);
  const { runId } = documentOf(paused);
  expect(await place.raymond(['resume', runId], { env: fake.env })).toMatchObject({ stdout: 'done', exitCode: 0 });
  expect(await fake.calls()).toHaveLength(2);
}
