// Packages that are near to the mistakes in mistakes-left.ts, but run well.
import { lines, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_LEFT: readonly (readonly [what: string, files: Files])[] = [
  [
    'a YAML package that names its own states, writes a file beside them, and looks for one',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    sh: |',
        '      set -eu',
        '      here=$RAYMOND_STATE_DIR',
        '      date >"$here/now.txt"',
        '      cat "$here/now.txt" >&2',
        '      if [ -f "$here/extra.sh" ]; then . "$here/extra.sh"; fi',
        '      bash -n "$here/NEXT.sh"',
        '      echo "the states are in $here/states" >&2',
        '      echo "<goto>NEXT</goto>"',
        '  NEXT:',
        '    sh: |',
        '      . ./settings.sh',
        '      echo "<result>$(dirname "$0")</result>"',
      ),
    },
  ],
  [
    'a file beside the states of a folder',
    {
      'START.sh': lines('set -eu', 'cat "$RAYMOND_STATE_DIR/text.txt" >&2', "echo '<result>shown</result>'"),
      'text.txt': 'text\n',
    },
  ],
  [
    'a default for an attribute that only one of two tags passes, and for a variable that the script sets',
    {
      'START.sh': lines(
        'set -eu',
        'if [ -e urgent ]; then echo "<goto speed=\\"fast\\">RUN</goto>"; else echo "<goto>RUN</goto>"; fi',
      ),
      'RUN.sh': lines('set -eu', 'echo "<function return=\\"END\\" name=\\"${speed:-slow}\\">WORK</function>"'),
      'WORK.sh': 'echo "<result>$name</result>"\n',
      'END.sh': lines('set -eu', 'name=$(date)', 'echo "<result>${name:-none} $RAYMOND_RESULT</result>"'),
    },
  ],
  [
    'fields that are read as they are written, and those of another file',
    {
      'START.sh': `echo '<function return="TELL">TRACK</function>'\n`,
      'TRACK.js': 'console.log(`<result>${JSON.stringify({ place: "Bonn", items: [1, 2] })}</result>`);\n',
      'TELL.py': lines(
        'import json',
        'import os',
        'data = json.loads(os.environ["RAYMOND_RESULT"])',
        'config = json.load(open("config.json"))',
        "print(f\"<result>{data['place']}: {len(data['items'])} of {config['item']}</result>\")",
      ),
    },
  ],
  [
    'a refusal that the next script tests, passes on, or only reports',
    {
      'START.sh': `echo '<function return="PUBLISH">SCAN</function>'\n`,
      'SCAN.sh': 'if [ -e bad ]; then echo "<result>rejected</result>"; else echo "<result>ok</result>"; fi\n',
      'PUBLISH.sh': lines(
        'set -eu',
        'answer=$RAYMOND_RESULT',
        'case $answer in ok) rsync -a site/ /srv/www/ >&2 ;; *) rm -rf site ;; esac',
        'echo "<function return=\\"MAIL\\">SCAN</function>"',
      ),
      'MAIL.py': lines(
        'import os',
        'with open("mails.txt", "a") as mails:',
        '    mails.write("one more")',
        'print(f"<goto input=\\"{os.environ[\'RAYMOND_RESULT\']}\\">LAST</goto>")',
      ),
      'LAST.sh': lines(
        'if [ "$RAYMOND_INPUT" = ok ]; then echo "<function return=\\"END\\">SCAN</function>"; exit; fi',
        'echo "<result>no</result>"',
      ),
      'END.sh': 'echo "<result>the scan says: $RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'a refusal whose reasons are in a file that the next script reads',
    {
      'START.sh': `echo '<function return="SEND">CHECK</function>'\n`,
      'CHECK.sh': lines(
        'set -eu',
        'grep -n TODO letter.txt >todo.txt || true',
        'if [ -s todo.txt ]; then echo "<result>incomplete</result>"; else echo "<result>ready</result>"; fi',
      ),
      'SEND.sh': lines(
        'set -eu',
        'if [ -s todo.txt ]; then echo "<result>$(head -n 1 todo.txt)</result>"; exit; fi',
        'mail -s letter a@example.org <letter.txt >&2',
        "echo '<result>sent</result>'",
      ),
    },
  ],
  [
    'forked agents that wait for the agents that they fork',
    {
      'START.sh': `for r in north south; do echo "<fork region=\\"$r\\" next=\\"WAIT\\">REGION</fork>"; done\n`,
      'REGION.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" region=\\"$region\\" next=\\"JOIN\\">AUDIT</fork>"; done\n',
      'AUDIT.sh': 'echo "<result>$region $n</result>"\n',
      'JOIN.sh': `echo '<await next="PART"/>'\n`,
      'PART.sh': 'echo "<result>$(jq length <<<"$RAYMOND_INPUT")</result>"\n',
      'WAIT.sh': `echo '<await next="SUM"/>'\n`,
      'SUM.sh': `echo "<result>$(jq '[.[].result | tonumber] | add' <<<"$RAYMOND_INPUT")</result>"\n`,
    },
  ],
  [
    'a called state that forks agents for which its caller waits, and a forked agent that forks one more',
    {
      'START.sh': `echo '<function return="WAIT">SPLIT</function>'\n`,
      'SPLIT.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"SAID\\">WORK</fork>"; done\n',
      'WORK.sh': 'echo "<fork n=\\"$n\\" next=\\"SAID\\">NOTE</fork>"\n',
      'NOTE.sh': 'echo "$n" >>notes.txt; echo "<result>noted</result>"\n',
      'SAID.sh': "echo '<result>2 agents</result>'\n",
      'WAIT.sh': `echo '<await next="SUM"/>'\n`,
      'SUM.sh': `echo "<result>$(jq length <<<"$RAYMOND_INPUT")</result>"\n`,
    },
  ],
  [
    'folded scripts of one command, with empty lines between commands, and with statements that end with a sign',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    sh: >',
        '      find . -name "*.md"',
        '      -newer list.txt',
        '      >list.new || true',
        '',
        '      echo "<goto>NEXT</goto>"',
        '  NEXT:',
        '    js: >',
        "      const { length } = 'abc';",
        '      const twice = 2 *',
        '      length;',
        '      console.log(`<goto n="${twice}">LAST</goto>`);',
        '  LAST:',
        '    prompt: >',
        '      Say the number {{n}}.',
        '      End with <result>the number</result>',
      ),
    },
  ],
  [
    'settings that a prompt only shows, and lines that only look like settings',
    {
      'START.sh': 'cat >compose.txt <<END\ntimeout: 30\nretries: 2\nEND\necho "<goto>SORT</goto>"\n',
      'SORT.md':
        'Write shop.md:\n\n```\nmodel: haiku\n```\n\nmodel: the name on the box\n\nEnd with <goto>END</goto>\n',
      'END.sh': 'echo "<result>done</result>"\n',
    },
  ],
  [
    'a backend without options in the manifest',
    {
      'workflow.yaml': 'id: flow\nbackend: pi\n',
      'START.md': '---\nbackend: claude\nmodel: haiku\n---\nName a bird. End with <result>the bird</result>\n',
    },
  ],
  [
    'a called workflow whose directory applies to its own runs only, and that reads a file of the caller',
    {
      'START.sh': 'date >now.txt\necho \'<call-workflow return="END">../words/</call-workflow>\'\n',
      '../words/workflow.yaml': 'id: words\nworking_directory: .\n',
      '../words/START.sh': 'echo "<result>$(wc -l <now.txt)</result>"\n',
      'END.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'a called state with a new task folder, and a file of the caller with the same name',
    {
      'START.sh': 'date >"$RAYMOND_TASK_FOLDER/box.txt"\necho \'<function return="SHIP">COLLECT</function>\'\n',
      'COLLECT.sh': 'echo \'<reset task="new">PACK</reset>\'\n',
      'PACK.sh':
        'date >"$RAYMOND_TASK_FOLDER/box.txt"\necho "<result>$(cat "$RAYMOND_TASK_FOLDER/box.txt")</result>"\n',
      'SHIP.sh': 'cat "$RAYMOND_TASK_FOLDER/box.txt" || exit 1\necho "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'readers of the standard input that get one',
    {
      'START.sh': lines(
        'names=$(printf "%s\\n" b a | python3 "$RAYMOND_STATE_DIR/sorted.py")',
        'while read -r name; do names="$names $name"; done </etc/hostname',
        'echo "<goto input=\\"$names\\">SHOW</goto>"',
      ),
      'sorted.py': 'import sys\nprint(" ".join(sorted(sys.stdin.read().split())))\n',
      'SHOW.py': lines(
        'import os, sys',
        'text = os.environ.get("RAYMOND_INPUT") or sys.stdin.read()',
        'print(f"<result>{len(text)}</result>")',
      ),
    },
  ],
];
