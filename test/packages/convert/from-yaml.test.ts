// From one YAML file to the files of a folder: what becomes of keys and comments, and what a folder cannot hold.
import { describe, expect, test } from '@jest/globals';
import { filesOfYaml } from '../../../src/packages/convert/from-yaml.js';

function textsOf(text: string): Readonly<Record<string, string>> {
  const converted = filesOfYaml(text, 'flow.yaml');
  if (converted.kind === 'problems') throw new Error(converted.problems.join('\n'));
  return Object.fromEntries([...converted.value].map(([name, { content }]) => [name, content.toString()]));
}

describe('a YAML file becomes a folder:', () => {
  test.each<[string, string, Readonly<Record<string, string>>]>([
    [
      'keys of a prompt are its frontmatter, line by line',
      'states:\n  A:\n    model: haiku # cheap\n    allowed_transitions:\n      - { tag: goto, target: B }\n    prompt: |\n      Hi.\n  B:\n    prompt: End.\n',
      {
        'A.md': '---\nmodel: haiku # cheap\nallowed_transitions:\n  - { tag: goto, target: B }\n---\nHi.\n',
        'B.md': 'End.',
      },
    ],
    [
      'keys below the prompt',
      'states:\n  A:\n    prompt: |\n      Hi.\n\n    model: haiku\n\n',
      { 'A.md': '---\nmodel: haiku\n---\nHi.\n' },
    ],
    [
      'comments go to the state that they are about',
      '---\nstates: # here\n  # to A\n  A: # also\n    prompt: | # to A, too\n      # not one\n      Hi.\n    # and this\n  # to B\n  B:\n    sh: |\n      #!/bin/bash\n      # own\n      true\n    # to B, too\nid: x\n# the end\n',
      {
        'A.md': '---\n# to A\n# also\n# to A, too\n# and this\n---\n# not one\nHi.\n',
        'B.sh': '#!/bin/bash\n# to B\n# to B, too\n# own\ntrue\n',
        'workflow.yaml': '---\nid: x\n# the end\n# here\n',
      },
    ],
    [
      'settings of a script are its header',
      'states:\n  A:\n    timeout: 1.5m\n    retries: 2\n    limit: [a, b]\n    sandbox: process:web\n    sh: |\n      #!/bin/bash\n      true\n    bat: "@echo off\\r\\necho x\\r\\n"\n',
      {
        'A.sh': '#!/bin/bash\n# raymond: timeout=1.5m retries=2 limit=a,b sandbox=process:web\ntrue\n',
        'A.bat': ':: raymond: timeout=1.5m retries=2 limit=a,b sandbox=process:web\r\n@echo off\r\necho x\r\n',
      },
    ],
    [
      'settings and comments of a program in JavaScript',
      'states:\n  # why\n  A:\n    timeout: 5\n    js: |\n      console.log(1);\n',
      { 'A.js': '// raymond: timeout=5\n// why\nconsole.log(1);\n' },
    ],
    [
      'settings beside a header of other settings',
      'states:\n  A:\n    timeout: 5\n    sh: |\n      # raymond: retries=2\n      true\n',
      { 'A.sh': '# raymond: timeout=5\n# raymond: retries=2\ntrue\n' },
    ],
    [
      'aliases and << are written out',
      'x-all: &all\n  model: haiku # cheap\n  timeout: 90\nid: x\nstates:\n  A:\n    <<: *all\n    # own\n    effort: low\n    prompt: Hi.\n',
      {
        'workflow.yaml': 'x-all: &all\n  model: haiku # cheap\n  timeout: 90\nid: x\n',
        'A.md': '---\n# own\neffort: low\nmodel: haiku\ntimeout: 90\n---\nHi.',
      },
    ],
    [
      'a state in braces',
      'states:\n  A: { model: haiku, prompt: Hi., # why\n    x-note: "true" }\n',
      { 'A.md': '---\n# why\nmodel: haiku\nx-note: true\n---\nHi.' },
    ],
    [
      'a prompt that begins like a frontmatter keeps it as text',
      'states:\n  A:\n    prompt: |\n      ---\n      model: haiku\n      ---\n      Hi.\n',
      { 'A.md': '---\n---\n---\nmodel: haiku\n---\nHi.\n' },
    ],
    [
      'a file saved with line ends of Windows',
      'id: x\r\nstates:\r\n  A:\r\n    model: haiku\r\n    prompt: |\r\n      Hi.\r\n',
      { 'workflow.yaml': 'id: x\n', 'A.md': '---\nmodel: haiku\n---\nHi.\n' },
    ],
    [
      'a comment that would name an interpreter names none',
      'states:\n  #!/bin/sh is enough\n  A:\n    sh: "true"\n',
      { 'A.sh': '# !/bin/sh is enough\ntrue' },
    ],
  ])('%s', (_title, text, files) => {
    expect(textsOf(text)).toEqual(files);
  });
});

describe('what a folder cannot hold is reported:', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'all at once',
      '# about it\nname: x\nstates:\n  A:\n    author: me\n    sh: echo "<goto>B.md</goto>"\n  B:\n    retries: 2\n    sh: "true"\n  C:\n    retries: 1\n    prompt: <goto>A.md</goto>\n',
      [
        'flow.yaml:5: the header of a script cannot hold the key author',
        'flow.yaml:11: the frontmatter of a prompt has no key retries',
        'flow.yaml:1: a folder keeps the keys other than "states" in workflow.yaml, which needs an id; add "id: flow" at the top',
        'flow.yaml:6: A.sh names B.md, but the file in the folder is called B',
        'flow.yaml:10: C.md names A.md, but the file in the folder is called A',
      ],
    ],
    [
      'states in braces',
      'id: x\nstates: { A: { prompt: x } }\n',
      ['flow.yaml:2: states: write the states below each other'],
    ],
    [
      'a setting that is there twice',
      'states:\n  A:\n    timeout: 5\n    sh: |\n      # raymond: timeout=6\n      true\n',
      ['flow.yaml:2: A.sh cannot hold'],
    ],
    [
      'a sandbox with keys beside a script',
      'states:\n  A:\n    sandbox: { kind: process, memory: 1GiB }\n    sh: "true"\n',
      ['flow.yaml:3: the header of a script cannot hold the keys of a sandbox'],
    ],
    [
      'a comment that would be a header',
      'states:\n  # raymond: retries=3\n  A:\n    sh: "true"\n',
      ['flow.yaml:3: A.sh cannot hold'],
    ],
    [
      'a policy with mistakes',
      'states:\n  A:\n    model: gpt 4\n    prompt: x\n',
      ['flow.yaml:3: model: expected the name of a model'],
    ],
    [
      'programs that are not there',
      'x-executable: [B.sh]\nstates:\n  A:\n    sh: x\n',
      ['flow.yaml:1: x-executable: there is no file "B.sh"'],
    ],
    [
      'a manifest with aliases into states',
      'id: x\nstates:\n  A:\n    model: &m haiku\n    prompt: x\nname: *m\n',
      ['flow.yaml:1: the keys other than "states" are not a valid workflow.yaml'],
    ],
  ])('%s', (_title, text, problems) => {
    expect(filesOfYaml(text, 'flow.yaml')).toEqual({
      kind: 'problems',
      problems: problems.map((problem) => expect.stringContaining(problem)),
    });
  });
});
