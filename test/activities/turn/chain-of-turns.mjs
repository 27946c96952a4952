// A chain of script turns as a program of its own, for chain-cost.test.ts, which counts what it asks the operating system for:
// a chain that warms up, one of TURNS and one of twice as many, with marks between them. Usage: node chain-of-turns.mjs FOLDER TURNS
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../dist/activities/index.js';
import { DEFAULT_SETTINGS } from '../../../dist/activities/settings.js';
import { createWorkerContext } from '../../../dist/activities/worker-context.js';
import { Launcher } from '../../../dist/launcher/client.js';
import { CHAIN_LIMITS } from '../../../dist/protocol/machine/chain.js';

// Under strace a turn takes longer; for the same reason no script of its launcher is a slow one.
Object.assign(CHAIN_LIMITS, { ms: Infinity, bytes: Infinity });

const [, , folder, turns] = process.argv;
const scope = join(folder, 'states');
mkdirSync(scope);
for (const [name, next] of [
  ['A.sh', 'B'],
  ['B.sh', 'A'],
])
  writeFileSync(join(scope, name), `echo "<goto input=\\"x\\">${next}</goto>"\n`);

const launcher = Launcher.start({ confirmTimeoutMs: 300_000, lateMs: 300_000 });
const activities = createActivities(
  createWorkerContext({
    settings: { ...DEFAULT_SETTINGS, raymondDir: join(folder, '.raymond'), chains: 'file', heartbeatMs: 600_000 },
    launcher,
    environment: { PATH: process.env.PATH },
    progress: () => undefined,
    limiterQueue: 'limits',
  }),
);

async function chain(activityId, limit) {
  Object.assign(CHAIN_LIMITS, { turns: limit });
  const agent = { id: 'main', scope: { kind: 'directory', path: scope }, state: 'A.sh', via: 'goto' };
  const rest = { cwd: folder, home: folder, attributes: {}, forks: 0, turn: 5 };
  const request = { runId: 'r', settings: {}, agent: { ...agent, ...rest }, chain: { stack: [] } };
  const workflowExecution = { workflowId: 'r/main', runId: 'x' };
  const environment = new MockActivityEnvironment({ activityId, workflowExecution, attempt: 1 });
  const report = await environment.run((turn) => activities.runScript(turn), request);
  if (report.chain?.length !== limit - 1) throw new Error(`a chain of ${report.chain?.length}, not ${limit}`);
}

await chain('1', 10);
mark('one');
await chain('2', Number(turns));
mark('two');
await chain('3', 2 * Number(turns));
mark('three');
await launcher.close();

/** A line in the trace: no file has that name. */
function mark(name) {
  existsSync(`/mark-${name}`);
}
