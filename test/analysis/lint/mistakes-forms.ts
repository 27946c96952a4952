// Packages with one mistake each: waits beyond a timeout, keys that change in a retry, files of called workflows, timeouts without a state,
// forms that a schema excludes, and judges that read the wrong variable.
import { END, lines, prompt, type Fault, type Files } from './kit.js';

const JUDGED: Files = {
  'START.md': prompt(
    'allowed_transitions:\n  - { tag: result }\n  - { tag: goto, target: FIX }\nevaluate:\n  - { state: CHECK }',
    'Write a limerick: <result>the limerick</result>. If you cannot: <goto>FIX</goto>',
  ),
  'FIX.md': 'Write another one: <result>the limerick</result>\n',
};

const rated = (fields: string, body: string): Files => ({
  'START.sh': `echo '<function return="SHOW">RATE</function>'\n`,
  'RATE.md': prompt(
    `result:\n  schema:\n    type: object\n    additionalProperties: false\n    properties:\n${fields}`,
    body,
  ),
  'SHOW.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
});

/** What is wrong, the package, and what is found. */
export const FORM_MISTAKES: readonly Fault[] = [
  [
    'a wait of a function until a deadline beyond the timeout',
    {
      'START.py': lines(
        '# raymond: timeout=120',
        'import pathlib, time',
        'DEADLINE = 15 * 60',
        'def wait_for(file, seconds):',
        '    end = time.monotonic() + seconds',
        '    while time.monotonic() < end:',
        '        if file.exists():',
        '            return file.read_text()',
        '        time.sleep(5)',
        '    return ""',
        'print(f\'<result>{wait_for(pathlib.Path("state"), DEADLINE)}</result>\')',
      ),
    },
    ['pause-beyond-timeout START.py:9:9'],
  ],
  [
    'a counted wait of bash around a quiet request',
    {
      'START.sh': lines(
        '# raymond: timeout=3m',
        'set -eu',
        'tries=0',
        'state=running',
        'while [ "$state" = running ] && [ "$tries" -lt 60 ]; do',
        '  sleep 30',
        '  state=$(curl -fsS --max-time 20 https://example.org/state)',
        '  tries=$((tries + 1))',
        'done',
        'echo "<result>$state</result>"',
      ),
    },
    ['pause-beyond-timeout START.sh:6:3'],
  ],
  [
    'pauses by functions of the program, and by a timer',
    {
      'START.js': lines(
        '// raymond: timeout=1m',
        "const fs = require('node:fs');",
        'const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));',
        'async function main() {',
        '  for (let i = 0; i < 40; i += 1) {',
        "    if (fs.existsSync('x')) break;",
        '    await pause(15_000);',
        '  }',
        "  console.log('<goto>REST</goto>');",
        '}',
        'main();',
      ),
      'REST.js': lines(
        '// raymond: timeout=1m',
        'setTimeout(() => {',
        "  console.log('<result>rested</result>');",
        '}, 5 * 60 * 1000);',
      ),
    },
    ['pause-beyond-timeout START.js:7:11', 'pause-beyond-timeout REST.js:2:1'],
  ],
  [
    'a wait of bash by its clock',
    {
      'START.sh': lines(
        '# raymond: timeout=2m',
        'deadline=$((SECONDS + 1800))',
        'until [ -e /srv/ready ]; do',
        '  ((SECONDS > deadline)) && break',
        '  sleep 20',
        'done',
        "echo '<result>ready</result>'",
      ),
    },
    ['pause-beyond-timeout START.sh:5:3'],
  ],
  [
    'a number of an order that is made of the id of the attempt',
    {
      'START.js': lines(
        '// raymond: retries=3',
        '// The shop ignores an order whose number it has already got.',
        'function number() {',
        '  const { RAYMOND_WORKFLOW_ID, RAYMOND_ATTEMPT } = process.env;',
        '  return `${RAYMOND_WORKFLOW_ID}/${RAYMOND_ATTEMPT}`;',
        '}',
        'const order = { number: number(), rolls: 5 };',
        "fetch('https://example.org/orders', { method: 'POST', body: JSON.stringify(order) }).then(() => {",
        "  console.log('<result>ordered</result>');",
        '});',
      ),
    },
    ['attempt-as-key START.js:7:25'],
  ],
  [
    'a file with the id of the attempt that remembers what is done',
    {
      'START.sh': lines(
        '# raymond: retries=3',
        'set -eu',
        'marker="$RAYMOND_TASK_FOLDER/heated.${RAYMOND_ATTEMPT//\\//_}"',
        'if [ ! -e "$marker" ]; then',
        '  heatctl add 2h >&2',
        '  touch "$marker"',
        'fi',
        "echo '<result>on</result>'",
      ),
    },
    ['attempt-as-key START.sh:3:1'],
  ],
  [
    'a file of a called workflow that worked in another directory',
    {
      'START.sh': lines(
        'mkdir -p shop',
        `echo '<function-workflow return="TELL" cd="shop">./count/</function-workflow>'`,
      ),
      'count/START.sh': lines('ls | wc -l >count.txt', "echo '<result>counted</result>'"),
      'TELL.sh': lines('n=$(cat count.txt)', 'echo "<result>$n files, $RAYMOND_RESULT</result>"'),
    },
    ['file-in-other-directory TELL.sh:1:9'],
  ],
  [
    'a file of a called workflow that a prompt looks for',
    {
      'START.py': lines(
        'import os',
        'folder = os.environ["RAYMOND_INPUT"]',
        `print(f'<function-workflow return="MAIL" cd="{folder}">./write/</function-workflow>')`,
      ),
      'write/START.md': 'Write the minutes into `minutes.md`. End with <result>the title</result>\n',
      'MAIL.md': 'Read `minutes.md`, and mail the minutes "{{result}}". End with <result>mailed</result>\n',
    },
    ['file-in-other-directory MAIL.md:1:7'],
  ],
  [
    'a timeout without the state that is made for it',
    {
      'START.sh': `echo '<ask next="END" timeout="8h" choices="yes,no">Grant the leave?</ask>'\n`,
      'NO_ANSWER.py': '# The boss did not answer.\nprint("<result>granted</result>")\n',
      ...END,
    },
    ['timeout-without-next START.sh:1:23'],
  ],
  [
    'a computed await without the state that is made for late agents',
    {
      'START.sh': `echo '<fork>VOTE</fork><goto>COLLECT</goto>'\n`,
      'VOTE.md': 'Vote: <result>yes</result> or <result>no</result>\n',
      'COLLECT.js': lines(
        'const tag = (name, all) =>',
        '  `<${name} ${Object.entries(all).map(([key, value]) => `${key}="${value}"`).join(" ")}/>`;',
        "console.log(tag('await', { next: 'END', timeout: '10m' }));",
      ),
      'LATE.py': 'print("<result>too few have voted in time</result>")\n',
      ...END,
    },
    ['timeout-without-next COLLECT.js:3:41'],
  ],
  [
    'attributes from a list, with a state but no time for the case without an answer',
    {
      'START.js': lines(
        'const attributes = [\'next="END"\', \'timeout_next="END"\'];',
        "console.log(`<ask ${attributes.join(' ')}>Which?</ask>`);",
      ),
      ...END,
    },
    ['bad-attribute-value START.js:1:36'],
  ],
  [
    'an entry with a state but no time for the case without an answer',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: fine }\n  - { tag: ask, next: END, timeout_next: END }',
        'If all is well: <result>fine</result>. Otherwise, ask our lawyer with an ask tag: next is END, and timeout_next is END.',
      ),
      ...END,
    },
    ['bad-attribute-value START.md:4:28'],
  ],
  [
    'a program in capitals that prints a tag, and that no file names',
    { 'START.sh': 'echo "<goto>END</goto>"\n', 'RECEIPT.py': 'print("<result>x</result>")\n', ...END },
    ['unreachable-state RECEIPT.py:1:1'],
  ],
  [
    'an example that is none of the values',
    rated(
      '      level: { type: string, enum: [beginner, advanced] }',
      'Use the European levels. <result>{"level": "B1"}</result>',
    ),
    ['schema-contradicts-text RATE.md:9:35'],
  ],
  [
    'a date in another form than that of the pattern',
    rated(
      "      day: { type: string, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }",
      'When was it? Write the day as it is usual in Germany (DD.MM.YYYY).',
    ),
    ['schema-contradicts-text RATE.md:9:55'],
  ],
  [
    'a percentage for a number up to 1',
    rated('      share: { type: number, minimum: 0, maximum: 1 }', 'Write the share in percent.'),
    ['schema-contradicts-text RATE.md:9:17'],
  ],
  [
    'a third case for two values',
    rated(
      '      risk: { enum: [low, high] }',
      'Call the risk low if only texts change, medium if there are tests, and high if there are none.',
    ),
    ['schema-contradicts-text RATE.md:9:41'],
  ],
  [
    'a field that the schema does not have',
    rated('      share: { type: number }', 'Write the share. Also put the number of people into the field `people`.'),
    ['schema-contradicts-text RATE.md:9:64'],
  ],
  [
    'a third word for two payloads',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: bug }\n  - { tag: result, payload: feature }',
        'Is the issue a bug, a feature or a question? End with a result that has this one word.',
      ),
    },
    ['policy-contradicts-text START.md:6:36'],
  ],
  [
    'a judge that looks for the reply in its input',
    {
      ...JUDGED,
      'CHECK.py': lines(
        'import os',
        'reply = os.environ.get("RAYMOND_INPUT", "")',
        'print("<goto>FIX</goto>" if "Nantucket" in reply else "<result>keep</result>")',
      ),
    },
    ['unseen-reply CHECK.py:2:9'],
  ],
  [
    'a judge of bash with a default for the reply',
    {
      ...JUDGED,
      'CHECK.sh': lines(
        'words=$(printf %s "${RAYMOND_RESULT:-}" | wc -w)',
        'if [ "$words" -gt 200 ]; then echo "<goto>FIX</goto>"; else echo "<result>keep</result>"; fi',
      ),
    },
    ['unseen-reply CHECK.sh:1:20'],
  ],
  [
    'an example that lists words which the schema does not allow',
    {
      'START.sh': 'echo \'<call return="END">RATE</call>\'\n',
      'RATE.md': prompt(
        'result:\n  schema: { type: object, properties: { verdict: { enum: [kept, dropped, unclear] } } }',
        'Rate it: <result>{"verdict": "keep, drop or unclear"}</result>',
      ),
      ...END,
    },
    ['schema-contradicts-text RATE.md:5:19'],
  ],
];
