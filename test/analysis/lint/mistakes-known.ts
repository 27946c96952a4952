// Planted mistakes in scripts that compare fields of a result, or attributes, with texts that nothing gives.
import { END, lines, prompt, type Fault } from './kit.js';

const JUDGED = {
  'START.sh': 'echo \'<call return="DECIDE">JUDGE</call>\'\n',
  'JUDGE.md': prompt(
    'allowed_transitions:\n  - { tag: result }\nresult:\n  schema: { type: object, required: [verdict], properties: { verdict: { enum: [pass, fail] } } }',
    'Judge it: <result>{"verdict": "pass"}</result>',
  ),
};

/** What is wrong, the package, and what is found in it. */
export const KNOWN_VALUE_MISTAKES: readonly Fault[] = [
  [
    'a field of a result compared with a text that its schema does not list, in bash',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'case "$RAYMOND_RESULT_verdict" in',
        '  passed) echo "<goto>END</goto>" ;;',
        '  *) echo "<result>no</result>" ;;',
        'esac',
      ),
      ...END,
    },
    ['impossible-value DECIDE.sh:2:3'],
  ],
  [
    'a field of a result compared with a text that its schema does not list, in Python',
    {
      ...JUDGED,
      'DECIDE.py': lines(
        'import os',
        'verdict = os.environ["RAYMOND_RESULT_verdict"]',
        'if verdict == "ok":',
        '    print("<goto>END</goto>")',
        'else:',
        '    print("<result>no</result>")',
      ),
      ...END,
    },
    ['impossible-value DECIDE.py:3:16'],
  ],
  [
    'an attribute compared with a text that no tag passes',
    {
      'START.sh':
        'if [ -f x ]; then echo "<goto mode=\'fast\'>WORK</goto>"; else echo "<goto mode=\'full\'>WORK</goto>"; fi\n',
      'WORK.sh': lines('if [ "$mode" = quick ]; then echo "<goto>END</goto>"; else echo "<result>slow</result>"; fi'),
      ...END,
    },
    ['impossible-value WORK.sh:1:16'],
  ],
  [
    'a field that is compared where it is read, and one in a list',
    {
      ...JUDGED,
      'DECIDE.py': lines(
        'import os',
        'fine = os.environ["RAYMOND_RESULT_verdict"] == "passed"',
        'if os.environ["RAYMOND_RESULT_verdict"] in ("bad", "wrong"):',
        '    fine = False',
        'print(f"<result>{fine}</result>")',
      ),
    },
    ['impossible-value DECIDE.py:2:48', 'impossible-value DECIDE.py:3:45'],
  ],
  [
    'a field of the result of an agent that no agent gives, and one without a place in a list',
    {
      'START.sh': 'echo \'<fork next="WAIT" item="tea">WORK</fork>\'\n',
      'WAIT.sh': 'echo \'<await next="JOIN"/>\'\n',
      'WORK.md': prompt(
        'result: { schema: { type: object, required: [vote], properties: { vote: { enum: [yes, no, open] } } } }',
        'Vote on {{item}}.',
      ),
      'JOIN.py': lines(
        'import json, os',
        'ORDER = ["no", "unsure", "yes"]',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'votes = [json.loads(a["result"]) for a in agents if a["status"] == "completed"]',
        'ayes = [v for v in votes if v["vote"] == "aye"]',
        'best = max((v["vote"] for v in votes), key=ORDER.index)',
        'print(f"<result>{len(ayes)} {best}</result>")',
      ),
    },
    ['impossible-value JOIN.py:5:42', 'unhandled-value JOIN.py:2:9'],
  ],
  [
    'a text that no result has, in `match` and behind && in bash',
    {
      ...JUDGED,
      'DECIDE.py': lines(
        'import os',
        'match os.environ["RAYMOND_RESULT_verdict"]:',
        '    case "passed":',
        '        print("<goto>NOTE</goto>")',
        '    case _:',
        '        print("<goto verdict=\'bad\'>NOTE</goto>")',
      ),
      'NOTE.sh': lines('[[ -f note && "${verdict:-}" == poor ]] && cat note >&2', 'echo "<result>done</result>"'),
    },
    ['impossible-value DECIDE.py:3:11'],
  ],
  [
    'a choice in another form of its verb',
    {
      'START.sh': `echo '<ask next="DECIDE" choices="approve,decline">Pay?</ask>'\n`,
      'DECIDE.sh': lines(
        'case "$RAYMOND_INPUT" in',
        '  approved) echo "<goto>END</goto>" ;;',
        '  decline) echo "<result>not paid</result>" ;;',
        '  *) echo "<goto>START</goto>" ;;',
        'esac',
      ),
      ...END,
    },
    ['text-of-no-choice DECIDE.sh:2:3'],
  ],
  [
    'a value of several words that is no choice',
    {
      'START.sh': `echo '<ask next="DECIDE" choices="ship it,hold back">Ship it?</ask>'\n`,
      'DECIDE.sh': lines(
        'if [ "$RAYMOND_INPUT" = \'ship now\' ]; then',
        '  echo "<goto>END</goto>"',
        'else',
        '  echo "<result>held</result>"',
        'fi',
      ),
      ...END,
    },
    ['impossible-value DECIDE.sh:1:26'],
  ],
  [
    'a branch of which no pattern is a value',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'case $RAYMOND_RESULT_verdict in',
        '  passed | ok) echo "<result>yes</result>" ;;',
        '  *) echo "<result>no</result>" ;;',
        'esac',
      ),
    },
    ['impossible-value DECIDE.sh:2:12'],
  ],
  [
    'the beginning of a result of another workflow in other letters',
    {
      'START.sh': 'echo \'<fork-workflow next="WAIT" input="a">../probe/</fork-workflow>\'\n',
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'SUM.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'for name, agent in zip(["a"], agents):',
        '    if agent["status"] == "completed" and not agent["result"].startswith("Clean"):',
        '        print(f"<print>{name}</print>")',
        'print("<result>done</result>")',
      ),
      '../probe/START.md': prompt(
        'allowed_transitions: [{ tag: result, payload: CLEAN }, { tag: result, payload: DIRTY }]',
        'Probe {{input}}. <result>CLEAN</result> or <result>DIRTY</result>',
      ),
    },
    ['impossible-value SUM.py:4:74'],
  ],
  [
    'fields of an input, which have no variables',
    {
      'START.py': lines('import json', `print(f"<goto input='{json.dumps({'size': 3})}'>PRICE</goto>")`),
      'PRICE.sh': 'echo "<goto input=\\"$((RAYMOND_INPUT_size * 2))\\">SHOW</goto>"\n',
      'SHOW.py': lines(
        'import os',
        'size = os.environ.get("RAYMOND_INPUT_size", "0")',
        'print(f"<result>{size}</result>")',
      ),
    },
    ['unbound-variable PRICE.sh:1:24', 'unbound-variable SHOW.py:2:24'],
  ],
  [
    'the list of an await and an object in double quotes',
    {
      'START.sh': 'echo \'<fork next="WAIT" side="left">WORK</fork><fork side="right">WORK</fork>\'\n',
      'WORK.sh': 'echo "<result>${#side}</result>"\n',
      'WAIT.sh': 'echo \'<await next="PASS"/>\'\n',
      'PASS.sh': 'echo "<function return=\\"NEXT\\" input=\\"$RAYMOND_INPUT\\">JUDGE</function>"\n',
      'JUDGE.md': prompt(
        'result:\n  schema: { type: object, required: [score], properties: { score: { type: integer } } }',
        'Judge {{input}}. Reply with JSON: <result>{"score": 3}</result>',
      ),
      'NEXT.py': lines(
        'import os',
        'judged = os.environ["RAYMOND_RESULT"]',
        'print(f\'<goto input="{judged}">SHOW</goto>\')',
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unquotable-value PASS.sh:1:41', 'unquotable-value NEXT.py:3:23'],
  ],
  [
    'a variable in a file that a prompt names',
    {
      'START.sh': 'echo \'<goto topic="tea">QUIZ</goto>\'\n',
      'QUIZ.md':
        'Write a quiz about {{topic}}. Keep to @{{state_dir}}/rules.md\n\nEnd with <result>the quiz</result>\n',
      'rules.md': '- One answer is right.\n- Each question is about {{topic}}.\n',
    },
    ['unfilled-placeholder rules.md:2:26'],
  ],
  [
    'the exit status of the state before',
    {
      'START.sh': 'echo \'<function return="DECIDE">CHECK</function>\'\n',
      'CHECK.sh': 'if [ -s data.json ]; then echo "<result>full</result>"; else echo "<result>none</result>"; fi\n',
      'DECIDE.sh': lines(
        'set -u',
        'if [ $? -eq 0 ]; then echo "<goto>END</goto>"; else echo "<result>no data</result>"; fi',
      ),
      ...END,
    },
    ['constant-condition DECIDE.sh:2:6'],
  ],
];
