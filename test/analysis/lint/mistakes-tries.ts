// Planted mistakes about what only one try, turn or process knows or may do, and about cases that the only transition of a prompt hides.
import { END, lines, prompt, type Fault } from './kit.js';

const FORCED = 'allowed_transitions:\n  - { tag: goto, target: END }\nforce_implicit: true';
const ASK = { 'ASK.sh': `echo '<ask next="END">Who knows?</ask>'\n` };

/** What is wrong, the package, and what is found in it. */
export const TRIES_MISTAKES: readonly Fault[] = [
  [
    'a file by the id of a turn with another separator, in Python',
    {
      'START.py': lines(
        'import json, os',
        'from pathlib import Path',
        'name = os.environ["RAYMOND_TURN_ID"].replace("/", "_")',
        '(Path(os.environ["RAYMOND_TASK_FOLDER"]) / f"{name}.json").write_text(json.dumps([1, 2]))',
        'print("<goto>MEAN</goto>")',
      ),
      'MEAN.py': lines(
        'import json, os',
        'from pathlib import Path',
        'folder = Path(os.environ["RAYMOND_TASK_FOLDER"])',
        'name = os.environ["RAYMOND_TURN_ID"].replace("/", "_")',
        'values = json.loads((folder / f"{name}.json").read_text())',
        'print(f"<result>{sum(values)}</result>")',
      ),
    },
    ['name-of-other-process MEAN.py:5:1'],
  ],
  [
    'a file that functions name and read, and a branch, in Node.js and bash',
    {
      'START.js': lines(
        "const fs = require('fs');",
        "const path = require('path');",
        'const fileOf = (name) => path.join(process.env.RAYMOND_TASK_FOLDER, `${name}-${process.pid}.txt`);',
        "fs.writeFileSync(fileOf('rows'), fs.readFileSync('data.csv'));",
        "console.log('<goto>COUNT</goto>');",
      ),
      'COUNT.js': lines(
        "const fs = require('fs');",
        "const path = require('path');",
        'const fileOf = (name) => path.join(process.env.RAYMOND_TASK_FOLDER, `${name}-${process.pid}.txt`);',
        'function count(file) {',
        "  return fs.readFileSync(file, 'utf8').split('\\n').length;",
        '}',
        'console.log(`<goto rows="${count(fileOf(\'rows\'))}">MERGE</goto>`);',
      ),
      'MERGE.sh': lines('branch="draft-$RANDOM"', 'git switch -q -c "$branch"', "echo '<goto>PUSH</goto>'"),
      'PUSH.sh': lines('branch="draft-$RANDOM"', 'git merge -q "$branch"', "echo '<result>merged</result>'"),
    },
    ['name-of-other-process COUNT.js:3:1', 'name-of-other-process PUSH.sh:1:1'],
  ],
  [
    'lines that are appended before a request, with retries',
    {
      'START.sh': lines(
        '# raymond: retries=4',
        'set -euo pipefail',
        'printf "%s,%s\\n" "$(date +%F)" "$RAYMOND_INPUT" >>gifts.csv',
        'curl -fsS -d "amount=$RAYMOND_INPUT" http://localhost:9300/receipts >receipt.json',
        "echo '<goto>SUM</goto>'",
      ),
      'SUM.py': lines(
        '# raymond: retries=1',
        'import json, os, urllib.request',
        'with open("gifts.json") as file:',
        '    gifts = json.load(file)',
        'gifts["count"] = gifts["count"] + 1',
        'with open("gifts.json", "w") as file:',
        '    json.dump(gifts, file)',
        'urllib.request.urlopen("http://localhost:9300/refresh")',
        'print("<result>done</result>")',
      ),
    },
    ['repeated-by-retry START.sh:3:1', 'repeated-by-retry SUM.py:6:6'],
  ],
  [
    'messages before steps that may fail, in functions and loops',
    {
      'START.sh': lines(
        '# raymond: retries=2',
        'set -euo pipefail',
        'tell() {',
        '  curl -fsS -X POST http://localhost:9100/sms -d "to=$1" >/dev/null',
        '}',
        'for number in $NUMBERS; do',
        '  tell "$number"',
        'done',
        "echo '<goto>SEND</goto>'",
      ),
      'SEND.js': lines(
        '// raymond: retries=2',
        "const { execFileSync } = require('child_process');",
        'async function main() {',
        "  await fetch('http://localhost/mails', { method: 'POST', body: 'paid' });",
        "  execFileSync('gate', ['open']);",
        "  console.log('<result>sent</result>');",
        '}',
        'main();',
      ),
      'workflow.yaml': lines('id: flow', "environment: { NUMBERS: '1 2' }"),
    },
    ['repeated-by-retry SEND.js:4:9', 'repeated-by-retry START.sh:4:3'],
  ],
  [
    'a second case under force_implicit, in a sentence with "no"',
    {
      'START.md': prompt(
        FORCED,
        'Look into faq.md. If it has no answer, write nothing and reply with <goto>ASK</goto>.',
      ),
      ...ASK,
      ...END,
    },
    ['ignored-tag START.md:6:69'],
  ],
  [
    'cases of a table under force_implicit',
    {
      'START.md': prompt(
        FORCED,
        '| Kind | Reply |\n| --- | --- |\n| known | `<goto>END</goto>` |\n| other | `<goto>ASK</goto>` |',
      ),
      ...ASK,
      ...END,
    },
    ['ignored-tag START.md:9:12'],
  ],
  [
    'a state that the text names in words beside an implicit transition',
    {
      'START.md': prompt(FORCED, 'Look into faq.md. If you find nothing, go to WRITE_TO_US instead.'),
      'WRITE_TO_US.sh': "echo '<result>written</result>'\n",
      ...END,
    },
    ['hidden-branch START.md:6:46', 'unreachable-state WRITE_TO_US.sh:1:1'],
  ],
  [
    'a reply without a tag that is to end the work beside an implicit transition',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }',
        'Translate a.txt. Then reply with <goto>END</goto>.\n\nIf it is in French, reply without any tag: then the work ends.',
      ),
      ...END,
    },
    ['hidden-branch START.md:7:27'],
  ],
];
