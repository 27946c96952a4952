// The limits of a sandbox: what counts as exceeded, and turns of real processes that exceed one and are ended for it.
import { expect, test } from '@jest/globals';
import { TestWorker, failureOf } from '../activities/test-worker.js';
import { describeUnless, noSandbox } from '../support/unless.js';
import type { SandboxLimits } from '../../src/protocol/sandbox.js';
import { describeExceeded, exceededBy, type Exceeded } from '../../src/sandbox/limits.js';

const USED = { memory: 2 ** 20, processes: 3, cpuSeconds: 7 };

test.each<[string, SandboxLimits, Exceeded | undefined]>([
  ['no limit', {}, undefined],
  ['exactly the limit', { memory: 2 ** 20, processes: 3, cpu: 7 }, undefined],
  ['memory', { memory: 2 ** 20 - 1 }, { limit: 'memory', most: 2 ** 20 - 1 }],
  ['processes', { memory: 2 ** 30, processes: 2 }, { limit: 'processes', most: 2 }],
  ['CPU time', { cpu: 6 }, { limit: 'cpu', most: 6 }],
])('exceeded: %s', (_what, limits, exceeded) => {
  expect(exceededBy(USED, limits)).toEqual(exceeded);
});

test.each<[Exceeded, string]>([
  [{ limit: 'memory', most: 2 * 2 ** 30 }, 'it used more than 2 GiB of memory; raise "memory" of its sandbox'],
  [{ limit: 'memory', most: 1000 }, 'it used more than 1000 bytes of memory'],
  [{ limit: 'processes', most: 64 }, 'it had more than 64 processes and threads'],
  [{ limit: 'cpu', most: 60 }, 'it used more than 60 s of CPU time'],
  [{ limit: 'files', most: 512 * 2 ** 20 }, 'it wrote a file of more than 512 MiB'],
])('says why a turn was ended: %j', (exceeded, words) => {
  expect(describeExceeded(exceeded)).toContain(`the turn was ended: ${words}`);
});

/** `tail` holds what it has read until its input ends. */
const HOLD_150_MIB = '(head -c 157286400 /dev/zero; sleep 600) | tail -c 157286400 > /dev/null &';

describeUnless(noSandbox())('a script in a sandbox with limits', () => {
  test.each<[string, SandboxLimits, string]>([
    ['memory in two processes', { memory: 200 << 20 }, `${HOLD_150_MIB} ${HOLD_150_MIB} wait`],
    ['processes', { processes: 40 }, 'for _ in $(seq 60); do sleep 600 & done; wait'],
    ['CPU time', { cpu: 1 }, '(while :; do :; done) & wait'],
    ['a file', { files: 2 << 20 }, 'head -c 3000000 /dev/zero > big'],
  ])('is ended when it exceeds one: %s', async (_what, limits, script) => {
    const worker = await TestWorker.with(
      { 'START.sh': `# raymond: retries=2\n${script}\n` },
      { settings: { sandbox: { kind: 'process', ...limits } } },
    );
    const [[limit, most] = []] = Object.entries(limits);
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'LimitExceeded',
      retries: 2,
      message: expect.stringContaining(describeExceeded({ limit, most } as Exceeded)),
    });
    expect(await worker.processesOf('main')).toEqual([]);
  });

  test('gets an error when it asks for 10 GB at once', async () => {
    const worker = await TestWorker.with(
      {
        'START.sh': `python3 -c "print('tried', flush=True); x = b'x' * (10 << 30); print('got')" 2>/dev/null; echo "<result>ok</result>"`,
      },
      { settings: { sandbox: { kind: 'process', memory: 256 << 20 } } },
    );
    expect((await worker.turn()).output).toBe('tried\n<result>ok</result>\n');
  });

  test('cannot fill the disk through its home or /tmp', async () => {
    const worker = await TestWorker.with(
      {
        'START.sh':
          'for folder in ~ /tmp; do head -c 3000000 /dev/zero > $folder/big && echo "got $folder"; done 2>/dev/null; echo "<result>ok</result>"',
      },
      { settings: { sandbox: { kind: 'process', memory: 2 << 20 } } },
    );
    expect((await worker.turn()).output).toBe('<result>ok</result>\n');
  });
});
