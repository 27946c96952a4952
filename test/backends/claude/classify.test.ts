// Pure unit tests of the table of verdicts: answers, usage limits, and what people see.
import { describe, expect, test } from '@jest/globals';
import { failureOf } from '../../../src/backends/claude/classify.js';
import { apiFailure, GOOD, NOW, verdictOn, type Ended, type Json } from './ended-turn.js';

function limit(resetsAt: number | undefined): Json {
  return { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt } };
}

const LIMIT_TEXT = "You've hit your 5-hour limit · resets 1pm (UTC)";

describe('answered', () => {
  test.each<[string, Ended]>([
    ['a completed result', { lines: [GOOD], end: { kind: 'exited', code: 0 } }],
    ['a completed result, whatever the exit code', { lines: [GOOD], end: { kind: 'exited', code: 1 } }],
    ['a completed result of a process that lived on', { lines: [GOOD], end: { kind: 'enough' } }],
    [
      'a completed result of a process that was killed later',
      { lines: [GOOD], end: { kind: 'signalled', signal: 'SIGKILL' } },
    ],
    ['a completed result of a process that fell silent', { lines: [GOOD], end: { kind: 'idle', seconds: 600 } }],
    [
      'an older CLI without a terminal reason',
      { lines: [{ type: 'result', subtype: 'success', is_error: false, result: 'x' }] },
    ],
    ['a good last result after a bad one', { lines: [...apiFailure('server_error', 'API Error'), GOOD] }],
    [
      'a good answer about limits',
      { lines: [limit(1), { ...GOOD, result: "You've hit your limit · resets 1pm (UTC)" }] },
    ],
    [
      'a turn that met the user’s own cap',
      { lines: [{ type: 'result', subtype: 'error_max_turns', is_error: true, terminal_reason: 'max_turns' }] },
    ],
  ])('by %s', (_what, ended) => {
    expect(verdictOn(ended)).toEqual({ kind: 'answered' });
  });
});

describe('a usage limit', () => {
  const LATER = Date.parse('2026-11-21T13:00:00Z');
  const status = { api_error_status: 429 };

  test.each<[string, readonly Json[], number | undefined]>([
    ['by its event', [limit(LATER / 1000), ...apiFailure('rate_limit', 'limited', status)], LATER],
    [
      'by its event, whose time wins over the words',
      [limit(LATER / 1000 + 5), ...apiFailure('rate_limit', LIMIT_TEXT, status)],
      LATER + 5000,
    ],
    [
      'by its event without a time, and words that tell it',
      [limit(0), ...apiFailure('rate_limit', LIMIT_TEXT, status)],
      LATER,
    ],
    ['by its event alone', [limit(undefined), ...apiFailure('rate_limit', 'limited', status)], undefined],
    ['by words alone', apiFailure('rate_limit', LIMIT_TEXT, status), LATER],
    ['by words without a time', apiFailure('rate_limit', "You've hit your monthly spend limit."), undefined],
    [
      'by its event, when its time has just passed',
      [limit(NOW.getTime() / 1000 - 50), ...apiFailure('rate_limit', 'x', status)],
      NOW.getTime() - 50_000,
    ],
  ])('%s', (_what, lines, resetsAt) => {
    const verdict = verdictOn({ lines });
    expect(verdict.kind).toBe('usage-limit');
    expect('resetsAt' in verdict ? verdict.resetsAt : undefined).toBe(resetsAt);
  });

  test('on stderr of a process that ended without a result', () => {
    expect(verdictOn({ stderr: LIMIT_TEXT })).toMatchObject({ kind: 'usage-limit', resetsAt: LATER });
  });

  test('that has no part in the failure is none', () => {
    const lines = [limit(LATER / 1000), ...apiFailure('server_error', 'API Error: 500', { api_error_status: 500 })];
    expect(verdictOn({ lines })).toMatchObject({ kind: 'retry', reason: 'api-trouble' });
  });

  test('in the words of a turn that did not fail is none', () => {
    const lines = [{ ...GOOD, terminal_reason: 'hook_stopped', result: LIMIT_TEXT }];
    expect(verdictOn({ lines })).toMatchObject({ kind: 'unclassified' });
  });

  test('that was only near is none, when the turn failed for another reason', () => {
    const allowed = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 5 } };
    const lines = [allowed, ...apiFailure('server_error', 'API Error: 500', { api_error_status: 500 })];
    expect(verdictOn({ lines })).toMatchObject({ kind: 'retry', reason: 'api-trouble' });
  });
});

test('a message says what happened, what to do, and the last words of Claude Code', () => {
  const lines = apiFailure('billing_error', 'Credit balance is too low', { api_error_status: 400 });
  expect(verdictOn({ lines })).toMatchObject({
    message: 'The account of Claude has no credit: add some, then resume. Its message: Credit balance is too low',
  });
});

test('a long text of the CLI is cut in the message', () => {
  const verdict = verdictOn({ stderr: `${'x'.repeat(10_000)}\n`.repeat(10) });
  expect('message' in verdict ? verdict.message.length : 0).toBeLessThan(700);
});

test.each<[Ended, string]>([
  [{ lines: apiFailure('server_error', 'x', { api_error_status: 500 }) }, 'ApiTrouble'],
  [{ lines: apiFailure('billing_error', 'x') }, 'NeedsPerson'],
  [{ stderr: LIMIT_TEXT }, 'UsageLimit'],
  [{ stderr: 'boom' }, 'ClaudeFailed'],
  [{ lines: [{ type: 'result', subtype: 'error_max_budget_usd', is_error: true }] }, 'OverBudget'],
  [{ stderr: "error: unknown option '-x'" }, 'ClaudeRefused'],
])('a verdict is a failure of the table', (ended, type) => {
  const verdict = verdictOn(ended);
  expect(verdict.kind === 'answered' ? 'none' : failureOf(verdict)).toBe(type);
});
