// Planted mistakes about where a state works and what reaches it there: directories, task folders, uploads, hosts, inputs.
import { END, lines, prompt, type Fault } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';
const WAIT = { 'WAIT.sh': 'echo "<await next=\\"END\\"/>"\n', ...END };

/** What is wrong, the package, and what is found in it. */
export const PLACE_MISTAKES: readonly Fault[] = [
  [
    'a reset that the prompt shows without the input that the next state reads',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: reset, target: FIX }',
        'Find the bug. End with <reset>FIX</reset>',
      ),
      'FIX.md': prompt(RESULT, 'Repair what {{input}} describes. <result>the cause</result>'),
    },
    ['unbound-variable FIX.md:5:13'],
  ],
  [
    'a file in the directory of the forking state',
    {
      'START.sh': 'mkdir -p album\necho "<reset cd=\\"album\\">SPLIT</reset>"\n',
      'SPLIT.sh': lines(
        'count=$(wc -l <titles.txt)',
        'for ((i = 1; i <= count; i++)); do echo "<fork next=\\"WAIT\\" line=\\"$i\\">DESCRIBE</fork>"; done',
        '[ "$count" -gt 0 ] || echo "<result>none</result>"',
      ),
      'DESCRIBE.sh': 'title=$(sed -n "${line}p" titles.txt)\necho "<result>${title//\\"/}</result>"\n',
      ...WAIT,
    },
    ['fork-without-cd SPLIT.sh:2:42'],
  ],
  [
    'a directory within itself',
    {
      'START.sh': 'mkdir -p work\necho "<reset cd=\\"work\\" step=\\"1\\">STEP</reset>"\n',
      'STEP.sh': lines(
        'if [ "$step" -lt 3 ]; then echo "<reset cd=\\"work\\" step=\\"$((step + 1))\\">STEP</reset>"',
        "else echo '<goto>END</goto>'; fi",
      ),
      ...END,
    },
    ['growing-directory STEP.sh:1:41'],
  ],
  [
    'files of the forking agent by a number',
    {
      'START.sh': lines(
        'csplit -s -f "$RAYMOND_TASK_FOLDER/chapter-" book.md "/^#/" "{*}"',
        'for i in 00 01; do echo "<fork next=\\"WAIT\\" chapter=\\"$i\\">READ</fork>"; done',
      ),
      'READ.md': prompt(RESULT, 'Read {{task_folder}}/chapter-{{chapter}}. <result>the words</result>'),
      ...WAIT,
    },
    ['other-task-folder READ.md:5:6'],
  ],
  [
    'an upload without the id of its question',
    {
      'START.sh': 'echo "<ask next=\\"READ\\" upload_slots=\\"statement:text/csv\\">The statement?</ask>"\n',
      'READ.py': lines(
        'import os',
        'from pathlib import Path',
        'statement = Path(os.environ["RAYMOND_TASK_FOLDER"], "asks", "statement")',
        'copy = Path(os.environ["RAYMOND_TASK_FOLDER"], "rows.csv")',
        'copy.write_text(statement.read_text())',
        'print("<result>read</result>")',
      ),
    },
    ['wrong-slot READ.py:3:54'],
  ],
  [
    'a download in the sandbox of a script',
    {
      'START.sh':
        '# raymond: sandbox=process\ncurl -fsS --output feed.xml https://example.org/feed.xml\necho "<result>x</result>"\n',
    },
    ['no-network START.sh:2:1', 'sandbox-missing START.sh:1:1'],
  ],
  [
    'a download in the sandbox of the manifest',
    {
      'workflow.yaml': 'id: x\nsandbox: process\n',
      'START.py': lines(
        '# raymond: sandbox=none',
        'from urllib.request import urlopen',
        'print(f"<result>{len(urlopen(\'https://example.org/\').read())}</result>")',
      ),
    },
    ['no-network START.py:3:22', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'words of a list',
    {
      'START.sh': 'echo "<function return=\\"COUNT\\">LIST</function>"\n',
      'LIST.md': prompt(
        'allowed_transitions:\n  - { tag: result }\nresult:\n  schema: { type: object, properties: { files: { type: array } } }',
        'List them: <result>{"files": ["a"]}</result>',
      ),
      'COUNT.sh': lines(
        'n=0',
        'for file in $RAYMOND_RESULT_files; do n=$((n + 1)); done',
        'echo "<result>$n</result>"',
      ),
    },
    ['list-as-words COUNT.sh:2:1'],
  ],
  [
    'a counter that a prompt does not pass back',
    {
      'START.sh': lines(
        'if [ "${tries:-0}" -ge 5 ]; then echo "<result>gave up</result>"',
        'else echo "<goto tries=\\"$((${tries:-0} + 1))\\">REPAIR</goto>"; fi',
      ),
      'REPAIR.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: START }',
        'This is round {{tries}}. Repair one failure. <goto>START</goto>',
      ),
    },
    ['counter-not-returned START.sh:1:7'],
  ],
  [
    'a pattern in its negation',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result, payload: returned }\nevaluate:\n  - { match: "APPROVED", transition: "<goto>END</goto>" }',
        'Write the line `APPROVED` and <goto>END</goto>, or the line `NOT APPROVED` and <result>returned</result>.',
      ),
      ...END,
    },
    ['pattern-of-opposite START.md:6:3'],
  ],
  [
    'a path that the forking state has made in its directory',
    {
      'START.sh': 'mkdir -p book\necho "<reset cd=\\"book\\">SPREAD</reset>"\n',
      'SPREAD.sh': lines(
        'for n in 1 2; do cp "$n.chapter" "part-$n.txt"; echo "<fork next=\\"WAIT\\" part=\\"part-$n.txt\\">NOTE</fork>"; done',
      ),
      'NOTE.sh': 'words=$(wc -w <"$part")\necho "<result>$((words))</result>"\n',
      ...WAIT,
    },
    ['fork-without-cd SPREAD.sh:1:55'],
  ],
  [
    'a file beside the states, and one of the same name in the task folder',
    {
      'START.sh': lines('sed "s/NAME/you/" letter.txt >"$RAYMOND_TASK_FOLDER/letter.txt"', 'echo "<goto>END</goto>"'),
      'letter.txt': 'Dear NAME\n',
      ...END,
    },
    ['file-beside-states START.sh:1:19'],
  ],
  [
    'a file that a prompt writes to the task folder, and that a script reads in the working directory',
    {
      'START.md': 'Write a quiz into the file `{{task_folder}}/quiz.json`. Then end with <goto>COUNT</goto>\n',
      'COUNT.js': lines(
        'const fs = require("fs");',
        'const quiz = JSON.parse(fs.readFileSync("quiz.json", "utf8"));',
        'console.log(`<result>${quiz.length} questions</result>`);',
      ),
    },
    ['unwritten-file COUNT.js:2:25'],
  ],
  [
    'a file that a script writes to the working directory, and that another reads in the task folder',
    {
      'START.py': lines(
        'import json',
        'with open("tables.json", "w") as file:',
        '    json.dump([], file)',
        'print("<goto>PRINT</goto>")',
      ),
      'PRINT.sh': 'echo "<result>$(jq length "$RAYMOND_TASK_FOLDER/tables.json")</result>"\n',
    },
    ['unwritten-file PRINT.sh:1:27'],
  ],
  [
    'a file of the task folder that a prompt writes under another name than the other states',
    {
      'START.sh': lines('set -eu', 'rm -f "$RAYMOND_TASK_FOLDER/answer.txt"', "echo '<reset>ANSWER</reset>'"),
      'ANSWER.md':
        'Write an answer to {{task_folder}}/reply.txt and end with <goto>RECORD</goto>. If you know none, end with <goto>OPEN</goto>\n',
      'OPEN.sh': lines('echo none >"$RAYMOND_TASK_FOLDER/answer.txt"', "echo '<goto>RECORD</goto>'"),
      'RECORD.sh': lines(
        'set -eu',
        'cat "$RAYMOND_TASK_FOLDER/answer.txt" >>all.txt',
        "[ -s more.txt ] && echo '<goto>START</goto>' || echo '<result>done</result>'",
      ),
    },
    ['unwritten-file ANSWER.md:1:20'],
  ],
  [
    'a relative cd to a directory that is made in the task folder',
    {
      'START.py': lines(
        'import os, pathlib',
        'boxes = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "boxes"',
        'for month in ("may", "june"):',
        '    (boxes / month).mkdir(parents=True)',
        '    print(f\'<fork cd="boxes/{month}" next="END">WORK</fork>\')',
      ),
      'WORK.md': 'Read every file here. End with <result>a summary</result>\n',
      ...END,
    },
    ['directory-made-later START.py:5:19'],
  ],
  [
    'a file that a prompt reads under nearly the name under which a script writes it',
    {
      'START.sh': 'echo "a b" >>"$RAYMOND_TASK_FOLDER/verdict.tsv"\necho "<goto>DIGEST</goto>"\n',
      'DIGEST.md': 'Read {{task_folder}}/verdicts.tsv and end with <result>what it says</result>\n',
    },
    ['unwritten-file DIGEST.md:1:6'],
  ],
];
