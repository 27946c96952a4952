// Planted mistakes of tags: targets and attributes.
import { END, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const TAG_MISTAKES: readonly Fault[] = [
  ['a typo in a target', { 'START.sh': '\necho "<goto>EMD</goto>"', ...END }, ['missing-target START.sh:2:13']],
  ['a target in the wrong case', { 'START.md': 'Say <goto>end</goto>', ...END }, ['missing-target START.md:1:11']],
  [
    'a target in a policy that is not there',
    { 'START.md': prompt('allowed_transitions:\n  - tag: goto\n    target: NEXT', 'Say <goto>NEXT</goto>') },
    ['missing-target START.md:4:13'],
  ],
  [
    'a target in YAML that is not there',
    { 'flow.yaml': 'states:\n  START:\n    prompt: |\n      Think.\n      <goto>NEXT</goto>\n' },
    ['missing-target flow.yaml:5:13'],
  ],
  [
    'a timeout that leads nowhere',
    { 'START.sh': 'echo \'<ask next="END" timeout="1h" timeout_next="LATE">ok?</ask>\'', ...END },
    ['missing-target START.sh:1:50'],
  ],
  ['a tag in capitals', { 'START.sh': 'set -e\necho "<GOTO>B</GOTO>"' }, ['script-without-tag START.sh:2:7']],
  [
    'a tag that is not closed in a prompt',
    { 'START.md': 'Think.\nThen <goto>END', 'END.md': '<result>x</result>' },
    ['dead-end-state START.md:2:6'],
  ],
  ['a word of another language for a tag', { 'START.md': 'Say <return>x</return>' }, ['dead-end-state START.md:1:5']],
  ['a misspelt tag', { 'START.sh': 'set -e\necho "<gotto>B</gotto>"' }, ['script-without-tag START.sh:2:7']],
  ['a tag that is not closed', { 'START.sh': 'set -e\necho "<goto>B<goto>"' }, ['script-without-tag START.sh:2:7']],
  ['a tag on stderr', { 'START.sh': 'set -e\necho "<result>x</result>" >&2' }, ['script-without-tag START.sh:2:7']],
  [
    'blanks in the braces of a variable',
    { 'START.md': 'Say <goto input="x">N</goto>', 'N.md': 'They say {{ input }}. <result>x</result>' },
    ['unbound-variable N.md:1:10'],
  ],
  ['a call without return', { 'START.sh': 'echo "<call>END</call>"', ...END }, ['missing-return START.sh:1:7']],
  [
    'a return that is not there',
    { 'START.md': 'Say <function return="BACK">END</function>', ...END },
    ['missing-return START.md:1:23'],
  ],
  [
    'attributes that would change how a script runs',
    {
      'START.sh': 'echo \'<fork next="END" item="1" LIST="2" BASH_ENV="p" Http_Proxy="q">END</fork>\'',
      'P.md': '<fork next="P" PATH="x">P</fork>',
      ...END,
    },
    ['unreachable-state P.md:1:1', 'unusable-attribute-name START.sh:1:42', 'unusable-attribute-name START.sh:1:55'],
  ],
  [
    'such an attribute on another tag',
    { 'START.sh': 'echo \'<goto item="1" BASH_ENV="p">END</goto>\'', ...END },
    ['unusable-attribute-name START.sh:1:22'],
  ],
  ['a fork without next', { 'START.sh': 'echo "<fork>END</fork>"', ...END }, ['missing-fork-next START.sh:1:7']],
  ['a question without next', { 'START.md': 'Say <ask>Which one?</ask>' }, ['missing-ask-next START.md:1:5']],
  [
    'an await without next',
    { 'START.md': 'Say <fork next="W">W</fork>', 'W.md': 'Say <await/>' },
    ['missing-ask-next W.md:1:5'],
  ],
  [
    'a name that fits two files',
    { 'START.sh': 'echo "<goto>A</goto>"', 'A.sh': 'echo "<result>x</result>"', 'A.md': '<result>x</result>' },
    ['ambiguous-state-resolution START.sh:1:13'],
  ],
  [
    'another workflow that is not there',
    { 'START.sh': "echo '<reset-workflow>../nowhere/</reset-workflow>'" },
    ['cross-workflow-missing START.sh:1:23'],
  ],
  [
    'another workflow that is not there, with the name of a variable and of a file',
    {
      'START.py': 'songs = open("songs.txt")\nprint(\'<reset-workflow>../songs/</reset-workflow>\', *songs)\n',
      'songs/START.sh': 'echo "<result>x</result>"\n',
    },
    ['cross-workflow-missing START.py:2:24'],
  ],
  [
    'a directory for a goto',
    { 'START.sh': 'echo "<goto cd=\\"/tmp\\">END</goto>"', ...END },
    ['unsupported-cd-attribute START.sh:1:13'],
  ],
  [
    'a task that is neither new nor inherit',
    { 'START.md': 'Say <reset task="fresh">END</reset>', ...END },
    ['invalid-task-value START.md:1:18'],
  ],
  [
    'a task for a call',
    { 'START.md': 'Say <call return="END" task="new">END</call>', ...END },
    ['unsupported-task-attribute START.md:1:24'],
  ],
  [
    'a reset that inherits its task',
    { 'START.md': 'Say <reset task="inherit">END</reset>', ...END },
    ['unsupported-task-attribute START.md:1:18'],
  ],
  [
    'a delay in words',
    { 'START.md': 'Say <goto delay="soon">END</goto>', ...END },
    ['bad-attribute-value START.md:1:18'],
  ],
  [
    'a wrong value in a policy',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: reset, target: END, delay: soon }',
        'Say <reset delay="1h">END</reset>',
      ),
      ...END,
    },
    ['bad-attribute-value START.md:3:39'],
  ],
  [
    'a misspelt attribute',
    { 'START.sh': 'echo \'<goto inptu="x">END</goto>\'', ...END },
    ['unknown-attribute START.sh:1:13'],
  ],
  [
    'an attribute without quotes',
    { 'START.md': 'Say <reset cd=/tmp>END</reset>', ...END },
    ['malformed-attribute START.md:1:12'],
  ],
  [
    'an attribute without quotes in what a script prints',
    { 'START.sh': "set -e\necho '<goto input=3>END</goto>'", ...END },
    ['malformed-attribute START.sh:2:13'],
  ],
  [
    'a quote that is not closed',
    { 'START.sh': 'echo \'<goto delay="2s" input="3>END</goto>\'', ...END },
    ['malformed-attribute START.sh:1:24'],
  ],
  [
    'a value without quotes that only the run knows',
    { 'START.sh': 'echo "<goto input=$RAYMOND_INPUT>END</goto>"', ...END },
    ['unknown-attribute START.sh:1:7'],
  ],
  [
    'an attribute that is written twice',
    { 'START.sh': 'echo \'<goto delay="2s" delay="3s">END</goto>\'', ...END },
    ['repeated-attribute START.sh:1:24'],
  ],
  [
    'a misspelt key of an entry',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: END, inptu: x }', 'Say <goto>END</goto>'),
      ...END,
    },
    ['unknown-attribute START.md:3:31'],
  ],
  [
    'a value with both kinds of quotes',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - tag: goto\n    target: END\n    input: say "it\'s"',
        'Say <goto>END</goto>',
      ),
      ...END,
    },
    ['unquotable-value START.md:5:12'],
  ],
  [
    'a file in an attribute',
    { 'START.sh': 'set -e\necho "<goto input=\\"$(cat notes.md)\\">END</goto>"', ...END },
    ['unquotable-value START.sh:2:21'],
  ],
  [
    'a secret in a tag',
    { 'START.sh': 'echo "<goto input=\\"$API_TOKEN\\">END</goto>"', ...END },
    ['secret-in-tag START.sh:1:21'],
  ],
];
