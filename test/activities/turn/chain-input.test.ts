// The input file of a chain's turns: written over by each turn, unless the turn before has put something else there.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { TestWorker } from '../test-worker.js';

const go = (to: string, input: string): string => `echo '<goto input="${input}">${to}</goto>'\n`;
const read = (name: string): string => `cat "$RAYMOND_INPUT_FILE" > ${name}; rm "$RAYMOND_INPUT_FILE"`;

test('each turn finds its own input, whatever the turn before has done to the file', async () => {
  const worker = await TestWorker.with(
    {
      'LINK.sh': `ln "$RAYMOND_INPUT_FILE" kept\n${go('PIPE', 'two')}`,
      'PIPE.sh': `${read('second')}; mkfifo "$RAYMOND_INPUT_FILE"\n${go('AWAY', 'three')}`,
      'AWAY.sh': `${read('third')}; ln -s "$PWD/other" "$RAYMOND_INPUT_FILE"\n${go('FOLDER', 'four')}`,
      'FOLDER.sh': `${read('fourth')}; mkdir "$RAYMOND_INPUT_FILE"\n${go('LONGER', 'a longer one')}`,
      'LONGER.sh': `cp "$RAYMOND_INPUT_FILE" fifth\n${go('LAST', '6')}`,
      'LAST.sh': 'cp "$RAYMOND_INPUT_FILE" sixth; echo "<result>done</result>"\n',
    },
    { settings: { chains: 'file' } },
  );
  const pending = { value: 'one', returning: false };
  // A machine that is busy may end the chain after any turn: then the next activity continues.
  for (let turn = 3, state = 'LINK.sh', value = pending; ;) {
    const report = await worker.turn({ agent: { state, turn, pending: value }, chain: { stack: [] } });
    const last = report.chain?.at(-1);
    const end = last === undefined ? { kind: 'report' as const, report } : last.end;
    const outcome = end.kind === 'report' ? end.report.outcome : undefined;
    if (outcome?.kind !== 'transition') throw new Error(JSON.stringify(report));
    const { transition } = outcome;
    if (transition.kind !== 'goto') break;
    turn += 1 + (report.chain?.length ?? 0);
    state = transition.target;
    value = { value: transition.input as string, returning: false };
  }
  const files = ['kept', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((name) => join(worker.cwd, name));
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')));
  expect(texts).toEqual(['one', 'two', 'three', 'four', 'a longer one', '6']);
  expect(existsSync(join(worker.cwd, 'other'))).toBe(false);
});
