// Packages that are near to the mistakes in mistakes-slips.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const GOTO_END = 'allowed_transitions:\n  - { tag: goto, target: END }';

/** What is odd, and the package. */
export const RIGHT_SLIPS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a required property that may have any value',
    {
      'START.md': prompt(
        'result:\n  schema:\n    type: object\n    required: [level, reason]\n    properties:\n      level: { type: [string, "null"], enum: [low, null] }',
        'Judge it, as JSON in <result>…</result>.',
      ),
    },
  ],
  [
    'Claude in a sandbox beside pi without one, each in a conversation of its own',
    {
      'START.md': prompt(
        `sandbox: container\nallowed_transitions:\n  - { tag: reset, target: SECOND }`,
        'Do it. <reset>SECOND</reset>',
      ),
      'SECOND.md': prompt(`backend: pi\n${GOTO_END}`, 'Check it. <goto>END</goto>'),
      ...END,
    },
  ],
  [
    'a pattern that matches one of two tags, and one of the words before it',
    {
      'START.md': prompt(
        `allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: OTHER }\nevaluate:\n  - { match: 'END', transition: '<goto>OTHER</goto>' }\n  - { match: '(?i)todo', transition: '<goto>OTHER</goto>' }`,
        'Write it. <goto>END</goto> or <goto>OTHER</goto>',
      ),
      'OTHER.sh': 'echo "<result>other</result>"\n',
      ...END,
    },
  ],
  [
    'a prompt about scripts that read variables',
    {
      'START.md': prompt(
        GOTO_END,
        'Write a script that reads its text with `cat "$RAYMOND_INPUT_FILE"`. <goto>END</goto>',
      ),
      ...END,
    },
  ],
  [
    'a trap that prints a tag only after a failure',
    {
      'START.sh':
        'set -e\nfailed() {\n  if [ $? -ne 0 ]; then echo "<result>failed</result>"; fi\n}\ntrap failed EXIT\ntouch x\necho "<goto>END</goto>"\n',
      ...END,
    },
  ],
  [
    'an export that both scripts make, and one with a default',
    {
      'START.sh': 'export OUT=out\nexport LIMIT=3\necho "$OUT $LIMIT" >&2\necho "<goto>NEXT</goto>"\n',
      'NEXT.sh': 'export OUT=out\necho "$OUT ${LIMIT:-3}" >&2\necho "<result>x</result>"\n',
    },
  ],
  [
    'a counter that is written back',
    {
      'START.sh': 'echo 0 >count\necho "<goto>WRITE</goto>"\n',
      'WRITE.md': prompt('allowed_transitions:\n  - { tag: goto, target: ROUND }', 'Do it. <goto>ROUND</goto>'),
      'ROUND.sh':
        'round=$(cat count)\nround=$((round + 1))\necho "$round" >count\nif [ "$round" -ge 3 ]; then echo "<result>x</result>"; else echo "<reset>WRITE</reset>"; fi\n',
    },
  ],
  [
    'a counter that a called state writes back',
    {
      'START.sh': 'echo 0 >count\necho "<goto>WRITE</goto>"\n',
      'WRITE.md': prompt('allowed_transitions:\n  - { tag: goto, target: ROUND }', 'Do it. <goto>ROUND</goto>'),
      'ROUND.py': lines(
        'from pathlib import Path',
        'rounds = int(Path("count").read_text()) + 1',
        'if rounds >= 3:',
        '    print("<result>x</result>")',
        'else:',
        '    print(f\'<function return="WRITE" rounds="{rounds}">SAVE</function>\')',
      ),
      'SAVE.sh': lines('echo "$rounds" >count', 'echo "<result>saved</result>"'),
    },
  ],
  [
    'a list that is written back with a tried item, and one whose item another state takes out',
    {
      'START.sh': lines('echo "[]" >todo.json', "echo '<goto>NEXT</goto>'"),
      'NEXT.js': lines(
        'const fs = require("fs");',
        'const todo = JSON.parse(fs.readFileSync("todo.json", "utf8"));',
        'const item = todo[0];',
        'if (item) item.tries = (item.tries || 0) + 1;',
        'fs.writeFileSync("todo.json", JSON.stringify(todo));',
        'console.log(item ? `<reset name="${item.name}">WRITE</reset>` : "<result>done</result>");',
      ),
      'WRITE.md': prompt('allowed_transitions: [{ tag: goto, target: NOTE }]', 'Describe {{name}}. <goto>NOTE</goto>'),
      'NOTE.py': lines(
        'import json',
        'from pathlib import Path',
        'todo = json.loads(Path("todo.json").read_text())',
        'if Path("page.md").exists() or todo[0]["tries"] > 2:',
        '    Path("todo.json").write_text(json.dumps(todo[1:]))',
        'print("<goto>NEXT</goto>")',
      ),
    },
  ],
  [
    'a verdict that is appended to the earlier ones',
    {
      'START.sh': lines('ls pages >todo', "echo '<goto>NEXT</goto>'"),
      'NEXT.sh': lines(
        'page=$(head -n 1 todo)',
        'sed -i 1d todo',
        'if [ -z "$page" ]; then',
        '  echo "<goto>LAST</goto>"',
        'else',
        '  echo "<function return=\\"NOTE\\" page=\\"$page\\">JUDGE</function>"',
        'fi',
      ),
      'JUDGE.md': 'Is pages/{{page}} correct? <result>one sentence</result>\n',
      'NOTE.py': lines(
        'import os',
        'with open("verdicts.txt", "a") as out:',
        '    out.write(os.environ["RAYMOND_RESULT"])',
        'print("<goto>NEXT</goto>")',
      ),
      'LAST.py': lines('text = open("verdicts.txt").read()', 'print(f"<result>{len(text)}</result>")'),
    },
  ],
  [
    'a list of what is left to do, which each round makes from the files',
    {
      'START.sh': lines('grep -l TODO docs/*.md >todo || true', "echo '<goto>NEXT</goto>'"),
      'NEXT.sh': lines(
        'page=$(head -n 1 todo)',
        'sed -i 1d todo',
        'if [ -z "$page" ]; then',
        "  echo '<result>done</result>'",
        'else',
        '  echo "<reset page=\\"$page\\">WRITE</reset>"',
        'fi',
      ),
      'WRITE.md': prompt(
        'allowed_transitions: [{ tag: goto, target: START }]',
        'Complete {{page}}. <goto>START</goto>',
      ),
    },
  ],
  [
    'a raised counter that another state compares, saved under a new name first',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/batches"\necho "<goto>BAKE</goto>"\n',
      'BAKE.md': prompt('allowed_transitions:\n  - { tag: goto, target: NEXT }', 'Bake it. <goto>NEXT</goto>'),
      'NEXT.py': lines(
        'import os, pathlib',
        'folder = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"])',
        'batches = int((folder / "batches").read_text()) + 1',
        'new = folder / "batches.new"',
        'new.write_text(str(batches))',
        'new.replace(folder / "batches")',
        'print("<goto>LIMIT</goto>")',
      ),
      'LIMIT.sh':
        'if [ "$(cat "$RAYMOND_TASK_FOLDER/batches")" -ge 4 ]; then\n  echo "<result>x</result>"\nelse\n  echo "<goto>BAKE</goto>"\nfi\n',
    },
  ],
  [
    'a log beside the mark of what is done, which a prompt writes',
    {
      'START.sh': lines(
        'for letter in inbox/*.txt; do',
        '  [ -e "${letter%.txt}.sent" ] && continue',
        '  echo "<goto letter=\\"$letter\\">ANSWER</goto>"',
        '  exit 0',
        'done',
        "echo '<result>x</result>'",
      ),
      'ANSWER.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: CLOSE }',
        'Write an answer to {{letter}} beside it, with the ending .sent. End with <goto>CLOSE</goto>',
      ),
      'CLOSE.sh': 'date >"inbox/$(date +%s).log"\necho "<goto>START</goto>"\n',
    },
  ],
  [
    'a mark that the script sets, and one of the working directory that a person may set',
    {
      'START.sh': lines(
        '[ -e STOP ] && { echo "<result>stopped</result>"; exit 0; }',
        'mark=$RAYMOND_TASK_FOLDER/again',
        'if [ -e "$mark" ]; then echo "<result>x</result>"; exit 0; fi',
        'touch "$mark"',
        'echo "<goto>FIX</goto>"',
      ),
      'FIX.md': prompt('allowed_transitions:\n  - { tag: goto, target: START }', 'Fix it. <goto>START</goto>'),
    },
  ],
  [
    'lines that are counted, and a last line that is read, of a file to which every round appends',
    {
      'START.sh': lines(
        'echo x >>"$RAYMOND_TASK_FOLDER/rounds"',
        'rounds=$(wc -l <"$RAYMOND_TASK_FOLDER/rounds")',
        'last=$(tail -n 1 "$RAYMOND_TASK_FOLDER/numbers" 2>/dev/null || echo 0)',
        'last=$((last + 1))',
        'echo "$last" >>"$RAYMOND_TASK_FOLDER/numbers"',
        '[ "$rounds" -gt 3 ] || [ "$last" -gt 5 ] && echo "<result>x</result>" || echo "<goto>FIX</goto>"',
      ),
      'FIX.md': prompt('allowed_transitions:\n  - { tag: goto, target: START }', 'Fix it. <goto>START</goto>'),
    },
  ],
  [
    'a status that is printed without set -e, and a word on stderr beside a program that prints the tag',
    {
      'START.sh': 'make test >log 2>&1\necho "make: $?" >&2\necho "<goto>END</goto>"\n',
      'END.js':
        'const { execSync } = require("node:child_process");\nconsole.error("<result>…</result> follows");\nexecSync("./emit", { stdio: "inherit" });\n',
    },
  ],
  [
    'a path that git knows, in an attribute by a file',
    {
      'START.sh': lines(
        'if ! git ls-files --error-unmatch -- "$RAYMOND_INPUT" >/dev/null 2>&1; then',
        '  exit 1',
        'fi',
        'echo "$RAYMOND_INPUT" >"$RAYMOND_TASK_FOLDER/page.txt"',
        'echo "<goto>SHOW</goto>"',
      ),
      'SHOW.sh': lines(
        'page=$(cat "$RAYMOND_TASK_FOLDER/page.txt")',
        'echo "<ask next=\\"END\\" display_files=\\"$page:The page\\">Is it right?</ask>"',
      ),
      ...END,
    },
  ],
  [
    'files beside the states: one that is there, one that is tested, and one that the script makes',
    {
      'START.sh': lines(
        'set -eu',
        '. "$RAYMOND_STATE_DIR/common.bash"',
        'if [ -f "$RAYMOND_STATE_DIR/local.bash" ]; then . "$RAYMOND_STATE_DIR/local.bash"; fi',
        'sort list >"$RAYMOND_STATE_DIR/sorted"',
        'head "$RAYMOND_STATE_DIR/sorted" >&2',
        'echo "<result>x</result>"',
      ),
      'common.bash': 'export LC_ALL=C\n',
    },
  ],
  [
    'a request that a retry may send again, as it sets a value',
    {
      'START.sh': lines(
        '# raymond: retries=2',
        'set -e',
        'for page in a b; do',
        '  curl -fsS -X PUT -F "page=@$page" "https://example.org/pages/$page" >&2',
        'done',
        "echo '<result>x</result>'",
      ),
    },
  ],
  [
    'forks of two branches that continue at different states, and a number that another state writes',
    {
      'START.js': lines(
        'const fs = require("node:fs");',
        'const file = `${process.env.RAYMOND_TASK_FOLDER}/rounds`;',
        'const rounds = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;',
        'if (rounds >= 3) {',
        '  console.log(\'<fork next="END">WORK</fork>\');',
        '} else {',
        '  console.log(\'<fork next="WAIT">WORK</fork>\');',
        '}',
      ),
      'WORK.sh': 'echo "<result>x</result>"\n',
      'WAIT.sh': 'echo \'<await next="COUNT">\'\n',
      'COUNT.sh':
        'file=$RAYMOND_TASK_FOLDER/rounds\nrounds=$(cat "$file" 2>/dev/null || echo 0)\necho $((rounds + 1)) >"$file"\necho "<goto>START</goto>"\n',
      'END.sh': 'echo \'<await next="LAST">\'\n',
      'LAST.sh': 'echo "<result>x</result>"\n',
    },
  ],
  [
    'a raised counter that a block writes, and a list that is longer in each round',
    {
      'START.sh': lines(
        'echo 0 >"$RAYMOND_TASK_FOLDER/day"',
        'echo "[]" >"$RAYMOND_TASK_FOLDER/all.json"',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.sh':
        'day=$(cat "$RAYMOND_TASK_FOLDER/day")\n{\necho $((day + 1))\n} >"$RAYMOND_TASK_FOLDER/day"\necho "<goto day=\\"$day\\">LOOK</goto>"\n',
      'LOOK.js': lines(
        'const fs = require("fs");',
        'const file = `${process.env.RAYMOND_TASK_FOLDER}/all.json`;',
        'const all = JSON.parse(fs.readFileSync(file, "utf8"));',
        'all.push(process.env.day);',
        'fs.writeFileSync(file, JSON.stringify(all));',
        'console.log(all.length >= 8 ? "<result>x</result>" : "<goto>NEXT</goto>");',
      ),
    },
  ],
  [
    'counts under set -e: of any lines, and of lines that the script has looked for',
    {
      'START.sh': lines(
        'set -eu',
        'ls >list.txt',
        "all=$(grep -c '^[^ ]' list.txt)",
        'git log --oneline v1..HEAD >log.txt',
        'if grep -q fix: log.txt; then',
        '  fixes=$(grep -c fix: log.txt)',
        '  echo "<result>$fixes fixes</result>"',
        'else',
        '  echo "<result>$all</result>"',
        'fi',
      ),
    },
  ],
];
