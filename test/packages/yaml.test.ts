// YAML packages: the files that their states stand for, and where each line of them was written.
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readPromptFile, type PromptFile } from '../../src/packages/frontmatter.js';
import { MAX_YAML_BYTES } from '../../src/packages/limits.js';
import type { PackedFile } from '../../src/packages/packed.js';
import { parseYaml, readYaml } from '../../src/packages/yaml.js';
import { folder } from '../support/folder.js';
import { thrownBy } from './thrown.js';

type Files = ReadonlyMap<string, PackedFile>;

function filesOf(text: string): Files {
  return parseYaml(text, 'flow.yaml').files;
}

function textOf(files: Files, name: string): string {
  return files.get(name)!.content.toString();
}

/** A prompt as a turn reads it. */
function policyOf(text: string, state: string): PromptFile {
  const { content, policy } = filesOf(text).get(`${state}.md`)!;
  const folder = { files: ['CHECK.sh', 'B.md'], kind: 'yaml', platform: 'unix' } as const;
  return readPromptFile(
    { text: content.toString(), policy },
    { ...folder, positionText: (line) => `flow.yaml:${line}` },
  );
}

const flow = `id: demo
states:
  1_START:
    model: haiku
    allowed_transitions:
      - { tag: goto, target: CHECK }
      - tag: result
        payload: 1.0
    prompt: |
      First line.
      {{input}}
  CHECK: # both platforms
    timeout: 1.5m
    retries: 2
    sh: |
      set -e
      echo "<result>ok</result>"
    bat: '@echo off'
`;

describe('states stand for files', () => {
  test('a prompt, a script for each platform, in their order', () => {
    const files = filesOf(flow);
    expect([...files.keys()]).toEqual(['1_START.md', 'CHECK.sh', 'CHECK.bat']);
    expect(textOf(files, '1_START.md')).toBe('First line.\n{{input}}\n');
    expect(textOf(files, 'CHECK.sh')).toBe('set -e\necho "<result>ok</result>"\n');
    expect(textOf(files, 'CHECK.bat')).toBe('@echo off');
    expect([...files.values()].map(({ executable }) => executable)).toEqual([false, true, false]);
  });

  test('the keys of a prompt are its policy, with their lines in the YAML', () => {
    expect(policyOf(flow, '1_START')).toEqual({
      kind: 'prompt',
      body: 'First line.\n{{input}}\n',
      warnings: [],
      policy: {
        model: 'haiku',
        forceImplicit: false,
        allowed: [
          { tag: 'goto', attributes: { target: 'CHECK' }, line: 6 },
          { tag: 'result', attributes: { payload: '1.0' }, line: 7 },
        ],
      },
    });
  });

  test('what is wrong with them is reported with their lines, like that of a frontmatter', () => {
    const keys = 'model: gpt 4\n    allowed_transitions:\n      - { tag: gto }\n      - { tag: goto, traget: B }\n';
    expect(policyOf(`states:\n  A:\n    ${keys}    prompt: hi\n`, 'A')).toEqual({
      kind: 'invalid',
      problems: [
        expect.stringMatching(/^flow\.yaml:3: model: expected the name of a model, .*, got "gpt 4"$/),
        expect.stringMatching(/^flow\.yaml:5: there is no tag "gto", did you mean goto\?/),
      ],
    });
    expect(
      policyOf('states:\n  A:\n    allowed_transitions:\n      - { tag: goto, traget: B }\n    prompt: hi\n', 'A'),
    ).toMatchObject({
      warnings: [expect.stringMatching(/^flow\.yaml:4: <goto> does not take traget, did you mean target\?/)],
    });
  });

  test('limits stand beside the text', () => {
    const files = filesOf(
      `${flow}  B:\n    prompt: hi\n    timeout: 0.5m\n    retries: 1\n    limit: gpu\n  C:\n    sh: ls\n    limit: db\n`,
    );
    expect(files.get('CHECK.sh')!.settings).toEqual({ timeout: 90, retries: 2 });
    expect(files.get('C.sh')!.settings).toEqual({ limits: ['db'] });
    expect(files.get('B.md')!.policy).toMatchObject({ policy: { limits: ['gpu'], timeout: 30 } });
    expect(files.get('CHECK.bat')!.settings).toEqual({ timeout: 90, retries: 2 });
    expect(files.get('B.md')!.settings).toEqual({ retries: 1 });
    expect(textOf(files, 'B.md')).toBe('hi');
    expect(files.get('B.md')!.policy).toMatchObject({ policy: { timeout: 30 } });
  });

  const NONE = { allowed: [], forceImplicit: false };
  test.each<[string, string, string, object]>([
    ['no keys', 'prompt: hi', 'hi', NONE],
    ['keys without a value are none', 'prompt: hi\n    model:\n    effort: ~', 'hi', NONE],
    [
      'a prompt that looks like one with a frontmatter',
      'prompt: "---\\nmodel: x\\n---\\nhi"',
      '---\nmodel: x\n---\nhi',
      NONE,
    ],
    ['a prompt that looks like one that is open', 'prompt: "---\\nmodel: x\\n"', '---\nmodel: x\n', NONE],
    ['force_implicit', 'prompt: hi\n    force_implicit: false', 'hi', NONE],
    ['an empty list', 'prompt: hi\n    allowed_transitions: []', 'hi', NONE],
    ['an empty script beside it', 'prompt: hi\n    sh: ""', 'hi', NONE],
    ['a quoted word', 'prompt: "hi: # \\" c"', 'hi: # " c', NONE],
  ])('%s', (...[, keys, body, policy]) => {
    expect(policyOf(`states:\n  A:\n    ${keys}\n`, 'A')).toEqual({ kind: 'prompt', body, policy, warnings: [] });
  });

  test('a prompt is kept whole, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (prompt, policy) => {
        fc.pre(prompt.trim() !== '' && !prompt.includes('\r'));
        const keys = `${policy ? '"model": "haiku", ' : ''}"prompt": ${JSON.stringify(prompt)}`;
        const text = textOf(filesOf(`{"states": {"A": {${keys}}}}`), 'A.md');
        expect(text).toBe(prompt);
      }),
    );
  });

  test('anchors and << share keys between states', () => {
    const files = filesOf(
      `
x-shared: &shared
  model: haiku
  effort: low
states:
  A: { <<: *shared, prompt: &text hi }
  B: { <<: [*shared, { timeout: 5 }], effort: high, prompt: *text }
  C: *again
`.replace('C: *again', 'C: { sh: *text }'),
    );
    expect(files.get('A.md')!.policy).toMatchObject({ policy: { model: 'haiku', effort: 'low' } });
    expect(files.get('B.md')!.policy).toMatchObject({ policy: { model: 'haiku', effort: 'high', timeout: 5 } });
    expect([textOf(files, 'A.md'), textOf(files, 'B.md')]).toEqual(['hi', 'hi']);
    expect(textOf(files, 'C.sh')).toBe('hi');
  });

  test('the manifest stands beside the states', () => {
    expect(parseYaml(flow, 'flow.yaml').manifest).toMatchObject({ manifest: { id: 'demo' }, warnings: [] });
  });
});

describe('lines', () => {
  test('each line of a script, and a prompt itself, are known by their lines in the YAML', () => {
    const files = filesOf(flow);
    const lines = (name: string, count: number): readonly (number | undefined)[] =>
      Array.from({ length: count }, (_, index) => files.get(name)!.lineOf?.(index + 1));
    expect(files.get('1_START.md')!.lineOf?.()).toBe(3);
    expect(files.get('CHECK.sh')!.lineOf?.()).toBe(16);
    expect(lines('CHECK.sh', 2)).toEqual([16, 17]);
    expect(lines('CHECK.bat', 1)).toEqual([18]);
  });

  test('lines that YAML folds are all at their beginning', () => {
    const folded = filesOf('states:\n  A:\n    sh: >\n      one\n\n      two\n').get('A.sh')!;
    expect([folded.lineOf?.(1), folded.lineOf?.(2)]).toEqual([3, 3]);
  });
});

describe('the file', () => {
  test('is read with a byte order mark and line ends of Windows', async () => {
    const root = await folder({ 'flow.yaml': '\ufeffstates:\r\n  A:\r\n    sh: |\r\n      a\r\n      b\r\n' });
    expect(textOf((await readYaml(join(root, 'flow.yaml'))).files, 'A.sh')).toBe('a\nb\n');
  });

  test.each<[string, Buffer, RegExp]>([
    ['is not UTF-8', Buffer.from([0x61, 0xff]), /^Unreadable: .*flow\.yaml is not UTF-8 text; save it as UTF-8/],
    ['is too large', Buffer.alloc(MAX_YAML_BYTES + 1), /^TooLarge: .*flow\.yaml: it has 4194305 bytes/],
  ])('%s', async (_title, bytes, words) => {
    const root = await folder({ 'flow.yaml': bytes });
    expect(await thrownBy(() => readYaml(join(root, 'flow.yaml')))).toMatch(words);
  });
});
