// What an operator asks of an agent that waits, on a real server: one case for each hold that lasts. How each is decided, test/protocol/machine
// tests row by row.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import {
  cancelAgent,
  cancelRun,
  moveAgent,
  pauseRun,
  resumeOpenRun,
  retryAgent,
} from '../../dist/client/steer/control.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import type { ArchivePiece } from '../../dist/contract/records.js';
import type { LedgerSnapshot } from '../../dist/contract/runs.js';
import type { FakeClaude, FakeRule } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Stage, type Staged, type StageOptions } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends, hasHeard, seen } from './waiting.js';

const BY = 'somebody@host';

/** A script that notes that it ran, waits for the file `go`, and ends with this tag. */
const waits = (name: string, tag: string): string =>
  ends(tag, `echo ${name} >> done; until [ -f go ]; do sleep 0.05; done`);
/** A script that waits until another one has noted that it runs. */
const after = (name: string, tag: string): string =>
  ends(tag, `until grep -q ${name} done 2> /dev/null; do sleep 0.05; done`);

const OTHERS = {
  'NEXT.sh': ends('<result>next</result>', 'echo next >> done'),
  'FIX.sh': ends('<result>fixed</result>', 'echo fixed >> done'),
};

const LIMITED_MS = 4000;
const refused = { isError: true, times: 1, costUsd: 0 } as const;
const onward: FakeRule = { text: '<goto>NEXT.sh</goto>', costUsd: 0.001 };

/** How `main` comes to be held, and what ends that. */
interface Held {
  readonly states: Readonly<Record<string, string>>;
  readonly options?: StageOptions;
  readonly rules?: () => readonly FakeRule[];
  readonly status: RunView['agents'][number]['status'];
  /** Ends the hold; absent = its time does, or the operator who resumes it. */
  readonly free?: (staged: Staged) => Promise<unknown>;
}

const go = async ({ cwd }: Pick<Staged, 'cwd'>): Promise<void> => await writeFile(join(cwd, 'go'), '');

describe('an agent that is held', () => {
  let fake: FakeClaude;
  let made: FakeClaude | undefined;
  const stage = new Stage({
    settings: { limits: { one: 1 }, shortestLimitMs: 0 },
    env: async () => {
      // Of a worker that is started again the same one answers.
      fake = made ??= await fakeWith();
      return { ...fake.env };
    },
  });

  const answered = async ({ runId }: Staged): Promise<unknown> =>
    await sendAnswer(stage.link.client, {
      runId,
      agentId: 'main',
      answer: { askId: 'ask_main_1', text: 'yes', files: [] },
    });

  const HOLDS: Readonly<Record<string, Held>> = {
    'a question': { states: { 'START.sh': ends('<ask next="NEXT">Go on?</ask>') }, status: 'asking', free: answered },
    'a delay': { states: { 'START.sh': ends('<goto delay="3s">NEXT</goto>') }, status: 'sleeping' },
    'agents that it awaits': {
      states: {
        'START.sh': ends('<fork next="WAIT">SLOW</fork>'),
        'WAIT.sh': ends('<await next="NEXT"/>'),
        'SLOW.sh': waits('slow', '<result>slow</result>'),
      },
      status: 'awaiting',
      free: go,
    },
    'another try at a time': {
      states: { 'START.md': 'Do it.\n' },
      rules: () => [{ ...refused, apiErrorStatus: 529, assistantError: 'overloaded', text: 'Overloaded' }, onward],
      status: 'waiting',
    },
    'a login': {
      states: { 'START.md': 'Do it.\n' },
      rules: () => [{ ...refused, assistantError: 'authentication_failed', text: 'Please run /login' }, onward],
      status: 'paused',
    },
    'a usage limit': {
      states: { 'START.md': 'Do it.\n' },
      rules: () => {
        const rateLimit = { status: 'rejected', resetsAt: Math.ceil((Date.now() + LIMITED_MS) / 1000) };
        const text = "You've hit your 5-hour limit";
        return [{ ...refused, assistantError: 'rate_limit', apiErrorStatus: 429, text, rateLimit }, onward];
      },
      status: 'waiting',
    },
    money: {
      states: {
        'START.md': 'Begin.\n',
        'FORK.sh': ends('<fork next="AFTER">SPEND</fork>'),
        'SPEND.md': 'Spend.\n',
        'AFTER.sh': ends('<goto>MORE</goto>', 'until [ -f spending ]; do sleep 0.05; done'),
        'MORE.md': 'More.\n',
      },
      options: { budgetUsd: 0.019 },
      rules: () => [
        { match: '^Begin', text: '<goto>FORK</goto>' },
        {
          match: '^Spend',
          text: '<result>spent</result>',
          costUsd: 0.001,
          write: { path: 'spending', text: 'x' },
          waitFor: 'go',
        },
        { match: '^More', ...onward },
      ],
      status: 'queued',
      free: go,
    },
    'a lease': {
      states: {
        'START.sh': ends('<fork next="AFTER">HOLDS</fork>'),
        'HOLDS.sh': `# raymond: limit=one\n${waits('holds', '<result>held</result>')}`,
        'AFTER.sh': after('holds', '<goto>LIMITED</goto>'),
        'LIMITED.sh': `# raymond: limit=one\n${ends('<goto>NEXT</goto>')}`,
      },
      status: 'queued',
      free: go,
    },
  };

  const statusOfMain = ({ agents }: RunView): string | undefined => agents.find(({ id }) => id === 'main')?.status;
  const callsOf = async ({ runId }: Staged): Promise<number> =>
    (await fake.calls()).filter(({ env }) => env['RAYMOND_WORKFLOW_ID'] === runId).length;
  const doneBy = async ({ cwd }: Staged): Promise<string> => await readFile(join(cwd, 'done'), 'utf8').catch(() => '');
  const begun = async ({ states, options, rules, status }: Held): Promise<{ staged: Staged; view: RunView }> => {
    await fake.setRules(rules?.() ?? []);
    const staged = await stage.start({ ...OTHERS, ...states }, options);
    return { staged, view: await seen(stage, staged, (now) => statusOfMain(now) === status) };
  };
  const paused = async (staged: Staged, view: RunView): Promise<RunView> => {
    await pauseRun(stage.link.client, { view, by: BY });
    return await seen(stage, staged, ({ pausedBy }) => pausedBy === BY);
  };
  const sent = async (view: RunView): Promise<void> => {
    const move = { kind: 'goto', target: 'FIX.sh', by: BY } as const;
    await moveAgent(stage.link, { view, agentId: 'main', move });
  };

  describe.each(Object.entries(HOLDS))('by %s', (_name, held) => {
    test('goes at once where it is sent, also when it is resumed then, and does not do what it waited for', async () => {
      const { staged, view } = await begun(held);
      const calls = await callsOf(staged);
      await sent(view);
      await resumeOpenRun(stage.link.client, view);
      await until(async () => (await doneBy(staged)).includes('fixed'), { what: 'the other state' });
      await seen(stage, staged, (now) => statusOfMain(now) === 'completed');
      await go(staged);
      const ended = await stage.end(staged.runId, 1);
      expect(ended).toMatchObject({ status: 'completed', result: 'fixed' });
      expect(await callsOf(staged)).toBe(calls);
      expect(await doneBy(staged)).not.toContain('next');
    });

    test('starts no turn while it is paused, and continues when it is resumed', async () => {
      const { staged, view } = await begun(held);
      const calls = await callsOf(staged);
      await paused(staged, view);
      await held.free?.(staged);
      const now = await seen(stage, staged, (later) => statusOfMain(later) === 'paused');
      expect(await callsOf(staged)).toBe(calls);
      expect(await doneBy(staged)).not.toContain('next');
      await resumeOpenRun(stage.link.client, now);
      expect(await stage.end(staged.runId, 1)).toMatchObject({ status: 'completed', result: 'next' });
    });

    test('ends when it is cancelled', async () => {
      const { staged } = await begun(held);
      const calls = await callsOf(staged);
      await cancelRun(stage.link.client, staged.runId);
      const ended = await stage.end(staged.runId, Infinity);
      expect(ended.status).toBe('cancelled');
      expect(ended.agents.every(({ status }) => status === 'cancelled')).toBe(true);
      expect(await callsOf(staged)).toBe(calls);
    });
  });

  test('by a login starts no turn when a pause follows the resumption', async () => {
    const { staged, view } = await begun(HOLDS['a login'] as Held);
    // While no worker looks, so that the run hears of both at once.
    await stage.worker?.drain();
    await resumeOpenRun(stage.link.client, view);
    await pauseRun(stage.link.client, { view, by: BY });
    await stage.work();
    await until(async () => await hasHeard(stage, staged, 'pause'), { what: 'the pause' });
    const now = await seen(stage, staged, ({ pausedBy, resumptions }) => pausedBy === BY && resumptions === 1);
    expect(await callsOf(staged)).toBe(1);
    await resumeOpenRun(stage.link.client, now);
    expect(await stage.end(staged.runId, 2)).toMatchObject({ status: 'completed', result: 'next' });
  });

  test('by a question starts no turn when the answer follows a pause', async () => {
    const { staged, view } = await begun(HOLDS['a question'] as Held);
    // While no worker polls: the task of the agent is the first, before that of its run, which passes the pause on.
    await stage.worker?.drain();
    await stage.link.client.workflow.getHandle(`${staged.runId}/main`).signal('probe');
    await pauseRun(stage.link.client, { view, by: BY });
    const accepted = answered(staged);
    await stage.work();
    await accepted;
    const now = await seen(stage, staged, (later) => statusOfMain(later) === 'paused' && later.pausedBy === BY);
    expect(await doneBy(staged)).not.toContain('next');
    await resumeOpenRun(stage.link.client, now);
    expect(await stage.end(staged.runId, 1)).toMatchObject({ status: 'completed', result: 'next' });
  });

  test('by a login is retried or paused as the later order says, also when no worker hears them one by one', async () => {
    const ordered = async (inTurn: readonly ('pause' | 'retry')[]): Promise<Staged> => {
      const { staged, view } = await begun(HOLDS['a login'] as Held);
      await stage.worker?.drain();
      for (const order of inTurn)
        if (order === 'pause') await pauseRun(stage.link.client, { view, by: BY });
        else await retryAgent(stage.link.client, { view, agentId: 'main', by: BY });
      await stage.work();
      return staged;
    };
    const retried = await ordered(['pause', 'retry']);
    expect(await stage.end(retried.runId, Infinity)).toMatchObject({ status: 'completed', pausedBy: BY });
    const later = await ordered(['retry', 'pause']);
    const isPaused = ({ agents: [main] }: RunView): boolean => main?.error?.includes(BY) === true;
    expect(await seen(stage, later, isPaused)).toMatchObject({ pausedBy: BY });
    expect(await callsOf(later)).toBe(1);
    const resumptions = await resumeOpenRun(stage.link.client, await seen(stage, later, isPaused));
    expect(await stage.end(later.runId, resumptions)).toMatchObject({ status: 'completed' });
  });

  test('by a login refuses a retry that comes after a cancel, and its run says so', async () => {
    await fake.setRules(HOLDS['a login']?.rules?.() ?? []);
    const staged = await stage.start({
      'START.sh': ends('<fork next="WAIT">LOGIN</fork>'),
      'LOGIN.md': 'Do it.\n',
      'WAIT.sh': ends('<ask next="NEXT">Go on?</ask>'),
      ...OTHERS,
    });
    const agentId = 'main_login1';
    const isHeld = ({ agents }: RunView): boolean => agents.every(({ status }) => /paused|asking/.test(status));
    const view = await seen(stage, staged, (now) => now.agents.length === 2 && isHeld(now));
    // While no worker looks, so that it hears of both at once.
    await stage.worker?.drain();
    await cancelAgent(stage.link.client, { view, agentId });
    await retryAgent(stage.link.client, { view, agentId, by: BY });
    await stage.work();
    // The agent reports its end and the refused order one after the other.
    const isRefused = ({ agents, refused }: RunView): boolean =>
      refused !== undefined && agents.some(({ status }) => status === 'cancelled');
    const { refused: orders } = await seen(stage, staged, isRefused);
    expect(orders).toEqual([{ agentId, by: BY, why: 'it was being cancelled' }]);
    await cancelRun(stage.link.client, staged.runId);
    expect(await stage.end(staged.runId, Infinity)).toMatchObject({ status: 'cancelled' });
  });

  describe('by a pause', () => {
    const STATES = { ...OTHERS, 'START.sh': waits('start', '<goto>NEXT</goto>') };
    const pausedRun = async (): Promise<{ staged: Staged; view: RunView }> => {
      const staged = await stage.start(STATES, { chain: false });
      await until(async () => (await doneBy(staged)) !== '', { what: 'the first turn' });
      await paused(staged, await seen(stage, staged, () => true));
      await go(staged);
      return { staged, view: await seen(stage, staged, (now) => statusOfMain(now) === 'paused') };
    };

    test('goes where it is sent when it is resumed', async () => {
      const { staged, view } = await pausedRun();
      await sent(view);
      await resumeOpenRun(stage.link.client, view);
      expect(await stage.end(staged.runId, 1)).toMatchObject({ status: 'completed', result: 'fixed' });
      expect(await doneBy(staged)).toBe('start\nfixed\n');
    });

    test.each(['resume', 'retry'])('continues by a %s after a cancel that no worker has seen yet', async (order) => {
      const { client } = stage.link;
      const { staged } = await pausedRun();
      await stage.worker?.drain();
      await cancelRun(client, staged.runId);
      const view = await viewRun(client, staged.runId);
      expect(view.stopping).toBe(true);
      await (order === 'resume' ? resumeOpenRun(client, view) : retryAgent(client, { view, agentId: 'main', by: BY }));
      await stage.work();
      expect(await seen(stage, staged, ({ open }) => !open)).toMatchObject({ status: 'completed' });
    });

    test('stays so when a pause follows the resumption, and ends when it is cancelled', async () => {
      const { staged, view } = await pausedRun();
      const { client } = stage.link;
      const main = client.workflow.getHandle(`${staged.runId}/main`);
      // While no worker looks, so that it hears of both at once.
      await stage.worker?.drain();
      await main.signal('resume');
      await main.signal('pause', { by: 'another' });
      await stage.work();
      await seen(stage, staged, ({ agents }) => agents[0]?.error?.includes('another') === true);
      expect(view.agents[0]?.status).toBe('paused');
      expect(await doneBy(staged)).toBe('start\n');
      await cancelRun(client, staged.runId);
      expect(await stage.end(staged.runId, Infinity)).toMatchObject({ status: 'cancelled' });
    });
  });

  test('whose record is missing fails with the reason when its run is resumed; the others continue, and a cancel ends the run', async () => {
    const staged = await stage.start({
      'START.sh': ends('<fork next="WAIT">WORK</fork>'),
      'WORK.sh': waits('work', '<result>work</result>'),
      'WAIT.sh': waits('wait', '<result>wait</result>'),
    });
    const ran = (times: number) => async (): Promise<boolean> =>
      (await doneBy(staged)).split('wait').length > times && (await doneBy(staged)).includes('work');
    await until(ran(1), { what: 'both agents' });
    await cancelRun(stage.link.client, staged.runId);
    const view = await stage.end(staged.runId, Infinity);
    const artifacts = artifactsOf(stage);
    const { ledger } = JSON.parse(await artifacts.text(view.record ?? '')) as { readonly ledger: LedgerSnapshot };
    const archive = JSON.parse(await artifacts.text(ledger.archived.archive ?? '')) as ArchivePiece;
    const status = archive.agents.find(({ id }) => id === 'main_work1')?.status;
    if (status?.kind !== 'cancelled' || typeof status.record !== 'object') throw new Error('it has no record');
    const { sha256 } = status.record;
    const folder = join(stage.raymondDir, 'artifacts');
    const files = await readdir(folder, { recursive: true });
    for (const file of files.filter((name) => name.replaceAll('/', '').includes(sha256))) await rm(join(folder, file));
    await restartRun(stage.link.client, { view, artifacts, taskQueue: view.taskQueue });
    const again = await seen(stage, staged, ({ agents }) => agents.some((agent) => agent.status === 'failed'));
    expect(again.agents.find(({ id }) => id === 'main_work1')?.error).toContain(sha256);
    await until(ran(2), { what: 'the other agent' });
    await cancelRun(stage.link.client, staged.runId);
    const ended = await stage.end(staged.runId, Infinity);
    expect(ended.agents.map(({ id, status: how }) => [id, how])).toEqual([
      ['main', 'cancelled'],
      ['main_work1', 'failed'],
    ]);
    expect(ended.open).toBe(false);
  });
});
