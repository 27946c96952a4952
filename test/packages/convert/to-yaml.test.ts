// From the files of a folder to one YAML file: what it looks like, and what it cannot hold.
import { describe, expect, test } from '@jest/globals';
import type { PackageFiles } from '../../../src/packages/convert/files.js';
import { filesOfYaml } from '../../../src/packages/convert/from-yaml.js';
import { yamlOfFiles } from '../../../src/packages/convert/to-yaml.js';

function filesOf(texts: Readonly<Record<string, string>>, programs?: readonly string[]): PackageFiles {
  const isProgram = (name: string): boolean => programs?.includes(name) ?? texts[name]?.startsWith('#!') === true;
  return new Map(
    Object.entries(texts).map(([name, text]) => [name, { content: Buffer.from(text), executable: isProgram(name) }]),
  );
}

const place = (name: string, line?: number): string => `flow/${name}${line === undefined ? '' : `:${line}`}`;

function yamlOf(texts: Readonly<Record<string, string>>, programs?: readonly string[]): string {
  const converted = yamlOfFiles(filesOf(texts, programs), place);
  if (converted.kind === 'problems') throw new Error(converted.problems.join('\n'));
  return converted.value;
}

test('a folder becomes a file that a person would have written, its entry first', () => {
  const text = yamlOf({
    'workflow.yaml': '# What it is for.\nid: flow\nlimit: repo:x # one at a time\n',
    'COMMIT.sh': '#!/bin/bash\n# raymond: timeout=5m\ngit commit\n',
    '1_START.md':
      '---\n# Cheap is enough.\nmodel: haiku\nforce_implicit: true\nallowed_transitions:\n  - { tag: goto, target: PLAN.md }\n---\nLook.\n\n  Go on.\n',
    'PLAN.md': 'Plan, then <goto>COMMIT</goto>',
  });
  expect(text).toBe(`# What it is for.
id: flow
limit: repo:x # one at a time
states:
  1_START:
    # Cheap is enough.
    model: haiku
    force_implicit: true
    allowed_transitions:
      - { tag: goto, target: PLAN.md }
    prompt: |
      Look.

        Go on.
  PLAN:
    prompt: |-
      Plan, then <goto>COMMIT</goto>
  COMMIT:
    sh: |
      #!/bin/bash
      # raymond: timeout=5m
      git commit
`);
});

describe('what comes back from YAML, byte by byte:', () => {
  test.each<[string, Readonly<Record<string, string>>, (readonly string[])?]>([
    ['line ends of Windows', { 'A.md': '---\r\nmodel: haiku\r\n---\r\nOne\r\nTwo\r\n' }],
    ['a script with line ends of Windows', { 'A.bat': '@echo off\r\necho x\r\n', 'A.sh': 'echo x\n' }],
    ['keys that nobody knows', { 'A.md': '---\nx-note: a\nauthor: me\n---\nx\n' }],
    ['comments at every place', { 'A.md': '---\n# a\n\nmodel: haiku # b\n  # c\neffort: low\n# d\n---\nx\n# e\n' }],
    ['a frontmatter of comments', { 'A.md': '---\n# only this\n---\nx\n' }],
    [
      'texts in frontmatter over several lines',
      { 'A.md': '---\nnote: |2\n    a\n\n   b\nmore: "x\n  y"\nrest: >-\n  z\n---\nx\n' },
    ],
    ['anchors of one prompt', { 'A.md': '---\nx: &a [1]\ny: *a\n---\nx\n', 'B.md': '---\nx: &a [2]\ny: *a\n---\nx\n' }],
    ['no line end at the end', { 'A.md': 'x', 'B.sh': 'echo y' }],
    ['many line ends at the end, and at the beginning', { 'A.md': '\n\nx\n\n\n', 'B.sh': '  echo y\n\n' }],
    ['blanks at the end of lines', { 'A.md': 'x  \n   \ny\n   \n', 'B.md': '\tx\t\n', 'C.md': 'x\n ' }],
    ['signs of YAML', { 'A.md': '# x: [y] {z} *a &b !c | > "d" \'e\' %f @g `h`\n--- \n...\n- a\n' }],
    ['signs that no screen shows', { 'A.md': 'a\u0000b\u0085c\u2028d\u0007e\u{1f600}\uFEFFf\r' }],
    ['a body that looks like a frontmatter', { 'A.md': '---\n---\n---\nmodel: x\n---\ny\n' }],
    [
      'a file that is a program, and one that is none',
      { 'A.sh': 'x\n', 'B.md': 'y\n', 'C.sh': 'z\n' },
      ['B.md', 'C.sh'],
    ],
    ['no programs at all', { 'A.sh': 'x\n' }, []],
    ['strange names', { 'a b.md': 'x\n', 'null.md': 'y\n', '1.sh': 'z\n', 'ü: [x].md': 'x\n', '- a.md': 'x\n' }],
    ['a manifest that begins with a mark', { 'workflow.yaml': '---\nid: x\n', 'A.md': 'y\n' }],
    ['a manifest with line ends of Windows', { 'workflow.yaml': '# a\r\nid: x\r\n\r\n', 'A.md': 'y\n' }],
  ])('%s', (_title, texts, ...[programs]) => {
    const files = filesOf(texts, programs);
    const text = yamlOf(texts, programs);
    const back = filesOfYaml(text, 'flow.yaml');
    expect(back).toEqual({ kind: 'converted', value: expect.any(Map) });
    expect(back.kind === 'converted' && new Map([...back.value].sort())).toEqual(new Map([...files].sort()));
  });
});

test('a manifest without a last line end is converted', () => {
  const converted = yamlOfFiles(filesOf({ 'workflow.yaml': 'id: x', 'A.md': 'x' }), place);
  expect(converted).toMatchObject({ kind: 'converted', value: expect.stringContaining('id: x\nstates:') });
});

describe('what YAML cannot hold is reported:', () => {
  test.each<[string, Readonly<Record<string, string | Buffer>>, readonly string[]]>([
    [
      'other files',
      { 'A.md': 'x', 'items.txt': 'y' },
      [
        'flow/items.txt: a YAML file holds prompts and scripts only; move it out, or leave it behind with --without items.txt',
      ],
    ],
    ['dots in names', { 'V1.2.md': 'x' }, ['flow/V1.2.md: the name "V1.2" contains a dot']],
    [
      'a prompt and a script of one name',
      { 'A.md': 'x', 'A.sh': 'y' },
      ['flow/A.md: a YAML state is a prompt or a script, and A.sh has the same name'],
    ],
    ['names that differ in case', { 'A.md': 'x', 'a.sh': 'y' }, ['flow/a.sh: its name differs from A only in case']],
    [
      'empty prompts and scripts',
      { 'A.md': '---\nmodel: haiku\n---\n', 'B.sh': '\n' },
      ['flow/A.md:1: the prompt is empty', 'flow/B.sh: the file is empty'],
    ],
    [
      'keys that mean something beside a prompt',
      { 'A.md': '---\nmodel: haiku\nretries: 2\nsh: x\n---\ny\n' },
      ['flow/A.md:3: retries has another meaning', 'flow/A.md:4: sh has another meaning'],
    ],
    ['a broken frontmatter', { 'A.md': '---\nmodel: [\n---\nx\n' }, ['flow/A.md:']],
    [
      'a frontmatter in braces',
      { 'A.md': 'x\n', 'B.md': '---\n{ model: haiku }\n---\nx\n' },
      ['flow/B.md:1: a YAML file cannot keep keys in braces; write one key per line'],
    ],
    [
      'a frontmatter without anything',
      { 'A.md': '---\n---\nx\n' },
      ['flow/A.md:1: a YAML file cannot keep an empty frontmatter; remove its two lines'],
    ],
    [
      'fences with blanks',
      { 'A.md': '---  \nmodel: haiku\n---\nx\n' },
      ['flow/A.md:1: a YAML file cannot keep blanks after "---"'],
    ],
    [
      'mixed line ends in a frontmatter',
      { 'A.md': '---\r\nmodel: haiku\n---\nx\n' },
      ['flow/A.md:1: a YAML file cannot keep mixed line ends; save the file with LF line ends'],
    ],
    [
      'a byte order mark before a frontmatter',
      { 'A.md': '\uFEFF---\nmodel: haiku\n---\nx\n' },
      ['flow/A.md:1: the file begins with a byte order mark'],
    ],
    [
      'a manifest in braces',
      { 'workflow.yaml': '{ id: x }\n', 'A.md': 'x' },
      ['flow/workflow.yaml:1: a YAML file cannot keep keys in braces'],
    ],
    [
      'a frontmatter below a title',
      { 'A.md': '# Title\n\n---\nmodel: haiku\n---\nx\n' },
      ['flow/A.md:1: the frontmatter is not at the top'],
    ],
    ['a name that YAML reads otherwise', { '<<.md': 'x\n' }, ['flow/<<.md: the name "<<" merges keys in YAML']],
    [
      'a header with mistakes',
      { 'A.sh': '# raymond: retries=often\ntrue\n' },
      ['flow/A.sh:1: the line "raymond:" is not a valid header'],
    ],
    [
      'a script for another program',
      { 'A.sh': '#!/usr/bin/env python3\nprint(1)\n' },
      ['flow/A.sh:1: the first line names another program'],
    ],
    [
      'a package as a manifest',
      { 'workflow.yaml': 'id: x\nstates: {}\n', 'A.md': 'x' },
      ['flow/workflow.yaml: this is a workflow with its own states'],
    ],
    ['other texts than UTF-8', { 'A.md': Buffer.from([0xff, 0xfe]) }, ['flow/A.md is not UTF-8']],
    ['a folder without states', { 'workflow.yaml': 'id: x\n' }, ['flow/.: there is no prompt and no script']],
  ])('%s', (_title, texts, expected) => {
    const files: PackageFiles = new Map(
      Object.entries(texts).map(([name, text]) => [name, { content: Buffer.from(text as string), executable: false }]),
    );
    const converted = yamlOfFiles(files, place);
    expect(converted).toEqual({
      kind: 'problems',
      problems: expected.map((problem) => expect.stringContaining(problem)),
    });
  });
});
