// What settings of the worker and of the run change about a script turn: its environment, and the time that it may take.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { TestWorker, failureOf } from '../test-worker.js';

test('a clean environment is what prompts get without what belongs to Claude, and what env_pass names', async () => {
  const environment = { HOME: '/home/user', SECRET: 'x', MINE: 'y', ANTHROPIC_API_KEY: 'x' };
  const settings = { scriptEnv: 'clean', envPass: ['MINE'] } as const;
  const worker = await TestWorker.with(
    { 'START.sh': 'env > env; echo "<result>ok</result>"' },
    { environment, settings },
  );
  await worker.turn({ agent: { attributes: { item: 'z' } } });
  const env = await readFile(join(worker.cwd, 'env'), 'utf8');
  for (const line of ['HOME=/home/user', 'MINE=y', 'item=z', 'RAYMOND_AGENT_ID=main'])
    expect(env).toContain(`${line}\n`);
  expect(env).not.toMatch(/^(SECRET|ANTHROPIC)/m);
});

test('a script that takes longer than it may fails however much it prints, and nothing of it is left', async () => {
  const worker = await TestWorker.with({ 'START.sh': 'while :; do echo noise; sleep 0.05; done' });
  const settings = { permissions: 'accept-edits', maxSeconds: 0.4 } as const;
  expect(await failureOf(worker.turn({ agent: { id: 'over1' }, settings }))).toMatchObject({
    type: 'ScriptFailed',
    message: 'over1, START.sh: stopped after 0.4 s in total (max_time)',
  });
  expect(await worker.processesOf('over1')).toEqual([]);
});
