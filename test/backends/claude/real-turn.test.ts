// Integration tests: the command line and environment of a turn, given to the real CLI against a scripted model, and what is read from its stream.
import { randomUUID } from 'node:crypto';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { claudeArgs, type ClaudeTurn } from '../../../src/backends/claude/command.js';
import { classify, type Verdict } from '../../../src/backends/claude/classify.js';
import { promptEnvironment } from '../../../src/activities/environment/environment.js';
import { TurnTally, type TurnOutput } from '../../../src/backends/claude/tally.js';
import { ClaudeStream } from '../../../src/backends/claude/stream.js';
import {
  expectConversation,
  script,
  startModelApi,
  type ModelApi,
  type Reply,
  type Rule,
} from '../../support/model-api.js';
import { realClaude, type RealClaude } from '../../support/real-claude.js';

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
  {
    contains: 'judge',
    reply: [{ tool: { name: 'StructuredOutput', input: { score: 4 } } }, { text: 'unreached' }],
  },
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

describe('the real CLI takes our command line', () => {
  test('for a fresh turn, and reports its cost', async () => {
    const sessionId = randomUUID();
    const { output, verdict } = await turn('\none', { sessionId, model: 'haiku', effort: 'high', budgetUsd: 1 });
    expect(verdict).toEqual({ kind: 'answered' });
    expect(output).toMatchObject({
      text: 'answer one',
      results: 1,
      last: { sessionId, numTurns: 1, ownCostUsd: expect.any(Number) },
    });
    expect(output.usage).toEqual({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 });
    expect(api.requests[0]?.raw).toMatchObject({ model: output.model, output_config: { effort: 'high' } });
  });

  test('for a turn that continues from a stored transcript, under another HOME and directory', async () => {
    const sessionId = randomUUID();
    const first = await turn('\none', { sessionId });
    const stored = join(claude.binDir, 'stored.jsonl');
    await copyFile(claude.transcriptPath(sessionId), stored);
    const other = await realClaude({ apiUrl: api.url });
    try {
      await rm(claude.home, { recursive: true });
      const second = await turn('\ntwo', { resume: stored }, other);
      expectConversation(api.requests[1], ['user: one', 'assistant: answer one', 'user: two']);
      expect(second.output.costUsd).toBeCloseTo(first.output.costUsd, 10);
      expect(second.output.last?.totalCostUsd).toBeCloseTo(2 * first.output.costUsd, 10);
    } finally {
      await other.close();
    }
  });

  test('with the schema of its answer, which it returns as a value', async () => {
    const schema = { type: 'object', required: ['score'], properties: { score: { type: 'integer' } } };
    const { output, verdict } = await turn('\njudge', { schema });
    expect(verdict).toEqual({ kind: 'answered' });
    expect(output.last?.structured).toEqual({ score: 4 });
    expect(api.requests).toHaveLength(1);
  });

  test('in the isolated profile, with allowed tools and arguments of the config', async () => {
    const change = {
      profile: 'isolated',
      allowedTools: ['Bash(python3 *)'],
      extraArgs: ['--append-system-prompt', 'x'],
    } as const;
    const { output, verdict } = await turn('\npython', change);
    expect(verdict).toEqual({ kind: 'answered' });
    expect(output.denials).toEqual([]);
  });

  test('without permissions, in a sandbox', async () => {
    const { output } = await turn('\npython', { permissions: 'skip', env: { IS_SANDBOX: '1' } });
    expect(output).toMatchObject({ text: 'tried', denials: [] });
  });

  test('and tells which tools it denied', async () => {
    const { output, verdict } = await turn('\npython');
    expect(verdict).toEqual({ kind: 'answered' });
    expect(output.denials).toMatchObject([{ tool: 'Bash', detail: 'python3 -c 1' }]);
  });

  test('and ends at once where a tool would have kept it alive', async () => {
    const { output, verdict } = await turn('\nwake me');
    expect(verdict).toEqual({ kind: 'answered' });
    expect(output).toMatchObject({ text: 'over' });
    expect(api.requests[0]?.tools).not.toContain('ScheduleWakeup');
  });

  test('and reads a mentioned file only when mentions are on', async () => {
    await writeFile(join(claude.cwd, 'note.txt'), 'the secret word');
    await turn('\nmention @note.txt');
    await turn('\nmention @note.txt', { mentions: 'off' });
    const seen = api.requests.map(({ raw }) => JSON.stringify(raw).includes('the secret word'));
    expect(seen).toEqual([true, false]);
  });
});
