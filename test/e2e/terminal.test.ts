// What a person sees on a terminal, and types into it: a real pseudo-terminal around the real command.
import { spawnSync } from 'node:child_process';
import { afterEach, expect, test as always } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

/** The one of util-linux, which every Linux has. */
const hasScript = spawnSync('script', ['--version']).status === 0;
const test = hasScript ? always : always.skip;

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

/** What was printed so far. */
function heard(process: ResultPromise): () => string {
  let text = '';
  process.stdout?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
}

const ASKS = {
  'flow/START.sh': 'echo "<ask next=\\"END\\">Which colour?</ask>"\n',
  'flow/END.sh': 'echo "<result>you said $RAYMOND_INPUT</result>"\n',
};

test('a question is answered where it is shown', async () => {
  const place = await Place.sharing(ASKS);
  running = place.onTerminal(['start', 'flow', '--id', 'r1']);
  const seen = heard(running);
  await until(() => seen().includes('answer main> '), { what: 'the line to type into' });
  expect(seen()).toContain('Which colour?');
  running.stdin?.write('greem');
  await until(() => seen().includes('greem'), { what: 'the words' });
  running.stdin?.write('\u007fn and blue\r');
  const { exitCode } = await running;
  expect(seen()).toContain('answered ask_main_1');
  expect(seen()).toContain('you said green and blue');
  expect(exitCode).toBe(0);
});

test('a missing workflow, run and question are picked from lists', async () => {
  const place = await Place.at({
    ...ASKS,
    'other/START.sh': 'echo "<result>x</result>"\n',
    'two/START.sh': 'echo "<fork next=\\"ASK\\">ASK</fork>"\n',
    'two/ASK.sh': 'echo "<ask next=\\"END\\">Which of $RAYMOND_AGENT_ID?</ask>"\n',
    'two/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  running = place.onTerminal(['start', '--id', 'one', '--on-ask', 'exit']);
  const started = heard(running);
  await until(() => plain(started()).includes('❯ flow'), { what: 'the workflows' });
  expect(plain(started())).toMatch(/❯ flow\s+other\s+two/);
  running.stdin?.write('\r');
  expect(await running).toMatchObject({ exitCode: 2 });
  await place.raymond(['start', 'two', '--id', 'two', '--on-ask', 'exit']);
  running = place.onTerminal(['answer', '--on-ask', 'exit']);
  const answered = heard(running);
  await until(() => plain(answered()).includes('❯ two'), { what: 'the runs' });
  running.stdin?.write('\r');
  await until(() => plain(answered()).includes('❯ ask_main_2'), { what: 'the questions' });
  running.stdin?.write('\u001b[B\r');
  await until(() => answered().includes('answer ask_main_ask1_1> '), { what: 'the line to type into' });
  expect(plain(answered())).toContain('Which of main_ask1?');
  running.stdin?.write('-blue\r');
  await until(() => plain(answered()).includes('answered ask_main_ask1_1'), { what: 'the answer' });
  await running;
  running = place.onTerminal(['result']);
  const stopped = heard(running);
  await until(() => plain(stopped()).includes('❯ two'), { what: 'all runs' });
  running.stdin?.write('\u0003');
  expect(await running).toMatchObject({ exitCode: 130 });
});

test('where nothing can be picked there is one error', async () => {
  const place = await Place.at({ 'README.md': 'x' });
  const errorOf = async (...args: readonly string[]): Promise<string> => {
    running = place.onTerminal(args);
    const seen = heard(running);
    expect(await running).toMatchObject({ exitCode: 64 });
    return seen().trimEnd();
  };
  expect(await errorOf('status')).toBe("raymond: missing required argument 'run'");
  expect(await errorOf('start', '--json')).toBe(
    "raymond: missing required argument 'workflow'; to write a first workflow, run: raymond init",
  );
  expect(await errorOf('tell')).toBe("raymond: missing required argument 'run'");
  expect(await errorOf('resume')).toBe('raymond: name one run, or use --all; to list the runs, run: raymond list');
});

test('several questions are chosen between, and Ctrl-C stops as ever', async () => {
  const place = await Place.sharing({
    ...ASKS,
    'two/START.sh': 'echo "<fork next=\\"ASK\\">ASK</fork>"\n',
    'two/ASK.sh': 'echo "<ask next=\\"END\\">Which of $RAYMOND_AGENT_ID?</ask>"\n',
    'two/END.sh': 'echo "<goto>LAST</goto>" ; echo "$RAYMOND_AGENT_ID $RAYMOND_INPUT" >> said\n',
    'two/LAST.sh': 'echo "<result>x</result>"\n',
  });
  running = place.onTerminal(['start', 'two', '--id', 'r2']);
  const seen = heard(running);
  await until(() => seen().includes('(Tab: 1 more)> '), { what: 'both questions' });
  const chosen = (): string | undefined => [...seen().matchAll(/answer (\S+) \(Tab: 1 more\)> /g)].at(-1)?.[1];
  // Either may have been asked first.
  if (chosen() !== 'main_ask1') running.stdin?.write('\t');
  await until(() => chosen() === 'main_ask1', { what: 'the other question' });
  running.stdin?.write('mine\r');
  await until(async () => (await place.read('said')) === 'main_ask1 mine\n', { what: 'its answer' });
  running.stdin?.write('\u0003');
  const { exitCode } = await running;
  expect(exitCode).toBe(130);
  expect(seen()).toContain('raymond resume r2');
});

test('the table has a line per agent and one of sums, and is gone at the end', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<fork item=\\"one\\" next=\\"WAIT\\">WORK</fork>"\n',
    'flow/WORK.sh': 'touch work; until [ -f go ]; do sleep 0.05; done; echo "<result>$item</result>"\n',
    'flow/WAIT.sh': `echo '<await next="END"/>'\n`,
    'flow/END.sh': 'echo "<result>end</result>"\n',
  });
  running = place.onTerminal(['start', 'flow', '--id', 'r3'], { columns: 60 });
  const seen = heard(running);
  await until(() => /◌.* main .*WAIT\.sh {2}awaiting/.test(plain(seen())), { what: 'who awaits' });
  await until(() => /● main_work1 {2}WORK\.sh {2}\S+ m?s {2}item=one/.test(plain(seen())), { what: 'who works' });
  expect(plain(seen())).toMatch(/ · \$0\.00 of \$10\.00 · 1 (awaiting|running), 1 (awaiting|running)/);
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(plain(seen()).trimEnd().split('\n').at(-1)).toContain('completed: r3');
});

test('when a run has ended, a line per agent says what it came to, then the sums', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<fork item=\\"one\\" next=\\"WAIT\\">WORK</fork>"\n',
    'flow/WORK.sh': 'echo "<result>made $item</result>"\n',
    'flow/WAIT.sh': `echo '<await next="END"/>'\n`,
    'flow/END.sh': 'echo no tag here\n',
  });
  running = place.onTerminal(['start', 'flow', '--no-check', '--id', 'r4']);
  const seen = heard(running);
  expect(await running).toMatchObject({ exitCode: 1 });
  expect(plain(seen()).trimEnd().split('\n').slice(-5)).toEqual([
    expect.stringMatching(/^✗ main {8}failed {2}\S+ m?s {2}END\.sh: /),
    expect.stringMatching(/^✓ main_work1 {2}\S+ m?s {2}item=one · made one$/),
    expect.stringMatching(/^\S+ m?s · \$0\.00 of \$10\.00 · 1 failed, 1 completed$/),
    'failed: r4',
    'fix the cause, then run: raymond resume r4',
  ]);
});

test('with --quiet and on a dumb terminal nothing is redrawn, summed up or retitled', async () => {
  const place = await Place.sharing({ 'flow/START.sh': 'echo "<result>done</result>"\n' });
  running = place.onTerminal(['start', 'flow', '--id', 'quiet', '--quiet']);
  const quiet = heard(running);
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(quiet()).toBe('done\r\n');
  running = place.onTerminal(['start', 'flow', '--id', 'dumb'], { env: { TERM: 'dumb' } });
  const dumb = heard(running);
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(dumb()).not.toContain('\u001b');
  expect(dumb()).toMatch(/main START\.sh → result "done"[^]*completed: dumb, \$0\.00/);
});

test('the title of the terminal tells the status of the run, and is given back', async () => {
  const place = await Place.sharing({
    ...ASKS,
    'flow/START.sh': 'echo "<fork next=\\"ASK\\">WORK</fork>"\n',
    'flow/WORK.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
    'flow/ASK.sh': ASKS['flow/START.sh'],
  });
  running = place.onTerminal(['start', 'flow', '--id', 'r5']);
  const seen = heard(running);
  await until(() => seen().includes('\u001b]2;raymond r5: 1 running, 1 asks\u0007'), { what: 'the title' });
  await until(() => seen().includes('answer main> '), { what: 'the line to type into' });
  running.stdin?.write('x\r');
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0 });
  // eslint-disable-next-line no-control-regex -- that is how titles are set
  const titles = [...seen().matchAll(/\u001b(?:\[2[23];2t|\]2;([^\u0007]*)\u0007)/g)].map(([all]) => all);
  expect(titles[0]).toBe('\u001b[22;2t');
  expect(titles.slice(-2)).toEqual(['\u001b]2;\u0007', '\u001b[23;2t']);
});

function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- colours, the moves of the cursor, titles
  return text.replaceAll(/\u001b(?:\[[\d;?]*[A-Za-z]|\][^\u0007]*\u0007)/g, '').replaceAll('\r', '');
}
