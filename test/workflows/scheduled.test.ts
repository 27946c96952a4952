// A run as a schedule starts it: with an input that was fixed before, and an id that Temporal has made.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openPackage } from '../../dist/client/start/package.js';
import { followRun } from '../../dist/client/look/follow.js';
import { runInputOf } from '../../dist/client/start/start.js';
import { SEARCH_ATTRIBUTES } from '../../dist/protocol/ids.js';
import { shownIn } from '../../dist/workflows/attributes.js';
import { folder } from '../support/folder.js';
import { MODES, Stage } from '../support/stage.js';

const stage = new Stage(MODES[1]);

test('it takes its id and its start from Temporal, and continues as new with them', async () => {
  const { client } = stage.link;
  // A run of the stage knows its queue.
  const { taskQueue } = await stage.run({ 'START.sh': 'echo "<result>x</result>"\n' });
  const flow = {
    'START.sh': 'echo "<goto input=\\"$RAYMOND_WORKFLOW_ID\\">END</goto>"\n',
    'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  };
  const cwd = await folder();
  const { runId: _name, ...scheduled } = runInputOf({
    runId: 'nightly',
    package: await openPackage(await folder(flow), { cwd, cacheDir: join(stage.raymondDir, 'registry') }),
    cwd,
    taskQueue,
    turn: { permissions: 'accept-edits' },
    failFast: false,
    debug: true,
    searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
    turnsPerHistory: 1,
  });
  const runId = `nightly-${new Date().toISOString().slice(0, 19)}Z`;
  const handle = await client.workflow.start('run', { workflowId: runId, taskQueue, args: [scheduled] });
  const view = await followRun(client, runId, {});
  const { startTime, typedSearchAttributes } = await handle.describe();
  expect(view).toMatchObject({ runId, status: 'completed', result: runId, startedAt: startTime });
  expect(shownIn(typedSearchAttributes)).toMatchObject({ RaymondRun: runId, RaymondStatus: 'completed' });
  const [day = '', time = ''] = startTime.toISOString().split(/[T.]/);
  expect(await readdir(join(stage.raymondDir, 'debug'))).toContain(
    `${runId.replaceAll(':', '%3A')}_${day.replaceAll('-', '')}_${time.replaceAll(':', '')}`,
  );
});
