// A worker that freezes or is killed loses its turn to another one (invariant I2): its processes are gone before the next attempt
// begins, and a frozen one that wakes up neither finishes the turn nor starts anything.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { serverStatus } from '../../dist/server/index.js';
import { Place, processesWith } from '../support/cli.js';
import { until } from '../support/until.js';

/** Says when it meets a living earlier attempt; ends when the file `go` is there. */
const TURN = [
  'for other in pid.*; do [ -f "$other" ] && kill -0 "$(cat "$other")" 2>/dev/null && touch overlap; done',
  'echo $$ > "pid.$RAYMOND_ATTEMPT"; echo x >> begun',
  'until [ -f go ]; do sleep 0.05; done; echo x >> ended; echo "<result>${RAYMOND_ATTEMPT##*-}</result>"',
  '',
].join('\n');

const workers: ResultPromise[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill('SIGKILL');
    await worker;
  }
});

/** A server in the background as a cluster, and how to start a worker of it. */
async function fleet(): Promise<{
  readonly place: Place;
  readonly cluster: readonly string[];
  readonly serve: () => ResultPromise;
}> {
  const place = await Place.at({ 'flow/START.sh': TURN });
  expect(await place.raymond(['server', 'start'])).toMatchObject({ exitCode: 0 });
  const status = await serverStatus({ raymondDir: `${place.cwd}/.raymond` });
  if (status.kind !== 'running') throw new Error('no server');
  const cluster = ['--address', status.server.address];
  const serve = (): ResultPromise => {
    const worker = place.begin(['worker', ...cluster], { timeout: 0 });
    workers.push(worker);
    return worker;
  };
  return { place, cluster, serve };
}

test('a frozen worker does not finish its turn when it wakes up, and never runs beside the one that took it', async () => {
  const { place, cluster, serve } = await fleet();
  const frozen = serve();
  const run = place.begin(['start', 'flow', '--id', 'frozen', ...cluster]);
  await place.made('begun');
  frozen.kill('SIGSTOP');
  void serve();
  await until(async () => (await place.read('begun')) === 'x\nx\n', { what: 'the next attempt', timeoutMs: 170_000 });
  frozen.kill('SIGCONT');
  // It must have heard that the turn is no longer its own before the turn may end.
  await until(async () => (await processesWith('RAYMOND_WORKFLOW_ID=frozen')).length <= 2, { what: 'one attempt' });
  await place.write('go');
  expect(await run).toMatchObject({ exitCode: 0 });
  expect(await place.read('begun')).toBe('x\nx\n');
  expect(await place.read('ended')).toBe('x\n');
  expect(await place.read('overlap')).toBeUndefined();
}, 240_000);

test('kill -9 of a worker leaves nothing of its turn, and another worker takes the turn up', async () => {
  const { place, cluster, serve } = await fleet();
  const first = serve();
  const run = place.begin(['start', 'flow', '--id', 'killed', ...cluster]);
  await place.made('begun');
  first.kill('SIGKILL');
  await first;
  await until(async () => (await processesWith('RAYMOND_WORKFLOW_ID=killed')).length === 0, {
    what: 'the end of the turn',
  });
  await place.write('go');
  void serve();
  expect(await run).toMatchObject({ exitCode: 0 });
  expect(await place.read('ended')).toBe('x\n');
  expect(await place.read('overlap')).toBeUndefined();
}, 120_000);
