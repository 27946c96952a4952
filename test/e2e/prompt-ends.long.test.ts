// Claude processes that end badly, late or not at all: what becomes of the turn, its money and its processes.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { Place, processesWith } from '../support/cli.js';
import { documentOf, fakeWith, leftovers, sessionsOf, transcriptsOf, untilNoted } from '../support/fakes.js';

const DONE = '<result>done</result>';

let place: Place;
beforeAll(async () => {
  place = await Place.sharing({ 'one/START.md': 'Do it.\n' });
});

describe('a process that lives on after its result', () => {
  test('is ended after a grace, and the turn counts; also when it ignores SIGTERM', async () => {
    const polite = await fakeWith({ text: DONE, hang: 'after' });
    const stubborn = await fakeWith({ text: DONE, hang: 'after', ignoreSigterm: true });
    const [first, second] = await Promise.all([
      place.raymond(['start', 'one', '--id', 'polite'], { env: polite.env }),
      place.raymond(['start', 'one', '--id', 'stubborn'], { env: stubborn.env }),
    ]);
    expect(first).toMatchObject({ stdout: 'done', exitCode: 0 });
    expect(second).toMatchObject({ stdout: 'done', exitCode: 0 });
    expect(await processesWith('RAYMOND_WORKFLOW_ID=polite')).toEqual([]);
    expect(await processesWith('RAYMOND_WORKFLOW_ID=stubborn')).toEqual([]);
    expect(await polite.calls()).toHaveLength(1);
    expect(await stubborn.calls()).toHaveLength(1);
  });

  test('does so in children: they are swept after a good turn, even one that holds the output open', async () => {
    const pidFile = join(place.cwd, 'daemon.pid');
    const fake = await fakeWith({ text: DONE, spawnDaemon: { pidFile, holdOutput: true } });
    const called = await place.raymond(['start', 'one', '--id', 'daemon'], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'done', exitCode: 0 });
    expect(await isAlive(Number(await readFile(pidFile, 'utf8')))).toBe(false);
    expect(await processesWith('RAYMOND_WORKFLOW_ID=daemon')).toEqual([]);
  });
});

describe('a process that ends without a usable result', () => {
  test('is tried three times in all, each in a new session of which nothing stays; the run is paused, and resume completes it', async () => {
    const pidFile = join(place.cwd, 'stray.pid');
    const fake = await fakeWith(
      { times: 1, noResult: true, stderr: 'segmentation fault\n', usage: { input_tokens: 100_000 } },
      { times: 1, isError: true, terminalReason: 'model_error', text: 'odd', costUsd: 0.02 },
      { times: 1, noResult: true, stderr: 'segmentation fault\n', spawnDaemon: { pidFile } },
      { text: DONE, costUsd: 0.03 },
    );
    const args = ['--id', 'crashes', '--json'];
    const paused = await place.raymond(['start', 'one', ...args], { env: fake.env });
    expect(paused.exitCode).toBe(3);
    expect(paused.stderr).toContain('paused: crashes');
    expect(paused.stderr).toContain(
      'Claude Code ended with exit code 1 before its result. Its message: segmentation fault',
    );
    expect(paused.stderr).toContain('raymond resume crashes');
    const spent = documentOf(paused);
    expect(spent).toMatchObject({ status: 'paused', agents: [{ id: 'main', status: 'paused', state: 'START.md' }] });
    // 0.02 USD as reported, and what the tokens of the attempts without a result cost by the price list.
    expect(spent.costUsd).toBeGreaterThan(0.52);
    const failed = await fake.calls();
    expect(new Set(sessionsOf(failed)).size).toBe(3);
    expect(new Set(failed.map(({ env }) => env['RAYMOND_ATTEMPT'])).size).toBe(3);
    expect(new Set(failed.map(({ env }) => env['RAYMOND_TURN_ID'])).size).toBe(1);
    expect(await transcriptsOf(fake)).toEqual([]);
    expect(await isAlive(Number(await readFile(pidFile, 'utf8')))).toBe(false);

    const resumed = await place.raymond(['resume', 'crashes', '--json'], { env: fake.env });
    expect(resumed.exitCode).toBe(0);
    expect(documentOf(resumed)).toMatchObject({ status: 'completed', result: 'done' });
    expect(documentOf(resumed).costUsd).toBeCloseTo(spent.costUsd + 0.03, 10);
    const calls = await fake.calls();
    expect(calls).toHaveLength(4);
    expect(await transcriptsOf(fake)).toEqual(sessionsOf(calls.slice(3)));
    expect(await leftovers(place.cwd)).toEqual([]);
  });

  test('because it is silent too long is ended, tried three times in all, and resumed', async () => {
    const fake = await fakeWith(
      { times: 1, hang: 'before' },
      { times: 1, hang: 'mid', ignoreSigterm: true },
      { times: 1, hang: 'before' },
      { text: DONE },
    );
    const paused = await place.raymond(['start', 'one', '--id', 'silent', '--timeout', '1.5'], { env: fake.env });
    expect(paused).toMatchObject({ stdout: '', exitCode: 3 });
    expect(paused.stderr).toContain('printed nothing for 1.5 seconds');
    expect(await fake.calls()).toHaveLength(3);
    expect(await processesWith('RAYMOND_WORKFLOW_ID=silent')).toEqual([]);
    expect((await place.raymond(['status', 'silent'])).stdout).toMatch(
      /silent: paused.*\n[^]*main {2}paused {2}START\.md/,
    );
    const resumed = await place.raymond(['resume', 'silent'], { env: fake.env });
    expect(resumed).toMatchObject({ stdout: 'done', exitCode: 0 });
    expect(await transcriptsOf(fake)).toHaveLength(1);
  });

  test('may be silent for ever with --timeout 0, whatever the config says', async () => {
    const hasty = await Place.sharing({
      '.raymond/config.toml': '[raymond]\ntimeout = 1\n',
      'one/START.md': 'Do it.\n',
    });
    const fake = await fakeWith({ delayMs: 4000, text: DONE });
    const called = await hasty.raymond(['start', 'one', '--timeout', '0'], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'done', exitCode: 0 });
    expect(await fake.calls()).toHaveLength(1);
  });

  test('having closed its output is silent', async () => {
    const fake = await fakeWith({ times: 3, noResult: true, closeStdoutAndLive: true });
    const paused = await place.raymond(['start', 'one', '--id', 'closed', '--timeout', '1.5'], { env: fake.env });
    expect(paused.exitCode).toBe(3);
    expect(await processesWith('RAYMOND_WORKFLOW_ID=closed')).toEqual([]);
    expect(await place.raymond(['cancel', 'closed'], { env: fake.env })).toMatchObject({ exitCode: 0 });
  });
});

describe('a process that is cancelled', () => {
  let running: ReturnType<Place['begin']> | undefined;
  afterEach(async () => {
    running?.kill('SIGKILL');
    await running;
  });

  test('ends with all it has started, and what it has cost is counted', async () => {
    const fake = await fakeWith({
      results: [{ text: 'so far', costUsd: 0.04 }],
      hang: 'busy',
      ignoreSigterm: true,
      spawnDaemon: true,
    });
    running = place.begin(['start', 'one', '--id', 'stopped', '--json'], { env: fake.env });
    await untilNoted(place.cwd);
    await place.raymond(['cancel', 'stopped'], { env: fake.env });
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(5);
    expect(documentOf({ stdout: String(stdout) })).toMatchObject({ status: 'cancelled', costUsd: 0.04 });
    expect(await processesWith('RAYMOND_WORKFLOW_ID=stopped')).toEqual([]);
    expect(await transcriptsOf(fake)).toEqual([]);
  });
});

async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return state !== '' && !/\) Z /.test(state);
}
