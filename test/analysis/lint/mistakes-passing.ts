// Planted mistakes about what a state expects of others: output, values, files and directories that do not reach it.
import { END, lines, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const PASSING_MISTAKES: readonly Fault[] = [
  [
    'output of a script above, with a count that is passed',
    {
      'START.sh': lines('make 2>&1 || true', 'echo "<goto errors=\\"$(wc -l <log)\\">FIX</goto>"'),
      'FIX.md': 'The check has printed the errors of {{errors}} files above. Correct them. <result>the files</result>',
    },
    ['unseen-output FIX.md:1:5'],
  ],
  [
    'output of a command above, in a conversation',
    {
      'START.md': 'Do the task. <goto>TEST</goto>',
      'TEST.sh': lines('make test >&2', "echo '<goto>FIX</goto>'"),
      'FIX.md': 'It has failed. From the output of `make test`\nabove, find out why. <result>the test</result>',
    },
    ['unseen-output FIX.md:1:25'],
  ],
  [
    'anything above where there is no conversation',
    {
      'START.sh': lines('ls', "echo '<goto>SORT</goto>'"),
      'SORT.md': 'Sort the files listed above by their age. <result>the list</result>',
    },
    ['unseen-output SORT.md:1:16'],
  ],
  [
    'a file by @ beside an address',
    {
      'START.sh': `echo '<goto contact="press@example.org">WRITE</goto>'\n`,
      'WRITE.md': 'Keep to @{{state_dir}}/style.txt and name {{contact}}. <result>the article</result>',
      'style.txt': 'Be short.\n',
    },
    ['file-not-read WRITE.md:1:9'],
  ],
  [
    'a file by @ beside a value that was checked for an @',
    {
      'START.py': lines(
        'import os, re, sys',
        'address = os.environ["RAYMOND_INPUT"]',
        'if not re.fullmatch(r"[^@ ]+@[^@ ]+", address):',
        '    print("<result>no address</result>")',
        '    sys.exit()',
        `print(f'<goto input="{address}">REPLY</goto>')`,
      ),
      'REPLY.md': 'Keep to @{{state_dir}}/tone.txt and answer {{input}}. <result>the answer</result>',
      'tone.txt': 'Be kind.\n',
    },
    ['file-not-read REPLY.md:1:9'],
  ],
  [
    'the environment of a called package in arithmetic of bash',
    {
      'START.sh': `echo '<function-workflow return="END" input="3">../sum/</function-workflow>'\n`,
      '../sum/workflow.yaml': 'id: sum\nenvironment: { FACTOR: "2" }\n',
      '../sum/START.sh': 'echo "<result>$((RAYMOND_INPUT * FACTOR))</result>"\n',
      ...END,
    },
    ['lost-environment sum/START.sh:1:34'],
  ],
  [
    'a field of an agent, of a list that no variable holds',
    {
      'START.sh': `echo '<fork next="WAIT" item="tea">WORK</fork>'\n`,
      'WORK.sh': 'echo "<result>$item</result>"\n',
      'WAIT.sh': `echo '<await next="JOIN"/>'\n`,
      'JOIN.py': lines(
        'import json, os',
        'for one in json.loads(os.environ["RAYMOND_INPUT"]):',
        '    name = one["item"]',
        'print(f"<result>{name}</result>")',
      ),
    },
    ['misread-agents JOIN.py:3:17'],
  ],
  [
    'a file by the id of another turn',
    {
      'START.sh': lines('list=$RAYMOND_TASK_FOLDER/$RAYMOND_TURN_ID.txt', 'ls >"$list"', "echo '<goto>COUNT</goto>'"),
      'COUNT.sh': lines('list=$RAYMOND_TASK_FOLDER/$RAYMOND_TURN_ID.txt', 'echo "<result>$(wc -l <"$list")</result>"'),
    },
    ['name-of-other-process COUNT.sh:1:1'],
  ],
  [
    'a file by the id of another turn, in Python',
    {
      'START.py': lines(
        'import os',
        'from pathlib import Path',
        `list = Path(os.environ["RAYMOND_TASK_FOLDER"]) / f"{os.environ['RAYMOND_TURN_ID']}.json"`,
        'list.write_text("{}")',
        'print("<goto>COUNT</goto>")',
      ),
      'COUNT.py': lines(
        'import os',
        'from pathlib import Path',
        `list = Path(os.environ["RAYMOND_TASK_FOLDER"]) / f"{os.environ['RAYMOND_TURN_ID']}.json"`,
        'text = list.read_text()',
        'print(f"<result>{text}</result>")',
      ),
    },
    ['name-of-other-process COUNT.py:3:1'],
  ],
  [
    'the id of the attempt as a number',
    {
      'START.sh': lines(
        'if [ "$RAYMOND_ATTEMPT" -ge 3 ]; then',
        "  echo '<result>late</result>'",
        'else',
        `  echo '<reset delay="1m">START</reset>'`,
        'fi',
      ),
    },
    ['id-as-number START.sh:1:4'],
  ],
  [
    'the id of the turn as a number, in Node.js',
    { 'START.js': 'const turn = process.env.RAYMOND_TURN_ID;\nconsole.log(`<result>${Number(turn) + 1}</result>`);\n' },
    ['id-as-number START.js:2:24'],
  ],
  [
    'a folder of another directory, passed to a forked agent',
    {
      'START.sh': lines('mkdir -p work/a', `echo '<reset cd="work">SPLIT</reset>'`),
      'SPLIT.sh': lines(
        'for folder in a b; do',
        '  date >"$folder/STAMP"',
        '  echo "<fork folder=\\"$folder\\" next=\\"WAIT\\">CHECK</fork>"',
        'done',
      ),
      'CHECK.sh': 'echo "<result>$(cat "$folder/STAMP")</result>"\n',
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
    ['fork-without-cd SPLIT.sh:3:9'],
  ],
  [
    'a folder of another directory, named by both states',
    {
      'START.sh': lines('mkdir -p site/drafts', `echo '<reset cd="site">SPLIT</reset>'`),
      'SPLIT.sh': lines(
        'for page in a b; do',
        '  date >"drafts/$page.md"',
        '  echo "<fork page=\\"$page\\" next=\\"WAIT\\">RENDER</fork>"',
        'done',
      ),
      'RENDER.py': lines(
        'import os',
        'page = os.environ["page"]',
        'with open(f"drafts/{page}.md", encoding="utf-8") as file:',
        '    text = file.read()',
        'print(f"<result>{len(text)}</result>")',
      ),
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      ...END,
    },
    ['file-in-other-directory RENDER.py:3:11', 'fork-without-cd SPLIT.sh:3:9'],
  ],
  [
    'an input of one of two entries',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: REPLY, input: friendly }\n  - { tag: goto, target: END }',
        'Answer by <goto>REPLY</goto> or <goto>END</goto>.',
      ),
      'REPLY.md': 'The tone is {{input}}. <result>the answer</result>',
      ...END,
    },
    ['unfilled-attribute START.md:3:7'],
  ],
  [
    'a tag without the input that only its state knows',
    {
      'START.sh': 'echo "<goto>CHECK</goto>"\n',
      'CHECK.py':
        'import os\nbad = [name for name in os.listdir("in") if " " in name]\nif bad:\n    print("<goto>RENAME</goto>")\nelse:\n    print("<result>fine</result>")\n',
      'RENAME.md': 'Rename these files in in/: {{input}}\n\nList {{input}} again. End with <result>renamed</result>\n',
    },
    ['unbound-variable CHECK.py:4:12'],
  ],
  [
    'a value that the state before has and does not pass on',
    {
      'START.sh': 'echo "<goto>NOTE</goto>"\n',
      'NOTE.sh': 'printf %s "${RAYMOND_INPUT:-}" >>note.txt\necho "<goto>SHOW</goto>"\n',
      'SHOW.sh': 'set -u\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unbound-variable SHOW.sh:2:15'],
  ],
  [
    'a variable for which the manifest sets another name',
    {
      'workflow.yaml': "id: p\nname: P\nenvironment:\n  PRICE_FILE: 'prices.csv'\n",
      'START.py': 'import os\nprint(f"<result>{len(open(os.environ[\'PRICES\']).read())}</result>")\n',
    },
    ['unbound-variable START.py:2:39'],
  ],
  [
    'an input that only the tag to another state passes on',
    {
      'START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">CHECK</goto>"\n',
      'CHECK.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: REPAIR }\n  - { tag: goto, target: CLOSE }',
        'Check {{input}}. If it is broken, <goto input="{{input}}">REPAIR</goto>, otherwise <goto>CLOSE</goto>',
      ),
      'REPAIR.md': 'Repair {{input}}. End with <result>repaired</result>\n',
      'CLOSE.sh': 'set -u\necho "<result>$RAYMOND_INPUT is closed</result>"\n',
    },
    ['unbound-variable CLOSE.sh:2:15'],
  ],
  [
    'a number that the manifest sets under another name, and that nothing else may set',
    {
      'workflow.yaml': "id: p\nname: P\nenvironment:\n  MAX_ROWS: '500'\n",
      'START.js': 'const limit = Number(process.env.IMPORT_CEILING);\nconsole.log(`<result>${limit}</result>`);\n',
    },
    ['unbound-variable START.js:1:34'],
  ],
  [
    'a called workflow without the input that its first state reads in main, or has in its prompt',
    {
      'START.sh': `echo '<function-workflow return="NEXT">../count/</function-workflow>'\n`,
      'NEXT.sh': `echo '<fork-workflow next="WAIT">../letter/</fork-workflow>'\n`,
      'WAIT.sh': `echo '<await next="END"/>'\n`,
      '../count/START.py': lines(
        'import os',
        'def main():',
        '    name = os.environ["RAYMOND_INPUT"]',
        '    print(f"<result>{len(name)}</result>")',
        'main()',
      ),
      '../letter/START.md': 'Write a letter about {{input}}. <result>the letter</result>\n',
      ...END,
    },
    ['value-not-repeated NEXT.sh:1:7', 'value-not-repeated START.sh:1:7'],
  ],
  [
    'a field that one of the results of a called workflow lacks, as a variable and in parsed JSON',
    {
      'START.sh': `echo '<call-workflow return="SHOW">../archive/</call-workflow>'\n`,
      'SHOW.sh': lines(
        'set -eu',
        'echo "$RAYMOND_RESULT_pages" >&2',
        `echo '<call-workflow return="TELL">../archive/</call-workflow>'`,
      ),
      'TELL.py': lines(
        'import json, os',
        'found = json.loads(os.environ["RAYMOND_RESULT"])',
        'print(f"<result>{found[\'pages\']}</result>")',
      ),
      '../archive/START.sh': `if [ -e a ]; then echo '<result>{"title": "a", "pages": 7}</result>'; else echo '<goto>ASK</goto>'; fi\n`,
      '../archive/ASK.sh': `echo '<result>{"title": "b", "sheets": 7}</result>'\n`,
    },
    ['optional-field SHOW.sh:2:8', 'optional-field TELL.py:3:24'],
  ],
  [
    'a called workflow that goes back to the caller by a reset, so there is no result',
    {
      'START.sh': `echo '<call-workflow return="ANSWER">./faq/</call-workflow>'\n`,
      'ANSWER.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      'faq/START.sh': `if [ -e faq ]; then cat faq; else echo '<reset-workflow input="none">../ANSWER</reset-workflow>'; fi\n`,
    },
    ['call-left-by-reset faq/START.sh:1:70'],
  ],
  [
    'a program that parses the results of a call, of which one is a plain text',
    {
      'START.sh': `echo '<call return="BOOK">TRY</call>'\n`,
      'TRY.sh': 'if [ -e a ]; then echo "<result>{\\"n\\": 3}</result>"; else echo "<goto>NONE</goto>"; fi\n',
      'NONE.sh': 'echo "<result>nothing to do</result>"\n',
      'BOOK.py': lines(
        'import json, os',
        'found = json.loads(os.environ["RAYMOND_RESULT"])',
        'n = found["n"]',
        'print(f"<result>{n}</result>")',
      ),
    },
    ['optional-field BOOK.py:2:9'],
  ],
];
