// Planted mistakes in the habits of bash: exit codes, pipelines, numbers that are texts, and output that becomes part of a value.
import { END, type Fault } from './kit.js';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

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
];
