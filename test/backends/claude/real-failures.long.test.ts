// How the failures of the real Claude Code CLI are judged: the table of classify-failures.test.ts against the program itself.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { claudeArgs, type ClaudeTurn } from '../../../src/backends/claude/command.js';
import { classify, type Verdict } from '../../../src/backends/claude/classify.js';
import { promptEnvironment } from '../../../src/activities/environment/environment.js';
import { TurnTally, type TurnOutput } from '../../../src/backends/claude/tally.js';
import { ClaudeStream } from '../../../src/backends/claude/stream.js';
import { script, startModelApi, type ModelApi, type Reply, type Rule } from '../../support/model-api.js';
import { realClaude, type RealClaude } from '../../support/real-claude.js';
import { NO_ROOT, testUnless } from '../../support/unless.js';

interface Turn {
  readonly output: TurnOutput;
  readonly verdict: Verdict;
}

interface Change extends Partial<ClaudeTurn> {
  readonly env?: Readonly<Record<string, string>>;
  readonly mentions?: 'off';
}

const RULES: readonly Rule[] = [
  { contains: 'one', reply: { text: 'answer one' } },
  { contains: 'two', reply: { text: 'answer two' } },
  { contains: 'mention', reply: { text: 'seen' } },
  { contains: 'python', reply: [{ tool: { name: 'Bash', input: { command: 'python3 -c 1' } } }, { text: 'tried' }] },
  { contains: 'wake', reply: [{ tool: { name: 'ScheduleWakeup', input: { delaySeconds: 60 } } }, { text: 'over' }] },
  { contains: 'spend', reply: { text: 'dear', usage: { input_tokens: 1_000_000, output_tokens: 0 } } },
  { contains: 'fails', reply: { status: 500, message: 'replaced by the test' } },
];

let api: ModelApi;
let claude: RealClaude;
let failure: Reply | undefined;

beforeEach(async () => {
  failure = undefined;
  const scripted = script(RULES);
  const reply = Object.assign((request: Parameters<typeof scripted>[0]) => failure ?? scripted(request), {
    mismatches: scripted.mismatches,
  });
  api = await startModelApi({ reply });
  claude = await realClaude({ apiUrl: api.url });
});

afterEach(async () => {
  await claude.close();
  await api.close();
});

async function turn(prompt: string, { env = {}, mentions, ...change }: Change = {}, on = claude): Promise<Turn> {
  const args = claudeArgs({ sessionId: randomUUID(), permissions: 'accept-edits', ...change });
  const inherited = { ...on.env, CLAUDE_CODE_MAX_RETRIES: '0', ...env };
  const isolated = change.profile === 'isolated' ? { isolatedIn: join(on.cwd, 'home') } : {};
  const given = promptEnvironment({
    inherited,
    raymond: {},
    ...(mentions === undefined ? {} : { mentions }),
    ...isolated,
  });
  const { stdout, stderr, exitCode = -1 } = await on.run(args, { prompt, env: given.env });
  const junk: string[] = [];
  const stream = new ClaudeStream(undefined, (line, isEvent) => void (isEvent || junk.push(line)));
  const tally = new TurnTally();
  for (const event of [...stream.push(Buffer.from(stdout)), ...stream.end()]) tally.add(event);
  expect(junk).toEqual([]);
  const output = tally.output();
  return { output, verdict: classify({ output, end: { kind: 'exited', code: exitCode }, stderr, now: new Date() }) };
}

describe('the real CLI’s failures are judged', () => {
  test.each<[string, Reply, Readonly<Record<string, unknown>>]>([
    ['429', { status: 429 }, { kind: 'retry', reason: 'rate-limited' }],
    ['529', { status: 529 }, { kind: 'retry', reason: 'api-trouble' }],
    ['500', { status: 500 }, { kind: 'retry', reason: 'api-trouble' }],
    ['401', { status: 401 }, { kind: 'needs-person', reason: 'not-logged-in' }],
    ['403', { status: 403 }, { kind: 'needs-person', reason: 'not-logged-in' }],
    [
      '400 for credit',
      { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
      { kind: 'needs-person', reason: 'billing' },
    ],
    [
      '400 for length',
      { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' },
      { kind: 'fatal', reason: 'prompt-too-long' },
    ],
    ['400', { status: 400, message: 'something else' }, { kind: 'fatal', reason: 'request-refused' }],
    ['404', { status: 404, message: 'model: nope' }, { kind: 'fatal', reason: 'model-not-found' }],
    ['413', { status: 413 }, { kind: 'fatal', reason: 'request-refused' }],
  ])('%s', async (_what, reply, expected) => {
    failure = reply;
    const { verdict } = await turn('\nfails');
    expect(verdict).toMatchObject(expected);
  });

  test('a limit of a subscription, with its time', async () => {
    const reset = Math.ceil(Date.now() / 1000) + 3600;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(reset),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    failure = { status: 429, headers };
    const { verdict } = await turn('\nfails', { env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'dummy' } });
    expect(verdict).toMatchObject({ kind: 'usage-limit', resetsAt: reset * 1000 });
  });

  test('a server that cannot be reached', async () => {
    const { verdict } = await turn('\nfails', { env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
    expect(verdict).toMatchObject({ kind: 'retry', reason: 'api-trouble' });
  });

  test('no login', async () => {
    const { verdict } = await turn('\nfails', { env: { ANTHROPIC_API_KEY: '' } });
    expect(verdict).toMatchObject({ kind: 'needs-person', reason: 'not-logged-in' });
    expect(api.requests).toHaveLength(0);
  });

  test('a budget that one answer exceeds: what was said and spent is known', async () => {
    const { output, verdict } = await turn('\nspend', { budgetUsd: 0.5 });
    expect(verdict.kind).toBe('over-budget');
    expect(output.text).toBe('dear');
    expect(output.costUsd).toBeGreaterThan(0.5);
  });

  test('a prompt that begins with a slash', async () => {
    const { verdict } = await turn('/clear');
    expect(verdict).toMatchObject({ kind: 'fatal', reason: 'taken-as-command' });
  });

  test('a conversation that is not there', async () => {
    const { verdict } = await turn('\none', { resume: '/nowhere/x.jsonl' });
    expect(verdict).toMatchObject({ kind: 'fatal', reason: 'session-missing' });
  });

  test('a session id that is taken', async () => {
    const sessionId = randomUUID();
    await turn('\none', { sessionId });
    expect((await turn('\none', { sessionId })).verdict).toMatchObject({ kind: 'retry', reason: 'session-in-use' });
  });

  test.each([
    ['an unknown flag', ['--frobnicate']],
    ['settings that are not there', ['--settings', '/nope.json']],
    ['an MCP configuration that is not there', ['--mcp-config', '/nope.json']],
  ])('%s', async (_what, extraArgs) => {
    expect((await turn('\none', { extraArgs })).verdict).toMatchObject({ kind: 'fatal', reason: 'bad-arguments' });
  });

  const asRoot = testUnless(NO_ROOT);
  asRoot('skipped permissions as root', async () => {
    const { verdict } = await turn('\none', { permissions: 'skip' });
    expect(verdict).toMatchObject({ kind: 'fatal', reason: 'refused-as-root' });
  });
});
