// Planted mistakes about what does not reach a state: files beside a YAML package, attributes of a call, fields under another spelling, a refusal
// that is not read, agents that nothing waits for, and lines of a script in YAML that are folded.
import { END, lines, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const LEFT_MISTAKES: readonly Fault[] = [
  [
    'a library of functions and a template beside a YAML package, in bash',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    sh: |',
        '      set -eu',
        '      . "$RAYMOND_STATE_DIR/lib/stock.sh"',
        '      low=$(low_articles stock.csv)',
        '      echo "<goto low=\\"$low\\">PAGE</goto>"',
        '  PAGE:',
        '    sh: |',
        '      set -eu',
        '      here=$(cd "$(dirname "$0")" && pwd)',
        '      template=$here/page.html',
        '      sed "s/@LOW@/$low/" "$template" >page.html',
        '      echo "<result>page.html</result>"',
      ),
    },
    ['file-beside-yaml flow.yaml:6:10', 'file-beside-yaml flow.yaml:13:16'],
  ],
  [
    'files beside a YAML package that programs and a prompt read',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    py: |',
        '      import json',
        '      from pathlib import Path',
        '      HERE = Path(__file__).resolve().parent',
        '      def load(name):',
        '          return json.loads((HERE / name).read_text())',
        '      words = load("words.json")',
        '      print(f"<goto n=\'{len(words)}\'>NEXT</goto>")',
        '  NEXT:',
        '    js: |',
        "      const { rates } = require('./lib/rates.js');",
        '      console.log(`<goto rate="${rates[process.env.n]}">SAY</goto>`);',
        '  SAY:',
        '    prompt: |',
        '      Follow {{state_dir}}/tone/rules.md and praise the rate {{rate}}. <result>the praise</result>',
      ),
    },
    ['file-beside-yaml flow.yaml:10:15', 'file-beside-yaml flow.yaml:14:25', 'file-beside-yaml flow.yaml:18:14'],
  ],
  [
    'an attribute of a called state that the state of the return reads with a default, in bash and in Python',
    {
      'START.sh': lines('set -eu', 'echo "<function return=\\"RANK\\" vendor=\\"$RAYMOND_INPUT\\">SCORE</function>"'),
      'SCORE.sh': 'echo "<result>${#vendor}</result>"\n',
      'RANK.sh': lines(
        'set -eu',
        'vendor=${vendor:-none}',
        'echo "$RAYMOND_RESULT" >"scores/$vendor.txt"',
        'echo "<function return=\\"LAST\\" place=\\"$RAYMOND_RESULT\\">SHOW</function>"',
      ),
      'SHOW.sh': 'echo "<result>$place</result>"\n',
      'LAST.py': lines(
        'import os',
        'env = os.environ',
        'place = env.get("place", "unknown")',
        'print(f"<result>{place}</result>")',
      ),
    },
    ['unbound-variable RANK.sh:2:8', 'unbound-variable LAST.py:3:18'],
  ],
  [
    'attributes of a forked agent and of a goto that are read later, in Node.js',
    {
      'START.sh': `echo '<goto city="Bonn">SEARCH</goto>'\n`,
      'SEARCH.sh': 'echo "<fork house=\\"$city\\" next=\\"SAVE\\">LOOK</fork>"\n',
      'LOOK.sh': 'echo "<result>$house</result>"\n',
      'SAVE.js': lines(
        "const { house = 'none' } = process.env;",
        "const city = process.env.city ?? 'none';",
        'console.log(`<result>${house} in ${city}</result>`);',
      ),
    },
    ['fork-never-awaited SEARCH.sh:1:43', 'unbound-variable SAVE.js:1:9', 'unbound-variable SAVE.js:2:26'],
  ],
  [
    'attributes under another spelling that have a default',
    {
      'START.sh': `echo '<goto pickUp="Bonn" meters="3">ORDER</goto>'\n`,
      'ORDER.sh': lines('set -eu', 'echo "<goto From=\\"${pick_up:-}\\">COUNT</goto>"'),
      'COUNT.ts': lines("const from: string = process.env.from ?? 'home';", 'console.log(`<result>${from}</result>`);'),
    },
    ['unbound-variable ORDER.sh:2:20', 'unbound-variable COUNT.ts:1:34'],
  ],
  [
    'fields of a result under another spelling, in Python, JavaScript and jq',
    {
      'START.sh': `echo '<function return="TELL">TRACK</function>'\n`,
      'TRACK.py': lines(
        'import json',
        'print("<result>" + json.dumps({"place": "Bonn", "deliveryDay": 3}) + "</result>")',
      ),
      'TELL.py': lines(
        'import json',
        'import os',
        'parcel = json.loads(os.environ["RAYMOND_RESULT"])',
        'def sentence(data):',
        "    return f\"{data['place']} on {data['delivery_day']}\"",
        "print(f\"<function return='LIST' text='{sentence(parcel)}'>WEIGH</function>\")",
      ),
      'WEIGH.md': prompt(
        'result: { schema: { type: object, required: [owner], properties: { owner: { type: string } } } }',
        'Who owns {{text}}?',
      ),
      'LIST.sh': lines('set -eu', 'owners=$(jq -r .Owner <<<"$RAYMOND_RESULT")', 'echo "<result>$owners</result>"'),
    },
    ['unknown-result-field TELL.py:5:40', 'unknown-result-field LIST.sh:2:17'],
  ],
  [
    'a refusal of a called script after which the next script publishes',
    {
      'START.sh': `echo '<function return="PUBLISH">SCAN</function>'\n`,
      'SCAN.sh': lines(
        'if grep -rl KEY site >&2; then',
        "  echo '<result>stopped: a page contains a key</result>'",
        'else',
        "  echo '<result>clean</result>'",
        'fi',
      ),
      'PUBLISH.sh': lines(
        'set -eu',
        'rsync --archive site/ /srv/www/ >&2',
        'echo "<result>published after the scan: $RAYMOND_RESULT</result>"',
      ),
    },
    ['ignored-refusal SCAN.sh:2:9'],
  ],
  [
    'a refusal of a called prompt that a program and a prompt do not see',
    {
      'START.md': 'Write news.md. End with <function return="SEND">LEGAL</function>',
      'LEGAL.md': 'May we send news.md? End with <result>approved</result> or <result>rejected</result>',
      'SEND.py': lines(
        'import subprocess',
        'subprocess.run(["./send", "news.md"], check=True, stdout=2)',
        'print(\'<function return="TOOT">COUNT</function>\')',
      ),
      'COUNT.sh': lines(
        'if [ "$(wc -m <post.txt)" -gt 280 ]; then echo "<result>too long</result>"; else echo "<result>ok</result>"; fi',
      ),
      'TOOT.md': 'Publish the text of post.txt. End with <result>its address</result>',
    },
    ['ignored-refusal LEGAL.md:1:60', 'ignored-refusal COUNT.sh:1:49'],
  ],
  [
    'a forked agent that forks agents and does not wait for them',
    {
      'START.sh': `for r in north south; do echo "<fork region=\\"$r\\" next=\\"WAIT\\">REGION</fork>"; done\n`,
      'REGION.sh': lines(
        'set -eu',
        'for file in "shops/$region"/*.csv; do echo "<fork file=\\"$file\\">AUDIT</fork>"; done',
        "echo '<goto>HOME</goto>'",
      ),
      'AUDIT.sh': 'echo "<result>$(wc -l <"$file")</result>"\n',
      'HOME.sh': "echo '<result>started</result>'\n",
      'WAIT.sh': `echo '<await next="SUM"/>'\n`,
      'SUM.sh': `echo "<result>$(jq '[.[].result | tonumber] | add' <<<"$RAYMOND_INPUT")</result>"\n`,
    },
    ['ends-before-agents REGION.sh:2:45'],
  ],
  [
    'a called state that forks agents and returns before they have ended',
    {
      'START.md': 'Choose a question. End with <function return="WRITE" input="the question">GATHER</function>',
      'GATHER.py': lines(
        'import os',
        'question = os.environ["RAYMOND_INPUT"]',
        'for paper in os.listdir("papers"):',
        '    print(f\'<fork paper="{paper}" next="ASKED">READ</fork>\')',
      ),
      'READ.md': 'What does papers/{{paper}} say? End with <result>the answer</result>',
      'ASKED.sh': 'echo "<result>$(ls papers | wc -l) papers were asked</result>"\n',
      'WRITE.md': 'What the papers say: {{result}}\nWrite an overview. <result>the overview</result>',
    },
    ['ends-before-agents GATHER.py:4:13', 'fork-never-awaited GATHER.py:4:48'],
  ],
  [
    'scripts in YAML whose lines are folded',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    sh: >',
        '      first=$(shuf -n 1 people.txt)',
        '      second=$(grep -vx "$first" people.txt | head -n 1)',
        `      echo "<goto first='$first' second='$second'>NEXT</goto>"`,
        '  NEXT:',
        '    js: >-',
        '      const names = [process.env.first, process.env.second]',
        '      console.log(`<goto names="${names.join()}">LAST</goto>`)',
        '  LAST:',
        '    sh:',
        '      echo "$names" >pair.txt',
        '      echo "<result>$names</result>"',
      ),
    },
    [
      'folded-script flow.yaml:4:5',
      'folded-script flow.yaml:9:5',
      'script-syntax flow.yaml:9:9',
      'folded-script flow.yaml:13:5',
      'script-without-tag flow.yaml:14:37',
    ],
  ],
  [
    'settings in the text of a prompt of a YAML package, and in a script',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    sh: |',
        '      retries: 2',
        '      date >plan.txt',
        '      echo "<goto>PLAN</goto>"',
        '  PLAN:',
        '    prompt: |',
        '      Complete plan.txt. Reply with <result>done</result>',
        '      allowed_transitions:',
        '        - { tag: result }',
      ),
    },
    ['frontmatter-ignored flow.yaml:5:7', 'frontmatter-ignored flow.yaml:11:7'],
  ],
  [
    'a model in the text below a frontmatter',
    {
      'START.md': prompt('allowed_transitions: [{ tag: result }]', 'model: haiku\n\nSay hello: <result>hello</result>'),
    },
    ['frontmatter-ignored START.md:4:1'],
  ],
  [
    'a backend without the options of the manifest',
    {
      'workflow.yaml': 'id: flow\nbackend: { name: pi, options: { tools: [read] } }\n',
      'START.md': prompt('backend: claude', 'Name a bird. End with <result>the bird</result>'),
    },
    ['frontmatter-parse-error START.md:2:10'],
  ],
  [
    'a pattern of a schema that RE2 does not have, in a YAML package',
    {
      'flow.yaml': lines(
        'id: flow',
        'states:',
        '  START:',
        '    prompt: |',
        '      Find the code. Reply with JSON: <result>{"code": "A1"}</result>',
        '    result:',
        '      schema:',
        '        type: object',
        '        properties:',
        "          code: { type: string, pattern: '^(?!A0)A[0-9]$' }",
      ),
    },
    ['frontmatter-parse-error flow.yaml:10:1'],
  ],
  [
    'options of a backend that exclude each other',
    {
      'workflow.yaml': 'id: flow\nbackend:\n  name: pi\n  options:\n    tools: [read]\n    no_tools: true\n',
      'START.md': 'Name a bird. End with <result>the bird</result>\n',
    },
    ['frontmatter-parse-error workflow.yaml:6:1'],
  ],
  [
    'the working directory of another workflow with a file of its own',
    {
      'START.sh': 'echo \'<call-workflow return="END">../words/</call-workflow>\'\n',
      '../words/workflow.yaml': 'id: words\nworking_directory: .\n',
      '../words/words.txt': 'alder\n',
      '../words/START.sh': 'echo "<result>$(wc -l <words.txt)</result>"\n',
      ...END,
    },
    ['lost-working-directory words/workflow.yaml:2:1'],
  ],
  [
    'a file of a called state in a new task folder',
    {
      'START.sh': 'echo \'<function return="SHIP">COLLECT</function>\'\n',
      'COLLECT.sh': 'echo \'<reset task="new">PACK</reset>\'\n',
      'PACK.sh': 'date >"$RAYMOND_TASK_FOLDER/box.txt"\necho "<result>box.txt</result>"\n',
      'SHIP.sh': lines('cat "$RAYMOND_TASK_FOLDER/$RAYMOND_RESULT" >shipped.txt || exit 1', 'echo "<goto>SHOW</goto>"'),
      'SHOW.md': 'Read {{task_folder}}/box.txt. End with <result>its day</result>\n',
    },
    ['other-task-folder SHIP.sh:1:5', 'other-task-folder SHOW.md:1:6'],
  ],
  [
    'the standard input of programs and of a loop',
    {
      'START.sh': lines(
        'list=$(printf "%s\\n" b a | sort)',
        'while IFS= read -r name; do list="$list $name"; done',
        'echo "<goto input=\\"$list\\">COUNT</goto>"',
      ),
      'COUNT.py': lines(
        'import sys',
        'names = sys.stdin.read().split()',
        'print(f\'<goto input="{len(names)}">SHOW</goto>\')',
      ),
      'SHOW.js': lines(
        "const text = require('node:fs').readFileSync(0, 'utf8');",
        'console.log(`<result>${text.length}</result>`);',
      ),
    },
    ['no-arguments START.sh:2:12', 'no-arguments COUNT.py:2:9', 'no-arguments SHOW.js:1:33'],
  ],
];
