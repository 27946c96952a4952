// A process of a turn that is stopped for a while, and then continued: its turn waits for it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fakeWith } from '../../support/fakes.js';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';
import { TestWorker } from '../test-worker.js';

/** While it is stopped, its worker reports so often that it lives. */
const REPORTS = 30;

test.each([
  ['a script', 'START.sh'],
  ['Claude', 'P.md'],
])('%s that was stopped ends its turn in the same attempt', async (_who, state) => {
  const go = join(await folder(), 'go');
  const fake = await fakeWith({ text: '<result>said</result>', waitFor: go });
  const script = `until [ -e ${go} ]; do sleep 0.05; done; echo "<result>said</result>"\n`;
  const worker = await TestWorker.with(
    { 'START.sh': script, 'P.md': 'Say it.\n' },
    { environment: fake.env, settings: { heartbeatMs: 100 } },
  );
  const { report, heartbeats } = worker.play({ agent: { state } });
  const processes = (): Promise<readonly number[]> => worker.processesOf('main');
  await until(async () => (await processes()).length > 0, { what: 'the process' });
  const stopped = await processes();
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  await writeFile(go, '');
  const before = heartbeats.length;
  await until(() => heartbeats.length > before + REPORTS, { what: 'reports of the stopped turn' });
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  expect(await report).toMatchObject({ outcome: { kind: 'transition', transition: { payload: 'said' } } });
  expect(await fake.calls()).toHaveLength(state === 'P.md' ? 1 : 0);
});
