// Planted mistakes in what a prompt asks for, and in what a script leaves behind.
import { END, prompt, type Fault } from './kit.js';

const ANY = 'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result }';
const RESULT = 'allowed_transitions:\n  - { tag: result }';
const REVIEWS = `${RESULT}\nmodel: haiku`;

/** What is wrong, the package, and what is found in it. */
export const ASKED_MISTAKES: readonly Fault[] = [
  [
    'a prompt that asks for two tags, line by line',
    {
      'START.md': prompt(ANY, 'End with both of these lines:\n\n<result>a summary</result>\n<goto>END</goto>'),
      ...END,
    },
    ['several-tags-asked START.md:8:1'],
  ],
  [
    'a prompt that asks for two tags in a sentence',
    {
      'START.md': prompt(ANY, 'Write `<result>a summary</result>`, and then `<goto>END</goto>`.'),
      ...END,
    },
    ['several-tags-asked START.md:6:8'],
  ],
  [
    'the output of a script that the model does not see',
    {
      'START.sh': "make 2>&1 | tr '<>' '()'\necho '<goto>FIX</goto>'\n",
      'FIX.md': prompt(
        RESULT,
        'The output of the compiler stands above. Say what is wrong: <result>the error</result>',
      ),
    },
    ['unseen-output FIX.md:5:5'],
  ],
  [
    'one file of several agents',
    {
      'START.sh': 'for i in a b; do echo "<fork next=\\"WAIT\\" item=\\"$i\\">WORK</fork>"; done\n',
      'WORK.md': prompt(REVIEWS, 'Read {{item}}.txt and write a digest to `digest.md`. <result>done</result>'),
      'WAIT.sh': 'echo "<await next=\\"USE\\"/>"\n',
      'USE.sh': 'cp digest.md all.md\necho "<result>done</result>"\n',
    },
    ['shared-file WORK.md:6:42'],
  ],
  [
    'a loop of Python that prints a tag for each item',
    {
      'START.py':
        'for item in open("list"):\n    name = item.strip()\n    print(f"<goto item=\'{name}\'>END</goto>")\n',
      ...END,
    },
    ['script-several-tags START.py:3:13'],
  ],
  [
    'a loop of bash that prints a tag for each item',
    { 'START.sh': 'for file in *.txt; do\n  echo "<goto>END</goto>"\ndone\n', ...END },
    ['script-several-tags START.sh:2:9'],
  ],
  [
    'a counter that its own state sets back',
    {
      'START.sh':
        'echo 0 >rounds\nn=$(($(cat rounds) + 1))\necho "$n" >rounds\nif [ "$n" -ge 3 ]; then echo "<result>x</result>"; else echo "<goto>FIX</goto>"; fi\n',
      'FIX.md': prompt('allowed_transitions:\n  - { tag: goto, target: START }', 'Repair it. <goto>START</goto>'),
    },
    ['counter-reset START.sh:1:1'],
  ],
  [
    'a label before its path',
    {
      'START.sh': 'echo \'<ask next="END" display_files="The plan:plan.txt">ok?</ask>\'\n',
      ...END,
    },
    ['swapped-display-file START.sh:1:38'],
  ],
  [
    'a directory for the next state',
    { 'START.sh': 'git clone -q x app >&2\ncd app\necho "<goto>END</goto>"\n', ...END },
    ['lost-directory START.sh:2:1'],
  ],
  [
    'a beginning that no result has',
    {
      'START.sh': 'echo \'<function return="CHECK">JUDGE</function>\'\n',
      'JUDGE.md': prompt(RESULT, '<result>honest</result>, or <result>too much: what is wrong</result>'),
      'CHECK.sh':
        'case "$RAYMOND_RESULT" in\n  OK*) echo "<result>good</result>" ;;\n  *) echo "<result>bad</result>" ;;\nesac\n',
    },
    ['impossible-value CHECK.sh:2:3'],
  ],
  [
    'a beginning that no result has, in Python',
    {
      'START.sh': 'echo \'<function return="CHECK">JUDGE</function>\'\n',
      'JUDGE.md': prompt(RESULT, '<result>honest</result>, or <result>too much: what is wrong</result>'),
      'CHECK.py':
        'import os\nverdict = os.environ["RAYMOND_RESULT"]\nprint("<result>good</result>" if verdict.startswith("fine") else "<result>bad</result>")\n',
    },
    ['impossible-value CHECK.py:3:54'],
  ],
];
