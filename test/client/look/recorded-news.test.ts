// What a worker tells of its turns, for those who watch a run here: an end is shown only when it is recorded, and once, whatever the worker says.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { News, Progress } from '../../../dist/activities/types.js';
import type { Transition } from '../../../dist/protocol/machine/transition.js';
import { RecordedNews } from '../../../dist/client/look/recorded-news.js';
import { Stage } from '../../support/stage.js';

/** What hears the worker itself. */
let hear: (one: Progress) => void = () => undefined;
const stage = new Stage({ heard: (one) => hear(one) });

let runId: string;
let shown: Progress[];
let finishing: Progress[];
let news: RecordedNews;
beforeEach(() => {
  [shown, finishing] = [[], []];
  news = new RecordedNews(stage.link.client, {
    show: (one) => shown.push(one),
    finishing: (one) => finishing.push(one),
  });
});
afterEach(() => {
  hear = () => undefined;
  news.close();
});

/** The worker tells something of a turn of `main`. */
function tell(turn: number, one: News, attempt = 1): void {
  news.take({ runId, agentId: 'main', state: 'TOLD.sh', turn, attempt, ...one });
}

const STARTED = { kind: 'started' } as const;

function ended(target: string): News {
  const transition = { kind: 'goto', target } as Transition;
  return { kind: 'ended', outcome: { kind: 'transition', transition }, costUsd: 0, durationMs: 1 };
}

const ends = (): readonly Progress[] => shown.filter(({ kind }) => kind === 'ended');

/** A run whose first turn goes on until the file `go` is there. */
const WAITS = {
  'START.sh': 'touch begun; until [ -f go ]; do sleep 0.02; done; echo "<goto>END</goto>"\n',
  'END.sh': 'echo "<result>x</result>"\n',
};

test('an end that the server has not accepted is never shown, and the recorded one once', async () => {
  const { cwd, ...run } = await stage.start(WAITS);
  runId = run.runId;
  tell(1, STARTED);
  tell(1, ended('NOT-RECORDED.sh'));
  expect(finishing).toMatchObject([{ turn: 1, kind: 'ended' }]);
  // The server has given the turn to another attempt meanwhile; the first one still speaks.
  tell(1, STARTED, 2);
  tell(1, ended('NOT-RECORDED.sh'));
  tell(1, ended('END.sh'), 2);
  expect(ends()).toEqual([]);
  await writeFile(join(cwd, 'go'), '');
  await run.ended;
  await news.settle();
  expect(ends()).toMatchObject([
    { turn: 1, state: 'START.sh', outcome: { kind: 'transition', transition: { kind: 'goto', target: 'END.sh' } } },
  ]);
});

test('each end of a run that is served here is shown once, in order, and before the next turn begins', async () => {
  hear = news.take;
  await stage.run({
    'START.sh': 'echo "<goto>A</goto>"\n',
    'A.sh': 'echo "<goto>B</goto>"\n',
    'B.sh': 'echo "<goto>C</goto>"\n',
    'C.sh': 'echo "<result>x</result>"\n',
  });
  await news.settle();
  const told = shown.filter(({ kind }) => kind === 'started' || kind === 'ended');
  expect(told.map(({ kind, state }) => `${kind} ${state}`)).toEqual(
    ['START.sh', 'A.sh', 'B.sh', 'C.sh'].flatMap((state) => [`started ${state}`, `ended ${state}`]),
  );
});

test('an end whose turn fails after all, and one of an agent that has closed without it, are not shown', async () => {
  ({ runId } = await stage.run({ 'START.sh': 'echo "<result>x</result>"\n' }));
  tell(2, STARTED);
  tell(2, ended('A.sh'));
  tell(2, { kind: 'failed', message: 'the disk is full' });
  expect(shown.map(({ kind }) => kind)).toEqual(['started', 'failed']);
  tell(3, STARTED);
  tell(3, ended('A.sh'));
  await news.settle();
  expect(ends()).toEqual([]);
});

test('a turn that is done again after its agent was started again is not taken for the old one', async () => {
  ({ runId } = await stage.run({ 'START.sh': 'echo no tag\n' }));
  tell(1, STARTED);
  tell(1, ended('A.sh'));
  await news.settle();
  expect(ends()).toEqual([]);
});

test('it waits for nothing when it is closed', async () => {
  const { cwd, ...run } = await stage.start(WAITS);
  runId = run.runId;
  tell(1, STARTED);
  tell(1, ended('END.sh'));
  news.close();
  await news.settle();
  await writeFile(join(cwd, 'go'), '');
  await run.ended;
  expect(ends()).toEqual([]);
});
