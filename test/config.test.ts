// The config file as people write it: every key, every mistake with its line, and where the project of a folder begins.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ClientError } from '../src/client/error.js';
import { configKeys, parseConfig } from '../src/client/project/config.js';
import { configVersion, findProject } from '../src/client/project/project.js';
import { anyText } from './support/any-text.js';
import { folder } from './support/folder.js';

/** What a config text is an error for, without the file's name. */
function mistakeIn(text: string): string {
  try {
    return `no mistake: ${JSON.stringify(parseConfig(text, 'F').config)}`;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    expect(error.code).toBe('InvalidUsage');
    return error.message;
  }
}

const lines = (...text: readonly string[]): string => text.join('\n');

describe('a config that is right', () => {
  test.each([
    ['nothing at all', '', {}],
    ['comments', '# budget = "x"\n', {}],
    ['an empty table', '[raymond]\n', {}],
    ['a budget of none', '[raymond]\nbudget = 0\n', { budget: 0 }],
    ['whole and broken numbers', '[raymond]\nbudget = 2\ntimeout = 1.5\n', { budget: 2, timeout: 1.5 }],
    ['lists over several lines', '[raymond]\nenv_pass = [\n  "A_*", # why\n  "B",\n]\n', { env_pass: ['A_*', 'B'] }],
    ['Windows line ends', '[raymond]\r\nmax_prompts = 3\r\nfail_fast = true\r\n', { max_prompts: 3, fail_fast: true }],
    ['a limit of time', '[raymond]\nmax_time = 0.5\n', { max_time: 0.5 }],
    ['what an ask does', '[raymond]\non_ask = "exit"\nno_wait = true\n', { on_ask: 'exit', no_wait: true }],
    ['how loud it is', '[raymond]\nquiet = true\nverbose = false\n', { quiet: true, verbose: false }],
    ['no debug files', '[raymond]\nno_debug = true\n', { no_debug: true }],
    [
      'environments',
      '[raymond]\nscript_env = "clean"\nclaude_profile = "isolated"\n',
      { script_env: 'clean', claude_profile: 'isolated' },
    ],
    ['a task folder', '[raymond]\ntask_folder = "t/{{agent_id}}"\n', { task_folder: 't/{{agent_id}}' }],
    ['dotted keys', 'raymond.max_scripts = 2\n', { max_scripts: 2 }],
    ['an inline table', 'raymond = { model = "haiku", effort = "low" }\n', { model: 'haiku', effort: 'low' }],
  ])('may hold %s', (_what, text, config) => {
    expect(parseConfig(text, 'F')).toEqual({ config, warnings: [] });
  });
});

describe('a key without effect', () => {
  test.each([
    ['max = 3', 'F:3: unknown key "max"; it has no effect'],
    ['[raymond.temporal]\nx = 1', 'F:3: unknown key "temporal"; it has no effect'],
    ['name = "x"', 'F:3: name has no effect: the title of the terminal cannot be set'],
    ['[raymond.serve]\nstrange = 80', 'F:4: strange has no effect: no key of this name is known'],
  ])('%j is a warning with its line', (text, warning) => {
    const { config, warnings } = parseConfig(`[raymond]\nbudget = 1\n${text}\n`, 'F');
    expect(config).toEqual({ budget: 1 });
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });
});

test('keys of the original stand for ours', () => {
  const text = lines(
    '[raymond]',
    'task_folder_pattern = "t/{{agent_id}}"',
    '[raymond.serve]',
    'root = "flows"',
    'port = 8080',
    'workdir = ""',
    'max_file_size = 0',
    'max_file_count = 3',
  );
  const config = { task_folder: 't/{{agent_id}}', workflow_folders: ['flows'], serve_port: 8080, upload_file_count: 3 };
  expect(parseConfig(text, 'F')).toEqual({ config, warnings: [] });
});

describe('a mistake in a config', () => {
  test.each([
    [
      'an unknown key',
      lines('[raymond]', 'model = "haiku"', 'budgit = 3'),
      'F:3: unknown key "budgit" (did you mean budget?); the keys are budget,',
    ],
    ['a key in quotes', lines('[raymond]', '', '"budgit" = 3'), 'F:3: unknown key "budgit"'],
    ['a key with a dash', lines('[raymond]', 'fail-fast = true'), 'F:2: unknown key "fail-fast"'],
    ['an unknown table', lines('[raymond]', '', '[other]', 'x = 1'), 'F:3: unknown table or key "other"'],
    [
      'a key outside the table',
      lines('# mine', 'budget = 3'),
      'F:2: unknown table or key "budget"; all keys belong under [raymond]',
    ],
    [
      'a key of the original',
      lines('[raymond]', '[raymond.serve]', 'port = "x"'),
      /^F:3: port: expected number, got string$/,
    ],
    ['no table', 'raymond = 3', 'F:1: raymond: '],
    ['a list of tables', lines('', '[[raymond]]', 'budget = 1'), 'F:2: raymond: '],
    ['a text for a number', lines('[raymond]', '', 'budget = "3"'), 'F:3: budget: '],
    ['a negative budget', lines('[raymond]', 'budget = -1'), 'F:2: budget: '],
    ['a budget that is no number', lines('[raymond]', 'budget = nan'), 'F:2: budget: '],
    ['an endless timeout', lines('[raymond]', 'timeout = inf'), 'F:2: timeout: '],
    ['a number for a text', lines('[raymond]', 'model = 4'), 'F:2: model: '],
    ['an effort that does not exist', lines('[raymond]', 'model = "haiku"', 'effort = "heroic"'), 'F:3: effort: '],
    ['an ask that is answered by nobody', lines('[raymond]', 'on_ask = "never"'), 'F:2: on_ask: '],
    ['a time before the start', lines('[raymond]', 'max_time = -1'), 'F:2: max_time: '],
    ['an environment that does not exist', lines('[raymond]', 'script_env = "dirty"'), 'F:2: script_env: '],
    ['a profile that does not exist', lines('[raymond]', 'claude_profile = "own"'), 'F:2: claude_profile: '],
    ['a text for yes or no', lines('[raymond]', 'fail_fast = "yes"'), 'F:2: fail_fast: '],
    ['half a worker', lines('[raymond]', 'max_prompts = 0.5'), 'F:2: max_prompts: '],
    ['no worker', lines('[raymond]', 'max_scripts = 0'), 'F:2: max_scripts: '],
    ['a text for a list', lines('[raymond]', 'env_pass = "A"'), 'F:2: env_pass: '],
    ['a number in a list', lines('[raymond]', 'allowed_tools = ["A",', '3]'), 'F:2: allowed_tools: '],
    ['broken TOML', lines('[raymond]', 'model = "haiku', 'budget = 1'), 'F:2: '],
    ['a table that is not closed', lines('', '[raymond'), 'F:2: '],
    ['a key twice', lines('[raymond]', 'budget = 1', 'budget = 2'), 'F:3: '],
    ['a value without a key', lines('[raymond]', '', '= 2'), 'F:3: '],
  ])('%s is reported with its line', (_what, text, message) => {
    expect(mistakeIn(text)).toMatch(message);
    expect(mistakeIn(text)).not.toContain('\n');
  });
});

describe('the project of a folder', () => {
  const config = '[raymond]\nbudget = 1\n';
  const withoutConfig = (root: string): unknown => ({
    root,
    raymondDir: join(root, '.raymond'),
    configFiles: [],
    config: {},
  });

  test('is the nearest folder upward with .raymond', async () => {
    const root = await folder({ '.raymond/config.toml': config, 'a/b/file': '' });
    const project = {
      root,
      raymondDir: join(root, '.raymond'),
      configFiles: [{ path: join(root, '.raymond', 'config.toml'), config: { budget: 1 } }],
      config: { budget: 1 },
    };
    for (const cwd of [root, join(root, 'a'), join(root, 'a', 'b')]) expect(await findProject(cwd)).toEqual(project);
  });

  test('is the nearest folder upward with raymond.toml', async () => {
    const root = await folder({ '.raymond/config.toml': '', 'a/raymond.toml': config, 'a/b/file': '' });
    expect(await findProject(join(root, 'a', 'b'))).toMatchObject({ root: join(root, 'a'), config: { budget: 1 } });
  });

  test('has the keys of both its files; one that both set is that of .raymond/config.toml', async () => {
    const root = await folder({
      'raymond.toml': '[raymond]\nbudget = 5\nlimits = { opus = 4, tests = 1 }\nstrange = 1\n',
      '.raymond/config.toml': '[raymond]\nlimits = { opus = 1 }\nmodel = "haiku"\n',
    });
    const project = await findProject(root);
    expect(project.config).toEqual({ budget: 5, limits: { opus: 1 }, model: 'haiku' });
    expect(project.configFiles.map(({ path }) => path)).toEqual([
      join(root, '.raymond', 'config.toml'),
      join(root, 'raymond.toml'),
    ]);
    expect(project.warnings).toEqual([expect.stringContaining(`${join(root, 'raymond.toml')}:4: unknown key`)]);
  });

  test('has another version of its config when either file changes', async () => {
    const root = await folder({ '.git/HEAD': '' });
    const versions = [await configVersion(root)];
    for (const file of ['raymond.toml', join('.raymond', 'config.toml')]) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), config);
      versions.push(await configVersion(root));
    }
    expect([versions[0], new Set(versions).size]).toEqual(['', 3]);
  });

  test('is the inner of two', async () => {
    const root = await folder({ '.raymond/config.toml': config, 'a/.raymond/config.toml': '', 'a/b/file': '' });
    expect(await findProject(join(root, 'a', 'b'))).toMatchObject({ root: join(root, 'a'), config: {} });
  });

  test.each([
    ['a repository', { 'repo/.git/HEAD': '' }],
    ['a work tree, whose .git is a file', { 'repo/.git': 'gitdir: elsewhere\n' }],
  ])('does not reach beyond %s', async (_what, files) => {
    const outer = await folder({ '.raymond/config.toml': config, 'repo/a/file': '', ...files });
    const root = join(outer, 'repo');
    expect(await findProject(join(root, 'a'))).toEqual(withoutConfig(root));
  });

  test('is a repository that has .raymond itself', async () => {
    const root = await folder({ '.raymond/config.toml': config, '.git/HEAD': '', 'a/file': '' });
    expect(await findProject(join(root, 'a'))).toMatchObject({ root, config: { budget: 1 } });
  });

  test('does not begin at a file named .raymond', async () => {
    const root = await folder({ '.git/HEAD': '', 'a/.raymond': 'a file' });
    expect(await findProject(join(root, 'a'))).toMatchObject({ root });
  });

  test('may have no config yet', async () => {
    const root = await folder({ '.raymond/other': '' });
    expect(await findProject(root)).toEqual(withoutConfig(root));
  });

  test('is found through links', async () => {
    const root = await folder({ '.raymond/config.toml': config });
    const other = await folder({ '.git/HEAD': '' });
    await symlink(join(root, '.raymond'), join(other, '.raymond'));
    expect(await findProject(other)).toMatchObject({ root: other, config: { budget: 1 } });
  });

  test.each(['.raymond/config.toml', 'raymond.toml'])(
    'with a mistake in %s is an error that names it',
    async (name) => {
      const root = await folder({ [name]: '[raymond]\nmodell = 1\n' });
      const file = join(root, name);
      await expect(findProject(root)).rejects.toThrow(`${file}:2: unknown key "modell"`);
    },
  );

  test.each(['.raymond/config.toml', 'raymond.toml'])('whose %s cannot be read is an error naming it', async (name) => {
    const root = await folder({ '.git/HEAD': '' });
    await mkdir(join(root, name), { recursive: true });
    await expect(findProject(root)).rejects.toMatchObject({
      code: 'InvalidUsage',
      message: expect.stringContaining(join(root, name)),
    });
  });
});

test('whatever stands in the file, it is a config or one error of a user, with file and line', () => {
  const names = configKeys().map(({ name }) => name);
  const value = fc.oneof(
    fc.constantFrom(
      '1',
      '-1',
      '1e999',
      'nan',
      'true',
      '""',
      '"x"',
      '[]',
      '["*"]',
      '[1]',
      '{}',
      '{ a = 1 }',
      '1979-05-27',
      '"\\u0000"',
      '"',
    ),
    fc.jsonValue().map((json) => JSON.stringify(json)),
  );
  const key = fc.oneof(fc.constantFrom(...names, 'x', '__proto__', '"constructor"', 'a.b'), fc.string());
  const line = fc.oneof(
    fc.tuple(key, value).map(([name, text]) => `${name} = ${text}`),
    fc.constantFrom('[raymond]', '[[raymond]]', '[other]', 'raymond = 1', '# note', '[raymond.__proto__]'),
    anyText(),
  );
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (lines, headed) => {
      const text = (headed ? ['[raymond]', ...lines] : lines).join('\n');
      expect(mistakeIn(text)).toMatch(/^(?:F:\d+: |no mistake: )/);
    }),
    { numRuns: 500 },
  );
});
