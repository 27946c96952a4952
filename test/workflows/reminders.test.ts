// Reminders: a state with a policy that ends with a protocol mistake does its turn once more, in the conversation that made it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../dist/store/folder.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { viewRun } from '../../dist/client/look/runs.js';
import { flagOf, type FakeCall, type FakeClaude, type FakeRule } from '../support/fake-claude.js';
import { fakeWith, sessionsOf, statesOf } from '../support/fakes.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const prompt = (body: string, ...entries: readonly string[]): string =>
  `---\nallowed_transitions:\n${entries.map((entry) => `  - ${entry}\n`).join('')}---\n${body}\n`;

const OPEN = prompt('Begin.', '{ tag: goto, target: NEXT }', '{ tag: result }');
const NEXT = { 'NEXT.sh': 'echo "<result>next</result>"\n' };
const REMINDED = 'could not be used';

/** The conversation that a call went on from: the name of the transcript that it resumed. */
const parentOf = (call: FakeCall | undefined): string | undefined =>
  flagOf(call, '--resume')?.replace(/^.*\/|\.jsonl$/g, '');

const turnsOf = (calls: readonly FakeCall[]): readonly string[] =>
  calls.map(({ env }) => env['RAYMOND_TURN_ID']?.split('/').at(-1) ?? 'none');

describe('a state with a policy', () => {
  let fake: FakeClaude;
  let before = 0;
  const stage = new Stage({
    env: async () => {
      fake = await fakeWith();
      return { ...fake.env };
    },
  });

  beforeEach(async () => {
    before = (await fake.calls()).length;
  });
  const calls = async (): Promise<readonly FakeCall[]> => (await fake.calls()).slice(before);
  const answers = (...rules: readonly FakeRule[]): Promise<void> => fake.setRules(rules);

  test('is reminded in the conversation of its mistake, by its prompt and every allowed tag', async () => {
    await answers({ match: REMINDED, text: '<result>mended</result>' }, { text: 'Well, done.' });
    const view = await stage.run({ 'START.md': OPEN, ...NEXT });
    expect(view).toMatchObject({ status: 'completed', result: 'mended', costUsd: 0.02 });

    const made = await calls();
    expect(turnsOf(made)).toEqual(['1', '2']);
    const [first, second] = made;
    expect(first?.prompt).toBe('\nBegin.\n');
    expect(second?.prompt).toMatch(/^\nBegin\.\n\n---\n/);
    expect(second?.prompt).toContain('\n- <goto>NEXT</goto>\n- <result>…</result>\n');
    const [failed, mended] = sessionsOf(made);
    expect([parentOf(first), parentOf(second)]).toEqual([undefined, failed]);
    expect(await fake.conversation(mended ?? '')).toEqual([
      'user: Begin.',
      'assistant: Well, done.',
      expect.stringMatching(/^user: Begin\.\n\n---\n/),
      'assistant: <result>mended</result>',
    ]);
  });

  test.each([
    ['several tags', '<goto>NEXT</goto><result>x</result>'],
    ['an unknown state', '<goto>NXET</goto>'],
    ['a malformed target', '<goto>a/NEXT</goto>'],
    ['a missing attribute', '<call>NEXT</call>'],
    ['a tag that is not allowed', '<reset>NEXT</reset>'],
  ])('is reminded of %s', async (_title, text) => {
    await answers({ match: REMINDED, text: '<goto>NEXT</goto>' }, { text });
    expect(await stage.run({ 'START.md': OPEN, ...NEXT })).toMatchObject({ status: 'completed', result: 'next' });
    expect(await calls()).toHaveLength(2);
  });

  test('fails after three reminders with its last mistake, and all of them are paid', async () => {
    await answers({ match: REMINDED, text: '<reset>NEXT</reset>' }, { text: 'no tag' });
    const view = await stage.run({ 'START.md': OPEN, ...NEXT });
    expect(view.status).toBe('failed');
    expect(view.costUsd).toBeCloseTo(0.04);
    expect(view.agents[0]?.error).toBe(
      'main, START.md: <reset>NEXT.sh</reset> is not allowed here; this state may end with <goto>NEXT</goto>, <result>…</result> (after 3 reminders)',
    );
    const made = await calls();
    expect(turnsOf(made)).toEqual(['1', '2', '3', '4']);
    expect(made.map(parentOf)).toEqual([undefined, ...sessionsOf(made).slice(0, 3)]);
  });

  test('that failed is done again by resume as if for the first time, under new turn numbers', async () => {
    await answers({ text: 'no tag' });
    const staged = await stage.start({
      '1_START.sh': 'echo "<goto>FIRST</goto>"\n',
      'FIRST.md': prompt('First.', '{ tag: goto, target: LAST }'),
      'LAST.md': OPEN,
      ...NEXT,
    });
    const view = await staged.ended;
    expect(view.status).toBe('failed');
    const earlier = await calls();
    await answers({ text: '<result>at last</result>' });
    const artifacts = new FolderStore(join(stage.raymondDir, 'artifacts'));
    await restartRun(stage.link.client, { view, artifacts, taskQueue: view.taskQueue });
    expect(await stage.end(staged.runId)).toMatchObject({ status: 'completed', result: 'at last' });
    const [again, ...others] = (await calls()).slice(earlier.length);
    expect(others).toEqual([]);
    expect(again?.prompt).toBe('\nBegin.\n');
    expect(turnsOf(again ? [again] : [])).toEqual(['7']);
    // 1_START.sh was turn 1, FIRST.md turn 2: its conversation is the one to continue from.
    expect(parentOf(again)).toBe(sessionsOf(earlier)[0]);
  });

  test('asks the run before every reminder and stays within the budget', async () => {
    await answers({ text: 'no tag' });
    const view = await stage.run({ 'START.md': OPEN, ...NEXT }, { budgetUsd: 0.015 });
    expect(view).toMatchObject({ status: 'over-budget', costUsd: 0.02 });
    const allowances = (await calls()).map((call) => Number(flagOf(call, '--max-budget-usd')));
    expect(allowances).toEqual([0.015, expect.closeTo(0.005)]);
  });

  test('that was called is reminded in its own branch, and the caller continues in its own', async () => {
    await answers(
      { match: '^Call', text: '<call return="AFTER">SUB</call>' },
      { match: '^After', text: '<result>all</result>' },
      { match: REMINDED, text: '<result>found</result>' },
      { text: 'forgot it' },
    );
    const view = await stage.run({
      'START.md': 'Call.\n',
      'SUB.md': prompt('Sub {{input}}.', '{ tag: result }'),
      'AFTER.md': 'After {{result}}.\n',
    });
    expect(view).toMatchObject({ status: 'completed', result: 'all' });
    const made = await calls();
    expect(statesOf(made)).toEqual(['START.md', 'SUB.md', 'SUB.md', 'AFTER.md']);
    const [start, sub] = sessionsOf(made);
    expect(made.map(parentOf)).toEqual([undefined, start, sub, start]);
    expect(made[3]?.prompt).toBe('\nAfter found.\n');
  });

  test('reads its file again for a reminder, and fails at once when it has no policy any more', async () => {
    const go = join(stage.raymondDir, 'go');
    await answers({ match: REMINDED, text: 'still no tag' }, { waitFor: go, text: 'no tag' });
    const staged = await stage.start({ 'START.md': OPEN, ...NEXT });
    await until(async () => (await calls()).length === 1, { what: 'the first turn' });
    const { scope } = await viewRun(stage.link.client, staged.runId);
    await writeFile(join(scope, 'START.md'), 'Begin anew.\n');
    await writeFile(go, '');
    const view = await staged.ended;
    expect(view.agents[0]?.error).toMatch(/no transition tag.* \(after 1 reminder\)$/);
    const reminder = (await calls())[1];
    expect(reminder?.prompt).toContain('Begin anew');
    expect(reminder?.prompt).toContain('exactly one transition tag.');
  });

  test('is given a reminder without reading the files that its mistake mentions', async () => {
    await answers({ match: REMINDED, text: '<result>ok</result>' }, { text: '<goto>@secret.txt</goto>' });
    expect(await stage.run({ 'START.md': OPEN, ...NEXT })).toMatchObject({ result: 'ok' });
    const [first, second] = await calls();
    expect(first?.envNames).not.toContain('CLAUDE_CODE_DISABLE_FILE_MENTIONS');
    expect(second?.prompt).toContain('@secret.txt');
    expect(second?.envNames).toContain('CLAUDE_CODE_DISABLE_FILE_MENTIONS');
  });

  test.each([
    ['no frontmatter', 'Begin.\n'],
    ['a frontmatter without transitions', '---\nmodel: haiku\n---\nBegin.\n'],
  ])('or rather with %s, is not reminded', async (_title, text) => {
    await answers({ text: 'no tag' });
    const view = await stage.run({ 'START.md': text });
    expect(view).toMatchObject({ status: 'failed', costUsd: 0.01 });
    expect(view.agents[0]?.error).toMatch(/^main, START\.md: the output has no transition tag; .*…<\/result>$/);
    expect(await calls()).toHaveLength(1);
  });

  test('is given the same reminder again when the world fails it, as the same turn', async () => {
    await answers(
      { match: REMINDED, noResult: true, times: 1 },
      { match: REMINDED, text: '<result>ok</result>' },
      { text: 'no tag' },
    );
    expect(await stage.run({ 'START.md': OPEN, ...NEXT })).toMatchObject({ status: 'completed', result: 'ok' });
    const [first, second, third] = await calls();
    expect(turnsOf(await calls())).toEqual(['1', '2', '2']);
    expect(third?.prompt).toBe(second?.prompt);
    expect([parentOf(second), parentOf(third)]).toEqual([flagOf(first, '--session-id'), flagOf(first, '--session-id')]);
  });

  test('says in its summary that a turn is a reminder', async () => {
    await answers({ match: REMINDED, text: '<result>mended</result>' }, { text: 'no tag' });
    const view = await stage.run({ 'START.md': OPEN, ...NEXT });
    const history = await stage.link.client.workflow.getHandle(`${view.runId}/main`).fetchHistory();
    const summaries = (history.events ?? []).flatMap(({ userMetadata }) => userMetadata?.summary?.data ?? []);
    const texts = summaries.map((data) => Buffer.from(data).toString());
    expect(texts.filter((text) => text.includes('START.md'))).toEqual([
      '"main · START.md · turn 1 (start)"',
      '"main · START.md · turn 2 (reminder 1)"',
    ]);
  });
});
