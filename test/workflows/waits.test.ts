// Delays, and agents that await the ones they forked, on a real server.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { fakeClaude, type FakeBehaviour, type FakeClaude } from '../support/fake-claude.js';
import { Stage, type Staged } from '../support/stage.js';
import { ends, revived, seen } from './waiting.js';

/** What the forked agents ended with, as the awaiting agent was told. */
function gathered({ result }: RunView): readonly Readonly<Record<string, string>>[] {
  if (typeof result !== 'string') throw new Error('the run has no short result');
  return JSON.parse(result) as Readonly<Record<string, string>>[];
}

/** True for an agent that waited for a time before its first prompt was to run. */
async function waitedBeforePrompt({ link }: Stage, workflowId: string): Promise<boolean> {
  const events = (await link.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  const prompt = events.findIndex(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'runPrompt',
  );
  return events.slice(0, prompt).some(({ timerFiredEventAttributes: fired }) => fired != null);
}

describe('waiting', () => {
  let fake: FakeClaude;
  const stage = new Stage({
    env: async () => {
      fake = await fakeClaude();
      return { ...fake.env };
    },
  });
  afterAll(() => fake.close());

  describe('a delay', () => {
    const DELAYED = {
      'START.sh': ends('<goto delay="2s" input="kept">NEXT</goto>', 'date +%s%N > started'),
      'NEXT.sh': 'date +%s%N > went; echo "<result>$RAYMOND_INPUT</result>"\n',
    };
    const msOf = async ({ cwd }: Staged, name: string): Promise<number> =>
      Number(await readFile(join(cwd, name), 'utf8')) / 1e6;

    test('is waited for and shown, and keeps what the next state is given', async () => {
      const staged = await stage.start(DELAYED);
      const asleep = await seen(stage, staged, ({ agents }) => agents[0]?.status === 'sleeping');
      expect(asleep).toMatchObject({ status: 'running', agents: [{ until: expect.any(Number) }] });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'kept' });
      expect(await msOf(staged, 'went')).toBeGreaterThanOrEqual((await msOf(staged, 'started')) + 2000);
    });

    test('of a goto beside forks is waited for after the agents have started', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork>WORK</fork><goto delay="2s" input="kept">NEXT</goto>', 'date +%s%N > started'),
        'WORK.sh': ends('<result>worked</result>'),
        'NEXT.sh': DELAYED['NEXT.sh'],
      });
      const asleep = await seen(stage, staged, ({ agents }) => agents[1]?.status === 'completed');
      expect(asleep.agents[0]).toMatchObject({ status: 'sleeping', until: expect.any(Number) });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'kept' });
      expect(await msOf(staged, 'went')).toBeGreaterThanOrEqual((await msOf(staged, 'started')) + 2000);
    });

    test('that is cancelled ends at the same time after the run is resumed', async () => {
      const staged = await stage.start({ ...DELAYED, 'START.sh': DELAYED['START.sh'].replace('2s', '6s') });
      const asleep = await seen(stage, staged, ({ agents }) => agents[0]?.status === 'sleeping');
      await stage.link.client.workflow.getHandle(staged.runId).cancel();
      const closed = await staged.ended;
      expect(closed.status).toBe('cancelled');
      const again = revived(stage, closed);
      const later = await seen(stage, staged, ({ open, agents }) => open && agents[0]?.status === 'sleeping');
      expect(later.agents[0]?.until).toBe(asleep.agents[0]?.until);
      expect(await again).toMatchObject({ status: 'completed', result: 'kept' });
      expect(await msOf(staged, 'went')).toBeGreaterThanOrEqual(Number(asleep.agents[0]?.until));
    });
  });

  describe('an agent that begins with the conversation of its parent', () => {
    const REVIEW = '<fork next="END" context="branch">REVIEW</fork>';
    const BRANCHES = { 'START.md': 'Begin.\n', 'REVIEW.md': 'Review.\n', 'END.sh': ends('<result>forked</result>') };
    const rules = (...reviews: readonly FakeBehaviour[]): Promise<void> =>
      fake.setRules([
        { match: '^\\s*Begin', text: REVIEW.repeat(2) },
        ...reviews.map((review) => ({ match: '^\\s*Review', times: 1, ...review })),
      ]);
    const statuses = ({ agents }: RunView): readonly (readonly string[])[] =>
      agents.map(({ id, status }) => [id, status]);

    test('starts after the first of them, also when that one does not end', async () => {
      const go = join(fake.folder, 'go');
      await rules({ text: '<result>first</result>', waitFor: go }, { text: '<result>second</result>' });
      const staged = await stage.start(BRANCHES);
      await seen(stage, staged, (view) => /main_review2,sleeping/u.test(statuses(view).join(' ')));
      const both = /main_review1,running.*main_review2,completed/u;
      await seen(stage, staged, (view) => both.test(statuses(view).join(' ')));
      await writeFile(go, '');
      const { agents } = await staged.ended;
      expect(agents.map(({ id, result }) => [id, result])).toEqual([
        ['main', 'forked'],
        ['main_review1', 'first'],
        ['main_review2', 'second'],
      ]);
      expect(await waitedBeforePrompt(stage, `${staged.runId}/main_review1`)).toBe(false);
      expect(await waitedBeforePrompt(stage, `${staged.runId}/main_review2`)).toBe(true);
    });

    test('is cancelled while it is behind the first', async () => {
      await rules({ hang: 'before' });
      const staged = await stage.start(BRANCHES);
      await seen(stage, staged, (view) => /main_review2,sleeping/u.test(statuses(view).join(' ')));
      await stage.link.client.workflow.getHandle(staged.runId).cancel();
      expect(statuses(await staged.ended).slice(1)).toEqual([
        ['main_review1', 'cancelled'],
        ['main_review2', 'cancelled'],
      ]);
    });
  });

  describe('an agent that awaits', () => {
    const TELLS = { 'TELL.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n' };

    test('gets in their order how its agents ended, failed ones too', async () => {
      const ended = await stage.run({
        'START.sh': ends('<fork n="1">GOOD</fork><fork>BAD</fork><fork n="3">GOOD</fork><goto>WAIT</goto>'),
        'GOOD.sh': 'echo "<result>good $n</result>"\n',
        'BAD.sh': 'exit 3\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        ...TELLS,
      });
      expect(ended.status).toBe('completed');
      expect(ended.agents.find(({ id }) => id === 'main_bad2')?.status).toBe('failed');
      expect(gathered(ended)).toEqual([
        { id: 'main_good1', state: 'GOOD.sh', status: 'completed', attributes: { n: '1' }, result: 'good 1' },
        {
          id: 'main_bad2',
          state: 'BAD.sh',
          status: 'failed',
          error: expect.stringContaining('main_bad2, BAD.sh: the script ended with exit code 3'),
        },
        { id: 'main_good3', state: 'GOOD.sh', status: 'completed', attributes: { n: '3' }, result: 'good 3' },
      ]);
    });

    test('gets the end of an agent that another user cancelled', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork next="WAIT">SLOW</fork>'),
        'SLOW.sh': 'sleep 600\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        ...TELLS,
      });
      await seen(stage, staged, ({ agents }) => agents[0]?.status === 'awaiting');
      expect((await viewRun(stage.link.client, staged.runId)).status).toBe('running');
      await stage.link.client.workflow.getHandle(agentWorkflowId(staged.runId, 'main_slow1')).cancel();
      expect(gathered(await staged.ended)).toEqual([{ id: 'main_slow1', state: 'SLOW.sh', status: 'cancelled' }]);
    });

    test('awaits only those that it has not awaited before, and none at all is an empty list', async () => {
      const ended = await stage.run(
        {
          'START.sh': ends('<await next="FIRST"/>'),
          'FIRST.sh': 'echo "$RAYMOND_INPUT" > told; echo "<fork next=\\"SECOND\\" n=\\"1\\">GOOD</fork>"\n',
          'SECOND.sh': ends('<await next="THIRD"/>'),
          'THIRD.sh': 'echo "$RAYMOND_INPUT" >> told; echo "<fork next=\\"FOURTH\\" n=\\"2\\">GOOD</fork>"\n',
          'FOURTH.sh': ends('<await next="LAST"/>'),
          'LAST.sh': 'echo "$RAYMOND_INPUT" >> told; echo "<result>[$(paste -sd, told)]</result>"\n',
          'GOOD.sh': 'echo "<result>good $n</result>"\n',
        },
        { turnsPerHistory: 2 },
      );
      expect(gathered(ended)).toEqual([
        [],
        [{ id: 'main_good1', state: 'GOOD.sh', status: 'completed', attributes: { n: '1' }, result: 'good 1' }],
        [{ id: 'main_good2', state: 'GOOD.sh', status: 'completed', attributes: { n: '2' }, result: 'good 2' }],
      ]);
    });

    test('continues after a cancel and a resumption with the results of all', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork>QUICK</fork><fork>SLOW</fork><goto>WAIT</goto>'),
        'QUICK.sh': ends('<result>quick</result>'),
        'SLOW.sh': '[ -f go ] || sleep 600; echo "<result>slow</result>"\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        ...TELLS,
      });
      await seen(stage, staged, ({ agents }) => agents[0]?.status === 'awaiting' && agents[1]?.status === 'completed');
      await stage.link.client.workflow.getHandle(staged.runId).cancel();
      const closed = await staged.ended;
      await writeFile(join(staged.cwd, 'go'), '');
      const ended = await revived(stage, closed);
      expect(ended.status).toBe('completed');
      expect(gathered(ended).map(({ result }) => result)).toEqual(['quick', 'slow']);
    });
  });
});
