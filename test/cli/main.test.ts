// The command line as a function: several calls in one process, each with its own folder, environment, streams and signals.
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { main } from '../../dist/cli/index.js';
import { Place } from '../support/cli.js';
import { folder } from '../support/folder.js';

const SAYS = 'echo "<result>$WORD in $(basename "$PWD")</result>"\n';

test('calls side by side keep apart what they are given', async () => {
  const places = await Promise.all([Place.at({ 'flow/START.sh': SAYS }), Place.at({ 'flow/START.sh': SAYS })]);
  const call = async (place: Place, word: string) => await place.bin(['flow', '--quiet'], { env: { WORD: word } });
  const called = await Promise.all(places.flatMap((place) => [call(place, 'one'), call(place, 'two')]));
  const names = places.flatMap(({ cwd }) => [cwd, cwd]).map((cwd) => cwd.replace(/.*\//, ''));
  expect(called).toEqual(
    names.map((name, at) => ({ stdout: `${at % 2 === 0 ? 'one' : 'two'} in ${name}`, stderr: '', exitCode: 0 })),
  );
});

test('a call leaves nothing open that would hold its process', async () => {
  const place = await Place.sharing({ 'flow/START.sh': SAYS });
  const program = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));
  const script = `import { main } from ${JSON.stringify(program)};
const call = (...args) => main(args, { ...process, cwd: ${JSON.stringify(place.cwd)}, env: process.env,
  stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, signals: process });
const codes = [await call('flow', '--id', 'a'), await call('status', 'a'), await call('status', 'none'), await call('flow', '--id', 'b')];
console.log(JSON.stringify(codes));`;
  const folderOfScript = await folder({ 'calls.mjs': script });
  const { stdout } = await execa(process.execPath, [join(folderOfScript, 'calls.mjs')], {
    env: { TEMPORAL_ADDRESS: undefined, RAYMOND_FOREGROUND: 'engine', WORD: 'x' },
    stdin: 'ignore',
    timeout: 150_000,
  });
  expect(stdout).toMatch(/\[0,0,64,0\]$/);
}, 180_000);

test('signals come from the caller: the first lets the turn end, the second ends the call now', async () => {
  const place = await Place.sharing({ 'flow/START.sh': 'touch started; sleep 500; echo "<result>late</result>"\n' });
  const signals = new EventEmitter();
  const stderr = new PassThrough();
  const said = text(stderr);
  const ended = main(['flow', '--id', 'r'], {
    cwd: place.cwd,
    env: { ...process.env, TEMPORAL_ADDRESS: undefined, RAYMOND_FOREGROUND: 'engine' },
    stdin: Readable.from([]),
    stdout: new PassThrough().resume(),
    stderr,
    signals,
  });
  await place.made('started');
  signals.emit('SIGINT');
  signals.emit('SIGINT');
  expect(await ended).toBe(130);
  stderr.end();
  expect(await said).toContain('raymond resume r');
  expect(signals.eventNames()).toEqual([]);
});

test('--version is the version of the package', async () => {
  const place = await Place.at();
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  expect(await place.raymond(['--version'])).toEqual({ stdout: version, stderr: '', exitCode: 0 });
});
