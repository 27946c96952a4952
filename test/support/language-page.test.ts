// A page is read as its readers read it, and what would not be tested is refused.
import { describe, expect, test } from '@jest/globals';
import { sectionOf } from './fenced-blocks.js';
import { readExamples } from './language-page.js';

const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;
const under = (caption: string, text: string): string => `${caption}:\n\n${fenced('', text)}`;

const PAGE = [
  '# The `<goto>` tag',
  'Words.',
  under('`START.sh`', "echo '<goto>A</goto>'"),
  under('`A.md`', 'Say a.'),
  under('Claude answers in `A`', 'I forgot.\n---\n<result>a</result>'),
  under('Claude was asked in `A`', 'Say a.'),
  under('Now `made.yaml` holds', 'states:'),
  fenced('console', '$ raymond start . --input "a b"\nline 1\nline 2\n(exit 3)\n$ raymond list'),
  under('On stderr', 'main …'),
  'More words.',
  under('`X.sh`', 'true'),
  fenced('console', '$ raymond X.sh'),
].join('\n');

describe('a page', () => {
  test('is read as examples: files, answers, prompts, commands with output and exit code, lines of stderr', () => {
    const [first, second, ...others] = readExamples(PAGE);
    expect(others).toEqual([]);
    expect(first).toEqual({
      title: 'The <goto> tag',
      line: 5,
      files: new Map([
        ['START.sh', "echo '<goto>A</goto>'\n"],
        ['A.md', 'Say a.\n'],
      ]),
      answers: new Map([['A', ['I forgot.', '<result>a</result>']]]),
      made: new Map([['made.yaml', 'states:\n']]),
      prompts: new Map([['A', 'Say a.']]),
      commands: [
        { args: ['start', '.', '--input', 'a b'], stdout: 'line 1\nline 2', exitCode: 3 },
        { args: ['list'], stdout: '', exitCode: 0 },
      ],
      stderr: ['main …'],
    });
    expect(second?.title).toBe('The <goto> tag (2)');
  });

  test.each([
    ['without examples', '# Title\nWords with `code`.', 'the page has no examples'],
    ['with an example that runs nothing', under('`A.sh`', 'true'), 'line 3: the example "" has no console block'],
    ['with a block that nobody runs', fenced('sh', 'true') + fenced('console', '$ raymond .'), 'line 1: a block "sh"'],
    ['with a command that is not ours', fenced('console', '$ rm -rf x'), 'line 1: only "raymond" is run here'],
    ['with output before a command', fenced('console', 'x\n$ raymond .'), 'line 1: a console block begins with'],
    ['with a file twice', under('`A.sh`', 'a') + under('`A.sh`', 'b'), 'line 8: A.sh stands twice'],
    ['with a name where renderers drop it', fenced('sh A.sh', 'a'), 'line 1: "sh A.sh": the name belongs into a line'],
    ['with a block that is not closed', '```console\n$ raymond .', 'line 1: the block is not closed'],
  ])('%s is refused', (_what, page, message) => {
    expect(() => readExamples(page)).toThrow(message);
  });
});

test('a section goes to the next heading of its level; headings in blocks are none', () => {
  const page = `# A\n\n## \`<b>\`\nwords\n\n${under('`B.sh`', '# raymond: retries=1')}\n### Below\nmore\n\n## C\nno more\n`;
  expect(sectionOf(page, '<b>')).toMatch(/words[^]*more\n\n$/);
  expect(sectionOf(page, '<b>')).not.toMatch(/no more|retries/);
  expect(sectionOf(page, 'raymond: retries=1')).toBe('');
});
