// How much a script may print, and scripts that bash cannot run as they are written.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { TestWorker, failureOf } from '../test-worker.js';

const ENDS = 'echo "<result>ok</result>"\n';

describe('a script that prints', () => {
  test('after megabytes of output is read for its tag', async () => {
    const worker = await TestWorker.with({ 'START.sh': `head -c 20000000 /dev/zero | tr '\\0' x\n${ENDS}` });
    expect(await worker.turn()).toMatchObject({ outcome: { transition: { payload: 'ok' } } });
  });

  test('after more output than is read fails and says what to do', async () => {
    const worker = await TestWorker.with({ 'START.sh': `head -c 68000000 /dev/zero\n${ENDS}` });
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'ScriptFailed',
      message: expect.stringContaining('printed more than 64 MiB, which is not read for tags; write it to a file'),
    });
  });
});

describe('a script that prints without end', () => {
  test.each([
    ['stdout', 'yes'],
    ['stderr', 'yes >&2'],
    ['both, in the background', 'yes & yes >&2 & wait'],
  ])('to %s is ended, and its failure names the setting', async (_where, script) => {
    const worker = await TestWorker.with({ 'START.sh': script }, { settings: { scriptOutputBytes: 3 * 1024 ** 2 } });
    const failure = await failureOf(worker.turn({ agent: { id: 'floods' } }));
    expect(failure).toMatchObject({ type: 'ScriptFailed', retryable: false });
    expect(failure.message).toMatch(/^floods, START\.sh: stopped because it printed more than 3 MiB \(script_output\)/);
    expect(await worker.processesOf('floods')).toEqual([]);
  });
});

describe('a script that fails', () => {
  test('because of its line ends is reported', async () => {
    const worker = await TestWorker.with({
      'START.sh': '#!/bin/bash\r\nif true; then\r\n  echo "<result>x</result>"\r\nfi\r\n',
    });
    const { message } = await failureOf(worker.turn());
    const start = join(worker.scope, 'START.sh');
    expect(message).toMatch(/^main, START\.sh: the script ended with exit code 2\n/);
    expect(message).toContain(`\n${start}:1: the line ends with CR LF, and bash reads the CR as part of the command;`);
    expect(message).toMatch(/syntax error/);
  });

  test('because it is no script of a shell is reported before it runs', async () => {
    const worker = await TestWorker.with({ 'START.sh': '#!/usr/bin/env python3\nopen("ran", "w")\n' });
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'InvalidState',
      message: expect.stringContaining(
        `${join(worker.scope, 'START.sh')}:1: the first line names python3, but a .sh state is run by bash; `,
      ),
    });
    expect(await readdir(worker.cwd)).toEqual([]);
  });
});
