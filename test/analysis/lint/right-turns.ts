// Packages that are near to the mistakes in mistakes-turns.ts, but run well.
import { END, type Files } from './kit.js';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

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
];
