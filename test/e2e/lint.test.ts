// `raymond lint` as people call it, and the start that refuses what it calls an error.
import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import { Place, SAMPLES } from '../support/cli.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'bad/START.sh': 'echo "<goto>BIULD</goto>"\n',
    'bad/BUILD.sh': 'echo "<result>built</result>"\n',
    'odd/START.md': 'Think.\n',
    'halves/START.sh': 'echo "<result>done</result>"\n',
    'halves/START.bat': '@echo off\r\necho ^<goto^>NOWHERE^</goto^>\r\n',
    'apart/START.sh': 'echo "<result>done</result>"\n',
    'apart/OTHER.sh': 'echo "<goto>NOWHERE</goto>"\n',
  });
});

test('an error is shown with its line, and ends with 1', async () => {
  const { stdout, exitCode } = await place.raymond(['lint', 'bad', '--level', 'error']);
  expect({ lines: stdout.split('\n'), exitCode }).toEqual({
    lines: [
      expect.stringMatching(
        /^bad\/START\.sh:1:13: error missing-target: there is no state "BIULD", did you mean BUILD\.sh\?/,
      ),
      '  echo "<goto>BIULD</goto>"',
      '              ^',
      '  fix: write BUILD, or add BIULD',
      '1 error, 0 warnings',
    ],
    exitCode: 1,
  });
});

test('--win checks the states that Windows runs, and only those', async () => {
  const here = await place.raymond(['lint', 'halves']);
  expect({ ...here, stdout: '' }).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  const { stdout, exitCode } = await place.raymond(['lint', 'halves', '--win']);
  expect(stdout).toMatch(/^halves\/START\.bat:2:\d+: error missing-target: there is no state "NOWHERE"/);
  expect(exitCode).toBe(1);
});

test('the samples have nothing to say', async () => {
  expect(await place.raymond(['lint', SAMPLES])).toEqual({
    stdout: 'no errors or warnings in 8 workflows',
    stderr: '',
    exitCode: 0,
  });
});

test.each([
  [['odd'], 0],
  [['odd', '--max-warnings', '1'], 0],
  [['odd', '--max-warnings', '0'], 1],
  [['bad', 'odd'], 1],
  [['nowhere'], 64],
  [['--level', 'grave'], 64],
  [['--max-warnings', '-1'], 64],
  [['--explain', 'no-such-rule'], 64],
])('lint %j ends with %d', async (args, code) => {
  expect(await place.raymond(['lint', ...args])).toMatchObject({ exitCode: code });
});

test('the JSON document is as its schema says, and counts what its level hides', async () => {
  const { stdout } = await place.raymond(['lint', 'bad', 'odd', '--json', '--level', 'error']);
  const document = z.parse(DOCUMENTS.lint, JSON.parse(stdout));
  expect(document).toMatchObject({
    errors: 1,
    warnings: 1,
    findings: [{ id: 'missing-target', file: 'bad/START.sh', line: 1, column: 13 }],
  });
});

test('a rule is explained, and one that is misspelt is suggested', async () => {
  const { stdout } = await place.raymond(['lint', '--explain', 'crlf-script']);
  expect(stdout).toMatch(/^crlf-script \(error\): A bash script has Windows line ends/);
  const { stderr } = await place.raymond(['lint', '--explain', 'crlf-scripts']);
  expect(stderr).toBe('raymond: there is no rule "crlf-scripts"; did you mean crlf-script?');
});

test('a start refuses an error that it can reach, and continues with --no-check', async () => {
  const { stderr, exitCode } = await place.raymond(['start', 'bad']);
  expect({ stderr, exitCode }).toEqual({
    stderr: expect.stringMatching(
      /^raymond: \S+bad\/START\.sh:1: there is no state "BIULD", did you mean BUILD\.sh\?.* \(missing-target\)$/,
    ),
    exitCode: 64,
  });
  expect(await place.raymond(['start', 'bad', '--no-check'])).toMatchObject({ exitCode: 1 });
  expect(await place.raymond(['start', 'apart'])).toMatchObject({ stdout: 'done', exitCode: 0 });
});
