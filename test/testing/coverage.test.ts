// The coverage of a workflow, in percent and in lines. test/e2e/testing.long.test.ts covers the transitions of real runs.
import { expect, test } from '@jest/globals';
import { graphOf } from '../../src/analysis/graph.js';
import { readSource } from '../../src/analysis/source.js';
import { openScope } from '../../src/packages/open.js';
import { scopeAt } from '../../src/protocol/scope.js';
import { stepsOf } from '../../src/history/steps.js';
import type { RecordedTurn } from '../../src/history/turns.js';
import { coveredIn, coverageLines, percentOf, type Coverage } from '../../src/testing/coverage.js';
import { folder } from '../support/folder.js';
import { forkOf, RESULT, Turns } from '../support/turns.js';

const half = { covered: 1, of: 2, missing: ['B'] };
const whole = { covered: 2, of: 2, missing: [] };

test('states and transitions count alike, and an empty workflow is covered', () => {
  expect(percentOf([{ workflow: '/w', states: half, edges: whole }])).toBe(75);
  expect(percentOf([])).toBe(100);
});

test('untested states and transitions are listed', () => {
  expect(coverageLines([{ workflow: '/w', states: half, edges: half }], (path) => path.slice(1))).toEqual([
    'w: 1 of 2 states, 1 of 2 transitions',
    '    not reached: B',
    '    not taken: B',
  ]);
});

async function covered(
  files: Readonly<Record<string, string>>,
  turnsIn: (turns: Turns) => readonly RecordedTurn[],
): Promise<Pick<Coverage, 'states' | 'edges'>> {
  const scope = scopeAt(await folder(files));
  const graph = graphOf(await readSource(await openScope(scope), { scope, platform: 'unix' }));
  const turns = turnsIn(new Turns(scope));
  return coveredIn(graph, {
    entries: ['START.sh'],
    seen: new Set(turns.map(({ state }) => state)),
    steps: stepsOf(turns),
  });
}

const END = { 'END.sh': 'echo "<result>x</result>"\n' };

test('a <goto> beside forks is covered when the forking agent follows it', async () => {
  const files = {
    'START.sh': 'echo "<fork>END</fork><goto>NEXT</goto>"\n',
    'NEXT.sh': 'echo "<goto>END</goto>"\n',
    ...END,
  };
  const { edges } = await covered(files, (turns) => [turns.of('START.sh', forkOf('NEXT.sh', 'END.sh'))]);
  expect(edges).toEqual({ covered: 2, of: 4, missing: ['NEXT → END (goto)', 'END ends (result)'] });
});

test('a <goto> is not covered by a fork that names the same state', async () => {
  const files = {
    'START.sh': 'if x; then echo "<fork next=\\"END\\">END</fork>"; else echo "<goto>END</goto>"; fi\n',
    ...END,
  };
  const { edges } = await covered(files, (turns) => [
    turns.of('START.sh', forkOf('END.sh', 'END.sh')),
    turns.of('END.sh', RESULT),
  ]);
  expect(edges.missing).toEqual(['START → END (goto)']);
});

test('a computed target is covered when a run resolved it to a state of the workflow', async () => {
  const files = {
    'START.sh': 'echo "<goto>$where</goto>"\n',
    'A.sh': 'echo "<goto>B</goto>"\n',
    'B.sh': 'echo "<goto>END</goto>"\n',
    ...END,
  };
  const { states, edges } = await covered(files, (turns) => [
    turns.of('START.sh', { kind: 'goto', target: 'A.sh' }),
    turns.of('A.sh', { kind: 'goto', target: 'B.sh' }),
  ]);
  expect(states).toEqual({ covered: 2, of: 4, missing: ['B', 'END'] });
  expect(edges).toEqual({ covered: 2, of: 4, missing: ['B → END (goto)', 'END ends (result)'] });
  expect((await covered(files, () => [])).edges.missing).toEqual(['START → … (goto)']);
});
