// Packages that are near to the mistakes in mistakes-paths.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const WAIT = { 'WAIT.sh': 'echo \'<await next="END"/>\'\n', ...END };
const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** What is odd, and the package. */
export const RIGHT_PATHS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a folder that the directory of the run has, too',
    {
      'START.sh': 'mkdir -p build\ncp -r modules build/\necho \'<reset cd="build">LIST</reset>\'\n',
      'LIST.js': lines(
        "const fs = require('node:fs');",
        'const tags = fs.readdirSync(\'modules\').map((file) => `<fork file="${file}" next="WAIT">COUNT</fork>`);',
        "console.log(tags.join('\\n') || '<result>none</result>');",
      ),
      'COUNT.sh': 'echo "<result>$(wc -l <"modules/$file")</result>"\n',
      ...WAIT,
    },
  ],
  [
    'forked agents that get the directory',
    {
      'START.sh': 'mkdir -p work/parts\necho \'<reset cd="work">LIST</reset>\'\n',
      'LIST.py': lines(
        'from pathlib import Path',
        'for path in Path("parts").iterdir():',
        '    print(f\'<fork cd="." part="{path.stem}">COUNT</fork>\')',
        'print("<goto>WAIT</goto>")',
      ),
      'COUNT.sh': 'echo "<result>$(wc -l <"parts/$part.txt")</result>"\n',
      ...WAIT,
    },
  ],
  [
    'a workflow in the directory of its tag whose agents get the directory',
    {
      'START.sh': 'echo \'<function-workflow return="END" cd="shops/one">./adder/</function-workflow>\'\n',
      ...END,
      'adder/START.py': lines(
        'from pathlib import Path',
        'for path in Path("receipts").glob("*.csv"):',
        '    print(f\'<fork cd="." month="{path.stem}">MONTH</fork>\')',
        'print("<goto>WAIT</goto>")',
      ),
      'adder/MONTH.sh': 'echo "<result>$(wc -l <"receipts/$month.csv")</result>"\n',
      'adder/WAIT.sh': 'echo \'<await next="END"/>\'\n',
      'adder/END.sh': 'echo "<result>done</result>"\n',
    },
  ],
  [
    'uploaded files in the folder of their question, and copies of them in the task folder',
    {
      'START.sh': 'echo \'<ask next="SORT" upload_bucket="true">Please send photos.</ask>\'\n',
      'SORT.sh': lines(
        'inbox=$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID',
        'cp "$inbox"/*.jpg "$RAYMOND_TASK_FOLDER/"',
        'echo "<goto>COUNT</goto>"',
      ),
      'COUNT.py': lines(
        'import os',
        'from pathlib import Path',
        'photos = list(Path(os.environ["RAYMOND_TASK_FOLDER"]).glob("*.jpg"))',
        'print(f"<result>{len(photos)}</result>")',
      ),
    },
  ],
  [
    'uploaded files in any folder below the task folder, and a note of a state',
    {
      'START.sh': lines(
        'echo 2026 >"$RAYMOND_TASK_FOLDER/year"',
        'echo \'<ask next="SORT" upload_bucket="true">Please send photos.</ask>\'',
      ),
      'SORT.py': lines(
        'import os',
        'from pathlib import Path',
        'task = Path(os.environ["RAYMOND_TASK_FOLDER"])',
        'year = (task / "year").read_text().strip()',
        'photos = [path for path in (task / "asks").rglob("*.jpg")] + list(task.glob("asks/*/*.png"))',
        'print(f"<result>{year}: {len(photos)}</result>")',
      ),
    },
  ],
  [
    'the id of a question as an attribute',
    {
      'START.sh': 'echo \'<ask next="NAME" upload_slots="photo:image/png">Please send a picture.</ask>\'\n',
      'NAME.sh': 'echo "<goto ask_id=\\"$RAYMOND_ASK_ID\\">DESCRIBE</goto>"\n',
      'DESCRIBE.md': prompt(
        RESULT,
        'Look at {{task_folder}}/asks/{{ask_id}}/photo. End with <result>what you see</result>',
      ),
    },
  ],
  [
    'a workflow that writes its pages into its new task folder',
    {
      'START.sh': lines(
        'mkdir -p "$RAYMOND_TASK_FOLDER/pages"',
        'echo one >"$RAYMOND_TASK_FOLDER/pages/1.txt"',
        'echo \'<reset-workflow task="new">./binder/</reset-workflow>\'',
      ),
      'binder/START.sh': lines(
        'pages=$RAYMOND_TASK_FOLDER/pages',
        'mkdir -p "$pages"',
        'cp draft/*.txt "$pages"/',
        'cat "$pages"/*.txt >booklet.txt',
        'echo "<result>done</result>"',
      ),
    },
  ],
  [
    'a glossary that each round of a loop writes into its new task folder',
    {
      'START.sh': 'echo "{}" >"$RAYMOND_TASK_FOLDER/glossary.json"\necho "<goto>NEXT</goto>"\n',
      'NEXT.sh': lines(
        'n=$(cat chapter)',
        'if [ "$n" -gt 9 ]; then echo "<result>done</result>"; else echo "<reset task=\\"new\\">FILL</reset>"; fi',
      ),
      'FILL.sh': 'cp glossary.json "$RAYMOND_TASK_FOLDER/glossary.json"\necho "<goto>TRANSLATE</goto>"\n',
      'TRANSLATE.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: NEXT }',
        'Translate the next chapter, with the names as in {{task_folder}}/glossary.json. End with <goto>NEXT</goto>',
      ),
    },
  ],
  [
    'a file of the task folder with the name of an uploaded one, which a script puts there',
    {
      'START.sh': lines(
        'set -eu',
        'curl -fsS https://example.com/contract.pdf -o "$RAYMOND_TASK_FOLDER/contract.pdf"',
        'echo \'<ask next="TAKE" upload_slots="contract.pdf">Please sign.</ask>\'',
      ),
      'TAKE.sh': lines(
        'set -eu',
        'pdftotext "$RAYMOND_TASK_FOLDER/contract.pdf" contract.txt',
        "echo '<result>ready</result>'",
      ),
    },
  ],
  [
    'folders that the state in another directory lists, and that are also where the run was started',
    {
      'START.sh': lines('cp -r packages checkout/', 'echo \'<reset cd="checkout">SPLIT</reset>\''),
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
  ],
  [
    'an uploaded file under the name of its slot, beside a file that the script makes',
    {
      'START.sh': 'echo \'<ask next="FILE" upload_slots="ledger">Please send the ledger.</ask>\'\n',
      'FILE.js': lines(
        "const fs = require('node:fs');",
        "const path = require('node:path');",
        'const { RAYMOND_TASK_FOLDER: folder, RAYMOND_ASK_ID: id } = process.env;',
        "const text = fs.readFileSync(path.join(folder, 'asks', id, 'ledger'), 'utf8');",
        "fs.writeFileSync(path.join(folder, 'asks', id, 'plain.csv'), text.trim());",
        "console.log(`<result>${fs.readFileSync(path.join(folder, 'asks', id, 'plain.csv'))}</result>`);",
      ),
    },
  ],
  [
    'two questions with other files, and a state that takes those that are there',
    {
      'START.sh': 'echo \'<ask next="CHECK" upload_slots="front,label">Both photos, please.</ask>\'\n',
      'CHECK.sh': lines(
        'folder=$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID',
        'for slot in front label; do if [ -f "$folder/$slot" ]; then cp "$folder/$slot" .; fi; done',
        'if [ -s label ]; then echo "<result>taken</result>"; else cp "$folder"/* .; echo "<goto>AGAIN</goto>"; fi',
      ),
      'AGAIN.sh': 'echo \'<ask next="CHECK" upload_slots="front,side">Another one, please.</ask>\'\n',
    },
  ],
];
