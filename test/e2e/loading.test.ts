// What commands load before they answer: the Temporal SDK takes most of the time of a short command, and its native core half of that.
import { beforeAll, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Place } from '../support/cli.js';

/** Writes down the packages that a process has loaded, when it ends; the SDK's are all CommonJS. */
const WITNESS = `process.on('exit', () => {
  const packages = Object.keys(require.cache).flatMap((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1] ?? []);
  require('node:fs').writeFileSync(process.env.WITNESSED, JSON.stringify([...new Set(packages)]));
});
`;

const PROGRAM = fileURLToPath(new URL('../../dist/program', import.meta.url));

let place: Place;
beforeAll(async () => {
  place = await Place.at({ 'witness.cjs': WITNESS, 'flow/START.sh': 'echo "<result>done</result>"\n' });
});

async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const env = { NODE_OPTIONS: `--require ${join(place.cwd, 'witness.cjs')}`, WITNESSED: join(place.cwd, 'packages') };
  await place.bin(args, { env });
  return JSON.parse((await place.read('packages')) ?? '') as readonly string[];
}

test.each(['--nope', 'start', 'budget run much', '--help', '--version', 'completion bash'])(
  'raymond %s loads no package',
  async (line) => {
    expect(await loadedBy(...line.split(' '))).toEqual([]);
  },
);

test('no command but serve, which checks what it is sent, loads the schemas of its documents', async () => {
  const names = (await readdir(PROGRAM)).filter((name) => name.endsWith('.js'));
  const files = names.filter((name) => !name.includes('cli_serve_js'));
  expect(files.length).toBeGreaterThan(0);
  const texts = await Promise.all(files.map((name) => readFile(join(PROGRAM, name), 'utf8')));
  expect(texts.filter((text) => text.includes('client/document-parts'))).toEqual([]);
});

test('start loads the native core, list and status do without', async () => {
  const loaded = await loadedBy('start', 'flow', '--id', 'one');
  expect(loaded).toContain('@temporalio/core-bridge');
  expect(loaded.filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
  for (const args of [['list'], ['status', 'one'], ['result', 'one']]) {
    const loaded = await loadedBy(...args);
    expect(loaded).toContain('@temporalio/client');
    expect(loaded).not.toContain('@temporalio/core-bridge');
  }
});

test("only traces load OpenTelemetry's library", async () => {
  expect(await loadedBy('start', 'flow', '--traces')).toContain('@opentelemetry/sdk-trace');
});

/** Writes down a line for each thread that a process starts, and for each call into a workflow in it. */
const THREADS = `const threads = require('node:worker_threads');
const { Script } = require('node:vm');
const { appendFileSync } = require('node:fs');
const note = (line) => appendFileSync(process.env.WITNESSED, line + '\\n');
if (threads.isMainThread) {
  const { Worker } = threads;
  const hasWorker = () => Object.keys(require.cache).some((path) => path.includes('@temporalio/worker/'));
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options);
      note('thread ' + (hasWorker() ? 'after' : 'before') + ' the SDK');
    }
  };
  require('node:module').syncBuiltinESMExports();
} else {
  const { runInContext } = Script.prototype;
  Script.prototype.runInContext = function (context, options) {
    note(options?.timeout === undefined ? 'free call' : 'timed call');
    return runInContext.call(this, context, options);
  };
}
`;

/** What a process that runs a workflow does with threads. */
async function threadsOf(
  switches: NodeJS.ProcessEnv,
): Promise<{ readonly threads: string[]; readonly calls: string[] }> {
  const own = await Place.at({ 'threads.cjs': THREADS, 'flow/START.sh': 'echo "<result>done</result>"\n' });
  const witnessed = join(own.cwd, 'witnessed');
  const env = {
    NODE_OPTIONS: `--require ${join(own.cwd, 'threads.cjs')}`,
    WITNESSED: witnessed,
    TEMPORAL_DEBUG: undefined,
    ...switches,
  };
  expect(await own.bin(['start', 'flow'], { env })).toMatchObject({ stdout: 'done', exitCode: 0 });
  const lines = (await readFile(witnessed, 'utf8')).trim().split('\n');
  const calls = new Set(lines.filter((line) => line.endsWith('call')));
  return { threads: lines.filter((line) => line.startsWith('thread')), calls: [...calls] };
}

test('start interprets workflows in one thread, begun while the SDK loads, without a watchdog', async () => {
  expect(await threadsOf({})).toEqual({ threads: ['thread before the SDK'], calls: ['free call'] });
});

test("with RAYMOND_SDK_THREADS=on the threads are the SDK's own, and watched", async () => {
  const { threads, calls } = await threadsOf({ RAYMOND_SDK_THREADS: 'on' });
  expect(new Set(threads)).toEqual(new Set(['thread after the SDK']));
  expect(calls).toContain('timed call');
});
