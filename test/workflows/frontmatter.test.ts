// What a prompt's frontmatter does in a run: the implicit transition, model, effort and timeout, and mistakes before anything is spent.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { flagOf, type FakeCall, type FakeClaude, type FakeRule } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Stage, type StageOptions } from '../support/stage.js';

const prompt = (body: string, ...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n${body}\n`;

describe('a frontmatter', () => {
  let fake: FakeClaude;
  let before = 0;
  const stage = new Stage({
    env: async () => {
      fake = await fakeWith();
      return { ...fake.env, ANTHROPIC_MODEL: '' };
    },
  });

  beforeEach(async () => {
    before = (await fake.calls()).length;
  });
  const calls = async (): Promise<readonly FakeCall[]> => (await fake.calls()).slice(before);
  const answers = (...rules: readonly FakeRule[]): Promise<void> => fake.setRules(rules);

  test('with one transition needs no tag, and its input is filled', async () => {
    await answers({ text: 'Done.' });
    const view = await stage.run(
      {
        'START.md': prompt(
          'Go.',
          'allowed_transitions: [{ tag: goto, target: NEXT, input: "{{input}} of {{agent_id}}" }]',
        ),
        'NEXT.md': prompt('Then {{input}}.', 'allowed_transitions: [{ tag: result, payload: fixed }]'),
      },
      { input: 'tea' },
    );
    expect(view).toMatchObject({ status: 'completed', result: 'fixed' });
    expect((await calls()).map((call) => call.prompt)).toEqual(['\nGo.\n', '\nThen tea of main.\n']);
  });

  test('with force_implicit takes no other transition', async () => {
    await answers({ text: '<goto>NOWHERE</goto> <goto>a/b</goto>' });
    const view = await stage.run({
      'START.md': prompt('Go.', 'force_implicit: true', 'allowed_transitions: [{ tag: result, payload: fixed }]'),
    });
    expect(view).toMatchObject({ status: 'completed', result: 'fixed', costUsd: 0.01 });
  });

  const chosen = async (options: StageOptions = {}): Promise<readonly (readonly (string | undefined)[])[]> => {
    await answers(
      { match: '^One', text: '<goto>TWO</goto>' },
      { match: '^Two', text: '<goto>THREE</goto>' },
      { match: '^Three', text: '<goto>FOUR</goto>' },
      { text: '<result>x</result>' },
    );
    await stage.run(
      {
        'START.md': 'One.\n',
        'TWO.md': prompt('Two.', 'model: Haiku', 'effort: max'),
        'THREE.md': 'Three.\n',
        'FOUR.md': 'Four.\n',
      },
      options,
    );
    return (await calls()).map((call) => [flagOf(call, '--model'), flagOf(call, '--effort')]);
  };

  test('chooses model and effort for its own state only; the next one is given the default by its name', async () => {
    expect(await chosen()).toEqual([
      [undefined, undefined],
      ['haiku', 'max'],
      ['default', undefined],
      [undefined, undefined],
    ]);
  });

  test('goes before the model and the effort of the run', async () => {
    const turn = { permissions: 'accept-edits', model: 'sonnet', effort: 'low' } as const;
    expect(await chosen({ turn })).toEqual([
      ['sonnet', 'low'],
      ['haiku', 'max'],
      ['sonnet', 'low'],
      ['sonnet', 'low'],
    ]);
  });

  test('goes before the timeout of the run', async () => {
    await answers({ delayMs: 1000, text: '<result>slow</result>' });
    const turn = { permissions: 'accept-edits', idleSeconds: 0.2 } as const;
    for (const timeout of ['0', '30', '300000000']) {
      const view = await stage.run({ 'START.md': prompt('Go.', `timeout: ${timeout}`) }, { turn });
      expect(view).toMatchObject({ status: 'completed', result: 'slow' });
    }
  });

  test('ends a turn that is silent for longer than its timeout', async () => {
    await answers({ hang: 'before' });
    const view = await stage.run({ 'START.md': prompt('Go.', 'timeout: 0.3') });
    expect(view.status).toBe('paused');
    expect(view.agents[0]?.error).toContain('0.3 s');
    await stage.link.client.workflow.getHandle(view.runId).cancel();
  });

  test('that has become wrong fails its agent before anything is spent, with file and line', async () => {
    const wrong = '---\\nmodel: gpt 4\\nallowed_transitions: [{ tag: goto, target: NONE }]\\n---\\nx\\n';
    const view = await stage.run({
      'START.sh': `printf -- '${wrong}' > "$RAYMOND_STATE_DIR/NEXT.md"\necho "<goto>NEXT</goto>"\n`,
      'NEXT.md': 'Right.\n',
    });
    expect(view).toMatchObject({ status: 'failed', costUsd: 0 });
    expect(view.agents[0]?.error).toMatch(/^main, NEXT\.md: \/.*\/NEXT\.md:2: model: expected the name/);
    expect(await calls()).toEqual([]);
  });

  test('is warned about when it has keys that nobody knows', async () => {
    await answers({ text: '<result>x</result>' });
    const staged = await stage.start({ 'START.md': prompt('Go.', 'modle: haiku') });
    expect((await staged.ended).status).toBe('completed');
    const warnings = staged.progress.flatMap((news) =>
      news.kind === 'warned' && news.runId === staged.runId ? [news.text] : [],
    );
    expect(warnings).toEqual([expect.stringMatching(/START\.md:2: unknown key modle \(did you mean model\?\)/)]);
  });
});
