// Planted mistakes of states: loops, prompts, scripts.
import { END, lines, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const STATE_MISTAKES: readonly Fault[] = [
  [
    'a field of a result that its schema does not have',
    {
      'START.md': 'Say <call return="END">JUDGE</call>',
      'JUDGE.md': prompt('result: { schema: { type: object, properties: { score: { type: number } } } }', 'Judge.'),
      'END.sh': 'echo "<result>$RAYMOND_RESULT_scroe $RAYMOND_RESULT_score $RAYMOND_RESULT_FILE</result>"\n',
    },
    ['unknown-result-field END.sh:1:16'],
  ],
  [
    'a program that another state hides',
    {
      'START.sh': 'echo "<goto>RUN</goto>"',
      'RUN.sh': 'echo "<result>x</result>"',
      'RUN.py': 'print("<result>y</result>")',
    },
    ['shadowed-state RUN.py:1:1'],
  ],
  [
    'a schema that does not exist',
    { 'START.md': prompt('result: { schema: result.json }', 'Judge.') },
    ['frontmatter-parse-error START.md:2:9'],
  ],
  [
    'a result of a pattern that does not fit the schema',
    {
      'START.md': prompt(
        'result: { schema: { type: object } }\nevaluate:\n  - { match: cannot, transition: <result>unknown</result> }',
        'Judge.',
      ),
    },
    ['frontmatter-parse-error START.md:4:1'],
  ],
  [
    'a schema with an unknown keyword',
    { 'START.md': prompt('result:\n  schema: { type: object, requierd: [a] }', 'Judge.') },
    ['frontmatter-parse-error START.md:3:3'],
  ],
  [
    'a loop of prompts without an exit',
    { 'START.md': 'Say <goto>B</goto>', 'B.md': 'Say <goto>START</goto>' },
    ['loop-without-exit START.md:1:11'],
  ],
  [
    'a loop of prompts without a limit',
    { 'START.md': 'Improve it, then <goto>B</goto>', 'B.md': 'Good? <result>x</result>. Else <goto>START</goto>' },
    ['loop-without-limit START.md:1:24'],
  ],
  [
    'a script that asks all the time',
    { 'START.sh': 'if [ -f x ]; then echo "<result>x</result>"; else echo "<reset>START</reset>"; fi' },
    ['busy-loop START.sh:1:64'],
  ],
  ['a prompt that does not say how it ends', { 'START.md': 'Think hard.' }, ['dead-end-state START.md:1:1']],
  [
    'a call that never returns',
    { 'START.sh': 'echo \'<call return="END">A</call>\'', 'A.sh': 'echo \'<reset delay="1h">A</reset>\'', ...END },
    ['call-without-result-path START.sh:1:26'],
  ],
  [
    'a call that leaves the workflow',
    {
      'START.sh': 'echo "<function return=\\"END\\">TRY</function>"\n',
      'TRY.sh': `if [ -e x ]; then echo '<result>x</result>'; else echo '<reset-workflow>../next/</reset-workflow>'; fi\n`,
      ...END,
    },
    ['call-without-result-path TRY.sh:1:73', 'cross-workflow-missing TRY.sh:1:73'],
  ],
  [
    'an await without a fork',
    { 'START.sh': 'echo \'<await next="END"/>\'', ...END },
    ['await-without-fork START.sh:1:7'],
  ],
  [
    'a fork without an await',
    { 'START.sh': 'echo \'<fork next="END">END</fork>\'', ...END },
    ['fork-never-awaited START.sh:1:24'],
  ],
  [
    'forks that go on at two states',
    { 'START.sh': 'cat <<X\n<fork next="END">END</fork>\n<fork next="START">END</fork>\nX', ...END },
    ['fork-next-mismatch START.sh:3:13'],
  ],
  [
    'forks and a goto of one reply that name different states',
    {
      'START.md': lines(
        'End your reply with these lines:',
        '',
        '<fork next="WAIT" topic="risks">LIST</fork>',
        '<fork next="WAIT" topic="costs">LIST</fork>',
        '<goto>END</goto>',
      ),
      'LIST.md': 'List the {{topic}}. <result>the list</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['fork-next-mismatch START.md:5:1'],
  ],
  [
    'a variable in what a policy compares',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: "{{input}}" }',
        'Say <result>x</result> {{input}}',
      ),
    },
    ['policy-unsatisfiable START.md:3:30'],
  ],
  [
    'a text that asks for what its policy forbids',
    { 'START.md': prompt('allowed_transitions:\n  - { tag: result }', 'End with\n<goto>END</goto>'), ...END },
    ['policy-contradicts-text START.md:6:1'],
  ],
  [
    'a prompt that does not say how it ends, with a policy',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: A }\n  - { tag: result, payload: B }',
        'Think.',
      ),
    },
    ['prompt-names-no-tag START.md:6:1'],
  ],
  [
    'an allowed transition of which nothing speaks',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result }',
        'Say <result>x</result>',
      ),
      ...END,
    },
    ['unused-allowed-transition START.md:3:26'],
  ],
  [
    'an evaluation that names states which do not exist',
    {
      'START.md': prompt(
        "evaluate:\n  - { match: a, transition: '<goto>FIX</goto>' }\n  - { state: JUDGE }",
        'Say <result>x</result>',
      ),
    },
    ['missing-target START.md:3:36', 'missing-target START.md:4:14'],
  ],
  [
    'one transition alone',
    { 'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: END }', 'Say <goto>END</goto>'), ...END },
    ['implicit-transition START.md:3:7'],
  ],
  ['a tag in a code fence', { 'START.md': 'Reply:\n\n```\n<result>x</result>\n```\n' }, ['tag-in-fence START.md:4:1']],
  [
    'a variable that nothing sets',
    { 'START.md': 'Look at {{item}} and say <result>x</result>' },
    ['unbound-variable START.md:1:9'],
  ],
  [
    'an attribute that reaches the next state only',
    {
      'START.sh': 'echo \'<goto item="1">B</goto>\'',
      'B.md': 'Do {{item}}, then <goto>C</goto>',
      'C.md': 'Do {{item}}, then <result>x</result>',
    },
    ['unbound-variable C.md:1:4'],
  ],
  [
    'an attribute that no reply is told to write',
    {
      'START.md': prompt('allowed_transitions: [{ tag: goto, target: B }]', 'Say <goto colour="red">B</goto>'),
      'B.md': '{{colour}} and {{size}}: <result>x</result>',
    },
    ['unbound-variable B.md:1:16'],
  ],
  [
    'a value that nothing passes',
    { 'START.sh': 'echo "<goto>B</goto>"', 'B.md': 'Say {{input}} in <result>x</result>' },
    ['unbound-variable B.md:1:5'],
  ],
  [
    'a value that nobody reads',
    { 'START.sh': 'echo \'<goto input="x">END</goto>\'', ...END },
    ['unused-input START.sh:1:13'],
  ],
  [
    'a key in a file',
    { 'START.md': ['Use sk-ant', 'api03', 'abcdefgh12345678 and say <result>x</result>'].join('-') },
    ['secret-in-file START.md:1:5'],
  ],
  [
    'programs with a syntax error',
    {
      'START.py': 'import os\nprint("<goto>NEXT</goto>"\n',
      'NEXT.js': 'import x from "y";\nlet a = ;\nconsole.log("<result>x</result>");\n',
    },
    ['script-syntax NEXT.js:2:1', 'script-syntax START.py:2:1'],
  ],
  [
    'a target of a program that is not there',
    {
      'START.py':
        'name = "END"\nif name: print("<goto>" + name + "</goto>")\nelse: print(f"<{name}>", \'<goto>NXT</goto>\')\n',
      'helper.js': 'export const a = 1;\n',
      ...END,
    },
    ['missing-target START.py:3:33'],
  ],
  ['a script with a syntax error', { 'START.sh': 'echo "<result>x</result>"\nfi\n' }, ['script-syntax START.sh:2:1']],
  [
    'a script for another program',
    { 'START.sh': '#!/usr/bin/env python3\nprint("<result>x</result>")\n' },
    ['script-syntax START.sh:1:1'],
  ],
  ['a script without a tag', { 'START.sh': 'mkdir -p work\necho ready\n' }, ['script-without-tag START.sh:1:1']],
  ['a computed target', { 'START.sh': 'echo "<goto>$NEXT</goto>"' }, ['script-state-no-static-analysis START.sh:1:7']],
  [
    'a script that goes on after a failure',
    { 'START.sh': 'make all\necho "<result>x</result>"' },
    ['script-not-strict START.sh:1:1'],
  ],
  [
    'a script that is tried again without knowing it',
    { 'START.sh': '# raymond: retries=2\nset -e\nmkdir a\necho "<result>x</result>"' },
    ['retry-without-turn-id START.sh:1:1'],
  ],
  [
    'options in a first line',
    { 'START.sh': '#!/bin/bash -eu\necho "<result>x</result>"' },
    ['shebang-ignored START.sh:1:1'],
  ],
  [
    'a judge that can neither keep a transition nor end as the judged state',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: A }\n  - { tag: goto, target: B }\nevaluate:\n  - { state: JUDGE }',
        'Say <goto>A</goto> or <goto>B</goto>',
      ),
      'JUDGE.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: ok }\n  - { tag: goto, target: B }',
        'Of {{output}} and {{transition}} say <result>ok</result> or <goto>B</goto>',
      ),
      'A.sh': 'set -e\necho "<result>x</result>"',
      'B.sh': 'set -e\necho "<result>x</result>"',
    },
    ['judge-contradicts-policy JUDGE.md:3:7', 'judge-contradicts-policy JUDGE.md:6:38'],
  ],
  [
    'a suppression in vain',
    { 'START.md': prompt('lint_ignore: [dead-end-state]', 'Say <result>x</result>') },
    ['unused-suppression START.md:2:14'],
  ],
  [
    'a suppression of no rule',
    { 'START.sh': '# raymond-lint ignore=dead-end\necho "<result>x</result>"' },
    ['unused-suppression START.sh:1:23'],
  ],
];
