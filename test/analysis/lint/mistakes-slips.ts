// Planted mistakes that no tool but lint can tell: settings that contradict each other, and slips of bash.
import { END, lines, prompt, type Fault } from './kit.js';

const GOTO_END = 'allowed_transitions:\n  - { tag: goto, target: END }';

/** What is wrong, the package, and what is found in it. */
export const SLIPS: readonly Fault[] = [
  [
    'a required property that the schema does not admit',
    {
      'START.md': prompt(
        'result:\n  schema:\n    type: object\n    additionalProperties: false\n    required: [level, reason]\n    properties:\n      level: { type: string }',
        'Judge it, as JSON in <result>…</result>.',
      ),
    },
    ['impossible-result-schema START.md:6:23'],
  ],
  [
    'an enum of another type',
    {
      'START.md': prompt(
        'result:\n  schema:\n    type: object\n    properties:\n      level: { type: string, enum: [1, 2] }',
        'Judge it, as JSON in <result>…</result>.',
      ),
    },
    ['impossible-result-schema START.md:6:37'],
  ],
  [
    'pi in a sandbox',
    {
      'workflow.yaml': 'id: x\nbackend: pi\nsandbox: container\n',
      'START.md': prompt(GOTO_END, 'Do it. <goto>END</goto>'),
      ...END,
    },
    ['sandbox-without-backend workflow.yaml:3:1'],
  ],
  [
    'pi in a conversation of Claude, past a script',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: MID }', 'Do it. <goto>MID</goto>'),
      'MID.sh': 'echo "<goto>SECOND</goto>"\n',
      'SECOND.md': prompt(`backend: pi\n${GOTO_END}`, 'Check it. <goto>END</goto>'),
      ...END,
    },
    ['foreign-conversation SECOND.md:2:1'],
  ],
  [
    'a pattern that matches the tag',
    {
      'START.md': prompt(
        `${GOTO_END}\nevaluate:\n  - { match: '(?i)\\bend\\b', transition: '<goto>OTHER</goto>' }`,
        'Write it. <goto>END</goto>',
      ),
      'OTHER.sh': 'echo "<result>other</result>"\n',
      ...END,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a backspace in a pattern',
    {
      'START.md': prompt(
        `${GOTO_END}\nevaluate:\n  - { match: "\\bTODO\\b", transition: '<goto>OTHER</goto>' }`,
        'Write it. <goto>END</goto>',
      ),
      'OTHER.sh': 'echo "<result>other</result>"\n',
      ...END,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a variable of scripts in a command of a prompt',
    {
      'START.sh': 'echo \'<goto input="a.txt">READ</goto>\'\n',
      'READ.md': prompt(GOTO_END, 'Read the text with `cat "$RAYMOND_INPUT"`. <goto>END</goto>'),
      ...END,
    },
    ['variable-of-scripts READ.md:5:20'],
  ],
  [
    'a tag in a trap',
    {
      'START.sh':
        'clean() {\n  rm -f x\n  echo "<result>cleaned</result>"\n}\ntrap clean EXIT\ntouch x\necho "<goto>END</goto>"\n',
      ...END,
    },
    ['tag-in-trap START.sh:3:9'],
  ],
  [
    'an export for another state',
    {
      'START.sh': 'export OUT_FOLDER=out\nmkdir -p "$OUT_FOLDER"\necho "<goto>NEXT</goto>"\n',
      'NEXT.sh': 'set -eu\nls "$OUT_FOLDER" >&2\necho "<result>x</result>"\n',
    },
    ['lost-export NEXT.sh:2:5'],
  ],
  [
    'a counter that is not written back',
    {
      'START.sh': 'echo 0 >count\necho "<goto>WRITE</goto>"\n',
      'WRITE.md': prompt('allowed_transitions:\n  - { tag: goto, target: ROUND }', 'Do it. <goto>ROUND</goto>'),
      'ROUND.sh':
        'round=$(cat count)\nround=$((round + 1))\nif [ "$round" -ge 3 ]; then echo "<result>x</result>"; else echo "<reset>WRITE</reset>"; fi\n',
    },
    ['counter-not-saved ROUND.sh:2:1'],
  ],
  [
    'counters that are raised where they are read, and not written back',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/count"\necho "<goto>WRITE</goto>"\n',
      'WRITE.md': prompt('allowed_transitions:\n  - { tag: goto, target: ROUND }', 'Do it. <goto>ROUND</goto>'),
      'ROUND.js': lines(
        'const fs = require("fs");',
        'const file = `${process.env.RAYMOND_TASK_FOLDER}/count`;',
        'const rounds = Number(fs.readFileSync(file, "utf8")) + 1;',
        'console.log(rounds > 4 ? "<result>x</result>" : "<goto>WRITE</goto>");',
      ),
    },
    ['counter-not-saved ROUND.js:3:1'],
  ],
  [
    'a raised counter that is not saved, although another state compares what is in the file',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/batches"\necho "<goto>BAKE</goto>"\n',
      'BAKE.md': prompt('allowed_transitions:\n  - { tag: goto, target: NEXT }', 'Bake it. <goto>NEXT</goto>'),
      'NEXT.py': lines(
        'import os, pathlib',
        'counter = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "batches"',
        'batches = int(counter.read_text()) + 1',
        'print("<goto>LIMIT</goto>")',
      ),
      'LIMIT.sh':
        'if [ "$(cat "$RAYMOND_TASK_FOLDER/batches")" -ge 4 ]; then\n  echo "<result>x</result>"\nelse\n  echo "<goto>BAKE</goto>"\nfi\n',
    },
    ['counter-not-saved NEXT.py:3:1'],
  ],
  [
    'a counter that is not saved by a program which replaces signs of a text',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/calls"\necho "<goto>CALL</goto>"\n',
      'CALL.md': prompt('allowed_transitions:\n  - { tag: goto, target: CHECK }', 'Write a.txt. <goto>CHECK</goto>'),
      'CHECK.js': lines(
        'const fs = require("fs");',
        'const calls = Number(fs.readFileSync(`${process.env.RAYMOND_TASK_FOLDER}/calls`, "utf8")) + 1;',
        'const text = fs.readFileSync("a.txt", "utf8").replace(/\\s/g, "");',
        'console.log(text.length > 200 || calls >= 5 ? "<result>x</result>" : "<goto>CALL</goto>");',
      ),
    },
    ['counter-not-saved CHECK.js:2:1'],
  ],
  [
    'a counter with a default that is not saved, and one that is appended to the numbers before',
    {
      'START.sh':
        'tries=$(cat "$RAYMOND_TASK_FOLDER/tries" 2>/dev/null || echo 0)\ntries=$((tries + 1))\n[ "$tries" -gt 3 ] && echo "<result>x</result>" || echo "<goto>FIX</goto>"\n',
      'FIX.md': prompt('allowed_transitions:\n  - { tag: goto, target: AGAIN }', 'Fix it. <goto>AGAIN</goto>'),
      'AGAIN.py': lines(
        'import os, pathlib',
        'counter = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "fixes"',
        'fixes = int(counter.read_text()) + 1 if counter.exists() else 1',
        'with open(counter, "a") as file:',
        '    file.write(str(fixes))',
        'print("<goto>START</goto>" if fixes < 9 else "<result>y</result>")',
      ),
    },
    ['counter-not-saved START.sh:2:1'],
  ],
  [
    'a mark of the second round that nothing sets',
    {
      'START.sh':
        'cd "$RAYMOND_TASK_FOLDER" || exit 1\nif [ -e shortened ]; then echo "<result>x</result>"; else echo "<goto>SHORTEN</goto>"; fi\n',
      'SHORTEN.md': prompt('allowed_transitions:\n  - { tag: goto, target: START }', 'Shorten it. <goto>START</goto>'),
    },
    ['mark-never-set START.sh:2:9'],
  ],
  [
    'a tag that goes to stderr, although the script starts another program',
    {
      'START.js':
        'const { execFileSync } = require("node:child_process");\nconst log = execFileSync("git", ["log"]);\nconsole.error(`<result>${log.length}</result>`);\n',
    },
    ['script-without-tag START.js:3:16'],
  ],
  [
    'a result that is opened twice, around the output of a command',
    { 'START.sh': 'echo "<result>$(cat list.txt)<result>"\n' },
    ['script-without-tag START.sh:1:7'],
  ],
  [
    'a status that is printed under set -e',
    { 'START.sh': 'set -e\nmake test >log 2>&1\necho "make: $?" >&2\necho "<result>x</result>"\n' },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'a question that is opened twice, and a tag that one branch prints on stderr',
    {
      'START.sh': 'if [ -f fine ]; then\n  echo "<goto>ASK</goto>" >&2\nelse\n  echo "<goto>ASK</goto>"\nfi\n',
      'ASK.sh': 'name=$(cat name)\necho "<ask next=\\"END\\">What about $name?<ask>"\n',
      'END.md': prompt('allowed_transitions:\n  - { tag: result }', 'The answer is {{input}}. <result>x</result>'),
    },
    ['script-path-without-tag START.sh:2:9', 'script-without-tag ASK.sh:2:7'],
  ],
  [
    'a helper script and a module that are not beside the state',
    {
      'START.js': 'const { a } = require("./lib/a");\nconsole.log(`<goto>END</goto>`, a);\n',
      'END.sh': 'python3 "$RAYMOND_STATE_DIR/chek.py" >&2\necho "<result>x</result>"\n',
      'check.py': 'print(1)\n',
    },
    ['missing-file-beside END.sh:1:10', 'missing-file-beside START.js:1:15'],
  ],
  [
    'a counter that is compared with a variable of the environment, and not saved',
    {
      'START.sh': 'count=$RAYMOND_TASK_FOLDER/tries\n[ -f "$count" ] || echo 0 >"$count"\necho "<goto>TRY</goto>"\n',
      'TRY.sh':
        'tries=$(($(cat "$RAYMOND_TASK_FOLDER/tries") + 1))\nif make check >&2 || [ "$tries" -ge "$TRIES" ]; then echo "<result>x</result>"; else echo "<goto delay=\\"10s\\">TRY</goto>"; fi\n',
      'workflow.yaml': 'id: a\nenvironment: { TRIES: "4" }\n',
    },
    ['counter-not-saved TRY.sh:1:1'],
  ],
  [
    'an uploaded file that another function gets under nearly the name of its slot',
    {
      'START.sh': 'echo "<ask next=\\"CHECK\\" upload_slots=\\"prices.csv\\">Send the list.</ask>"\n',
      'CHECK.py': lines(
        'import os, pathlib',
        'from rules import check',
        'sent = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "asks" / os.environ["RAYMOND_ASK_ID"] / "price.csv"',
        'check(sent)',
        'print("<result>x</result>")',
      ),
      'rules.py': 'def check(path):\n    print(path.read_text())\n',
    },
    ['wrong-slot CHECK.py:3:8'],
  ],
  [
    'a field of the result in blanks, and one where no state passes a result',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: call, target: READ, return: SHOW }',
        'Read it. <call return="SHOW">READ</call>',
      ),
      'READ.md': prompt(
        'result:\n  schema: { type: object, properties: { tone: { type: string } }, required: [tone] }',
        'What tone has it?',
      ),
      'SHOW.md': prompt(
        'allowed_transitions:\n  - { tag: reset, target: LAST }',
        'The tone is {{ result.tone }}. <reset>LAST</reset>',
      ),
      'LAST.md': prompt('allowed_transitions:\n  - { tag: result }', 'Say {{result.tone}}. <result>x</result>'),
    },
    ['unbound-variable SHOW.md:5:13', 'unbound-variable SHOW.md:5:32'],
  ],
  [
    'a fork behind a loop of forks that names another next state',
    {
      'START.sh': lines(
        'for part in a b; do',
        '  echo "<fork next=\\"WAIT\\" part=\\"$part\\">WORK</fork>"',
        'done',
        'echo \'<fork next="END" part="c">WORK</fork>\'',
      ),
      'WORK.md': 'Do {{part}}. <result>done</result>\n',
      'WAIT.sh': 'echo \'<await next="END">\'\n',
      'END.sh': 'echo "<result>x</result>"\n',
    },
    ['fork-next-mismatch START.sh:4:19'],
  ],
  [
    'a tag that is opened twice in one branch of a program',
    {
      'START.py':
        'import os\n\nif os.path.exists("a"):\n    print("<goto>START<goto>")\nelse:\n    print("<result>x</result>")\n',
    },
    ['script-path-without-tag START.py:4:12'],
  ],
  [
    'a number of a file that nothing writes, compared with a limit',
    {
      'START.js': lines(
        'const fs = require("node:fs");',
        'const file = `${process.env.RAYMOND_TASK_FOLDER}/rounds`;',
        'const rounds = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;',
        'console.log(rounds >= 3 ? "<result>x</result>" : "<goto>FIX</goto>");',
      ),
      'FIX.md': prompt('allowed_transitions:\n  - { tag: goto, target: START }', 'Fix it. <goto>START</goto>'),
    },
    ['counter-not-saved START.js:3:1'],
  ],
  [
    'an uploaded file that a function of the script gets by another name than its slot',
    {
      'START.sh': 'echo "<ask next=\\"CHECK\\" upload_slots=\\"prices.csv\\">Send the list.</ask>"\n',
      'CHECK.py': lines(
        'import os, pathlib',
        'sent = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "asks" / os.environ["RAYMOND_ASK_ID"]',
        'def read(name):',
        '    return (sent / name).read_text()',
        "print(f\"<result>{len(read('list.csv')) + len(read('prices.csv'))}</result>\")",
      ),
    },
    ['wrong-slot CHECK.py:5:28'],
  ],
  [
    'a raised counter that a script prints and does not write',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/day"\necho "<goto>LOOK</goto>"\n',
      'LOOK.sh':
        'if [ "$(cat "$RAYMOND_TASK_FOLDER/day")" -ge 5 ]; then echo "<result>x</result>"; else echo "<goto>NEXT</goto>"; fi\n',
      'NEXT.sh': 'day=$(cat "$RAYMOND_TASK_FOLDER/day")\necho $((day + 1))\necho "<goto delay=\\"1d\\">LOOK</goto>"\n',
    },
    ['counter-not-saved NEXT.sh:2:6'],
  ],
  [
    'a count of lines in what a program has just printed, under set -e',
    {
      'START.sh': lines(
        'set -eu',
        'git log --oneline v1..HEAD >log.txt',
        "fixes=$(grep -c ' fix:' log.txt)",
        'echo "<result>$fixes fixes</result>"',
      ),
    },
    ['unwanted-exit START.sh:3:1'],
  ],
  [
    'a tag in capitals, in a script that may also fail',
    { 'START.sh': '[ -d a ] || { echo "there is no a" >&2; exit 1; }\necho "<Goto>START</Goto>"\n' },
    ['script-without-tag START.sh:2:7'],
  ],
];
