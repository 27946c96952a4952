// Runs whose history or results cannot be stored.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { resumeOpenRun, retryAgent } from '../../dist/client/steer/control.js';
import type { RunView } from '../../dist/client/look/runs.js';
import { Stage, type Staged } from '../support/stage.js';
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

  test('continues with an agent that shall try again', async () => {
    const staged = await withObstacle({ 'START.sh': FAILS });
    const view = await closing(staged);
    await goes(staged);
    await retryAgent(stage.link.client, { view, agentId: 'main', by: 'ann' });
    const ended = await staged.ended;
    expect(ended).toMatchObject({ status: 'completed', result: 'after all' });
    expect(ended.trouble).toBeUndefined();
  });

  test('continues with all agents that have no result when it is resumed', async () => {
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
