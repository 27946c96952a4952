// One attempt of a prompt turn on a real worker's equipment, with a fake Claude: money, conversations and what a failed attempt leaves.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Session } from '../../../src/protocol/machine/agent.js';
import { fakeClaude, flagOf, type FakeClaude, type FakeRule } from '../../support/fake-claude.js';
import { untilNoted } from '../../support/fakes.js';
import { until } from '../../support/until.js';
import { TestWorker, failureOf, type TurnOptions } from '../test-worker.js';

const PROMPT: TurnOptions = { agent: { state: 'START.md' } };

let fake: FakeClaude;
let worker: TestWorker;
beforeEach(async () => {
  fake = await fakeClaude();
  worker = await TestWorker.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
});
afterEach(async () => {
  await fake.close();
});

const rules = (...list: readonly FakeRule[]): Promise<void> => fake.setRules(list);
const sessionIds = async (): Promise<readonly (string | undefined)[]> =>
  (await fake.calls()).map((call) => flagOf(call, '--session-id'));
/** The transcripts that Claude keeps, by session. */
const transcripts = async (): Promise<readonly string[]> =>
  (await readdir(fake.configDir, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.jsonl'));

describe('an attempt that is answered', () => {
  test('reports transition, session and cost, and keeps its journal only until the server has the report', async () => {
    await rules({ text: 'Done. <result>ok</result>', costUsd: 0.25 });
    const report = await worker.turn(PROMPT);
    const [id] = await sessionIds();
    expect(report).toEqual({
      outcome: { kind: 'transition', transition: { kind: 'result', payload: 'ok' } },
      session: { id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      costUsd: 0.25,
      tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
      durationMs: expect.any(Number),
      stateSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      // A message ends its line, as what a script prints does.
      output: 'Done. <result>ok</result>\n',
    });
    expect(await readdir(join(worker.raymondDir, 'journal'))).toEqual([expect.stringMatching(/-1\.reported$/)]);
    expect(await readdir(join(worker.raymondDir, 'tmp')).catch(() => [])).toEqual([]);
  });

  test('with a mistake keeps the session that made it, and its cost', async () => {
    await rules({ text: 'I forgot the tag.', costUsd: 0.5 });
    expect(await worker.turn(PROMPT)).toMatchObject({
      outcome: { kind: 'problem', problem: { kind: 'no-tag' }, text: 'I forgot the tag.' },
      session: { id: expect.any(String) },
      costUsd: 0.5,
    });
  });

  test('continues from its parent, which stays as it was', async () => {
    await rules({ text: '<goto>START</goto>' });
    const first = await worker.turn(PROMPT);
    const parent = first.session as Session;
    const before = await worker.context.artifacts.text({ sha256: parent.sha256, bytes: 0 });
    const second = await worker.turn({ agent: { state: 'START.md', turn: 1, session: parent } });
    expect(second.session?.id).not.toBe(parent.id);
    expect(await fake.conversation(second.session?.id ?? '')).toEqual([
      ...['user: Do it.', 'assistant: <goto>START</goto>'],
      ...['user: Do it.', 'assistant: <goto>START</goto>'],
    ]);
    expect(await worker.context.artifacts.text({ sha256: parent.sha256, bytes: 0 })).toBe(before);
  });

  test('and then hangs is ended after its grace, and counts', async () => {
    await rules({ text: '<result>ok</result>', hang: 'after', costUsd: 0.5 });
    const turn = await worker.turn({ agent: { state: 'START.md', id: 'hangs' } });
    expect(turn).toMatchObject({ outcome: { kind: 'transition' }, costUsd: 0.5 });
    expect(await worker.processesOf('hangs')).toEqual([]);
  });

  test('gets the rest of the budget', async () => {
    await rules({ text: '<result>ok</result>' });
    await worker.turn({ ...PROMPT, allowanceUsd: 1.5 });
    expect(flagOf((await fake.calls())[0], '--max-budget-usd')).toBe('1.5');
  });
});

test('an isolated attempt has a home that is gone with it; the conversation continues nevertheless', async () => {
  const environment = { PATH: fake.env['PATH'] ?? '', HOME: '/nowhere', ANTHROPIC_API_KEY: 'key', OTHER: 'x' };
  const isolated = await TestWorker.with(
    { 'START.md': 'Do it.\n' },
    { environment, settings: { claudeProfile: 'isolated' } },
  );
  await rules({ text: '<goto>START</goto>' });
  const { session } = await isolated.turn(PROMPT);
  const second = await isolated.turn({ agent: { state: 'START.md', turn: 1, session: session as Session } });
  const calls = await fake.calls();
  for (const { argv, envNames } of calls) {
    expect(argv).toContain('--strict-mcp-config');
    expect(envNames).toEqual(expect.arrayContaining(['HOME', 'ANTHROPIC_API_KEY']));
    expect(envNames).not.toContain('OTHER');
  }
  expect(flagOf(calls[1], '--resume')).toContain(session?.id);
  expect(second.outcome.kind).toBe('transition');
  expect(await readdir(join(isolated.raymondDir, 'tmp'))).toEqual([]);
});

describe('an attempt that fails', () => {
  const LIMIT = Math.ceil(Date.now() / 1000) + 3600;

  test.each<[string, FakeRule, object]>([
    [
      'a usage limit with its time',
      { isError: true, rateLimit: { status: 'rejected', resetsAt: LIMIT, rateLimitType: 'five_hour' }, costUsd: 0.25 },
      { type: 'UsageLimit', costUsd: 0.25, resetsAt: LIMIT * 1000 },
    ],
    ['no result', { noResult: true, exitCode: 1, stderr: 'broke' }, { type: 'ClaudeFailed' }],
    [
      'a login that is missing',
      { isError: true, assistantError: 'authentication_failed', text: 'Please run /login', costUsd: 0 },
      { type: 'NeedsPerson', costUsd: 0 },
    ],
  ])(
    'by %s says so with its cost, leaves no transcript, and is not retried by Temporal',
    async (_why, rule, failure) => {
      await rules(rule);
      expect(await failureOf(worker.turn(PROMPT))).toMatchObject({ ...failure, retryable: false });
      expect(await transcripts()).toEqual([]);
    },
  );

  test('after its answer, because the states are gone, has still cost what it cost', async () => {
    await rules({
      text: '<goto>NEXT</goto>',
      costUsd: 0.75,
      waitFor: join(worker.cwd, 'go'),
      touch: join(worker.cwd, 'asked'),
    });
    const playing = worker.play(PROMPT);
    await until(() => readdir(worker.cwd).then((names) => names.includes('asked')), { what: 'the prompt' });
    await rm(worker.scope, { recursive: true });
    await writeFile(join(worker.cwd, 'go'), '');
    expect(await failureOf(playing.report)).toMatchObject({ type: 'StateUnreadable', costUsd: 0.75 });
  });

  test('after its answer, because Claude left no transcript, has still cost what it cost', async () => {
    const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: '<result>x</result>' };
    const line = JSON.stringify({ ...result, session_id: 's', total_cost_usd: 0.5 });
    await mkdir(join(worker.cwd, 'bin'));
    await writeFile(join(worker.cwd, 'bin', 'claude'), `#!/bin/sh\ncat > /dev/null\necho '${line}'\n`, { mode: 0o755 });
    const path = `${join(worker.cwd, 'bin')}:${process.env['PATH'] ?? ''}`;
    const forgetful = await TestWorker.with({ 'START.md': 'Do it.' }, { environment: { ...fake.env, PATH: path } });
    expect(await failureOf(forgetful.turn(PROMPT))).toMatchObject({ type: 'ArtifactMissing', costUsd: 0.5 });
  });

  test('because its frontmatter is never closed was never asked', async () => {
    await writeFile(join(worker.scope, 'START.md'), '---\nmodel: haiku\n\nDo it.\n');
    expect(await failureOf(worker.turn(PROMPT))).toMatchObject({
      type: 'InvalidState',
      message: `main, START.md: ${join(worker.scope, 'START.md')}:1: the frontmatter is never closed: put a line "---" below its last key, and the prompt below that (to start a prompt with a horizontal rule, write "***")`,
    });
    expect(await fake.calls()).toEqual([]);
  });

  test('because Claude is not installed asks for a person', async () => {
    const bare = await TestWorker.with({ 'START.md': 'Do it.' }, { environment: { PATH: '/usr/bin:/bin' } });
    expect(await failureOf(bare.turn(PROMPT))).toMatchObject({ type: 'NeedsPerson', costUsd: 0 });
  });

  test('because its parent conversation is gone names it', async () => {
    const session = { id: 'gone', sha256: 'b'.repeat(64) };
    expect(await failureOf(worker.turn({ agent: { state: 'START.md', session } }))).toMatchObject({
      type: 'ArtifactMissing',
      message: expect.stringContaining('b'.repeat(64)),
    });
    expect(await fake.calls()).toEqual([]);
  });
});

describe('an attempt that is ended from outside', () => {
  test('by a cancel reports what it has cost, leaves no transcript and no process', async () => {
    const asked = join(worker.cwd, 'asked');
    await rules({
      results: [
        { text: 'a', costUsd: 0.25 },
        { text: 'b', costUsd: 0.5 },
      ],
      hang: 'after',
      touch: asked,
    });
    const slow = await TestWorker.with(
      { 'START.md': 'Do it.' },
      { environment: { ...fake.env }, settings: { resultGraceMs: 60_000 } },
    );
    const playing = slow.play({ agent: { state: 'START.md', id: 'cancelled' } });
    await until(() => slow.progress.filter(({ kind }) => kind === 'said').length >= 2, { what: 'both answers' });
    playing.end('cancel');
    expect(await playing.report).toMatchObject({ outcome: { kind: 'cancelled' }, costUsd: 0.75 });
    expect(await transcripts()).toEqual([]);
    expect(await slow.processesOf('cancelled')).toEqual([]);
  });

  test('by the end of its worker leaves its cost for the next attempt, which books both and has a session of its own', async () => {
    await rules(
      { text: 'first', costUsd: 0.25, hang: 'after', times: 1 },
      { text: '<result>ok</result>', costUsd: 0.5 },
    );
    const slow = await TestWorker.with(
      { 'START.md': 'Do it.' },
      { environment: { ...fake.env }, settings: { resultGraceMs: 60_000 } },
    );
    const playing = slow.play(PROMPT);
    await until(() => slow.progress.some(({ kind }) => kind === 'said'), { what: 'the answer' });
    await untilNoted(dirname(slow.raymondDir));
    playing.end('worker shutdown');
    const lost = await failureOf(playing.report);
    expect(lost).toMatchObject({ type: 'WorkerLost', retryable: true, costUsd: 0 });
    expect(await slow.turn(PROMPT, 2)).toMatchObject({ costUsd: 0.75, outcome: { kind: 'transition' } });
    const [first, second] = await sessionIds();
    expect(second).not.toBe(first);
    expect((await transcripts()).map((name) => name.includes(first ?? 'none'))).toEqual([false]);
    expect(await slow.turn({ ...PROMPT, agent: { state: 'START.md', turn: 1 } })).toMatchObject({ costUsd: 0.5 });
  });

  test('for its time is a failure of Claude that says so', async () => {
    await rules({ hang: 'mid' });
    const settings = { permissions: 'accept-edits', maxSeconds: 0.5 } as const;
    expect(await failureOf(worker.turn({ ...PROMPT, settings }))).toMatchObject({
      type: 'ClaudeFailed',
      message: expect.stringContaining('its turn took more than 0.5 seconds (max_time)'),
    });
  });

  test('for printing without end is a failure of Claude that says so', async () => {
    await rules({ bigLine: 200_000, noResult: true, hang: 'after' });
    const short = await TestWorker.with(
      { 'START.md': 'Do it.' },
      { environment: { ...fake.env }, settings: { promptOutputBytes: 100_000 } },
    );
    expect(await failureOf(short.turn(PROMPT))).toMatchObject({
      type: 'ClaudeFailed',
      message: expect.stringContaining('printed more than 100000 bytes in one turn'),
    });
  });

  test('for its silence is a failure of Claude', async () => {
    await rules({ hang: 'mid' });
    const settings = { permissions: 'accept-edits', idleSeconds: 0.5 } as const;
    expect(await failureOf(worker.turn({ ...PROMPT, settings }))).toMatchObject({ type: 'ClaudeFailed' });
  });
});
