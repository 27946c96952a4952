// `raymond status` of a run that continues, from what Temporal knows of its agents, and what its turns have cost.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import type { DocumentOf } from '../../src/client/documents/documents.js';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

async function statusOf(place: Place, id: string, ...flags: readonly string[]): Promise<DocumentOf<'status'>> {
  return JSON.parse((await place.raymond(['status', id, '--json', ...flags])).stdout) as DocumentOf<'status'>;
}

test('says what each agent is at: its callers, its fork attributes, its last line, since when', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<call return=\\"BACK\\">MIDDLE</call>"\n',
    'flow/MIDDLE.sh': 'echo "<call return=\\"BACK\\">FORK</call>"\n',
    'flow/FORK.sh': 'echo "<fork item=\\"one\\" next=\\"WAIT\\">WORK</fork>"\n',
    'flow/WAIT.sh': 'echo "<await next=\\"BACK\\" />"\n',
    'flow/WORK.sh': 'echo "halfway there"; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
    'flow/BACK.sh': 'echo "<result>back</result>"\n',
  });
  running = place.begin(['start', 'flow', '--id', 'r1']);
  const heard = async (): Promise<boolean> => {
    const { stdout } = await place.raymond(['status', 'r1']);
    return stdout.includes('| halfway there') && stdout.includes('awaits its forks');
  };
  await until(heard, { what: 'the heartbeat' });
  const { agents, served, next, uiUrl } = await statusOf(place, 'r1');
  expect({ served, next }).toEqual({ served: true, next: 'raymond watch r1' });
  expect(uiUrl).toContain('/workflows/r1');
  expect(agents).toMatchObject([
    { id: 'main', status: 'awaiting', callers: ['BACK.sh', 'BACK.sh'], since: expect.any(String) },
    { id: 'main_work1', status: 'running', about: 'item=one', turn: 1, attempt: 1, phase: 'running', callers: [] },
  ]);
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'back' });
  expect((await place.raymond(['status', 'r1'])).stdout).toMatch(/^next: raymond result r1$/m);
});

test('says since and until when a question waits, and how to answer it', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<ask next=\\"END\\" timeout=\\"2h\\" timeout_next=\\"END\\">Which?</ask>"\n',
    'flow/END.sh': 'echo "<result>x</result>"\n',
  });
  await place.raymond(['start', 'flow', '--id', 'r2', '--on-ask', 'exit']);
  const { agents, served, next } = await statusOf(place, 'r2');
  expect({ served, next }).toEqual({ served: false, next: 'raymond answer r2 ask_main_1 "…"' });
  const [{ since, until: end } = {}] = agents;
  expect(Math.abs(Date.parse(end!) - Date.parse(since!) - 2 * 3600_000)).toBeLessThan(5000);
  expect((await place.raymond(['status', 'r2'])).stdout).toMatch(
    /main {2}asking .*until \d{4}-\S+ \S+ \S+\n +has asked for /,
  );
});

test('costs and status --costs sum what recorded turns have cost by agent, state and model', async () => {
  const fake = await fakeWith(
    { match: 'First', text: '<goto>SECOND</goto>', costUsd: 0.25 },
    { match: 'Second', text: '<result>x</result>', costUsd: 0.5 },
  );
  const place = await Place.sharing(
    { 'flow/START.md': 'First.\n', 'flow/SECOND.md': '---\nmodel: haiku\n---\nSecond.\n' },
    fake.env,
  );
  await place.raymond(['start', 'flow', '--id', 'r3', '--model', 'sonnet']);
  expect((await statusOf(place, 'r3')).costs).toBeUndefined();
  const costs = {
    byAgent: [{ name: 'main', turns: 2, costUsd: 0.75 }],
    byState: [
      { name: 'SECOND.md', turns: 1, costUsd: 0.5 },
      { name: 'START.md', turns: 1, costUsd: 0.25 },
    ],
    byModel: [
      { name: 'haiku', turns: 1, costUsd: 0.5 },
      { name: 'sonnet', turns: 1, costUsd: 0.25 },
    ],
  };
  expect((await statusOf(place, 'r3', '--costs')).costs).toEqual(costs);
  const { stdout } = await place.raymond(['costs', 'r3', '--json']);
  expect(JSON.parse(stdout)).toEqual({ runId: 'r3', costUsd: 0.75, budgetUsd: 10, ...costs });
});

test('list distinguishes what was started before and since', async () => {
  const place = await Place.at({ 'flow/START.sh': 'echo "<result>x</result>"\n' });
  expect(await place.raymond(['list'])).toMatchObject({
    stderr: expect.stringMatching(/^no runs in the project \/.*; start one with: raymond start WORKFLOW/),
  });
  await place.raymond(['start', 'flow', '--id', 'r']);
  expect((await place.raymond(['list', '--until', '0s'])).stdout).toMatch(/^r +flow/m);
  expect((await place.raymond(['list', '--until', '1h'])).stderr).toBe('no such runs; raymond list shows all');
});

test('labels are variables of every state, stand in what is shown of the run, and continue in a fork of it', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<fork branch=\\"own\\" next=\\"WAIT\\">WORK</fork>"\n',
    'flow/WORK.sh': 'echo "<result>$issue $branch</result>"\n',
    'flow/WAIT.sh': 'echo "<await next=\\"END\\" />"\n',
    'flow/END.sh': 'echo "<result>$issue $branch: $(grep -o "42 own" <<<"$RAYMOND_INPUT")</result>"\n',
    'hands/START.sh': 'echo "<reset-workflow input=\\"about {{issue}}\\">../takes</reset-workflow>"\n',
    'takes/START.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  const labels = { issue: '42', branch: 'main' };
  const flags = ['--label', 'issue=42', '--label', 'branch=main'];
  const started = await place.raymond(['start', 'flow', '--id', 'labelled', ...flags]);
  expect(started).toMatchObject({ exitCode: 0, stdout: '42 main: 42 own' });
  expect(await statusOf(place, 'labelled')).toMatchObject({ labels });
  expect((await place.raymond(['status', 'labelled'])).stdout).toMatch(/^labels issue=42 branch=main$/m);
  const forked = await place.raymond(['fork', 'labelled', '--at', '1', '--id', 'labelled-again']);
  expect(forked.stdout).toBe('42 main: 42 own');
  const found = await place.raymond(['list', '--json', '--label', 'branch=main', '--label', 'issue=42']);
  const ids = (JSON.parse(found.stdout) as DocumentOf<'list'>).map((line) => [line.runId, line.labels]);
  expect(ids).toEqual([
    ['labelled-again', labels],
    ['labelled', labels],
  ]);
  expect((await place.raymond(['list', '--label', 'issue=43'])).stderr).toContain('no such runs');
  expect(await place.raymond(['start', 'hands', '--id', 'hands', ...flags])).toMatchObject({ stdout: 'about 42' });
});
