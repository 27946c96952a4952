// Encryption as users set it up: what Temporal's server stores of a run is unreadable, and Raymond with the keys reads all of it.
// The raw records are looked through for a word that every value of the run holds.
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith } from '../support/fakes.js';
import { recordedIn } from '../support/recorded.js';

const WORD = 'pinkelephant';
const KEYS = { old: Buffer.alloc(32, 1).toString('base64'), new: Buffer.alloc(32, 2).toString('base64') };

const FLOW = {
  'flow/START.sh': `echo '<fork next="TALK" item="${WORD}-item">WORK</fork>'\n`,
  'flow/WORK.sh': `echo "${WORD}-stderr $item" >&2\nexit 3\n`,
  'flow/TALK.md': `say ${WORD}-prompt\n`,
  'flow/DONE.sh': `echo "<result>${WORD}-result $RAYMOND_INPUT</result>"\n`,
};

async function placeWith(config: string): Promise<Place> {
  const fake = await fakeWith({ text: `<ask next="DONE">${WORD}-question</ask>` });
  return await Place.at({ ...FLOW, '.raymond/config.toml': `[raymond]\n${config}` }, fake.env);
}

async function writeKeys(place: Place, ...lines: readonly string[]): Promise<void> {
  await writeFile(join(place.cwd, '.raymond/keys'), `# keys\n${lines.join('\n')}\n`, { mode: 0o600 });
}

function jsonLines({ stdout }: { readonly stdout: string }): readonly unknown[] {
  return stdout.split('\n').map((line) => JSON.parse(line) as unknown);
}

test('a run with keys leaves nothing readable in Temporal, and is started, asked, answered, shown and decoded as ever', async () => {
  const place = await placeWith('encryption_keys = ".raymond/keys"\n');
  await writeKeys(place, `old:${KEYS.old}`);
  const started = await place.raymond(['flow', '--id', 'r', '--on-ask', 'exit', '--input', `${WORD}-input`]);
  expect({ exitCode: started.exitCode, stderr: started.stderr }).toMatchObject({ exitCode: 2 });
  expect(started.stderr).toContain(`${WORD}-question`);
  expect((await place.raymond(['status', 'r'])).stdout).toContain(`${WORD}-stderr ${WORD}-item`);

  // Keys are rotated by a new first line: what is there stays readable, what comes is encrypted with the new key.
  await writeKeys(place, `new:${KEYS.new}`, `old:${KEYS.old}`);
  const answered = await place.raymond(['answer', 'r', `${WORD}-answer`]);
  expect(answered.stdout).toBe(`${WORD}-result ${WORD}-answer`);
  expect(answered.exitCode).toBe(1);
  expect(documentOf(await place.raymond(['status', 'r', '--json'])).status).toBe('failed');

  const stored = await recordedIn(place.cwd);
  expect(stored).toContain('binary/encrypted');
  expect(stored).toContain('TALK.md');
  expect(stored.split(WORD)).toHaveLength(1);

  const events = jsonLines(await place.raymond(['decode', 'r', 'main']));
  expect(events[0]).toMatchObject({ eventId: '1', eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED' });
  expect(JSON.stringify(events)).toContain(`${WORD}-answer`);
  const [failed] = (await place.raymond(['decode', 'r', 'main_work1'])).stdout.split('\n').slice(-1);
  expect(failed).toContain(`${WORD}-stderr`);
  expect(failed).not.toContain('Encoded failure');

  await writeKeys(place, `new:${KEYS.new}`);
  const missing = await place.raymond(['decode', 'r', 'main']);
  expect(missing).toMatchObject({ exitCode: 64, stdout: '' });
  expect(missing.stderr).toBe(
    `raymond: the run r: a value is encrypted with the key "old", which is not in ${place.cwd}/.raymond/keys (encryption_keys); add it there`,
  );
  await writeKeys(place, `new:${KEYS.old}`);
  expect((await place.raymond(['list'])).stderr).toContain('was not encrypted with the key "new"');
  await writeFile(join(place.cwd, '.raymond/config.toml'), '[raymond]\n');
  const without = await place.raymond(['status', 'r']);
  expect(without.exitCode).toBe(64);
  // The run's records have values of both keys: either may be read first.
  expect(without.stderr).toMatch(/encrypted with the key "(?:old|new)"; name a file that holds it as encryption_keys/);
}, 180_000);

test('a run whose key is not here is listed with what is readable of it, and stands in the way of no other', async () => {
  const place = await placeWith('encryption_keys = ".raymond/keys"\n');
  await writeKeys(place, `old:${KEYS.old}`);
  await place.raymond(['flow', '--id', 'before', '--on-ask', 'exit']);
  await writeKeys(place, `new:${KEYS.new}`);
  await place.raymond(['flow', '--id', 'after', '--on-ask', 'exit']);
  const file = join(place.cwd, '.raymond/keys');
  const why = `a value is encrypted with the key "old", which is not in ${file} (encryption_keys); add it there`;

  const listed = await place.raymond(['list']);
  expect(listed.exitCode).toBe(0);
  const [, after, before, ...others] = listed.stdout.split('\n');
  expect(others).toEqual([]);
  expect(after).toMatch(/^after +flow +asking +\$0\.0100 +\d/);
  const mark = String.raw`\(encrypted with a key that this host does not have\)`;
  expect(before).toMatch(new RegExp(`^before +flow +asking +\\$0\\.0100 +\\d.* ${mark}$`));
  expect(listed.stderr.split('\n')).toContain(`before: ${why}`);
  expect(JSON.parse((await place.raymond(['list', '--json'])).stdout)).toMatchObject([
    { runId: 'after', status: 'asking', costUsd: 0.01 },
    { runId: 'before', workflow: 'flow', status: 'asking', open: true, costUsd: 0.01, unreadable: why },
  ]);

  for (const args of [
    ['status', 'before'],
    ['result', 'before'],
    ['cancel', 'before'],
    ['resume', 'before'],
  ]) {
    const refused = await place.raymond(args);
    expect(refused).toMatchObject({ exitCode: 64, stdout: '', stderr: `raymond: the run before: ${why}` });
  }
  const all = await place.raymond(['resume', '--all', '--on-ask', 'exit']);
  expect(all.exitCode).toBe(64);
  expect(all.stderr).toContain(`the run before: ${why}`);
  expect(all.stderr).toContain('waiting for an answer: after');
}, 180_000);

test('a run without keys is decoded, too; keys that come later read what was there before', async () => {
  const place = await placeWith('');
  await place.raymond(['flow', '--id', 'r', '--on-ask', 'exit']);
  const plain = await place.raymond(['decode', 'r', 'main']);
  expect(plain.stdout).toContain(`${WORD}-question`);
  await writeKeys(place, `old:${KEYS.old}`);
  await writeFile(join(place.cwd, '.raymond/config.toml'), '[raymond]\nencryption_keys = ".raymond/keys"\n');
  expect(jsonLines(await place.raymond(['decode', 'r', 'main']))).toEqual(jsonLines(plain));
  expect((await place.raymond(['answer', 'r', 'yes'])).stdout).toBe(`${WORD}-result yes`);
  const nobody = await place.raymond(['decode', 'r', 'nobody']);
  expect(nobody).toMatchObject({ exitCode: 64 });
  expect(nobody.stderr).toContain('Temporal has no history of r/nobody');
}, 180_000);

test('payloads of a JSON text are decoded without a server; what is no JSON is refused', async () => {
  const place = await placeWith('');
  const payload = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: Buffer.from('"said"').toString('base64') };
  const input = JSON.stringify({ id: 7, input: { payloads: [payload] }, memo: payload });
  const decoded = await place.raymond(['decode', '-'], { input });
  expect(JSON.parse(decoded.stdout)).toEqual({ id: 7, input: { payloads: ['said'] }, memo: 'said' });
  expect((await place.raymond(['decode', '-'], { input: '{' })).stderr).toContain('stdin is not JSON');
  expect(await place.read('.raymond/temporal/server.json')).toBeUndefined();
});

test('a file of keys that others can read, or that is not there, stops a start before anything is written', async () => {
  const place = await placeWith('encryption_keys = ".raymond/keys"\n');
  await writeKeys(place, `old:${KEYS.old}`);
  const file = join(place.cwd, '.raymond/keys');
  await chmod(file, 0o644);
  const open = await place.raymond(['flow']);
  expect(open).toMatchObject({ exitCode: 64, stdout: '' });
  expect(open.stderr).toContain(`chmod 600 ${file}`);
  await rm(file);
  expect((await place.raymond(['flow'])).stderr).toContain('there is no such file');
  expect(await place.read('.raymond/temporal/server.json')).toBeUndefined();
});
