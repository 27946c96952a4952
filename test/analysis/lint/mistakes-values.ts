// Planted mistakes about the values that reach a script: comparisons that are never true, the list of <await>, uploaded files and task
// folders; and slips of one language.
import { END, lines, prompt, type Fault } from './kit.js';

const JUDGED = {
  'START.sh': 'echo "<function return=\\"DECIDE\\">JUDGE</function>"\n',
  'JUDGE.md': prompt(
    'allowed_transitions:\n  - { tag: result, payload: PASS }\n  - { tag: result, payload: FAIL }',
    'Is it right? <result>PASS</result> or <result>FAIL</result>',
  ),
};

const ASKED = {
  'START.sh': `echo '<ask next="DECIDE" choices="ship, hold">Ship it?</ask>'\n`,
};

const FORKED = {
  'START.sh': `echo '<fork next="WAIT" item="tea">WORK</fork>'\n`,
  'WORK.sh': 'echo "<result>$item</result>"\n',
  'WAIT.sh': `echo '<await next="JOIN"/>'\n`,
};

const UPLOADED = {
  'START.sh': `echo '<ask next="TAKE" upload_slots="offer:application/pdf">The offer, please.</ask>'\n`,
};

/** What is wrong, the package, and what is found in it. */
export const VALUE_MISTAKES: readonly Fault[] = [
  [
    'a result that the policy of the judge does not allow, in bash',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'verdict="$RAYMOND_RESULT"',
        'if [ "$verdict" = OK ]; then echo "<goto>END</goto>"; else echo "<goto>START</goto>"; fi',
      ),
      ...END,
    },
    ['impossible-value DECIDE.sh:2:19'],
  ],
  [
    'a case for a result that no judge gives',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'case "$RAYMOND_RESULT" in',
        '  PASS) echo "<goto>END</goto>" ;;',
        '  FAILED) echo "<goto>START</goto>" ;;',
        '  *) exit 1 ;;',
        'esac',
      ),
      ...END,
    },
    ['impossible-value DECIDE.sh:3:3', 'unhandled-value DECIDE.sh:1:1'],
  ],
  [
    'a result that the policy of the judge does not allow, in JavaScript',
    {
      ...JUDGED,
      'DECIDE.js': lines(
        "const verdict = (process.env.RAYMOND_RESULT ?? '').trim().toLowerCase();",
        "if (verdict === 'ok') console.log('<goto>END</goto>');",
        "else console.log('<goto>START</goto>');",
      ),
      ...END,
    },
    ['impossible-value DECIDE.js:2:18'],
  ],
  [
    'an answer that is none of the choices',
    {
      ...ASKED,
      'DECIDE.py': lines(
        'import os',
        'answer = os.environ["RAYMOND_INPUT"].strip().lower()',
        'if answer == "approve":',
        '    print("<goto>END</goto>")',
        'else:',
        '    print("<result>held</result>")',
      ),
      ...END,
    },
    ['impossible-value DECIDE.py:3:15'],
  ],
  [
    'a field that the agents of await do not have, in Python',
    {
      ...FORKED,
      'JOIN.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'for agent in agents:',
        '    print(agent["output"], file=__import__("sys").stderr)',
        'print("<result>done</result>")',
      ),
    },
    ['misread-agents JOIN.py:4:18'],
  ],
  [
    'a status and an attribute that no agent has, in JavaScript',
    {
      ...FORKED,
      'JOIN.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        "const done = agents.filter((agent) => agent.status === 'done');",
        'const names = done.map((one) => one.id);',
        'const items = agents.map((agent) => agent.attributes.itm);',
        'console.log(`<result>${names.length} ${items.length}</result>`);',
      ),
    },
    ['misread-agents JOIN.js:2:57', 'misread-agents JOIN.js:4:54'],
  ],
  [
    'a field of the list itself, with jq',
    {
      ...FORKED,
      'JOIN.sh': lines('jq -r ".result" "$RAYMOND_INPUT_FILE" > all.txt', 'echo "<result>done</result>"'),
    },
    ['misread-agents JOIN.sh:1:9'],
  ],
  [
    'an uploaded file with the extension that its slot does not have',
    {
      ...UPLOADED,
      'TAKE.sh': lines(
        'uploads="$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID"',
        'cp "$uploads/offer.pdf" offer.pdf',
        'echo "<result>taken</result>"',
      ),
    },
    ['wrong-slot TAKE.sh:2:14'],
  ],
  [
    'an uploaded file by another name, in Python',
    {
      ...UPLOADED,
      'TAKE.py': lines(
        'import os, pathlib',
        'folder = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "asks" / os.environ["RAYMOND_ASK_ID"]',
        'print(f"<result>{(folder / \'signed.pdf\').stat().st_size}</result>")',
      ),
    },
    ['wrong-slot TAKE.py:3:29'],
  ],
  [
    'a file of the forking agent in the task folder of the forked one',
    {
      'START.sh': lines('date > "$RAYMOND_TASK_FOLDER/brief.md"', `echo '<fork next="END">WORK</fork>'`),
      'WORK.md': prompt(
        'allowed_transitions:\n  - { tag: result }',
        'Read {{task_folder}}/brief.md. <result>read</result>',
      ),
      ...END,
    },
    ['other-task-folder WORK.md:5:6'],
  ],
  [
    'forks and a goto beside them that disagree',
    {
      'START.py': lines(
        'for name in ("a", "b"):',
        `    print(f'<fork next="WAIT" name="{name}">WORK</fork>')`,
        'print("<goto>END</goto>")',
      ),
      'WORK.sh': 'echo "<result>$name</result>"\n',
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
    ['fork-next-mismatch START.py:3:14'],
  ],
  [
    'an enum, a namespace and a parameter property in TypeScript',
    {
      'START.ts': lines(
        'enum Mode { On, Off }',
        'namespace Names { export const a = 1; }',
        'class Box { constructor(private readonly size: number) {} }',
        'console.log(`<result>${Mode.On}</result>`);',
      ),
    },
    ['not-erasable START.ts:1:1', 'not-erasable START.ts:2:1', 'not-erasable START.ts:3:13'],
  ],
  [
    'a promise in a text',
    {
      'START.js': lines(
        'async function count() { return 1; }',
        'async function main() {',
        '  const n = count();',
        '  console.log(`<result>${n}</result>`);',
        '}',
        'main();',
      ),
    },
    ['missing-await START.js:3:13'],
  ],
  [
    'positions in the place of names',
    {
      'START.js': lines(
        "const names = require('fs').readdirSync('.').filter((name) => name.endsWith('.md'));",
        'for (const name in names) console.log(`<fork file="${name}">WORK</fork>`);',
        "console.log('<goto>END</goto>');",
      ),
      'WORK.sh': 'echo "<result>$file</result>"\n',
      ...END,
    },
    ['positions-for-values START.js:2:1'],
  ],
  [
    'JSON in double quotes',
    {
      'START.py': lines(
        'import json',
        'largest = json.dumps([{"name": "a"}])',
        `print(f'<goto input="{largest}">SHOW</goto>')`,
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unquotable-value START.py:3:22'],
  ],
  [
    'a placeholder with a call in a string without f',
    {
      'START.py': lines('broken = []', `print('<goto count="{len(broken)}">SHOW</goto>')`),
      'SHOW.sh': 'echo "<result>$count</result>"\n',
    },
    ['unfilled-placeholder START.py:2:21'],
  ],
  [
    'the id of a question two states after it',
    {
      'START.sh': `echo '<ask next="NOTE" upload_bucket="true">Files, please.</ask>'\n`,
      'NOTE.sh': 'echo "$RAYMOND_INPUT" > note; echo "<goto>TAKE</goto>"\n',
      'TAKE.sh': lines('ls "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID" >&2', 'echo "<result>taken</result>"'),
    },
    ['unbound-variable TAKE.sh:1:31'],
  ],
  [
    'a counter that every round sets back',
    {
      'START.sh': lines('echo 0 > rounds', 'echo "<goto>WORK</goto>"'),
      'WORK.md': prompt('allowed_transitions:\n  - { tag: goto, target: COUNT }', 'Do it. <goto>COUNT</goto>'),
      'COUNT.sh': lines(
        'n=$(($(<rounds) + 1))',
        'echo "$n" > rounds',
        'if [ "$n" -ge 4 ]; then echo "<goto>END</goto>"; else echo "<goto>START</goto>"; fi',
      ),
      ...END,
    },
    ['counter-reset START.sh:1:1'],
  ],
  [
    'files of forked agents in the task folder of the forking one',
    {
      'START.sh': `echo '<fork next="WAIT" topic="tea">WRITE</fork>'\n`,
      'WRITE.md': prompt(
        'allowed_transitions:\n  - { tag: result }',
        'Write a page about {{topic}} into {{task_folder}}. <result>done</result>',
      ),
      'WAIT.sh': `echo '<await next="MERGE"/>'\n`,
      'MERGE.sh': lines('cat "$RAYMOND_TASK_FOLDER"/*.txt > all.txt', 'echo "<goto>END</goto>"'),
      ...END,
    },
    ['other-task-folder MERGE.sh:1:1'],
  ],
  [
    'a path that writes its tag to stderr',
    {
      'START.js': lines(
        "if (process.argv.length > 1) console.log('<goto>END</goto>');",
        "else console.error('<result>none</result>');",
      ),
      ...END,
    },
    ['script-path-without-tag START.js:2:21'],
  ],
  [
    'the environment of a called workflow',
    {
      'START.sh': `echo '<call-workflow return="END">../stamp/</call-workflow>'\n`,
      '../stamp/workflow.yaml': 'id: stamp\nenvironment: { CITY: Bern }\n',
      '../stamp/START.sh': 'set -u\necho "<result>$CITY</result>"\n',
      ...END,
    },
    ['lost-environment stamp/START.sh:2:16'],
  ],
  [
    'a counter as the exit code of bash',
    {
      'START.sh': lines(
        'failures=0',
        'for name in a b; do [ -e "$name" ] || failures=$((failures + 1)); done',
        'echo "<goto input=\\"$failures\\">SHOW</goto>"',
        'exit "$failures"',
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['script-fails-after-tag START.sh:4:1'],
  ],
  [
    'a pause by another name than delay',
    {
      'START.sh': `[ -e stop ] && echo '<goto>END</goto>' || echo '<reset wait="10m">START</reset>'\n`,
      ...END,
    },
    ['unknown-attribute START.sh:1:56'],
  ],
  [
    'a text in the place of an object',
    {
      'START.md': prompt(
        'result:\n  schema:\n    type: object\n    properties:\n      grade: { type: integer }',
        'Grade it. <result>2: quite good</result>',
      ),
    },
    ['text-for-json START.md:8:11'],
  ],
  [
    'a file of the package in the working directory',
    {
      'START.sh': lines('template=$(cat template.txt)', 'echo "<result>${#template}</result>"'),
      'template.txt': 'Dear @NAME@\n',
    },
    ['file-beside-states START.sh:1:16'],
  ],
  [
    'a call that a reset leaves',
    {
      'START.sh': 'echo "<function return=\\"END\\">TRY</function>"\n',
      'TRY.sh': `if [ -e x ]; then echo '<result>x</result>'; else echo '<reset>START</reset>'; fi\n`,
      ...END,
    },
    ['call-without-result-path TRY.sh:1:64'],
  ],
  [
    'settings below the first line of code',
    {
      'START.sh': lines('set -e', '# raymond: timeout=2m', 'echo "<result>done</result>"'),
    },
    ['frontmatter-ignored START.sh:2:1'],
  ],
];
