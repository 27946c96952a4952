// Pure unit tests of the names in a debug folder.
import { describe, expect, test } from '@jest/globals';
import { folderName, turnName, turnOf } from '../../../src/activities/debug/folder.js';

test('a folder is named after the run and its start, in UTC', () => {
  expect(folderName('flow-1', Date.UTC(2026, 0, 15, 14, 30, 22, 999))).toBe('flow-1_20260115_143022');
});

describe('the files of a turn', () => {
  test.each([
    ['main_START_001', { agentId: 'main', state: 'START.md', turn: 1 }, 1],
    ['main_START_012_2', { agentId: 'main', state: 'START.md', turn: 12 }, 2],
    ['main_start1_a.b_1234', { agentId: 'main_start1', state: 'a.b.sh', turn: 1234 }, 1],
    ['main_Größe_007', { agentId: 'main', state: 'Größe.md', turn: 7 }, 1],
  ])('begin with %s', (name, turn, attempt) => {
    expect(turnName(turn, attempt)).toBe(name);
  });

  test.each([
    ['a path', '../../etc/passwd.md'],
    ['a control character', 'a\nb\0.md'],
    ['what Windows forbids', 'a:b*?"<>|.md'],
    ['a long name', `${'x'.repeat(250)}.md`],
    ['long characters', `${'😀界'.repeat(60)}.md`],
  ])('are safe names for a state with %s', (_what, state) => {
    const name = `${turnName({ agentId: 'm'.repeat(300), state, turn: 1 }, 99)}.stdout.txt`;
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    // eslint-disable-next-line no-control-regex
    expect(name).not.toMatch(/[/\\:*?"<>|\0-\x1f\ufffd]/);
  });

  test('of different states have different names, however alike they are', () => {
    const names = ['a b.md', 'a-b.md', 'a:b.md', `${'x'.repeat(200)}1.md`, `${'x'.repeat(200)}2.md`];
    expect(new Set(names.map((state) => turnName({ agentId: 'main', state, turn: 1 }, 1))).size).toBe(names.length);
  });
});

describe('a file name', () => {
  test.each([
    ['main_START_001.json', 'main_START', 1],
    ['main_START_001_2.json', 'main_START', 1],
    ['main_START_012_99.meta.json', 'main_START', 12],
    ['main_X_2024_1000.stdout.txt', 'main_X_2024', 1000],
    ['main_X_100_012.stderr.txt', 'main_X_100', 12],
  ])('%s tells its state and turn', (name, state, turn) => {
    expect(turnOf(name)).toEqual({ state, turn });
  });

  test.each(['transitions.log', 'notes.json', 'main_START_01.json', 'main_START_001.txt'])('%s is no turn', (name) => {
    expect(turnOf(name)).toBeUndefined();
  });
});
