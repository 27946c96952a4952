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
];
