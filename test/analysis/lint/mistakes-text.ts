// Planted mistakes in the texts and conditions of scripts: placeholders that stay, loops without end, branches of no conversation.
import { END, lines, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const TEXT_MISTAKES: readonly Fault[] = [
  [
    'a variable in single quotes',
    {
      'START.sh': 'count=$(wc -l < items.txt)\necho \'<goto n="$count">WORK</goto>\'\n',
      'WORK.md': 'Handle {{n}} items. End with <result>ok</result>\n',
    },
    ['unfilled-placeholder START.sh:2:16'],
  ],
  [
    'a variable in a quoted here-document',
    { 'START.sh': "title=$(head -1 notes.md)\ncat <<'EOF'\nSome words\n<result>The title is $title</result>\nEOF\n" },
    ['unfilled-placeholder START.sh:2:5'],
  ],
  [
    'two variables in the tag of a quoted here-document, with a command and another here-document',
    {
      'START.sh': lines(
        'name=$(head -1 names.txt)',
        'cat >note.txt <<END',
        'For $name',
        'END',
        'if [ -n "$name" ]; then',
        "  cat <<-'TAG' | tee last.txt",
        '\t<goto input="$name" day="$(date +%F)">END</goto>',
        '\tTAG',
        'else',
        "  echo '<result>no name</result>'",
        'fi',
      ),
      ...END,
    },
    ['unfilled-placeholder START.sh:6:7'],
  ],
  [
    'a printf without its value',
    { 'START.sh': 'n=3\nprintf "<goto n=\\"%d\\">END</goto>\\n"\n', ...END },
    ['unfilled-placeholder START.sh:2:1'],
  ],
  [
    'a variable of prompts in a script',
    { 'START.sh': 'echo \'<goto input="{{result}}">END</goto>\'\n', ...END },
    ['unfilled-placeholder START.sh:1:20'],
  ],
  [
    'a loop whose counter stays',
    {
      'START.sh':
        'set -euo pipefail\nn=1\nwhile [ $n -le 3 ]; do\n  curl -fs "https://example.com/$n" -o "page-$n"\ndone\necho \'<goto>END</goto>\'\n',
      ...END,
    },
    ['endless-loop START.sh:3:1'],
  ],
  [
    'a counter beside a command, which stays',
    {
      'START.sh':
        'tries=0\nuntil curl -fs http://localhost:8080 || [ "$tries" -ge 10 ]; do\n  sleep 1\ndone\necho \'<goto>END</goto>\'\n',
      ...END,
    },
    ['endless-loop START.sh:2:1'],
  ],
  [
    'an until that nothing ends',
    {
      'START.sh':
        'up=no\n(sleep 1; touch ready) &\nuntil [ "$up" = yes ]; do sleep 1; done\necho \'<goto>END</goto>\'\n',
      ...END,
    },
    ['endless-loop START.sh:3:1'],
  ],
  [
    'a comparison that writes a file',
    {
      'START.sh':
        "n=$(ls | wc -l)\nif [ \"$n\" > 3 ]; then\n  echo '<goto>END</goto>'\nelse\n  echo '<result>few</result>'\nfi\n",
      ...END,
    },
    ['constant-condition START.sh:2:4'],
  ],
  [
    'a test that is one word',
    {
      'START.sh':
        'if [ "$RAYMOND_INPUT"="yes" ]; then\n  echo \'<goto>END</goto>\'\nelse\n  echo \'<result>no</result>\'\nfi\n',
      ...END,
    },
    ['constant-condition START.sh:1:4'],
  ],
  [
    'a unit of a delay that does not exist',
    { 'START.sh': 'n=$((RANDOM % 5))\necho "<reset delay=\\"$((n * 2))min\\">END</reset>"\n', ...END },
    ['bad-attribute-value START.sh:2:22'],
  ],
  [
    'a branch of no conversation',
    {
      'START.sh': 'echo "<fork context=\\"branch\\" next=\\"WAIT\\">LOOK</fork>"\n',
      'LOOK.md': 'Look at it: <result>ok</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['no-conversation START.sh:1:13'],
  ],
  [
    'a branch behind a reset',
    {
      'START.md': 'Read the code. <reset>SPLIT</reset>\n',
      'SPLIT.sh': 'echo "<fork context=\\"branch\\" next=\\"WAIT\\">LOOK</fork>"\n',
      'LOOK.md': 'Look at it: <result>ok</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['no-conversation SPLIT.sh:1:13'],
  ],
  [
    'a context that is nearly branch',
    {
      'START.md': 'Read the code. <fork context="branching" next="WAIT">LOOK</fork>\n',
      'LOOK.md': 'Look at it: <result>ok</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['unknown-context START.md:1:31'],
  ],
  [
    'a context on goto',
    {
      'START.md': 'Read the code. <goto context="branch">LOOK</goto>\n',
      'LOOK.md': 'Look at it: <result>ok</result>\n',
    },
    ['unknown-context START.md:1:22'],
  ],
  [
    'a task that is nearly inherit',
    {
      'START.sh': 'echo \'<fork task="inherited" next="WAIT">LOOK</fork>\'\n',
      'LOOK.md': 'Look at it: <result>ok</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['unknown-context START.sh:1:19'],
  ],
  [
    'a tag behind exit',
    { 'START.sh': "set -e\nmkdir out\nexit 0\necho '<goto>END</goto>'\n", ...END },
    ['script-without-tag START.sh:4:7', 'unreached-tag START.sh:4:7'],
  ],
  [
    'the guard of a Python program with a wrong name',
    { 'START.py': 'def main():\n    print(\'<goto>END</goto>\')\nif __name__ == "main":\n    main()\n', ...END },
    ['constant-condition START.py:3:1'],
  ],
  [
    'a Python string without f',
    { 'START.py': "n = len(open('x').read())\nprint(\"<goto n='{n}'>END</goto>\")\n", ...END },
    ['unfilled-placeholder START.py:2:17'],
  ],
  [
    'a loop of Python whose counter stays',
    { 'START.py': 'n = 3\nwhile n > 0:\n    print("waiting", n)\nprint(\'<goto>END</goto>\')\n', ...END },
    ['endless-loop START.py:2:1'],
  ],
  [
    'a unit that Python adds',
    { 'START.py': 'n = 5\nprint(f\'<goto delay="{n}min">END</goto>\')\n', ...END },
    ['bad-attribute-value START.py:2:15'],
  ],
  [
    'a template in single quotes',
    { 'START.js': 'const n = 3;\nconsole.log(\'<goto n="${n}">END</goto>\');\n', ...END },
    ['unfilled-placeholder START.js:2:23'],
  ],
  [
    'a template without its dollar',
    { 'START.js': "const who = 'x';\nconsole.log(`<result>hello {who}</result>`);\n" },
    ['unfilled-placeholder START.js:2:28'],
  ],
  [
    'a loop of JavaScript whose counter stays',
    { 'START.js': "let n = 0;\nwhile (n < 3) { console.error(n); }\nconsole.log('<goto>END</goto>');\n", ...END },
    ['endless-loop START.js:2:1'],
  ],
  [
    'an assignment in a condition of JavaScript',
    {
      'START.js':
        "const fs = require('fs');\nconst ok = fs.existsSync('x');\nif (ok = true) console.log('<goto>END</goto>');\nelse console.log('<result>x</result>');\n",
      ...END,
    },
    ['constant-condition START.js:3:1'],
  ],
  [
    'single braces in a prompt',
    {
      'START.md': 'Write the title: <goto title="the title">NEXT</goto>\n',
      'NEXT.md': 'The title is {title}. <result>x</result>\n',
    },
    ['unfilled-placeholder NEXT.md:1:14'],
  ],
  [
    'a dollar in a prompt',
    {
      'START.md': 'Write the title: <goto title="the title">NEXT</goto>\n',
      'NEXT.md': 'The title is $title. <result>x</result>\n',
    },
    ['unfilled-placeholder NEXT.md:1:14'],
  ],
  [
    'the variable of scripts in a prompt',
    {
      'START.md': 'Write the title: <goto input="the title">NEXT</goto>\n',
      'NEXT.md': 'The title is $RAYMOND_INPUT. <result>x</result>\n',
    },
    ['unfilled-placeholder NEXT.md:1:14'],
  ],
];
