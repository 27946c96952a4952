// Conversations as they are read from the session files of Claude Code and pi.
import { describe, expect, test } from '@jest/globals';
import { readTranscript } from '../../src/backends/claude/transcript.js';
import { readPiTranscript } from '../../src/backends/pi/transcript.js';

const lines = (...entries: readonly unknown[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');
const FAILED = { type: 'tool_result', tool_use_id: 'b', is_error: true, content: [{ type: 'text', text: 'FAIL' }] };

describe('a conversation of Claude Code', () => {
  const said = (type: 'user' | 'assistant', ...content: readonly unknown[]) => ({ type, message: { content } });

  test('has each call with its input and its result, also of calls at the same time', () => {
    const read = { type: 'tool_use', id: 'a', name: 'Read', input: { file_path: '/p.ts', limit: 3 } };
    const bash = { type: 'tool_use', id: 'b', name: 'Bash', input: { command: 'npm  test' } };
    const session = lines(
      { type: 'user', message: { content: 'Look.' } },
      said('assistant', { type: 'text', text: 'I look.' }, read),
      said('assistant', bash),
      said('user', FAILED, { type: 'tool_result', tool_use_id: 'a', content: 'one\ntwo' }),
    );
    expect(readTranscript(session)).toEqual([
      { by: 'person', text: 'Look.' },
      { by: 'agent', text: 'I look.' },
      { by: 'tool', text: '[Read /p.ts]', tool: 'Read', input: { file_path: '/p.ts', limit: 3 }, result: 'one\ntwo' },
      {
        by: 'tool',
        text: '[Bash npm test]',
        tool: 'Bash',
        input: { command: 'npm  test' },
        result: 'FAIL',
        isError: true,
      },
    ]);
  });

  const LOOK = { by: 'tool', text: '[Look]', tool: 'Look', input: {} };
  test.each([
    [
      'a call that was interrupted has no result',
      said('assistant', { type: 'tool_use', id: 'b', name: 'X' }),
      [LOOK, { by: 'tool', text: '[X]', tool: 'X', input: {} }],
    ],
    [
      'a picture is named',
      said('user', { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image' }] }),
      [{ ...LOOK, result: '[image]' }],
    ],
    ['a result without its call is left out', said('user', { type: 'tool_result', content: 'lost' }), [LOOK]],
    [
      'fields of other types are absent',
      said('assistant', { type: 'tool_use', id: 3, name: 4, input: 'text' }),
      [LOOK, { by: 'tool', text: '[tool]', tool: 'tool', input: {} }],
    ],
    [
      'messages of subagents are left out',
      { ...said('assistant', { type: 'text', text: 'x' }), isSidechain: true },
      [LOOK],
    ],
  ])('%s', (_title, entry, expected) => {
    const before = said('assistant', { type: 'tool_use', id: 'a', name: 'Look', input: {} });
    expect(readTranscript(`${lines(before, entry)}\n{"type":"assist`)).toEqual(expected);
  });
});

test('a conversation of pi has each call with its input and its result', () => {
  const message = (role: string, content: unknown, more = {}) => ({
    type: 'message',
    message: { role, content, ...more },
  });
  const session = lines(
    { type: 'session' },
    message('user', 'Look.'),
    message('assistant', [
      { type: 'text', text: 'I look.' },
      { type: 'toolCall', id: 'a', name: 'bash', arguments: { command: 'ls' } },
      { type: 'toolCall', id: 'b', name: 'edit', arguments: 'broken' },
    ]),
    message('toolResult', [{ type: 'text', text: 'no such file' }], { toolCallId: 'a', isError: true }),
  );
  expect(readPiTranscript(session)).toEqual([
    { by: 'person', text: 'Look.' },
    { by: 'agent', text: 'I look.' },
    { by: 'tool', text: '[bash ls]', tool: 'bash', input: { command: 'ls' }, result: 'no such file', isError: true },
    { by: 'tool', text: '[edit]', tool: 'edit', input: {} },
  ]);
});
