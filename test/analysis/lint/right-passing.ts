// Packages that are near to the mistakes in mistakes-passing.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_PASSING: readonly (readonly [what: string, files: Files])[] = [
  [
    'a prompt after a script that refers to the conversation, and one that gets the output',
    {
      'START.md': 'Name three errors. <goto>CHECK</goto>',
      'CHECK.sh': lines("echo '<goto>FIX</goto>'"),
      'FIX.md': 'Correct the errors listed above. <goto>LIST</goto>',
      'LIST.sh': 'echo "<reset input=\\"$(ls | wc -l)\\">COUNT</reset>"\n',
      'COUNT.md': 'There are {{input}} files.\n\nIs the number above high? <result>yes or no</result>',
    },
  ],
  [
    'a file by @ beside a value without an @',
    {
      'START.sh': 'echo "<goto input=\\"$(ls | wc -l)\\" contact=\\"a@b.org\\">WRITE</goto>"\n',
      'WRITE.md': 'Keep to @{{state_dir}}/style.txt and say {{input}}. <goto>SEND</goto>',
      'SEND.md': 'Write to the press in the tone of the text. <result>the mail</result>',
      'style.txt': 'Be short.\n',
    },
  ],
  [
    'a marker by the id of the turn in two states, and the id in a text',
    {
      'START.sh': lines(
        'mark=$RAYMOND_TASK_FOLDER/$RAYMOND_TURN_ID.txt',
        '[ -e "$mark" ] || ls >&2',
        'touch "$mark"',
        "echo '<goto>NEXT</goto>'",
      ),
      'NEXT.sh': lines(
        'mark=$RAYMOND_TASK_FOLDER/$RAYMOND_TURN_ID.txt',
        '[ -e "$mark" ] || ls >&2',
        'touch "$mark"',
        'echo "<result>attempt ${RAYMOND_ATTEMPT%%-*}</result>"',
      ),
    },
  ],
  [
    'a forked agent in the directory of the agent that forks it, and one that gets an absolute path',
    {
      'START.sh': lines('mkdir -p work/a', `echo '<reset cd="work">SPLIT</reset>'`),
      'SPLIT.sh': lines('date >"a/STAMP"', 'echo "<fork folder=\\"a\\" next=\\"WAIT\\" cd=\\"$PWD\\">CHECK</fork>"'),
      'CHECK.sh': 'echo "<result>$(cat "$folder/STAMP")</result>"\n',
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
  ],
  [
    'an input of the only entry, and one that the text shows',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: NEXT, input: friendly }', 'Read the mail.'),
      'NEXT.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: REPLY, input: "{{input}}" }\n  - { tag: goto, target: END }',
        'The tone is {{input}}. Answer by <goto input="the tone">REPLY</goto> or <goto>END</goto>.',
      ),
      'REPLY.md': 'The tone is {{input}}. <result>the answer</result>',
      ...END,
    },
  ],
  [
    'a variable from outside, beside one that the manifest sets for another program',
    {
      'workflow.yaml': "id: p\nname: P\nenvironment:\n  JAVA_HOME: '/opt/java'\n  PRICE_FILE: 'prices.csv'\n",
      'START.sh':
        'set -eu\n. "$RAYMOND_STATE_DIR/set.env"\nls "$HOME" "$PRICES"\n./gradlew build\necho "<result>built</result>"\n',
      'set.env': 'PRICES=a.csv\n',
    },
  ],
  [
    'an input that the text asks for outside of its tags',
    {
      'START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">CHECK</goto>"\n',
      'CHECK.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: REPAIR }\n  - { tag: goto, target: CLOSE }',
        'Check {{input}}. Then <goto input="{{input}}">REPAIR</goto>, or <goto>CLOSE</goto> with the same input.',
      ),
      'REPAIR.md': 'Repair {{input}}. End with <result>repaired</result>\n',
      'CLOSE.sh': 'set -u\necho "<result>$RAYMOND_INPUT is closed</result>"\n',
    },
  ],
  [
    'a variable from outside, beside one of the manifest that only another program reads',
    {
      'workflow.yaml': "id: p\nname: P\nenvironment:\n  DATABASE_URL: 'postgres://localhost/test'\n",
      'START.sh': 'set -eu\nnpm test >&2\ncurl -fsS "$SERVICE_URL"\necho "<result>tested</result>"\n',
    },
  ],
  [
    'a workflow that a script writes under a name of its own',
    {
      'START.sh': lines(
        'name=gen; mkdir -p "../$name"',
        `echo "echo '<result>ok</result>'" >"../$name/START.sh"`,
        `echo '<call-workflow return="END">../gen/</call-workflow>'`,
      ),
      ...END,
    },
  ],
  [
    'called workflows whose first state has a default, or needs its input only in one case',
    {
      'START.sh': `echo '<function-workflow return="NEXT">../count/</function-workflow>'\n`,
      'NEXT.sh': `echo '<function-workflow return="END">../find/</function-workflow>'\n`,
      '../count/START.py': lines(
        'import os',
        'def main():',
        '    name = os.environ.get("RAYMOND_INPUT") or "a"',
        '    print(f"<result>{len(name)}</result>")',
        'main()',
      ),
      '../find/START.sh': lines(
        'set -eu',
        'if [ -e all ]; then name=all; else name=$RAYMOND_INPUT; fi',
        'echo "<result>$name</result>"',
      ),
      ...END,
    },
  ],
  [
    'a field that one of the results lacks, read after a test or with a default',
    {
      'START.sh': `echo '<call-workflow return="SHOW">../archive/</call-workflow>'\n`,
      'SHOW.sh': lines(
        'set -eu',
        'if [ "$RAYMOND_RESULT_title" = a ]; then echo "$RAYMOND_RESULT_pages" >&2; fi',
        `echo '<call-workflow return="TELL">../archive/</call-workflow>'`,
      ),
      'TELL.py': lines(
        'import json, os',
        'found = json.loads(os.environ["RAYMOND_RESULT"])',
        'print(f"<result>{found.get(\'pages\', 0)}</result>")',
      ),
      '../archive/START.sh': `if [ -e a ]; then echo '<result>{"title": "a", "pages": 7}</result>'; else echo '<goto>ASK</goto>'; fi\n`,
      '../archive/ASK.sh': `echo '<result>{"title": "b", "sheets": 7}</result>'\n`,
    },
  ],
  [
    'a called workflow that begins again, and one that goes back with an input that is read',
    {
      'START.sh': `echo '<call-workflow return="ANSWER">./faq/</call-workflow>'\n`,
      'ANSWER.sh': `echo '<call-workflow return="TELL">./poll/</call-workflow>'\n`,
      'TELL.md': 'Tell the customer: {{input}}. <result>the mail</result>\n',
      'faq/START.sh': `if [ -e faq ]; then echo '<result>x</result>'; else echo '<reset-workflow>../START</reset-workflow>'; fi\n`,
      'poll/START.sh': `if [ -e x ]; then echo "<result>$(cat x)</result>"; else echo '<reset-workflow input="none">../TELL</reset-workflow>'; fi\n`,
    },
  ],
  [
    'an attribute of a package without an entry point, whose states other packages name',
    {
      'MEASURE.py': 'print(\'<goto level="3">JUDGE</goto>\')\n',
      'JUDGE.py':
        'import os\n\nprint("<result>loud</result>" if float(os.environ["level"]) > 2 else "<result>fine</result>")\n',
    },
  ],
];
