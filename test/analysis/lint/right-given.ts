// Packages that are near to the mistakes in mistakes-given.ts, but run well.
import { END, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_GIVEN: readonly (readonly [what: string, files: Files])[] = [
  [
    'a value that comes in one of two ways',
    {
      'START.sh':
        'if [ -e a ]; then echo \'<function return="USE">WORK</function>\'; else echo \'<goto input="x">USE</goto>\'; fi\n',
      'USE.sh': 'text=${RAYMOND_RESULT:-$RAYMOND_INPUT}\necho "<result>$text</result>"\n',
      'WORK.sh': 'echo "<result>$(date +%s)</result>"\n',
    },
  ],
  [
    'an input and a result in two states',
    {
      'START.sh': 'echo \'<function return="USE" input="rain">WORK</function>\'\n',
      'USE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nShorten {{result}}. <result>the short text</result>\n',
      'WORK.md': '---\nallowed_transitions: [{ tag: result }]\n---\nWrite about {{input}}: <result>the text</result>\n',
    },
  ],
  [
    'the status of a call',
    {
      'START.sh': 'echo \'<function return="USE">WORK</function>\'\n',
      'USE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nThe status of the last step is {{result}}. Read notes.md and sum it up: <result>the summary</result>\n',
      'WORK.md':
        '---\nallowed_transitions: [{ tag: result, payload: done }]\n---\nWrite notes.md. Then <result>done</result>\n',
    },
  ],
  [
    'a verdict in a file',
    {
      'START.sh': 'echo \'<function return="USE">WORK</function>\'\n',
      'USE.sh': "set -e\nprintf '%s\\n' \"$RAYMOND_RESULT\" >verdict.txt\necho '<result>x</result>'\n",
      'WORK.md':
        '---\nallowed_transitions: [{ tag: result, payload: done }, { tag: result, payload: failed }]\n---\nWrite notes.md. Then <result>done</result>, or <result>failed</result>\n',
    },
  ],
  [
    'an answer that is a title',
    {
      'START.sh': 'echo \'<ask next="WRITE">What is the title of the article?</ask>\'\n',
      'WRITE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nWrite an article with this title: {{input}}\n\n<result>the article</result>\n',
    },
  ],
  [
    'an answer that is compared',
    {
      'START.sh': 'echo \'<ask next="PUBLISH" choices="yes,no">Shall I publish the article?</ask>\'\n',
      'PUBLISH.sh':
        "set -e\nanswer=$(tr '[:upper:]' '[:lower:]' <<<\"$RAYMOND_INPUT\")\nif [ \"$answer\" = yes ]; then printf '%s\\n' \"$RAYMOND_INPUT\" >article-answer.txt; fi\necho '<result>x</result>'\n",
    },
  ],
  [
    'an answer that is the name of a file',
    {
      'START.sh': 'echo \'<ask next="OPEN" choices="plan.md,notes.md">Is it the plan or the notes?</ask>\'\n',
      'OPEN.sh':
        'set -e\nlines=$(wc -l <"$RAYMOND_INPUT")\ncp "$RAYMOND_INPUT" chosen.md\necho "<result>$lines</result>"\n',
    },
  ],
  [
    'an answer in a file',
    {
      'START.sh': 'echo \'<ask next="DO" upload_slots="report:text/plain">Your report, please.</ask>\'\n',
      'DO.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nRead the answer of the person in {{task_folder}}/asks/{{ask_id}}/report. <result>a summary</result>\n',
    },
  ],
  [
    'a result that is also in a file',
    {
      'START.sh': 'echo \'<function return="FIX">REVIEW</function>\'\n',
      'FIX.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nFix the problems in problems.md. <result>what you changed</result>\n',
      'REVIEW.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nReview main.c and write the problems into problems.md. Reply with <result>the problems</result>\n',
    },
  ],
  [
    'an answer that nothing needs',
    {
      'START.sh': 'echo \'<ask next="DO">Shall I begin?</ask>\'\n',
      'DO.md': '---\nallowed_transitions: [{ tag: result }]\n---\nWrite a poem. <result>the poem</result>\n',
    },
  ],
  [
    'twenty calls within each other',
    {
      'START.sh': 'echo \'<function return="END" n="1">WORK</function>\'\n',
      ...END,
      'UP.sh': "echo '<result>all</result>'\n",
      'WORK.sh':
        'set -e\nif [ "$n" -ge 20 ]; then echo \'<result>all</result>\'; exit; fi\necho "<function return=\\"UP\\" n=\\"$((n + 1))\\">WORK</function>"\n',
    },
  ],
  [
    'a thousand calls that return',
    {
      'START.sh': 'echo \'<goto n="1">WORK</goto>\'\n',
      'NEXT.sh': 'echo "<goto n=\\"$RAYMOND_RESULT\\">WORK</goto>"\n',
      'STEP.sh': 'echo "<result>$((n + 1))</result>"\n',
      'WORK.sh':
        'set -e\nif [ "$n" -ge 1000 ]; then echo \'<result>all</result>\'; exit; fi\necho "<function return=\\"NEXT\\" n=\\"$n\\">STEP</function>"\n',
    },
  ],
  [
    'other agents after a timeout',
    {
      'START.sh': 'echo \'<fork next="WAIT" item="a">WORK</fork>\'\n',
      'LATE.sh': 'echo \'<fork next="WAIT2" item="a">QUICK</fork>\'\n',
      'QUICK.sh': 'echo "<result>$item</result>"\n',
      'SUM.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM" timeout="1h" timeout_next="LATE"/>\'\n',
      'WAIT2.sh': 'echo \'<await next="SUM"/>\'\n',
      'WORK.sh': 'echo "<result>$item</result>"\n',
    },
  ],
  [
    'agents that are forked every hour',
    {
      'START.sh': "echo '<goto>TICK</goto>'\n",
      'REST.sh': "if [ -e stop ]; then echo '<result>x</result>'; else echo '<reset delay=\"1h\">TICK</reset>'; fi\n",
      'TICK.sh': 'echo \'<fork next="WAIT" item="a">WORK</fork>\'\n',
      'WAIT.sh': 'echo \'<await next="REST" timeout="1h" timeout_next="REST"/>\'\n',
      'WORK.sh': 'echo "<result>$item</result>"\n',
    },
  ],
  [
    'a state that calls another one for each file, and gets the result itself',
    {
      'START.sh':
        'file=$(ls inbox | head -n 1)\nif [ -z "$file" ]; then echo "<result>empty</result>"; else echo "<call return=\\"START\\" file=\\"$file\\">SEND</call>"; fi\n',
      'SEND.sh': 'mv "inbox/$file" sent/\necho "<result>sent</result>"\n',
    },
  ],
  [
    'a script that calls itself with another value',
    {
      'START.sh': 'echo "<call return=\\"END\\" unit=\\"$RAYMOND_INPUT\\">OWNER</call>"\n',
      'OWNER.sh':
        'owner=$(grep "^$unit:" owners.txt | cut -d : -f 2)\nif [ -n "$owner" ] || [ "$unit" = all ]; then echo "<result>$owner</result>"; else echo "<call return=\\"END\\" unit=\\"all\\">OWNER</call>"; fi\n',
      'END.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
];
