// What a prompt turn gives Claude Code and what it takes from its output, by the command line and with a fake Claude.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { execa } from 'execa';
import { Place, processesWith, type Called } from '../support/cli.js';
import { flagOf } from '../support/fake-claude.js';
import { documentOf, fakeWith, leftovers, statesOf } from '../support/fakes.js';

const DONE = '<result>done</result>';

let place: Place;
beforeAll(async () => {
  place = await Place.sharing({
    'one/START.md': 'Say {{input}} as {{agent_id}} of {{workflow_id}}, not {{other}}.\n',
    'two/START.md': 'First.\n',
    'two/NEXT.md': 'Second.\n',
    'fork/START.md': 'Split.\n',
    'fork/PART.md': 'Part {{item}} with {{input}}.\n',
  });
});

describe('a prompt', () => {
  test('is rendered, sent on stdin, and its process knows its run, agent, state and turn', async () => {
    const fake = await fakeWith({ text: DONE });
    const called = await place.raymond(['start', 'one', '--id', 'seen', '--input', '{{agent_id}} & more'], {
      env: fake.env,
    });
    expect(called).toMatchObject({ stdout: 'done', exitCode: 0 });
    const [call, ...others] = await fake.calls();
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      prompt: '\nSay {{agent_id}} & more as main of seen, not {{other}}.\n',
      cwd: place.cwd,
      env: {
        RAYMOND_WORKFLOW_ID: 'seen',
        RAYMOND_AGENT_ID: 'main',
        RAYMOND_STATE_DIR: join(place.cwd, 'one'),
        RAYMOND_STATE_FILE: join(place.cwd, 'one/START.md'),
        RAYMOND_TURN_ID: expect.stringMatching(/seen.*main.*1/),
        RAYMOND_ATTEMPT: expect.stringMatching(/./),
      },
    });
    expect(call?.argv.join(' ')).not.toContain('more');
    expect(await leftovers(place.cwd)).toEqual([]);
  });

  test('continues from the latest conversation of the user, in a copy, when the flag says so', async () => {
    const fake = await fakeWith({ match: '^Mine', text: 'Yours.' }, { text: DONE });
    const start = (): Promise<Called> => place.raymond(['start', 'two', '--continue-session'], { env: fake.env });
    expect(await start()).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining(`--continue-session: claude has no conversation in ${place.cwd}`),
    });
    await execa('claude', ['-p', '--output-format', 'stream-json', '--verbose'], {
      cwd: place.cwd,
      env: fake.env,
      input: 'Mine.',
    });
    expect(await start()).toMatchObject({ exitCode: 0 });
    expect(await start()).toMatchObject({ exitCode: 0 });
    const [, first, second] = await fake.calls();
    for (const call of [first, second])
      expect(await fake.conversation(flagOf(call, '--session-id') ?? '')).toEqual([
        ...['user: Mine.', 'assistant: Yours.', 'user: First.', `assistant: ${DONE}`],
      ]);
  });

  test('gets the model, the effort and the permissions of the flags', async () => {
    const fake = await fakeWith({ text: DONE });
    await place.raymond(['start', 'one', '--model', 'opus', '--effort', 'high'], { env: fake.env });
    await place.raymond(['start', 'one', '--dangerously-skip-permissions'], { env: fake.env });
    const [first, second] = await fake.calls();
    expect([flagOf(first, '--model'), flagOf(first, '--effort')]).toEqual(['opus', 'high']);
    expect(flagOf(first, '--permission-mode')).toBe('acceptEdits');
    expect(second?.argv).toContain('--dangerously-skip-permissions');
    expect(second?.argv).not.toContain('--model');
  });

  test('of a forked agent sees the attributes and the input of its fork, in a conversation of its own', async () => {
    const fake = await fakeWith(
      { match: '^Split', text: '<fork next="PART" item="a" input="wine">PART</fork>' },
      { match: '^Part', text: DONE },
    );
    const called = await place.raymond(['start', 'fork', '--json'], { env: fake.env });
    expect(documentOf(called).agents.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'main completed',
      'main_part1 completed',
    ]);
    const calls = await fake.calls();
    const forked = calls.find(({ env }) => env['RAYMOND_AGENT_ID'] === 'main_part1');
    expect(forked?.prompt).toBe('\nPart a with wine.\n');
    expect(flagOf(forked, '--resume')).toBeUndefined();
  });

  test('does not see secrets of the caller, unless env_pass names them; Raymond sets its own variables itself', async () => {
    const env = { DB_PASSWORD: 'hush', MY_TOKEN_X: 'hush', CLAUDECODE: '1', RAYMOND_WORKFLOW_ID: 'stale' };
    const fake = await fakeWith({ text: DONE });
    await place.raymond(['start', 'one', '--id', 'own'], { env: { ...fake.env, ...env } });
    const open = await Place.sharing({
      'one/START.md': 'Hi.\n',
      '.raymond/config.toml': '[raymond]\nenv_pass = ["MY_*"]\n',
    });
    await open.raymond(['start', 'one'], { env: { ...fake.env, ...env } });
    const [closed, passed] = await fake.calls();
    const secrets = (names: readonly string[] = []): readonly string[] => names.filter((name) => name in env);
    expect(secrets(closed?.envNames)).toEqual(['RAYMOND_WORKFLOW_ID']);
    expect(closed?.env['RAYMOND_WORKFLOW_ID']).toBe('own');
    expect(secrets(passed?.envNames)).toEqual(['MY_TOKEN_X', 'RAYMOND_WORKFLOW_ID']);
  });
});

describe('the output of Claude Code', () => {
  test('with two results in one process: the last one counts, their costs add up', async () => {
    const fake = await fakeWith({
      results: [
        { text: '<goto>NEXT</goto>', costUsd: 0.02 },
        { text: '<result>last</result>', costUsd: 0.03 },
      ],
    });
    const called = await place.raymond(['start', 'two', '--json'], { env: fake.env });
    expect(documentOf(called)).toMatchObject({ status: 'completed', result: 'last', costUsd: 0.05 });
    expect(await fake.calls()).toHaveLength(1);
  });

  test('of several turns: each costs its own, although the conversation counts on', async () => {
    const fake = await fakeWith(
      { match: '^First', text: '<goto>NEXT</goto>', costUsd: 0.25 },
      { match: '^Second', text: DONE, costUsd: 0.5 },
    );
    const called = await place.raymond(['start', 'two', '--json'], { env: fake.env });
    expect(documentOf(called).costUsd).toBeCloseTo(0.75, 10);
    expect(statesOf(await fake.calls())).toEqual(['START.md', 'NEXT.md']);
  });

  test('may hold a line of 20 MB, bytes that are no UTF-8, and lines that are no JSON', async () => {
    const broken = Buffer.concat([
      Buffer.from('not json\n{"type":"result","is_error":tru\n[1]\n\n"text"\n'),
      Buffer.from([0xff, 0xfe, 0x0a, 0x7b, 0xc3, 0x28, 0x0a]),
    ]);
    const fake = await fakeWith({ rawBase64: broken.toString('base64'), bigLine: 20 * 1024 ** 2, text: DONE });
    const called = await place.raymond(['start', 'one', '--json'], { env: fake.env });
    expect(documentOf(called)).toMatchObject({ status: 'completed', result: 'done', costUsd: 0.01 });
  });

  test('in characters beyond ASCII arrives whole', async () => {
    const text = 'ä€😀'.repeat(1000);
    const fake = await fakeWith({ text: `<result>${text}</result>` });
    const called = await place.raymond(['start', 'one'], { env: fake.env });
    expect(called).toMatchObject({ stdout: text, exitCode: 0 });
  });

  test('that is a result of 3 MB is printed whole', async () => {
    const text = 'all work and no play '.repeat(150_000).trim();
    const fake = await fakeWith({ text: `<result>${text}</result>` });
    const called = await place.bin(['start', 'one', '--quiet', '--id', 'large'], { env: fake.env });
    expect(called.stdout === text).toBe(true);
    const again = await place.bin(['result', 'large']);
    expect(again.stdout === text).toBe(true);
  });

  test('with denied tools: a warning says which, and what would permit them', async () => {
    const denial = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'npm test' } };
    const fake = await fakeWith({ text: DONE, permissionDenials: [denial] });
    const { stdout, stderr, exitCode } = await place.raymond(['start', 'one'], { env: fake.env });
    expect({ stdout, exitCode }).toEqual({ stdout: 'done', exitCode: 0 });
    const warnings = stderr.split('\n').filter((line) => line.includes('warning'));
    expect(warnings.filter((line) => line.includes('denied'))).toEqual([
      expect.stringMatching(/main START\.md warning: .*denied Bash npm test.*"Bash\(npm \*\)" to allowed_tools/),
    ]);
  });

  test('without a tag fails the agent and says what a prompt must end with', async () => {
    const fake = await fakeWith({ text: 'I forgot.', costUsd: 0.04 });
    const { stdout, stderr, exitCode } = await place.raymond(['start', 'one', '--id', 'mute'], { env: fake.env });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr.match(/the output has no transition tag/g)).toHaveLength(1);
    expect(stderr).toContain('failed: mute, $0.0400');
    expect(await processesWith('RAYMOND_WORKFLOW_ID=mute')).toEqual([]);
  });
});
