// Waits on a real server: questions and their answers, delays, agents that await the ones they forked.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ArtifactStore } from '../../dist/activities/artifacts.js';
import { sendAnswer } from '../../dist/client/answer.js';
import { reviveRun } from '../../dist/client/control.js';
import type { RunView } from '../../dist/client/runs.js';
import { viewRun } from '../../dist/client/runs.js';
import type { Answer } from '../../src/protocol/hold.js';
import { agentWorkflowId, askerOf } from '../../src/protocol/names.js';
import type { Staged } from '../support/stage.js';
import { MODES, Stage } from '../support/stage.js';
import { until } from '../support/until.js';

/** A bash script that ends with this tag. */
const ends = (tag: string, before = ''): string => `${before}\necho '${tag}'\n`;

const SAYS = { 'SAY.sh': 'echo "<result>$RAYMOND_ASK_ID: $RAYMOND_INPUT</result>"\n' };
const ASKS = { 'START.sh': ends('<ask next="SAY">Which colour?</ask>'), ...SAYS };

/** What the forked agents ended with, as the awaiting agent was told. */
const gathered = ({ result }: RunView): readonly Readonly<Record<string, string>>[] =>
  JSON.parse(String(result)) as Readonly<Record<string, string>>[];

describe.each(MODES)('$mode', ({ maxCachedWorkflows }) => {
  const stage = new Stage({ maxCachedWorkflows });
  const artifacts = (): ArtifactStore => new ArtifactStore(join(stage.raymondDir, 'artifacts'));

  const view = ({ runId }: Pick<Staged, 'runId'>): Promise<RunView> => viewRun(stage.link.client, runId);

  /** Answers; gives undefined, or why the answer was refused. */
  const answer = (
    { runId }: Pick<Staged, 'runId'>,
    askId: string,
    { text = 'blue', files = [] }: Partial<Answer> = {},
  ): Promise<string | undefined> =>
    sendAnswer(stage.link.client, { runId, agentId: askerOf(askId) ?? 'main', answer: { askId, text, files } }).then(
      () => undefined,
      (error: Error) => error.message,
    );

  /** Waits until the run is seen like this. */
  const seen = (staged: Pick<Staged, 'runId'>, how: (now: RunView) => boolean): Promise<RunView> =>
    until(async () => [await view(staged)].find(how), { what: 'the view' });

  const asking = (staged: Pick<Staged, 'runId'>, ...ids: readonly string[]): Promise<RunView> =>
    seen(staged, ({ agents }) => {
      const open = agents.flatMap(({ ask }) => ask?.id ?? []);
      return ids.every((id) => open.includes(id));
    });

  const revived = async (closed: RunView): Promise<RunView> => {
    await reviveRun(stage.link.client, { view: closed, artifacts: artifacts(), taskQueue: closed.taskQueue });
    return await stage.end(closed.runId);
  };

  describe('a question', () => {
    test('is shown, refuses answers to others, and goes on with its own', async () => {
      const staged = await stage.start(ASKS);
      const open = await asking(staged, 'ask_main_1');
      expect(open.status).toBe('asking');
      expect(open.agents).toEqual([
        expect.objectContaining({ status: 'asking', ask: { id: 'ask_main_1', prompt: 'Which colour?' } }),
      ]);
      expect(await answer(staged, 'ask_main_7')).toBe(
        'there is no open question ask_main_7; its open question is ask_main_1',
      );
      const files = [{ name: 'a.txt', bytes: 1, type: 'text/plain', sha256: '0' }];
      expect(await answer(staged, 'ask_main_1', { files })).toBe('this question takes no files');
      expect((await view(staged)).status).toBe('asking');
      expect(await answer(staged, 'ask_main_1')).toBeUndefined();
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'ask_main_1: blue' });
    });

    test('takes one of many answers that come at once, and none later', async () => {
      const staged = await stage.start({
        'START.sh': ends('<ask next="WAIT">Which colour?</ask>'),
        'WAIT.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<ask next=\\"SAY\\">Sure?</ask>"\n',
        ...SAYS,
      });
      await asking(staged, 'ask_main_1');
      const told = await Promise.all(
        Array.from({ length: 6 }, (_, index) => answer(staged, 'ask_main_1', { text: `colour ${index}` })),
      );
      expect(told.filter((refusal) => refusal === undefined)).toHaveLength(1);
      const twice = 'ask_main_1 has been answered already';
      expect(told.filter((refusal) => refusal === twice)).toHaveLength(5);
      expect(await answer(staged, 'ask_main_1')).toBe(twice);
      await writeFile(join(staged.cwd, 'go'), '');
      await asking(staged, 'ask_main_2');
      expect(await answer(staged, 'ask_main_1')).toBe(twice);
      expect(await answer(staged, 'ask_main_2', { text: 'yes' })).toBeUndefined();
      expect((await staged.ended).result).toBe('ask_main_2: yes');
    });

    test('gets its files into the task folder, and an answer without them is refused', async () => {
      const staged = await stage.start({
        'START.sh': ends('<ask next="READ" upload_slots="report:text/plain,photo:image/*">Both, please.</ask>'),
        'READ.sh': 'cd "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID"; echo "<result>$(cat report photo)</result>"\n',
      });
      await asking(staged, 'ask_main_1');
      const file = async (name: string, type: string, text: string): Promise<Answer['files'][number]> => {
        const { sha256, bytes } = await artifacts().put(Buffer.from(text));
        return { name, type, bytes, sha256 };
      };
      const report = await file('report', 'text/plain', 'all is well, ');
      const photo = await file('photo', 'image/png', 'a sunset');
      expect(await answer(staged, 'ask_main_1', { files: [report] })).toBe(
        'the slot "photo" is empty; add --file photo=PATH',
      );
      expect(await answer(staged, 'ask_main_1', { files: [report, { ...photo, type: 'text/plain' }] })).toBe(
        '"photo" is text/plain; it takes image/*',
      );
      expect(await answer(staged, 'ask_main_1', { files: [report, photo] })).toBeUndefined();
      expect((await staged.ended).result).toBe('all is well, a sunset');
    });

    test('that nobody answers leads to timeout_next without a value; an answer is too late then', async () => {
      const staged = await stage.start({
        'START.sh': ends('<ask next="SAY" timeout="1s" timeout_next="LATE">Which colour?</ask>'),
        'LATE.sh': 'echo "<ask next=\\"SAY\\">${RAYMOND_INPUT-nothing} ${RAYMOND_ASK_ID-none}</ask>"\n',
        ...SAYS,
      });
      const open = await asking(staged, 'ask_main_2');
      expect(open.agents[0]?.ask?.prompt).toBe('nothing none');
      expect(await answer(staged, 'ask_main_1')).toBe('the time for ask_main_1 is over');
      expect(await answer(staged, 'ask_main_2')).toBeUndefined();
      expect((await staged.ended).result).toBe('ask_main_2: blue');
    });

    test('that nobody answers fails its agent without timeout_next', async () => {
      const ended = await stage.run({ 'START.sh': ends('<ask next="SAY" timeout="1s">Which colour?</ask>'), ...SAYS });
      expect(ended.status).toBe('failed');
      expect(ended.agents[0]?.error).toBe(
        'main, START.sh: nobody answered ask_main_1 in time, and it names no timeout_next',
      );
    });

    test('fails its agent in a run that rejects questions', async () => {
      const ended = await stage.run(ASKS, { rejectAsks: true });
      expect(ended.status).toBe('failed');
      expect(ended.agents[0]?.error).toBe(
        'main, START.sh: the state asks a person, but the run was started with --on-ask=reject',
      );
    });

    test('of several agents is answered in any order; the run asks when none of them runs any more', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork n="1">ASK</fork><fork n="2">ASK</fork><goto>SLOW</goto>'),
        'ASK.sh': 'echo "<ask next=\\"SAY\\">Agent $n?</ask>"\n',
        'SLOW.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<ask next=\\"SAY\\">Main?</ask>"\n',
        ...SAYS,
      });
      const busy = await asking(staged, 'ask_main_ask1_1', 'ask_main_ask2_1');
      expect(busy.status).toBe('running');
      await writeFile(join(staged.cwd, 'go'), '');
      const all = await asking(staged, 'ask_main_ask1_1', 'ask_main_ask2_1', 'ask_main_2');
      expect(all.status).toBe('asking');
      const texts = new Map(all.agents.map(({ id, ask }) => [id, ask?.prompt]));
      for (const askId of ['ask_main_ask2_1', 'ask_main_2', 'ask_main_ask1_1']) {
        expect(await answer(staged, askId, { text: String(texts.get(askerOf(askId) ?? '')) })).toBeUndefined();
      }
      const ended = await staged.ended;
      expect(ended.agents.map(({ result }) => result)).toEqual([
        'ask_main_2: Main?',
        'ask_main_ask1_1: Agent 1?',
        'ask_main_ask2_1: Agent 2?',
      ]);
    });

    test('survives going on as new, and workers that end', async () => {
      const staged = await stage.start(
        { ...ASKS, 'SAY.sh': ends('<ask next="END">Sure?</ask>'), 'END.sh': SAYS['SAY.sh'] },
        { turnsPerHistory: 1 },
      );
      await asking(staged, 'ask_main_1');
      await stage.worker?.drain();
      expect((await view(staged)).status).toBe('asking');
      await stage.work();
      expect(await answer(staged, 'ask_main_1')).toBeUndefined();
      await asking(staged, 'ask_main_2');
      await stage.worker?.drain();
      await stage.work();
      expect(await answer(staged, 'ask_main_1')).toBe('ask_main_1 has been answered already');
      expect(await answer(staged, 'ask_main_2', { text: 'yes' })).toBeUndefined();
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'ask_main_2: yes' });
    });

    test('of a run that was cancelled is asked again under its name when the run is resumed', async () => {
      const staged = await stage.start(ASKS);
      await asking(staged, 'ask_main_1');
      await stage.link.client.workflow.getHandle(staged.runId).cancel();
      const closed = await staged.ended;
      expect(closed.status).toBe('cancelled');
      const again = revived(closed);
      await asking(staged, 'ask_main_1');
      expect(await answer(staged, 'ask_main_1')).toBeUndefined();
      expect(await again).toMatchObject({ status: 'completed', result: 'ask_main_1: blue' });
    });
  });

  describe('a delay', () => {
    const DELAYED = {
      'START.sh': ends('<goto delay="2s" input="kept">NEXT</goto>', 'date +%s%N > started'),
      'NEXT.sh': 'date +%s%N > went; echo "<result>$RAYMOND_INPUT</result>"\n',
    };
    const msOf = async ({ cwd }: Staged, name: string): Promise<number> =>
      Number(await readFile(join(cwd, name), 'utf8')) / 1e6;

    test('is waited for and shown, and keeps what the next state is given', async () => {
      const staged = await stage.start(DELAYED);
      const asleep = await seen(staged, ({ agents }) => agents[0]?.status === 'sleeping');
      expect(asleep).toMatchObject({ status: 'running', agents: [{ until: expect.any(Number) }] });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'kept' });
      expect(await msOf(staged, 'went')).toBeGreaterThanOrEqual((await msOf(staged, 'started')) + 2000);
    });

    test('that is cancelled ends at the same time after the run is resumed', async () => {
      const staged = await stage.start({ ...DELAYED, 'START.sh': DELAYED['START.sh'].replace('2s', '6s') });
      const asleep = await seen(staged, ({ agents }) => agents[0]?.status === 'sleeping');
      await stage.link.client.workflow.getHandle(staged.runId).cancel();
      const closed = await staged.ended;
      expect(closed.status).toBe('cancelled');
      const again = revived(closed);
      const later = await seen(staged, ({ open, agents }) => open && agents[0]?.status === 'sleeping');
      expect(later.agents[0]?.until).toBe(asleep.agents[0]?.until);
      expect(await again).toMatchObject({ status: 'completed', result: 'kept' });
      expect(await msOf(staged, 'went')).toBeGreaterThanOrEqual(Number(asleep.agents[0]?.until));
    });
  });

  describe('an agent that awaits', () => {
    const TELLS = { 'TELL.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n' };

    test('is told in their order how its agents ended, failed ones too', async () => {
      const ended = await stage.run({
        'START.sh': ends('<fork n="1">GOOD</fork><fork>BAD</fork><fork n="3">GOOD</fork><goto>WAIT</goto>'),
        'GOOD.sh': 'echo "<result>good $n</result>"\n',
        'BAD.sh': 'exit 3\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        ...TELLS,
      });
      expect(ended.status).toBe('failed');
      expect(gathered(ended)).toEqual([
        { id: 'main_good1', state: 'GOOD.sh', status: 'completed', result: 'good 1' },
        {
          id: 'main_bad2',
          state: 'BAD.sh',
          status: 'failed',
          error: expect.stringContaining('main_bad2, BAD.sh: the script ended with exit code 3'),
        },
        { id: 'main_good3', state: 'GOOD.sh', status: 'completed', result: 'good 3' },
      ]);
    });

    test('is told of an agent that somebody else cancelled', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork next="WAIT">SLOW</fork>'),
        'SLOW.sh': 'sleep 600\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        ...TELLS,
      });
      await seen(staged, ({ agents }) => agents[0]?.status === 'awaiting');
      expect((await view(staged)).status).toBe('running');
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
        [{ id: 'main_good1', state: 'GOOD.sh', status: 'completed', result: 'good 1' }],
        [{ id: 'main_good2', state: 'GOOD.sh', status: 'completed', result: 'good 2' }],
      ]);
    });

    test('goes on after a cancel and a resumption with the results of all', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork>QUICK</fork><fork>SLOW</fork><goto>WAIT</goto>'),
        'QUICK.sh': ends('<result>quick</result>'),
        'SLOW.sh': '[ -f go ] || sleep 600; echo "<result>slow</result>"\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        ...TELLS,
      });
      await seen(staged, ({ agents }) => agents[0]?.status === 'awaiting' && agents[1]?.status === 'completed');
      await stage.link.client.workflow.getHandle(staged.runId).cancel();
      const closed = await staged.ended;
      await writeFile(join(staged.cwd, 'go'), '');
      const ended = await revived(closed);
      expect(ended.status).toBe('completed');
      expect(gathered(ended).map(({ result }) => result)).toEqual(['quick', 'slow']);
    });
  });

  // Replayed at every task, so many agents take minutes.
  (maxCachedWorkflows === 0 ? test.skip : test)(
    'an agent that awaits more agents than are listed is told of all, in their order',
    async () => {
      const numbers = Array.from({ length: 210 }, (_, index) => index + 1);
      const forks = numbers.map((n) => `<fork n="${n}">GOOD</fork>`).join('');
      const ended = await stage.run({
        'START.sh': ends(`${forks}<goto>WAIT</goto>`),
        'GOOD.sh': 'echo "<result>good $n</result>"\n',
        'WAIT.sh': ends('<await next="TELL"/>'),
        'TELL.sh': 'echo "<result>$(cat "$RAYMOND_INPUT_FILE")</result>"\n',
      });
      expect(ended.agentsBefore).toBeGreaterThanOrEqual(100);
      expect(gathered(ended).map(({ id, result }) => [id, result])).toEqual(
        numbers.map((n) => [`main_good${n}`, `good ${n}`]),
      );
    },
    240_000,
  );
});
