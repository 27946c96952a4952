// Planted mistakes about what agents and calls do not share: task folders, conversations and directories; and about numbers that are out of
// reach, and calls that nest too deep.
import { END, lines, prompt, type Fault } from './kit.js';

const WAIT = { 'WAIT.sh': 'echo \'<await next="END"/>\'\n', ...END };

/** What is wrong, the package, and what is found in it. */
export const APART_MISTAKES: readonly Fault[] = [
  [
    'a plan in the task folder of the agent that forks',
    {
      'START.md': 'Write a plan to {{task_folder}}/plan.md. Then <goto>SPREAD</goto>',
      'SPREAD.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">PART</fork>"; done\n',
      'PART.md':
        'The plan of a guide to bees is in {{task_folder}}/plan.md. Write part {{n}}. <result>the part</result>',
      ...WAIT,
    },
    ['other-task-folder PART.md:1:35'],
  ],
  [
    'a list in the task folder that a later state of the forked agent reads',
    {
      'START.py': lines(
        'import os',
        'path = os.path.join(os.environ["RAYMOND_TASK_FOLDER"], "rules.txt")',
        'open(path, "w").write("be brief")',
        'print(\'<fork page="a" next="WAIT">OPEN</fork><fork page="b">OPEN</fork>\')',
      ),
      'OPEN.sh': 'echo "<goto page=\\"$page\\">CHECK</goto>"\n',
      'CHECK.sh': lines(
        'set -euo pipefail',
        'rules=$RAYMOND_TASK_FOLDER/rules.txt',
        'n=$(grep -c brief "$rules" || test $? = 1)',
        'echo "<result>$page $n</result>"',
      ),
      ...WAIT,
    },
    ['other-task-folder CHECK.sh:3:20'],
  ],
  [
    'things that a called prompt has listed, and that did not come back',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: call, target: HOTELS, return: PLAN }',
        'Describe the town. <call return="PLAN">HOTELS</call>',
      ),
      'HOTELS.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: found }\n  - { tag: result, payload: none }',
        'List three hotels. <result>found</result> or <result>none</result>',
      ),
      'PLAN.md':
        'It ended with {{result}}. Choose one of the hotels that you have just named. <result>the plan</result>',
    },
    ['unseen-conversation PLAN.md:1:57'],
  ],
  [
    'these names, of which only the number came back',
    {
      'START.sh': 'echo \'<function return="PICK">NAMES</function>\'\n',
      'NAMES.md': prompt(
        'result:\n  schema: { type: object, required: [count], properties: { count: { type: integer } } }',
        'Invent names for a boat. How many are there? <result>{"count": 3}</result>',
      ),
      'PICK.md': 'There are {{result.count}} names. Choose the best of these names. <result>the name</result>',
    },
    ['unseen-conversation PICK.md:1:54'],
  ],
  [
    'a limit above the maximum of the schema, in bash and in Python',
    {
      'START.sh': 'echo \'<function return="DECIDE">RATE</function>\'\n',
      'RATE.md': prompt(
        'result:\n  schema: { type: object, required: [score], properties: { score: { type: integer, minimum: 1, maximum: 10 } } }',
        'Rate it from 1 to 10. <result>{"score": 7}</result>',
      ),
      'DECIDE.sh': lines(
        'if [ "$RAYMOND_RESULT_score" -ge 70 ]; then',
        '  echo "<result>good</result>"',
        'else',
        '  echo "<goto score=\\"$RAYMOND_RESULT_score\\">AGAIN</goto>"',
        'fi',
      ),
      'AGAIN.py': lines(
        'import os',
        'score = int(os.environ["score"])',
        'print("<result>fair</result>" if score > 50 else "<result>poor</result>")',
      ),
    },
    ['unreachable-number AGAIN.py:3:34', 'unreachable-number DECIDE.sh:1:8'],
  ],
  [
    'a limit outside of the range that a prompt names, in a program and in a prompt',
    {
      'START.sh': 'echo \'<function return="DECIDE">RATE</function>\'\n',
      'RATE.md': 'How many stars does it deserve, from 1 to 5? <result>4</result>',
      'DECIDE.js': lines(
        'const stars = Number(process.env.RAYMOND_RESULT);',
        'const enough = 8;',
        'if (stars >= enough) console.log("<result>good</result>");',
        'else console.log(`<goto stars="${stars}">READ</goto>`);',
      ),
      'READ.md':
        'It has {{stars}} stars. If that is more than 20, reply with <result>great</result>, else <result>no</result>.',
    },
    ['unreachable-number DECIDE.js:3:5', 'unreachable-number READ.md:1:46'],
  ],
  [
    'a file with one name in a later state of each forked agent',
    {
      'START.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">READ</fork>"; done\n',
      'READ.sh': 'echo "<goto n=\\"$n\\">VOTE</goto>"\n',
      'VOTE.md': 'You are judge {{n}}. Write your vote to vote.md. <result>voted</result>',
      'WAIT.sh': 'echo \'<await next="TALLY"/>\'\n',
      'TALLY.sh': 'echo "<result>$(cat vote.md)</result>"\n',
    },
    ['shared-file VOTE.md:1:41'],
  ],
  [
    'a file with a name in a constant, which each forked agent writes',
    {
      'START.md': 'For each of the cities in cities.txt, write <fork city="the city" next="WAIT">MEASURE</fork>',
      'MEASURE.py': lines(
        'import os',
        'from pathlib import Path',
        'target = Path("out") / "size.json"',
        'target.write_text(os.environ["city"])',
        'print("<result>measured</result>")',
      ),
      'WAIT.sh': 'echo \'<await next="SHOW"/>\'\n',
      'SHOW.sh': 'echo "<result>$(cat out/size.json)</result>"\n',
    },
    ['shared-file MEASURE.py:4:1'],
  ],
  [
    'a file without an extension in the directory of a called state',
    {
      'START.sh': 'mkdir -p checkout\necho \'<call return="TAG">PREPARE</call>\'\n',
      'PREPARE.sh': 'echo \'<reset cd="checkout">BUMP</reset>\'\n',
      'BUMP.sh': 'echo 2 >VERSION\necho "<result>2</result>"\n',
      'TAG.sh': lines(
        'set -e',
        'version=$(cat VERSION)',
        'tar -czf "release-$version.tgz" VERSION',
        'echo "<result>$version</result>"',
      ),
    },
    ['file-in-other-directory TAG.sh:2:15'],
  ],
  [
    'a list that a called prompt leaves in a clone',
    {
      'START.sh': 'git clone https://example.com/a.git a\necho \'<call return="COUNT">ENTER</call>\'\n',
      'ENTER.sh': 'echo \'<reset cd="a">LIST</reset>\'\n',
      'LIST.md': 'List the three rules of the project in `rules.txt`. <result>listed</result>',
      'COUNT.sh': 'set -e\nn=$(wc -l <rules.txt)\necho "<result>$n</result>"\n',
    },
    ['file-in-other-directory COUNT.sh:2:12'],
  ],
  [
    'a script that sleeps and calls itself, and two states that call each other for each file',
    {
      'START.sh': 'echo \'<call return="NEXT">POLL</call>\'\n',
      'POLL.sh': lines(
        'if [ -e ready ]; then',
        '  echo "<result>ready</result>"',
        'else',
        '  sleep 60',
        '  echo \'<call return="BACK">POLL</call>\'',
        'fi',
      ),
      'BACK.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      'NEXT.sh': lines(
        'mail=$(find inbox -name "*.eml" | head -n 1)',
        'if [ -z "$mail" ]; then echo "<result>empty</result>"; else',
        'echo "<goto mail=\\"$mail\\">ANSWER</goto>"; fi',
      ),
      'ANSWER.md': 'Answer {{mail}} and delete it. <function return="BACK">NEXT</function>',
    },
    ['calls-too-deep ANSWER.md:1:56', 'calls-too-deep POLL.sh:5:29'],
  ],
  [
    'a folder for a forked agent under another name than the one that the script makes',
    {
      'START.sh': 'mkdir -p jury\ndate >jury/case.txt\necho \'<fork cd="court" next="WAIT">JUDGE</fork>\'\n',
      'JUDGE.md': 'Judge the case in case.txt. End with <result>your verdict</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      'END.sh': 'echo "<result>x</result>"\n',
    },
    ['directory-made-later START.sh:3:13'],
  ],
  [
    'a file that a forked agent writes under another name than a later state reads',
    {
      'START.sh':
        'for part in roof wall; do\n  mkdir -p "offers/$part"\n  echo "<fork cd=\\"offers/$part\\" part=\\"$part\\" next=\\"WAIT\\">PRICE</fork>"\ndone\n',
      'PRICE.md': 'Save the prices of the {{part}} as JSON in `offer.json`. End with <result>priced</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      'END.js': lines(
        'const fs = require("fs");',
        'const parts = ["roof", "wall"].map((part) => JSON.parse(fs.readFileSync(`offers/${part}/prices.json`, "utf8")));',
        'console.log(`<result>${parts[0].sum + parts[1].sum}</result>`);',
      ),
    },
    ['unwritten-file PRICE.md:1:45'],
  ],
];
