// Looking at runs and steering them from outside, on the embedded server: history, watch, pause, tell, cancel of one agent, and
// runs that are named by a beginning.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { hostname, userInfo } from 'node:os';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

let place: Place;
let running: ResultPromise | undefined;
const watchers: ResultPromise[] = [];
beforeAll(async () => {
  place = await Place.sharing({
    'chain/START.sh': 'echo "<call return=\\"BACK\\">SUB</call>"\n',
    'chain/SUB.sh': 'echo "<result>sub</result>"\n',
    'chain/BACK.sh': 'echo "<fork item=\\"one\\" next=\\"END\\">WORK</fork>"\n',
    'chain/WORK.sh': 'echo "<result>$item</result>"\n',
    'chain/END.sh': 'echo "<result>main</result>"\n',
  });
});
afterEach(async () => {
  for (const process of [running, ...watchers.splice(0)]) {
    process?.kill('SIGKILL');
    await process;
  }
});

const waits = (name: string, tag: string): string =>
  `touch ${name}; until [ -f go ]; do sleep 0.05; done; echo "${tag}"\n`;

describe('history', () => {
  beforeAll(async () => {
    expect(await place.raymond(['start', 'chain', '--id', 'chain-1'])).toMatchObject({
      exitCode: 0,
      // Without a terminal, a line says what a forked agent is about.
      stderr: expect.stringContaining('main_work1 (item=one) WORK.sh → result "one"'),
    });
  });

  test('lists the recorded turns of all agents in the order in which they ended', async () => {
    const { stdout } = await place.raymond(['history', 'chain-1']);
    const [header, ...lines] = stdout.split('\n');
    expect(header).toMatch(/^ENDED +AGENT +TURN +STATE/);
    const main = lines.filter((line) => / main +\d/.test(line));
    expect(main.map((line) => /main +(\d+) +(\S+)/.exec(line)?.slice(1))).toEqual([
      ['1', 'START.sh'],
      ['2', 'SUB.sh'],
      ['3', 'BACK.sh'],
      ['4', 'END.sh'],
    ]);
    expect(main[0]).toContain('SUB.sh (call, returns to BACK.sh)');
    expect(stdout).toMatch(/main_work1 +1 +WORK\.sh .* result "one"/);
  });

  test('of one agent as JSON has what each turn came to', async () => {
    const { stdout } = await place.raymond(['history', 'chain-1', 'main_work1', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      runId: 'chain-1',
      turns: [
        {
          agentId: 'main_work1',
          number: 1,
          state: 'WORK.sh',
          attempts: 1,
          costUsd: 0,
          end: { kind: 'transition', transition: { kind: 'result', payload: 'one' } },
        },
      ],
    });
  });

  test('shows between them what people have asked for, and who', async () => {
    const at = await Place.sharing({
      'flow/START.sh': waits('began', '<ask next=\\"END\\">Shall I?</ask>'),
      'flow/END.sh': '[ -f good ] && echo "<result>$RAYMOND_INPUT</result>" || exit 1\n',
    });
    running = at.begin(['start', 'flow', '--id', 'r1', '--on-ask', 'exit']);
    await at.made('began');
    await at.raymond(['tell', 'r1', 'main', 'Mind the gap.']);
    await at.raymond(['tell', 'r1', 'main', 'Not this.']);
    expect(await at.raymond(['tell', 'r1', 'main', '--withdraw'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('removed from the next prompt of main: "Mind the gap.", "Not this."'),
    });
    expect(await at.raymond(['tell', 'r1', 'main', '--withdraw'])).toMatchObject({
      exitCode: 1,
      stderr: 'raymond: no note waits for the next prompt of main',
    });
    await at.raymond(['budget', 'r1', '3']);
    await at.write('go');
    expect(await running).toMatchObject({ exitCode: 2 });
    expect(await at.raymond(['answer', 'r1', 'yes'])).toMatchObject({ exitCode: 1 });
    await at.write('good');
    expect(await at.raymond(['resume', 'r1'])).toMatchObject({ exitCode: 0 });
    const who = `${userInfo().username}@${hostname()}`;
    const { stdout } = await at.raymond(['history', 'r1']);
    const asked = stdout.split('\n').filter((line) => line.includes(who));
    expect(asked.map((line) => line.split(/ {2,}/).slice(1).join(' '))).toEqual([
      `main ${who}: tell "Mind the gap."`,
      `main ${who}: tell "Not this."`,
      `main ${who}: withdrew notes`,
      `${who}: a budget of $3.00`,
      `main ${who}: answer to ask_main_1: "yes"`,
      `${who}: resume`,
    ]);
    const document = JSON.parse((await at.raymond(['history', 'r1', 'main', '--json'])).stdout) as object;
    expect(document).toMatchObject({
      turns: [{ state: 'START.sh' }, { state: 'END.sh' }, { state: 'END.sh' }],
      orders: [
        { agentId: 'main', kind: 'tell', text: 'Mind the gap.', by: who, at: expect.stringMatching(/Z$/) },
        { agentId: 'main', kind: 'tell', text: 'Not this.' },
        { agentId: 'main', kind: 'withdraw', by: who },
        { agentId: 'main', kind: 'answer', askId: 'ask_main_1', text: 'yes', by: who },
      ],
    });
  });

  test('of an agent that is not there names those that are', async () => {
    expect(await place.raymond(['history', 'chain-1', 'nobody'])).toMatchObject({
      exitCode: 64,
      stderr: 'raymond: the run chain-1 has no agent nobody; it has main, main_work1',
    });
  });
});

describe('a run is named', () => {
  test('by a beginning that fits no other, and by @last', async () => {
    await place.raymond(['start', 'chain', '--id', 'other-1']);
    expect((await place.raymond(['result', 'oth'])).stdout).toBe('main');
    expect(await place.raymond(['status', '@last'])).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/^other-1: completed/),
    });
  });

  test('not by one that fits several', async () => {
    await place.raymond(['start', 'chain', '--id', 'other-2']);
    const { exitCode, stderr } = await place.raymond(['result', 'other']);
    expect(exitCode).toBe(64);
    expect(stderr).toMatch(
      /^raymond: several runs begin with other: (other-1, other-2|other-2, other-1); give more characters of the id$/,
    );
  });

  test('list shows those that are asked for', async () => {
    const { stdout } = await place.raymond(['list', '--status', 'completed', '--since', '1h', '--limit', '1']);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout).toMatch(/^RUN +WORKFLOW +STATUS +COST +STARTED +TOOK\nother-2 +chain +completed/);
    expect((await place.raymond(['list', '--status', 'failed'])).stderr).toBe('no such runs; raymond list shows all');
    expect((await place.raymond(['list', '--status', 'fine'])).stderr).toContain('expected one of running, paused');
  });
});

test('watch shows what another process serves, its question as soon as it is asked, and ends with the run', async () => {
  const at = await Place.sharing({
    'flow/START.sh': waits('began', '<goto>ASK</goto>'),
    'flow/ASK.sh': 'echo "<ask next=\\"END\\">Shall I?</ask>"\n',
    'flow/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  running = at.begin(['start', 'flow', '--id', 'r2', '--on-ask', 'wait']);
  await at.made('began');
  const watching = at.begin(['watch', 'r2']);
  watchers.push(watching);
  let seen = '';
  watching.stderr?.on('data', (chunk) => (seen += String(chunk)));
  await until(() => seen.includes('run r2'), { what: 'the watching' });
  await at.write('go');
  await until(() => seen.includes('Shall I?'), { what: 'the question' });
  expect(seen).toMatch(/^\d\d:\d\d:\d\d main START\.sh → ASK\.sh \(goto\)/m);
  await at.raymond(['answer', 'r2', 'yes']);
  expect(await watching).toMatchObject({ exitCode: 0, stdout: 'yes' });
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'yes' });
});

describe('an operator', () => {
  test('pauses a run at the end of its turns, and it continues when it is resumed', async () => {
    const at = await Place.sharing({
      'flow/START.sh': 'echo "<fork next=\\"MAIN\\">WORK</fork>"\n',
      'flow/MAIN.sh': waits('main', '<goto>END</goto>'),
      'flow/WORK.sh': waits('work', '<goto>END</goto>'),
      'flow/END.sh': 'echo x >> ended; echo "<result>done</result>"\n',
    });
    // A chain may have gone on by the time that a pause is heard of.
    running = at.begin(['start', 'flow', '--id', 'r3', '--no-chain']);
    await at.made('main');
    await at.made('work');
    expect((await at.raymond(['pause', 'r3'])).stderr).toContain('r3 pauses after the current turns');
    await until(async () => (await at.raymond(['status', 'r3'])).stdout.includes('to be paused by'), {
      what: 'the news',
    });
    await at.write('go');
    expect(await running).toMatchObject({ exitCode: 3 });
    expect(await at.read('ended')).toBeUndefined();
    const { stdout } = await at.raymond(['status', 'r3']);
    expect(stdout).toMatch(/main {2}paused {2}END\.sh[^]*paused by \S+@\S+/);
    expect(stdout).toMatch(/main_work1 {2}paused {2}END\.sh/);
    expect(await at.raymond(['resume', 'r3'])).toMatchObject({ exitCode: 0, stdout: 'done' });
    expect(await at.read('ended')).toBe('x\nx\n');
  });

  test('says something to an agent: its next prompt begins with this note, and only that one', async () => {
    const fake = await fakeWith({ times: 1, text: '<goto>NEXT.md</goto>' }, { text: '<result>heard</result>' });
    const at = await Place.sharing(
      {
        'flow/START.sh': waits('began', '<goto>FIRST</goto>'),
        'flow/FIRST.md': 'Do it.\n',
        'flow/NEXT.md': 'Go on.\n',
      },
      fake.env,
    );
    running = at.begin(['start', 'flow', '--id', 'r4']);
    await at.made('began');
    expect((await at.raymond(['tell', 'r4', 'main', 'Mind the gap.'])).stderr).toContain('the next prompt of main');
    await at.write('go');
    expect(await running).toMatchObject({ exitCode: 0, stdout: 'heard' });
    const [first, second] = await fake.calls();
    expect(first?.prompt).toMatch(/^\s*\S+@\S+ says:\n\nMind the gap\.\n\n---\n\nDo it\./);
    expect(second?.prompt.trim()).toBe('Go on.');
  });

  test('cancels one agent, and the others continue', async () => {
    const at = await Place.sharing({
      'flow/START.sh': 'echo "<fork next=\\"MAIN\\">WORK</fork>"\n',
      'flow/MAIN.sh': waits('main', '<result>main</result>'),
      'flow/WORK.sh': 'touch work; sleep 600; echo "<result>late</result>"\n',
    });
    running = at.begin(['start', 'flow', '--id', 'r5', '--json']);
    await at.made('work');
    await at.raymond(['cancel', 'r5', '--agent', 'main_work1']);
    await until(async () => (await at.raymond(['status', 'r5'])).stdout.includes('main_work1  cancelled'), {
      what: 'the cancel',
    });
    await at.write('go');
    const { stdout } = await running;
    expect(documentOf({ stdout: String(stdout) })).toMatchObject({ result: 'main' });
    expect(await at.raymond(['cancel', 'r5', '--agent', 'main'])).toMatchObject({ exitCode: 64 });
  });
});
