// Questions as people meet them on the command line: shown, answered from any process, refused with one clear line.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Place, type Called } from '../support/cli.js';
import { until } from '../support/until.js';
import { COLOUR, LATE, SAY } from './asks-place.js';

let place: Place;
let running: ReturnType<Place['begin']> | undefined;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': COLOUR,
    'flow/SAY.sh': SAY,
    ...LATE,
    'mended/START.sh': `[ -f go ] || exit 1\n${COLOUR}`,
    'mended/SAY.sh': SAY,
    'long/START.sh': `echo '<ask next="SAY">${'x'.repeat(2000)}</ask>'\n`,
    'long/SAY.sh': SAY,
    'two/START.sh': 'echo "<fork>ASK</fork><goto>ASK</goto>"\n',
    'two/ASK.sh': COLOUR,
    'two/SAY.sh': SAY,
    'files/START.sh': 'echo \'<ask next="READ" upload_slots="report:text/plain">Your report?</ask>\'\n',
    'files/READ.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/report")</result>"\n',
    'planted/START.sh':
      'd=$RAYMOND_TASK_FOLDER/asks/ask_main_1; mkdir -p $d/report; ln -s $PWD/victim $d/link\n' +
      'echo plan > plan.md; echo \'<ask next="READ" upload_bucket="true" display_files="plan.md">Files?</ask>\'\n',
    'planted/READ.sh':
      'cd "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID"; echo "<result>$(cat link shown/plan.md)</result>"\n',
    victim: 'untouched\n',
    'policy/START.md': '---\nallowed_transitions:\n  - { tag: ask, next: SAY }\n---\nAsk.\n',
    'policy/SAY.sh': SAY,
    'report.txt': 'all is well\n',
    'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
  });
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
  running = undefined;
});

const status = async (runId: string): Promise<string> => (await place.raymond(['status', runId])).stdout;

/** What was said about a refusal: one line, and nothing else was done. */
function refusal({ stdout, stderr, exitCode }: Called): string {
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 64 });
  const [line = '', ...others] = stderr.split('\n').filter((text) => text !== '');
  expect(others).toEqual([]);
  return line;
}

describe('a run that asks', () => {
  test('ends with code 2 and its questions as JSON; status and resume show them; an answer finishes it', async () => {
    const asked = await place.raymond(['start', 'flow', '--id', 'one', '--on-ask', 'exit', '--json', '--quiet']);
    expect(asked.exitCode).toBe(2);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      runId: 'one',
      status: 'asking',
      agents: [{ id: 'main', status: 'asking' }],
      asks: [{ askId: 'ask_main_1', agentId: 'main', prompt: 'Which colour?' }],
    });
    const question = 'main asks (ask_main_1):\n  Which colour?\n  answer with: raymond answer one ask_main_1 "…"';
    expect(await status('one')).toContain(question);
    const resumed = await place.raymond(['resume', 'one']);
    expect({ ...resumed, stderr: '' }).toEqual({ stdout: '', stderr: '', exitCode: 2 });
    expect(resumed.stderr).toContain(question);
    expect(refusal(await place.raymond(['answer', 'one', 'ask_main_9', 'x', '--quiet']))).toContain(
      'there is no open question ask_main_9; its open question is ask_main_1',
    );
    expect(refusal(await place.raymond(['answer', 'one', 'dark', 'blue', 'please']))).toContain(
      'usage: raymond answer RUN [ASK] TEXT; quote a text of several words',
    );
    expect(refusal(await place.raymond(['answer', 'one', 'elsewhere', 'x']))).toContain(
      'the run one has no question "elsewhere"; its open questions are ask_main_1',
    );
    const answered = await place.bin(['answer', 'one', '-'], { input: 'dark blue\n' });
    expect(answered).toMatchObject({ stdout: 'ask_main_1: dark blue', exitCode: 0 });
    expect(answered.stderr).not.toContain('Which colour?');
    expect(refusal(await place.raymond(['answer', 'one', 'again']))).toContain(
      'the run one has already ended (completed)',
    );
  });

  test('shows each question once, long ones too, and at its end how to answer', async () => {
    const shown = async (workflow: string, id: string): Promise<readonly string[]> => {
      const { stderr, exitCode } = await place.raymond(['start', workflow, '--id', id, '--on-ask', 'exit']);
      expect(exitCode).toBe(2);
      return stderr.split('\n');
    };
    const lines = await shown('flow', 'once');
    const answer = 'answer with: raymond answer once ask_main_1 "…"';
    expect(lines.filter((line) => line.includes('Which colour?'))).toEqual(['  Which colour?']);
    expect(lines.slice(-5)).toEqual([
      'main asks (ask_main_1):',
      '  Which colour?',
      `  ${answer}`,
      'waiting for an answer: once, $0.00',
      `  main, ask_main_1: ${answer}`,
    ]);
    const long = await shown('long', 'long');
    expect(long.filter((line) => line.includes('xxx'))).toEqual([`  ${'x'.repeat(2000)}`]);
  });

  test('of two agents needs the name of a question as long as both are open', async () => {
    expect(await place.raymond(['start', 'two', '--id', 'both', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
    expect(refusal(await place.raymond(['answer', 'both', 'blue']))).toMatch(
      /the run both asks several questions; name one of ask_main_2, ask_main_ask1_1$/,
    );
    const first = await place.raymond(['answer', 'both', 'ask_main_ask1_1', 'red']);
    expect(first.exitCode).toBe(2);
    expect(first.stderr).toContain('answer with: raymond answer both ask_main_2 "…"');
    expect(await place.raymond(['answer', 'both', 'blue'])).toMatchObject({ stdout: 'ask_main_2: blue', exitCode: 0 });
  });

  test('takes the files that it wants, and no others', async () => {
    const asked = await place.raymond(['start', 'files', '--id', 'files', '--on-ask', 'exit']);
    expect(asked.stderr).toContain('raymond answer files ask_main_1 "…" --file report=PATH');
    const refused = async (...args: readonly string[]): Promise<string> =>
      refusal(await place.raymond(['answer', 'files', 'here', ...args]));
    expect(await refused()).toContain('the slot "report" is empty; add --file report=PATH');
    expect(await refused('--file', 'report=none.txt')).toContain('cannot read none.txt: it does not exist');
    expect(await refused('--file', 'report=picture.png')).toContain(
      '"report" has the type image/png; the question takes text/plain',
    );
    expect(await refused('--file', 'report=report.txt', '--file', 'more=report.txt')).toContain(
      'there is no slot "more"; the slots are report',
    );
    expect(await place.raymond(['answer', 'files', 'here', '--file', 'report=report.txt'])).toMatchObject({
      stdout: 'all is well',
      exitCode: 0,
    });
  });
});

test('a file that cannot have its place lets the run ask again, and a file replaces nothing but what has its name', async () => {
  await place.raymond(['start', 'planted', '--id', 'planted', '--on-ask', 'exit']);
  const send = async (name: string): Promise<Called> =>
    await place.raymond(['answer', 'planted', 'here', '--file', `${name}=report.txt`]);
  expect(refusal(await send('shown'))).toContain('"shown" is reserved for the files that a question shows');
  const again = await send('report');
  expect(again).toMatchObject({ stdout: '', exitCode: 2 });
  expect(again.stderr).toContain('asks/ask_main_1/report: it is a directory; answer it again');
  expect(await status('planted')).toContain(
    'The last answer could not be used: main, READ.sh: the answer to ask_main_1',
  );
  expect(await send('link')).toMatchObject({ stdout: 'all is well\nplan', exitCode: 0 });
  expect(await readFile(join(place.cwd, 'victim'), 'utf8')).toBe('untouched\n');
});

describe('a process that serves a run which asks', () => {
  test('continues when another one answers', async () => {
    running = place.begin(['start', 'flow', '--id', 'served', '--on-ask', 'wait']);
    let said = '';
    running.stderr?.on('data', (chunk) => (said += String(chunk)));
    await until(() => said.includes('raymond answer served ask_main_1 "…"'), { what: 'the question' });
    expect(await place.raymond(['answer', 'served', 'blue'])).toEqual({
      stdout: '',
      stderr: 'answered ask_main_1',
      exitCode: 0,
    });
    const { stdout, stderr, exitCode } = await running;
    expect({ stdout, exitCode }).toEqual({ stdout: 'ask_main_1: blue', exitCode: 0 });
    expect(stderr).toMatch(/ main answered by \S+@\S+: "blue"\n.* main SAY\.sh → /);
  });
});

test('--on-ask=reject fails the agent that asks, and refuses to start what is known to ask', async () => {
  const failed = await place.raymond(['start', 'flow', '--on-ask', 'reject', '--no-check']);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain('main, START.sh: the state asks a person, but the run has --on-ask=reject');
  for (const [flow, asking] of [
    ['policy', 'policy/START.md:3'],
    ['late', 'late/START.sh:2'],
  ] as const) {
    const { exitCode, stdout, stderr } = await place.raymond(['start', flow, '--id', 'never', '--on-ask', 'reject']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
    expect(stderr).toContain(`${join(place.cwd, asking)}: this state may ask a person`);
  }
  expect((await place.raymond(['status', 'never'])).stderr).toContain('there is no run never');
});

test('a resumption with --on-ask=reject asks nobody', async () => {
  const states = ['start', 'mended', '--id', 'mended', '--on-ask', 'exit'];
  expect(await place.raymond(states)).toMatchObject({ exitCode: 1 });
  await place.write('go');
  const rejected = await place.raymond(['resume', 'mended', '--on-ask', 'reject']);
  expect(rejected).toMatchObject({ exitCode: 1, stdout: '' });
  expect(rejected.stderr).toContain('the state asks a person, but the run has --on-ask=reject');
});
