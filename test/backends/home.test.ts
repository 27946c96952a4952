// The home of a backend, looked at before a prompt is paid.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { asTurnFailure } from '../../src/activities/failure.js';
import { requireHome } from '../../src/backends/home.js';
import { folder } from '../support/folder.js';

const AGENT = { title: 'The agent', variable: 'AGENT_DIR', inHome: '.agent' };

async function failureIn(env: Readonly<Record<string, string>>): Promise<unknown> {
  return await requireHome(AGENT, { env, name: 'talks' }).catch((error: unknown) => error);
}

test('a folder that is missing is made, also without HOME when the variable of the backend names it', async () => {
  const home = await folder({});
  expect(await failureIn({ HOME: home })).toBeUndefined();
  expect(await failureIn({ AGENT_DIR: join(home, 'mine') })).toBeUndefined();
  expect((await readdir(home)).sort()).toEqual(['.agent', 'mine']);
});

test.each([{}, { HOME: '', AGENT_DIR: '' }])(
  'an environment without a home is named, and pauses the agent: %j',
  async (env) => {
    const failure = asTurnFailure(await failureIn(env), { id: 'main', state: 'A.md' } as Parameters<
      typeof asTurnFailure
    >[1]);
    expect(failure).toMatchObject({
      type: 'NeedsPerson',
      message:
        'main, A.md: The agent cannot save its conversation: HOME is not set; set HOME or AGENT_DIR to a writable folder',
    });
  },
);

test('a home that is a file, or that takes nothing, is named with the reason', async () => {
  const home = await folder({ file: '' });
  expect(await failureIn({ HOME: join(home, 'file') })).toMatchObject({
    message: expect.stringMatching(
      /file\/\.agent\/talks: a file is in the way; make it writable, or set HOME or AGENT_DIR/,
    ),
  });
  expect(await failureIn({ HOME: '/proc/nowhere' })).toMatchObject({ name: 'HomeUnusable' });
  await mkdir(join(home, '.agent'));
  expect(await failureIn({ HOME: home })).toBeUndefined();
});
