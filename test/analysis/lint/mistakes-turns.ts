// Planted mistakes about what one turn leaves to the next: forked agents, files, values after a timeout.
import { END, lines, prompt, type Fault } from './kit.js';

const WORK = { 'WORK.sh': 'echo "<result>$item</result>"\n' };
const FORKS = { 'START.sh': `echo '<fork next="WAIT" item="tea">WORK</fork><fork item="milk">WORK</fork>'\n`, ...WORK };
const WAIT = { 'WAIT.sh': `echo '<await next="JOIN"/>'\n` };
const JOIN = { 'JOIN.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n' };

/** What is wrong, the package, and what is found in it. */
export const TURN_MISTAKES: readonly Fault[] = [
  [
    'an await in an agent that was forked and has forked nothing',
    {
      'START.sh': `echo '<fork item="tea">WORK</fork><fork next="END">WAIT</fork>'\n`,
      ...WORK,
      ...WAIT,
      ...JOIN,
      ...END,
    },
    ['await-without-fork WAIT.sh:1:7'],
  ],
  [
    'a second await',
    {
      ...FORKS,
      'WAIT.sh': `echo '<await next="AGAIN"/>'\n`,
      'AGAIN.js': `console.log('<await next="JOIN"/>');\n`,
      ...JOIN,
    },
    ['await-without-fork AGAIN.js:1:14'],
  ],
  [
    'a called program that goes to the state of the return',
    {
      'START.sh': `echo '<function return="MERGE">COUNT</function>'\n`,
      'COUNT.py': `print('<goto input="3">MERGE</goto>')\n`,
      'MERGE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['goto-to-return COUNT.py:1:24'],
  ],
  [
    'a goto to the state of the return in a later state of the call',
    {
      'START.sh': `echo '<call return="MERGE">COUNT</call>'\n`,
      'COUNT.md': 'Count. Say <goto>CHECK</goto>',
      'CHECK.md': 'Check. Say <goto>MERGE</goto> or, if it is wrong, <result>wrong</result>',
      'MERGE.sh': 'echo "<result>merged</result>"\n',
    },
    ['goto-to-return CHECK.md:1:18'],
  ],
  [
    'a file in the task folder of the forking agent, in Python',
    {
      'START.py': lines(
        'import os',
        'from pathlib import Path',
        'task = Path(os.environ["RAYMOND_TASK_FOLDER"])',
        '(task / "list.txt").write_text("tea")',
        'print(\'<fork next="END">LABEL</fork>\')',
      ),
      'LABEL.py': lines(
        'import os',
        'folder = os.environ["RAYMOND_TASK_FOLDER"]',
        'with open(os.path.join(folder, "list.txt")) as file:',
        '    print(f"<result>{len(file.read())}</result>")',
      ),
      ...END,
    },
    ['other-task-folder LABEL.py:3:11'],
  ],
  [
    'a file in the task folder of the forking agent, by a variable, for a prompt',
    {
      'START.sh': lines(
        'brief=$RAYMOND_TASK_FOLDER/brief.txt',
        'date >"$brief"',
        `echo '<fork next="END">WRITE</fork>'`,
      ),
      'WRITE.md': prompt(
        'allowed_transitions: [{ tag: result }]',
        'Read {{task_folder}}/brief.txt. <result>the text</result>',
      ),
      ...END,
    },
    ['other-task-folder WRITE.md:4:6'],
  ],
  [
    'scripts of forked agents that write one file in a shared task folder',
    {
      'START.sh': `echo '<fork task="inherit" next="WAIT" item="tea">WORK</fork><fork task="inherit" item="milk">WORK</fork>'\n`,
      'WORK.sh': lines('wc -w <"$item.txt" >"$RAYMOND_TASK_FOLDER/count.txt"', "echo '<result>done</result>'"),
      ...WAIT,
      'JOIN.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/count.txt") of $RAYMOND_INPUT</result>"\n',
    },
    ['shared-file WORK.sh:1:21'],
  ],
  [
    'scripts of forked agents that write one file in the working directory',
    {
      ...FORKS,
      'WORK.sh': lines('wc -w <"$item.txt" >count.txt', "echo '<result>done</result>'"),
      ...WAIT,
      'JOIN.sh': 'echo "<result>$(cat count.txt) of $RAYMOND_INPUT</result>"\n',
    },
    ['shared-file WORK.sh:1:21'],
  ],
  [
    'a value after a timeout, in bash',
    {
      'START.sh': `echo '<ask next="USE" timeout="1h" timeout_next="USE">Who?</ask>'\n`,
      'USE.sh': lines('set -eu', 'echo "<result>$RAYMOND_INPUT</result>"'),
    },
    ['no-value-after-timeout USE.sh:2:15'],
  ],
  [
    'a value after a timeout, in a prompt',
    {
      'START.sh': `echo '<ask next="USE" timeout="1h" timeout_next="USE">Who?</ask>'\n`,
      'USE.md': 'Greet {{input}}. <result>the greeting</result>',
    },
    ['no-value-after-timeout USE.md:1:7'],
  ],
  [
    'a choice without a state',
    {
      'START.sh': `echo '<ask next="APPLY" choices="patch,minor,major">Which?</ask>'\n`,
      'APPLY.sh': lines('kind=$(tr a-z A-Z <<<"$RAYMOND_INPUT")', 'echo "<goto>BUMP_$kind</goto>"'),
      'BUMP_PATCH.sh': 'echo "<result>1</result>"\n',
      'BUMP_MINOR.sh': 'echo "<result>2</result>"\n',
    },
    ['choice-without-state APPLY.sh:2:13'],
  ],
  [
    'the path of the file of a value, by a variable',
    {
      'START.sh': lines('letter=$RAYMOND_INPUT_FILE', 'echo "<goto letter=\\"$letter\\">READ</goto>"'),
      'READ.md': 'Read {{letter}}. <result>its subject</result>',
    },
    ['path-of-value-file START.sh:2:22'],
  ],
  [
    'the id of the attempt as a key',
    {
      'START.sh': lines(
        '# raymond: retries=2',
        'curl -H "Idempotency-Key: $RAYMOND_ATTEMPT" https://example.com/charge >&2',
        "echo '<result>charged</result>'",
      ),
    },
    ['attempt-as-key START.sh:2:28'],
  ],
  [
    'a file in /tmp of a sandbox',
    {
      'workflow.yaml': 'id: x\nsandbox: container\n',
      'START.sh': lines('ls >/tmp/list.txt', "echo '<goto>COUNT</goto>'"),
      'COUNT.sh': 'echo "<result>$(wc -l </tmp/list.txt)</result>"\n',
    },
    ['lost-temporary-file START.sh:1:5'],
  ],
  [
    'files in the task folders of forked agents, by a variable',
    {
      'START.sh': `for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">PART</fork>"; done\n`,
      'PART.md': prompt(
        'allowed_transitions: [{ tag: result, payload: ok }]',
        'Write part {{n}} to `{{task_folder}}/part-{{n}}.md`.',
      ),
      'WAIT.sh': `echo '<await next="BIND"/>'\n`,
      'BIND.sh': lines(
        'set -eu',
        'part=$RAYMOND_TASK_FOLDER/part-1.md',
        '[ -s "$part" ] || exit 1',
        'cat "$part" >all.md',
        'echo "<result>all.md</result>"',
      ),
    },
    ['other-task-folder BIND.sh:4:5'],
  ],
  [
    'files in the task folders of forked agents, for a prompt and in Python',
    {
      'START.sh': `for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">PART</fork>"; done\n`,
      'PART.md': prompt(
        'allowed_transitions: [{ tag: result, payload: ok }]',
        'Save part {{n}} as `{{task_folder}}/part-{{n}}.md`.',
      ),
      'WAIT.sh': `echo '<await next="BIND"/>'\n`,
      'BIND.md': 'Read the parts in {{task_folder}} and end with <result>the best part</result>',
    },
    ['other-task-folder BIND.md:1:19'],
  ],
  [
    'uploads that are read from a folder of another name',
    {
      'START.sh': `echo '<ask next="READ" upload_slots="report:text/plain">Report?</ask>'\n`,
      'READ.sh': lines(
        'folder=$RAYMOND_TASK_FOLDER/uploads/$RAYMOND_ASK_ID',
        'echo "<result>$(wc -l <"$folder/report")</result>"',
      ),
    },
    ['wrong-slot READ.sh:1:29'],
  ],
  [
    'an upload that is read directly from the task folder, and one without the id of the question',
    {
      'START.sh': `echo '<ask next="READ" upload_slots="report:text/plain">Report?</ask>'\n`,
      'READ.md':
        'Read {{task_folder}}/report. Then ask again: <ask next="MORE" upload_slots="plan:text/plain">Plan?</ask>',
      'MORE.py': lines(
        'import os',
        'from pathlib import Path',
        'plan = Path(os.environ["RAYMOND_TASK_FOLDER"]) / "asks" / "plan"',
        'print(f"<result>{len(plan.read_text())}</result>")',
      ),
    },
    ['wrong-slot READ.md:1:6', 'wrong-slot MORE.py:3:51'],
  ],
  [
    'an await for an agent that never ends',
    {
      'START.sh': `echo '<fork next="WAIT">PULSE</fork>'\n`,
      'PULSE.sh': `date >pulse.txt\necho '<reset delay="5m">PULSE</reset>'\n`,
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
    ['await-without-end WAIT.sh:1:7'],
  ],
  [
    'an await for an agent of two states that never ends',
    {
      'START.sh': `echo '<fork next="WAIT">CHECK</fork>'\n`,
      'CHECK.md': prompt(
        'allowed_transitions: [{ tag: goto, target: SLEEP }]',
        'Check the page. Then <goto>SLEEP</goto>',
      ),
      'SLEEP.sh': `echo '<reset delay="1h">CHECK</reset>'\n`,
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
    ['await-without-end WAIT.sh:1:7'],
  ],
  [
    'prompts of agents with one task folder that write one file',
    {
      'START.sh': `for mood in bold funny; do echo "<fork mood=\\"$mood\\" task=\\"inherit\\" next=\\"WAIT\\">INVENT</fork>"; done\n`,
      'INVENT.md': prompt(
        'allowed_transitions: [{ tag: result, payload: ok }]',
        'Create the file `{{task_folder}}/slogan.txt` with a {{mood}} slogan.',
      ),
      'WAIT.sh': `echo '<await next="PICK"/>'\n`,
      'PICK.md': 'Read the slogans in `{{task_folder}}`. End with <result>the best</result>',
    },
    ['shared-file INVENT.md:4:18'],
  ],
  [
    'prompts of agents that create one file in the working directory',
    {
      'START.sh': `for mood in bold funny; do echo "<fork mood=\\"$mood\\" next=\\"WAIT\\">INVENT</fork>"; done\n`,
      'INVENT.md': prompt(
        'allowed_transitions: [{ tag: result, payload: ok }]',
        'Create the file `slogan.txt` with a {{mood}} slogan.',
      ),
      'WAIT.sh': `echo '<await next="PICK"/>'\n`,
      'PICK.md': 'Read slogan.txt. End with <result>the best</result>',
    },
    ['shared-file INVENT.md:4:18'],
  ],
  [
    'the id of the attempt that is sought in a ledger',
    {
      'START.sh': lines(
        'set -eu',
        'touch ledger.csv',
        'key=$RAYMOND_ATTEMPT',
        'if ! grep -qF "$key;" ledger.csv; then echo "$key;5" >>ledger.csv; fi',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.py': lines(
        'import os',
        'attempt = os.environ["RAYMOND_ATTEMPT"]',
        'done = open("ledger.csv").read().split()',
        'if attempt not in done:',
        '    print("booking", attempt)',
        'print("<result>booked</result>")',
      ),
    },
    ['attempt-as-key START.sh:4:17', 'attempt-as-key NEXT.py:4:4'],
  ],
  [
    'a goto to the state of the return in a loop of the call',
    {
      'START.sh': `echo '<call return="MERGE">COUNT</call>'\n`,
      'COUNT.md': 'Count. Say <goto>CHECK</goto>',
      'CHECK.sh': lines(
        'if [ -e good ]; then',
        "  echo '<goto>MERGE</goto>'",
        'elif [ -e bad ]; then',
        "  echo '<result>bad</result>'",
        'else',
        "  echo '<goto>COUNT</goto>'",
        'fi',
      ),
      'MERGE.sh': 'echo "<result>merged</result>"\n',
    },
    ['goto-to-return CHECK.sh:2:15'],
  ],
];
