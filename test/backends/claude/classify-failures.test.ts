// Pure unit tests of the table of verdicts: every failure of the CLI that was measured, as its stream shows it.
import { describe, expect, test } from '@jest/globals';
import { apiFailure, GOOD, verdictOn, type Ended, type Json } from './ended-turn.js';

describe('API failures', () => {
  test.each<[string, readonly Json[], Json]>([
    [
      '429 without a limit',
      apiFailure('rate_limit', 'API Error: Request rejected (429) · x', { api_error_status: 429 }),
      { kind: 'retry', reason: 'rate-limited' },
    ],
    [
      '529',
      apiFailure('server_error', 'API Error: Repeated 529 Overloaded errors.', { api_error_status: 529 }),
      { kind: 'retry', reason: 'api-trouble' },
    ],
    [
      '500',
      apiFailure('server_error', 'API Error: 500 api_error.', { api_error_status: 500 }),
      { kind: 'retry', reason: 'api-trouble' },
    ],
    ['overloaded', apiFailure('overloaded', 'API Error'), { kind: 'retry', reason: 'api-trouble' }],
    [
      '408',
      apiFailure('unknown', 'API Error: 408', { api_error_status: 408 }),
      { kind: 'retry', reason: 'api-trouble' },
    ],
    [
      'a body that is no JSON',
      apiFailure('unknown', 'API Error: JSON Parse error: x'),
      { kind: 'retry', reason: 'api-trouble' },
    ],
    [
      'a refused connection',
      apiFailure('server_error', 'API Error (ECONNREFUSED)'),
      { kind: 'retry', reason: 'api-trouble' },
    ],
    [
      'a broken connection',
      apiFailure('server_error', 'API Error (ECONNRESET)'),
      { kind: 'retry', reason: 'api-trouble' },
    ],
    ['a timeout', apiFailure('server_error', 'Request timed out.'), { kind: 'retry', reason: 'api-trouble' }],
    [
      '401',
      apiFailure('authentication_failed', 'Invalid API key · Fix external API key', { api_error_status: 401 }),
      { kind: 'needs-person', reason: 'not-logged-in' },
    ],
    [
      '403',
      apiFailure('authentication_failed', 'Failed to authenticate. API Error: 403', { api_error_status: 403 }),
      { kind: 'needs-person', reason: 'not-logged-in' },
    ],
    [
      'no credentials',
      apiFailure('authentication_failed', 'Not logged in · Please run /login'),
      { kind: 'needs-person', reason: 'not-logged-in' },
    ],
    [
      'no credentials, told in words only',
      [{ type: 'result', is_error: true, result: 'Not logged in · Please run /login' }],
      { kind: 'needs-person', reason: 'not-logged-in' },
    ],
    [
      'an organisation that is not allowed',
      apiFailure('oauth_org_not_allowed', 'x'),
      { kind: 'needs-person', reason: 'not-logged-in' },
    ],
    [
      'no credit',
      apiFailure('billing_error', 'Credit balance is too low', { api_error_status: 400 }),
      { kind: 'needs-person', reason: 'billing' },
    ],
    [
      'a prompt that is too long',
      apiFailure('invalid_request', 'Prompt is too long · x', {
        api_error_status: 400,
        terminal_reason: 'prompt_too_long',
      }),
      { kind: 'fatal', reason: 'prompt-too-long' },
    ],
    [
      '404 for the model',
      apiFailure('model_not_found', "There's an issue with the selected model", { api_error_status: 404 }),
      { kind: 'fatal', reason: 'model-not-found' },
    ],
    [
      '413',
      apiFailure('invalid_request', 'Request too large (max 32MB).', {
        api_error_status: 413,
        terminal_reason: 'image_error',
      }),
      { kind: 'fatal', reason: 'request-refused' },
    ],
    [
      '400',
      apiFailure('unknown', 'API Error: 400 x', { api_error_status: 400 }),
      { kind: 'fatal', reason: 'request-refused' },
    ],
  ])('%s', (_what, lines, expected) => {
    expect(verdictOn({ lines })).toMatchObject(expected);
  });
});

describe('other ends', () => {
  test.each<[string, Ended, Json]>([
    [
      'the budget of the turn',
      {
        lines: [
          {
            type: 'result',
            subtype: 'error_max_budget_usd',
            is_error: true,
            num_turns: 1,
            terminal_reason: 'budget_exhausted',
            errors: ['Reached maximum budget ($0.5)'],
          },
        ],
      },
      { kind: 'over-budget' },
    ],
    [
      'an interruption',
      {
        lines: [
          { type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' },
        ],
        end: { kind: 'exited', code: 0 },
      },
      { kind: 'retry', reason: 'interrupted' },
    ],
    [
      'a prompt that was taken as a command',
      {
        lines: [{ type: 'result', subtype: 'success', is_error: false, num_turns: 0, result: '' }],
        end: { kind: 'exited', code: 0 },
      },
      { kind: 'fatal', reason: 'taken-as-command' },
    ],
    [
      'a conversation that is not there',
      {
        lines: [
          {
            type: 'result',
            subtype: 'error_during_execution',
            is_error: true,
            num_turns: 0,
            errors: ['No conversation found with session ID: x'],
          },
        ],
      },
      { kind: 'fatal', reason: 'session-missing' },
    ],
    [
      'a session id that is taken',
      { stderr: 'Error: Session ID x is already in use.' },
      { kind: 'retry', reason: 'session-in-use' },
    ],
    [
      'root',
      { stderr: '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons' },
      { kind: 'fatal', reason: 'refused-as-root' },
    ],
    ['an unknown flag', { stderr: "error: unknown option '--frobnicate'" }, { kind: 'fatal', reason: 'bad-arguments' }],
    [
      'settings that are not there',
      { stderr: 'Error: Settings file not found: /nope.json' },
      { kind: 'fatal', reason: 'bad-arguments' },
    ],
    [
      'Claude Code that is not installed',
      { end: { kind: 'unstartable', what: 'command', code: 'ENOENT', message: 'spawn claude ENOENT' } },
      { kind: 'needs-person', reason: 'not-installed' },
    ],
    [
      'a directory that is not there',
      { end: { kind: 'unstartable', what: 'cwd', code: 'ENOENT', message: 'no such directory: /x' } },
      {
        kind: 'fatal',
        reason: 'unstartable',
        message: 'The process cannot be started. Its message: no such directory: /x',
      },
    ],
  ])('%s', (_what, ended, expected) => {
    expect(verdictOn(ended)).toMatchObject(expected);
  });

  test.each<[string, Ended, string]>([
    [
      'a plain crash',
      { stderr: 'panic: x\n' },
      'Claude Code ended with exit code 1 before its result. Its message: panic: x',
    ],
    [
      'an end by SIGTERM, which the CLI turns into 143',
      { end: { kind: 'exited', code: 143 } },
      'Claude Code ended with exit code 143 before its result.',
    ],
    [
      'a kill',
      { end: { kind: 'signalled', signal: 'SIGKILL' } },
      'Claude Code was killed by SIGKILL before its result.',
    ],
    [
      'overtime',
      { end: { kind: 'overtime', seconds: 60 } },
      'Claude Code was stopped because its turn took more than 60 seconds (max_time).',
    ],
    [
      'silence',
      { end: { kind: 'idle', seconds: 600 } },
      'Claude Code printed nothing for 600 seconds and was stopped.',
    ],
    [
      'an end without a result and without an error',
      { end: { kind: 'exited', code: 0 } },
      'Claude Code ended with exit code 0 before its result.',
    ],
    [
      'a turn that a hook stopped',
      { lines: [{ ...GOOD, terminal_reason: 'stop_hook_prevented', result: '' }] },
      'Claude Code ended its turn without an answer (stop_hook_prevented).',
    ],
    [
      'an error of no known class',
      { lines: [{ type: 'result', subtype: 'error_of_tomorrow', is_error: true, errors: [] }] },
      'Claude Code ended its turn without an answer (error_of_tomorrow).',
    ],
  ])('%s is unclassified and says how it ended', (_what, ended, message) => {
    expect(verdictOn(ended)).toEqual({
      kind: 'unclassified',
      message,
    });
  });

  test('an answer that never fitted its schema is an answer: reminders speak of it', () => {
    const last = { type: 'result', subtype: 'error_max_structured_output_retries', is_error: true, errors: [] };
    expect(verdictOn({ lines: [last] })).toEqual({ kind: 'answered' });
  });
});
