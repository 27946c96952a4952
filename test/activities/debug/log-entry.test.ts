// Pure unit tests of the words of transitions.log.
import { describe, expect, test } from '@jest/globals';
import { entryOf, TotalReader } from '../../../src/activities/debug/log.js';
import type { TurnOutcome, TurnReport, TurnRequest } from '../../../src/contract/turns.js';

const AT = new Date(2026, 0, 15, 14, 30, 22);

function entry(
  outcome: TurnOutcome,
  report: Partial<TurnReport> = {},
  { returnsTo, ...agent }: Partial<TurnRequest['agent']> & Pick<TurnRequest, 'returnsTo'> = {},
): string {
  const request: TurnRequest = {
    runId: 'r',
    ...(returnsTo === undefined ? {} : { returnsTo }),
    settings: { permissions: 'accept-edits' },
    agent: {
      id: 'main',
      scope: { kind: 'directory', path: '/s' },
      state: 'START.md',
      via: 'start',
      cwd: '/',
      home: '/',
      attributes: {},
      forks: 2,
      turn: 4,
      ...agent,
    },
  };
  const whole = { outcome, costUsd: 0.05, durationMs: 1, stateSha256: '', ...report };
  return entryOf(request, whole, { at: AT, totalUsd: 0.08 });
}

const went = (transition: Extract<TurnOutcome, { kind: 'transition' }>['transition']): TurnOutcome => ({
  kind: 'transition',
  transition,
});
const GOTO = went({ kind: 'goto', target: 'NEXT.md' });

test('an entry tells time, agent, route, session, cost and total', () => {
  const session = { id: 'new', sha256: '' };
  expect(entry(GOTO, { session }, { session: { id: 'old', sha256: '' } })).toBe(
    [
      '2026-01-15 14:30:22 [main] START.md -> NEXT.md (goto)',
      '  turn: 5',
      '  state_type: prompt',
      '  session_id: new (resumed from old)',
      '  cost: $0.05',
      '  total_cost: $0.08',
      '',
      '',
    ].join('\n'),
  );
});

describe('an entry for', () => {
  test.each<[string, string, RegExp]>([
    ['a script', entry(GOTO, { costUsd: 0 }, { state: 'START.sh' }), /state_type: script\n {2}cost: \$0\.00\n/],
    ['the first conversation', entry(GOTO, { session: { id: 'new', sha256: '' } }), /session_id: new\n/],
    ['a small cost', entry(GOTO, { costUsd: 0.0123 }), /cost: \$0\.0123\n/],
    ['a call', entry(went({ kind: 'call', target: 'A.md', return: 'B.md' })), /-> A\.md \(call\)[^]*return: B\.md\n/],
    [
      'a result that ends its agent',
      entry(went({ kind: 'result', payload: 'a\n"b"' })),
      /START\.md -> \(result, terminated\)\n[^]* {2}result: "a\\n\\"b\\""\n\n$/,
    ],
    [
      'a result that goes back to a caller',
      entry(went({ kind: 'result', payload: 'a' }), {}, { state: 'C.md', returnsTo: 'B.md' }),
      /C\.md -> B\.md \(result\)\n[^]* {2}result: "a"\n/,
    ],
    ['a long result', entry(went({ kind: 'result', payload: 'x'.repeat(300) })), /result: "x{199}…"\n/],
    [
      'a large result',
      entry(went({ kind: 'result', payload: { sha256: 'abc', bytes: 40000 } })),
      /40000 bytes, artifact abc/,
    ],
    [
      'a fork',
      entry(
        went({
          kind: 'fork',
          next: 'WAIT.sh',
          forks: [
            { target: 'WORKER.md', attributes: {} },
            { target: 'WORKER.md', attributes: {} },
          ],
        }),
      ),
      /-> WAIT\.sh \(fork\)[^]*forked: main_worker3 at WORKER\.md\n {2}forked: main_worker4 at WORKER\.md\n/,
    ],
    ['a mistake', entry({ kind: 'problem', problem: { kind: 'no-tag' }, text: '' }), /-> \(mistake\)[^]*problem: \S/],
    ['a cancelled turn', entry({ kind: 'cancelled' }), /-> \(cancelled\)/],
  ])('%s says so', (_what, text, expected) => {
    expect(text).toMatch(expected);
  });

  test('a state whose name has lines does not look like two', () => {
    expect(entry(GOTO, {}, { state: 'a\n2026-01-01 00:00:00 [x] y.md' }).split('\n')[0]).toContain('a 2026');
  });
});

test('totals are read back, the last one of each agent', () => {
  const totals = new Map<string, number>();
  const reader = new TotalReader(totals);
  const other = entry(GOTO, {}, { id: 'main_x1' });
  for (const line of `${entry(GOTO)}${other}${entry(GOTO).replace('$0.08', '$0.123')}`.split('\n')) reader.line(line);
  expect(Object.fromEntries(totals)).toEqual({ main: 0.123, main_x1: 0.08 });
});
