// From names to files: every row of the tables, on both platforms.
import { describe, expect, test } from '@jest/globals';
import {
  executorOf,
  literalTargets,
  literalWorkflows,
  resolveEntry,
  resolveState,
  stateFiles,
  type Platform,
} from '../../../src/protocol/language/resolve.js';

function outcomeOf(name: string, files: readonly string[], platform: Platform): string {
  const found = resolveState({ name, files, platform });
  return found.kind === 'state' ? found.file : found.problem.kind;
}

describe('a name without extension', () => {
  test.each([
    ['md', 'N.md', 'N.md'],
    ['sh', 'N.sh', 'wrong-platform'],
    ['bat', 'wrong-platform', 'N.bat'],
    ['ps1', 'wrong-platform', 'N.ps1'],
    ['sh bat', 'N.sh', 'N.bat'],
    ['sh ps1', 'N.sh', 'N.ps1'],
    ['bat ps1', 'wrong-platform', 'ambiguous-state'],
    ['md sh', 'ambiguous-state', 'N.md'],
    ['md bat', 'N.md', 'ambiguous-state'],
    ['md ps1', 'N.md', 'ambiguous-state'],
    ['md bat ps1', 'N.md', 'ambiguous-state'],
    ['md sh bat', 'ambiguous-state', 'ambiguous-state'],
    ['md sh ps1', 'ambiguous-state', 'ambiguous-state'],
    ['sh bat ps1', 'N.sh', 'ambiguous-state'],
    ['md sh bat ps1', 'ambiguous-state', 'ambiguous-state'],
    ['py', 'N.py', 'N.py'],
    ['js', 'N.js', 'N.js'],
    ['ts', 'N.ts', 'N.ts'],
    ['sh py', 'N.sh', 'N.py'],
    ['bat js', 'N.js', 'N.bat'],
    ['md ts', 'N.md', 'N.md'],
    ['md sh py', 'ambiguous-state', 'N.md'],
    ['', 'unknown-state', 'unknown-state'],
    ['txt', 'unknown-state', 'unknown-state'],
    ['MD', 'unknown-state', 'unknown-state'],
  ])('with %s there', (extensions, unix, windows) => {
    const files = ['OTHER.md', ...extensions.split(' ').map((extension) => `N.${extension}`)];
    expect(outcomeOf('N', files, 'unix')).toBe(unix);
    expect(outcomeOf('N', files, 'windows')).toBe(windows);
  });
});

describe('a name with an extension is taken literally', () => {
  const files = ['N.md', 'N.sh', 'N.bat', 'N.ps1', 'N.txt', 'V1.2', 'V1.2.md', 'X.SH'];
  test.each([
    ['N.md', 'N.md', 'N.md'],
    ['N.sh', 'N.sh', 'wrong-platform'],
    ['N.bat', 'wrong-platform', 'N.bat'],
    ['N.ps1', 'wrong-platform', 'N.ps1'],
    ['N.txt', 'N.txt', 'N.txt'],
    ['V1.2', 'V1.2', 'V1.2'],
    ['X.SH', 'X.SH', 'wrong-platform'],
    ['n.md', 'unknown-state', 'unknown-state'],
    ['M.sh', 'unknown-state', 'unknown-state'],
    ['N.', 'unknown-state', 'unknown-state'],
    ['..', 'unknown-state', 'unknown-state'],
    ['../N.md', 'unknown-state', 'unknown-state'],
  ])('%s', (name, unix, windows) => {
    expect(outcomeOf(name, files, 'unix')).toBe(unix);
    expect(outcomeOf(name, files, 'windows')).toBe(windows);
  });
});

describe('problems say where it was looked and what was meant', () => {
  test.each<[string, Platform, readonly string[]]>([
    ['N', 'unix', ['N.md', 'N.sh', 'N.py', 'N.js', 'N.ts']],
    ['N', 'windows', ['N.md', 'N.ps1', 'N.bat', 'N.py', 'N.js', 'N.ts']],
    ['N.md', 'unix', ['N.md']],
  ])('%s on %s', (name, platform, lookedFor) => {
    expect(resolveState({ name, files: ['B.md', 'A.sh', 'notes.txt'], platform })).toEqual({
      kind: 'problem',
      problem: { kind: 'unknown-state', name, lookedFor, states: ['A.sh', 'B.md'], count: 2 },
    });
  });

  test.each([
    ['review', ['REVIEW.md'], 'REVIEW.md'],
    ['Review.MD', ['REVIEW.sh', 'REVIEW.md'], 'REVIEW.md'],
    ['REVEIW', ['REVIEW.md'], 'REVIEW.md'],
    ['REVIW.md', ['REVIEW.md', 'PREVIEW.md'], 'REVIEW.md'],
    ['REVIEW.sh', ['REVIEW.md'], 'REVIEW.md'],
    ['V1.2', ['V1.2.md'], 'V1.2.md'],
    ['B', ['A.md'], undefined],
    ['B.md', ['A.md'], undefined],
    ['PLAN', ['REVIEW.md'], undefined],
  ])('%s among %j: did you mean %s', (name, files, near) => {
    const found = resolveState({ name, files, platform: 'unix' });
    expect(found.kind === 'problem' && found.problem.kind === 'unknown-state' && found.problem.near).toBe(near);
  });

  test('of a folder with very many states a problem shows the first', () => {
    const files = Array.from({ length: 5000 }, (_, index) => `STATE${index}.md`);
    const found = resolveState({ name: 'ELSEWHERE', files, platform: 'unix' });
    expect(found).toMatchObject({ problem: { count: 5000 } });
    expect(JSON.stringify(found).length).toBeLessThan(1000);
  });

  test.each([
    ['N', ['N.bat', 'N.ps1'], ['N.md', 'N.sh', 'N.py', 'N.js', 'N.ts']],
    ['N.bat', ['N.bat'], ['N.md', 'N.sh', 'N.py', 'N.js', 'N.ts']],
  ])('%s of another platform', (name, files, lookedFor) => {
    expect(resolveState({ name, files, platform: 'unix' })).toEqual({
      kind: 'problem',
      problem: { kind: 'wrong-platform', name, files, lookedFor },
    });
  });

  test('an ambiguous name lists the files', () => {
    expect(resolveState({ name: 'N', files: ['N.sh', 'N.md'], platform: 'unix' })).toEqual({
      kind: 'problem',
      problem: { kind: 'ambiguous-state', name: 'N', files: ['N.md', 'N.sh'] },
    });
  });
});

describe('the entry point', () => {
  test.each([
    ['both', '1_START.md START.sh', 'two-entries'],
    ['only 1_START', '1_START.md A.md', '1_START.md'],
    ['only START', 'START.sh A.md', 'START.sh'],
    ['an ambiguous 1_START and START', '1_START.md 1_START.sh START.md', 'START.md'],
    ['1_START of another platform and START', '1_START.bat START.md', 'START.md'],
    ['neither', 'A.md B.sh', 'no-entry'],
    ['an ambiguous 1_START alone', '1_START.md 1_START.sh', 'ambiguous-state'],
    ['an ambiguous START alone', 'START.md START.sh', 'ambiguous-state'],
    ['START of another platform', 'START.bat A.md', 'wrong-platform'],
    ['another case', 'start.md', 'no-entry'],
    ['an empty folder', '', 'no-entry'],
  ])('%s', (_title, files, outcome) => {
    const entry = resolveEntry({ files: files.split(' '), platform: 'unix' });
    expect(entry.kind === 'state' ? entry.file : entry.problem.kind).toBe(outcome);
  });

  test('a folder without one shows its states and where it is', () => {
    expect(resolveEntry({ files: ['b.sh', 'a.md', 'x.txt'], platform: 'unix', path: 'flow' })).toEqual({
      kind: 'problem',
      problem: { kind: 'no-entry', states: ['a.md', 'b.sh'], path: 'flow' },
    });
  });
});

test('the states of a folder are its prompts and scripts, sorted, hidden ones left out', () => {
  const files = ['z.md', 'a.SH', 'b.bat', 'c.ps1', 'd.txt', 'workflow.yaml', 'md', '.hidden.md', '._z.md', 'README.md'];
  expect(stateFiles(files)).toEqual(['README.md', 'a.SH', 'b.bat', 'c.ps1', 'z.md']);
});

test.each([
  ['A.md', 'prompt'],
  ['A.sh', 'bash'],
  ['A.SH', 'bash'],
  ['A.bat', 'cmd'],
  ['A.ps1', 'powershell'],
  ['/x.sh/A.txt', 'prompt'],
  ['/x.sh/A', 'prompt'],
  ['sh', 'prompt'],
  ['A.constructor', 'prompt'],
])('%s is run by %s', (file, executor) => {
  expect(executorOf(file)).toBe(executor);
});

describe('literal targets', () => {
  test.each([
    ['of all tags, each once', '<goto>A</goto> <reset>B.sh</reset> <goto> A </goto>', ['A', 'B.sh']],
    ['return and next too', '<call return="C">A</call><fork next="D">W</fork>', ['A', 'C', 'W', 'D']],
    ['not of results', '<result>done</result>', []],
    ['in a bash script', 'echo "<call return=\\"C\\">A</call>"', ['A', 'C']],
    ['in a batch file', 'echo ^<goto^>A^</goto^>', ['A']],
    ['mistakes are left out', '<goto></goto><goto>a/b</goto><call>A</call>', ['A']],
    ['variables stay as they are', 'echo "<goto>$NEXT</goto>"', ['$NEXT']],
  ])('%s', (_title, text, names) => {
    expect(literalTargets(text)).toEqual(names);
  });

  test.each<[string, string, readonly string[]]>([
    [
      'of each tag, once',
      '<call-workflow return="A">../o/</call-workflow><fork-workflow next="A"> ../o/ </fork-workflow>',
      ['../o/'],
    ],
    ['in a bash script', 'echo "<reset-workflow>../o.zip/X</reset-workflow>"', ['../o.zip/X']],
    ['not of states', '<goto>A</goto><fork next="B">C</fork>', []],
    [
      'not of what is only known later',
      '<reset-workflow>../$X/</reset-workflow><reset-workflow>{{x}}</reset-workflow>',
      [],
    ],
  ])('other workflows: %s', (_title, text, names) => {
    expect(literalWorkflows(text)).toEqual(names);
  });

  test('a text that shares one closing tag is read in linear time', () => {
    const started = process.cpuUsage();
    expect(literalTargets(`${'<goto>'.repeat(500_000)}A</goto>`).at(-1)).toBe('A');
    // Microseconds of the processor, whatever else this machine does. In square time it would be hours.
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
  });
});

test.each([
  ['B', 'B.sh'],
  ['B.md', 'B.sh'],
  ['B.SH', 'B.sh'],
  ['B.txt', 'unknown-state'],
  ['A.sh', 'A.md'],
])('in a YAML file %s is %s', (name, outcome) => {
  const found = resolveState({ name, files: ['A.md', 'B.sh', 'B.bat'], kind: 'yaml', platform: 'unix' });
  expect(found.kind === 'state' ? found.file : found.problem.kind).toBe(outcome);
});
