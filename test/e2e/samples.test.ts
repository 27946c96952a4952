// The sample workflows with a fake Claude: one that is a conversation. What else they do is in the tests beside them, which samples.long.test.ts runs.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place, SAMPLES } from '../support/cli.js';
import { flagOf } from '../support/fake-claude.js';
import { fakeWith, sessionsOf, visited } from '../support/fakes.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at();
});

test('every sample has tests', async () => {
  const entries = await readdir(SAMPLES, { withFileTypes: true, recursive: true });
  const samples = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const tested = entries
    .filter(({ name }) => name.endsWith('.test.yaml'))
    .map(({ name }) => name.replace('.test.yaml', ''));
  expect(tested.sort()).toEqual(samples.sort());
});

describe('story', () => {
  test('is reported in one conversation over three states', async () => {
    const fake = await fakeWith(
      { match: '^Write the opening', text: 'Tomas wound the clock.\n\n<goto>TWIST.md</goto>' },
      { match: '^Write the second', text: 'The clock was the lamp.\n\n<goto>ENDING.md</goto>' },
      { match: '^Write the third', text: '<result>\nThe Lamp\n\nThe three paragraphs.\n</result>' },
    );
    const called = await place.raymond(['start', join(SAMPLES, 'story')], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'The Lamp\n\nThe three paragraphs.', exitCode: 0 });
    expect(visited(called, 'main')).toEqual(['1_START.md', 'TWIST.md', 'ENDING.md']);
    const calls = await fake.calls();
    const [first, second, third] = sessionsOf(calls);
    expect(calls.map((call) => flagOf(call, '--resume')?.match(/([^/]+)\.jsonl$/)?.[1])).toEqual([
      undefined,
      first,
      second,
    ]);
    const told = await fake.conversation(third!);
    expect(told.map((said) => said.replace(/^(\w+: Write the \w+|\w+:).*/s, '$1'))).toEqual([
      'user: Write the opening',
      'assistant:',
      'user: Write the second',
      'assistant:',
      'user: Write the third',
      'assistant:',
    ]);
    expect(calls[0]?.prompt).not.toContain('allowed_transitions');
  });
});
