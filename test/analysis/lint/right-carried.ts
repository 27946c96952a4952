// Packages that are near to the mistakes in mistakes-carried.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const WAIT = { 'WAIT.sh': `echo '<await next="END">'\n` };

/** What is odd, and the package. */
export const RIGHT_CARRIED: readonly (readonly [what: string, files: Files])[] = [
  [
    'a counter that one state of the loop raises, and a prompt that passes it on',
    {
      'START.sh': `echo '<goto round="1">CHECK</goto>'\n`,
      'CHECK.py': lines(
        'import os',
        'import subprocess',
        'round_number = int(os.environ["round"])',
        'if subprocess.run(["make"], stdout=subprocess.DEVNULL).returncode == 0 or round_number >= 4:',
        '    print("<result>end</result>")',
        'else:',
        `    print(f'<goto round="{round_number + 1}">FIX</goto>')`,
      ),
      'FIX.md': 'Fix it. Then reply <goto round="{{round}}">CHECK</goto>',
    },
  ],
  [
    'a counter that a prompt raises, and a number that a loop carries but does not count',
    {
      'START.sh': `echo '<goto round="1" width="100">CHECK</goto>'\n`,
      'CHECK.sh': lines(
        'set -u',
        'long=$(awk -v w="$width" "length > w" a.md | wc -l)',
        'if [ "$long" -eq 0 ] || [ "$round" -ge 4 ]; then echo "<result>$long</result>"; exit 0; fi',
        'echo "<goto round=\\"$round\\" width=\\"$width\\">CUT</goto>"',
      ),
      'CUT.md':
        'Break lines longer than {{width}}. This is round {{round}}. Raise the number by one: <goto round="2" width="{{width}}">CHECK</goto>',
    },
  ],
  [
    'a default in a loop that passes the counter, and one in a loop of bash itself',
    {
      'START.sh': `echo '<goto>SEND</goto>'\n`,
      'SEND.sh': lines(
        'try=${try:-1}',
        'failed=${failed:-0}',
        'for file in *.txt; do',
        '  scp "$file" web: >&2 || failed=$((failed + 1))',
        'done',
        'if [ "$failed" -eq 0 ] || [ "$try" -ge 3 ]; then',
        '  echo "<result>$failed failed</result>"',
        'else',
        '  echo "<goto delay=\\"2m\\" try=\\"$((try + 1))\\">SEND</goto>"',
        'fi',
      ),
    },
  ],
  [
    'fractions of which the script takes the number, and a fraction that is only printed',
    {
      'START.sh': `echo '<function return="DECIDE">GRADE</function>'\n`,
      'GRADE.md': 'Grade essay.txt. End with the points, for example: <result>6/10</result>',
      'DECIDE.sh': lines(
        'points=${RAYMOND_RESULT%%/*}',
        'if [ "$points" -ge 7 ]; then',
        '  echo "<result>accepted with $RAYMOND_RESULT</result>"',
        'else',
        '  echo "<goto grade=\\"$RAYMOND_RESULT\\">SPLIT</goto>"',
        'fi',
      ),
      'SPLIT.py': lines(
        'import os',
        'grade = os.environ["grade"]',
        'points = int(grade.split("/")[0])',
        'print("<result>nearly</result>" if points > 5 else "<goto>LAST</goto>")',
      ),
      'LAST.md': 'How long is it? Reply <goto size="3 pages">SHOW</goto>',
      'SHOW.js': 'console.log(`<result>${parseInt(process.env.size, 10) > 2} ${process.env.size}</result>`);\n',
    },
  ],
  [
    'loops that leave the folder again, or go into an absolute one',
    {
      'START.sh': `mkdir -p a b\necho '<goto>NEXT</goto>'\n`,
      'NEXT.sh': lines(
        'if [ -e finished ]; then echo "<result>done</result>"; exit 0; fi',
        `if [ -e other ]; then echo "<reset cd=\\"$PWD/b\\" delay=\\"1m\\">SYNC</reset>"; else echo '<reset cd="a">SYNC</reset>'; fi`,
      ),
      'SYNC.sh': `git remote update >&2\necho '<reset cd=".." delay="1h">NEXT</reset>'\n`,
    },
  ],
  [
    'a folder in which a called state works',
    {
      'START.sh': `mkdir -p a\necho '<goto>LOOP</goto>'\n`,
      'LOOP.sh': `if [ -e end ]; then echo '<result>x</result>'; else echo '<function return="LOOP">SUB</function>'; fi\n`,
      'SUB.sh': `echo '<reset cd="a" delay="1m">IN</reset>'\n`,
      'IN.sh': 'date >>log.txt\necho "<result>logged</result>"\n',
    },
  ],
  [
    'lists in the working directory, and files that each round writes before it reads them',
    {
      'START.sh': `echo '<goto>NEXT</goto>'\n`,
      'NEXT.sh': lines(
        'touch done.txt',
        'for text in texts/*.txt; do',
        '  if grep -qxF "$text" done.txt; then continue; fi',
        '  echo "$text" >>done.txt',
        '  echo "<reset task=\\"new\\" text=\\"$text\\">TAG</reset>"',
        '  exit 0',
        'done',
        'echo "<result>all</result>"',
      ),
      'TAG.sh': lines(
        'wc -w <"$text" >"$RAYMOND_TASK_FOLDER/words.txt"',
        'echo "$text" >>"$RAYMOND_TASK_FOLDER/log.txt"',
        `echo '<goto>READ</goto>'`,
      ),
      'READ.sh': lines(
        'cat "$RAYMOND_TASK_FOLDER/words.txt" "$RAYMOND_TASK_FOLDER/log.txt" >&2',
        `echo '<goto>NEXT</goto>'`,
      ),
    },
  ],
  [
    'forks with the directory of a clone, and forks that need nothing in it',
    {
      'START.sh': `git clone -q "$RAYMOND_INPUT" checkout\necho '<reset cd="checkout">SPLIT</reset>'\n`,
      'SPLIT.sh': lines(
        'for file in src/*.py; do',
        '  echo "<fork cd=\\"$PWD\\" file=\\"$file\\">COMPILE</fork>"',
        '  echo "<fork title=\\"$file\\">NAME</fork>"',
        'done',
        `echo '<goto>WAIT</goto>'`,
      ),
      'COMPILE.sh': 'python3 -m py_compile "./$file" >&2 && r=ok || r=broken\necho "<result>$r</result>"\n',
      'NAME.sh': 'name=$(basename "$title" .py)\necho "<result>$name of $title</result>"\n',
      ...WAIT,
      ...END,
    },
  ],
  [
    'a boolean that a script writes to a file as a text',
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
        'row = {"dry": os.environ["RAYMOND_RESULT_dry"]}',
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
  ],
];
