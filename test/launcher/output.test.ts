// Output of processes: bytes, order, pace, and what they are given to read.
import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { execFileSync, spawn } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Output } from '../../src/launcher/pipes.js';
import { until } from '../support/until.js';
import { Kit, lives } from './kit.js';

const kit = new Kit();

const exited = (code: number) => ({ kind: 'exited', code, strays: 0 });

test('a script runs and its output, exit code and identity come back', async () => {
  const go = join(kit.folder, 'go');
  const { process, stdout, stderr } = kit.play(
    kit.bash(`echo out; echo err >&2; until [ -e ${go} ]; do sleep 0.01; done; exit 7`),
  );
  const identity = await process.started;
  writeFileSync(go, '');
  expect(identity?.pid).toBeGreaterThan(1);
  expect(await process.ended).toEqual(exited(7));
  expect([stdout(), stderr()]).toEqual(['out\n', 'err\n']);
});

test('bytes arrive as they were written: invalid UTF-8, NUL, no newline at the end', async () => {
  const chunks: Buffer[] = [];
  const spec = kit.bash(String.raw`printf 'a\xff\xfe\x00\xc3b'`);
  await kit.launcher.run(spec, (_stream, chunk) => void chunks.push(chunk)).ended;
  expect(Buffer.concat(chunks)).toEqual(Buffer.from([0x61, 0xff, 0xfe, 0x00, 0xc3, 0x62]));
});

test('each stream keeps its order, however the two are mixed', async () => {
  const { process, stdout, stderr } = kit.play(kit.bash('for i in {1..2000}; do echo $i; echo $i >&2; done'));
  expect(await process.ended).toEqual(exited(0));
  const expected = Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join('');
  expect(stdout()).toBe(expected);
  expect(stderr()).toBe(expected);
});

test('50 MB come through whole', async () => {
  const hash = createHash('sha256');
  const script = `process.stdout.write(Buffer.alloc(50e6, 'Raymond'))`;
  const running = kit.launcher.run(
    kit.spec(process.execPath, ['-e', script]),
    (_stream, chunk) => void hash.update(chunk),
  );
  expect(await running.ended).toEqual(exited(0));
  expect(hash.digest('hex')).toBe(createHash('sha256').update(Buffer.alloc(50e6, 'Raymond')).digest('hex'));
});

test('chunks are handled one at a time, and the end comes after the last of them', async () => {
  let busy = false;
  let handled = '';
  const running = kit.launcher.run(
    kit.bash('for i in 1 2 3 4 5; do echo $i; sleep 0.01; done'),
    async (_stream, chunk) => {
      expect(busy).toBe(false);
      busy = true;
      await new Promise((resolve) => setTimeout(resolve, 20));
      busy = false;
      handled += chunk.toString();
    },
  );
  await running.ended;
  expect(handled).toBe('1\n2\n3\n4\n5\n');
});

test('a script that prints for ever into a reader that stands still grows nobody’s memory', async () => {
  const [written, pieces] = [join(kit.folder, 'written'), 65_536];
  // It notes every piece that it got rid of; nobody stops it but a full pipe.
  const script = `while printf '%${pieces}s' x; do echo >>${written}; done`;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let received = 0;
  const running = kit.launcher.run(kit.bash(script), (_stream, chunk) => ((received += chunk.length), gate));
  await until(() => received > 0, { what: 'the first output' });
  const before = residentMegabytes(kit.launcher.pid);
  const bytes = await standstill(() => statSync(written).size * pieces);
  expect(bytes).toBeLessThan(4e6);
  expect(residentMegabytes(kit.launcher.pid) - before).toBeLessThan(20);
  open();
  await until(() => received > 4 * bytes, { what: 'output that flows again' });
  expect(await running.stop()).toEqual({ kind: 'stopped' });
});

test('a reader that fails ends the process, and its error is the end', async () => {
  const running = kit.launcher.run(kit.bash('echo x; exec sleep 300'), () => Promise.reject(new Error('disk full')));
  await expect(running.ended).rejects.toThrow('disk full');
});

describe('input', () => {
  test('5 MB of text are written to it, then the end', async () => {
    const stdin = 'ä'.repeat(2_500_000);
    const { process, stdout } = kit.play(kit.spec('wc', ['-c'], { stdin }));
    expect(await process.ended).toEqual(exited(0));
    expect(stdout().trim()).toBe('5000000');
  });

  test('without any, it reads the end at once', async () => {
    const { process, stdout } = kit.play(kit.spec('wc', ['-c']));
    await process.ended;
    expect(stdout().trim()).toBe('0');
  });

  test('a process that does not read it ends as it ends', async () => {
    const { process } = kit.play(kit.bash('exit 3', { stdin: 'x'.repeat(5_000_000) }));
    expect(await process.ended).toEqual(exited(3));
  });
});

test('a process that closes its output and works on is still running', async () => {
  const { process, stdout } = kit.play(kit.bash('echo bye; exec >&- 2>&-; sleep 0.3; exit 5'));
  expect(await process.ended).toEqual(exited(5));
  expect(stdout()).toBe('bye\n');
});

test('a signal is distinguished from an exit code', async () => {
  const { process } = kit.play(kit.bash('kill -USR1 $$; sleep 10'));
  expect(await process.ended).toEqual({ kind: 'signalled', signal: 'SIGUSR1' });
});

test('what was written before the end is read also by a launcher that is too busy to look in time', async () => {
  const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  // While one of them blocks the next falls due: they run in turns, without a look at the streams in between.
  const busy = async (ms: number) => {
    for (let round = 0; round < 10; round += 1) {
      await delay(ms);
      block(4);
    }
  };
  void Promise.all([5, 10, 20, 5, 10, 20, 10, 10].map(busy));
  await delay(1);
  const child = spawn('bash', ['-c', 'echo late'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let read = '';
  const output = new Output(child, (_stream, chunk) => void (read += chunk.toString()));
  while (lives(child.pid!)) block(10);
  await output.drained();
  expect(read).toBe('late\n');
});

test('50 processes at once do not mix', async () => {
  const all = Array.from({ length: 50 }, (_, index) =>
    kit.play(kit.bash(`echo ${index}; sleep 0.2; echo ${index} >&2; exit ${index}`)),
  );
  const ends = await Promise.all(all.map(({ process }) => process.ended));
  expect(ends).toEqual(all.map((_, index) => exited(index)));
  expect(all.map(({ stdout, stderr }) => stdout() + stderr())).toEqual(all.map((_, index) => `${index}\n${index}\n`));
});

function residentMegabytes(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** The value of `read` once it has not changed for ten looks. */
async function standstill(read: () => number): Promise<number> {
  let [value, looks] = [read(), 0];
  await until(() => {
    looks = read() === value ? looks + 1 : 0;
    value = read();
    return looks >= 10;
  });
  return value;
}
