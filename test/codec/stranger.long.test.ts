// Another user of the machine who reaches the embedded server of a project: nothing that he puts there is acted upon, and the log says so.
// As root this is really another user; without root it is a user who does not have the secret.
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, test } from '@jest/globals';
import { execa, type ResultPromise } from 'execa';
import { projectSecret } from '../../dist/codec/secret.js';
import { localQueue } from '../../dist/client/project/local.js';
import { Place } from '../support/cli.js';
import { folder } from '../support/folder.js';
import { until } from '../support/until.js';

const PROGRAM = fileURLToPath(new URL('stranger.mjs', import.meta.url));
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

let serving: ResultPromise | undefined;
afterEach(async () => {
  serving?.kill('SIGKILL');
  await serving;
});

interface Report {
  readonly uid: number;
  readonly started: string;
  readonly empty: string;
  readonly copied: string;
  readonly answered: string;
  readonly secret: string;
}

/** A flow of somebody else, in a folder where he may write. */
async function hisFlow(): Promise<string> {
  const flow = await folder({ 'START.sh': 'id -u > owned\necho "<result>owned</result>"\n' });
  await chmod(flow, 0o777);
  return flow;
}

async function addressOf(place: Place): Promise<string> {
  const server = await until(() => place.read('.raymond/temporal/server.json'), { what: 'a server' });
  const { info } = JSON.parse(server) as { readonly info: { readonly address: string } };
  return info.address;
}

const attempts = (stderr: string): string[] => stderr.split('\n').filter((line) => line.startsWith('rejected: '));

test('a stranger can start nothing, and tell a run nothing; the run continues as if he had not been there', async () => {
  const place = await Place.at({
    'flow/START.sh': 'echo x >> begun\necho \'<ask next="SAY">Which colour?</ask>\'\n',
    'flow/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  serving = place.begin(['flow', '--id', 'r', '--on-ask', 'wait', '--budget', '3']);
  const asks = async (): Promise<boolean> => (await place.raymond(['status', 'r'])).stdout.includes('Which colour?');
  await until(asks, { what: 'a question' });
  const flow = await hisFlow();
  const secret = join(place.cwd, '.raymond/secret');
  const taskQueue = localQueue(await projectSecret(join(place.cwd, '.raymond')));
  const given = { address: await addressOf(place), runId: 'r', taskQueue, flow, secret };
  const other = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const { stdout } = await execa(process.execPath, [PROGRAM, JSON.stringify(given)], { ...other, cwd: flow });
  const report = JSON.parse(stdout) as Report;

  const refused = { started: 'Refused', empty: 'Refused', copied: 'Refused', answered: 'Refused' };
  expect(report).toMatchObject(refused);
  expect((await stat(secret)).mode & 0o777).toBe(0o600);
  expect([report.uid, report.secret]).toEqual(isRoot ? [NOBODY, 'EACCES'] : [process.getuid?.(), 'read']);
  await expect(stat(join(flow, 'owned'))).rejects.toMatchObject({ code: 'ENOENT' });

  const status = JSON.parse((await place.raymond(['status', 'r', '--json'])).stdout) as object;
  expect(status).toMatchObject({ status: 'asking', budgetUsd: 3 });
  expect((await place.raymond(['answer', 'r', 'green'])).stdout).toBe('');
  const { stdout: result, stderr, exitCode } = await serving;
  expect({ result, exitCode }).toEqual({ result: 'green', exitCode: 0 });
  expect(await place.read('begun')).toBe('x\n');
  // Each workflow once, however often he tried.
  const lines = attempts(String(stderr)).sort();
  expect(lines).toHaveLength(5);
  for (const [index, what] of [
    'the signal budget of the workflow "r"',
    'the start of the workflow "copy"',
    'the start of the workflow "empty"',
    'the start of the workflow "stranger"',
    'the update answer of the workflow "r/main"',
  ].entries())
    expect(lines[index]).toContain(`rejected: ${what} is not signed by this project; `);
}, 180_000);

test('a turn that a stranger reports as done fails its agent, and his transition is not followed', async () => {
  const place = await Place.at({
    'flow/START.sh': 'touch begun\nwhile [ ! -e go ]; do sleep 0.1; done\necho "<goto>SAY</goto>"\n',
    'flow/SAY.sh': 'echo "<result>said</result>"\n',
    'flow/OWNED.sh': 'touch owned\necho "<result>owned</result>"\n',
  });
  serving = place.begin(['flow', '--id', 'r']);
  await place.made('begun');
  const connection = await Connection.connect({ address: await addressOf(place) });
  const outcome = { kind: 'transition', transition: { kind: 'goto', target: 'OWNED.sh' } };
  const report = { outcome, costUsd: 0, durationMs: 0 };
  await new Client({ connection }).activity.complete({ workflowId: 'r/main', activityId: '1' }, report);
  const { stderr, exitCode } = await serving;
  await connection.close();
  expect(exitCode).toBe(1);
  expect(attempts(String(stderr))).toEqual([
    expect.stringContaining('the result of runScript of the workflow "r/main"'),
  ]);
  expect(await place.read('owned')).toBeUndefined();
}, 180_000);

test('what a stranger says of a run of his own is shown as not ours, and is not resumed', async () => {
  const place = await Place.at({ 'flow/START.sh': 'echo "<result>fine</result>"\n' });
  await place.raymond(['flow', '--id', 'ours']);
  const connection = await Connection.connect({ address: await addressOf(place) });
  const memo = { raymond: { runId: 'his', status: 'failed', record: '{}', agents: [] } };
  await new Client({ connection }).workflow.start('run', { workflowId: 'his', taskQueue: 'his', args: [{}], memo });
  await connection.close();
  const listed = async (): Promise<string> => (await place.raymond(['list'])).stdout;
  const both = await until(async () => ((await listed()).includes('his') ? await listed() : undefined));
  expect(both).toMatch(/^his .*\(not signed by this project\)$/m);
  expect(both).toMatch(/^ours +flow +completed/m);
  const resumed = await place.raymond(['resume', 'his']);
  expect(resumed).toMatchObject({ exitCode: 64, stdout: '' });
  expect(resumed.stderr).toMatch(/^raymond: the run his: a value is not signed by this project: /);
}, 180_000);
