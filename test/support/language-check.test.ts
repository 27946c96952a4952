// Whatever is not as a page says is found: a check that overlooks something would make the page's test worthless.
import { describe, expect, test } from '@jest/globals';
import { differences, fits, type Seen } from './language-check.js';
import type { Example } from './language-page.js';

const EXAMPLE: Example = {
  title: 'goto',
  line: 1,
  files: new Map(),
  answers: new Map([['A', ['one', 'two']]]),
  made: new Map([['x.yaml', 'states:…']]),
  prompts: new Map([['A', 'Say a.…']]),
  commands: [{ args: ['start', '.'], stdout: 'done', exitCode: 0 }],
  stderr: ['main A.md → result "…"'],
};

const SEEN: Seen = {
  called: [{ stdout: 'done', stderr: 'run x\nmain A.md → result "done" 0.01 s', exitCode: 0 }],
  made: new Map([['x.yaml', 'states: {}']]),
  asked: [
    { state: 'A', prompt: 'Say a.' },
    { state: 'A', prompt: '\nSay a.\n\nYour last reply …' },
  ],
};

const [END] = SEEN.called;

describe('an example', () => {
  test('that ran as the page says shows no difference', () => {
    expect(differences(EXAMPLE, SEEN)).toEqual([]);
  });

  test.each<readonly [string, Partial<Seen>, string]>([
    ['another output', { called: [{ ...END!, stdout: 'done.' }] }, 'raymond start . printed:\ndone.'],
    ['another file', { made: new Map([['x.yaml', 'id: x']]) }, 'x.yaml holds:\nid: x\ninstead of:'],
    ['a file that is not there', { made: new Map() }, 'x.yaml holds:\n(it is not there)'],
    ['another exit code', { called: [{ ...END!, exitCode: 1 }] }, 'ended with 1, not 0'],
    ['no exit code', { called: [{ ...END!, exitCode: undefined }] }, 'ended with undefined, not 0'],
    ['a line less on stderr', { called: [{ ...END!, stderr: 'run x' }] }, 'not on stderr: main A.md'],
    ['a command less', { called: [] }, 'was not run'],
    ['an answer that nobody asked for', { asked: SEEN.asked.slice(1) }, 'A has 2 answers, but was asked 1 times'],
    ['a prompt without an answer', { asked: [...SEEN.asked, { state: 'B', prompt: '' }] }, 'B was asked'],
    ['another prompt', { asked: [...SEEN.asked, { state: 'A', prompt: 'Say b.' }] }, 'A was asked:\nSay b.'],
  ])('with %s is found', (_what, seen, message) => {
    expect(differences(EXAMPLE, { ...SEEN, ...seen }).join('\n')).toContain(message);
  });
});

test.each([
  ['one … three', 'one two three', true],
  ['a.b', 'axb', false],
  ['', 'something', false],
  ['<result>…</result>', '<result>\n</result>\n', true],
])('an expected text %j is %j: %j', (pattern, text, expected) => {
  expect(fits(pattern, text)).toBe(expected);
});
