// Questions to people on a real server: who may answer them, what an answer leads to, and what they survive.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { eventsOf, type HistoryEvent } from '../../dist/history/events.js';
import type { Answer } from '../../src/protocol/machine/wait.js';
import { askingTurnOf } from '../../src/protocol/ids.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends, revived, seen } from './waiting.js';

const SAYS = { 'SAY.sh': 'echo "<result>$RAYMOND_ASK_ID: $RAYMOND_INPUT</result>"\n' };
const ASKS = { 'START.sh': ends('<ask next="SAY">Which colour?</ask>'), ...SAYS };

describe('a question', () => {
  const stage = new Stage();
  const view = ({ runId }: Staged): Promise<RunView> => viewRun(stage.link.client, runId);

  /** Answers; gives undefined, or why the answer was refused. */
  const answer = (
    { runId }: Staged,
    askId: string,
    { text = 'blue', files = [] }: Partial<Answer> = {},
  ): Promise<string | undefined> =>
    sendAnswer(stage.link.client, {
      runId,
      agentId: askingTurnOf(askId)?.agentId ?? 'main',
      answer: { askId, text, files },
    }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );

  const asking = (staged: Staged, ...ids: readonly string[]): Promise<RunView> =>
    seen(stage, staged, ({ agents }) => {
      const open = agents.flatMap(({ ask }) => ask?.id ?? []);
      return ids.every((id) => open.includes(id));
    });

  test('is shown, refuses answers to others, and continues with its own', async () => {
    const staged = await stage.start(ASKS);
    const open = await asking(staged, 'ask_main_1');
    expect(open.status).toBe('asking');
    expect(open.agents).toEqual([
      expect.objectContaining({
        status: 'asking',
        ask: { id: 'ask_main_1', prompt: 'Which colour?', askedAt: expect.any(Number) },
      }),
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
      const { sha256, bytes } = await artifactsOf(stage).put(Buffer.from(text));
      return { name, type, bytes, sha256 };
    };
    const report = await file('report', 'text/plain', 'all is well, ');
    const photo = await file('photo', 'image/png', 'a sunset');
    expect(await answer(staged, 'ask_main_1', { files: [report] })).toBe(
      'the slot "photo" is empty; add --file photo=PATH',
    );
    expect(await answer(staged, 'ask_main_1', { files: [report, { ...photo, type: 'text/plain' }] })).toBe(
      '"photo" has the type text/plain; the question takes image/*',
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
    expect(await answer(staged, 'ask_main_1')).toBe('ask_main_1 expired before this answer arrived');
    expect(await answer(staged, 'ask_main_2')).toBeUndefined();
    expect((await staged.ended).result).toBe('ask_main_2: blue');
  });

  test('that nobody answers fails its agent without timeout_next', async () => {
    const ended = await stage.run({ 'START.sh': ends('<ask next="SAY" timeout="1s">Which colour?</ask>'), ...SAYS });
    expect(ended.status).toBe('failed');
    expect(ended.agents[0]?.error).toBe(
      `main, START.sh: ask_main_1 expired without an answer, and it has no timeout_next; ask again with: raymond resume ${ended.runId}`,
    );
  });

  test('fails its agent in a run that rejects questions', async () => {
    const ended = await stage.run(ASKS, { rejectAsks: true });
    expect(ended.status).toBe('failed');
    expect(ended.agents[0]?.error).toBe(
      `main, START.sh: the state asks a person, but the run has --on-ask=reject; to allow questions, run: raymond resume ${ended.runId} --on-ask=exit`,
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
    const texts = new Map(
      all.agents.flatMap(({ id, ask }) => (typeof ask?.prompt === 'string' ? [[id, ask.prompt]] : [])),
    );
    for (const askId of ['ask_main_ask2_1', 'ask_main_2', 'ask_main_ask1_1']) {
      expect(
        await answer(staged, askId, { text: texts.get(askingTurnOf(askId)?.agentId ?? '') ?? '' }),
      ).toBeUndefined();
    }
    const ended = await staged.ended;
    expect(ended.agents.map(({ result }) => result)).toEqual([
      'ask_main_2: Main?',
      'ask_main_ask1_1: Agent 1?',
      'ask_main_ask2_1: Agent 2?',
    ]);
  });

  test('survives continue-as-new, and workers that end', async () => {
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
    const again = revived(stage, closed);
    await asking(staged, 'ask_main_1');
    expect(await answer(staged, 'ask_main_1')).toBeUndefined();
    expect(await again).toMatchObject({ status: 'completed', result: 'ask_main_1: blue' });
  });
});

describe('a question that is open for longer than a run waits before it looks for silent agents', () => {
  const stage = new Stage();
  const eventsOfRun = async ({ runId }: Staged): Promise<readonly HistoryEvent[]> => {
    const events: HistoryEvent[] = [];
    for await (const event of eventsOf(stage.link.client, { workflowId: runId })) events.push(event);
    return events;
  };
  const probes = (events: readonly HistoryEvent[]): number =>
    events.filter(({ timerFiredEventAttributes: fired }) => fired).length;
  const asked = async (): Promise<Staged> => {
    const staged = await stage.start(ASKS, { probeSeconds: 1 });
    await seen(stage, staged, ({ agents }) => agents.some(({ ask }) => ask?.id === 'ask_main_1'));
    return staged;
  };
  const answer = async ({ runId }: Staged): Promise<void> =>
    await sendAnswer(stage.link.client, {
      runId,
      agentId: 'main',
      answer: { askId: 'ask_main_1', text: 'blue', files: [] },
    });

  test('is answered while a worker serves the run', async () => {
    const staged = await asked();
    await until(async () => probes(await eventsOfRun(staged)) >= 2, { what: 'two looks for the agent' });
    await answer(staged);
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'ask_main_1: blue' });
  });

  test('is answered when no worker served the run at the time of its look', async () => {
    const staged = await asked();
    await stage.worker?.drain();
    // The look may have come before the worker had stopped, or a poll that is left of it may still have taken the task: what counts is a task
    // that nobody has completed.
    const isDue = async (): Promise<boolean> => {
      const events = await eventsOfRun(staged);
      const done = events.findLastIndex(({ workflowTaskCompletedEventAttributes: completed }) => completed != null);
      return probes(events.slice(done + 1)) > 0;
    };
    // Each look comes after twice the time of the one before.
    await until(isDue, { what: 'a task of the run that no worker takes', timeoutMs: 240_000 });
    await stage.work();
    await answer(staged);
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'ask_main_1: blue' });
  }, 300_000);
});
