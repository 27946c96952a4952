// YAML packages: the files that their states stand for, and where each line of them was written.
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFrontmatter } from '../../src/packages/frontmatter.js';
import { MAX_YAML_BYTES } from '../../src/packages/package.js';
import type { PackedFile } from '../../src/packages/packed.js';
import { parseYaml, readYaml } from '../../src/packages/yaml.js';
import { splitPrompt } from '../../src/protocol/state-file.js';
import { folder } from '../support/folder.js';
import { thrownBy } from './thrown.js';

type Files = ReadonlyMap<string, PackedFile>;

function filesOf(text: string): Files {
  return parseYaml(text, 'flow.yaml').files;
}

function textOf(files: Files, name: string): string {
  return files.get(name)!.content.toString();
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
  test('a prompt with a frontmatter, a script for each platform, in their order', () => {
    const files = filesOf(flow);
    expect([...files.keys()]).toEqual(['1_START.md', 'CHECK.sh', 'CHECK.bat']);
    expect(textOf(files, '1_START.md')).toBe(`---
model: haiku
allowed_transitions:
  - {"tag":"goto","target":"CHECK"}
  - {"tag":"result","payload":"1.0"}
---
First line.
{{input}}
`);
    expect(textOf(files, 'CHECK.sh')).toBe('set -e\necho "<result>ok</result>"\n');
    expect(textOf(files, 'CHECK.bat')).toBe('@echo off');
    expect([...files.values()].map(({ executable }) => executable)).toEqual([false, true, false]);
  });

  test('the same reader as for prompt files understands the frontmatter', () => {
    expect(parseFrontmatter(textOf(filesOf(flow), '1_START.md'), String)).toMatchObject({
      kind: 'prompt',
      body: 'First line.\n{{input}}\n',
      warnings: [],
      policy: {
        model: 'haiku',
        allowed: [
          { tag: 'goto', attributes: { target: 'CHECK' } },
          { tag: 'result', attributes: { payload: '1.0' } },
        ],
      },
    });
  });

  test('limits of a script stand beside its text, those of a prompt in its frontmatter', () => {
    const files = filesOf(`${flow}  B:\n    prompt: hi\n    timeout: 0.5m\n    retries: 1\n`);
    expect(files.get('CHECK.sh')!.settings).toEqual({ timeout: 90, retries: 2 });
    expect(files.get('CHECK.bat')!.settings).toEqual({ timeout: 90, retries: 2 });
    expect(files.get('B.md')!.settings).toEqual({ retries: 1 });
    expect(textOf(files, 'B.md')).toBe('---\ntimeout: 0.5m\n---\nhi');
  });

  test.each<[string, string, string]>([
    ['no keys, no frontmatter', 'prompt: hi', 'hi'],
    ['keys without a value are none', 'prompt: hi\n    model:\n    effort: ~', 'hi'],
    ['a prompt that looks like one', 'prompt: "---\\nmodel: x\\n---\\nhi"', '---\n---\n---\nmodel: x\n---\nhi'],
    ['force_implicit', 'prompt: hi\n    force_implicit: true', '---\nforce_implicit: true\n---\nhi'],
    ['an empty list', 'prompt: hi\n    allowed_transitions: []', '---\nallowed_transitions: []\n---\nhi'],
    ['strange words', 'prompt: hi\n    model: "a: b # \\" c"', '---\nmodel: "a: b # \\" c"\n---\nhi'],
    ['a quoted null', 'prompt: hi\n    model: "null"', '---\nmodel: "null"\n---\nhi'],
    ['an empty script beside it', 'prompt: hi\n    sh: ""', 'hi'],
  ])('%s', (_title, keys, text) => {
    expect(textOf(filesOf(`states:\n  A:\n    ${keys}\n`), 'A.md')).toBe(text);
  });

  test('a prompt is kept whole, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (prompt, policy) => {
        fc.pre(prompt.trim() !== '' && !prompt.includes('\r'));
        const keys = `${policy ? '"model": "haiku", ' : ''}"prompt": ${JSON.stringify(prompt)}`;
        const text = textOf(filesOf(`{"states": {"A": {${keys}}}}`), 'A.md');
        expect(splitPrompt(text).body).toBe(prompt);
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
    expect(textOf(files, 'A.md')).toBe('---\nmodel: haiku\neffort: low\n---\nhi');
    expect(textOf(files, 'B.md')).toBe('---\neffort: high\nmodel: haiku\ntimeout: 5\n---\nhi');
    expect(textOf(files, 'C.sh')).toBe('hi');
  });

  test('the manifest stands beside the states', () => {
    expect(parseYaml(flow, 'flow.yaml').manifest).toMatchObject({ manifest: { id: 'demo' }, warnings: [] });
  });
});

describe('lines', () => {
  test('each line of a virtual file is known by its line in the YAML', () => {
    const files = filesOf(flow);
    const lines = (name: string, count: number): readonly (number | undefined)[] =>
      Array.from({ length: count }, (_, index) => files.get(name)!.lineOf?.(index + 1));
    expect(lines('1_START.md', 8)).toEqual([3, 4, 5, 6, 7, 3, 10, 11]);
    expect(lines('CHECK.sh', 2)).toEqual([16, 17]);
    expect(lines('CHECK.bat', 1)).toEqual([18]);
  });

  test('lines that YAML folds are all at their beginning', () => {
    const folded = filesOf('states:\n  A:\n    prompt: >\n      one\n\n      two\n').get('A.md')!;
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
    ['is too large', Buffer.alloc(MAX_YAML_BYTES + 1), /^TooLarge: .*flow\.yaml has 4194305 bytes/],
  ])('%s', async (_title, bytes, words) => {
    const root = await folder({ 'flow.yaml': bytes });
    expect(await thrownBy(() => readYaml(join(root, 'flow.yaml')))).toMatch(words);
  });
});
