// The sample workflows that work on files: a list, an inbox, a repository. Run as their READMEs say, with a fake model that answers well.
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { Place, SAMPLES } from '../support/cli.js';
import { flagOf, type FakeRule } from '../support/fake-claude.js';
import { documentOf, fakeWith, sessionsOf, statesOf, visited } from '../support/fakes.js';
import { until } from '../support/until.js';

describe('dispatch', () => {
  const dispatch = join(SAMPLES, 'dispatch');
  let place: Place;
  beforeEach(async () => {
    place = await Place.at({ 'list.txt': 'one thing\r\n\r\nanother thing\r\n', 'bad.txt': 'a "quoted" item\n' });
  });

  test('starts one worker per item, all on their own, and ends when the last has ended', async () => {
    const work = 'dispatch-work/items';
    const fake = await fakeWith(
      { match: 'Your item: Why is the sky blue', text: '<result>Air.</result>', touch: `${work}/1.md`, delayMs: 500 },
      { match: 'Your item: Why do cats purr', text: '<result>Joy.</result>', touch: `${work}/2.md` },
      { match: 'Your item: Why is sea water salty', text: '<result>Salt.</result>', touch: `${work}/3.md` },
    );
    const called = await place.raymond(['start', dispatch, '--id', 'items', '--json'], { env: fake.env });
    expect(documentOf(called)).toMatchObject({
      status: 'completed',
      result: `3 items handed out; the answers are in ${work}`,
      agents: [
        { id: 'main', status: 'completed' },
        { id: 'main_worker1', status: 'completed', result: 'Air.' },
        { id: 'main_worker2', status: 'completed', result: 'Joy.' },
        { id: 'main_worker3', status: 'completed', result: 'Salt.' },
      ],
    });
    expect(visited(called, 'main')).toEqual(['1_START.sh', ...Array<string>(4).fill('DISPATCH.sh')]);
    expect(visited(called, 'main_worker2')).toEqual(['WORKER.md']);
    const prompts = (await fake.calls()).map(({ prompt }) => prompt).sort();
    expect(prompts.map((prompt) => /Your output file: (.*)/.exec(prompt)?.[1]).sort()).toEqual(
      [1, 2, 3].map((n) => `${work}/${n}.md`),
    );
    expect((await readdir(join(place.cwd, work))).sort()).toEqual(['1.md', '2.md', '3.md', 'items.txt', 'turns.txt']);
  });

  test('takes a list of ours, without its empty lines', async () => {
    const fake = await fakeWith({ text: '<result>done</result>' });
    const called = await place.raymond(['start', dispatch, '--input', 'list.txt'], { env: fake.env });
    expect(called).toMatchObject({ stdout: expect.stringMatching(/^2 items handed out/), exitCode: 0 });
    const items = (await fake.calls()).map(({ prompt }) => /Your item: (.*)/.exec(prompt)?.[1]);
    expect(items.sort()).toEqual(['another thing', 'one thing']);
  });

  test.each([
    ['missing.txt', 'there is no list missing.txt'],
    ['bad.txt', 'contains a quotation mark or an angle bracket'],
  ])('refuses %s before any worker starts', async (list, says) => {
    const fake = await fakeWith();
    const { stderr, exitCode } = await place.raymond(['start', dispatch, '--input', list], { env: fake.env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(says);
    expect(await fake.calls()).toEqual([]);
  });
});

describe('poll', () => {
  let running: ReturnType<Place['begin']> | undefined;
  afterEach(async () => {
    running?.kill('SIGKILL');
    await running;
  });

  test('waits without tokens, takes the first file out of the inbox, and sums it up', async () => {
    const place = await Place.at({ 'note.txt': 'Move the demo to Friday.\n' });
    const fake = await fakeWith({ match: '^A request has arrived', text: '<result>\nThe demo moves.\n</result>' });
    const env = { ...fake.env, POLL_INTERVAL: '0.1' };
    running = place.begin(['start', join(SAMPLES, 'poll'), '--id', 'inbox'], { env });
    let stderr = '';
    running.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    await until(() => visited({ stderr }, 'main').filter((state) => state === 'POLL.sh').length > 2, {
      timeoutMs: 60_000,
    });
    expect(await fake.calls()).toEqual([]);
    await rename(join(place.cwd, 'note.txt'), join(place.cwd, 'poll-inbox/note.txt'));
    const { stdout, exitCode } = await running;
    expect({ stdout, exitCode }).toEqual({ stdout: 'The demo moves.', exitCode: 0 });
    expect([...new Set(visited({ stderr }, 'main'))]).toEqual(['1_START.sh', 'POLL.sh', 'PROCESS.md']);
    const calls = await fake.calls();
    expect(calls.map(({ prompt }) => prompt.includes('in this file: poll-work/inbox/request'))).toEqual([true]);
    expect(await place.read('poll-work/inbox/request')).toBe('Move the demo to Friday.\n');
    expect(await readdir(join(place.cwd, 'poll-inbox'))).toEqual([]);
  });
});

describe('coding', () => {
  const coding = join(SAMPLES, 'coding');
  const plan: FakeRule = {
    match: '^Plan a change',
    touch: 'coding-notes/plan.md',
    text: '<reset>IMPLEMENT.md</reset>',
  };
  const review = '^Now change sides';
  const message = '<result>\nAdd a feature\n\nIt was asked for.\n</result>';
  let place: Place;
  beforeEach(async () => {
    place = await Place.at({ 'README.md': 'A project.\n', '.gitignore': '' });
    await git('init', '--quiet');
    await git('config', 'user.name', 'Test');
    await git('config', 'user.email', 'test@example.org');
    await git('add', 'README.md', '.gitignore');
    await git('commit', '--quiet', '--message', 'First');
  });

  async function git(...args: readonly string[]): Promise<string> {
    return (await execa('git', args, { cwd: place.cwd })).stdout;
  }

  test('plans, builds, reviews in rounds, and commits what the review lets pass', async () => {
    const fake = await fakeWith(
      plan,
      { match: '^Implement the change', touch: 'feature.txt', text: 'feature.txt: new\n<goto>REVIEW.md</goto>' },
      { match: review, times: 1, text: '1. feature.txt:1 is too short.\n<goto>IMPLEMENT.md</goto>' },
      { match: review, text: message },
    );
    const called = await place.raymond(['start', coding, '--input', 'Add a feature'], { env: fake.env });
    expect(called).toMatchObject({
      stdout: expect.stringMatching(/^Committed [0-9a-f]{7,} Add a feature$/),
      exitCode: 0,
    });
    const rounds = ['IMPLEMENT.md', 'REVIEW.md', 'IMPLEMENT.md', 'REVIEW.md'];
    expect(visited(called, 'main')).toEqual(['1_START.sh', 'PLAN.md', ...rounds, 'COMMIT.sh']);
    expect(await git('log', '-1', '--format=%s|%b')).toBe('Add a feature|It was asked for.\n');
    expect(await git('show', '--format=', '--name-only')).toBe('feature.txt');
    expect(await git('status', '--porcelain')).toBe('');
    expect(await place.read('coding-notes/task.md')).toBe('Add a feature\n');

    const calls = await fake.calls();
    expect(statesOf(calls)).toEqual(['PLAN.md', ...rounds]);
    expect(flagOf(calls[0], '--effort')).toBe('high');
    // A reset forgets the planning; the rounds are one conversation.
    const resumed = calls.map((call) => /([^/]+)\.jsonl$/.exec(flagOf(call, '--resume') ?? '')?.[1]);
    expect(resumed).toEqual([undefined, undefined, ...sessionsOf(calls).slice(1, 4)]);
  });

  test('commits nothing when nothing was changed', async () => {
    const fake = await fakeWith(
      plan,
      { match: '^Implement the change', text: 'Nothing to do.\n<goto>REVIEW.md</goto>' },
      { match: review, text: message },
    );
    const called = await place.raymond(['start', coding, '--input', 'Nothing'], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'Nothing was changed.', exitCode: 0 });
    expect(await git('log', '--format=%s')).toBe('First');
  });

  test('refuses a missing task, a dirty tree and a folder that is no repository, before a token is spent', async () => {
    const fake = await fakeWith();
    const refusal = async (place: Place, ...args: readonly string[]): Promise<string> => {
      const { stderr, exitCode } = await place.raymond(['start', coding, ...args], { env: fake.env });
      expect(exitCode).toBe(1);
      return stderr;
    };
    expect(await refusal(place)).toContain('coding: say what to build');
    await place.write('README.md', 'Changed.\n');
    expect(await refusal(place, '--input', 'x')).toContain('coding: commit or stash your changes first');
    expect(await refusal(await Place.at(), '--input', 'x')).toContain('coding: start this in the top folder');
    expect(await fake.calls()).toEqual([]);
  });
});
