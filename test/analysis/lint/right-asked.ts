// Packages that are near to the mistakes in mistakes-asked.ts, but run well.
import { END, prompt, type Files } from './kit.js';

const ANY = 'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result }';
const RESULT = 'allowed_transitions:\n  - { tag: result }';
const JUDGED = 'echo \'<function return="CHECK">JUDGE</function>\'\n';

/** What is odd, and the package. */
export const RIGHT_ASKED: readonly (readonly [what: string, files: Files])[] = [
  [
    'two tags to choose from, line by line',
    {
      'START.md': prompt(ANY, 'End with one of these lines:\n\n<result>a summary</result>\n<goto>END</goto>'),
      ...END,
    },
  ],
  [
    'two tags for two cases',
    {
      'START.md': prompt(
        ANY,
        'Both files must be read. If so, <goto>END</goto>; then all is well. If not, <result>a</result>',
      ),
      ...END,
    },
  ],
  [
    'output that the prompt holds itself',
    {
      'START.sh': 'make >log 2>&1\necho "<goto input=\\"$(wc -l <log)\\">FIX</goto>"\n',
      'FIX.md': prompt(
        RESULT,
        'Lines: {{input}}\n\nThe output of the compiler stands above. <result>the error</result>',
      ),
    },
  ],
  [
    'one file for each agent',
    {
      'START.sh': 'for i in a b; do echo "<fork next=\\"WAIT\\" item=\\"$i\\">WORK</fork>"; done\n',
      'WORK.md': prompt(RESULT, 'Write a digest of {{item}} to `digest-{{item}}.md`. <result>done</result>'),
      'WAIT.sh': 'echo "<await next=\\"USE\\"/>"\n',
      'USE.sh': 'cat digest-*.md >digest.md\necho "<result>done</result>"\n',
    },
  ],
  [
    'a loop that ends with its first tag',
    {
      'START.py':
        'import sys\nfor item in open("list"):\n    print(f"<goto>END</goto>")\n    sys.exit()\nprint("<result>none</result>")\n',
      ...END,
    },
  ],
  [
    'a counter that begins with its state',
    {
      'START.sh':
        'for file in *.txt; do\n  echo 0 >count\ndone\necho 0 >done\nif [ -s out ]; then echo "<result>x</result>"; else echo "<goto>FIX</goto>"; fi\n',
      'FIX.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: START }',
        'Write out, at most twice. <goto>START</goto>',
      ),
    },
  ],
  [
    'a path before its label',
    {
      'START.sh': 'echo \'<ask next="END" display_files="plan.txt:The plan,b/notes.md:notes.md">ok?</ask>\'\n',
      ...END,
    },
  ],
  [
    'a directory that the script uses itself',
    { 'START.sh': 'cd app\necho "<goto words=\\"$(wc -w <a.txt)\\">END</goto>"\n', ...END },
  ],
  [
    'a beginning of a result',
    {
      'START.sh': JUDGED,
      'JUDGE.md': prompt(RESULT, '<result>honest</result>, or <result>too much: what is wrong</result>'),
      'CHECK.sh':
        'case "$RAYMOND_RESULT" in\n  "too much"*) echo "<result>bad</result>" ;;\n  *) echo "<result>good</result>" ;;\nesac\n',
    },
  ],
  [
    'results that are not fixed',
    {
      'START.sh': JUDGED,
      'JUDGE.md': prompt(RESULT, '<result>the verdict</result>, or <result>none</result>'),
      'CHECK.sh':
        'case "$RAYMOND_RESULT" in\n  OK*) echo "<result>good</result>" ;;\n  *) echo "<result>bad</result>" ;;\nesac\n',
    },
  ],
  [
    'attributes that a script joins',
    {
      'START.py':
        'given = {"next": "SAVE", "timeout": "1w", "timeout_next": "END"}\nwritten = " ".join(f\'{name}="{value}"\' for name, value in given.items())\nprint(f"<ask {written}>Is it right?</ask>")\n',
      'SAVE.sh': 'echo "<goto folder=\\"x\\">SUM</goto>"\n',
      'SUM.md': 'Sum up {{folder}}. <result>x</result>\n',
      ...END,
    },
  ],
  [
    'a folder of states that a package beside it names',
    {
      'START.sh': 'echo \'<call-workflow return="END">../other/WORK</call-workflow>\'\n',
      '../other/WORK.md': prompt(RESULT, 'Work. <result>x</result>'),
      ...END,
    },
  ],
];
