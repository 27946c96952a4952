// Which --model a turn is given after a state that chose one: the run's default again, or the user's own choice.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { modelFlag } from '../../../src/backends/claude/command.js';
import { folder } from '../../support/folder.js';

const CHOSEN = { id: 'a', sha256: 'b', model: 'haiku' };
const PLAIN = { id: 'a', sha256: 'b' };

async function flagWith(
  files: Readonly<Record<string, string>>,
  {
    env = {},
    wanted,
    session = CHOSEN,
  }: { env?: Record<string, string>; wanted?: string; session?: typeof PLAIN } = {},
): Promise<string | undefined> {
  const root = await folder({ 'work/tree/.git/HEAD': '', 'work/tree/inner/file': '' });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const place = { env: { HOME: join(root, 'home'), ...env }, cwd: join(root, 'work/tree/inner') };
  return await modelFlag(wanted, { session, ...place });
}

test.each([
  ['what the state or the run says wins', { wanted: 'opus' }, 'opus'],
  ['a conversation that was never told a model needs none', { session: PLAIN }, undefined],
  ['after a state that chose a model it is the default again', {}, 'default'],
  ['or what a variable of the user says', { env: { ANTHROPIC_MODEL: 'sonnet' } }, 'sonnet'],
  ['an empty variable says nothing', { env: { ANTHROPIC_MODEL: '' } }, 'default'],
])('%s', async (_title, options, flag) => {
  expect(await flagWith({}, options)).toBe(flag);
});

const USER = 'home/.claude/settings.json';
const SHARED = 'work/tree/inner/.claude/settings.json';
const LOCAL = 'work/tree/inner/.claude/settings.local.json';
const TREE = 'work/tree/.claude/settings.local.json';

const model = (name: string): string => JSON.stringify({ model: name });
const variable = (name: string): string => JSON.stringify({ model: 'hidden', env: { ANTHROPIC_MODEL: name } });

test.each<[string, Record<string, string>, string]>([
  ["the user's", { [USER]: model('opus') }, 'opus'],
  ["the directory's over the user's", { [USER]: model('opus'), [SHARED]: model('sonnet') }, 'sonnet'],
  ["the directory's local one over its shared one", { [SHARED]: model('opus'), [LOCAL]: model('sonnet') }, 'sonnet'],
  ["the work tree's local one over all", { [TREE]: model('sonnet'), [LOCAL]: model('opus') }, 'sonnet'],
  ["not the work tree's shared one", { 'work/tree/.claude/settings.json': model('opus') }, 'default'],
  ['a variable in any over a model in any', { [USER]: variable('sonnet'), [TREE]: model('opus') }, 'sonnet'],
  ['of two variables the later', { [USER]: variable('opus'), [LOCAL]: variable('sonnet') }, 'sonnet'],
  ['none that names no model', { [USER]: '{"theme":"dark"}' }, 'default'],
  ['none whose model is null', { [USER]: '{"model":null}' }, 'default'],
  ['none that is null', { [USER]: 'null' }, 'default'],
  ['none that is no JSON', { [USER]: '// none' }, 'default'],
])('of the settings files counts %s', async (_title, files, flag) => {
  expect(await flagWith(files)).toBe(flag);
});

test.each([
  ['loses against a variable in a settings file', variable('sonnet'), 'sonnet'],
  ['wins against a model in a settings file', model('sonnet'), 'opus'],
])("a variable of the turn's environment %s", async (_title, text, flag) => {
  expect(await flagWith({ [USER]: text }, { env: { ANTHROPIC_MODEL: 'opus' } })).toBe(flag);
});

test('the user folder may be elsewhere', async () => {
  const elsewhere = await folder({ 'settings.json': model('opus') });
  expect(await flagWith({}, { env: { CLAUDE_CONFIG_DIR: elsewhere } })).toBe('opus');
});
