// What a person sees on a terminal, further: several questions, errors, the end of a run, the title, and terminals on which nothing is redrawn.
import { expect } from '@jest/globals';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';
import { ASKS, heard, onTerminal, plain, test } from './terminal-place.js';

test('where nothing can be picked there is one error', async () => {
  const place = await Place.at({ 'README.md': 'x' });
  const errorOf = async (...args: readonly string[]): Promise<string> => {
    const running = onTerminal(place, args);
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
  const running = onTerminal(place, ['start', 'two', '--id', 'r2']);
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

test('when a run has ended, a line per agent says what it came to, then the sums', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<fork item=\\"one\\" next=\\"WAIT\\">WORK</fork>"\n',
    'flow/WORK.sh': 'echo "<result>made $item</result>"\n',
    'flow/WAIT.sh': `echo '<await next="END"/>'\n`,
    'flow/END.sh': 'echo no tag here\n',
  });
  const running = onTerminal(place, ['start', 'flow', '--no-check', '--id', 'r4']);
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
  let running = onTerminal(place, ['start', 'flow', '--id', 'quiet', '--quiet']);
  const quiet = heard(running);
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(quiet()).toBe('done\r\n');
  running = onTerminal(place, ['start', 'flow', '--id', 'dumb'], { env: { TERM: 'dumb' } });
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
  const running = onTerminal(place, ['start', 'flow', '--id', 'r5']);
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
