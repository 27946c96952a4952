// Integration tests of the fake Claude: it must resemble the real one where turns depend on it, and misbehave exactly as requested.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { identify } from '../../src/host/process.js';
import { directive, fakeClaude, flagOf, type FakeClaude } from './fake-claude.js';
import { until } from './until.js';

type Event = Record<string, unknown> & { readonly type: string };

const BASE = ['-p', '--output-format', 'stream-json', '--verbose'];

let fake: FakeClaude;
let cwd: string;

beforeEach(async () => {
  fake = await fakeClaude();
  cwd = join(fake.folder, 'work');
  await mkdir(cwd);
});

afterEach(() => fake.close());

function start(args: readonly string[], prompt: string) {
  const env = { ...fake.env, RAYMOND_ATTEMPT: 'a1' };
  return execa('claude', [...BASE, ...args], { cwd, env, input: prompt, reject: false });
}

async function run(
  args: readonly string[],
  prompt: string,
): Promise<{ code: number | undefined; stderr: string; events: Event[] }> {
  const { exitCode, stdout, stderr } = await start(args, prompt);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return { code: exitCode, stderr, events: lines.map((line) => JSON.parse(line) as Event) };
}

describe('like the real one', () => {
  test('a call is logged with its flags, prompt, place and RAYMOND_ variables', async () => {
    await run(['--model', 'haiku'], '\nhello');
    const [call] = await fake.calls();
    expect(call).toMatchObject({ prompt: '\nhello', cwd, env: { RAYMOND_ATTEMPT: 'a1' } });
    expect(flagOf(call, '--model')).toBe('haiku');
    expect(call?.envNames).toContain('PATH');
  });

  test('a fork has the conversation of its parent, which stays as it was; its total cost continues', async () => {
    const [parent, fork] = [randomUUID(), randomUUID()];
    await run(['--session-id', parent], '\none');
    const path = await fake.transcriptPath(parent);
    const before = await readFile(path, 'utf8');
    const { events } = await run(['--session-id', fork, '--resume', path, '--fork-session'], '\ntwo');
    expect(events.at(-1)).toMatchObject({
      total_cost_usd: 0.02,
      model_usage_since_last_result: { 'claude-fake-1': { costUSD: 0.01 } },
    });
    expect(await fake.conversation(fork)).toEqual([
      'user: one',
      'assistant: fake answer',
      'user: two',
      'assistant: fake answer',
    ]);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test('a failed turn leaves its prompt in the transcript, and its session id is used up', async () => {
    const id = randomUUID();
    await run(['--session-id', id], directive({ isError: true, text: 'API Error', apiErrorStatus: 500 }));
    expect(await fake.conversation(id)).toHaveLength(1);
    expect(await run(['--session-id', id], 'again')).toMatchObject({
      code: 1,
      events: [],
      stderr: `Error: Session ID ${id} is already in use.`,
    });
  });

  test('a parent that is not there is an error_during_execution', async () => {
    const { code, events } = await run(['--resume', '/nowhere/x.jsonl', '--fork-session'], 'hi');
    expect(code).toBe(1);
    expect(events).toMatchObject([{ subtype: 'error_during_execution', is_error: true, num_turns: 0 }]);
  });

  test('a prompt that begins with a slash is a command; with a newline before it, it is a prompt', async () => {
    expect((await run([], '/clear')).events.at(-1)).toMatchObject({ is_error: false, num_turns: 0, result: '' });
    expect((await run([], '\n/clear')).events.at(-1)).toMatchObject({ num_turns: 1, result: 'fake answer' });
  });

  test.each([
    ['an unknown flag', ['--frobnicate'], "error: unknown option '--frobnicate'"],
    ['a session id that is no UUID', ['--session-id', 'abc'], 'Error: Invalid session ID. Must be a valid UUID.'],
    ['a budget of nothing', ['--max-budget-usd', '0'], '--max-budget-usd must be a number greater than 0'],
    ['an unknown permission mode', ['--permission-mode', 'yolo'], 'Allowed choices are acceptEdits'],
    [
      'a chosen id for a resumed session that is not forked',
      ['--resume', 'x', '--session-id', randomUUID()],
      'also needs --fork-session',
    ],
  ])('%s is refused', async (_what, args, message) => {
    const refused = await run(args, 'hi');
    expect(refused).toMatchObject({ code: 1, events: [] });
    expect(refused.stderr).toContain(message);
  });

  test('SIGTERM ends it with 143 and no result, SIGINT with 0 and an aborted one', async () => {
    for (const [signal, exitCode, results] of [
      ['SIGTERM', 143, 0],
      ['SIGINT', 0, 1],
    ] as const) {
      const child = start([], directive({ hang: 'mid', touch: join(cwd, signal) }));
      await until(() => readFile(join(cwd, signal), 'utf8').catch(() => ''));
      child.kill(signal);
      const ended = await child;
      expect(ended.exitCode).toBe(exitCode);
      expect(ended.stdout.match(/"type":"result"/g) ?? []).toHaveLength(results);
    }
  });
});

describe('misbehaves as requested', () => {
  test('rules are tried in order and used up', async () => {
    await fake.setRules([{ match: '^a', times: 1, text: 'first' }, { match: '^a', text: 'later' }, { text: 'any' }]);
    const answers = [];
    for (const prompt of ['\nab', '\nab', '\nb']) answers.push((await run([], prompt)).events.at(-1)?.['result']);
    expect(answers).toEqual(['first', 'later', 'any']);
  });

  test('a misspelt directive is no answer', async () => {
    expect(await run([], 'FAKE{"txt":"x"}EKAF')).toMatchObject({
      code: 70,
      stderr: expect.stringContaining('knows no "txt"'),
    });
  });

  test('several results, a total cost only, and no result at all', async () => {
    const two = await run(
      [],
      directive({
        results: [
          { text: 'a', costUsd: 1 },
          { text: 'b', costUsd: 2 },
        ],
      }),
    );
    expect(two.events.filter(({ type }) => type === 'result')).toMatchObject([
      { result: 'a', total_cost_usd: 1 },
      { result: 'b', total_cost_usd: 3 },
    ]);
    const total = await run([], directive({ onlyTotalCost: true, costUsd: 5 }));
    expect(total.events.at(-1)).toMatchObject({ total_cost_usd: 5 });
    expect(total.events.at(-1)).not.toHaveProperty('model_usage_since_last_result');
    const none = await run([], directive({ noResult: true, stderr: 'gone' }));
    expect(none).toMatchObject({ code: 1, stderr: 'gone' });
    expect(none.events.map(({ type }) => type)).toEqual(['system', 'assistant']);
  });

  test('a limit, a denial, raw bytes and a long line come before the answer', async () => {
    const denial = { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'rm' } };
    const behaviour = {
      rateLimit: { status: 'rejected', resetsAt: 5 },
      permissionDenials: [denial],
      raw: 'no json\n',
      bigLine: 100_000,
    };
    const { stdout } = await start([], directive(behaviour));
    expect(stdout).toContain('no json\n');
    expect(stdout.split('\n').some((line) => line.length > 100_000)).toBe(true);
    expect(stdout).toMatch(
      /"rate_limit_event"[\s\S]*"permission_denied"[\s\S]*"type":"result"[\s\S]*"permission_denials":\[\{"tool_name":"Bash"/,
    );
  });

  test('it waits for a file in the middle of a turn, its side effect done', async () => {
    const [touch, waitFor] = [join(cwd, 'touched'), join(cwd, 'go')];
    const child = start([], directive({ touch, waitFor, text: 'went on' }));
    await until(() => readFile(touch, 'utf8').catch(() => ''));
    await writeFile(waitFor, '');
    expect((await child).stdout).toContain('went on');
  });

  test('hangs after its result until it is killed', async () => {
    const child = start([], directive({ hang: 'after' }));
    let seen = '';
    child.stdout.on('data', (data) => (seen += String(data)));
    await until(() => seen.includes('"type":"result"'));
    expect(identify(child.pid ?? 0)).toBeDefined();
    child.kill('SIGKILL');
    expect(await child).toMatchObject({ signal: 'SIGKILL' });
  });

  test('deaf to SIGTERM, it continues with its turn', async () => {
    const [touch, waitFor] = [join(cwd, 'touched'), join(cwd, 'go')];
    const child = start([], directive({ ignoreSigterm: true, touch, waitFor, text: 'still here' }));
    await until(() => readFile(touch, 'utf8').catch(() => ''));
    child.kill('SIGTERM');
    await writeFile(waitFor, '');
    const ended = await child;
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('still here') });
  });

  test('closes its output and lives on', async () => {
    const child = execa('claude', BASE, {
      cwd,
      env: fake.env,
      input: directive({ closeStdoutAndLive: true }),
      reject: false,
      buffer: false,
    });
    child.stdout.resume();
    await new Promise((resolve) => child.stdout.once('end', resolve));
    expect(identify(child.pid ?? 0)).toBeDefined();
    child.kill('SIGKILL');
    await child;
  });

  test('leaves a process behind that has its environment', async () => {
    const pidFile = join(cwd, 'pid');
    expect((await run([], directive({ spawnDaemon: { pidFile } }))).code).toBe(0);
    const pid = Number(await readFile(pidFile, 'utf8'));
    try {
      expect(identify(pid)).toBeDefined();
      expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toContain('RAYMOND_ATTEMPT=a1');
    } finally {
      process.kill(pid, 'SIGKILL');
      await rm(pidFile);
    }
  });
});
