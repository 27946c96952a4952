// A local run that is served in the background: whoever asked for it hears of a process that came to nothing.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { keepServed } from '../../dist/client/background.js';
import type { Raymond } from '../../dist/client/open.js';
import { Stage } from '../support/stage.js';
import { folder } from '../support/folder.js';

const stage = new Stage();

/** An open project whose processes in the background run in this environment. */
async function projectWith(env: Readonly<Record<string, string>>): Promise<Raymond> {
  const cwd = await folder();
  const caller = { cwd, env: { ...process.env, ...env } };
  const project = { root: cwd, raymondDir: join(cwd, '.raymond') };
  return { mode: { kind: 'local' }, link: stage.link, project, caller } as unknown as Raymond;
}

const ASKS = { 'START.sh': `echo '<ask next="END">Which?</ask>'\n`, 'END.sh': 'echo "<result>x</result>"\n' };

const never = (): Promise<boolean> => Promise.resolve(false);

test('a process that dies before it serves the run is an error, in its own words', async () => {
  const { runId, ended } = await stage.start(ASKS);
  const raymond = await projectWith({ NODE_OPTIONS: '--no-such-option' });
  const log = join(raymond.project.raymondDir, 'runs', `${runId}.log`);
  await expect(keepServed(raymond, runId, { isUp: never })).rejects.toMatchObject({
    code: 'Unreachable',
    message: expect.stringMatching(
      new RegExp(`^no process is executing the run ${runId}; .* exit code 9: .*--no-such-option.*; its log: ${log}$`),
    ),
  });
  await access(log);
  await stage.link.client.workflow.getHandle(runId).cancel();
  await ended;
});

test('a process that ends when the run has been taken up is no error', async () => {
  const { runId } = await stage.run({ 'START.sh': 'exit 1\n' });
  let looks = 0;
  // The first look starts the process; whenever that has ended, the run has gone on.
  const isUp = (): Promise<boolean> => Promise.resolve((looks += 1) > 1);
  await keepServed(await projectWith({ NODE_OPTIONS: '--no-such-option' }), runId, { isUp });
  expect(looks).toBeGreaterThan(1);
});
