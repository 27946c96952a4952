// What a person sees on a terminal, and types into it: a real pseudo-terminal around the real command.
import { expect } from '@jest/globals';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';
import { ASKS, heard, onTerminal, plain, test } from './terminal-place.js';

test('a question is answered where it is shown', async () => {
  const place = await Place.sharing(ASKS);
  const running = onTerminal(place, ['start', 'flow', '--id', 'r1']);
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
  let running = onTerminal(place, ['start', '--id', 'one', '--on-ask', 'exit']);
  const started = heard(running);
  await until(() => plain(started()).includes('❯ flow'), { what: 'the workflows' });
  expect(plain(started())).toMatch(/❯ flow\s+other\s+two/);
  running.stdin?.write('\r');
  expect(await running).toMatchObject({ exitCode: 2 });
  await place.raymond(['start', 'two', '--id', 'two', '--on-ask', 'exit']);
  running = onTerminal(place, ['answer', '--on-ask', 'exit']);
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
  running = onTerminal(place, ['result']);
  const stopped = heard(running);
  await until(() => plain(stopped()).includes('❯ two'), { what: 'all runs' });
  running.stdin?.write('\u0003');
  expect(await running).toMatchObject({ exitCode: 130 });
});

test('the table has a line per agent and one of sums, and is gone at the end', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'echo "<fork item=\\"one\\" next=\\"WAIT\\">WORK</fork>"\n',
    'flow/WORK.sh': 'touch work; until [ -f go ]; do sleep 0.05; done; echo "<result>$item</result>"\n',
    'flow/WAIT.sh': `echo '<await next="END"/>'\n`,
    'flow/END.sh': 'echo "<result>end</result>"\n',
  });
  const running = onTerminal(place, ['start', 'flow', '--id', 'r3'], { columns: 60 });
  const seen = heard(running);
  await until(() => /◌.* main .*WAIT\.sh {2}awaiting/.test(plain(seen())), { what: 'who awaits' });
  await until(() => /● main_work1 {2}WORK\.sh {2}\S+ m?s {2}item=one/.test(plain(seen())), { what: 'who works' });
  expect(plain(seen())).toMatch(/ · \$0\.00 of \$10\.00 · 1 (awaiting|running), 1 (awaiting|running)/);
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0 });
  expect(plain(seen()).trimEnd().split('\n').at(-1)).toContain('completed: r3');
});
