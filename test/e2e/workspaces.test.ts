// Workspaces of agents on the embedded server; those that move from host to host are in workspaces-fleet.long.test.ts.
import { describe, expect, test } from '@jest/globals';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Place } from '../support/cli.js';
import { documentOf } from '../support/fakes.js';
import { folder } from '../support/folder.js';
import { Repository } from '../support/repository.js';

const COMMIT = 'git -c user.name=A -c user.email=a@b commit --quiet -am';

describe('on the embedded server', () => {
  test('a run works on a copy of the start directory with its own work, and its files come back as a branch', async () => {
    const place = await Place.sharing({
      'README.md': 'hello\n',
      'flow/START.sh': `cat draft.txt > seen; echo more >> README.md; ${COMMIT} mine; echo "<goto>END</goto>"\n`,
      'flow/END.sh': 'pwd > where; echo "<result>$(cat seen)</result>"\n',
      '.gitignore': '.raymond\n',
    });
    const repository = await Repository.of({}, place.cwd);
    await place.write('draft.txt', 'not committed yet\n');
    const { stdout, stderr, exitCode } = await place.raymond([
      'start',
      'flow',
      '--id',
      'r1',
      '--workspace',
      'git',
      '--output-branch',
      'done',
    ]);
    expect({ stdout, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
      stdout: 'not committed yet',
      exitCode: 0,
      stderr: '',
    });
    expect(await place.read('seen')).toBeUndefined();
    expect(await repository.bare('show', 'done:seen')).toBe('not committed yet');
    expect(await repository.bare('show', 'done:where')).toBe(join(place.cwd, '.raymond', 'workspaces', 'r1', 'main'));
    expect(await repository.bare('log', '--format=%s', 'done')).toBe('main of the run r1\nmine\nfirst');
    // Another run from its second turn has the files of then, in a workspace of its own.
    await place.write('.raymond/workspaces/r1/main/README.md', 'changed by hand\n');
    expect(await place.raymond(['fork', 'r1', '--at', '2', '--id', 'again'])).toMatchObject({ exitCode: 0 });
    const copy = '.raymond/workspaces/again/main';
    expect(await place.read(`${copy}/where`)).toBe(`${join(place.cwd, copy)}\n`);
    expect(await place.read(`${copy}/README.md`)).toBe('hello\nmore\n');
  });

  test("a fork shares its parent's workspace, or begins with a copy of it on a branch of its own", async () => {
    const fork = (attributes: string): string => `<fork next="WAIT" ${attributes}>WORK</fork>`;
    const forks = [fork('item="shared"'), fork('item="own" cd="new"'), fork('item="named" worktree="feature"')];
    const place = await Place.sharing({
      'flow/START.sh': `echo begun > begun; echo '${forks.join('')}'\n`,
      'flow/WORK.sh':
        'echo "$item" > "made-by-$item"; echo "<result>$(pwd) $(git branch --show-current) $(ls | tr \'\\n\' \' \')</result>"\n',
      'flow/WAIT.sh': `echo '<await next="END">'\n`,
      'flow/END.sh': "echo \"<result>$(ls | tr '\\n' ' ')</result>\"\n",
      '.gitignore': '.raymond\n',
    });
    await Repository.of({}, place.cwd);
    const run = documentOf(await place.raymond(['start', 'flow', '--id', 'r2', '--workspace', 'git', '--json']));
    const root = join(place.cwd, '.raymond', 'workspaces', 'r2');
    const results = Object.fromEntries(
      run.agents.map(({ id, ...line }) => [id, 'result' in line ? line.result : undefined]),
    );
    expect(results['main_work1']).toMatch(`${root}/main raymond/r2/main `);
    expect(results['main_work2']).toBe(`${root}/main_work2 raymond/r2/main_work2 begun flow made-by-own`);
    expect(results['main_work3']).toBe(`${root}/main_work3 feature begun flow made-by-named`);
    expect(run.result).toBe('begun flow made-by-shared');
  });

  test.each([
    ['no repository', [], /is not in a git repository; name one with --repo URL/],
    ['a repository that is not there', ['--repo', '/nowhere.git'], /the repository \/nowhere\.git cannot be read/],
    [
      'a flag for workspaces without any',
      ['--workspace', 'shared', '--ref', 'main'],
      /--ref is for runs with workspaces; add --workspace git/,
    ],
  ])('%s is refused before anything is started', async (_what, flags, why) => {
    const place = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
    const { exitCode, stderr } = await place.raymond(['start', 'flow', '--workspace', 'git', ...flags]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 64, stderr: expect.stringMatching(why) });
    expect((await place.raymond(['list'])).stdout).toBe('');
  });

  test('a ref that is gone, a repository without a remote', async () => {
    const place = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
    const repository = await Repository.of({ a: 'a' });
    const gone = await place.raymond([
      'start',
      'flow',
      '--workspace',
      'git',
      '--repo',
      repository.url,
      '--ref',
      'gone',
    ]);
    expect(gone).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('has no branch, tag or commit gone') });
    await repository.git('remote', 'remove', 'origin');
    const alone = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n', '.gitignore': '.raymond\n' });
    await (await Repository.of({}, alone.cwd)).git('remote', 'remove', 'origin');
    const { exitCode, stderr } = await alone.raymond(['start', 'flow', '--workspace', 'git']);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('has no remote "origin"'),
    });
  });

  test('files that are too large hold the agent after its turn; with them out of the way it continues and does no turn again', async () => {
    const place = await Place.sharing(
      {
        '.raymond/config.toml': '[raymond]\nworkspace = "git"\nworkspace_limit = 1\n',
        'flow/START.sh': 'echo x >> "$ELSEWHERE/turns"; head -c 2000000 /dev/zero > big; echo "<goto>END</goto>"\n',
        'flow/END.sh': 'echo "<result>$(ls)</result>"\n',
      },
      { ELSEWHERE: await folder() },
    );
    const repository = await Repository.of({ a: 'a' });
    const held = await place.raymond(['start', 'flow', '--id', 'r3', '--repo', repository.url]);
    expect(held).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/2 MiB of new and changed files.*big \(2 MiB\)/),
    });
    await rm(join(place.cwd, '.raymond', 'workspaces', 'r3', 'main', 'big'));
    expect(await place.raymond(['resume', 'r3'])).toMatchObject({ exitCode: 0, stdout: 'a' });
    expect(documentOf(await place.raymond(['history', 'r3', '--json']))).toMatchObject({
      turns: [{ number: 1 }, { number: 2 }],
    });
  });

  test('a prepare command that fails holds the agent, with what it said; fixed, it runs once', async () => {
    const marks = await folder();
    const place = await Place.sharing({
      '.raymond/config.toml': `[raymond]\nworkspace = "git"\nprepare = "test -f ${marks}/mended || { echo no tools here; exit 7; }; echo x >> ${marks}/prepared"\n`,
      'flow/START.sh': 'echo "<goto>END</goto>"\n',
      'flow/END.sh': 'echo "<result>ok</result>"\n',
    });
    const repository = await Repository.of({ a: 'a' });
    const held = await place.raymond(['start', 'flow', '--id', 'r4', '--repo', repository.url]);
    expect(held).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/prepare command .* exit code 7: no tools here/),
    });
    await writeFile(join(marks, 'mended'), '');
    expect(await place.raymond(['resume', 'r4'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
    expect(await readFile(join(marks, 'prepared'), 'utf8')).toBe('x\n');
  });
});
