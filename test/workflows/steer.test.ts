// What an operator asks of a run on a real server: a pause reaches every agent, words reach the next prompt, whatever happens meanwhile.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  cancelRun,
  moveAgent,
  pauseRun,
  resumeOpenRun,
  retryAgent,
  tellAgent,
  withdrawNotes,
} from '../../dist/client/steer/control.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends, revived, seen } from './waiting.js';

const BY = 'somebody@host';

/** A bash script that waits for the file `go` and then ends with this tag. */
const waits = (tag: string): string => ends(tag, 'touch started; until [ -f go ]; do sleep 0.05; done');

/** Statuses of an agent that does nothing by itself. */
const HELD = /^(asking|completed|paused)$/;

describe('an operator', () => {
  let fake: FakeClaude;
  const stage = new Stage({
    env: async () => {
      fake = await fakeWith();
      return { ...fake.env };
    },
  });
  const made = ({ cwd }: Staged, name: string): Promise<unknown> =>
    until(() => readdir(cwd).then((names) => names.includes(name)), { what: `the file ${name}` });
  /** Asks for a pause and waits until the agents have been told. */
  const paused = async (staged: Staged): Promise<void> => {
    await pauseRun(stage.link.client, { view: await viewRun(stage.link.client, staged.runId), by: BY });
    await seen(stage, staged, ({ pausedBy }) => pausedBy === BY);
  };

  test('pauses also agents that are forked afterwards, and that continue as new; a resumption lets all continue', async () => {
    const staged = await stage.start(
      {
        'START.sh': waits('<fork next="END">WORK</fork>'),
        'WORK.sh': waits('<result>work</result>'),
        'END.sh': ends('<result>end</result>'),
      },
      { turnsPerHistory: 1 },
    );
    await made(staged, 'started');
    await paused(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    const held = await staged.ended;
    expect(held).toMatchObject({ status: 'paused', open: true });
    expect(held.agents.map(({ id, status, state }) => [id, status, state])).toEqual([
      ['main', 'paused', 'END.sh'],
      ['main_work1', 'paused', 'WORK.sh'],
    ]);
    const resumptions = await resumeOpenRun(stage.link.client, held);
    expect(await stage.end(staged.runId, resumptions)).toMatchObject({ status: 'completed', result: 'end' });
    expect((await viewRun(stage.link.client, staged.runId)).pausedBy).toBeUndefined();
  });

  test('lets one agent of a paused run continue, and the agents that it forks begin paused', async () => {
    const forks = Array.from({ length: 8 }, () => '<fork next="END">WORK</fork>').join('');
    const staged = await stage.start({
      'START.sh': waits('<goto>SPLIT</goto>'),
      'SPLIT.sh': ends(forks),
      'WORK.sh': ends('<result>work</result>', 'touch worked'),
      'END.sh': ends('<result>end</result>'),
    });
    await made(staged, 'started');
    await paused(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await staged.ended;
    await retryAgent(stage.link.client, { view, agentId: 'main', by: BY });
    const isOver = ({ agents }: RunView): boolean =>
      agents.length === 9 && agents.every(({ status }) => /^(completed|paused)$/.test(status));
    const held = await seen(stage, staged, isOver);
    expect(held.agents.filter(({ status }) => status === 'paused')).toHaveLength(8);
    expect(await readdir(staged.cwd)).not.toContain('worked');
    const resumptions = await resumeOpenRun(stage.link.client, held);
    expect(await stage.end(staged.runId, resumptions)).toMatchObject({ status: 'completed', result: 'end' });
  });

  test('takes a pause back before the turn has ended', async () => {
    const staged = await stage.start({ 'START.sh': waits('<goto>END</goto>'), 'END.sh': ends('<result>end</result>') });
    await made(staged, 'started');
    await paused(staged);
    const resumptions = await resumeOpenRun(stage.link.client, await viewRun(stage.link.client, staged.runId));
    await seen(stage, staged, ({ pausedBy }) => pausedBy === undefined);
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await stage.end(staged.runId, resumptions)).toMatchObject({ status: 'completed', result: 'end' });
  });

  test('is heard by the next prompt, over new histories, and again by a turn that did not count', async () => {
    await fake.setRules([{ times: 1, noResult: true, exitCode: 1 }, { text: '<goto>LAST</goto>' }]);
    const staged = await stage.start(
      {
        'START.sh': waits('<goto>NEXT</goto>'),
        'NEXT.sh': ends('<goto>ASK</goto>'),
        'ASK.md': 'Ask.\n',
        'LAST.sh': ends('<result>x</result>'),
      },
      { turnsPerHistory: 1 },
    );
    await made(staged, 'started');
    const view = await viewRun(stage.link.client, staged.runId);
    for (const text of ['one', 'two'])
      await tellAgent(stage.link.client, { view, agentId: 'main', note: { text, by: BY } });
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'x' });
    const prompts = (await fake.calls()).map(({ prompt }) => prompt.trim());
    const told = `${BY} says:\n\none\n\n---\n\n${BY} says:\n\ntwo\n\n---\n\nAsk.`;
    expect(prompts).toEqual([told, told]);
  });

  test('is not heard when it is withdrawn before the prompt begins, also by an agent that waits to be resumed', async () => {
    await fake.setRules([{ text: '<result>heard</result>' }]);
    const before = (await fake.calls()).length;
    const staged = await stage.start({ 'START.sh': waits('<goto>ASK</goto>'), 'ASK.md': 'Ask.\n' });
    await made(staged, 'started');
    const view = await viewRun(stage.link.client, staged.runId);
    const to = { view, agentId: 'main' };
    for (const text of ['one', 'two']) await tellAgent(stage.link.client, { ...to, note: { text, by: BY } });
    await withdrawNotes(stage.link.client, { ...to, by: BY });
    await tellAgent(stage.link.client, { ...to, note: { text: 'three', by: BY } });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const closed = await staged.ended;
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await revived(stage, closed)).toMatchObject({ status: 'completed', result: 'heard' });
    const prompts = (await fake.calls()).slice(before).map(({ prompt }) => prompt.trim());
    expect(prompts).toEqual([`${BY} says:\n\nthree\n\n---\n\nAsk.`]);
  });

  test('is remembered by an agent that is cancelled before its next prompt, when that is resumed', async () => {
    await fake.setRules([{ text: '<result>heard</result>' }]);
    const before = (await fake.calls()).length;
    const staged = await stage.start({ 'START.sh': waits('<goto>ASK</goto>'), 'ASK.md': 'Ask.\n' });
    await made(staged, 'started');
    const view = await viewRun(stage.link.client, staged.runId);
    await tellAgent(stage.link.client, { view, agentId: 'main', note: { text: 'kept', by: BY } });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const closed = await staged.ended;
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await revived(stage, closed)).toMatchObject({ status: 'completed', result: 'heard' });
    expect((await fake.calls()).slice(before).map(({ prompt }) => prompt)).toEqual([expect.stringContaining('kept')]);
  });

  test('lets one of two paused agents continue', async () => {
    const states = {
      'START.sh': ends('<fork next="WAIT">WAIT</fork>'),
      'WAIT.sh': waits('<goto>END</goto>'),
      'END.sh': ends('<result>end</result>'),
    };
    // A chain that has just begun would do END as well before its agent hears of the pause.
    const staged = await stage.start(states, { chain: false });
    await made(staged, 'started');
    await seen(stage, staged, ({ agents }) => agents.length === 2);
    await paused(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await seen(stage, staged, ({ agents }) => agents.every(({ status }) => status === 'paused'));
    await retryAgent(stage.link.client, { view, agentId: 'main_wait1', by: BY });
    await seen(stage, staged, ({ agents }) => agents[1]?.status === 'completed' && agents[0]?.status === 'paused');
    await resumeOpenRun(stage.link.client, view);
    expect(await stage.end(staged.runId, 1)).toMatchObject({ status: 'completed' });
  });

  test('pauses at once: the turn is torn, and done again when the run continues', async () => {
    const staged = await stage.start({
      'START.sh': ends('<result>end</result>', 'echo x >> begun; touch started; until [ -f go ]; do sleep 0.05; done'),
    });
    await made(staged, 'started');
    await pauseRun(stage.link.client, { view: await viewRun(stage.link.client, staged.runId), by: BY, now: true });
    expect(await staged.ended).toMatchObject({ status: 'paused', agents: [{ id: 'main', status: 'paused' }] });
    await writeFile(join(staged.cwd, 'go'), '');
    const resumptions = await resumeOpenRun(stage.link.client, await viewRun(stage.link.client, staged.runId));
    expect(await stage.end(staged.runId, resumptions)).toMatchObject({ status: 'completed', result: 'end' });
    expect(await readFile(join(staged.cwd, 'begun'), 'utf8')).toBe('x\nx\n');
  });

  describe('who sends an agent elsewhere', () => {
    const states = {
      'START.sh': waits('<goto>LOST</goto>'),
      'LOST.sh': ends('<result>lost</result>'),
      'ASK.sh': ends('<ask next="LOST">Go on?</ask>'),
      'THERE.sh': 'echo "<result>there: $RAYMOND_INPUT</result>"\n',
    };
    const move = { kind: 'goto', target: 'THERE.sh', input: 'hello', by: BY } as const;

    test('is refused while a turn is in progress, unless it may be torn', async () => {
      const staged = await stage.start(states);
      await made(staged, 'started');
      const view = await viewRun(stage.link.client, staged.runId);
      await expect(moveAgent(stage.link, { view, agentId: 'main', move })).rejects.toMatchObject({
        code: 'TurnUnderWay',
      });
      await moveAgent(stage.link, { view, agentId: 'main', move: { ...move, now: true } });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'there: hello' });
    });

    test('takes an agent from its question, which is then over', async () => {
      const staged = await stage.start({ ...states, 'START.sh': ends('<goto>ASK</goto>') });
      const view = await seen(stage, staged, ({ status }) => status === 'asking');
      await moveAgent(stage.link, { view, agentId: 'main', move });
      expect(await staged.ended).toMatchObject({ status: 'completed', result: 'there: hello' });
    });

    test('revives an agent that failed while others continue, there or where it was', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork next="WAIT">FAIL</fork><fork next="WAIT">FAIL</fork>'),
        'FAIL.sh': ends('<result>mended</result>', '[ -f mend ] || exit 1'),
        'WAIT.sh': waits('<await next="END"></await>'),
        'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
        'THERE.sh': 'echo "<result>there: $RAYMOND_INPUT</result>"\n',
      });
      await made(staged, 'started');
      const failed = ({ agents }: { agents: readonly { status: string }[] }): boolean =>
        agents.filter(({ status }) => status === 'failed').length === 2;
      const view = await seen(stage, staged, failed);
      await writeFile(join(staged.cwd, 'mend'), '');
      await retryAgent(stage.link.client, { view, agentId: 'main_fail1', by: BY });
      await moveAgent(stage.link, { view, agentId: 'main_fail2', move });
      await seen(stage, staged, ({ agents }) => agents.filter(({ status }) => status === 'completed').length === 2);
      await writeFile(join(staged.cwd, 'go'), '');
      const ended = await staged.ended;
      expect(ended.status).toBe('completed');
      const results = JSON.parse(ended.result as string) as readonly { result: string }[];
      expect(results.map(({ result }) => result)).toEqual(['mended', 'there: hello']);
    });

    test('lets an agent that failed go on in a paused run by a retry, but not by a goto; a later pause holds it', async () => {
      const fork = (name: string): string => `<fork next="WAIT">${name}</fork>`;
      const staged = await stage.start({
        'START.sh': ends(`${fork('RETRY')}${fork('GOTO')}${fork('LATER')}`),
        ...Object.fromEntries(
          ['RETRY', 'GOTO', 'LATER'].map((name) => [`${name}.sh`, ends('<goto>END</goto>', '[ -f mend ] || exit 1')]),
        ),
        'WAIT.sh': ends('<ask next="END">Go on?</ask>'),
        'END.sh': 'echo "<result>end</result>"\n',
        'THERE.sh': 'echo "<result>there</result>"\n',
      });
      const failed = ({ agents }: RunView): boolean => agents.filter(({ status }) => status === 'failed').length === 3;
      const view = await seen(stage, staged, failed);
      const { client } = stage.link;
      await paused(staged);
      await writeFile(join(staged.cwd, 'mend'), '');
      // While no worker looks, so that the run hears of the retry and the pause after it at once.
      await stage.worker?.drain();
      await retryAgent(client, { view, agentId: 'main_later3', by: BY });
      await client.workflow.getHandle(staged.runId).signal('pause', { by: 'bob' });
      await retryAgent(client, { view, agentId: 'main_retry1', by: BY });
      await moveAgent(stage.link, { view, agentId: 'main_goto2', move });
      await stage.work();
      const settled = await seen(stage, staged, ({ agents }) => agents.every(({ status }) => HELD.test(status)));
      expect(settled.agents.map(({ id, status }) => [id, status])).toEqual([
        ['main', 'asking'],
        ['main_retry1', 'completed'],
        ['main_goto2', 'paused'],
        ['main_later3', 'paused'],
      ]);
      await cancelRun(client, staged.runId);
      await stage.end(staged.runId);
    });

    test('sends an agent there that another user has revived just before', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork next="AWAIT">FAIL</fork>'),
        'FAIL.sh': ends(
          '<result>mended</result>',
          '[ -f mend ] || exit 1; touch again; until [ -f go ]; do sleep 0.05; done',
        ),
        'AWAIT.sh': ends('<result>main</result>', 'until [ -f go ]; do sleep 0.05; done'),
        'THERE.sh': 'echo "<result>there: $RAYMOND_INPUT</result>"\n',
      });
      const view = await seen(stage, staged, ({ agents }) => agents.some(({ status }) => status === 'failed'));
      await writeFile(join(staged.cwd, 'mend'), '');
      await retryAgent(stage.link.client, { view, agentId: 'main_fail1', by: BY });
      await made(staged, 'again');
      await moveAgent(stage.link, { view, agentId: 'main_fail1', move });
      await until(async () => {
        const { events } = await stage.link.client.workflow.getHandle(`${staged.runId}/main_fail1`).fetchHistory();
        return events?.some((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'move');
      });
      await writeFile(join(staged.cwd, 'go'), '');
      const { agents } = await staged.ended;
      expect(agents.map(({ id, result }) => [id, result])).toEqual([
        ['main', 'main'],
        ['main_fail1', 'there: hello'],
      ]);
    });

    test('lets one agent of a run that has closed continue alone', async () => {
      const staged = await stage.start({
        'START.sh': ends('<fork next="END">FAIL</fork>'),
        'FAIL.sh': ends('<result>mended</result>', '[ -f mend ] || exit 1'),
        'END.sh': ends('<result>end</result>', 'exit 2'),
      });
      const closed = await staged.ended;
      expect(closed).toMatchObject({ status: 'failed' });
      await writeFile(join(staged.cwd, 'mend'), '');
      await restartRun(stage.link.client, {
        view: closed,
        artifacts: artifactsOf(stage),
        taskQueue: closed.taskQueue,
        only: { agentId: 'main_fail1', by: BY },
      });
      const again = await stage.end(staged.runId, closed.resumptions);
      expect(again.status).toBe('failed');
      expect(again.agents.map(({ id, status }) => [id, status])).toEqual([
        ['main', 'failed'],
        ['main_fail1', 'completed'],
      ]);
    });
  });
});
