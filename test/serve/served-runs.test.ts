// The runs that one process serves: a run whose worker cannot start is given up, so that another process may serve it.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DEFAULT_SETTINGS } from '../../dist/activities/settings.js';
import type { Link } from '../../dist/client/connect.js';
import type { Raymond } from '../../dist/client/open.js';
import { listRuns } from '../../dist/client/look/runs.js';
import { openPackage } from '../../dist/client/start/package.js';
import { newRunId, startRun } from '../../dist/client/start/start.js';
import { isServed, SERVE_QUEUE } from '../../dist/local.js';
import { SEARCH_ATTRIBUTES } from '../../dist/protocol/ids.js';
import { ServedRuns } from '../../dist/serve/served-runs.js';
import { folder } from '../support/folder.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const stage = new Stage();

const WAITS = {
  'START.sh': `echo '<ask next="END">Which?</ask>'\n`,
  'END.sh': 'echo "<result>x</result>"\n',
};

/** A link whose connection is there so many times. */
function linkOf(times: number): Link {
  let left = times;
  const { connection, ...link } = stage.link;
  return {
    ...link,
    get connection() {
      if (left === 0) throw new Error('no connection for a worker');
      left -= 1;
      return connection;
    },
  };
}

async function optionsOf(link: Link): Promise<Parameters<typeof ServedRuns.start>[0]> {
  const { raymondDir } = stage;
  const raymond = { link, project: { raymondDir }, caller: { env: process.env } } as unknown as Raymond & {
    link: Link;
  };
  const settings = { ...DEFAULT_SETTINGS, raymondDir };
  return { raymond, settings, folder: await folder(), progress: () => undefined, report: () => undefined };
}

test('a run whose worker cannot start is not locked, and can be kept later', async () => {
  const { runId, ended } = await stage.start(WAITS);
  const served = await ServedRuns.start(await optionsOf(linkOf(1)));
  try {
    await expect(served.keep(runId)).rejects.toThrow('no connection for a worker');
    expect(served.runIds).toEqual([]);
    expect(isServed(stage.raymondDir, runId)).toBe(false);
  } finally {
    await served.close(0);
  }
  await stage.link.client.workflow.getHandle(runId).cancel();
  await ended;
});

test('when it cannot start at all, no run stays locked', async () => {
  const { client } = stage.link;
  const [scope, cwd, runId] = [await folder(WAITS), await folder(), newRunId('serve')];
  const from = { cwd, cacheDir: join(stage.raymondDir, 'registry') };
  await startRun(client, {
    runId,
    package: await openPackage(scope, from),
    cwd,
    taskQueue: SERVE_QUEUE,
    turn: { permissions: 'accept-edits' },
    failFast: false,
    searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
  });
  const isListed = async (): Promise<boolean> => (await listRuns(client)).some((run) => run.runId === runId);
  await until(isListed, { what: 'the run in the list' });
  await expect(ServedRuns.start(await optionsOf(linkOf(0)))).rejects.toThrow('no connection for a worker');
  expect(isServed(stage.raymondDir, runId)).toBe(false);
  await client.workflow.getHandle(runId).terminate();
});
