// A prompt's frontmatter as authors write it, right and wrong: what it says, and where each mistake is.
import { describe, expect, test } from '@jest/globals';
import { parseFrontmatter, type PromptFile } from '../../src/packages/frontmatter.js';

/** A prompt with these lines of frontmatter; the first of them is line 2. */
const prompt = (...lines: readonly string[]): string => `---\n${lines.map((line) => `${line}\n`).join('')}---\nBody.\n`;

function read(text: string): Extract<PromptFile, { kind: 'prompt' }> {
  const file = parseFrontmatter(text, (line) => `F.md:${line}`);
  if (file.kind === 'invalid') throw new Error(file.problems.join('\n'));
  return file;
}

function mistakesOf(text: string): readonly string[] {
  const file = parseFrontmatter(text, (line) => `F.md:${line}`);
  return file.kind === 'invalid' ? file.problems : [];
}

describe('a prompt without a policy', () => {
  test.each([
    ['no frontmatter', 'Body.\n'],
    ['an empty one', '---\n---\nBody.\n'],
    ['a null one', prompt('null')],
    ['a tilde', prompt('~')],
    ['an empty mapping', prompt('{}')],
    ['a comment', prompt('# nothing yet')],
    ['keys without values', prompt('model:', 'effort: ~', 'timeout: null', 'allowed_transitions:')],
    ['an empty list', prompt('allowed_transitions: []')],
  ])('%s', (_title, text) => {
    expect(read(text)).toEqual({
      kind: 'prompt',
      body: 'Body.\n',
      policy: { allowed: [], forceImplicit: false },
      warnings: [],
    });
  });
});

describe('a frontmatter says', () => {
  test.each<[string, readonly string[], object]>([
    ['an alias of a model', ['model: " Haiku "'], { model: 'haiku' }],
    ['a full model name', ['model: Claude-Sonnet-4-5'], { model: 'claude-sonnet-4-5' }],
    ['a short name of Claude Code', ['model: sonnet[1m]'], { model: 'sonnet[1m]' }],
    ['a name that is no version', ['model: opusplan'], { model: 'opusplan' }],
    ['a name that came later', ['model: fable'], { model: 'fable' }],
    ['a name that nobody knows yet', ['model: gpt-6'], { model: 'gpt-6' }],
    ['an effort of pi', ['effort: off'], { effort: 'off' }],
    ['an ARN as it is', ['model: arn:aws:bedrock:x/ABC'], { model: 'arn:aws:bedrock:x/ABC' }],
    ['an effort', ['effort: HIGH'], { effort: 'high' }],
    ['a timeout', ['timeout: 90'], { timeout: 90 }],
    ['a timeout in decimals', ['timeout: 0.5'], { timeout: 0.5 }],
    ['a timeout with a unit', ['timeout: 60s'], { timeout: 60 }],
    ['a timeout with a unit in decimals', ['timeout: "1.5m"'], { timeout: 90 }],
    ['a limit', ['limit: repo:payments'], { limits: ['repo:payments'] }],
    ['an empty list of limits', ['limit: []'], { limits: [] }],
    ['limits', ['limit: [gpu, repo:payments]'], { limits: ['gpu', 'repo:payments'] }],
    ['no timeout', ['timeout: 0'], { timeout: 0 }],
    ['force_implicit: false', ['force_implicit: false'], { forceImplicit: false }],
    [
      'force_implicit: true',
      ['force_implicit: True', 'allowed_transitions: [{ tag: goto, target: A }]'],
      { forceImplicit: true },
    ],
    [
      'transitions, with the lines of their entries',
      [
        'allowed_transitions:',
        '  # first',
        '  - { tag: goto, target: A.md }',
        '  - tag: call',
        '    target: B',
        '    return: " C "',
        '  - { tag: fork, target: W, next: C, item: " x " }',
      ],
      {
        allowed: [
          { tag: 'goto', attributes: { target: 'A.md' }, line: 4 },
          { tag: 'call', attributes: { target: 'B', return: 'C' }, line: 5 },
          { tag: 'fork', attributes: { target: 'W', next: 'C', item: ' x ' }, line: 8 },
        ],
      },
    ],
    [
      'scalars of every type as the text that they are',
      ['allowed_transitions:', '  - { tag: result, payload: 1.50 }', '  - { tag: goto, target: 007, input: yes }'],
      {
        allowed: [
          { tag: 'result', attributes: { payload: '1.50' }, line: 3 },
          { tag: 'goto', attributes: { target: '007', input: 'yes' }, line: 4 },
        ],
      },
    ],
    [
      'a fixed result that is true, null, empty, or of several lines',
      [
        'allowed_transitions:',
        '  - { tag: result, payload: true }',
        '  - { tag: result, payload: null }',
        '  - { tag: result, payload: }',
        '  - tag: result',
        '    payload: |',
        '      one',
        '      two',
      ],
      {
        allowed: [
          { tag: 'result', attributes: { payload: 'true' }, line: 3 },
          { tag: 'result', attributes: { payload: 'null' }, line: 4 },
          { tag: 'result', attributes: { payload: '' }, line: 5 },
          { tag: 'result', attributes: { payload: 'one\ntwo' }, line: 6 },
        ],
      },
    ],
  ])('%s', (_title, lines, policy) => {
    const file = read(prompt(...lines));
    expect(file.policy).toMatchObject(policy);
    expect(file).toMatchObject({ body: 'Body.\n', warnings: [] });
  });
});

describe('a mistake', () => {
  test.each<[string, readonly string[], string]>([
    [
      'an unknown model',
      ['effort: low', 'model: gpt 4'],
      'F.md:3: model: expected the name of a model, such as opus, sonnet or claude-…, got "gpt 4"',
    ],
    [
      'an unknown effort',
      ['effort: hi'],
      'F.md:2: effort: expected one of off, minimal, low, medium, high, xhigh, max, got "hi"',
    ],
    [
      'a negative timeout',
      ['', 'timeout: -1'],
      'F.md:3: timeout: expected a duration such as 90s, 5m, 2h or 7d; 0 = never, got "-1"',
    ],
    [
      'a timeout with an unknown unit',
      ['timeout: 5min'],
      'F.md:2: timeout: expected a duration such as 90s, 5m, 2h or 7d; 0 = never, got "5min"',
    ],
    [
      'an endless timeout',
      ['timeout: Infinity'],
      'F.md:2: timeout: expected a duration such as 90s, 5m, 2h or 7d; 0 = never, got "Infinity"',
    ],
    ['no boolean', ['force_implicit: 1'], 'F.md:2: force_implicit: expected true or false, got "1"'],
    ['a list as model', ['model: [haiku]'], 'F.md:2: model: expected one value, got a list'],
    [
      'a limit of two words',
      ['limit: two words'],
      'F.md:2: limit: expected a name without spaces and commas, such as opus or repo:payments, got "two words"',
    ],
    ['a mapping as limit', ['limit: { a: 1 }'], 'F.md:2: limit: expected a name or a list of names, got a mapping'],
    ['a mapping as timeout', ['timeout: { a: 1 }'], 'F.md:2: timeout: expected one value, got a mapping'],
    [
      'a word as transitions',
      ['allowed_transitions: NEXT'],
      'F.md:2: allowed_transitions: expected a list of entries such as { tag: goto, target: NEXT }, got "NEXT"',
    ],
    [
      'a mapping as transitions',
      ['allowed_transitions:', '  tag: goto'],
      'F.md:3: allowed_transitions: expected a list of entries such as { tag: goto, target: NEXT }, got a mapping',
    ],
    [
      'a word as an entry',
      ['allowed_transitions:', '  - NEXT'],
      'F.md:3: allowed_transitions: expected entries such as { tag: goto, target: NEXT }, got "NEXT"',
    ],
    [
      'nothing as an entry',
      ['allowed_transitions:', '  -'],
      'F.md:3: allowed_transitions: expected entries such as { tag: goto, target: NEXT }, got nothing',
    ],
    [
      'an entry without tag',
      ['allowed_transitions:', '  - { tag: result }', '  - { target: A }'],
      'F.md:4: an allowed transition needs a tag, as in { tag: goto, target: NEXT }',
    ],
    [
      'an unknown tag',
      ['allowed_transitions:', '  - target: A', '    tag: gto'],
      'F.md:4: there is no tag "gto", did you mean goto? (the tags are ',
    ],
    ['a tag in upper case', ['allowed_transitions: [{ tag: GOTO }]'], 'there is no tag "GOTO", did you mean goto?'],
    [
      'a target without a name',
      ['allowed_transitions:', '  - tag: call', '    return: A', '    target: ""'],
      'F.md:5: target of <call> names no state',
    ],
    [
      'a list as target',
      ['allowed_transitions:', '  - tag: goto', '    target: [A, B]'],
      'F.md:4: target: expected text, got a list',
    ],
    ['a list as the whole', ['- model'], 'F.md:2: the frontmatter must consist of keys and values'],
    ['a word as the whole', ['haiku'], 'F.md:2: the frontmatter must consist of keys and values'],
    ['a key that is given twice', ['model: haiku', 'model: opus'], 'F.md:3: the key "model" is repeated; remove one'],
    ['broken YAML', ['model: haiku', 'effort: "low'], 'F.md:'],
    ['a tab as indentation', ['allowed_transitions:', '\t- { tag: goto }'], 'F.md:3: '],
    ['an alias without an anchor', ['model: haiku', 'effort: *none'], 'F.md:3: nothing before it is marked with &none'],
  ])('such as %s is reported with file and line', (_title, lines, message) => {
    const [only, ...others] = mistakesOf(prompt(...lines));
    expect(only).toContain(message);
    expect(others).toEqual([]);
  });

  test('never hides another one, and they come in the order of their lines', () => {
    const mistakes = mistakesOf(
      prompt('timeout: x', 'model: y y', 'allowed_transitions:', '  - { tag: z }', '  - { tag: goto, target: }'),
    );
    expect(mistakes.map((mistake) => mistake.split(':')[1])).toEqual(['2', '3', '5', '6']);
  });

  test('of aliases that multiply beyond measure is one, and takes no time', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `k${n + 1}: &k${n + 1} [*k${n}, *k${n}, *k${n}, *k${n}]`);
    expect(mistakesOf(prompt('k0: &k0 [x]', ...lines, 'model: *k20'))).toEqual([
      expect.stringMatching(/^F\.md:\d+: the aliases make the file too large/),
    ]);
  });
});

describe('a frontmatter that is too much', () => {
  const keys = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `k${n}: x`);

  test('of another document is refused, for only the first would count', () => {
    expect(mistakesOf(prompt('model: haiku', '--- # second', 'model: opus'))).toEqual([
      'F.md:3: a second YAML document begins here; there can be only one',
    ]);
  });

  test('with very many keys is read in a time that grows with their number, and reported in a few words', () => {
    const [warning = '', ...others] = read(prompt(...keys(10_000))).warnings;
    expect(others).toEqual([]);
    expect(warning).toMatch(/unknown keys k0, .* and 9980 more; the keys are/);
    expect(warning.length).toBeLessThan(1000);
    expect(mistakesOf(prompt(...keys(100_000)))).toEqual([
      'F.md:2: more than 100000 keys, values and signs; write the prompt below it',
    ]);
  });

  test('tells a key that is there twice among very many, and inside an entry', () => {
    expect(mistakesOf(prompt(...keys(10_000), 'k7: y'))).toEqual(['F.md:10002: the key "k7" is repeated; remove one']);
    expect(mistakesOf(prompt('allowed_transitions:', '  - { tag: goto, tag: call }'))).toEqual([
      'F.md:3: the key "tag" is repeated; remove one',
    ]);
  });
});
