// Planted mistakes in the habits of bash: exit codes, pipelines, numbers that are texts, and output that becomes part of a value.
import { END, lines, type Fault } from './kit.js';

/** The faults. */
export const SHELL_MISTAKES: readonly Fault[] = [
  [
    'a count of nothing under set -e',
    {
      'START.sh': lines(
        'set -euo pipefail',
        'open=$(grep -c TODO list.txt)',
        'if [ "$open" -eq 0 ]; then',
        '  echo "<result>nothing</result>"',
        'else',
        '  echo "<goto>END</goto>"',
        'fi',
      ),
      ...END,
    },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'files that are not there, under pipefail',
    {
      'START.sh': lines(
        'set -e -o pipefail',
        'drafts="$(ls drafts/*.md 2>/dev/null | wc -l)"',
        'if (( drafts == 0 )); then echo "<result>none</result>"; exit 0; fi',
        'echo "<goto>END</goto>"',
      ),
      ...END,
    },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'an exit code that is read under set -e',
    {
      'START.sh': lines(
        'set -e',
        'npm test >test.log 2>&1',
        'code=$?',
        'if [ "$code" -eq 0 ]; then echo "<result>ok</result>"; else echo "<goto>END</goto>"; fi',
      ),
      ...END,
    },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'differences in a file under set -e',
    {
      'START.sh': lines(
        'set -e',
        'diff -u old.txt new.txt >"$RAYMOND_TASK_FOLDER/changes"',
        'if [ -s "$RAYMOND_TASK_FOLDER/changes" ]; then echo "<goto>END</goto>"; else echo "<result>same</result>"; fi',
      ),
      ...END,
    },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'a count from 0, a text of several lines and an empty file under set -e',
    {
      'START.sh': lines(
        'set -e',
        'count=0',
        'for file in *.txt; do',
        '  ((count++))',
        'done',
        "read -r -d '' text <<'EOF'",
        'Hello',
        'EOF',
        'read -r first <names.txt',
        'if [ -z "$first" ]; then echo "<result>$text</result>"; else echo "<result>$count $first</result>"; fi',
      ),
    },
    ['unwanted-exit START.sh:4:3', 'unwanted-exit START.sh:6:1', 'unwanted-exit START.sh:9:1'],
  ],
  [
    'a sum that has the name of an attribute',
    {
      'START.sh': lines(
        'count=0',
        'ls *.py | while IFS= read -r file; do',
        '  ((count++))',
        'done',
        'echo "<goto count=\\"$count\\">SHOW</goto>"',
      ),
      'SHOW.sh': 'echo "<result>$count</result>"\n',
    },
    ['lost-assignment START.sh:2:11'],
  ],
  [
    'a variable that is read from a pipe',
    { 'START.sh': lines('git rev-parse HEAD | read -r commit', 'echo "<result>$commit</result>"') },
    ['lost-assignment START.sh:1:22'],
  ],
  [
    'the exit code of tee',
    {
      'START.sh': lines(
        'if npm test 2>&1 | tee test.log >&2; then',
        '  echo "<result>ok</result>"',
        'else',
        '  echo "<goto>END</goto>"',
        'fi',
      ),
      ...END,
    },
    ['status-of-pipe START.sh:1:4'],
  ],
  [
    'the exit code of tail',
    {
      'START.sh': lines(
        'out=$(make check 2>&1 | tail -20)',
        'if [ $? -eq 0 ]; then echo "<result>ok</result>"; else echo "<goto input=\'failed\'>END</goto>"; fi',
      ),
      'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['status-of-pipe START.sh:1:7'],
  ],
  [
    'the exit code of a pipe of Python',
    {
      'START.py': lines(
        'import subprocess',
        'done = subprocess.run("npm test | tee test.log >&2", shell=True)',
        'print("<result>ok</result>" if done.returncode == 0 else "<result>failed</result>")',
      ),
    },
    ['status-of-pipe START.py:2:8'],
  ],
  [
    'numbers that are compared as texts',
    {
      'START.sh': lines(
        'limit=500',
        'size=$(wc -c <data.txt)',
        'if [[ $size > $limit ]]; then echo "<result>large</result>"; exit 0; fi',
        'if [ "$size" \\> 20 ]; then echo "<result>small</result>"; else echo "<goto>END</goto>"; fi',
      ),
      ...END,
    },
    ['text-for-number START.sh:3:7', 'text-for-number START.sh:4:4'],
  ],
  [
    'a variable that is compared with a number as a text, in Python',
    {
      'START.sh': 'echo "<goto p95=\\"$(wc -l <p95)\\">DECIDE</goto>"\n',
      'DECIDE.py': lines(
        'import os',
        'p95 = os.environ["p95"]',
        'print("<result>slow</result>" if p95 > "500" else "<result>fine</result>")',
      ),
    },
    ['text-for-number DECIDE.py:3:34'],
  ],
  [
    'numbers with decimals that bash compares and calculates with',
    {
      'workflow.yaml': 'id: x\nenvironment: { LIMIT: "1.5" }\n',
      'START.sh': lines(
        'rate=$(cat rate)',
        'share=$(awk "BEGIN { printf \\"%.2f\\", $rate / 7 }")',
        'if [ "$rate" -gt "$LIMIT" ]; then',
        '  echo "<goto share=\\"$((share * 2))\\">NEXT</goto>"',
        'else',
        '  echo "<goto share=\\"0.5\\">NEXT</goto>"',
        'fi',
      ),
      'NEXT.sh': lines(
        'if (( share > 1 )); then',
        '  echo "<result>high</result>"',
        'else',
        '  echo "<result>low</result>"',
        'fi',
      ),
    },
    ['decimal-in-bash NEXT.sh:1:4', 'decimal-in-bash START.sh:3:4', 'decimal-in-bash START.sh:4:24'],
  ],
  [
    'a month with a zero before it',
    { 'START.sh': lines('month=$(date +%m)', 'next=$((month % 12 + 1))', 'echo "<result>$next</result>"') },
    ['octal-number START.sh:2:9'],
  ],
  [
    'a chapter that another script writes with a zero before it',
    {
      'START.py': lines('n = 1', 'print(f\'<goto chapter="{n:02d}">WRITE</goto>\')'),
      'WRITE.sh': 'echo "<result>$((chapter + 1))</result>"\n',
    },
    ['octal-number WRITE.sh:1:18'],
  ],
  [
    'log lines in a value',
    {
      'START.sh': lines(
        'log() { printf "%s %s\\n" "$(date +%T)" "$*"; }',
        'pick() {',
        '  log "looking for a ticket"',
        '  ls tickets | head -n 1',
        '  echo none',
        '}',
        'ticket=$(pick)',
        'echo "<result>$ticket</result>"',
      ),
    },
    ['log-in-value START.sh:3:3'],
  ],
  [
    'Markdown in a here-document',
    {
      'START.sh': lines('cat <<EOF', '<ask next="END">', 'Merge `release` into `main`?', '</ask>', 'EOF'),
      ...END,
    },
    ['markdown-run-by-bash START.sh:3:7'],
  ],
  [
    'Markdown and a fence in double quotes',
    {
      'START.sh': lines(
        'echo "Then run `npm test` and read it." >notes.md',
        'echo "For example:',
        '```json',
        '{}',
        '```" >>notes.md',
        'echo "<goto>END</goto>"',
      ),
      ...END,
    },
    ['markdown-run-by-bash START.sh:1:16', 'markdown-run-by-bash START.sh:3:3'],
  ],
  [
    'a file with the process id of another script',
    {
      'START.sh': lines('rows=/tmp/rows.$$', 'sort -u data.csv >"$rows"', 'echo "<goto>STORE</goto>"'),
      'STORE.sh': lines('rows="/tmp/rows.$$"', 'count=$(wc -l <"$rows")', 'echo "<result>$((count))</result>"'),
    },
    ['name-of-other-process STORE.sh:1:1'],
  ],
  [
    'a file with the process id of another program',
    {
      'START.py': lines(
        'import os',
        'path = f"/tmp/rows-{os.getpid()}.json"',
        'with open(path, "w") as file:',
        '    file.write("[]")',
        'print("<goto>STORE</goto>")',
      ),
      'STORE.py': lines(
        'import os',
        'path = f"/tmp/rows-{os.getpid()}.json"',
        'rows = open(path).read()',
        'print(f"<result>{len(rows)}</result>")',
      ),
    },
    ['name-of-other-process STORE.py:2:1'],
  ],
  [
    'helpers of the package in the working directory',
    {
      'START.sh': lines('. ./units.sh', 'if bash check.sh >&2; then echo "<goto>END</goto>"; else exit 1; fi'),
      'units.sh': 'to_kwh() { echo "$1"; }\n',
      'check.sh': 'test -f x\n',
      'END.py': lines('import subprocess', 'subprocess.run(["bash", "./check.sh"])', 'print("<result>done</result>")'),
    },
    ['file-beside-states END.py:2:1', 'file-beside-states START.sh:1:1', 'file-beside-states START.sh:2:4'],
  ],
  [
    'a count of one kind of lines beside a count of another kind',
    {
      'START.sh': lines(
        'set -e',
        'late=$(sort -u log | grep -c "^late" || true)',
        'lost=$(sort -u log | grep -c "^lost")',
        'echo "<result>$late late, $lost lost</result>"',
      ),
    },
    ['unwanted-exit START.sh:3:1'],
  ],
  [
    'a file that > empties before a pipeline reads it, and one behind a loop',
    {
      'START.sh': lines(
        'list=$RAYMOND_TASK_FOLDER/list',
        'grep -v "^#" "$list" | sort >"${list}"',
        'while read -r name; do echo "${name,,}"; done <names >names',
        'echo "<result>$(wc -l <"$list")</result>"',
      ),
    },
    ['emptied-file START.sh:2:24', 'emptied-file START.sh:3:1'],
  ],
  [
    'a file that a program opens for writing before it reads it',
    {
      'START.py': lines(
        'import json',
        'with open("stock.json", "w", encoding="utf-8") as file:',
        '    stock = json.load(open("stock.json"))',
        '    json.dump(stock, file)',
        'print("<goto>NEXT</goto>")',
      ),
      'NEXT.js': lines(
        'const fs = require("fs");',
        'fs.createReadStream("a").pipe(fs.createWriteStream("a"));',
        'console.log("<result>copied</result>");',
      ),
    },
    ['emptied-file START.py:2:6', 'emptied-file NEXT.js:2:34'],
  ],
];
