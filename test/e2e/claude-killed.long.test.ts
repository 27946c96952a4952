// The real Claude Code CLI in a run that is killed, forked from a recorded turn, and opened manually: each turn sends its exact conversation.
import { beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import type { ModelRequest } from '../support/model-api.js';
import { until } from '../support/until.js';
import { newest, expectTrimmed, openFlow, type ClaudeFlow } from './claude-flow.js';

let flow: ClaudeFlow;
let hold: Promise<void> = Promise.resolve();

beforeAll(async () => {
  flow = await openFlow(() => hold);
});

test('kill -9 in the middle of a prompt turn: resume sends the same conversation again and repeats no recorded turn', async () => {
  const before = flow.api.requests.length;
  let release: () => void = () => undefined;
  const killed = flow.place.begin(['start', 'flow', '--id', 'killed']);
  await until(() => flow.api.requests.length > before, { what: 'the first request' });
  await until(() => flow.api.requests.some((request, n) => n >= before && newest(request) === 'Plan it.'), {
    what: 'the second turn',
  });
  hold = new Promise((resolve) => (release = resolve));
  await until(() => flow.api.requests.slice(before).some((request) => newest(request) === 'Look it up.'), {
    what: 'the third turn',
  });
  killed.kill('SIGKILL');
  await killed;
  release();
  hold = Promise.resolve();
  const { stdout, exitCode } = await flow.place.raymond(['resume', 'killed']);
  expect({ stdout, exitCode }).toEqual({ stdout: 'shipped', exitCode: 0 });
  const asked = flow.api.requests.slice(before).map(newest);
  const repeated = asked.filter((prompt, index) => asked.indexOf(prompt) !== index);
  // Only the turn that was not recorded may have been asked twice.
  expect(repeated.every((prompt) => ['Look it up.', 'Plan it.'].includes(prompt))).toBe(true);
  expect(repeated.length).toBeLessThanOrEqual(1);
});

test('a run from a recorded turn sends the conversations that the old one had, through call and result', async () => {
  const before = flow.api.requests.length;
  const { stdout, exitCode } = await flow.place.raymond(['fork', 'killed', '--at', '3', '--id', 'forked']);
  expect({ stdout, exitCode }).toEqual({ stdout: 'shipped', exitCode: 0 });
  const asked = flow.api.requests.slice(before);
  expect(asked.slice(0, 2).map(newest)).toEqual(['Look it up.', 'Use the facts.']);
  const planned = [
    'user: Remember APPLE.',
    'assistant: Noted. <goto>PLAN</goto>',
    'user: Plan it.',
    'assistant: <call return="USE">RESEARCH</call>',
  ];
  expectTrimmed(asked[0], [...planned, 'user: Look it up.']);
  expectTrimmed(asked[1], [...planned, 'user: Use the facts.']);
});

test('the command that opens a conversation manually opens it, and leaves that of the run as it is', async () => {
  const before = (await flow.place.raymond(['transcript', 'killed', 'main'])).stdout;
  const { stdout } = await flow.place.raymond(['session', 'killed', 'main']);
  const opening = {
    env: flow.claude.env,
    extendEnv: false,
    input: 'The end.',
    reject: false,
    timeout: 60_000,
  } as const;
  const { exitCode } = await execa('bash', ['-c', `${stdout} -p --model haiku`], opening);
  expect(exitCode).toBe(0);
  const { conversation } = flow.api.requests.at(-1) as ModelRequest;
  expect(conversation[0]?.text.trim()).toBe('Remember APPLE.');
  expect(conversation.at(-1)?.text.trim()).toBe('The end.');
  expect(before).toMatch(/^> Remember APPLE\.[^]*The end\.[^]*All <result>shipped<\/result>$/);
  expect((await flow.place.raymond(['transcript', 'killed', 'main'])).stdout).toBe(before);
});
