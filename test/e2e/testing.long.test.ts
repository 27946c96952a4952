// `raymond test`, further: what cases may leave out, what is noted of them, and what they cover.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { LETTER, placeOfTests, tested } from './testing-place.js';

let place: Place;
beforeAll(async () => {
  place = await placeOfTests();
});

describe('a case', () => {
  test('needs no account and no program that its states name, and waits for no limit', async () => {
    const replies = 'claude: { START: [{ fails: usage-limit, resets: 10s }, { fails: crash }, <result>said</result>] }';
    const called = await tested(place, {
      'paid/paid.test.yaml': `${replies}\nexpect: { result: said, waited: { START: 11s } }\n`,
    });
    expect(called).toMatchObject({ exitCode: 0 });
  });

  test('can be left out, alone in its file, or the last one after a failure', async () => {
    await place.write('many/START.sh', 'echo "<result>done</result>"\n');
    const only = 'cases:\n  - { name: a, only: true }\n  - { name: b, expect: { result: gone } }\n';
    const skip = 'cases:\n  - { name: c, skip: true, expect: { result: gone } }\n  - name: d\n';
    await place.write('many/only.test.yaml', only);
    await place.write('many/skip.test.yaml', skip);
    expect(await place.raymond(['test', 'many'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('2 passed, 2 skipped'),
    });
    const failing = 'cases:\n  - { name: e, expect: { result: gone } }\n  - name: f\n';
    expect(await tested(place, { 'many/skip.test.yaml': failing }, '--bail')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('0 passed, 1 failed, 1 skipped'),
    });
  });

  test('has a note for replies and answers that nothing asked for', async () => {
    const text = `${LETTER.replace('claude: {', 'claude: { SEND: x,').replace('says: <goto>', "says: '<goto>").replace('</goto>,', "</goto>',")}answers: { START: yes }\n`;
    const called = await tested(place, { 'letter/unused.test.yaml': text });
    expect(called).toMatchObject({ exitCode: 0 });
    expect(called.stdout).toContain('letter/unused.test.yaml:2: note: claude.SEND: no prompt asked for this reply');
    expect(called.stdout).toContain(':5: note: answers.START: no question asked for this answer');
  });

  test('gets the whole text of a prompt by --update', async () => {
    const text = `${LETTER}expect: { prompts: { START: { is: '?' } } }\n`;
    expect(await tested(place, { 'letter/whole.test.yaml': text }, '--update')).toMatchObject({ exitCode: 1 });
    expect(await readFile(join(place.cwd, 'letter/whole.test.yaml'), 'utf8')).toContain('Draft a letter about spring.');
    expect(await place.raymond(['test', 'letter/whole.test.yaml'])).toMatchObject({ exitCode: 0 });
  });
});

test('forks that are too long for one message are covered', async () => {
  const long = await Place.at({
    'flow/START.sh':
      'long=$(head -c 20000 /dev/zero | tr "\\0" x)\necho "<fork note=\\"$long\\">ONE</fork><fork note=\\"$long\\">TWO</fork><goto>END</goto>"\n',
    'flow/ONE.sh': 'echo "<result>1</result>"\n',
    'flow/TWO.sh': 'echo "<result>2</result>"\n',
    'flow/END.sh': 'echo "<result>end</result>"\n',
    'flow/forks.test.yaml': 'expect: { result: end }\n',
  });
  expect(await long.raymond(['test', 'flow', '--coverage', '100'])).toMatchObject({ exitCode: 0 });
});
