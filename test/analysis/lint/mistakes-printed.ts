// Planted mistakes of what a script prints, and of what the system around it does with the output.
import { END, lines, prompt, type Fault } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** What is wrong, the package, and what is found in it. */
export const PRINTED_MISTAKES: readonly Fault[] = [
  [
    'a branch that only shows a text with print',
    {
      'START.sh': lines(
        'if [ -s urls.txt ]; then',
        "  echo '<goto>END</goto>'",
        'else',
        "  echo '<print>there are none</print>'",
        'fi',
      ),
      ...END,
    },
    ['script-path-without-tag START.sh:4:9'],
  ],
  [
    'a program that only shows a text with print',
    {
      'START.js':
        'const fs = require("node:fs");\nconsole.log(`<print>${fs.readdirSync(".").length} files</print>`);\n',
    },
    ['script-without-tag START.js:2:14'],
  ],
  [
    'a tag that is escaped as a whole',
    {
      'START.py': lines(
        'import html, os',
        `note = f"<result>{os.environ['RAYMOND_STATE_DIR']}</result>"`,
        'print(html.escape(note))',
      ),
    },
    ['script-without-tag START.py:3:1'],
  ],
  [
    'an await outside of functions beside require',
    {
      'START.js': lines(
        'const { readFile } = require("node:fs/promises");',
        'const text = await readFile("brief.md", "utf8");',
        'console.log(`<result>${text.length}</result>`);',
      ),
    },
    ['undefined-name START.js:2:14'],
  ],
  [
    'require beside an import',
    {
      'START.js': lines(
        'import { readFileSync } from "node:fs";',
        'const { basename } = require("node:path");',
        'console.log(`<result>${basename(readFileSync("name.txt", "utf8"))}</result>`);',
      ),
    },
    ['undefined-name START.js:2:22'],
  ],
  [
    'an exit before the async function has printed its tag',
    {
      'START.js': lines(
        'async function main() {',
        '  const reply = await fetch("https://status.example.com/api.json");',
        '  console.log(`<result>${reply.status}</result>`);',
        '}',
        'main();',
        'process.exit(0);',
      ),
    },
    ['unreached-tag START.js:6:1'],
  ],
  [
    'a here-document whose last line has blanks before it',
    {
      'START.sh': lines(
        'if [ ! -e rules.md ]; then',
        '  cat >rules.md <<END_OF_RULES',
        'Write short sentences.',
        '  END_OF_RULES',
        'fi',
        "echo '<result>ok</result>'",
      ),
    },
    ['script-syntax START.sh:4:1'],
  ],
  [
    'a question with a value in it that reads the standard input',
    {
      'START.py': lines(
        'import os',
        'old = os.listdir("exports")',
        'answer = input(f"Delete {len(old)} exports? [y/N] ") if old else "n"',
        'print(f"<result>{answer}</result>")',
      ),
    },
    ['no-arguments START.py:3:10'],
  ],
  [
    'an attribute of a call in the state to which it returns, if the policy leaves the target open',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: call, return: PRINT }',
        'Read talk.md. End with <call return="PRINT" audience="beginners or experts">OUTLINE</call>',
      ),
      'OUTLINE.md': prompt(RESULT, 'Make an outline for {{audience}}. End with <result>the outline</result>'),
      'PRINT.md': prompt(RESULT, 'Write slides for {{audience}} from this: {{result}} <result>the slides</result>'),
    },
    ['unbound-variable PRINT.md:5:18'],
  ],
  [
    'a tag in capitals where another program may print, too',
    {
      'START.sh': lines(
        'curl -fsS https://rates.example.com/daily -o rates.csv',
        'if [ -s rates.csv ]; then',
        "  echo '<Goto>END</Goto>'",
        'else',
        "  echo '<result>no rates</result>'",
        'fi',
      ),
      ...END,
    },
    ['script-path-without-tag START.sh:3:9'],
  ],
  [
    'a question without a text',
    { 'START.sh': 'echo \'<ask next="END" choices="yes,no"></ask>\'\n', ...END },
    ['missing-ask-next START.sh:1:7'],
  ],
  [
    'a placeholder of prompts as the path of a command',
    { 'START.sh': 'set -e\nsort "{{task_folder}}/signups" >out.txt\necho "<result>ok</result>"\n' },
    ['unfilled-placeholder START.sh:2:7'],
  ],
  [
    'a filter without a file at the beginning of a pipeline',
    { 'START.sh': 'sort -u | head -n 5 >ids.txt\necho "<result>$(wc -l <ids.txt)</result>"\n' },
    ['no-arguments START.sh:1:1'],
  ],
  [
    'a directory under nearly the name that the script has made',
    {
      'START.sh': lines(
        'year=$(date +%Y)',
        'mkdir -p "archive/$year"',
        'echo "<reset cd=\\"archives/$year\\">LIST</reset>"',
      ),
      'LIST.sh': 'echo "<result>$(ls)</result>"\n',
    },
    ['directory-made-later START.sh:3:14'],
  ],
  [
    'the agents of forks that nobody waits for, where the agents print by awk',
    {
      'START.sh': 'for one in east west; do echo "<fork next=\\"JOIN\\" one=\\"$one\\">ADD</fork>"; done\n',
      'ADD.sh': 'awk -v r="$one" \'$1 == r { s += $2 } END { printf "<result>%d</result>\\n", s }\' sales.csv\n',
      'JOIN.py':
        'import json, os\nagents = json.loads(os.environ["RAYMOND_INPUT"])\nprint(f"<result>{len(agents)}</result>")\n',
    },
    ['results-before-await START.sh:1:45'],
  ],
  [
    'a number that is joined to a text',
    {
      'START.py': lines(
        'total = 0',
        'for line in open("pages.txt"):',
        '    total += int(line)',
        'print("<result>" + total + " pages</result>")',
      ),
    },
    ['text-as-number START.py:4:20'],
  ],
  [
    'a function for tags that opens its tag twice',
    {
      'START.py': lines('def tag(name, body):', '    return f"<{name}>{body}<{name}>"', 'print(tag("goto", "END"))'),
      ...END,
    },
    ['script-without-tag START.py:2:28'],
  ],
  [
    'an exit before the callback has printed its tag',
    {
      'START.js': lines(
        "const { execFile } = require('node:child_process');",
        "execFile('npm', ['audit'], (error, stdout) => {",
        "  console.log(stdout === '' ? '<goto>END</goto>' : '<result>none</result>');",
        '});',
        'process.exit(0);',
      ),
      ...END,
    },
    ['unreached-tag START.js:5:1'],
  ],
  [
    'the rest of a queue in a file that nothing moves back',
    {
      'START.sh': 'ls db >"$RAYMOND_TASK_FOLDER/queue.txt"\necho \'<goto>NEXT</goto>\'\n',
      'NEXT.sh': lines(
        'queue=$RAYMOND_TASK_FOLDER/queue.txt',
        'if [ -s "$queue" ]; then',
        '  file=$(head -n 1 "$queue")',
        '  tail -n +2 "$queue" >"$queue.rest"',
        '  echo "<goto file=\\"$file\\">CHECK</goto>"',
        'else',
        "  echo '<result>done</result>'",
        'fi',
      ),
      'CHECK.sh': 'cksum "$file" >&2\necho \'<goto>NEXT</goto>\'\n',
    },
    ['same-item-again NEXT.sh:4:3'],
  ],
  [
    'a counter that each round sets back',
    {
      'START.sh': 'echo \'<goto round="1">TEST</goto>\'\n',
      'TEST.sh': lines(
        'if make check >&2; then',
        "  echo '<result>green</result>'",
        'elif [ "$round" -ge 3 ]; then',
        "  echo '<result>red</result>'",
        'else',
        "  echo '<goto>FIX</goto>'",
        'fi',
      ),
      'FIX.sh': 'make fix >&2\necho \'<goto round="1">TEST</goto>\'\n',
    },
    ['counter-not-raised FIX.sh:2:13'],
  ],
  [
    'a variable of prompts as the text of a program',
    { 'START.py': 'from pathlib import Path\nPath("data", "{{input}}").mkdir()\nprint("<result>ok</result>")\n' },
    ['unfilled-placeholder START.py:2:15'],
  ],
  [
    'a test of bash without a blank',
    {
      'START.sh': lines(
        'n=$1',
        'if [[$n =~ ^DE ]]; then',
        "  echo '<result>right</result>'",
        'else',
        "  echo '<goto>END</goto>'",
        'fi',
      ).replace('$1', '${RAYMOND_INPUT// /}'),
      ...END,
    },
    ['constant-condition START.sh:2:4'],
  ],
  [
    'a target that the text names, if the policy leaves it open',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto }', 'End with <goto>TIMELINE</goto>.'),
      'END.md': '<result>x</result>',
    },
    ['missing-target START.md:5:16'],
  ],
  [
    'a target of a policy with the extension of no file',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: END.py }', 'Choose twenty words.'),
      ...END,
    },
    ['missing-target START.md:3:26'],
  ],
  [
    'a tag that a variable holds and that is printed twice',
    {
      'START.js': lines("const tag = '<goto>END</goto>';", "console.log('next step:', tag);", 'console.log(tag);'),
      ...END,
    },
    ['script-several-tags START.js:3:1'],
  ],
  [
    'a file of the package with a tag that the script prints',
    {
      'START.sh': lines('cat "$RAYMOND_STATE_DIR/banner.txt"', "echo '<goto>END</goto>'"),
      'banner.txt': 'Each reader ends with <result>the text</result>.\n',
      ...END,
    },
    ['script-several-tags START.sh:1:1'],
  ],
  [
    'a value that only a callback sets later',
    {
      'START.js': lines(
        "const fs = require('node:fs');",
        'let report;',
        "fs.readFile('report.json', 'utf8', (error, text) => {",
        '  report = JSON.parse(text);',
        '});',
        'console.log(`<result>${report.epochs}</result>`);',
      ),
    },
    ['callback-not-awaited START.js:6:24'],
  ],
  [
    'a reset of a script to itself that forgets the counted input',
    {
      'START.sh': lines(
        'n=$((${RAYMOND_INPUT:-0} + 1))',
        'waiting=$(gh run list --json databaseId --jq length)',
        'if [ "$waiting" -eq 0 ] || [ "$n" -ge 30 ]; then',
        '  echo "<result>$waiting wait</result>"',
        'else',
        '  echo \'<reset delay="4m">START</reset>\'',
        'fi',
      ),
    },
    ['counter-not-returned START.sh:6:9'],
  ],
];
