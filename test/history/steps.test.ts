// The steps that recorded turns tell: where an agent went, when that is known, and back to whom.
import { expect, test } from '@jest/globals';
import { stepsOf, withAllForks, type Step } from '../../src/history/steps.js';
import type { RecordedTurn } from '../../src/history/turns.js';
import { dividedForks } from '../../src/activities/turn/fork-pages.js';
import { scopeAt } from '../../src/protocol/scope.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';
import { forkOf, RESULT, Turns } from '../support/turns.js';

const shown = ({ from, tag, role, to }: Step): string => {
  const target = to.kind === 'state' ? to.file : to.kind === 'workflow' ? to.scope.path : 'end';
  return `${from} ${tag} ${role} ${target}`;
};
const told = (turns: readonly RecordedTurn[]): readonly string[] => stepsOf(turns).map(shown);

const ASK = { kind: 'ask', prompt: '?', next: 'YES.sh', timeoutNext: 'LATE.sh' } as const;

test('each fork is a step, and so is where the forking agent continues', () => {
  const turns = new Turns(scopeAt('/w'));
  const steps = told([turns.of('A.sh', forkOf('NEXT.sh', 'W.sh', 'W.sh', 'V.sh'))]);
  expect(steps).toEqual([
    'A.sh fork target W.sh',
    'A.sh fork target W.sh',
    'A.sh fork target V.sh',
    'A.sh fork next NEXT.sh',
  ]);
});

test.each([
  ['that was answered', { via: 'ask' }, 'YES.sh', ['A.sh ask next YES.sh']],
  ['that nobody answered', { via: 'ask, no answer' }, 'LATE.sh', ['A.sh ask timeout LATE.sh']],
  ['that an operator ended', { via: 'goto by ada' }, 'OTHER.sh', []],
])('a question %s is known by the next turn', (...[, before, state, expected]) => {
  const turns = new Turns(scopeAt('/w'));
  const asked = turns.of('A.sh', ASK);
  expect(told([asked])).toEqual([]);
  const other = turns.of('W.sh', { kind: 'await', next: 'X.sh' }, { agentId: 'main_w1' });
  expect(told([asked, other, turns.of(state, { kind: 'await', next: 'X.sh' }, before)])).toEqual(expected);
});

test('a result goes back to the call that is open, and to no other', () => {
  const turns = new Turns(scopeAt('/w'));
  const steps = told([
    turns.of('A.sh', { kind: 'call', target: 'B.sh', return: 'C.sh' }),
    turns.of('B.sh', { kind: 'function', target: 'D.sh', return: 'E.sh' }),
    turns.of('W.sh', RESULT, { agentId: 'main_w1' }),
    turns.of('D.sh', RESULT),
    turns.of('E.sh', { kind: 'call-workflow', scope: scopeAt('/other'), target: 'START.sh', return: 'F.sh' }),
    turns.of('START.sh', RESULT, { scope: scopeAt('/other') }),
    turns.of('F.sh', RESULT),
    turns.of('C.sh', RESULT),
  ]);
  expect(steps.filter((step) => step.includes(' return '))).toEqual([
    'B.sh function return E.sh',
    'E.sh call-workflow return F.sh',
    'A.sh call return C.sh',
  ]);
  expect(steps).toContain('E.sh call-workflow target /other');
});

test('a turn that failed took no step', () => {
  const turn = new Turns(scopeAt('/w')).of('A.sh', RESULT);
  const failure = { type: 'ScriptFailed', message: 'no' } as const;
  expect(told([{ ...turn, end: { kind: 'failed', failure } }, turn])).toEqual(['A.sh result target end']);
});

test('forks that are too many for a transition are read from the store', async () => {
  const artifacts = new FolderStore(await folder({}));
  const forks = Array.from({ length: 250 }, () => ({ target: 'W.sh', attributes: {} }));
  const divided = await dividedForks(artifacts, forks);
  expect(divided.forks).toEqual([]);
  const turn = new Turns(scopeAt('/w')).of('A.sh', { kind: 'fork', ...divided, next: 'B.sh' });
  expect(told(await withAllForks([turn], artifacts))).toEqual([
    ...forks.map(() => 'A.sh fork target W.sh'),
    'A.sh fork next B.sh',
  ]);
});
