// What commands load before they answer: the Temporal SDK takes most of the time of a short command, and its native core half of that.
import { beforeAll, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Place } from '../support/cli.js';

/** Writes down the packages and the files of the bundle that a process has loaded, when it ends. */
const WITNESS = `const fs = require('node:fs');
const read = fs.readFileSync;
const files = [];
fs.readFileSync = (path, ...more) => {
  if (/program.[^/]*\\.cjs$/.test(path)) files.push(require('node:path').basename(path));
  return read(path, ...more);
};
require('node:module').syncBuiltinESMExports();
process.on('exit', () => {
  const packages = Object.keys(require.cache).flatMap((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1] ?? []);
  fs.writeFileSync(process.env.WITNESSED, JSON.stringify([...new Set([...packages, ...files])]));
});
`;

/** The client of Temporal's SDK. */
const SDK = 'sdk.cjs';

const PROGRAM = fileURLToPath(new URL('../../dist/program', import.meta.url));

let place: Place;
beforeAll(async () => {
  place = await Place.at({ 'witness.cjs': WITNESS, 'flow/START.sh': 'echo "<result>done</result>"\n' });
});

async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const env = { NODE_OPTIONS: `--require ${join(place.cwd, 'witness.cjs')}`, WITNESSED: join(place.cwd, 'packages') };
  await place.bin(args, { env });
  const loaded = JSON.parse((await place.read('packages')) ?? '') as readonly string[];
  return loaded.filter((name) => name === SDK || !name.endsWith('.cjs'));
}

test.each(['--nope', 'status', 'budget run much', 'start', '--help', '--version', 'completion bash'])(
  'raymond %s loads no package',
  async (line) => {
    expect(await loadedBy(...line.split(' '))).toEqual([]);
  },
);

test('no command but serve, which checks what it is sent, loads the schemas of its documents', async () => {
  const names = (await readdir(PROGRAM)).filter((name) => name.endsWith('.cjs'));
  const texts = await Promise.all(names.map((name) => readFile(join(PROGRAM, name), 'utf8')));
  const loading = names.filter((_name, index) => texts[index]?.includes('client/documents/document-parts'));
  expect(loading).toEqual(['serve_listening_js.cjs']);
});

test('a process that executes runs loads the native core, all others do without', async () => {
  const loaded = await loadedBy('start', 'flow', '--id', 'one');
  expect(loaded).toContain('@temporalio/core-bridge');
  expect(loaded.filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
  for (const args of [['list'], ['status', 'one'], ['result', 'one'], ['start', 'flow', '--detach']]) {
    const loaded = await loadedBy(...args);
    expect(loaded).toContain(SDK);
    expect(loaded).not.toContain('@temporalio/core-bridge');
  }
  await place.raymond(['down']);
});

test("only traces load OpenTelemetry's library", async () => {
  expect(await loadedBy('start', 'flow', '--traces')).toContain('@opentelemetry/sdk-trace');
});
