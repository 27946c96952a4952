// The leash: when worker or launcher dies in any way, nothing of a running turn survives; what was left on purpose does.
import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses, type ProcessEntry } from '../../src/launcher/process-list.js';
import { until } from '../support/until.js';
import { Kit, lives, pidsIn } from './kit.js';
import { heardIn, TestWorker, workerCommand } from './test-worker.js';

// In a subshell, so that it is nobody's descendant afterwards.
const DAEMON = '(setsid nohup sleep 300 >/dev/null 2>&1 & echo $!)';
const TURN = `sleep 300 & echo $!; ${DAEMON}; echo $$; exec sleep 300`;

const GROUP = 'sleep 300 & echo $!; echo $$; exec sleep 300';

const kit = new Kit();

describe('a worker that dies', () => {
  let worker: TestWorker | undefined;
  afterEach(() => worker?.kill('SIGKILL'));

  test.each(['SIGKILL', 'SIGTERM'] as const)('by %s takes all its turns and the launcher with it', async (signal) => {
    worker = new TestWorker([kit.bash(TURN), kit.bash(TURN, { children: 'sweep' })]);
    const [pids, launcher] = await worker.running({ turns: [0, 1], pids: 3 });
    worker.kill(signal);
    await gone([...pids, launcher]);
  });

  test('leaves what an earlier good script has left on purpose', async () => {
    worker = new TestWorker([kit.bash(DAEMON), kit.bash(TURN)]);
    await until(() => worker?.heard.some((line) => line.index === 0 && line.end !== undefined), {
      what: 'the good script',
    });
    const [pids, launcher] = await worker.running({ turns: [1], pids: 3 });
    const [left] = worker.pids(0);
    worker.kill('SIGKILL');
    await gone([...pids, launcher]);
    expect(lives(left!)).toBe(true);
  });

  test('while the launcher is still starting takes it along', async () => {
    worker = new TestWorker([kit.bash(TURN)]);
    const launcher = await until(() => worker?.heard.find((line) => line.launcher !== undefined)?.launcher);
    process.kill(launcher, 'SIGSTOP');
    process.kill(-worker.pid, 'SIGKILL');
    await gone([worker.pid]);
    process.kill(launcher, 'SIGCONT');
    await gone([launcher]);
  });

  test('even when its whole process group is killed', async () => {
    worker = new TestWorker([kit.bash(TURN)]);
    const [pids, launcher] = await worker.running({ turns: [0], pids: 3 });
    process.kill(-worker.pid, 'SIGKILL');
    await gone([...pids, launcher]);
  });

  test.each([
    ['leaves no process of a turn', false],
    ['leaves none, even if the watchdog had to be replaced', true],
  ])('together with its launcher %s', async (_what, replaced) => {
    worker = new TestWorker([kit.bash(GROUP)]);
    const [pids, launcher] = await worker.running({ turns: [0], pids: 2 });
    const watchdog = await until(() => watchdogOf(launcher), { what: 'the watchdog' });
    if (replaced) {
      process.kill(watchdog, 'SIGKILL');
      await until(() => ![undefined, watchdog].includes(watchdogOf(launcher)), { what: 'another watchdog' });
    }
    // The worker cannot sweep.
    process.kill(worker.pid, 'SIGSTOP');
    process.kill(launcher, 'SIGKILL');
    worker.kill('SIGKILL');
    await gone([...pids, worker.pid, launcher]);
  });

  test('inside a turn of another worker takes its own turns along, daemons included', async () => {
    const own = new Kit();
    const outer = own.play(own.spec(process.execPath, workerCommand([own.bash(TURN)])));
    const pids = await until(() => pidsIn(printedBy(outer.stdout()), 3), { what: 'the inner turn' });
    expect(pids.map(lives)).toEqual([true, true, true]);
    // The hard way: worker and launcher of the inner turn are found in the same moment.
    await own.launcher.close();
    await gone(pids);
  });
});

describe('signals that the terminal sends to everybody', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves the launcher and its turns alone', async (signal) => {
    const go = join(kit.folder, signal);
    const turn = kit.play(kit.bash(`until [ -e ${go} ]; do sleep 0.01; done`));
    await turn.process.started;
    process.kill(kit.launcher.pid!, signal);
    // Another turn comes and goes, so the signal has been met.
    expect(await kit.play(kit.bash('true')).process.ended).toMatchObject({ code: 0 });
    writeFileSync(go, '');
    expect(await turn.process.ended).toMatchObject({ kind: 'exited', code: 0 });
  });
});

describe('a launcher that is killed', () => {
  test('loses its turns, nothing of them survives, and the next turn runs', async () => {
    const turns = [kit.play(kit.bash(TURN)), kit.play(kit.bash(TURN))];
    const pids = await until(() => pidsIn(turns.map(({ stdout }) => stdout()).join(''), 6), { what: 'the turns' });
    const sweeping = kit.launcher.sweep({ attempts: ['no-such-attempt'] });
    process.kill(kit.launcher.pid!, 'SIGKILL');
    expect(await Promise.all(turns.map(({ process }) => process.ended))).toEqual([{ kind: 'lost' }, { kind: 'lost' }]);
    expect(pids.filter(lives)).toEqual([]);
    expect(await sweeping).toEqual({ count: 0, survivors: [] });
    const next = kit.play(kit.bash('echo again'));
    expect(await next.process.ended).toMatchObject({ kind: 'exited', code: 0 });
    expect(next.stdout()).toBe('again\n');
  });

  test('at the very moment of a start leaves nothing either', async () => {
    const first = kit.play(kit.bash('true'));
    await first.process.ended;
    const turns = Array.from({ length: 10 }, () => kit.play(kit.bash(DAEMON + '; exec sleep 300')));
    await turns[0]!.process.started;
    process.kill(kit.launcher.pid!, 'SIGKILL');
    const ends = await Promise.all(turns.map(({ process }) => process.ended));
    for (const { kind } of ends) expect(kind).toBe('lost');
    expect(turns.flatMap(({ stdout }) => pidsIn(stdout(), 1) ?? []).filter(lives)).toEqual([]);
  });
});

test('a worker that does not confirm loses its turns, one that does keeps them', async () => {
  const [silent, confirming] = [new Kit({ confirmTimeoutMs: 1_000 }), new Kit({ confirmTimeoutMs: 1_000 })];
  const timer = setInterval(() => confirming.launcher.confirm(), 50);
  const kept = confirming.play(confirming.bash('exec sleep 300'));
  await kept.process.started;
  const lost = silent.play(silent.bash(TURN));
  const pids = await until(() => pidsIn(lost.stdout(), 3), { what: 'the turn' });
  expect(await lost.process.ended).toEqual({ kind: 'lost' });
  expect(pids.filter(lives)).toEqual([]);
  expect(await kept.process.stop()).toEqual({ kind: 'stopped' });
  clearInterval(timer);
});

describe('a launcher that is stopped by a signal and does not continue', () => {
  const BRIEF = { strayMs: 10, nestedMs: 10, executingMs: 10, killedMs: 10_000 };

  test('is killed when a process is to end; nothing of that survives, and the next turn runs', async () => {
    const own = new Kit({ patience: BRIEF, hangMs: 100 - BRIEF.killedMs });
    const turn = own.play(own.bash(TURN, { graceMs: 0 }));
    const pids = await until(() => pidsIn(turn.stdout(), 3), { what: 'the turn' });
    process.kill(own.launcher.pid!, 'SIGSTOP');
    const sweeping = own.launcher.sweep({ attempts: ['no-such-attempt'] });
    expect(await turn.process.stop()).toEqual({ kind: 'lost' });
    expect(await sweeping).toEqual({ count: 0, survivors: [] });
    expect(pids.filter(lives)).toEqual([]);
    expect(await own.play(own.bash('true')).process.ended).toMatchObject({ kind: 'exited', code: 0 });
  });

  test('is killed when it is closed', async () => {
    const own = new Kit({ patience: BRIEF, hangMs: 100 - BRIEF.killedMs });
    await own.play(own.bash('true')).process.ended;
    const launcher = own.launcher.pid!;
    process.kill(launcher, 'SIGSTOP');
    await own.launcher.close();
    expect(lives(launcher)).toBe(false);
  });
});

test('closing the launcher ends what runs, and tells it as lost', async () => {
  const own = new Kit();
  const turn = own.play(own.bash(TURN));
  const pids = await until(() => pidsIn(turn.stdout(), 3), { what: 'the turn' });
  const launcher = own.launcher.pid!;
  await own.launcher.close();
  expect(await turn.process.ended).toEqual({ kind: 'lost' });
  expect([...pids, launcher].filter(lives)).toEqual([]);
});

function printedBy(workerOutput: string): string {
  return heardIn(workerOutput)
    .map((line) => line.output ?? '')
    .join('');
}

function watchdogOf(launcher: number): number | undefined {
  const isWatchdog = ({ ppid, variable }: ProcessEntry): boolean =>
    ppid === launcher && variable('RAYMOND_LAUNCHER') !== undefined;
  return listProcesses().find(isWatchdog)?.pid;
}

async function gone(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(lives), { what: `the end of ${pids.join(', ')}` });
}
