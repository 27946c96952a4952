// Packages that are near to the mistakes in mistakes-apart.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const WAIT = { 'WAIT.sh': 'echo \'<await next="END"/>\'\n', ...END };

/** What is odd, and the package. */
export const RIGHT_APART: readonly (readonly [what: string, files: Files])[] = [
  [
    'a plan in a task folder that the forked agents share',
    {
      'START.md': 'Write a plan to {{task_folder}}/plan.md. Then <goto>SPREAD</goto>',
      'SPREAD.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" task=\\"inherit\\" next=\\"WAIT\\">PART</fork>"; done\n',
      'PART.md': 'The plan is in {{task_folder}}/plan.md. Write part {{n}}. <result>the part</result>',
      ...WAIT,
    },
  ],
  [
    'a list that the forked agent writes into its own task folder before it reads it',
    {
      'START.sh': 'echo a >"$RAYMOND_TASK_FOLDER/list.txt"\necho \'<fork next="WAIT" page="a">OPEN</fork>\'\n',
      'OPEN.sh': 'set -e\necho "$page" >"$RAYMOND_TASK_FOLDER/list.txt"\necho "<goto>CHECK</goto>"\n',
      'CHECK.sh': 'set -e\nn=$(wc -l <"$RAYMOND_TASK_FOLDER/list.txt")\necho "<result>$n</result>"\n',
      ...WAIT,
    },
  ],
  [
    'things that come back as a result, and things that the caller has listed',
    {
      'START.md': 'List three hotels of the town. <call return="PLAN">CHECK</call>',
      'CHECK.md': 'Are these hotels open? List those that are closed. <result>done</result>',
      'PLAN.md': 'Choose one of the hotels that you have listed. <call return="SUM">RISKS</call>',
      'RISKS.md': 'List the risks of this trip. <result>the risks</result>',
      'SUM.md': 'Which of these risks is the greatest? {{result}} <result>the risk</result>',
    },
  ],
  [
    'limits in the range, a check of the range, and a number that is scaled',
    {
      'START.sh': 'echo \'<function return="DECIDE">RATE</function>\'\n',
      'RATE.md': prompt(
        'result:\n  schema: { type: object, required: [score], properties: { score: { type: number, minimum: 0, maximum: 1 } } }',
        'Rate it from 0 to 1. <result>{"score": 0.7}</result>',
      ),
      'DECIDE.py': lines(
        'import os, sys',
        'score = float(os.environ["RAYMOND_RESULT_score"])',
        'if score < 0 or score > 2:',
        '    sys.exit("not a score")',
        'percent = score * 100',
        'print("<result>good</result>" if percent >= 70 else "<result>bad</result>")',
      ),
    },
  ],
  [
    'a file of each forked agent, and a file to which all append',
    {
      'START.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">VOTE</fork>"; done\n',
      'VOTE.md': 'You are judge {{n}}. Write your vote to vote-{{n}}.md. <goto>LOG</goto>',
      'LOG.sh': 'echo "$RAYMOND_AGENT_ID voted" >>log.txt\necho "<result>voted</result>"\n',
      'WAIT.sh': 'echo \'<await next="TALLY"/>\'\n',
      'TALLY.sh': 'echo "<result>$(cat vote-*.md log.txt)</result>"\n',
    },
  ],
  [
    'a file that a called state writes in another directory, by its path from here',
    {
      'START.sh': 'mkdir -p checkout\necho \'<call return="TAG">PREPARE</call>\'\n',
      'PREPARE.sh': 'echo \'<reset cd="checkout">BUMP</reset>\'\n',
      'BUMP.sh': 'echo 2 >VERSION\necho "<result>2</result>"\n',
      'TAG.sh': 'set -e\nversion=$(cat checkout/VERSION)\necho "<result>$version</result>"\n',
    },
  ],
  [
    'a script that calls itself at most five times, and one that goes down a tree',
    {
      'START.sh': 'echo \'<call return="TREE" n="1">POLL</call>\'\n',
      'POLL.sh': lines(
        'if [ -e ready ] || [ "$n" -ge 5 ]; then',
        '  echo "<result>$n</result>"',
        'else',
        '  sleep 60',
        '  echo "<call return=\\"BACK\\" n=\\"$((n + 1))\\">POLL</call>"',
        'fi',
      ),
      'BACK.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      'TREE.sh': 'echo \'<function return="END" input="a topic">SPLIT</function>\'\n',
      'SPLIT.md': lines(
        'Explain {{input}} in notes.md. If it has a part that needs its own section, repeat this until none is left: end with',
        '<function return="BACK" input="the part">SPLIT</function>, otherwise with <result>done</result>.',
      ),
      ...END,
    },
  ],
  [
    'folders of forked agents that the project has, with files of the same script elsewhere',
    {
      'START.sh':
        'while read -r module; do\n  mkdir -p "reports/$module"\n  echo "$module" >"reports/$module/title.txt"\n  echo "<fork cd=\\"modules/$module\\" next=\\"WAIT\\">LOOK</fork>"\ndone <modules.txt\n',
      'LOOK.md': 'Read package.json and end with <result>what it is</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      'END.sh': 'echo "<result>x</result>"\n',
    },
  ],
  [
    'files of forked agents that a later state lists, beside one that may be there',
    {
      'START.sh':
        'for region in north south; do\n  mkdir -p "maps/$region"\n  echo "<fork cd=\\"maps/$region\\" region=\\"$region\\" next=\\"WAIT\\">DRAW</fork>"\ndone\n',
      'DRAW.md': 'Draw the rivers of {{region}} and write the map to map.svg. End with <result>drawn</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      'END.py': lines(
        'import glob, os',
        'print(f\'<result>{len(glob.glob("maps/*/*.svg"))} {os.path.exists("maps/north/coast.svg")}</result>\')',
      ),
    },
  ],
];
