// Planted mistakes of scripts: paths with no tag or two, exit codes, variables, and packages that scripts lead to.
import { END, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const SCRIPT_MISTAKES: readonly Fault[] = [
  [
    'two tags in a row',
    { 'START.sh': 'echo "<result>a</result>"; echo "<result>b</result>"\n' },
    ['script-several-tags START.sh:1:34'],
  ],
  [
    'a tag that another one always follows',
    { 'START.sh': "set -e\n[ -f x ] && echo '<goto>END</goto>'\necho '<result>x</result>'\n", ...END },
    ['script-several-tags START.sh:2:19'],
  ],
  [
    'exit 1 after the tag',
    { 'START.sh': 'echo "<goto>END</goto>"\nexit 1\n', ...END },
    ['script-fails-after-tag START.sh:2:1'],
  ],
  [
    'a test as the last command',
    { 'START.sh': 'echo "<goto>END</goto>"\n[ -f log ] && rm log\n', ...END },
    ['script-fails-after-tag START.sh:2:1'],
  ],
  [
    'an if without else',
    { 'START.sh': 'set -e\nif [ -f x ]; then\n  echo "<goto>END</goto>"\nfi\n', ...END },
    ['script-path-without-tag START.sh:2:1'],
  ],
  [
    'a case without default',
    {
      'START.sh': 'case "$(cat s)" in\n  a) echo "<goto>END</goto>" ;;\n  b) echo "<result>b</result>" ;;\nesac\n',
      ...END,
    },
    ['script-path-without-tag START.sh:1:1'],
  ],
  [
    'a misspelt return, and the result that it would bring',
    {
      'START.sh': 'echo \'<function return="FINSH">END</function>\'\n',
      'FINISH.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      ...END,
    },
    ['missing-return START.sh:1:25'],
  ],
  [
    'an input without quotes, and the value that it would pass',
    {
      'START.sh': "set -e\necho '<goto input=3>N</goto>'\n",
      'N.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['malformed-attribute START.sh:2:13'],
  ],
  [
    'two calls of a function that prints the tag',
    { 'START.sh': 'end() {\n  echo "<result>$1</result>"\n}\nif [ -s log ]; then\n  end bad\nfi\nend good\n' },
    ['script-several-tags START.sh:5:7'],
  ],
  [
    'a loop that is left by break before its tag',
    {
      'START.sh':
        'i=0\nwhile true; do\n  i=$((i+1))\n  if [ $i -gt 3 ]; then break; fi\n  if [ -f x ]; then echo "<result>x</result>"; exit 0; fi\ndone\n',
    },
    ['script-path-without-tag START.sh:2:1'],
  ],
  [
    'a loop that may end before its tag',
    {
      'START.sh':
        'n=0\nwhile [ $n -lt 5 ]; do\n  if curl -sf x >/dev/null; then\n    echo "<result>up</result>"\n    exit 0\n  fi\n  n=$((n+1))\ndone\n',
    },
    ['script-path-without-tag START.sh:2:1'],
  ],
  [
    'a target that a variable holds',
    { 'START.sh': 'NEXT=END\nif [ -f x ]; then NEXT=GONE; fi\necho "<goto>$NEXT</goto>"\n', ...END },
    ['missing-target START.sh:2:24'],
  ],
  [
    'a target that a function gets',
    { 'START.sh': 'end() { echo "<goto>$1</goto>"; exit 0; }\n[ -f x ] && end GONE\nend END\n', ...END },
    ['missing-target START.sh:2:17'],
  ],
  [
    'a byte order mark before a script',
    { 'START.sh': '\uFEFF#!/bin/bash\necho "<result>x</result>"\n' },
    ['script-with-bom START.sh:1:1'],
  ],
  [
    'an unknown word in the header of a script',
    { 'START.sh': '#!/bin/bash\n# raymond: retrys=2\necho "<result>x</result>"\n' },
    ['unknown-field START.sh:2:12'],
  ],
  [
    'a misspelt variable of Raymond',
    { 'START.sh': 'echo "<result>$RAYMOND_INPTU</result>"\n' },
    ['unbound-variable START.sh:1:15'],
  ],
  [
    'misspelt variables of Raymond in Python and JavaScript',
    {
      'START.py': 'import os\nprint("<goto input=\\"x\\">N</goto>", os.environ["RAYMOND_INPTU"])\n',
      'N.js': 'console.log(`<result>${process.env.RAYMOND_INPT} ${process.env.RAYMOND_INPUT}</result>`);\n',
    },
    ['unbound-variable N.js:1:36', 'unbound-variable START.py:2:49'],
  ],
  [
    'the result of a call in a state to which no call returns',
    {
      'START.sh': 'echo \'<fork next="WAIT">END</fork>\'\n',
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'SUM.sh': 'echo "<goto input=\\"x\\">PY</goto>"\ntest -z "${RAYMOND_RESULT:-}"\necho "$RAYMOND_RESULT" >&2\n',
      'PY.py': 'import os\nprint("<result>" + os.environ["RAYMOND_RESULT"] + "</result>")\n',
      ...END,
    },
    ['unbound-variable PY.py:2:32', 'unbound-variable SUM.sh:3:7'],
  ],
  [
    'a misspelt attribute of a fork',
    {
      'START.sh': 'echo \'<fork next="WAIT" item="1">W</fork>\'\n',
      'W.sh': 'echo "<result>$itme</result>"\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['unbound-variable W.sh:1:15'],
  ],
  [
    'a value that nothing passes to a script',
    { 'START.sh': 'echo "<goto>N</goto>"\n', 'N.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n' },
    ['unbound-variable N.sh:1:15'],
  ],
  [
    'a misspelt variable in a policy',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END, input: "{{resutl}}" }',
        'Say <goto>END</goto>',
      ),
      ...END,
    },
    ['unbound-variable START.md:3:39'],
  ],
  [
    'a result of forks that nobody awaits',
    { 'START.md': 'Say <fork next="N">END</fork>', 'N.md': 'All: {{result}} <result>x</result>', ...END },
    ['unbound-variable N.md:1:6'],
  ],
  [
    'a file in a variable in an attribute',
    { 'START.sh': 't=$(cat notes.txt)\necho "<goto input=\\"$t\\">N</goto>"', 'N.md': '{{input}} <result>x</result>' },
    ['unquotable-value START.sh:2:21'],
  ],
  [
    'a value of another state in an attribute',
    { 'START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">N</goto>"', 'N.md': '{{input}} <result>x</result>' },
    ['unquotable-value START.sh:1:21'],
  ],
  [
    'calls that call each other without an end',
    { 'START.md': 'Say <call return="END">A</call>', 'A.md': 'At most once: <goto>START</goto>', ...END },
    ['call-without-result-path START.md:1:24'],
  ],
  [
    'a mistake in a state of another package',
    {
      'START.sh': 'echo \'<call-workflow return="END">../lib/SQ</call-workflow>\'\n',
      '../lib/SQ.sh': '\necho "<goto>GONE</goto>"\n',
      ...END,
    },
    ['missing-target lib/SQ.sh:2:13'],
  ],
  [
    'a mistake in the entry of another package',
    {
      'START.md': '<call-workflow return="END">../lib/</call-workflow>',
      '../lib/START.md': 'Say <call>B</call>',
      '../lib/B.md': '<result>x</result>',
      ...END,
    },
    ['missing-return lib/START.md:1:5'],
  ],
];
