// The two workflow types on a real server with real scripts; what lasts over several tasks also replayed at every task.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../dist/store/folder.js';
import type { ClientError } from '../../dist/client/error.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { MODES, Stage } from '../support/stage.js';
import { until } from '../support/until.js';

/** A bash script that ends with this tag. */
const ends = (tag: string, before = ''): string => `${before}\necho '${tag}'\n`;

describe.each(MODES)('a run, $mode', ({ maxCachedWorkflows }) => {
  const stage = new Stage({ maxCachedWorkflows });

  test('call and function return to the caller with the payload', async () => {
    const view = await stage.run({
      'START.sh': ends('<call return="AFTER">SUB</call>'),
      'SUB.sh': ends('<goto>DEEPER</goto>'),
      'DEEPER.sh': ends('<function return="BACK" input="question">CHECK</function>'),
      'CHECK.sh': 'echo "<result>[$RAYMOND_INPUT${RAYMOND_RESULT-}]</result>"\n',
      'BACK.sh': 'echo "<result>($RAYMOND_RESULT)</result>"\n',
      'AFTER.sh': 'echo "<result>main got $RAYMOND_RESULT</result>"\n',
    });
    expect(view).toMatchObject({ status: 'completed', result: 'main got ([question])' });
  });

  test('a run of one turn takes four workflow tasks, and its agent two', async () => {
    const { runId } = await stage.run({ 'START.sh': ends('<result>x</result>') });
    const tasksOf = async (workflowId: string): Promise<number> => {
      const { events = [] } = await stage.link.client.workflow.getHandle(workflowId).fetchHistory();
      return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
    };
    expect([await tasksOf(runId), await tasksOf(`${runId}/main`)]).toEqual([4, 2]);
  });

  test('a fork starts an agent with its attributes and the run waits for both', async () => {
    const staged = await stage.start({
      'START.sh': ends('<fork next="GO_ON" item="one" input="in">WORKER</fork>'),
      'GO_ON.sh': ends('<result>parent</result>'),
      'WORKER.sh': 'echo "$item $input $RAYMOND_AGENT_ID" > seen\necho "<goto>SECOND</goto>"\n',
      'SECOND.sh': 'echo "<result>[${item-unset}]</result>"\n',
    });
    const view = await staged.ended;
    expect(view).toMatchObject({ status: 'completed', result: 'parent' });
    expect(view.agents.map(({ id, status, result }) => ({ id, status, result }))).toEqual([
      { id: 'main', status: 'completed', result: 'parent' },
      { id: 'main_worker1', status: 'completed', result: '[unset]' },
    ]);
    expect(await readFile(join(staged.cwd, 'seen'), 'utf8')).toBe('one in main_worker1\n');
  });

  test('an agent continues as new after its number of turns and loses nothing', async () => {
    const count = 'n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count\n';
    const view = await stage.run(
      {
        'START.sh': ends('<call return="AFTER" input="kept">LOOP</call>'),
        'LOOP.sh': `${count}if [ "$n" -lt 12 ]; then echo "<goto>LOOP</goto>"; else echo "<result>$n</result>"; fi\n`,
        'AFTER.sh': 'echo "<result>back with $RAYMOND_RESULT</result>"\n',
      },
      { turnsPerHistory: 5 },
    );
    expect(view).toMatchObject({ status: 'completed', result: 'back with 12' });
    const last = await stage.link.client.workflow.getHandle(`${view.runId}/main`).describe();
    expect(last.historyLength).toBeLessThan(60);
  });

  test("a cancelled run ends its turns, keeps their agents' records, and continues when it is resumed", async () => {
    const staged = await stage.start({
      'START.sh': 'if [ -f go ]; then echo "<result>after all</result>"; else touch started; sleep 600; fi\n',
    });
    await until(() => readFile(join(staged.cwd, 'started')).catch(() => undefined), { what: 'the script' });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const view = await staged.ended;
    expect(view.status).toBe('cancelled');
    expect(view.agents[0]).toMatchObject({ id: 'main', status: 'cancelled', state: 'START.sh' });

    await writeFile(join(staged.cwd, 'go'), '');
    const { taskQueue } = view;
    await restartRun(stage.link.client, {
      view,
      artifacts: new FolderStore(join(stage.raymondDir, 'artifacts')),
      taskQueue,
    });
    expect(await stage.end(staged.runId)).toMatchObject({
      status: 'completed',
      result: 'after all',
      startedAt: view.startedAt,
    });
  });

  test('a failed run continues from the failed state with the file as it is now', async () => {
    const staged = await stage.start({
      'START.sh': ends('<call return="AFTER">SUB</call>', 'echo x >> turns'),
      'SUB.sh': 'exit 1\n',
      'AFTER.sh': 'echo "<result>$RAYMOND_RESULT $(wc -l < turns)</result>"\n',
    });
    const view = await staged.ended;
    expect(view.status).toBe('failed');
    await writeFile(join(view.scope, 'SUB.sh'), 'echo "<result>mended</result>"\n');
    const { taskQueue } = view;
    await restartRun(stage.link.client, {
      view,
      artifacts: new FolderStore(join(stage.raymondDir, 'artifacts')),
      taskQueue,
    });
    expect(await stage.end(staged.runId)).toMatchObject({ status: 'completed', result: 'mended 1' });
    const { events } = await stage.link.client.workflow.getHandle(staged.runId).fetchHistory();
    const shown = events?.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upserted }) => {
      const { data } = upserted?.searchAttributes?.indexedFields?.['RaymondStatus'] ?? {};
      return data ? [JSON.parse(Buffer.from(data).toString()) as string] : [];
    });
    expect(new Set(shown)).toEqual(new Set(['running', 'completed']));
  });

  // These have nothing to replay that the ones above do not; the stage replays their histories at its end in any case.
  if (maxCachedWorkflows === 0) return;

  test('of restarts at once, or of one that has read the run too early, one takes effect', async () => {
    const staged = await stage.start({
      'START.sh': 'echo x >> turns; [ -e go ] || exit 1\necho "<result>done</result>"\n',
    });
    const view = await staged.ended;
    await writeFile(join(staged.cwd, 'go'), '');
    const artifacts = new FolderStore(join(stage.raymondDir, 'artifacts'));
    const { taskQueue } = view;
    const restart = async (): Promise<string> =>
      await restartRun(stage.link.client, { view, artifacts, taskQueue }).then(
        () => 'restarted',
        (error: unknown) => (error as ClientError).code,
      );
    expect((await Promise.all([restart(), restart(), restart()])).toSorted()).toEqual([
      'RunOpen',
      'RunOpen',
      'restarted',
    ]);
    expect(await stage.end(staged.runId)).toMatchObject({ status: 'completed', result: 'done' });
    expect(await restart()).toBe('RunOpen');
    expect(await readFile(join(staged.cwd, 'turns'), 'utf8')).toBe('x\nx\n');
  });

  test('goto leads from state to state and result ends it with its payload', async () => {
    const view = await stage.run({
      'START.sh': ends('<goto>NEXT</goto>'),
      'NEXT.sh': ends('<result>  done  </result>'),
    });
    expect(view).toMatchObject({ status: 'completed', result: 'done', costUsd: 0, open: false });
    expect(view.agents).toEqual([{ id: 'main', status: 'completed', state: 'NEXT.sh', costUsd: 0, result: 'done' }]);
  });

  test('reset keeps the return stack and changes the directory', async () => {
    const view = await stage.run({
      'START.sh': ends('<call return="AFTER">SUB</call>'),
      'SUB.sh': ends('<reset cd="inner">END</reset>', 'mkdir -p inner'),
      'END.sh': 'echo "<result>$(basename "$PWD")</result>"\n',
      'AFTER.sh': 'echo "<result>$RAYMOND_RESULT then $(basename "$PWD" | cut -c1-12)</result>"\n',
    });
    expect(view.result).toBe('inner then raymond-test');
  });

  test('an agent id that was used in the run is skipped', async () => {
    const view = await stage.run({
      'START.sh': ends('<fork next="TWO">X1_Y</fork>'),
      // main_x1_y1 exists now; main_x1 forking Y would be main_x1_y1 as well.
      'TWO.sh': ends('<fork next="END">X</fork>'),
      'X.sh': ends('<result>x</result>'),
      'X1_Y.sh': ends('<result>first</result>'),
      'END.sh': ends('<result>end</result>'),
    });
    expect(view.status).toBe('completed');
    expect(view.agents.map(({ id }) => id)).toEqual(['main', 'main_x1_y1', 'main_x2']);
  });

  test('a script that fails ends its agent with its exit code and stderr, and spares its sibling', async () => {
    const view = await stage.run({
      'START.sh': ends('<fork next="BAD">GOOD</fork>'),
      'GOOD.sh': ends('<result>good</result>'),
      'BAD.sh': 'echo "what went wrong" >&2\nexit 7\n',
    });
    expect(view.status).toBe('failed');
    expect(view.agents[0]).toMatchObject({ id: 'main', status: 'failed' });
    expect(view.agents[0]?.error).toContain('main, BAD.sh: the script ended with exit code 7\nwhat went wrong');
    expect(view.agents[1]).toMatchObject({ status: 'completed', result: 'good' });
  });

  test.each([
    ['no tag', 'echo nothing', 'no transition tag'],
    ['two tags', 'echo "<goto>START</goto><result>x</result>"', '2 transition tags'],
    ['an unknown target', 'echo "<goto>NOWHERE</goto>"', 'NOWHERE'],
    [
      'a missing directory',
      'echo "<reset cd=/no/such/place>START</reset>" | sed "s/cd=\\(.*place\\)/cd=\\"\\1\\"/"',
      '/no/such/place',
    ],
  ])('%s is an error that names the agent and the state', async (_name, script, message) => {
    const view = await stage.run({ 'START.sh': `${script}\n` });
    expect(view.status).toBe('failed');
    expect(view.agents[0]?.error).toContain('main, START.sh: ');
    expect(view.agents[0]?.error).toContain(message);
  });

  test('fail-fast stops the siblings of an agent that failed', async () => {
    const view = await stage.run(
      { 'START.sh': ends('<fork next="BAD">SLOW</fork>'), 'SLOW.sh': 'sleep 600\n', 'BAD.sh': 'exit 1\n' },
      { failFast: true },
    );
    expect(view.status).toBe('failed');
    expect(view.agents.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
  });

  test('a result of 100 KiB reaches the next state whole and stays out of the history', async () => {
    const view = await stage.run({
      'START.sh': ends('<function return="AFTER">BIG</function>'),
      'BIG.sh': 'echo "<result>$(head -c 102400 /dev/zero | tr "\\0" x)</result>"\n',
      'AFTER.sh': 'echo "<result>$(wc -c < "$RAYMOND_RESULT_FILE") ${#RAYMOND_INPUT}</result>"\n',
    });
    expect(view.result).toBe('102400 102400');
    const { raw } = await stage.link.client.workflow.getHandle(`${view.runId}/main`).describe();
    expect(Number(raw.workflowExecutionInfo?.historySizeBytes)).toBeLessThan(40_000);
  });
});
