// Pure unit tests of the command line of a turn; realTurn.test.ts shows that the real CLI takes it.
import { describe, expect, test } from '@jest/globals';
import {
  claudeArgs,
  DISALLOWED_TOOLS,
  reservedClaudeArg,
  type ClaudeTurn,
} from '../../../src/backends/claude/command.js';
import { CLAUDE_EFFORTS } from '../../../src/protocol/language/policy.js';

const ID = '11111111-2222-4333-8444-555555555555';
const HEAD = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages', '--session-id', ID];
const PERMISSIONS = ['--permission-mode', 'acceptEdits', '--permission-prompts', 'none'];
const DENIED = `--disallowedTools=${DISALLOWED_TOOLS.join(',')}`;

function argsOf(change: Partial<ClaudeTurn>): readonly string[] {
  return claudeArgs({ sessionId: ID, permissions: 'accept-edits', ...change });
}

test('a fresh turn names its session, accepts edits, asks nobody, and leaves all settings to the user', () => {
  expect(argsOf({})).toEqual([...HEAD, ...PERMISSIONS, DENIED]);
});

test('a turn that continues forks the transcript that it is given', () => {
  expect(argsOf({ resume: '/store/x.jsonl' })).toEqual([
    ...HEAD,
    ...['--resume', '/store/x.jsonl', '--fork-session'],
    ...PERMISSIONS,
    DENIED,
  ]);
});

test.each<[string, Partial<ClaudeTurn>, readonly string[]]>([
  ['the model', { model: 'haiku' }, ['--model', 'haiku']],
  ['the effort', { effort: 'high' }, ['--effort', 'high']],
  ['the rest of the budget', { budgetUsd: 0.25 }, ['--max-budget-usd', '0.25']],
  ['allowed tools', { allowedTools: ['Bash(npm *)', 'WebFetch'] }, ['--allowedTools=Bash(npm *),WebFetch']],
  [
    'the waiver of permissions',
    { permissions: 'skip' },
    ['--dangerously-skip-permissions', '--permission-prompts', 'none'],
  ],
])('%s stands on the command line', (_what, change, expected) => {
  const args = argsOf(change);
  const at = args.indexOf(expected[0] ?? '');
  expect(args.slice(at, at + expected.length)).toEqual(expected);
});

test('a waiver of permissions names no permission mode', () => {
  expect(argsOf({ permissions: 'skip' })).not.toContain('--permission-mode');
});

test('arguments of the config come last, so that they win', () => {
  expect(argsOf({ extraArgs: ['--permission-mode', 'plan'] }).slice(-2)).toEqual(['--permission-mode', 'plan']);
});

test('the isolated profile shuts out the settings of the user and other sessions', () => {
  const args = argsOf({ profile: 'isolated' });
  expect(args).toEqual(
    expect.arrayContaining(['--strict-mcp-config', '--disable-slash-commands', '--setting-sources']),
  );
  expect(args.find((argument) => argument.startsWith('--disallowedTools='))).toMatch(/,SendMessage,ListAgents$/);
});

test('tools that wait for a person or outlive the turn are disallowed', () => {
  expect(DISALLOWED_TOOLS).toEqual(
    expect.arrayContaining(['AskUserQuestion', 'ScheduleWakeup', 'Monitor', 'Workflow']),
  );
});

test.each<[string, Partial<ClaudeTurn>, string]>([
  ['a parent that is no transcript', { resume: '/store/x' }, 'must be a .jsonl file, not /store/x'],
  ['a budget of nothing', { budgetUsd: 0 }, 'more than 0 USD, not 0'],
  ['a budget that is no number', { budgetUsd: NaN }, 'more than 0 USD, not NaN'],
  ['an unknown effort', { effort: 'silly' }, `unknown effort "silly"; the efforts are ${CLAUDE_EFFORTS.join(', ')}`],
  ['a session id from the config', { extraArgs: ['--session-id', ID] }, 'must not contain --session-id'],
])('%s is an error before anything is spent', (_what, change, message) => {
  expect(() => argsOf(change)).toThrow(message);
});

describe('arguments that no config may set', () => {
  test.each([
    [['--resume', 'x'], '--resume'],
    [['--add-dir', '/x', '-c'], '-c'],
    [['--output-format=json'], '--output-format=json'],
    [['--append-system-prompt', 'be kind', '--model', 'opus'], undefined],
  ])('in %j it is %j', (args, reserved) => {
    expect(reservedClaudeArg(args)).toBe(reserved);
  });
});
