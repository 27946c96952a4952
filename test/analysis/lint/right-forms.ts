// Packages that are near to the mistakes in mistakes-forms.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_FORMS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a long wait that prints, one without an end, and one shorter than the timeout',
    {
      'START.py': lines(
        '# raymond: timeout=60',
        'import os, sys, time',
        'def show(n):',
        '    sys.stderr.write(f"{n}\\n")',
        'for n in range(100):',
        '    if os.path.exists("x"):',
        '        break',
        '    show(n)',
        '    time.sleep(5)',
        'print("<goto>POLL</goto>")',
      ),
      'POLL.sh': lines(
        '# raymond: timeout=10m',
        'until [ -e x ]; do sleep 5; done',
        'end=$(($(date +%s) + 5 * 60))',
        'while [ "$(date +%s)" -lt "$end" ]; do',
        '  [ -e y ] && break',
        '  sleep 5',
        'done',
        "echo '<result>x</result>'",
      ),
    },
  ],
  [
    'the id of the attempt in a temporary file and in a trace',
    {
      'START.sh': lines(
        '# raymond: retries=2',
        'set -eu',
        'tmp=$RAYMOND_TASK_FOLDER/out.${RAYMOND_ATTEMPT//\\//_}',
        './build >"$tmp"',
        '[ -s "$tmp" ] && mv "$tmp" out.txt',
        "echo '<goto>SEND</goto>'",
      ),
      'SEND.py': lines(
        '# raymond: retries=2',
        '# The same order is only once in the table.',
        'import os, requests',
        'headers = {"X-Trace": os.environ["RAYMOND_ATTEMPT"]}',
        'requests.post("https://example.com", json={"id": os.environ["RAYMOND_TURN_ID"]}, headers=headers, timeout=5)',
        'print("<result>ok</result>")',
      ),
    },
  ],
  [
    'a file of a called workflow below its directory, and one that works in the same directory',
    {
      'START.sh': lines(
        'mkdir -p shop',
        `echo '<function-workflow return="TELL" cd="shop">./count/</function-workflow>'`,
      ),
      'count/START.sh': lines('ls | wc -l >count.txt', "echo '<result>counted</result>'"),
      'TELL.sh': lines(
        'n=$(cat shop/count.txt)',
        'echo "$n $RAYMOND_RESULT" >&2',
        `echo '<function-workflow return="LAST">./count/</function-workflow>'`,
      ),
      'LAST.sh': lines('n=$(cat count.txt)', 'echo "<result>$n files, $RAYMOND_RESULT</result>"'),
    },
  ],
  [
    'a timeout after which the agent may fail, beside a module',
    {
      'START.py': lines('from late import text', `print('<ask next="END" timeout="8h">' + text() + '</ask>')`),
      'late.py': 'def text():\n    return "The default is no."\n',
      ...END,
    },
  ],
  [
    'a reply that may add the timeout, and attributes with both',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: ask, next: ALSO, timeout_next: END }',
        'Ask our lawyer: <ask next="ALSO" timeout="1h" timeout_next="END">the question</ask>',
      ),
      'ALSO.js': lines(
        "const attributes = { next: 'END', timeout: '2h', timeout_next: 'END' };",
        'const list = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`);',
        "console.log(`<ask ${list.join(' ')}>Which?</ask>`);",
      ),
      ...END,
    },
  ],
  [
    'an await whose attributes come from a variable',
    {
      'START.sh': `echo '<fork>WORK</fork><goto>WAIT</goto>'\n`,
      'WORK.sh': "echo '<result>x</result>'\n",
      'WAIT.py': `attributes = 'next="END" timeout="5m" timeout_next="END"'\nprint(f"<await {attributes}/>")\n`,
      ...END,
    },
  ],
  [
    'a text with all values, and with lists of other words',
    {
      'START.sh': `echo '<function return="SHOW">RATE</function>'\n`,
      'RATE.md': prompt(
        "result:\n  schema:\n    type: object\n    additionalProperties: false\n    properties:\n      risk: { type: string, enum: [low, medium, high] }\n      day: { type: string, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }\n      share: { type: number, minimum: 0, maximum: 1 }",
        'The risk is low if only texts change, medium if code changes, and high otherwise. Look at errors, warnings and hints. Write the day as YYYY-MM-DD, not as DD.MM.YYYY, and the share as a fraction such as 0.5. Use low, medium or high, and explain nothing. If in doubt, say high, and ask if something is missing. The field `name` is in `package.json`.',
      ),
      'SHOW.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'a judge that reads the reply, and its input if there is none',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result }\n  - { tag: goto, target: FIX }\nevaluate:\n  - { state: CHECK }',
        'Write a limerick: <result>the limerick</result>. If you cannot: <goto>FIX</goto>',
      ),
      'FIX.md': 'Write another one: <result>the limerick</result>\n',
      'CHECK.py': lines(
        'import os',
        'text = os.environ.get("output") or os.environ.get("RAYMOND_INPUT", "")',
        'print("<goto>FIX</goto>" if "Nantucket" in text else "<result>keep</result>")',
      ),
    },
  ],
  [
    'an example that lists the words of the schema',
    {
      'START.sh': 'echo \'<call return="END">RATE</call>\'\n',
      'RATE.md': prompt(
        'result:\n  schema: { type: object, properties: { verdict: { enum: [keep, drop, unclear] } } }',
        'Rate it: <result>{"verdict": "keep, drop or unclear"}</result>',
      ),
      ...END,
    },
  ],
];
