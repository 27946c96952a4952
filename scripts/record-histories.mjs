// Records the histories that test/replay replays, for the present version: every kind of run, on a real server with what was built.
// Usage: npm run build && node scripts/record-histories.mjs [kind …]. Without kinds it replaces the version's folder.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DEFAULT_SETTINGS } from '../dist/activities/settings.js';
import { installRuntime } from '../dist/client/connect.js';
import { findCli } from '../dist/server/find.js';
import { SEARCH_ATTRIBUTES } from '../dist/protocol/ids.js';
import { hostQueue } from '../dist/protocol/machine/workspace.js';
import { startWorker } from '../dist/worker/index.js';
import { KINDS } from '../test/replay/kinds.mjs';
import { Recording } from '../test/replay/recording.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const target = join(root, 'test', 'replay', 'histories', version);
const TASK_QUEUE = 'histories';

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !KINDS.some(({ kind }) => kind === name));
if (unknown !== undefined)
  throw new Error(`there is no kind ${unknown}; the kinds are ${KINDS.map(({ kind }) => kind).join(', ')}`);
const kinds = KINDS.filter(({ kind }) => chosen.length === 0 || chosen.includes(kind));

await installRuntime(({ level, message }) => level === 'ERROR' && console.error(message));
const folder = await realpath(await mkdtemp(join(tmpdir(), 'raymond-histories-')));
const files = {};
try {
  await installClaude();
  // A server suggests new histories after so many events for all of its runs alike.
  for (const eventsPerHistory of new Set(kinds.map((kind) => kind.eventsPerHistory))) {
    const together = kinds.filter((kind) => kind.eventsPerHistory === eventsPerHistory);
    await withServer(eventsPerHistory, (stage) => record(stage, together));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
// Nothing is replaced before everything is recorded.
if (chosen.length === 0) await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), `${text}\n`);
console.error(`${Object.keys(files).length} histories in ${target}`);
process.exit(0);

async function record(stage, together) {
  for (const kind of together) {
    console.error(kind.kind);
    await setRules(kind.rules ?? []);
    const recording = new Recording(stage, { folder: join(folder, kind.kind), kind });
    await recording.play();
    Object.assign(files, await recording.histories());
  }
}

async function withServer(eventsPerHistory, work) {
  const { path } = await findCli({ report: (line) => console.error(line) });
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  const suggestion = `limit.historyCount.suggestContinueAsNew=${eventsPerHistory}`;
  const few = eventsPerHistory === undefined ? [] : ['--dynamic-config-value', suggestion];
  const server = { executable: { type: 'existing-path', path }, extraArgs: [...attributes, ...few] };
  const environment = await TestWorkflowEnvironment.createLocal({ server });
  const raymondDir = join(folder, '.raymond');
  const worker = await startWorker({
    connection: environment.nativeConnection,
    namespace: 'default',
    taskQueue: TASK_QUEUE,
    settings: {
      ...DEFAULT_SETTINGS,
      raymondDir,
      // Not the name of this machine.
      host: { name: 'host', queue: hostQueue(TASK_QUEUE, 'host') },
      graceMs: 500,
      resultGraceMs: 500,
      shortestLimitMs: 1500,
      limits: { db: 1 },
      leaseCheckMs: 200,
    },
    environment: process.env,
    drainMs: 1000,
    stickyMs: 2000,
    maxCachedWorkflows: 150,
    progress: () => undefined,
  });
  try {
    await work({ client: environment.client, taskQueue: TASK_QUEUE, raymondDir });
  } finally {
    await worker.drain();
    await environment.teardown();
  }
}

/** The fake Claude of the tests, as `claude` on PATH; a turn's environment is an allow-list that would drop its settings. */
async function installClaude() {
  const main = new URL('../test/support/fakeClaude/main.mjs', import.meta.url).href;
  const lines = [
    `#!${process.execPath}`,
    `process.env.FAKE_CLAUDE_RULES = ${JSON.stringify(join(folder, 'rules.json'))};`,
    `import(${JSON.stringify(main)});`,
  ];
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin', 'claude'), `${lines.join('\n')}\n`, { mode: 0o755 });
  process.env.PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
  process.env.CLAUDE_CONFIG_DIR = join(folder, 'claude');
}

async function setRules(rules) {
  const path = join(folder, 'rules.json');
  await rm(`${path}.used`, { recursive: true, force: true });
  await writeFile(path, JSON.stringify(rules));
}
