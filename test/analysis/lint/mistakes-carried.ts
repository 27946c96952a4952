// Planted mistakes about what a loop carries from round to round: counters, directories, task folders; and about numbers with a unit.
import { END, lines, prompt, type Fault } from './kit.js';

const TO_CHECK = 'model: haiku\nallowed_transitions:\n  - { tag: goto, target: CHECK }';
const WAIT = { 'WAIT.sh': `echo '<await next="END">'\n` };

/** What is wrong, the package, and what is found in it. */
export const CARRIED_MISTAKES: readonly Fault[] = [
  [
    'a counter that Python and a prompt pass on as it is',
    {
      'START.py': `print('<goto round="1">CHECK</goto>')\n`,
      'CHECK.py': lines(
        'import os',
        'import subprocess',
        'LIMIT = 4',
        'current = int(os.environ["round"])',
        'if subprocess.run(["make"], stdout=subprocess.DEVNULL).returncode == 0:',
        '    print("<result>built</result>")',
        'elif current >= LIMIT:',
        '    print("<result>not built</result>")',
        'else:',
        `    print(f'<goto round="{current}">FIX</goto>')`,
      ),
      'FIX.md': prompt(TO_CHECK, 'Fix the code in round {{round}}. End with <goto round="{{round}}">CHECK</goto>'),
    },
    ['counter-not-raised CHECK.py:10:13'],
  ],
  [
    'a number of tries that counts down nowhere',
    {
      'START.js': `const most = 5;\nconsole.log(\`<goto left="\${most}">TRY</goto>\`);\n`,
      'TRY.sh': lines(
        'set -u',
        'if ./deploy >&2; then',
        '  echo "<result>deployed</result>"',
        'elif (( left == 0 )); then',
        '  echo "<result>no tries left</result>"',
        'else',
        '  echo "$((left - 1)) tries left" >&2',
        '  echo "<reset delay=\\"1m\\" left=\\"$left\\">TRY</reset>"',
        'fi',
      ),
    },
    ['counter-not-raised TRY.sh:8:9'],
  ],
  [
    'a round that two prompts pass on as it is',
    {
      'START.sh': `echo '<goto round="1">REVIEW</goto>'\n`,
      'REVIEW.md':
        'Read a.md. If this is round 4, reply <result>done</result>, otherwise <goto round="{{round}}">EDIT</goto>',
      'EDIT.md': 'Edit a.md. Then reply <goto round="{{round}}">REVIEW</goto>',
    },
    ['counter-not-raised REVIEW.md:1:71'],
  ],
  [
    'a goto back to a script without its counter',
    {
      'START.sh': `echo '<goto try="1">SEND</goto>'\n`,
      'SEND.sh': lines(
        'try=${try:-1}',
        'if scp a.tar web: >&2; then',
        '  echo "<result>sent</result>"',
        'elif [ "$try" -ge 6 ]; then',
        '  echo "<result>not sent</result>"',
        'else',
        `  echo '<goto delay="2m">SEND</goto>'`,
        'fi',
      ),
    },
    ['counter-not-returned SEND.sh:7:9'],
  ],
  [
    'a reset back to a program that counts the pages, without the page',
    {
      'START.js': `console.log('<goto>FETCH</goto>');\n`,
      'FETCH.js': lines(
        'const page = Number(process.env.page ?? 1);',
        'const items = await (await fetch(`https://example.com/?page=${page}`)).json();',
        'if (items.length === 0 || page >= 50) console.log(`<result>${page} pages</result>`);',
        `else console.log('<reset delay="1s">FETCH</reset>');`,
      ),
    },
    ['counter-not-returned FETCH.js:4:19'],
  ],
  [
    'a fraction that bash compares with a number',
    {
      'START.sh': `echo '<function return="DECIDE">GRADE</function>'\n`,
      'GRADE.md': 'Grade the essay in essay.txt. End with the sum, for example: <result>6/10</result>',
      'DECIDE.sh': lines(
        'points=$RAYMOND_RESULT',
        'if [ "$points" -ge 7 ]; then',
        '  echo "<result>accepted</result>"',
        'else',
        '  echo "<result>rejected with $points</result>"',
        'fi',
      ),
    },
    ['measure-as-number DECIDE.sh:2:4'],
  ],
  [
    'percent of a script, and a unit in an attribute, in programs',
    {
      'START.sh': `echo '<function return="GATE">COVER</function>'\n`,
      'COVER.sh': 'n=$(grep -c x cover.txt || true)\necho "<result>$n%</result>"\n',
      'GATE.py': lines(
        'import os',
        'covered = float(os.environ["RAYMOND_RESULT"])',
        'print("<result>enough</result>" if covered > 80 else "<goto>PLAN</goto>")',
      ),
      'PLAN.md': 'How long do more tests take? Reply <goto time="3 days">BOOK</goto>',
      'BOOK.js': lines(
        'const days = Number(process.env.time);',
        "console.log(days > 5 ? '<result>too long</result>' : '<result>booked</result>');",
      ),
    },
    ['measure-as-number BOOK.js:1:14', 'measure-as-number GATE.py:2:11'],
  ],
  [
    'a loop that goes into a folder in every round',
    {
      'START.sh': `mkdir -p mirrors\necho '<goto>NEXT</goto>'\n`,
      'NEXT.sh': lines(
        'if [ -e finished ]; then',
        '  echo "<result>done</result>"',
        'else',
        `  echo '<reset cd="mirrors">SYNC</reset>'`,
        'fi',
      ),
      'SYNC.sh': `git remote update >&2\necho '<goto delay="1h">NEXT</goto>'\n`,
    },
    ['growing-directory NEXT.sh:4:16'],
  ],
  [
    'a loop of prompts that goes into folders with computed names',
    {
      'START.sh': `echo '<goto>PLAN</goto>'\n`,
      'PLAN.md': 'Choose a service, at most five in all: <goto input="its name">OPEN</goto> or <result>done</result>',
      'OPEN.sh': 'echo "<reset cd=\\"services/$RAYMOND_INPUT\\">UPDATE</reset>"\n',
      'UPDATE.md': 'Update the dependencies here. Then <goto>PLAN</goto>',
    },
    ['growing-directory OPEN.sh:1:14'],
  ],
  [
    'a list of what is done in task folders that each round replaces',
    {
      'START.sh': `echo '<goto>NEXT</goto>'\n`,
      'NEXT.sh': lines(
        'done=$RAYMOND_TASK_FOLDER/done.txt',
        'touch "$done"',
        'for text in texts/*.txt; do',
        '  name=$(basename "$text" .txt)',
        '  grep -qxF "$name" "$done" && continue',
        '  echo "$name" >>"$done"',
        '  echo "<reset task=\\"new\\" name=\\"$name\\">TAG</reset>"',
        '  exit 0',
        'done',
        'echo "<result>all</result>"',
      ),
      'TAG.md': 'Tag texts/{{name}}.txt. Then <goto>NEXT</goto>',
    },
    ['counter-in-new-folder NEXT.sh:7:9'],
  ],
  [
    'a list that another state of the round appends to',
    {
      'START.py': `print('<goto>NEXT</goto>')\n`,
      'NEXT.py': lines(
        'import os',
        'import pathlib',
        'seen = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"], "seen.txt")',
        'names = seen.read_text().splitlines() if seen.exists() else []',
        'rest = [one for one in open("cities.txt").read().splitlines() if one not in names]',
        'if rest:',
        `    print(f'<reset task="new" city="{rest[0]}">NOTE</reset>')`,
        'else:',
        '    print("<result>all</result>")',
      ),
      'NOTE.sh': 'echo "$city" >>"$RAYMOND_TASK_FOLDER/seen.txt"\necho "<goto>NEXT</goto>"\n',
    },
    ['counter-in-new-folder NEXT.py:7:13'],
  ],
  [
    'forks for the files of a clone, without cd',
    {
      'START.sh': `git clone -q "$RAYMOND_INPUT" checkout\necho '<reset cd="checkout">SPLIT</reset>'\n`,
      'SPLIT.sh': lines(
        `git ls-files '*.py' >"$RAYMOND_TASK_FOLDER/files.txt"`,
        'while IFS= read -r file; do',
        '  echo "<fork file=\\"$file\\">COMPILE</fork>"',
        'done <"$RAYMOND_TASK_FOLDER/files.txt"',
        `echo '<goto>WAIT</goto>'`,
      ),
      'COMPILE.sh': lines(
        `if python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "./$file"; then`,
        '  echo "<result>ok</result>"',
        'else',
        '  echo "<result>broken</result>"',
        'fi',
      ),
      ...WAIT,
      ...END,
    },
    ['fork-without-cd SPLIT.sh:3:9'],
  ],
  [
    'forks for the folders of a clone, and for its tests, without cd',
    {
      'START.js': lines(
        "import { execFileSync } from 'node:child_process';",
        "execFileSync('git', ['clone', '-q', process.env.RAYMOND_INPUT ?? '', 'mono'], { stdio: 'ignore' });",
        `console.log('<reset cd="mono">LIST</reset>');`,
      ),
      'LIST.js': lines(
        "import { readdirSync } from 'node:fs';",
        'for (const app of readdirSync(\'apps\')) console.log(`<fork app="${app}">SIZE</fork>`);',
        "console.log('<goto>WAIT</goto>');",
      ),
      'SIZE.sh': 'echo "<result>$(du -sk "apps/$app" | cut -f1)</result>"\n',
      ...WAIT,
      ...END,
    },
    ['fork-without-cd LIST.js:2:53'],
  ],
  [
    'a boolean that a file of results carries, compared with a text',
    {
      'START.sh': "echo 0 >n\necho '<goto>NEXT</goto>'\n",
      'NEXT.sh': lines(
        'set -eu',
        'n=$(cat n)',
        'if [ "$n" -ge 3 ]; then echo \'<goto>SUM</goto>\'; exit; fi',
        'echo $((n + 1)) >n',
        'echo \'<function return="SAVE">RATE</function>\'',
      ),
      'RATE.md': prompt(
        'result: { schema: { type: object, required: [dry], properties: { dry: { type: boolean } } } }',
        'Look at the plants in garden.jpg. Is one dry?',
      ),
      'SAVE.py': lines(
        'import json, os',
        'row = json.loads(os.environ["RAYMOND_RESULT"])',
        'with open("rows.jsonl", "a") as file:',
        '    file.write(json.dumps(row) + "\\n")',
        'print("<goto>NEXT</goto>")',
      ),
      'SUM.py': lines(
        'import json',
        'with open("rows.jsonl") as file:',
        '    rows = [json.loads(line) for line in file]',
        'dry = [row for row in rows if row["dry"] == "true"]',
        'print(f"<result>{len(dry)}</result>")',
      ),
    },
    ['text-as-condition SUM.py:4:31'],
  ],
];
