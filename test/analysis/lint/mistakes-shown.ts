// Planted mistakes in what only the log shows, and in files of the package that states look for in the working directory.
import { END, lines, prompt, type Fault } from './kit.js';

const RESULT = 'allowed_transitions: [{ tag: result }]';

/** What is wrong, the package, and what is found in it. */
export const SHOWN_MISTAKES: readonly Fault[] = [
  [
    'a list of a command that no tag passes',
    {
      'START.sh': lines(
        'set -euo pipefail',
        'if git diff --quiet; then',
        '  echo "<result>no changes</result>"',
        '  exit 0',
        'fi',
        'git log --format="%h %s" main..HEAD',
        'echo "<goto>SORT</goto>"',
      ),
      'SORT.md': prompt(RESULT, 'Sort the commits into fixes and features. <result>both groups</result>'),
    },
    ['unseen-output SORT.md:4:1'],
  ],
  [
    'lines of a loop in Python that no tag passes',
    {
      'START.py': lines(
        'import csv',
        'with open("stock.csv", newline="") as handle:',
        '    low = [row for row in csv.DictReader(handle) if int(row["left"]) < 5]',
        'if not low:',
        '    print("<result>enough</result>")',
        'else:',
        '    for row in low:',
        '        print(row["article"], row["left"])',
        '    print(f\'<goto count="{len(low)}">ORDER</goto>\')',
      ),
      'ORDER.md': prompt(
        RESULT,
        '{{count}} articles have run low. Write an order for each of them. <result>the order</result>',
      ),
    },
    ['unseen-output ORDER.md:4:11'],
  ],
  [
    'a text of a Node.js program that no tag passes',
    {
      'START.js': lines(
        "const { readFileSync } = require('node:fs');",
        "const open = JSON.parse(readFileSync('incidents.json', 'utf8')).filter(({ end }) => end === undefined);",
        'console.log(JSON.stringify(open, null, 2));',
        "console.log('<reset>INFORM</reset>');",
      ),
      'INFORM.md': prompt(
        RESULT,
        'Tell our customers about the open incidents in one line each. <result>the lines</result>',
      ),
    },
    ['unseen-output INFORM.md:4:26'],
  ],
  [
    'the messages of a tool that its name refers to',
    {
      'START.sh': lines(
        'if mypy src; then',
        '  echo "<result>fine</result>"',
        'else',
        '  echo "<goto>FIX</goto>"',
        'fi',
      ),
      'FIX.md': prompt(RESULT, 'Fix the types that the checker has complained about. <result>the files</result>'),
    },
    ['unseen-output FIX.md:4:20'],
  ],
  [
    'helpers and data in subfolders of the package',
    {
      'START.sh': lines('set -eu', 'LIB=./lib', '. "$LIB/names.sh"', 'echo "<goto name=\\"$(file_name)\\">SUM</goto>"'),
      'lib/names.sh': 'file_name() { date +%F; }\n',
      'SUM.py': lines(
        'import json, os',
        'from pathlib import Path',
        'RATES = Path("data") / "rates.json"',
        'rates = json.loads(RATES.read_text())',
        'print(f\'<goto input="{os.environ["name"]}: {len(rates)}">TELL</goto>\')',
      ),
      'data/rates.json': '{}\n',
      'TELL.md': prompt(RESULT, 'Write about {{input}} by the rules in `guides/style.txt`. <result>the text</result>'),
      'guides/style.txt': 'Be brief.\n',
    },
    ['file-beside-states START.sh:2:5', 'file-beside-states SUM.py:3:9', 'file-beside-states TELL.md:4:40'],
  ],
  [
    'programs and templates in subfolders of the package',
    {
      'START.js': lines(
        "const { execFileSync } = require('node:child_process');",
        "const fs = require('node:fs');",
        "const DIR = './templates';",
        "const page = fs.readFileSync(`${DIR}/page.html`, 'utf8');",
        "execFileSync('bash', ['bin/publish.sh', String(page.length)]);",
        "console.log('<goto>CHECK</goto>');",
      ),
      'templates/page.html': '<p></p>\n',
      'bin/publish.sh': 'echo "$1" >&2\n',
      'CHECK.sh': lines(
        'set -eu',
        'for rule in rules/*.awk; do',
        '  awk -f "$rule" page.html >&2',
        'done',
        'echo "<result>checked</result>"',
      ),
      'rules/empty.awk': 'END { exit NR == 0 }\n',
    },
    ['file-beside-states CHECK.sh:2:13', 'file-beside-states START.js:3:13', 'file-beside-states START.js:5:23'],
  ],
  [
    'a file that is shown under another name than the one of the script that writes it, in Python',
    {
      'START.py': lines(
        'with open("incidents.txt", "w") as out:',
        '    out.write("none")',
        'print(\'<ask next="END" display_files="log.txt,incident-list.txt:All">Was it you?</ask>\')',
      ),
      ...END,
    },
    ['unshowable-file START.py:3:24'],
  ],
  [
    'a file that is shown under another name than the one in the prompt that writes it',
    {
      'START.md': 'Write a menu for the week into the file `menu.md`. Then end with <goto>ASK</goto>\n',
      'ASK.sh': 'echo \'<ask next="END" display_files="week-menu.md">Is the menu good?</ask>\'\n',
      ...END,
    },
    ['unshowable-file ASK.sh:1:23'],
  ],
  [
    'a shown file that is in the folder into which the script writes it',
    {
      'START.sh':
        'mkdir -p out\necho soup >out/menu.txt\necho \'<ask next="END" display_files="menu.txt:Menu">Is it right?</ask>\'\n',
      'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unshowable-file START.sh:3:23'],
  ],
  [
    'a file that is shown and printed, written by a prompt under the name of its label',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: ASK }',
        'Write the toast for the wedding to toast.txt. End with <goto>ASK</goto>',
      ),
      'ASK.sh': 'echo \'<ask next="PRINT" display_files="speech.txt:Toast">Is it fine?</ask>\'\n',
      'PRINT.sh': 'lp speech.txt\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unshowable-file START.md:5:36'],
  ],
];
