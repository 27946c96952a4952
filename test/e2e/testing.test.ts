// `raymond test` as its users call it: what is not as expected is said, and a real run becomes a test.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place, type Called } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'letter/START.md':
      '---\nallowed_transitions:\n  - { tag: goto, target: SEND.sh }\n---\nDraft a letter about {{input}}.\n',
    'letter/SEND.sh': 'post letter.txt && echo "<result>sent</result>"\n',
    'paid/START.md': '---\naccount: team\nbackend: pi\n---\nSay it.\n',
    'asks/START.sh':
      'echo "<ask next=\\"DONE\\" timeout=\\"1d\\" timeout_next=\\"LATE\\" upload_bucket=\\"true\\">Which?</ask>"\n',
    'asks/DONE.sh':
      'echo "<result>$RAYMOND_INPUT: $(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/plan.md" 2>/dev/null)</result>"\n',
    'asks/LATE.sh': 'echo "<result>nobody</result>"\n',
  });
});

/** Writes a file of tests and runs it. */
async function tested(name: string, text: string, ...args: readonly string[]): Promise<Called> {
  await place.write(name, text);
  return await place.raymond(['test', name, ...args]);
}

describe('a case', () => {
  const LETTER = `
claude: { START: { says: <goto>SEND</goto>, writes: { letter.txt: Dear, }, cost: 0.25 } }
commands: { post: 'test -s "$1"' }
start: { input: spring }
`;

  test('passes when all is as it expects', async () => {
    const expected = `expect: { result: sent, cost: 0.25, commands: { post: letter.txt }, prompts: { START: { contains: about spring } } }`;
    const called = await tested('letter/good.test.yaml', `${LETTER}${expected}\n`);
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
    const called = await tested('letter/bad.test.yaml', `${LETTER}${expected}`, '--json');
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

  test('needs no account and no program that its states name, and waits for no limit', async () => {
    const replies = 'claude: { START: [{ fails: usage-limit, resets: 10s }, { fails: crash }, <result>said</result>] }';
    const called = await tested(
      'paid/paid.test.yaml',
      `${replies}\nexpect: { result: said, waited: { START: 11s } }\n`,
    );
    expect(called).toMatchObject({ exitCode: 0 });
  });

  test('fails loudly where a state has no reply, with its prompt', async () => {
    const called = await tested('letter/none.test.yaml', 'start: { input: spring }\n');
    expect(called.exitCode).toBe(1);
    expect(called.stdout).toContain('no reply for START; the test has replies for: no state');
    expect(called.stdout).toContain('| Draft a letter about spring.');
  });

  test('with replies and answers for states that do not exist is not run, and names the lines', async () => {
    const text = 'claude:\n  STRAT: <goto>SEND</goto>\nanswers:\n  SEDN: yes\n';
    const called = await tested('letter/misspelt.test.yaml', text);
    expect(called.exitCode).toBe(1);
    expect(called.stdout).toContain(
      'misspelt.test.yaml:2: claude.STRAT: the workflow has no state STRAT, did you mean START?',
    );
    expect(called.stdout).toContain(':4: answers.SEDN: the workflow has no state SEDN, did you mean SEND?');
    expect(called.stdout).not.toContain('no reply for');
  });

  test('of a file with mistakes is not run, and each mistake has its line', async () => {
    const text = 'claude:\n  START: { say: hello }\nexpect:\n  cost: much\n  status: fine\nwait: 1\n';
    const called = await tested('letter/wrong.test.yaml', text);
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
    expect(await tested('many/skip.test.yaml', failing, '--bail')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('0 passed, 1 failed, 1 skipped'),
    });
  });

  test('has a note for replies and answers that nothing asked for', async () => {
    const text = `${LETTER.replace('claude: {', 'claude: { SEND: x,').replace('says: <goto>', "says: '<goto>").replace('</goto>,', "</goto>',")}answers: { START: yes }\n`;
    const called = await tested('letter/unused.test.yaml', text);
    expect(called).toMatchObject({ exitCode: 0 });
    expect(called.stdout).toContain('letter/unused.test.yaml:2: note: claude.SEND: no prompt asked for this reply');
    expect(called.stdout).toContain(':5: note: answers.START: no question asked for this answer');
  });

  test('gets the whole text of a prompt by --update', async () => {
    const text = `${LETTER}expect: { prompts: { START: { is: '?' } } }\n`;
    expect(await tested('letter/whole.test.yaml', text, '--update')).toMatchObject({ exitCode: 1 });
    expect(await readFile(join(place.cwd, 'letter/whole.test.yaml'), 'utf8')).toContain('Draft a letter about spring.');
    expect(await place.raymond(['test', 'letter/whole.test.yaml'])).toMatchObject({ exitCode: 0 });
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
    const called = await tested('asks/asks.test.yaml', text, '--format', 'junit');
    expect(called.stdout).toContain('<testsuite name="raymond" tests="3" failures="0"');
    expect(called.exitCode).toBe(0);
  });
});

test('forks that are too long for one message are covered', async () => {
  const place = await Place.at({
    'flow/START.sh':
      'long=$(head -c 20000 /dev/zero | tr "\\0" x)\necho "<fork note=\\"$long\\">ONE</fork><fork note=\\"$long\\">TWO</fork><goto>END</goto>"\n',
    'flow/ONE.sh': 'echo "<result>1</result>"\n',
    'flow/TWO.sh': 'echo "<result>2</result>"\n',
    'flow/END.sh': 'echo "<result>end</result>"\n',
    'flow/forks.test.yaml': 'expect: { result: end }\n',
  });
  expect(await place.raymond(['test', 'flow', '--coverage', '100'])).toMatchObject({ exitCode: 0 });
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
