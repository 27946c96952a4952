// Planted mistakes of packages: entry points, files, names, manifests, frontmatter.
import { END, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const PACKAGE_MISTAKES: readonly Fault[] = [
  [
    'a sandbox that asks for more than a config without permissions allows',
    {
      'START.md': prompt('sandbox: { kind: process, network: ["*"] }', '<goto>END</goto>'),
      'END.sh': '# raymond: sandbox=process:web\necho "<result>done</result>"\n',
      'workflow.yaml': 'id: x\nsandbox: { read: [/srv] }\n',
    },
    [
      'sandbox-not-allowed workflow.yaml:2:1',
      'sandbox-not-allowed START.md:2:1',
      'sandbox-not-allowed END.sh:1:1',
      'sandbox-missing START.md:2:1',
      'sandbox-missing END.sh:1:1',
    ],
  ],
  [
    'an image of a container without a digest',
    {
      'START.md': prompt('sandbox: { kind: container, image: "tools@sha256:1" }', '<goto>END</goto>'),
      'END.sh': 'echo "<result>done</result>"\n',
      'workflow.yaml': 'id: x\nsandbox: { image: "node:22" }\n',
    },
    ['image-without-digest workflow.yaml:2:1'],
  ],
  ['no entry point', { 'A.sh': 'echo "<result>x</result>"' }, ['no-entry-point flow:1:1']],
  [
    'two entry points',
    { 'START.sh': 'echo "<result>x</result>"', '1_START.sh': 'echo "<result>x</result>"' },
    ['ambiguous-entry-point flow:1:1'],
  ],
  [
    'a state to which nothing leads',
    { 'START.sh': 'echo "<result>x</result>"', ...END },
    ['unreachable-state END.sh:1:1'],
  ],
  [
    'a file that no state names',
    { 'START.sh': 'echo "<result>x</result>"', 'old-notes.txt': 'x' },
    ['unused-file old-notes.txt:1:1'],
  ],
  [
    'names that differ in case',
    { 'START.sh': 'echo "<goto>End.sh</goto>"', ...END, 'End.sh': 'echo "<goto>END</goto>"' },
    ['name-case End.sh:1:1'],
  ],
  [
    'an entry point in small letters',
    { 'start.sh': 'echo "<result>x</result>"' },
    ['no-entry-point flow:1:1', 'name-case start.sh:1:1'],
  ],
  [
    'an unknown key of a manifest',
    { 'START.sh': 'echo "<result>x</result>"', 'workflow.yaml': 'id: x\ndescripton: y\ninput:\n  mod: none\n' },
    ['unknown-field workflow.yaml:2:1', 'unknown-field workflow.yaml:4:3'],
  ],
  [
    'an unknown key of a frontmatter',
    { 'START.md': prompt('model: haiku\n  \nefort: high', '<result>x</result>') },
    ['unknown-field START.md:4:1'],
  ],
  [
    'an unknown key of a state in YAML',
    { 'flow.yaml': 'states:\n  START:\n    timout: 5\n    sh: echo "<result>x</result>"\n' },
    ['unknown-field flow.yaml:3:5'],
  ],
  [
    'a manifest that denies its questions',
    {
      'START.sh': 'echo \'<ask next="END">ok?</ask>\'',
      ...END,
      'workflow.yaml': 'id: x\nrequires_human_input: false\n',
    },
    ['human-input-contradiction workflow.yaml:2:23'],
  ],
  [
    'a manifest that promises questions',
    { 'START.sh': 'echo "<result>x</result>"', 'workflow.yaml': 'id: x\nrequires_human_input: true\n' },
    ['human-input-contradiction workflow.yaml:2:23'],
  ],
  [
    'a manifest without an input that is read',
    { 'START.md': 'Do {{input}}, then <result>x</result>', 'workflow.yaml': 'id: x\ninput: { mode: none }\n' },
    ['input-mode-mismatch workflow.yaml:2:16'],
  ],
  [
    'a manifest with an input that nobody reads',
    { 'START.sh': 'echo "<result>x</result>"', 'workflow.yaml': 'id: x\ninput:\n  mode: required\n' },
    ['input-mode-mismatch workflow.yaml:3:9'],
  ],
  [
    'calls that come back to their own package',
    { 'START.sh': 'echo \'<call-workflow return="END">../flow/</call-workflow>\'', ...END },
    ['nesting-too-deep START.sh:1:35'],
  ],
  [
    'a file beside the states that is not there',
    {
      'START.md': 'Obey @{{state_dir}}/guide.md and @{{state_dir}}/guid.md.\n<result>x</result>',
      'guide.md': 'Be brief, {{name}}.',
    },
    ['missing-mention START.md:1:34'],
  ],
  [
    'a mention of a file beside the states, which is not where the agent works',
    { 'START.md': 'Read @guide.md first.\n<result>x</result>', 'guide.md': 'Be brief.' },
    ['missing-mention START.md:1:6'],
  ],
  [
    'a mention of a file that is nowhere',
    { 'START.md': 'Read @docs/plan.md first.\n<result>x</result>' },
    ['missing-mention START.md:1:6'],
  ],
  [
    'a frontmatter that is no YAML',
    { 'START.md': prompt('allowed_transitions: [', '<result>x</result>') },
    ['frontmatter-parse-error START.md:2:1'],
  ],
  [
    'a brace that is not closed',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END\n  - { tag: result }\nmodel: haiku',
        '<goto>END</goto>',
      ),
      ...END,
    },
    ['frontmatter-parse-error START.md:3:1'],
  ],
  [
    'a tag that there is not in a policy',
    { 'START.md': prompt('allowed_transitions:\n  - { tag: gota, target: START }', '<result>x</result>') },
    ['frontmatter-parse-error START.md:3:1'],
  ],
  [
    'a manifest with a wrong value',
    { 'START.sh': 'echo "<result>x</result>"', 'workflow.yaml': 'id: x\ndefault_budget: much\n' },
    ['frontmatter-parse-error workflow.yaml:2:1'],
  ],
  [
    'a wrong header of a script',
    { 'START.sh': '#!/bin/bash\n# raymond: retries=often\necho "<result>x</result>"' },
    ['frontmatter-parse-error START.sh:2:1'],
  ],
  [
    'a frontmatter that is never closed',
    { 'START.md': '---\nmodel: haiku\n\nSay <result>x</result>\n' },
    ['frontmatter-not-closed START.md:1:1'],
  ],
  [
    'a frontmatter below a title',
    { 'START.md': '# Title\n\n---\nmodel: haiku\n---\n<result>x</result>\n' },
    ['frontmatter-ignored START.md:3:1'],
  ],
  [
    'a model that there is not',
    { 'START.md': prompt('model: gpt 4', '<result>x</result>') },
    ['invalid-model START.md:2:8'],
  ],
  [
    'a model that is misspelt',
    { 'START.md': prompt('model: claude-sonet-4', '<result>x</result>') },
    ['unknown-model START.md:2:8'],
  ],
  [
    'a short name of a model that is misspelt',
    { 'START.md': prompt('model: sonett', '<result>x</result>') },
    ['unknown-model START.md:2:8'],
  ],
  [
    'an effort that there is not',
    { 'START.md': prompt('effort: "extreme"', '<result>x</result>') },
    ['invalid-effort START.md:2:10'],
  ],
  [
    'force_implicit with a choice',
    {
      'START.md': prompt(
        'force_implicit: true\nallowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result }',
        '<goto>END</goto> or <result>x</result>',
      ),
      ...END,
    },
    ['force-implicit-invalid START.md:2:1'],
  ],
  [
    'force_implicit with an entry that names no state',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto }\nforce_implicit: true',
        'Write a poem. <goto>END</goto>',
      ),
      ...END,
    },
    ['force-implicit-invalid START.md:3:7'],
  ],
  ['a state in another encoding', { 'START.md': Buffer.from('caf\xe9', 'latin1') }, ['not-utf8 START.md:1:1']],
  [
    'a script with line ends of Windows',
    { 'START.sh': '#!/bin/bash\r\necho "<result>x</result>"\r\n' },
    ['crlf-script START.sh:1:12'],
  ],
  [
    'a working directory of a package in one file that is no directory',
    {
      'flow.yaml': 'id: flow\nworking_directory: .\nstates:\n  START:\n    sh: |\n      echo "<result>x</result>"\n',
    },
    ['missing-working-directory flow.yaml:2:20'],
  ],
  [
    'a helper beside the states that is sourced from the working directory of the manifest',
    {
      'workflow.yaml': 'id: flow\nworking_directory: ..\n',
      'START.sh': 'source ./money.bash\necho "<result>$(sum 1)</result>"\n',
      'money.bash': 'sum() { echo "$1"; }\n',
    },
    ['file-beside-states START.sh:1:10'],
  ],
];
