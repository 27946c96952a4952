// Suppressed findings are not reported: in the frontmatter, in a comment of a script, in the config; never in text that a model reads.
import { expect, test } from '@jest/globals';
import { linted, placed, type Files } from './kit.js';

const CODE = { 'B.sh': 'echo "<result>x</result>"' };
const HEAD = '---\nlint_ignore: [loop-without-limit, dead-end-state]\n---\n';

test.each<[string, Files, readonly string[]]>([
  ['a frontmatter', { 'START.md': '---\nlint_ignore: dead-end-state\n---\nThink.' }, []],
  ['a list in a frontmatter', { 'START.md': `${HEAD}Think.` }, ['unused-suppression START.md:2:14']],
  [
    'a comment of a script',
    {
      'START.sh': '#!/bin/bash -e\n# raymond-lint ignore=shebang-ignored,unreachable-state\necho "<result>x</result>"',
    },
    ['unused-suppression START.sh:2:23'],
  ],
  [
    'a comment of a program in TypeScript',
    { 'START.ts': '// raymond-lint ignore=not-erasable\nenum A { x = 1 }\nconsole.log(`<result>${A.x}</result>`);\n' },
    [],
  ],
  ['a state of YAML', { 'flow.yaml': 'states:\n  START:\n    lint_ignore: dead-end-state\n    prompt: Think.\n' }, []],
  [
    'a script of YAML',
    {
      'flow.yaml':
        'states:\n  START:\n    sh: |\n      #!/bin/bash -e\n      # raymond-lint ignore=shebang-ignored\n      echo "<result>x</result>"\n',
    },
    [],
  ],
  [
    'another state',
    { 'START.sh': '# raymond-lint ignore=dead-end-state\necho "<goto>A</goto>"', 'A.md': 'Think.' },
    ['dead-end-state A.md:1:1', 'unused-suppression START.sh:1:23'],
  ],
  [
    'the text of a prompt',
    { 'START.md': '<!-- raymond-lint ignore=dead-end-state -->\nThink.' },
    ['dead-end-state START.md:1:1'],
  ],
])('%s suppresses what it names, in its own state', async (_where, files, left) => {
  // A suppression of a rule that reports nothing is only a hint.
  const findings = (await linted(files)).filter(
    ({ id, severity }) => severity !== 'info' || id === 'unused-suppression',
  );
  expect(findings.map(placed)).toEqual(left);
});

test('the config suppresses a rule for all states', async () => {
  const files = { 'START.md': 'Think.', ...CODE };
  const ids = async (ignore: readonly string[]): Promise<readonly string[]> =>
    (await linted(files, ignore)).map(({ id }) => id);
  expect(await ids([])).toEqual(['unreachable-state', 'dead-end-state']);
  expect(await ids(['dead-end-state'])).toEqual(['unreachable-state']);
});
