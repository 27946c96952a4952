// Planted mistakes about paths that lead nowhere: relative paths of forked agents, uploaded files, ids of questions, and files that are in an
// earlier task folder.
import { END, lines, prompt, type Fault } from './kit.js';

const WAIT = { 'WAIT.sh': 'echo \'<await next="END"/>\'\n', ...END };
const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** What is wrong, the package, and what is found in it. */
export const PATH_MISTAKES: readonly Fault[] = [
  [
    'registers that are only in the directory of the agent that forks',
    {
      'START.js': lines(
        "const path = require('node:path');",
        "const folder = path.join('archive', (process.env.RAYMOND_INPUT ?? 'x').replace(/\\W/g, ''));",
        'console.log(`<reset cd="${folder}">DEAL</reset>`);',
      ),
      'DEAL.js': lines(
        "const fs = require('node:fs');",
        'const years = fs',
        "  .readdirSync('registers')",
        '  .map((name) => name.slice(0, 4));',
        'const forkFor = (year) => `<fork year="${year}" next="WAIT">EXTRACT</fork>`;',
        "if (years.length === 0) console.log('<result>none</result>');",
        "else console.log(years.map(forkFor).join('\\n'));",
      ),
      'EXTRACT.md': prompt(RESULT, 'Read registers/{{year}}.txt. End with <result>the names</result>'),
      ...WAIT,
    },
    ['fork-without-cd DEAL.js:5:28'],
  ],
  [
    'chapters that a prompt in another directory lets agents read',
    {
      'START.sh': 'mkdir -p thesis/chapters\necho \'<reset cd="thesis">PLAN</reset>\'\n',
      'PLAN.md': prompt(
        'allowed_transitions:\n  - { tag: fork, target: CHAPTER, next: WAIT }',
        'List the files in the folder `chapters`. For each:\n\n<fork chapter="intro" next="WAIT">CHAPTER</fork>',
      ),
      'CHAPTER.sh': 'echo "<result>$(wc -w <"chapters/$chapter.tex")</result>"\n',
      ...WAIT,
    },
    ['fork-without-cd PLAN.md:7:1'],
  ],
  [
    'a part that another state has put into the directory of the agent that forks',
    {
      'START.sh': 'mkdir -p work\necho \'<reset cd="work">SPLIT</reset>\'\n',
      'SPLIT.py': lines(
        'from pathlib import Path',
        'for n in range(3):',
        '    Path(f"part-{n}.csv").write_text(str(n))',
        'print("<goto>SEND</goto>")',
      ),
      'SEND.sh': 'for n in 0 1 2; do echo "<fork number=\\"$n\\" next=\\"WAIT\\">CLEAN</fork>"; done\n',
      'CLEAN.js': lines(
        "const fs = require('node:fs');",
        'const file = `part-${process.env.number}.csv`;',
        "console.log(`<result>${fs.readFileSync(file, 'utf8').length}</result>`);",
      ),
      ...WAIT,
    },
    ['fork-without-cd SEND.sh:1:26'],
  ],
  [
    'forks of a workflow that works in the cd of its tag',
    {
      'START.sh': 'echo \'<function-workflow return="END" cd="shops/one">./adder/</function-workflow>\'\n',
      ...END,
      'adder/START.py': lines(
        'from pathlib import Path',
        'for path in Path("receipts").glob("*.csv"):',
        '    print(f\'<fork month="{path.stem}">MONTH</fork>\')',
        'print("<goto>WAIT</goto>")',
      ),
      'adder/MONTH.py': lines(
        'import os',
        'with open(f"receipts/{os.environ[\'month\']}.csv") as file:',
        '    print(f"<result>{len(file.read())}</result>")',
      ),
      'adder/WAIT.sh': 'echo \'<await next="END"/>\'\n',
      'adder/END.sh': 'echo "<result>done</result>"\n',
    },
    ['fork-without-cd START.sh:1:7'],
  ],
  [
    'uploaded photos in the task folder itself',
    {
      'START.sh': 'echo \'<ask next="SORT" upload_bucket="true">Please send photos.</ask>\'\n',
      'SORT.sh': lines(
        'n=0',
        'for photo in "$RAYMOND_TASK_FOLDER"/*.jpg; do',
        '  n=$((n + 1))',
        '  cp -- "$photo" "$n.jpg"',
        'done',
        'echo "<result>$n photos</result>"',
      ),
    },
    ['wrong-slot SORT.sh:2:14'],
  ],
  [
    'uploaded photos in a folder with another name',
    {
      'START.sh': 'echo \'<ask next="SORT" upload_bucket="true">Please send photos.</ask>\'\n',
      'SORT.py': lines(
        'import os',
        'from pathlib import Path',
        'task = Path(os.environ["RAYMOND_TASK_FOLDER"])',
        'folder = task.joinpath("uploads", os.environ["RAYMOND_ASK_ID"])',
        'def photos():',
        '    return [file for file in sorted(folder.iterdir()) if file.is_file()]',
        'print(f"<result>{len(photos())} photos</result>")',
      ),
    },
    ['wrong-slot SORT.py:4:10'],
  ],
  [
    'uploaded tables without the id of the question',
    {
      'START.sh': 'echo \'<ask next="NOTE" upload_bucket="true">Please send the tables.</ask>\'\n',
      'NOTE.sh': 'echo "<goto>COUNT</goto>"\n',
      'COUNT.js': lines(
        "const fs = require('node:fs');",
        "const path = require('node:path');",
        "const table = path.join(process.env.RAYMOND_TASK_FOLDER, 'asks', 'readings.csv');",
        "const text = fs.readFileSync(table, 'utf8');",
        'console.log(`<result>${text.length}</result>`);',
      ),
    },
    ['wrong-slot COUNT.js:3:15'],
  ],
  [
    'the id of a question in a later prompt',
    {
      'START.sh': 'echo \'<ask next="NAME" upload_slots="photo:image/png">Please send a picture.</ask>\'\n',
      'NAME.sh': 'echo "<goto>DESCRIBE</goto>"\n',
      'DESCRIBE.md': prompt(
        RESULT,
        'Look at {{task_folder}}/asks/{{ask_id}}/photo. End with <result>what you see</result>',
      ),
    },
    ['unbound-variable DESCRIBE.md:5:30'],
  ],
  [
    'the id of a question with a default in a later script',
    {
      'START.sh': 'echo \'<ask next="NAME" upload_slots="photo:image/png">Please send a picture.</ask>\'\n',
      'NAME.md': prompt(
        'allowed_transitions:\n  - { tag: reset, target: SIZE }',
        'Sort this: {{input}}. <reset>SIZE</reset>',
      ),
      'SIZE.py': lines(
        'import os',
        'ask = os.environ.get("RAYMOND_ASK_ID", "")',
        'path = os.path.join(os.environ["RAYMOND_TASK_FOLDER"], "asks", ask, "photo")',
        'print(f"<result>{os.path.getsize(path)}</result>")',
      ),
    },
    ['unbound-variable SIZE.py:2:23'],
  ],
  [
    'pages in the task folder before a workflow gets a new one',
    {
      'START.js': lines(
        "const fs = require('node:fs');",
        "const path = require('node:path');",
        "const folder = path.join(process.env.RAYMOND_TASK_FOLDER, 'pages');",
        'fs.mkdirSync(folder, { recursive: true });',
        "fs.writeFileSync(path.join(folder, '001.txt'), 'one');",
        'console.log(\'<reset-workflow task="new">./binder/</reset-workflow>\');',
      ),
      'binder/START.sh': lines(
        'pages=$RAYMOND_TASK_FOLDER/pages',
        'cat "$pages"/*.txt >booklet.txt',
        'echo "<result>done</result>"',
      ),
    },
    ['other-task-folder START.js:6:14'],
  ],
  [
    'a glossary from before a loop that changes the task folder',
    {
      'START.py': lines(
        'import os',
        'with open(os.path.join(os.environ["RAYMOND_TASK_FOLDER"], "glossary.json"), "w") as file:',
        '    file.write("{}")',
        'print("<goto>NEXT</goto>")',
      ),
      'NEXT.sh': lines(
        'n=$(cat chapter)',
        'if [ "$n" -gt 9 ]; then echo "<result>done</result>"; else echo "<reset task=\\"new\\">TRANSLATE</reset>"; fi',
      ),
      'TRANSLATE.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: NEXT }',
        'Translate the next chapter, with the names as in {{task_folder}}/glossary.json. End with <goto>NEXT</goto>',
      ),
    },
    ['other-task-folder TRANSLATE.md:5:50'],
  ],
  [
    'commits from before a prompt that asks for a new task folder',
    {
      'START.sh': 'git log --oneline >"$RAYMOND_TASK_FOLDER/commits.txt"\necho \'<goto>SORT</goto>\'\n',
      'SORT.md': prompt(
        'allowed_transitions:\n  - { tag: reset, target: NOTES, task: new }',
        'Sort the commits in {{task_folder}}/commits.txt. End with <reset task="new">NOTES</reset>',
      ),
      'NOTES.sh': 'echo "<result>$(wc -l <"$RAYMOND_TASK_FOLDER/commits.txt")</result>"\n',
    },
    ['other-task-folder NOTES.sh:1:24'],
  ],
  [
    'an uploaded file that a script looks for in its task folder, after a cd to it',
    {
      'START.sh': 'echo \'<ask next="TAKE" upload_slots="contract.pdf">Please upload it.</ask>\'\n',
      'TAKE.sh': lines(
        'set -eu',
        'cd "$RAYMOND_TASK_FOLDER"',
        'if [ ! -s contract.pdf ]; then',
        "  echo '<goto>START</goto>'",
        '  exit 0',
        'fi',
        "echo '<result>received</result>'",
      ),
    },
    ['wrong-slot TAKE.sh:3:11'],
  ],
  [
    'an uploaded file that a later prompt looks for in its task folder',
    {
      'START.sh': 'echo \'<ask next="TAKE" upload_slots="contract">Please upload it.</ask>\'\n',
      'TAKE.sh': lines('printf "%s" "$RAYMOND_INPUT" >"$RAYMOND_TASK_FOLDER/remark.txt"', "echo '<goto>CHECK</goto>'"),
      'CHECK.md': lines(
        'Read {{task_folder}}/remark.txt and the contract in {{task_folder}}/contract.pdf.',
        'End with <result>who has signed it</result>.',
      ),
    },
    ['wrong-slot CHECK.md:1:53'],
  ],
  [
    'a file below a folder that the state in another directory lists, in the prompt of a forked agent',
    {
      'START.sh': lines(
        'git clone -q https://example.org/repo checkout',
        'echo \'<reset cd="checkout">SPLIT</reset>\'',
      ),
      'SPLIT.py': lines(
        'import os',
        'for name in sorted(os.listdir("packages")):',
        '    print(f\'<fork package="{name}" next="WAIT">UPDATE</fork>\')',
      ),
      'UPDATE.md':
        'Update the versions in `packages/{{package}}/package.json`. End with <result>what is new</result>.\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['fork-without-cd SPLIT.py:3:13'],
  ],
  [
    'a folder for which the prompt of a forked agent writes tests, and that a state in another directory lists',
    {
      'START.sh': lines(
        'git clone -q https://example.org/repo checkout',
        'echo \'<reset cd="checkout">SPLIT</reset>\'',
      ),
      'SPLIT.sh': lines(
        'ls services | while read -r service; do',
        '  echo "<fork service=\\"$service\\" next=\\"WAIT\\">TESTS</fork>"',
        'done',
      ),
      'TESTS.md': 'Write tests for `services/{{service}}`. End with <result>how many</result>.\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['fork-without-cd SPLIT.sh:2:9'],
  ],
  [
    'an uploaded file under another name, at a path of several parts',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: ask, next: FILE }',
        'End with <ask next="FILE" upload_slots="ledger">Please send the ledger.</ask>',
      ),
      'FILE.py': lines(
        'import os, shutil',
        'answers = os.path.join(os.environ["RAYMOND_TASK_FOLDER"], "asks")',
        'shutil.copy(os.path.join(answers, os.environ["RAYMOND_ASK_ID"], "ledger.xlsx"), "ledger.xlsx")',
        'print("<result>filed</result>")',
      ),
    },
    ['wrong-slot FILE.py:3:1'],
  ],
  [
    'uploaded files in a loop over a list, and a second question with another name',
    {
      'START.sh': 'echo \'<ask next="CHECK" upload_slots="front,label">Both photos, please.</ask>\'\n',
      'CHECK.js': lines(
        "const fs = require('node:fs');",
        "const path = require('node:path');",
        "const folder = path.join(process.env.RAYMOND_TASK_FOLDER, 'asks', process.env.RAYMOND_ASK_ID);",
        "const small = ['front', 'label'].filter((slot) => fs.statSync(path.join(folder, slot)).size < 9000);",
        "console.log(small.length > 0 ? '<goto>AGAIN</goto>' : '<result>taken</result>');",
      ),
      'AGAIN.sh': 'echo \'<ask next="CHECK" upload_slots="front,sticker">Both again, please.</ask>\'\n',
    },
    ['wrong-slot AGAIN.sh:1:39'],
  ],
  [
    'an uploaded file under another name, in a list',
    {
      'START.sh': 'echo \'<ask next="FILE" upload_slots="invoice,receipt">Both, please.</ask>\'\n',
      'FILE.py': lines(
        'import os',
        'folder = os.path.join(os.environ["RAYMOND_TASK_FOLDER"], "asks", os.environ["RAYMOND_ASK_ID"])',
        'sizes = [os.path.getsize(os.path.join(folder, name)) for name in ("bill", "receipt")]',
        'print(f"<result>{sum(sizes)}</result>")',
      ),
    },
    ['wrong-slot FILE.py:3:68'],
  ],
];
