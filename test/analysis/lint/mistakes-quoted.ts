// Planted mistakes with texts that a state passes on: their quotes, their notation and their length; and with results that do not arrive.
import { lines, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const QUOTED_MISTAKES: readonly Fault[] = [
  [
    'a text in a file that a state has not tested',
    {
      'START.sh': lines(
        '[[ $RAYMOND_INPUT =~ ^[a-z]+$ ]] && echo "one word" >&2',
        'printf "%s" "$RAYMOND_INPUT" >"$RAYMOND_TASK_FOLDER/goal.txt"',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.sh': lines('goal=$(cat "$RAYMOND_TASK_FOLDER/goal.txt")', 'echo "<goto goal=\\"$goal\\">SHOW</goto>"'),
      'SHOW.sh': 'echo "<result>$goal</result>"\n',
    },
    ['unquotable-value NEXT.sh:2:20'],
  ],
  [
    'a dict that Python prints as a result',
    {
      'COUNT.py': lines(
        'import os',
        'from pathlib import Path',
        '',
        'files = list(Path("docs").rglob("*.md"))',
        'stats = dict(files=len(files), bytes=sum(file.stat().st_size for file in files))',
        'print("<result>" + str(stats) + "</result>")',
      ),
      'START.sh': 'echo \'<function return="USE">COUNT</function>\'\n',
      'USE.sh': lines(
        'set -eu',
        "if [ \"$RAYMOND_RESULT_files\" -gt 100 ]; then echo '<result>many</result>'; else echo '<result>few</result>'; fi",
      ),
    },
    ['printed-object COUNT.py:6:20'],
  ],
  [
    'an object that JavaScript prints as a result',
    {
      'COUNT.js': lines(
        'const fs = require("node:fs");',
        'const text = fs.readFileSync("poem.txt", "utf8");',
        'const info = { lines: text.split("\\n").length, words: text.split(/\\s+/).length };',
        'console.log(`<result>${info}</result>`);',
      ),
      'START.sh': 'echo \'<function return="USE">COUNT</function>\'\n',
      'USE.py': lines(
        'import os',
        '',
        'lines = int(os.environ["RAYMOND_RESULT_lines"])',
        "print(f\"<result>{'long' if lines > 20 else 'short'}</result>\")",
      ),
    },
    ['printed-object COUNT.js:4:24'],
  ],
  [
    'an object with names without quotes in bash',
    {
      'COUNT.sh': lines(
        'set -eu',
        'total=$(wc -l <orders.txt)',
        "open=$(grep -c '^open' orders.txt || true)",
        'echo "<result>{total: $total, open: $open}</result>"',
      ),
      'START.sh': 'echo \'<function return="USE">COUNT</function>\'\n',
      'USE.sh': lines(
        'set -eu',
        'echo "<result>$RAYMOND_RESULT_open of $RAYMOND_RESULT_total orders are open</result>"',
      ),
    },
    ['printed-object COUNT.sh:4:7'],
  ],
  [
    'JSON of jq in double quotes',
    {
      'PACK.py': lines(
        'import json',
        'import os',
        '',
        'order = json.loads(os.environ["order"])',
        'print(f"<result>{len(order[\'items\'])} items</result>")',
      ),
      'START.sh': lines(
        '#!/bin/bash',
        'set -euo pipefail',
        "order=$(jq -c '{id, items}' order.json)",
        'echo "<goto order=\\"$order\\">PACK</goto>"',
      ),
    },
    ['unquotable-value START.sh:4:21'],
  ],
  [
    'JSON that a function puts in double quotes',
    {
      'FETCH.ts': lines(
        'const { status, limit } = JSON.parse(process.env.query!);',
        'console.log(`<result>${status} ${limit}</result>`);',
      ),
      'START.ts': lines(
        'const query = { status: "open", limit: 20 };',
        'const tag = (attributes: Record<string, string>, target: string): string =>',
        '  `<goto ${Object.entries(attributes).map(([key, value]) => `${key}="${value}"`).join(" ")}>${target}</goto>`;',
        'console.log(tag({ query: JSON.stringify(query) }, "FETCH"));',
      ),
    },
    ['unquotable-value START.ts:4:26'],
  ],
  [
    'an apostrophe in a list of bash',
    {
      'COUNT.sh': 'echo "<result>$(grep -cF "$title" loans.txt || true)</result>"\n',
      'START.sh': lines(
        '#!/bin/bash',
        'set -eu',
        'titles=("The Hare\'s Tale" \'Old Bridges\' "A Winter Night")',
        'for title in "${titles[@]}"; do',
        "  echo \"<fork title='$title' next='WAIT'>COUNT</fork>\"",
        'done',
      ),
      'SUM.sh': lines('jq -r \'.[].result\' "$RAYMOND_INPUT_FILE" >loans-today.txt', "echo '<result>done</result>'"),
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
    },
    ['unquotable-value START.sh:5:22'],
  ],
  [
    'an apostrophe in a list of JavaScript',
    {
      'CHECK.sh': 'echo "<result>$(grep -cF "$station" delays.txt || true)</result>"\n',
      'START.js': lines(
        'const stations = [',
        '  { name: "King\'s Cross", lines: 6 },',
        '  { name: "Bank", lines: 5 },',
        '];',
        'for (const { name, lines } of stations.filter((one) => one.lines > 4))',
        '  console.log("<fork station=\'" + name + "\' next=\'WAIT\'>CHECK</fork>");',
      ),
      'SUM.sh': lines('jq -r \'.[].result\' "$RAYMOND_INPUT_FILE" >delays-today.txt', "echo '<result>done</result>'"),
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
    },
    ['unquotable-value START.js:6:35'],
  ],
  [
    'JSON in an attribute that is passed by name',
    {
      'N.py': lines('import json, os', "print(f\"<result>{json.loads(os.environ['data'])['a']}</result>\")"),
      'START.py': lines(
        'import json',
        '',
        'def emit(state, **attributes):',
        '    text = " ".join(f\'{key}="{value}"\' for key, value in attributes.items())',
        '    print(f"<goto {text}>{state}</goto>")',
        '',
        'emit("N", data=json.dumps({"a": 1}))',
      ),
    },
    ['unquotable-value START.py:7:16'],
  ],
  [
    'a long text of dates',
    {
      'SPLIT.sh': lines(
        'set -eu',
        "printf '%s' \"$RAYMOND_INPUT\" | tr ' ' '\\n' >minutes.txt",
        "echo '<result>minutes.txt</result>'",
      ),
      'START.js': lines(
        'const minutes = [];',
        'for (let minute = 0; minute < 60 * 24 * 14; minute += 1) {',
        '  const date = new Date(Date.UTC(2026, 0, 1, 0, minute));',
        '  minutes.push(date.toISOString());',
        '}',
        'console.log(`<goto input="${minutes.join(" ")}">SPLIT</goto>`);',
      ),
    },
    ['value-too-long SPLIT.sh:2:15'],
  ],
  [
    'a long result of a counter',
    {
      'COUNT.py': lines(
        'import os',
        '',
        'squares = os.environ["RAYMOND_RESULT"].split()',
        'print(f"<result>{len(squares)}</result>")',
      ),
      'MAKE.sh': lines(
        '#!/bin/bash',
        '# Prints the squares of the numbers up to 30000.',
        'n=1',
        "echo '<result>'",
        'while ((n <= 30000)); do',
        '  echo "$((n * n))"',
        '  n=$((n + 1))',
        'done',
        "echo '</result>'",
      ),
      'START.sh': 'echo \'<function return="COUNT">MAKE</function>\'\n',
    },
    ['value-too-long COUNT.py:3:23'],
  ],
  [
    'the file of a result after a question',
    {
      'ASK.js': lines(
        'const text = process.env.RAYMOND_RESULT.replace(/[<>]/g, "");',
        'console.log(`<ask next="PRINT" choices="yes,no">Shall we print this?\\n${text}</ask>`);',
      ),
      'DRAFT.md': lines(
        '---',
        'model: haiku',
        'allowed_transitions:',
        '  - { tag: result }',
        '---',
        '',
        'Write a short advertisement for the shop in shop.txt. End with <result>the advertisement</result>',
      ),
      'PRINT.js': lines(
        'const fs = require("node:fs");',
        'if (process.env.RAYMOND_INPUT !== "yes") {',
        '  console.log("<result>not printed</result>");',
        '} else {',
        '  fs.copyFileSync(process.env.RAYMOND_RESULT_FILE, "advert.txt");',
        '  console.log("<result>advert.txt</result>");',
        '}',
      ),
      'START.sh': 'echo \'<function return="ASK">DRAFT</function>\'\n',
    },
    ['unbound-variable PRINT.js:5:31'],
  ],
  [
    'a result with a default after a goto',
    {
      'REPORT.ts': lines(
        'const { RAYMOND_RESULT: count = "0" } = process.env;',
        'console.log(`<result>${Number(count) > 100 ? "long" : "short"}</result>`);',
      ),
      'START.py': lines(
        'import os',
        '',
        'words = os.environ["RAYMOND_INPUT"].split()',
        'print(f\'<goto input="{len(words)}">REPORT</goto>\')',
      ),
    },
    ['unbound-variable REPORT.ts:1:9'],
  ],
];
