// What a run is started with: what the caller says, else the config, else the manifest and the defaults; found wrong before a server is needed.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RunOptions } from '../../../src/client/start/options.js';
import { openWorkflow, prepareRun, type PreparedRun } from '../../../src/client/start/begin.js';
import type { Project } from '../../../src/client/project/project.js';
import { folder } from '../../support/folder.js';

let cwd: string;
beforeAll(async () => {
  cwd = await folder({
    'flow/START.sh': 'echo "<result>x</result>"\n',
    'flow/OTHER.sh': 'echo "<result>x</result>"\n',
    'asks/START.md': 'Ask.\n',
  });
});

async function prepared(options: RunOptions, config: Project['config'] = {}): Promise<PreparedRun> {
  const project = { root: cwd, raymondDir: `${cwd}/.raymond`, configFiles: [], config };
  const workflow = await openWorkflow(project, { argument: 'flow', caller: { cwd, env: {} } });
  return await prepareRun(project, { workflow, options, caller: { cwd, env: {} }, local: true });
}

describe('the budget', () => {
  test.each<[string, RunOptions, Project['config'], number | undefined]>([
    ['is 10 USD when nobody says', {}, {}, 10],
    ['is that of the config', {}, { budget: 3 }, 3],
    ['is that of the caller first', { budgetUsd: 5 }, { budget: 3 }, 5],
    ['is none with 0', { budgetUsd: 0 }, { budget: 3 }, undefined],
  ])('%s', async (...[, options, config, usd]) => {
    expect((await prepared(options, config)).request.budgetUsd).toBe(usd);
  });

  test('cannot be negative', async () => {
    await expect(prepared({ budgetUsd: -1 })).rejects.toMatchObject({ code: 'InvalidUsage' });
  });
});

test('a limit is waited for when the caller says so, whatever the config says', async () => {
  const config = { no_wait: true };
  expect((await prepared({}, config)).request.pauseAtLimit).toBe(true);
  expect((await prepared({ pauseAtLimit: false }, config)).request.pauseAtLimit).toBe(false);
});

test('turns have the model, the effort and the limits of the caller, else those of the config', async () => {
  const config = { model: 'sonnet', effort: 'low', timeout: 60, max_time: 600 } as const;
  const { request } = await prepared({ model: 'haiku', timeoutSeconds: 5 }, config);
  expect(request.turn).toEqual({
    permissions: 'accept-edits',
    model: 'haiku',
    effort: 'low',
    idleSeconds: 5,
    maxSeconds: 600,
  });
});

test.each<[string, RunOptions]>([
  ['a model that is none', { model: 'what is this' }],
  ['an effort that is none', { effort: 'much' }],
  ['an id that cannot be one', { runId: '../x' }],
  ['a directory that is not there', { cwd: 'nowhere' }],
])('%s is refused', async (_what, options) => {
  await expect(prepared(options)).rejects.toMatchObject({ name: 'ClientError', code: 'InvalidUsage' });
});

test('a run is named after its folder, or after the state file that was named', async () => {
  const named = async (argument: string): Promise<string> => {
    const project = { root: cwd, raymondDir: `${cwd}/.raymond`, configFiles: [], config: {} };
    const caller = { cwd, env: {} };
    const workflow = await openWorkflow(project, { argument, caller });
    return (await prepareRun(project, { workflow, options: {}, caller, local: true })).runId;
  };
  expect(await named('flow')).toMatch(/^flow-2/);
  expect(await named('flow/START.sh')).toMatch(/^flow-2/);
  expect(await named('flow/OTHER.sh')).toMatch(/^OTHER-2/);
});

test('a workflow with prompts is refused where Claude Code is not installed', async () => {
  const project = { root: cwd, raymondDir: `${cwd}/.raymond`, configFiles: [], config: {} };
  const workflow = await openWorkflow(project, { argument: 'asks', caller: { cwd, env: {} } });
  const caller = { cwd, env: { PATH: cwd } };
  const preparing = { workflow, options: {}, caller };
  await expect(prepareRun(project, { ...preparing, local: true })).rejects.toMatchObject({ code: 'ClaudeMissing' });
  await expect(prepareRun(project, { ...preparing, local: false })).resolves.toMatchObject({
    workflow: { name: 'asks' },
  });
});
