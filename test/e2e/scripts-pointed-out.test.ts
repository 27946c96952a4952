// Scripts that bash cannot run as they are written, told before they run; and a state that is started by its name alone.
import { beforeAll, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'python/START.sh': 'echo "<goto>NEXT</goto>"\n',
    'python/NEXT.sh': '#!/usr/bin/env python3\nimport os\n',
    'crlf/START.sh': 'echo "<goto>NEXT</goto>"\r\n',
    'crlf/NEXT.sh': '#!/bin/bash\necho "<result>ok</result>"\r\n',
    'unreadable/START.sh': 'if true; then\r\n  echo "<result>ok</result>"\r\nfi\r\n',
    'plain/NEXT.sh': 'echo "<result>ok</result>"\n',
  });
});

test('lint warns of line ends of Windows, once for each file; a start is refused where bash cannot read them', async () => {
  expect(await place.raymond(['start', 'crlf'])).toMatchObject({ stdout: 'ok', exitCode: 0 });
  const { stdout, exitCode } = await place.raymond(['lint', 'crlf']);
  expect(exitCode).toBe(0);
  expect(stdout.match(/crlf\/\w+\.sh:\d+:\d+: warning crlf-script/g)).toEqual([
    expect.stringContaining('crlf/NEXT.sh:2:'),
    expect.stringContaining('crlf/START.sh:1:'),
  ]);
  expect(await place.raymond(['start', 'unreadable'])).toMatchObject({
    stderr: expect.stringContaining('unreadable/START.sh:1: the line ends with CR LF'),
    exitCode: 64,
  });
});

test('a script of another language that can be reached is refused', async () => {
  const { stderr, exitCode } = await place.raymond(['start', 'python']);
  expect(exitCode).toBe(64);
  expect(stderr).toMatch(/python\/NEXT\.sh:1: the first line names python3, but a \.sh state is run by bash; /);
});

test('a state in a folder is started by its name without the extension', async () => {
  expect(await place.raymond(['start', 'plain/NEXT'])).toMatchObject({ stdout: 'ok', exitCode: 0 });
});
