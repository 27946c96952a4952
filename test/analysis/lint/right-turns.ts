// Packages that are near to the mistakes in mistakes-turns.ts, but run well.
import { END, lines, type Files } from './kit.js';

const ASK = { 'START.sh': `echo '<ask next="USE" timeout="1h" timeout_next="USE" choices="a,b">Which?</ask>'\n` };

/** What is odd, and the package. */
export const RIGHT_TURNS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a second await after a timeout, and one after another fork',
    {
      'START.sh': `echo '<fork next="WAIT">WORK</fork>'\n`,
      'WORK.sh': 'echo "<result>x</result>"\n',
      'WAIT.sh': `echo '<await next="MORE" timeout="1h" timeout_next="LATE"/>'\n`,
      'LATE.sh': `echo '<await next="MORE"/>'\n`,
      'MORE.sh': `echo '<fork next="LAST">WORK</fork>'\n`,
      'LAST.sh': `echo '<await next="JOIN"/>'\n`,
      'JOIN.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'an await for agents that a call has forked',
    {
      'START.sh': `echo '<function return="WAIT">SPLIT</function>'\n`,
      'SPLIT.sh': `echo '<fork next="END">WORK</fork>'\n`,
      'WORK.sh': 'echo "<result>x</result>"\n',
      'WAIT.sh': `echo '<await next="JOIN"/>'\n`,
      'JOIN.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      ...END,
    },
  ],
  [
    'a file that the forked agent writes itself',
    {
      'START.sh': lines('date >"$RAYMOND_TASK_FOLDER/log.txt"', `echo '<fork next="END">WORK</fork>'`),
      'WORK.sh': lines(
        'date >"$RAYMOND_TASK_FOLDER/log.txt"',
        'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/log.txt")</result>"',
      ),
      ...END,
    },
  ],
  [
    'scripts of forked agents that append to one file',
    {
      'START.sh': `echo '<fork next="WAIT" item="tea">WORK</fork><fork item="milk">WORK</fork>'\n`,
      'WORK.sh': lines('wc -w <"$item.txt" >>count.txt', "echo '<result>done</result>'"),
      'WAIT.sh': `echo '<await next="JOIN"/>'\n`,
      'JOIN.sh': 'echo "<result>$(cat count.txt) of $RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a value with a default after a timeout',
    { ...ASK, 'USE.sh': lines('set -eu', 'echo "<result>${RAYMOND_INPUT:-a}</result>"') },
  ],
  [
    'choices that all have a state',
    {
      'START.sh': `echo '<ask next="APPLY" choices="a,b">Which?</ask>'\n`,
      'APPLY.sh': 'echo "<goto>DO_${RAYMOND_INPUT^^}</goto>"\n',
      'DO_A.sh': 'echo "<result>1</result>"\n',
      'DO_B.sh': 'echo "<result>2</result>"\n',
    },
  ],
  [
    'the path of a copy of the value',
    {
      'START.sh': lines(
        'letter=$RAYMOND_TASK_FOLDER/letter.txt',
        'cp "$RAYMOND_INPUT_FILE" "$letter"',
        'echo "<goto letter=\\"$letter\\">READ</goto>"',
      ),
      'READ.md': 'Read {{letter}}. <result>its subject</result>',
    },
  ],
  [
    'a file in /tmp that each turn writes itself',
    {
      'workflow.yaml': 'id: x\nsandbox: container\n',
      'START.sh': lines('ls >/tmp/list.txt', 'wc -l </tmp/list.txt >&2', "echo '<goto>COUNT</goto>'"),
      'COUNT.sh': lines('ls >/tmp/list.txt', 'echo "<result>$(wc -l </tmp/list.txt)</result>"'),
    },
  ],
  [
    'files of agents that share the task folder, and one with a name for each',
    {
      'START.sh': `for n in 1 2; do echo "<fork n=\\"$n\\" task=\\"inherit\\" next=\\"WAIT\\">PART</fork>"; done\n`,
      'PART.md':
        '---\nallowed_transitions: [{ tag: result, payload: ok }]\n---\nWrite part {{n}} to `{{task_folder}}/part-{{n}}.md`.\n',
      'WAIT.sh': `echo '<await next="BIND"/>'\n`,
      'BIND.sh': lines(
        'set -eu',
        'part=$RAYMOND_TASK_FOLDER/part-1.md',
        'cat "$part" >all.md',
        'echo "<result>all.md</result>"',
      ),
    },
  ],
  [
    'a file that the waiting agent writes itself, by a variable',
    {
      'START.sh': `for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">PART</fork>"; done\n`,
      'PART.sh': lines('set -eu', 'echo "$n" >"$RAYMOND_TASK_FOLDER/part.txt"', 'echo "<result>$n</result>"'),
      'WAIT.sh': `echo '<await next="BIND"/>'\n`,
      'BIND.sh': lines(
        'set -eu',
        'list=$RAYMOND_TASK_FOLDER/list.txt',
        'echo "$RAYMOND_INPUT" >"$list"',
        'echo "<result>$(wc -c <"$list")</result>"',
      ),
    },
  ],
  [
    'uploads in their folder, and another folder that a script makes by the id of the question',
    {
      'START.sh': `echo '<ask next="READ" upload_slots="report:text/plain">Report?</ask>'\n`,
      'READ.sh': lines(
        'set -eu',
        'mkdir -p "reports/$RAYMOND_ASK_ID"',
        'cp "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/report" "reports/$RAYMOND_ASK_ID/report"',
        'echo "<result>$(wc -l <"reports/$RAYMOND_ASK_ID/report")</result>"',
      ),
    },
  ],
  [
    'an await with a timeout for an agent that never ends, and one for an agent that may fail',
    {
      'START.sh': `echo '<fork next="WAIT">PULSE</fork>'\n`,
      'PULSE.sh': `date >pulse.txt\necho '<reset delay="5m">PULSE</reset>'\n`,
      'WAIT.sh': `echo '<await next="NEXT" timeout="8h" timeout_next="NEXT"/>'\n`,
      'NEXT.sh': `echo '<result>over</result>'\n`,
    },
  ],
  [
    'an await for an agent that ends by an error',
    {
      'START.sh': `echo '<fork next="WAIT">PULSE</fork>'\n`,
      'PULSE.sh': `[ ! -e stop ] || exit 1\necho '<reset delay="5m">PULSE</reset>'\n`,
      'WAIT.sh': `echo '<await next="NEXT"/>'\n`,
      'NEXT.sh': `echo '<result>over</result>'\n`,
    },
  ],
  [
    'the id of the attempt in a log and in the name of a folder',
    {
      'START.sh': lines(
        'set -eu',
        'work=work-$RAYMOND_ATTEMPT',
        '[ -d "$work" ] || mkdir "$work"',
        'echo "$RAYMOND_ATTEMPT $RAYMOND_TURN_ID" >>attempts.log',
        'grep -q "^$RAYMOND_TURN_ID;" ledger.csv || echo "$RAYMOND_TURN_ID;5" >>ledger.csv',
        'echo "<result>booked</result>"',
      ),
    },
  ],
  [
    'a helper in the working directory of the manifest, and one by the folder of the states',
    {
      'workflow.yaml': 'id: flow\nworking_directory: .\n',
      'START.sh': lines('set -eu', '. ./money.bash', 'sum 1 >&2', 'echo "<goto>NEXT</goto>"'),
      'NEXT.sh': lines('set -eu', '. "$RAYMOND_STATE_DIR/money.bash"', 'echo "<result>$(sum 1)</result>"'),
      'money.bash': 'sum() { echo "$1"; }\n',
    },
  ],
  [
    'an upload that a program copies to its task folder',
    {
      'START.sh': `echo '<ask next="READ" upload_slots="report:text/plain">Report?</ask>'\n`,
      'READ.py': lines(
        'import os',
        'import shutil',
        'from pathlib import Path',
        'task = Path(os.environ["RAYMOND_TASK_FOLDER"])',
        'target = task / "report"',
        'shutil.copyfile(task / "asks" / os.environ["RAYMOND_ASK_ID"] / "report", target)',
        'print(f"<result>{target.stat().st_size}</result>")',
      ),
    },
  ],
  [
    'a goto to the state of a return from a loop that others enter without a call',
    {
      'START.sh': `if [ -e a ]; then echo '<call return="MERGE">COUNT</call>'; else echo '<goto>CHECK</goto>'; fi\n`,
      'COUNT.md': 'Count. Say <goto>CHECK</goto> or <result>none</result>',
      'CHECK.sh': lines(
        'if [ -e good ]; then',
        "  echo '<goto>MERGE</goto>'",
        'else',
        "  echo '<goto>COUNT</goto>'",
        'fi',
      ),
      'MERGE.sh': 'echo "<result>merged</result>"\n',
    },
  ],
];
