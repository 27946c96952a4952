// The diagram of a run: counts come from the recorded turns, also for transitions that no state names.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { textOf } from '../../src/analysis/diagram/text.js';
import { drawingOf, openDrawing } from '../../src/authoring/diagram.js';
import type { RecordedTurn } from '../../src/history/turns.js';
import { scopeAt } from '../../src/protocol/scope.js';
import { folder } from '../support/folder.js';
import { forkOf, RESULT, Turns } from '../support/turns.js';

/** The links of the diagram, each with its count. */
async function drawn(
  files: Readonly<Record<string, string>>,
  turnsIn: (turns: Turns, root: string) => readonly RecordedTurn[],
): Promise<{ readonly links: readonly string[]; readonly text: string }> {
  const root = await folder(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [join('flow', name), text])),
  );
  const path = join(root, 'flow');
  const opened = await openDrawing(path, { cwd: root, cacheDir: '/none' });
  const diagram = drawingOf(opened, { agents: [], turns: turnsIn(new Turns(scopeAt(path)), root) });
  const links = diagram.links.map(({ from, kind, to, count }) => `${from} ${kind} ${to} ${count}`);
  return { links: [...links].sort(), text: textOf(diagram) };
}

const END = { 'END.sh': 'echo "<result>x</result>"\n' };

test('a <goto> beside forks counts when the forking agent follows it', async () => {
  const files = {
    'START.sh': 'echo "<fork>END</fork><fork>END</fork><goto>NEXT</goto>"\n',
    'NEXT.sh': 'echo "<goto>END</goto>"\n',
    ...END,
  };
  const { links } = await drawn(files, (turns) => [
    turns.of('START.sh', forkOf('NEXT.sh', 'END.sh', 'END.sh')),
    turns.of('NEXT.sh', { kind: 'goto', target: 'END.sh' }),
    turns.of('END.sh', RESULT),
    turns.of('END.sh', RESULT, { agentId: 'main_end1' }),
  ]);
  expect(links).toEqual([
    'END.sh result  end 2',
    'NEXT.sh goto END.sh 1',
    'START.sh fork END.sh 2',
    'START.sh goto NEXT.sh 1',
  ]);
});

test('a computed target is drawn as the states that it resolved to, each with its own count', async () => {
  const files = { 'START.sh': 'echo "<goto>$where</goto>"\n', 'A.sh': 'echo "<goto>START</goto>"\n', ...END };
  const { links, text } = await drawn(files, (turns) => [
    turns.of('START.sh', { kind: 'goto', target: 'A.sh' }),
    turns.of('A.sh', { kind: 'goto', target: 'START.sh' }),
    turns.of('START.sh', { kind: 'goto', target: 'A.sh' }),
    turns.of('A.sh', { kind: 'goto', target: 'START.sh' }),
    turns.of('START.sh', { kind: 'goto', target: 'END.sh' }),
    turns.of('END.sh', RESULT),
  ]);
  expect(links).toEqual([
    'A.sh goto START.sh 2',
    'END.sh result  end 1',
    'START.sh goto A.sh 2',
    'START.sh goto END.sh 1',
  ]);
  expect(text).not.toContain('?');
});

test('a computed target that no run has resolved stays computed', async () => {
  const files = { 'START.sh': 'echo "<goto>$where</goto>"\n', ...END };
  const { links } = await drawn(files, () => []);
  expect(links).toEqual(['END.sh result  end 0', expect.stringMatching(/^START\.sh goto {2}computed START\.sh . 0$/)]);
});

test('a question that expired counts as its timeout transition', async () => {
  const ask = { kind: 'ask', prompt: '?', next: 'END.sh', timeoutNext: 'LATE.sh' } as const;
  const files = {
    'START.sh': 'echo \'<ask next="END" timeout="1s" timeout_next="LATE">?</ask>\'\n',
    'LATE.sh': 'echo "<result>late</result>"\n',
    ...END,
  };
  const { links } = await drawn(files, (turns) => [
    turns.of('START.sh', ask),
    turns.of('LATE.sh', RESULT, { via: 'ask, no answer' }),
  ]);
  expect(links).toEqual([
    'END.sh result  end 0',
    'LATE.sh result  end 1',
    'START.sh ask END.sh 0',
    'START.sh timeout LATE.sh 1',
  ]);
});

test('another workflow counts under its name in the tag, with its returns', async () => {
  const files = {
    'START.sh':
      'echo "<call-workflow return=\\"END\\">../one/</call-workflow>"; echo "<call-workflow return=\\"END\\">../two</call-workflow>"\n',
    ...END,
  };
  const { links } = await drawn(files, (turns, root) => {
    const two = scopeAt(join(root, 'two'));
    const frame = { state: 'END.sh', scope: scopeAt(join(root, 'flow')), cwd: '/' };
    return [
      turns.of('START.sh', { kind: 'call-workflow', scope: two, target: 'START.sh', return: 'END.sh' }),
      turns.of('START.sh', RESULT, { scope: two, stack: [frame] }),
      turns.of('END.sh', RESULT),
    ];
  });
  expect(links).toEqual([
    ' workflow ../one/ return END.sh 0',
    ' workflow ../two return END.sh 1',
    'END.sh result  end 1',
    'START.sh call  workflow ../one/ 0',
    'START.sh call  workflow ../two 1',
  ]);
});

test('a state whose file was deleted is drawn as missing', async () => {
  const { links, text } = await drawn(END, (turns) => [turns.of('END.sh', { kind: 'goto', target: 'GONE.sh' })]);
  expect(links).toEqual(['END.sh goto GONE.sh 1', 'END.sh result  end 0']);
  expect(text).toContain('✗ GONE.sh');
});
