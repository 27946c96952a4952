// A run that closes, or waits for its store, on a real server: an order that reaches it then is carried out, and cancel always ends it.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { resumeOpenRun, retryAgent } from '../../dist/client/steer/control.js';
import { agentWorkflowId } from '../../dist/protocol/ids.js';
import type { RunView } from '../../dist/client/look/runs.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends, seen } from './waiting.js';

/** Fails until there is a file `go`. */
const FAILS = '[ -f go ] || exit 1\necho "<result>after all</result>"\n';

describe('a run that cannot keep its history', () => {
  const stage = new Stage();
  const handleOf = ({ runId }: Staged) => stage.link.client.workflow.getHandle(runId);

  /** Histories are in a folder, which cannot be made where there is a file of that name. */
  const obstacle = (): string => join(stage.raymondDir, 'artifacts', 'runs');

  async function withObstacle(states: Readonly<Record<string, string>>): Promise<Staged> {
    await rm(obstacle(), { recursive: true, force: true });
    await mkdir(dirname(obstacle()), { recursive: true });
    await writeFile(obstacle(), '');
    return await stage.start(states);
  }

  async function closing(staged: Staged): Promise<RunView> {
    const view = await seen(stage, staged, ({ trouble }) => trouble !== undefined);
    expect(view).toMatchObject({ open: true, status: 'failed' });
    expect(view.trouble?.message).toMatch(/^cannot store the history of (the run|ended agents): /);
    return view;
  }

  const goes = async (staged: Staged): Promise<void> => {
    await rm(obstacle());
    await writeFile(join(staged.cwd, 'go'), '');
  };

  test('goes on with an agent that shall try again', async () => {
    const staged = await withObstacle({ 'START.sh': FAILS });
    const view = await closing(staged);
    await goes(staged);
    await retryAgent(stage.link.client, { view, agentId: 'main', by: 'ann' });
    const ended = await staged.ended;
    expect(ended).toMatchObject({ status: 'completed', result: 'after all' });
    expect(ended.trouble).toBeUndefined();
  });

  test('goes on with all agents that have no result when it is resumed', async () => {
    const staged = await withObstacle({
      'START.sh': ends('<fork next="FAILS">FAILS</fork>'),
      'FAILS.sh': FAILS,
    });
    const view = await closing(staged);
    await goes(staged);
    await resumeOpenRun(stage.link.client, view);
    const ended = await staged.ended;
    expect(ended).toMatchObject({ status: 'completed', result: 'after all' });
    expect(ended.agents.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('is ended by cancel, and says so', async () => {
    const staged = await withObstacle({ 'START.sh': FAILS });
    await closing(staged);
    await handleOf(staged).cancel();
    const ended = await staged.ended;
    expect(ended).toMatchObject({ status: 'cancelled', agents: [{ status: 'failed' }] });
    expect(ended.record).toBeDefined();
  });
});

describe('a run that is being cancelled', () => {
  const stage = new Stage();
  const handleOf = ({ runId }: Staged) => stage.link.client.workflow.getHandle(runId);

  const SLOW = 'if [ -f go ]; then echo "<result>after all</result>"; else touch started; sleep 600; fi\n';
  const started = (staged: Staged): Promise<unknown> =>
    until(async () => (await readdir(staged.cwd)).includes('started'), { what: 'the script' });

  async function wasCancelled({ runId }: Staged): Promise<boolean> {
    const { events } = await stage.link.client.workflow.getHandle(agentWorkflowId(runId, 'main')).fetchHistory();
    return events?.some(({ workflowExecutionCancelRequestedEventAttributes: told }) => told) ?? false;
  }

  test('goes on, once it has stopped, with an agent that shall go on after that', async () => {
    const staged = await stage.start({ 'START.sh': SLOW });
    await started(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    await handleOf(staged).cancel();
    // What reaches a run in the same moment as a cancel counts as asked for before it.
    await until(() => wasCancelled(staged), { what: 'the cancel of main', everyMs: 5 });
    await handleOf(staged).signal('revive', { agentId: 'main', by: 'ann' });
    const ended = await staged.ended;
    expect(ended).toMatchObject({ status: 'completed', result: 'after all' });
    expect((await handleOf(staged).describe()).status.name).toBe('COMPLETED');
  });

  test('is cancelled, though an agent had failed before', async () => {
    const staged = await stage.start({
      'START.sh': ends('<fork next="SLOW">BAD</fork>'),
      'BAD.sh': 'exit 1\n',
      'SLOW.sh': SLOW,
    });
    await started(staged);
    await seen(stage, staged, ({ agents }) => agents.some(({ status }) => status === 'failed'));
    await handleOf(staged).cancel();
    const ended = await staged.ended;
    expect(ended.status).toBe('cancelled');
    expect(ended.agents.map(({ status }) => status)).toEqual(['cancelled', 'failed']);
    expect((await handleOf(staged).describe()).status.name).toBe('CANCELLED');
  });
});

describe('a run of which a result is missing in the store', () => {
  const stage = new Stage();

  test('says so while its agent waits for it, and is ended by cancel', async () => {
    const staged = await stage.start({
      'START.sh': ends('<fork next="READY">BIG</fork>'),
      'BIG.sh': 'echo "<result>$(head -c 102400 /dev/zero | tr "\\0" x)</result>"\n',
      'READY.sh': 'until [ -f go ]; do sleep 0.05; done\necho "<await next=\\"START\\">"\n',
    });
    const { agents } = await seen(stage, staged, (view) => view.agents[1]?.status === 'completed');
    const result = agents[1]?.result as { readonly sha256: string };
    await rm(await artifactsOf(stage).locate(result.sha256));
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await seen(stage, staged, ({ trouble }) => trouble !== undefined);
    expect(view).toMatchObject({ status: 'running', trouble: { type: 'ArtifactMissing' } });
    expect(view.trouble?.message).toContain('cannot collect the results that main awaits: ');
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    expect(await staged.ended).toMatchObject({ status: 'cancelled' });
  });
});
