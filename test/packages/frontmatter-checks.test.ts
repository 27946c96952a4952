// What is warned about in a prompt's frontmatter, where it must stand, and which states it may name.
import { describe, expect, test } from '@jest/globals';
import { parseFrontmatter, readPromptFile, type PromptFile } from '../../src/packages/frontmatter.js';

/** A prompt with these lines of frontmatter; the first of them is line 2. */
const prompt = (...lines: readonly string[]): string => `---\n${lines.map((line) => `${line}\n`).join('')}---\nBody.\n`;

function read(text: string): Extract<PromptFile, { kind: 'prompt' }> {
  const file = parseFrontmatter(text, (line) => `F.md:${line}`);
  if (file.kind === 'invalid') throw new Error(file.problems.join('\n'));
  return file;
}

describe('a warning', () => {
  const KEYS =
    'the keys are account, allowed_transitions, backend, effort, evaluate, force_implicit, limit, lint_ignore, model, result, sandbox, timeout';
  test.each<[string, string, readonly string[]]>([
    ['one unknown key', prompt('colour: red'), [`F.md:2: unknown key colour; ${KEYS}`]],
    [
      'several, sorted, and what they were meant to be',
      prompt('model: haiku', 'modle: x', 'colour: red'),
      [`F.md:3: unknown keys colour, modle (did you mean model?); ${KEYS}`],
    ],
    [
      'a key that its tag does not take',
      prompt('allowed_transitions:', '  - { tag: goto, traget: A, cd: x }'),
      [
        'F.md:3: <goto> does not take cd (it takes target, input, delay)',
        'F.md:3: <goto> does not take traget, did you mean target? (it takes target, input, delay)',
      ],
    ],
    [
      'force_implicit without one complete transition',
      prompt('allowed_transitions: [{ tag: result }]', 'force_implicit: true'),
      [
        'F.md:3: force_implicit has no effect: it needs exactly one allowed transition, with every attribute that its tag requires',
      ],
    ],
    ['a tag of YAML', prompt('model: !!int haiku'), ['F.md:2: Unresolved tag: tag:yaml.org,2002:int']],
  ])('names %s', (_title, text, warnings) => {
    expect(read(text).warnings).toEqual(warnings);
  });

  test.each(['fork, target: A, next: B', 'goto, target: A', 'call, target: A, return: B'])(
    'is not given for an attribute of the author’s own: %s',
    (entry) => expect(read(prompt(`allowed_transitions: [{ tag: ${entry}, item: 1 }]`)).warnings).toEqual([]),
  );
});

describe('where a frontmatter stands', () => {
  const BLOCK = '---\nmodel: haiku\n---\nBody.\n';
  test.each([
    ['windows line ends', BLOCK.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${BLOCK}`],
    ['blanks behind its fences', BLOCK.replaceAll('---', '--- \t')],
  ])('%s do not matter', (_title, text) => {
    expect(read(text)).toMatchObject({ policy: { model: 'haiku' }, body: 'Body.\n', warnings: [] });
  });

  const NOT_AT_TOP = 'the frontmatter has no effect, because "---" is not the first line';
  test.each([
    ['after a blank line', `\n${BLOCK}`, 2, NOT_AT_TOP],
    ['after a comment', `<!-- the planner -->\n${BLOCK}`, 2, NOT_AT_TOP],
    ['after a comment of several lines', `<!-- the\nplanner\n-->\n\n${BLOCK}`, 5, NOT_AT_TOP],
    ['after a heading', `# Plan\n${BLOCK}`, 2, NOT_AT_TOP],
    ['with a blank before it', ` ${BLOCK}`, 1, NOT_AT_TOP],
  ])('%s it is text, with a warning', (...[, text, line, warning]) => {
    const file = read(text);
    expect(file).toMatchObject({ body: text, policy: { allowed: [] } });
    expect(file.warnings).toEqual([expect.stringContaining(`F.md:${line}: ${warning}`)]);
  });

  test.each([
    ['its second fence', '---\nmodel: haiku\nBody.\n\nMore.\n', 1],
    ['its second fence, after a blank line', '---\n\n# the cheap one\nmodel: haiku\n\nBody.\n', 1],
    ['a second fence of its own line', '---\r\nmodel: haiku ---\r\nBody.\r\n', 1],
    ['anything behind its second fence', '---\nmodel: haiku\n---', 1],
    ['a second fence, not at the top either', '\n---\nmodel: haiku\n\nBody.\n', 2],
  ])('without %s it is an error: its policy would be lost', (_title, text, line) => {
    expect(parseFrontmatter(text, (n) => `F.md:${n}`)).toEqual({
      kind: 'invalid',
      problems: [
        expect.stringMatching(
          new RegExp(`^F\\.md:${line}: the frontmatter is never closed: put a line "---" below its last key`),
        ),
      ],
    });
  });

  test.each([
    ['a rule in the text', 'Body.\n\n---\nmodel: haiku\n---\nMore.\n'],
    ['a rule at the top', '---\nBody.\n'],
    ['a rule over a list of words', '---\nNote: this\nTimeout: that\n'],
    ['a block of other things', '\n---\nname: x\n---\nBody.\n'],
    ['an unclosed block whose body speaks of a model', '---\nBody.\n\nmodel: haiku\n'],
    ['a comment that never ends', '<!-- \n---\nmodel: haiku\n---\n'],
    ['nothing', ''],
  ])('%s is no lost frontmatter', (_title, text) => {
    expect(read(text)).toMatchObject({ body: text, warnings: [] });
  });
});

describe('the states that a policy names', () => {
  const place = {
    positionText: (line: number) => `/p/F.md:${line}`,
    files: ['A.md', 'A.sh', 'B.md', 'W.bat'],
    platform: 'unix' as const,
  };
  const entries = (...lines: readonly string[]): string =>
    prompt('allowed_transitions:', ...lines.map((l) => `  - ${l}`));

  test('must be there, each mistake with its line', () => {
    const text = entries(
      '{ tag: goto, target: B }',
      '{ tag: call, target: B.md, return: C }',
      '{ tag: goto, target: D }',
    );
    expect(readPromptFile({ text }, place)).toEqual({
      kind: 'invalid',
      problems: [
        expect.stringMatching(/^\/p\/F\.md:4: allowed_transitions: there is no state "C"/),
        expect.stringMatching(/^\/p\/F\.md:5: allowed_transitions: there is no state "D"/),
      ],
    });
  });

  test.each([
    ['ambiguous', '{ tag: goto, target: A }', '"A" is ambiguous'],
    ['of another platform', '{ tag: goto, target: W }', '"W" cannot run on this platform'],
    ['a path', '{ tag: goto, target: x/B }', 'there is no state "x/B"'],
  ])('must not be %s', (_title, entry, message) => {
    const file = readPromptFile({ text: entries(entry) }, place);
    expect(file).toMatchObject({ kind: 'invalid', problems: [expect.stringContaining(message)] });
  });

  test('are no concern of an entry that names none', () => {
    expect(readPromptFile({ text: entries('{ tag: goto }', '{ tag: result }') }, place).kind).toBe('prompt');
  });
});

describe('evaluate', () => {
  const folder = { files: ['A.md', 'B.md'], platform: 'unix', positionText: (line: number) => `F.md:${line}` } as const;
  const of = (...lines: readonly string[]): PromptFile =>
    readPromptFile({ text: prompt('evaluate:', ...lines.map((line) => `  - ${line}`)) }, folder);

  test('reads patterns with their transitions, and the judge, with their lines', () => {
    const read = of('{ match: "a|b", transition: <goto>A</goto> }', '{ state: B }');
    expect(read).toMatchObject({
      policy: {
        evaluation: {
          patterns: [{ match: 'a|b', instead: { kind: 'one', tag: { kind: 'goto', target: 'A' } }, line: 3 }],
          judge: { state: 'B', line: 4 },
        },
      },
    });
  });

  const FORM =
    'evaluate: expected a list of { match: REGEX, transition: "<goto>STATE</goto>" } and at most one { state: JUDGE }';
  test.each<[string, readonly string[], string]>([
    [
      'a pattern that RE2 cannot use',
      ['{ match: "(?=a)", transition: <goto>A</goto> }'],
      'F.md:3: evaluate: match: "(?=a)" is not a pattern of RE2',
    ],
    [
      'a transition without a tag',
      ['{ match: a, transition: A }'],
      'F.md:3: evaluate: transition: the output has no transition tag',
    ],
    [
      'a transition with two tags',
      ['{ match: a, transition: "<goto>A</goto><goto>B</goto>" }'],
      'F.md:3: evaluate: transition: the output has 2 transition tags',
    ],
    [
      'a state that does not exist',
      ['{ match: a, transition: <goto>Z</goto> }', '{ state: Y }'],
      'F.md:3: evaluate: there is no state "Z"',
    ],
    ['a judge that does not exist', ['{ state: Y }'], 'F.md:3: evaluate: there is no state "Y"'],
    ['a pattern without a transition', ['{ match: a }'], `F.md:3: ${FORM}`],
    ['other keys', ['{ state: A, model: haiku }'], `F.md:3: ${FORM}`],
    ['no mapping', ['A'], `F.md:3: ${FORM}`],
    ['two judges', ['{ state: A }', '{ state: B }'], 'F.md:3: evaluate: only one entry may name a state'],
  ])('refuses %s', (_what, lines, problem) => {
    const read = of(...lines);
    expect(read.kind === 'invalid' ? read.problems[0] : read).toContain(problem);
  });
});
