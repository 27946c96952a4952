// Packages that are near to the mistakes in mistakes-values.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const JUDGE = {
  'START.sh': 'echo "<function return=\\"DECIDE\\">JUDGE</function>"\n',
  'JUDGE.md': prompt(
    'allowed_transitions:\n  - { tag: result, payload: PASS }\n  - { tag: result, payload: FAIL }',
    'Is it right? <result>PASS</result> or <result>FAIL</result>',
  ),
};

/** What is odd, and the package. */
export const RIGHT_VALUES: readonly (readonly [what: string, files: Files])[] = [
  [
    'a result in another case',
    {
      ...JUDGE,
      'DECIDE.sh': lines(
        'case "${RAYMOND_RESULT,,}" in',
        '  pass) echo "<goto>END</goto>" ;;',
        '  *) echo "<goto>START</goto>" ;;',
        'esac',
      ),
      ...END,
    },
  ],
  [
    'words beside the choices of a question',
    {
      'START.sh': `echo '<ask next="DECIDE" choices="yes,no">Ship it?</ask>'\n`,
      'DECIDE.sh': lines(
        'case "$RAYMOND_INPUT" in',
        '  yes) echo "<goto>END</goto>" ;;',
        '  later) echo "<goto>START</goto>" ;;',
        '  *) echo "<result>no</result>" ;;',
        'esac',
      ),
      ...END,
    },
  ],
  [
    'a part of a result',
    {
      ...JUDGE,
      'DECIDE.py': lines(
        'import os',
        'first = os.environ["RAYMOND_RESULT"].split(" ")[0][0]',
        'if first == "P":',
        '    print("<goto>END</goto>")',
        'else:',
        '    print("<goto>START</goto>")',
      ),
      ...END,
    },
  ],
  [
    'the list of await in several ways',
    {
      'START.sh': `echo '<fork next="WAIT" item="tea">WORK</fork>'\n`,
      'WORK.sh': 'echo "<result>$item</result>"\n',
      'WAIT.sh': `echo '<await next="FIRST"/>'\n`,
      'FIRST.sh': lines(
        `jq -r '.[] | select(.status == "completed") | "\\(.attributes.item): \\(.result)"' "$RAYMOND_INPUT_FILE" > a.txt`,
        `jq -r 'map(.result // .error) | .[]' <<<"$RAYMOND_INPUT" > b.txt`,
        `jq length "$RAYMOND_INPUT_FILE" > c.txt`,
        'echo "<result>done</result>"',
      ),
    },
  ],
  [
    'the list of await in Python',
    {
      'START.sh': `echo '<fork next="WAIT" item="tea">WORK</fork>'\n`,
      'WORK.sh': 'echo "<result>$item</result>"\n',
      'WAIT.sh': `echo '<await next="JOIN"/>'\n`,
      'JOIN.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'found = {}',
        'for agent in agents:',
        '    if agent.get("status") != "completed":',
        '        continue',
        '    found[agent["attributes"]["item"]] = agent["result"]',
        'print(f"<result>{len(found)}</result>")',
      ),
    },
  ],
  [
    'a slot, what a person was shown, and a file beside the uploads',
    {
      'START.sh': `echo '<ask next="TAKE" upload_slots="offer:application/pdf" display_files="a.txt:a">Please.</ask>'\ntouch a.txt\n`,
      'TAKE.sh': lines(
        'uploads="$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID"',
        'cp "$uploads/offer" offer.pdf',
        'cat "$uploads/shown/a" "$RAYMOND_TASK_FOLDER/notes.txt" > all.txt',
        'echo "<result>taken</result>"',
      ),
    },
  ],
  [
    'a shared task folder, and a file that each forked agent writes itself',
    {
      'START.sh': lines(
        'date > "$RAYMOND_TASK_FOLDER/brief.md"',
        'date > "$RAYMOND_TASK_FOLDER/draft.md"',
        `echo '<fork next="WAIT" task="inherit">WORK</fork>'`,
        `echo '<fork next="WAIT">DRAFT</fork>'`,
      ),
      'WORK.md': prompt(
        'allowed_transitions:\n  - { tag: result }',
        'Read {{task_folder}}/brief.md. <result>read</result>',
      ),
      'DRAFT.md': prompt(
        'allowed_transitions:\n  - { tag: result }',
        'Write it to {{task_folder}}/draft.md. <result>ok</result>',
      ),
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
  ],
  [
    'types, promises that are awaited later, and the keys of an object',
    {
      'START.ts': lines(
        'type Mode = "on" | "off";',
        'declare enum Other { A }',
        'async function count(): Promise<number> { return 1; }',
        'async function main(): Promise<void> {',
        '  const first = count();',
        '  const second = count();',
        '  const [a, b] = await Promise.all([first, second]);',
        '  const sizes: Record<string, number> = { a, b };',
        '  for (const name in sizes) console.error(`${name} ${await count()}`);',
        '  console.log(`<result>${a + b}</result>`);',
        '}',
        'void main();',
      ),
    },
  ],
  [
    'functions of another file that build the tags',
    {
      'START.js': lines(
        "const { goto, result } = require('./lib.js');",
        "const rows = require('fs').readdirSync('.');",
        "if (rows.length === 0) console.log(result('nothing'));",
        "else console.log(goto('END'));",
      ),
      'lib.js': lines(
        'exports.goto = (state) => `<goto>${state}</goto>`;',
        "exports.result = (text) => ['<result>', text, '</result>'].join('');",
      ),
      ...END,
    },
  ],
  [
    'JSON in single quotes, and a loop that counts in an attribute',
    {
      'START.py': lines(
        'import json, os',
        'number = int(os.environ.get("number", "0"))',
        'if number > 3:',
        `    print(f"<goto input='{json.dumps([number])}'>SHOW</goto>")`,
        'else:',
        `    print(f'<goto number="{number + 1}">START</goto>')`,
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a counter of an inner loop, which an outer one sets back',
    {
      'START.sh': lines('echo 0 > rounds', 'echo "<goto>WORK</goto>"'),
      'WORK.md': prompt('allowed_transitions:\n  - { tag: goto, target: COUNT }', 'Do it. <goto>COUNT</goto>'),
      'COUNT.sh': lines(
        'n=$(($(<rounds) + 1))',
        'echo "$n" > rounds',
        'if [ "$n" -lt 4 ]; then echo "<goto>WORK</goto>"; else echo "<goto>NEXT</goto>"; fi',
      ),
      'NEXT.sh': 'if [ -e more ]; then echo "<goto>START</goto>"; else echo "<goto>END</goto>"; fi\n',
      ...END,
    },
  ],
  [
    'a call that is left by a reset, and a called workflow with an environment of its own',
    {
      'START.sh': 'echo "<call return=\\"END\\">TRY</call>"\n',
      'TRY.sh': `echo '<reset>AGAIN</reset>'\n`,
      'AGAIN.sh': `echo '<call-workflow return="END">../stamp/</call-workflow>'\n`,
      'workflow.yaml': 'id: x\nenvironment: { CITY: Bern }\n',
      '../stamp/workflow.yaml': 'id: stamp\nenvironment: { CITY: Bern, TOWN: Thun }\n',
      '../stamp/START.sh': 'echo "<result>$CITY ${TOWN:-none}</result>"\n',
      ...END,
    },
  ],
  [
    'forks of a workflow and of a state in one script',
    {
      'START.sh': lines(
        `echo '<fork-workflow next="WAIT" input="for {{workflow_id}}">../stamp/</fork-workflow>'`,
        `for topic in a b; do echo "<fork next=\\"WAIT\\" topic=\\"$topic\\">WORK</fork>"; done`,
      ),
      'WORK.sh': 'echo "<result>$topic</result>"\n',
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      '../stamp/START.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      ...END,
    },
  ],
  [
    'JSON as a result, a file that a script copies first, and a shared name',
    {
      'START.sh': lines(
        'cp "$RAYMOND_STATE_DIR/template.txt" template.txt',
        'cat template.txt >&2',
        'echo "<goto>JUDGE</goto>"',
      ),
      'template.txt': 'Dear @NAME@\n',
      'JUDGE.md': prompt(
        'result:\n  schema:\n    type: object\n    properties:\n      grade: { type: integer }',
        'Grade it, as in <result>{"grade": 2}</result>.',
      ),
    },
  ],
  [
    'an attribute that is called pause and is no duration',
    {
      'START.sh': `echo '<goto pause="lunch">SHOW</goto>'\n`,
      'SHOW.sh': 'echo "<result>$pause</result>"\n',
    },
  ],
  [
    'fields and names that are one word, and a prompt with another extension',
    {
      'START.sh': lines(
        '# raymond: timeout=2m',
        'name=$(cat "$RAYMOND_TASK_FOLDER/claim")',
        `echo "<function return=\\"END\\" mail=\\"$name\\" rows=\\"$(jq -r .rows table.json)\\">define.txt</function>"`,
      ),
      'define.txt': prompt(
        'allowed_transitions:\n  - { tag: result }',
        'Define {{mail}} and {{rows}}. <result>x</result>',
      ),
      ...END,
    },
  ],
  [
    'a library that prints the goto beside the forks',
    {
      'START.sh': lines(
        '. "$RAYMOND_STATE_DIR/lib.sh"',
        `for name in a b; do printf '<fork name="%s">WORK</fork>\n' "$name"; done`,
        'emit goto END',
      ),
      'lib.sh': lines('emit() {', '  echo "<$1>$2</$1>"', '}'),
      'WORK.sh': 'echo "<result>$name</result>"\n',
      ...END,
    },
  ],
  [
    'a module of Python that prints the goto beside the forks',
    {
      'START.py': lines(
        'from tags import emit',
        'for name in ("a", "b"):',
        `    print(f'<fork name="{name}">WORK</fork>')`,
        'emit("goto", "END")',
      ),
      'tags.py': lines('def emit(tag, text):', '    print(f"<{tag}>{text}</{tag}>")'),
      'WORK.sh': 'echo "<result>$name</result>"\n',
      ...END,
    },
  ],
];
