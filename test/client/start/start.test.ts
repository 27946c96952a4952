// Ids of runs: what people may choose, and what is made up for them.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ClientError } from '../../../src/client/error.js';
import { checkRunId, newRunId } from '../../../src/client/start/start.js';

describe('an id that a person chose', () => {
  test.each(['a', '7', 'nightly-2026.11_21', 'A'.repeat(200), 'x..y', '0-'])('may be %s', (id) => {
    expect(checkRunId(id)).toBe(id);
  });

  test.each([
    '',
    ' ',
    'a b',
    '.hidden',
    '-flag',
    '_x',
    'a/b',
    'a\\b',
    '../up',
    'ä',
    'a\n',
    'a\0',
    'A'.repeat(201),
    '🙂',
  ])('may not be %j', (id) => {
    const refuse = () => checkRunId(id);
    expect(refuse).toThrow(ClientError);
    expect(refuse).toThrow(
      `"${id}" cannot be a run id; use letters, digits, ".", "_", "-" and ":", a letter or digit first`,
    );
  });
});

describe('an id that is made up', () => {
  const now = new Date('2026-11-21T08:05:09.123Z');

  test.each([
    ['coding', 'coding'],
    ['My flow (2)', 'My-flow-2-'],
    ['.hidden', 'hidden'],
    ['--x', 'x'],
    ['größe', 'gr-e'],
    ['日本', 'run'],
    ['...', 'run'],
    ['', 'run'],
    ['x'.repeat(300), 'x'.repeat(60)],
  ])('for %j begins with %j, then time and chance', (workflow, name) => {
    expect(newRunId(workflow, now)).toMatch(new RegExp(`^${name.replace('(', '\\(')}-20261121-080509-[0-9a-f]{8}$`));
  });

  test('is always one that may be chosen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (workflow) => {
        const id = newRunId(workflow);
        expect(checkRunId(id)).toBe(id);
        expect(id.length).toBeLessThan(90);
      }),
    );
  });

  test('differs from run to run, also within a second', () => {
    const ids = Array.from({ length: 20 }, () => newRunId('flow', now));
    expect(new Set(ids).size).toBeGreaterThan(15);
  });
});
