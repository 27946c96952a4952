// Packages that are near to the mistakes in mistakes-known.ts and in other rules about paths, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const JUDGED = {
  'START.sh': 'echo \'<call return="DECIDE">JUDGE</call>\'\n',
  'JUDGE.md': prompt(
    'allowed_transitions:\n  - { tag: result }\nresult:\n  schema: { type: object, required: [risk], properties: { risk: { enum: [low, medium, high] }, note: { type: string } } }',
    'Judge it: <result>{"risk": "low", "note": "why"}</result>',
  ),
};

/** What is odd, and the package. */
export const RIGHT_KNOWN: readonly (readonly [what: string, files: Files])[] = [
  [
    'a case with a branch for each value of a field',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'case $RAYMOND_RESULT_risk in',
        '  low) echo "<goto>END</goto>" ;;',
        '  medium | "high") echo "<result>$RAYMOND_RESULT_risk</result>" ;;',
        'esac',
      ),
      ...END,
    },
  ],
  [
    'a field without a list of values, and a field that is changed first',
    {
      ...JUDGED,
      'DECIDE.py': lines(
        'import os',
        'note = os.environ.get("RAYMOND_RESULT_note", "")',
        'risk = os.environ["RAYMOND_RESULT_risk"].upper()',
        'if note == "nothing" or risk == "HIGH":',
        '    print("<goto>END</goto>")',
        'else:',
        '    print("<result>fine</result>")',
      ),
      ...END,
    },
  ],
  [
    'an attribute that the script changes',
    {
      'START.sh': 'echo \'<goto mode="fast">WORK</goto>\'\n',
      'WORK.sh': lines(
        'if [ -f full ]; then mode=full; fi',
        'if [ "$mode" = full ]; then echo "<goto>END</goto>"; else echo "<result>fast</result>"; fi',
      ),
      ...END,
    },
  ],
  [
    'an attribute that a prompt passes, too',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: WORK }',
        'Say how: <goto mode="fast">WORK</goto>, or with another mode.',
      ),
      'WORK.sh': 'if [ "$mode" = full ]; then echo "<goto>END</goto>"; else echo "<result>fast</result>"; fi\n',
      ...END,
    },
  ],
  [
    'a program that fails within a loop',
    {
      'START.py': lines(
        'import os',
        'import sys',
        '',
        'names = os.environ["RAYMOND_INPUT"].split(",")',
        'if not names:',
        '    print("<result>none</result>")',
        '    sys.exit(0)',
        'for name in names:',
        '    if not name.isalnum():',
        '        sys.exit(f"not a name: {name!r}")',
        '    print(f\'<fork name="{name}">WORK</fork>\')',
        'print("<goto>END</goto>")',
      ),
      'WORK.sh': 'echo "<result>$name</result>"\n',
      ...END,
    },
  ],
  [
    'a script that fails within a loop before it forks',
    {
      'START.sh': lines(
        'read -r -a wanted <<<"$RAYMOND_INPUT"',
        'if ((${#wanted[@]} == 0)); then',
        "  echo '<result>none</result>'",
        '  exit 0',
        'fi',
        'for lang in "${wanted[@]}"; do',
        '  if ! [[ $lang =~ ^[a-z]{2}$ ]]; then',
        '    echo "$lang is no language" >&2',
        '    exit 1',
        '  fi',
        'done',
        'for lang in "${wanted[@]}"; do',
        `  printf '<fork lang="%s" next="END">WORK</fork>\\n' "$lang"`,
        'done',
      ),
      'WORK.sh': 'echo "<result>$lang</result>"\n',
      ...END,
    },
  ],
  [
    'a loop that keeps in a file what is left to do',
    {
      'START.py': lines(
        'import json',
        'import os',
        'from pathlib import Path',
        '',
        'kept = Path(os.environ["RAYMOND_TASK_FOLDER"]) / "todo.json"',
        'todo = json.loads(kept.read_text()) if kept.exists() else ["a", "b"]',
        'todo = todo[1:]',
        'kept.write_text(json.dumps(todo))',
        'if todo:',
        '    print("<goto>START.py</goto>")',
        'else:',
        '    print("<result>done</result>")',
      ),
    },
  ],
  [
    'the status code of curl',
    {
      'START.sh': lines(
        "code=$(curl --silent --output /dev/null --max-time 20 --write-out '%{http_code}' https://example.com)",
        'echo "<goto input=\\"$code\\">SHOW</goto>"',
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'spellings of a field of which one is right, and a default',
    {
      ...JUDGED,
      'DECIDE.py': lines(
        'import os',
        'risk = os.environ.get("RAYMOND_RESULT_risk", "none")',
        'order = ["low", "medium", "high", "none"].index(risk)',
        'grave = risk != "none" and risk in ("grave", "high")',
        'print(f"<result>{grave} {order}</result>")',
      ),
    },
  ],
  [
    'both forms of a choice',
    {
      'START.sh': `echo '<ask next="DECIDE" choices="approve,decline">Pay?</ask>'\n`,
      'DECIDE.sh': lines(
        'case "$RAYMOND_INPUT" in',
        '  approve | approved) echo "<goto>END</goto>" ;;',
        '  decline) echo "<result>not paid</result>" ;;',
        '  *) echo "<goto>START</goto>" ;;',
        'esac',
      ),
      ...END,
    },
  ],
  [
    'a value of several words in quotes',
    {
      'START.sh': `echo '<ask next="DECIDE" choices="ship it,hold back">Ship it?</ask>'\n`,
      'DECIDE.sh': lines(
        'if [ "$RAYMOND_INPUT" = \'ship it\' ]; then',
        '  echo "<goto>END</goto>"',
        'else',
        '  echo "<result>held</result>"',
        'fi',
      ),
      ...END,
    },
  ],
  [
    'an answer of its own, behind a branch for each choice',
    {
      'START.sh': `echo "<ask next=\\"NOTE\\" choices=\\"yes,no\\">$(cat draft.md)</ask>"\n`,
      'NOTE.sh': lines(
        'case $RAYMOND_INPUT in',
        "  yes) echo '<result>accepted</result>' ;;",
        "  no) echo '<result>refused</result>' ;;",
        '  *)',
        '    printf \'%s\\n\' "$RAYMOND_INPUT" >>draft.md',
        "    echo '<result>there is a remark in draft.md</result>'",
        '    ;;',
        'esac',
      ),
    },
  ],
  [
    'a word that a state has kept in the task folder, under a shorter name of the folder',
    {
      'START.sh': lines(
        'dir=$RAYMOND_TASK_FOLDER',
        'read -r old new <<<"$RAYMOND_INPUT"',
        'printf \'%s\\n\' "$old" >"$dir/old"',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.sh': lines('dir=$RAYMOND_TASK_FOLDER', 'echo "<goto old=\\"$(cat "$dir/old")\\">RENAME</goto>"'),
      'RENAME.md': 'Rename {{old}} in all files. End with <result>renamed</result>\n',
    },
  ],
  [
    'a branch of which one pattern is a value',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'case $RAYMOND_RESULT_risk in',
        '  low | small) echo "<result>yes</result>" ;;',
        '  *) echo "<result>no</result>" ;;',
        'esac',
      ),
    },
  ],
  [
    'the beginning of a result of another workflow',
    {
      'START.sh': 'echo \'<fork-workflow next="WAIT" input="a">../probe/</fork-workflow>\'\n',
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'SUM.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'for name, agent in zip(["a"], agents):',
        '    if agent["status"] == "completed" and not agent["result"].startswith("CL"):',
        '        print(f"<print>{name}</print>")',
        'print("<result>done</result>")',
      ),
      '../probe/START.md': prompt(
        'allowed_transitions: [{ tag: result, payload: CLEAN }, { tag: result, payload: DIRTY }]',
        'Probe {{input}}. <result>CLEAN</result> or <result>DIRTY</result>',
      ),
    },
  ],
  [
    'a variable of the script with the beginning of an input, and fields of a result that only a comment names',
    {
      'START.sh': 'echo \'<function return="SUM">NAMES</function>\'\n',
      'NAMES.md': prompt(
        'result:\n  schema: { type: array, items: { type: string } }',
        'Name rivers as JSON: <result>["Aare"]</result>',
      ),
      'SUM.sh': lines(
        '# A list has no variables such as RAYMOND_RESULT_NAME.',
        'RAYMOND_INPUT_SIZE=${#RAYMOND_RESULT}',
        'echo "<result>$((RAYMOND_INPUT_SIZE * 2))</result>"',
      ),
    },
  ],
  [
    'the list of an await in single quotes, and its quotes removed',
    {
      'START.sh': 'echo \'<fork next="WAIT" side="left">WORK</fork><fork side="right">WORK</fork>\'\n',
      'WORK.sh': 'echo "<result>${#side}</result>"\n',
      'WAIT.sh': 'echo \'<await next="PASS"/>\'\n',
      'PASS.js': lines(
        'const agents = process.env.RAYMOND_INPUT.replaceAll(\'"\', "");',
        'console.log(`<goto input="${agents}">SHOW</goto>`);',
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a template that a prompt fills in',
    {
      'START.sh': 'echo \'<goto name="Bern">CARD</goto>\'\n',
      'CARD.md':
        'Copy {{state_dir}}/card.txt to card.txt, and replace {{name}} there. End with <result>done</result>\n',
      'card.txt': 'Greetings from {{name}}\n',
    },
  ],
  [
    'the exit status of commands',
    {
      'START.sh': lines(
        'trap \'code=$?; [ "$code" -eq 0 ] || echo failed >&2\' EXIT',
        'log=$(make all 2>&1)',
        'if [ $? -eq 0 ]; then echo "<result>ok</result>"; else echo "<result>$log</result>"; fi',
      ),
    },
  ],
  [
    'examples of tags that name no states, beside force_implicit',
    {
      'START.md': prompt(
        'force_implicit: true\nallowed_transitions:\n  - { tag: goto, target: CHECK }',
        'Write tags.md. It explains, each with one example:\n\n- `<goto>NEXT</goto>`: another state\n- `<await next="SUM"/>`: several agents',
      ),
      'CHECK.sh': 'echo "<result>written</result>"\n',
    },
  ],
];
