// The truth: the real Claude Code CLI against a loopback model API, whose requests tell the exact conversation of every turn.
import { beforeAll, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Place } from '../support/cli.js';
import type { ModelRequest } from '../support/model-api.js';
import { newest, expectTrimmed, openFlow, type ClaudeFlow } from './claude-flow.js';

let flow: ClaudeFlow;

beforeAll(async () => {
  flow = await openFlow();
});

function conversationOf(prompt: string): ModelRequest | undefined {
  return flow.api.requests.find((request) => newest(request).startsWith(prompt));
}

test('every turn receives exactly its conversation through goto, call, function, fork and result', async () => {
  const { stdout, stderr, exitCode } = await flow.place.raymond(['start', 'flow', '--json', '--model', 'haiku']);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const document = JSON.parse(stdout) as { costUsd: number; agents: unknown[] };
  expect(document).toMatchObject({
    status: 'completed',
    result: 'shipped',
    agents: [
      { id: 'main', status: 'completed', state: 'END.md' },
      { id: 'main_worker1', status: 'completed', state: 'WORKER.md', result: 'worked' },
    ],
  });
  expect(document.costUsd).toBeGreaterThan(0);
  expect(flow.api.requests).toHaveLength(8);

  const began = ['user: Remember APPLE.', 'assistant: Noted. <goto>PLAN</goto>'];
  const planned = [...began, 'user: Plan it.', 'assistant: <call return="USE">RESEARCH</call>'];
  const used = [
    ...planned,
    'user: Use the facts.',
    'assistant: <function return="SHIP" input="good?">JUDGE</function>',
  ];
  const shipped = [
    ...used,
    'user: Ship it, the verdict is yes.',
    'assistant: <fork next="END" item="docs">WORKER</fork>',
  ];
  const expected: readonly (readonly [prompt: string, lines: readonly string[]])[] = [
    ['Remember APPLE.', []],
    ['Plan it.', began],
    ['Look it up.', planned],
    ['Use the facts.', planned],
    ['Judge: good?', []],
    ['Ship it, the verdict is yes.', used],
    ['Work on docs as main_worker1.', []],
    ['The end.', shipped],
  ];
  for (const [prompt, lines] of expected) expectTrimmed(conversationOf(prompt), [...lines, `user: ${prompt}`]);
});

test('a prompt that begins with a slash is no command, and a value with @ reads no file', async () => {
  await writeFile(join(flow.place.cwd, 'secret.txt'), 'TOP SECRET');
  const other = await Place.sharing(
    { 'flow/START.md': '/clear {{input}}\n', 'secret.txt': 'TOP SECRET' },
    flow.claude.env,
  );
  const before = flow.api.requests.length;
  await other.raymond(['start', 'flow', '--input', 'see @secret.txt']);
  const asked = flow.api.requests.slice(before);
  expect(asked.length).toBeGreaterThan(0);
  expect(newest(asked[0]!)).toBe('/clear see @secret.txt');
  expect(JSON.stringify(asked.map(({ raw }) => raw))).not.toContain('TOP SECRET');
});
