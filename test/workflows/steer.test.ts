// What an operator asks of a run on a real server: a pause reaches every agent, words reach the next prompt, whatever happens meanwhile.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { pauseRun, resumeOpenRun, retryAgent, tellAgent } from '../../dist/client/control.js';
import { viewRun } from '../../dist/client/runs.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { ends, revived, seen } from './waiting.js';

const BY = 'somebody@host';

/** A bash script that waits for the file `go` and then ends with this tag. */
const waits = (tag: string): string => ends(tag, 'touch started; until [ -f go ]; do sleep 0.05; done');

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

  test('pauses also agents that are forked afterwards, and that go on as new; a resumption lets all go on', async () => {
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
      await tellAgent(stage.link.client, { view, agentId: 'main', told: { text, by: BY } });
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'x' });
    const prompts = (await fake.calls()).map(({ prompt }) => prompt.trim());
    const told = `${BY} says:\n\none\n\n---\n\n${BY} says:\n\ntwo\n\n---\n\nAsk.`;
    expect(prompts).toEqual([told, told]);
  });

  test('is remembered by an agent that is cancelled before its next prompt, when that is resumed', async () => {
    await fake.setRules([{ text: '<result>heard</result>' }]);
    const before = (await fake.calls()).length;
    const staged = await stage.start({ 'START.sh': waits('<goto>ASK</goto>'), 'ASK.md': 'Ask.\n' });
    await made(staged, 'started');
    const view = await viewRun(stage.link.client, staged.runId);
    await tellAgent(stage.link.client, { view, agentId: 'main', told: { text: 'kept', by: BY } });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const closed = await staged.ended;
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await revived(stage, closed)).toMatchObject({ status: 'completed', result: 'heard' });
    expect((await fake.calls()).slice(before).map(({ prompt }) => prompt)).toEqual([expect.stringContaining('kept')]);
  });

  test('lets one of two paused agents go on', async () => {
    const staged = await stage.start({
      'START.sh': ends('<fork next="WAIT">WAIT</fork>'),
      'WAIT.sh': waits('<goto>END</goto>'),
      'END.sh': ends('<result>end</result>'),
    });
    await made(staged, 'started');
    await seen(stage, staged, ({ agents }) => agents.length === 2);
    await paused(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await seen(stage, staged, ({ agents }) => agents.every(({ status }) => status === 'paused'));
    await retryAgent(stage.link.client, { view, agentId: 'main_wait1' });
    await seen(stage, staged, ({ agents }) => agents[1]?.status === 'completed' && agents[0]?.status === 'paused');
    await resumeOpenRun(stage.link.client, view);
    expect(await stage.end(staged.runId, 1)).toMatchObject({ status: 'completed' });
  });
});
