// Credentials in the environment of a run whose states and whose Claude all print them: none may be found where Raymond or Temporal keep things,
// nor on the terminal. And what Raymond keeps is for its owner's eyes only.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith } from '../support/fakes.js';
import { recordedIn } from '../support/recorded.js';

const KEY = 'sk-ant-planted-key-0123456789';
const TOKEN = 'planted-token-9876543210';
const FLAG = 'planted-flag-5555555555';
const PLANTED = [KEY, TOKEN, FLAG];

const FLOW = {
  'flow/START.sh': 'echo "with $SECRET_TOKEN"; echo "and $ANTHROPIC_API_KEY" >&2\necho "<goto>ASK_CLAUDE</goto>"\n',
  'flow/ASK_CLAUDE.md': 'go\n',
  'flow/LOUD.sh': 'printf "%s" "planted-tok" >&2; sleep 0.2; echo "en-9876543210 failed" >&2; exit 3\n',
  'flow/MISTAKE.sh': 'echo "no tag, but $SECRET_TOKEN"\n',
  'flow/NOWHERE.sh': 'echo "<goto>$SECRET_TOKEN</goto>"\n',
  'flow/LONG.sh': 'echo "$SECRET_TOKEN" >&2; head -c 4080 /dev/zero | tr "\\\\0" x >&2; exit 1\n',
  'flow/END.sh': 'echo "<result>done</result>"\n',
};

async function played(): Promise<{ place: Place; said: string; json: string }> {
  const workers = ['LOUD', 'MISTAKE', 'NOWHERE', 'LONG'].map((state) => `<fork next="END">${state}</fork>`);
  const fake = await fakeWith(
    { times: 1, noResult: true, exitCode: 1, stderr: `${'x'.repeat(440)} the key ${KEY} is no good` },
    { text: `I saw ${KEY}. ${workers.join('')}` },
  );
  const place = await Place.at(FLOW, { ...fake.env, ANTHROPIC_API_KEY: KEY, SECRET_TOKEN: TOKEN });
  const { stdout, stderr } = await place.bin(['flow', '--id', 'r', '--verbose', '--api-key', FLAG]);
  expect(stdout).toBe('done');
  const status = await place.raymond(['status', 'r', '--json']);
  const shown = await place.raymond(['status', 'r']);
  return { place, said: stdout + stderr + shown.stdout, json: status.stdout };
}

interface Kept {
  readonly path: string;
  readonly mode: number;
  readonly isFolder: boolean;
  readonly content: string;
}

async function keptIn(folder: string): Promise<readonly Kept[]> {
  const names = await readdir(folder, { recursive: true });
  return await Promise.all(
    ['.', ...names].map(async (name) => {
      const info = await lstat(join(folder, name));
      const content = info.isFile() ? await readFile(join(folder, name), 'latin1') : '';
      return { path: name, mode: info.mode & 0o777, isFolder: info.isDirectory(), content };
    }),
  );
}

/** The planted values in a text, and in the beginnings and ends that a cut may have left of them. */
function leaks(text: string): readonly string[] {
  const parts = PLANTED.flatMap((value) => [value, value.slice(0, -4), value.slice(4)]);
  return parts.filter((part) => text.includes(part));
}

test('no credential gets into .raymond, into Temporal or onto the terminal; what is kept is private', async () => {
  const { place, said, json } = await played();
  expect(leaks(said)).toEqual([]);
  expect(leaks(json)).toEqual([]);
  expect(said).toContain('[SECRET_TOKEN] failed');
  expect(documentOf({ stdout: json }).agents.map(({ status }) => status)).toContain('failed');
  expect(leaks(await recordedIn(place.cwd))).toEqual([]);

  const kept = await keptIn(join(place.cwd, '.raymond'));
  // Conversations are Claude Code's own words, and are gone on from: they stay as they are. The environment of a run is kept for its turns.
  const isConversation = (path: string, content: string): boolean =>
    path.startsWith('artifacts/') && content.includes('"sessionId"');
  const own = kept.filter(({ path, content }) => path !== 'runs/r.env' && !isConversation(path, content));
  expect(own.length).toBeLessThan(kept.length);
  expect(own.filter(({ content }) => leaks(content).length > 0).map(({ path }) => path)).toEqual([]);
  const debug = own.filter(({ path }) => path.startsWith('debug/')).map(({ content }) => content);
  expect(debug.join('')).toContain('with [SECRET_TOKEN]');
  expect(debug.join('')).toContain('I saw [ANTHROPIC_API_KEY].');

  // What is in a task folder is the author's; the config was written manually.
  const ours = kept.filter(({ path }) => !path.startsWith('tasks/') && !['.', 'config.toml'].includes(path));
  const open = ours.filter(({ mode }) => (mode & 0o077) !== 0);
  expect(open.map(({ path, mode }) => `${path} ${mode.toString(8)}`)).toEqual([]);
}, 180_000);

test('an address that does not answer is complained of without the key', async () => {
  const place = await Place.at(FLOW, { TEMPORAL_API_KEY: TOKEN });
  const failed = await place.bin(['list', '--address', '127.0.0.1:1', '--api-key', FLAG]);
  expect(failed.exitCode).toBe(69);
  expect(leaks(failed.stderr)).toEqual([]);
}, 60_000);
