// `raymond decode` as users call it: all that Temporal has recorded of a run or an agent, over all of its executions, oldest first.
// Must not look into events that other tests are about.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

/** An agent of three histories that fails in the last, and is resumed. */
const FLOW = {
  'flow/START.sh': 'echo "<goto>A</goto>"\n',
  'flow/A.sh': 'echo "<goto>B</goto>"\n',
  'flow/B.sh': '[ -f mended ] && echo "<result>done</result>"\n',
};

interface Event {
  readonly eventId: string;
  readonly eventTime: string;
  readonly eventType: string;
}

test('what is recorded of an agent is printed over continuations and resumptions, oldest first', async () => {
  const place = await Place.at(FLOW, { RAYMOND_TURNS_PER_HISTORY: '1' });
  expect((await place.raymond(['flow', '--id', 'r', '--no-chain'])).exitCode).toBe(1);
  await writeFile(join(place.cwd, 'mended'), '');
  expect((await place.raymond(['resume', 'r'])).stdout).toBe('done');

  const events = async (...args: readonly string[]): Promise<readonly Event[]> => {
    const { stdout } = await place.raymond(['decode', 'r', ...args]);
    return stdout.split('\n').map((line) => JSON.parse(line) as Event);
  };
  const ends = (all: readonly Event[]): readonly string[] =>
    all
      .map(({ eventType }) => eventType)
      .filter((type) => /^EVENT_TYPE_WORKFLOW_EXECUTION_(CONT|FAIL|COMP)/.test(type));
  const ofAgent = await events('main');
  expect(ofAgent.filter(({ eventId }) => eventId === '1')).toHaveLength(4);
  expect(ends(ofAgent)).toEqual([
    'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
    'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
    'EVENT_TYPE_WORKFLOW_EXECUTION_FAILED',
    'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED',
  ]);
  const times = ofAgent.map(({ eventTime }) => eventTime);
  expect(times).toEqual([...times].sort());
  expect(ends(await events())).toEqual([
    'EVENT_TYPE_WORKFLOW_EXECUTION_FAILED',
    'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED',
  ]);
}, 180_000);
