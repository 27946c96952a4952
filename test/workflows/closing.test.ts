// A run that closes, or waits for its store, on a real server: an order that reaches it then is carried out, and cancel always ends it.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { agentWorkflowId } from '../../dist/protocol/ids.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { ends, seen } from './waiting.js';

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
