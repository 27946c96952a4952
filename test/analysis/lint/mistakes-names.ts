// Planted mistakes in the names of scripts: variables, functions and arguments that nothing sets.
import { END, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const NAME_MISTAKES: readonly Fault[] = [
  [
    'a variable that only other names are passed for',
    {
      'START.sh': 'echo "<goto level=\\"3\\">SHOW</goto>"\n',
      'SHOW.sh': 'echo "<result>severity $severity</result>"\n',
    },
    ['unbound-variable SHOW.sh:1:24'],
  ],
  [
    'a variable in lower case that is misspelt',
    { 'START.sh': 'version=$(git describe)\necho "<result>$verison is out</result>"\n' },
    ['unbound-variable START.sh:2:15'],
  ],
  [
    'an assignment with blanks',
    { 'START.sh': 'answer = "yes"\necho "<result>$answer</result>"\n' },
    ['undefined-name START.sh:1:1'],
  ],
  [
    'an assignment in a pipeline',
    { 'START.sh': 'cat items.txt | while read -r line; do last=$line; done\necho "<result>$last</result>"\n' },
    ['lost-assignment START.sh:1:17'],
  ],
  [
    'a function by nearly its name',
    { 'START.sh': "finish() { echo '<goto>END</goto>'; }\nmake -s >&2\nfinsh\n", ...END },
    ['undefined-name START.sh:3:1'],
  ],
  [
    'a timeout that gets no value',
    {
      'START.sh': 'echo \'<ask next="GOT" timeout="1d" timeout_next="LATE">ok?</ask>\'\n',
      'GOT.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'LATE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unbound-variable LATE.sh:1:15'],
  ],
  [
    'an attribute of a call in the state that it returns to',
    {
      'START.sh': 'echo \'<call return="AFTER" colour="red">WORK</call>\'\n',
      'WORK.sh': 'echo "<result>$colour</result>"\n',
      'AFTER.sh': 'echo "<result>$colour $RAYMOND_RESULT</result>"\n',
    },
    ['unbound-variable AFTER.sh:1:15'],
  ],
  [
    'an argument of a script',
    { 'START.sh': 'echo \'<goto input="x">NEXT</goto>\'\n', 'NEXT.sh': 'echo "<result>$1</result>"\n' },
    ['no-arguments NEXT.sh:1:15'],
  ],
  [
    'a read from an empty input',
    { 'START.sh': 'read -r answer\necho "<result>$answer</result>"\n' },
    ['no-arguments START.sh:1:1'],
  ],
  [
    'a main that is not called',
    { 'START.py': "def main():\n    print('<goto>END</goto>')\n", ...END },
    ['uncalled-function START.py:1:1'],
  ],
  [
    'a main of a shell script that is not called',
    { 'START.sh': 'die() {\n  exit 1\n}\nmain() {\n  [ -f x ] || die\n  echo "<goto>END</goto>"\n}\n', ...END },
    ['uncalled-function START.sh:4:1'],
  ],
  [
    'a variable of a Python program that only other names are passed for',
    {
      'START.sh': 'echo \'<goto level="3">USE</goto>\'\n',
      'USE.py': 'import os\ns = os.environ["severity"]\nprint(f"<result>{s}</result>")\n',
    },
    ['unbound-variable USE.py:2:17'],
  ],
  [
    'a count that becomes the exit code',
    {
      'START.py':
        "import os, sys\ndef main():\n    names = os.listdir('.')\n    print('<goto>END</goto>')\n    return len(names)\nsys.exit(main())\n",
      ...END,
    },
    ['script-fails-after-tag START.py:5:5'],
  ],
  [
    'a main whose tag is dropped',
    { 'START.py': "import sys\ndef main():\n    return '<goto>END</goto>'\nmain()\n", ...END },
    ['uncalled-function START.py:4:1'],
  ],
  [
    'an argument of a Python program',
    { 'START.py': 'import sys\nname = sys.argv[1]\nprint(f"<result>{name}</result>")\n' },
    ['no-arguments START.py:2:8'],
  ],
  [
    'a name that Python does not know',
    { 'START.py': 'name = "x"\nprint(\'<goto name="\' + nmae + \'">END</goto>\')\n', ...END },
    ['undefined-name START.py:2:24'],
  ],
  [
    'a variable of a JavaScript program by destructuring',
    {
      'START.sh': 'echo \'<goto level="3">USE</goto>\'\n',
      'USE.js': 'const { severity } = process.env;\nconsole.log(`<result>${severity}</result>`);\n',
    },
    ['unbound-variable USE.js:1:9'],
  ],
  [
    'a main of JavaScript that is not called',
    { 'START.js': "function main() { console.log('<goto>END</goto>'); }\n", ...END },
    ['uncalled-function START.js:1:1'],
  ],
  [
    'a name that JavaScript does not know',
    { 'START.js': "const x = 1\nconsol.log('<goto>END</goto>')\n", ...END },
    ['undefined-name START.js:2:1'],
  ],
  [
    'a judge that reads the input',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: END }\nevaluate:\n  - { state: JUDGE }\n---\nDo it: <goto>END</goto>\n',
      'JUDGE.md': 'Judge {{input}}: <result>keep</result>\n',
      ...END,
    },
    ['unbound-variable JUDGE.md:1:7'],
  ],
  [
    'a variable that is nearly one of the manifest',
    { 'workflow.yaml': 'id: x\nenvironment:\n  CHANNEL: stable\n', 'START.sh': 'echo "<result>$CHANEL</result>"\n' },
    ['unbound-variable START.sh:1:15'],
  ],
];
