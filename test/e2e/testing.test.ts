// `raymond test` as its users call it: what is not as expected is said, and a real run becomes a test.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Called, Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { LETTER, placeOfTests, tested } from './testing-place.js';

let place: Place;
beforeAll(async () => {
  place = await placeOfTests();
});

describe('a case', () => {
  test('passes when all is as it expects', async () => {
    const expected = `expect: { result: sent, cost: 0.25, commands: { post: letter.txt }, prompts: { START: { contains: about spring } } }`;
    const called = await tested(place, { 'letter/good.test.yaml': `${LETTER}${expected}\n` });
    expect(called).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^✓ letter\/good\.test\.yaml \(.*\n1 passed/),
    });
  });

  test('says of everything that is not so', async () => {
    const expected = `
expect:
  path: [START, CHECK]
  cost: "< 0.2"
  result: { lacks: sen }
  sessions: { START: continues SEND }
  prompts: { START: { contains: winter, model: opus }, OTHER: {} }
  files: { letter.txt: { absent: true }, other.txt: {} }
  waited: { START: 1h }
  agents: { main_x1: { status: completed } }
`;
    const called = await tested(place, { 'letter/bad.test.yaml': `${LETTER}${expected}` }, '--json');
    expect(called).toMatchObject({ exitCode: 1, stderr: expect.any(String) });
    const { cases } = JSON.parse(called.stdout) as {
      cases: { differences: { key: string; text: string; line: number }[] }[];
    };
    const said = Object.fromEntries(cases[0]!.differences.map(({ key, text }) => [key, text]));
    expect(Object.fromEntries(cases[0]!.differences.map(({ key, line }) => [key, line]))).toMatchObject({
      path: 7,
      cost: 8,
      'prompts.START.model': 11,
      'files.letter.txt': 12,
      'agents.main_x1': 14,
    });
    expect(said).toEqual({
      path: 'expected START → CHECK\nactual:  START → SEND',
      cost: 'expected < 0.2, got 0.25',
      result: 'expected text without "sen"\nactual: sent',
      'sessions.START': 'expected continues SEND, but the conversation was new',
      'prompts.START': expect.stringContaining('expected text that contains "winter"'),
      'prompts.START.model': 'expected opus, got none',
      'prompts.OTHER': 'this prompt never ran',
      'files.letter.txt': 'expected no file, but it exists',
      'files.other.txt': 'the file does not exist',
      'waited.START': 'expected 1h, the run would have waited 0s',
      'agents.main_x1': 'there is no such agent; the agents are main',
    });
  });

  test('fails loudly where a state has no reply, with its prompt', async () => {
    const called = await tested(place, { 'letter/none.test.yaml': 'start: { input: spring }\n' });
    expect(called.exitCode).toBe(1);
    expect(called.stdout).toContain('no reply for START; the test has replies for: no state');
    expect(called.stdout).toContain('| Draft a letter about spring.');
  });

  test('with replies and answers for states that do not exist is not run, and names the lines', async () => {
    const text = 'claude:\n  STRAT: <goto>SEND</goto>\nanswers:\n  SEDN: yes\n';
    const called = await tested(place, { 'letter/misspelt.test.yaml': text });
    expect(called.exitCode).toBe(1);
    expect(called.stdout).toContain(
      'misspelt.test.yaml:2: claude.STRAT: the workflow has no state STRAT, did you mean START?',
    );
    expect(called.stdout).toContain(':4: answers.SEDN: the workflow has no state SEDN, did you mean SEND?');
    expect(called.stdout).not.toContain('no reply for');
  });

  test('of a file with mistakes is not run, and each mistake has its line', async () => {
    const text = 'claude:\n  START: { say: hello }\nexpect:\n  cost: much\n  status: fine\nwait: 1\n';
    const called = await tested(place, { 'letter/wrong.test.yaml': text });
    expect(called.exitCode).toBe(64);
    const file = join(place.cwd, 'letter/wrong.test.yaml');
    for (const line of [
      ':2: unknown key "say"',
      ':4: expect.cost: expected an amount',
      ':5: expect.status: ',
      ':6: unknown key "wait"',
    ])
      expect(called.stderr).toContain(`${file}${line}`);
  });

  test('is run although another file has mistakes; a difference has the line of its expectation', async () => {
    await place.write('mixed/START.sh', 'echo "<result>done</result>"\n');
    await place.write('mixed/broken.test.yaml', 'expect:\n  cost: much\n');
    await place.write('mixed/good.test.yaml', 'cases:\n  - name: a\n  - name: b\n    expect:\n      result: gone\n');
    const called = await place.raymond(['test', 'mixed']);
    expect(called.exitCode).toBe(64);
    expect(called.stderr).toContain('mixed/broken.test.yaml:2: expect.cost');
    expect(called.stdout).toContain('✓ mixed/good.test.yaml · a');
    expect(called.stdout).toContain('mixed/good.test.yaml:5: result: expected "gone"');
    expect(called.stdout).toContain('1 passed, 1 failed');
  });

  test('answers questions with texts and files, or lets their time pass', async () => {
    const text = `
cases:
  - name: answered
    answers: { START: { text: this, files: { plan.md: do it } } }
    expect: { result: 'this: do it', asks: { START: Which? }, path: [START, DONE], waited: { START: 0 } }
  - name: late
    answers: { START: none }
    expect: { result: nobody, waited: { START: 1d } }
  - name: open
    expect: { status: asking, path: [START] }
`;
    const called = await tested(place, { 'asks/asks.test.yaml': text }, '--format', 'junit');
    expect(called.stdout).toContain('<testsuite name="raymond" tests="3" failures="0"');
    expect(called.exitCode).toBe(0);
  });
});

test('a real run becomes a test, which says when its prompts have changed', async () => {
  const fake = await fakeWith({ text: 'Written.\n<goto>SEND</goto>', costUsd: 0.1 + 0.2 });
  const env = { ...fake.env, PATH: `${place.cwd}/bin:${fake.env['PATH'] ?? ''}` };
  await place.write('bin/post', '#!/bin/sh\n');
  await chmod(join(place.cwd, 'bin/post'), 0o755);
  await place.raymond(['start', 'letter', '--id', 'real', '--input', 'spring'], { env });
  const recorded = await place.raymond(['test', '--record', 'real', 'letter/real.test.yaml'], { env });
  expect(recorded).toMatchObject({ exitCode: 0, stdout: join(place.cwd, 'letter/real.test.yaml') });
  const file = join(place.cwd, 'letter/real.test.yaml');
  const text = await readFile(file, 'utf8');
  expect(text).toContain('says: |-\n        Written.\n        <goto>SEND</goto>');
  expect(text).toContain('cost: 0.3\n');
  const again = async (...args: readonly string[]): Promise<Called> =>
    await place.raymond(['test', 'letter/real.test.yaml', ...args], { env });
  expect(await again()).toMatchObject({ exitCode: 0 });

  const prompt = join(place.cwd, 'letter/START.md');
  await writeFile(prompt, `${await readFile(prompt, 'utf8')}Be short.\n`);
  expect(await again()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('START has changed since this was recorded'),
  });
  expect(await again('--strict')).toMatchObject({ exitCode: 1 });
  expect(await again('--update')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('updated letter/real.test.yaml'),
  });
  expect(await again('--strict')).toMatchObject({ exitCode: 0 });
});
