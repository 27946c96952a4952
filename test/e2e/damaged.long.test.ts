// Files of the store that are not as they were kept: a turn never continues with less, commands name the file, and doctor finds them all.
import { copyFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { FakeClaude } from '../support/fake-claude.js';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith } from '../support/fakes.js';

let place: Place;
let fake: FakeClaude;
beforeAll(async () => {
  fake = await fakeWith(
    { match: 'Begin', text: 'x'.repeat(2000) + '<ask next="MORE">Which colour?</ask>' },
    { match: 'More', text: '<result>more</result>' },
  );
  place = await Place.at(
    {
      'flow/START.md': 'Begin.\n',
      'fails/START.sh': '[ -f go ] || exit 1; echo "<result>x</result>"\n',
      'flow/MORE.md': 'More: {{result}}\n',
    },
    fake.env,
  );
  expect((await place.raymond(['start', 'fails', '--id', 'failed', '--quiet'])).exitCode).toBe(1);
  for (const id of ['cut', 'reset'])
    expect((await place.raymond(['start', 'flow', '--id', id, '--on-ask', 'exit', '--quiet'])).exitCode).toBe(2);
});

const artifacts = (): string => join(place.cwd, '.raymond/artifacts');

/** The file of a run's only conversation. */
async function conversation(runId: string): Promise<string> {
  const { stdout } = await place.raymond(['history', runId, '--json']);
  const [, sha256 = ''] = /"session":\s*\{[^}]*"sha256":\s*"(\w{64})"/.exec(stdout) ?? [];
  return join(artifacts(), sha256.slice(0, 2), sha256);
}

test('doctor --deep reads the whole store', async () => {
  const { stdout } = await place.raymond(['doctor', '--deep']);
  expect(stdout).toMatch(/^ok +stored files +\d+ artifacts \(0\.0 MiB\) and \d documents in .* are intact$/m);
});

test('a cut conversation pauses the agent; it continues when the file is put back, or without it by goto --reset', async () => {
  for (const id of ['cut', 'reset']) {
    const file = await conversation(id);
    await copyFile(file, join(place.cwd, `${id}.backup`));
    await truncate(file, 10);
    const answered = await place.raymond(['answer', id, 'blue']);
    expect(answered).toMatchObject({ exitCode: 3, stdout: '' });
    expect(answered.stderr).toContain(`${file} is damaged: its SHA-256 is not`);
  }
  expect((await fake.calls()).filter(({ prompt }) => prompt.includes('More'))).toEqual([]);
  await copyFile(join(place.cwd, 'cut.backup'), await conversation('cut'));
  expect(await place.raymond(['resume', 'cut'])).toMatchObject({ exitCode: 0, stdout: 'more' });
  const reset = await place.raymond(['goto', 'reset', 'main', 'MORE', '--reset', '--input', 'blue', '--follow']);
  expect(reset).toMatchObject({ exitCode: 0, stdout: 'more' });
});

test('a damaged record of a closed run keeps it from being resumed with less', async () => {
  const names = (await readdir(artifacts(), { recursive: true })).filter((name) => /^..\/\w{64}$/.test(name));
  const text = await readFile(join(artifacts(), 'runs/failed/run.json'), 'utf8');
  const record = names.find((name) => text.includes(`"record":{"sha256":"${name.slice(3)}"`)) ?? 'none';
  await truncate(join(artifacts(), record), 20);
  expect(await place.raymond(['resume', 'failed'])).toMatchObject({
    exitCode: 69,
    stdout: '',
    stderr: expect.stringContaining(`${join(artifacts(), record)} is damaged`),
  });
});

test('history and logs name a damaged chapter, and doctor --deep lists it with all other damaged files', async () => {
  const folder = join(artifacts(), 'runs/cut');
  const [chapter = ''] = (await readdir(folder)).filter((name) => name !== 'run.json');
  await writeFile(join(folder, chapter), '\0\0\0');
  await writeFile(join(folder, 'run.json'), '{}');
  for (const command of ['history', 'logs']) {
    const { stdout, stderr, exitCode } = await place.raymond([command, 'cut']);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 69 });
    expect(stderr).toContain(`${join(folder, chapter)} is damaged: it is not JSON`);
    expect(stderr).toContain('put it back from a backup, or remove it: the turns of the run cut in it are lost then');
  }
  const { stdout, exitCode } = await place.raymond(['doctor', '--deep', '--json']);
  expect(exitCode).toBe(69);
  const { checks } = documentOf({ stdout }) as unknown as { checks: readonly Record<string, string>[] };
  const damaged = checks.flatMap(({ name, status, detail, todo }) =>
    name === 'stored files' && status === 'failed' ? [`${detail}; ${todo}`] : [],
  );
  expect(damaged).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        `${await conversation('reset')}: its SHA-256 is not .*; a conversation of reset; restore it`,
      ),
      expect.stringContaining(`${join(folder, chapter)}: it is not JSON`),
      expect.stringContaining(`${join(folder, 'run.json')}: it is JSON, but not the document that was stored`),
    ]),
  );
  expect(damaged).toHaveLength(4);
});
