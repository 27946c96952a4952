// Planted mistakes about what Raymond replaces, sets and limits: values of a manifest, taken names, values that are too long or only a word.
import { END, lines, prompt, type Fault } from './kit.js';

const GUIDE = { 'guide.md': 'Write short sentences.\n' };
const LETTER = 'Follow @{{state_dir}}/guide.md and write a letter to {{input}}. <result>the letter</result>\n';

/** What is wrong, the package, and what is found in it. */
export const LIMIT_MISTAKES: readonly Fault[] = [
  [
    'a variable of the manifest without braces',
    {
      'workflow.yaml': 'id: x\nenvironment:\n  CACHE: $HOME/.cache\n  NOTES: ~/notes\n  DAY: $(date +%F)\n',
      'START.sh': 'echo "<result>$CACHE $NOTES $DAY</result>"\n',
    },
    [
      'environment-not-filled workflow.yaml:3:3',
      'environment-not-filled workflow.yaml:4:3',
      'environment-not-filled workflow.yaml:5:3',
    ],
  ],
  [
    'a value of the manifest with another of its values, and a PATH without the usual folders',
    {
      'workflow.yaml': 'id: x\nenvironment: { BASE: /srv, OUT: "${BASE}/out", PATH: /opt/bin }\n',
      'START.sh': 'echo "<result>$(ls "$OUT")</result>"\n',
    },
    ['environment-not-filled workflow.yaml:2:28', 'environment-not-filled workflow.yaml:2:48'],
  ],
  [
    'an attribute with the name of a variable of every prompt',
    {
      'START.sh': 'echo \'<goto agent_id="ada">GREET</goto>\'\n',
      'GREET.md': 'Greet {{agent_id}}. <result>the greeting</result>\n',
    },
    ['taken-variable-name START.sh:1:13'],
  ],
  [
    'an attribute that the input hides',
    {
      'START.js': 'console.log(`<goto input="a" result="3 failed">SHOW</goto>`);\n',
      'SHOW.md': 'The tests of {{input}} ended with: {{result}}. Explain it. <result>text</result>\n',
    },
    ['same-text-twice SHOW.md:1:36', 'taken-variable-name START.js:1:30'],
  ],
  [
    'names that bash sets itself',
    {
      'workflow.yaml': 'id: x\nenvironment: { RANDOM: "42" }\n',
      'START.sh': 'set -e\nUID=$(cat user.id)\nPATH=out/report.md\necho "<result>$UID $RANDOM</result>"\n',
    },
    ['taken-variable-name START.sh:2:1', 'taken-variable-name START.sh:3:1', 'taken-variable-name workflow.yaml:2:16'],
  ],
  [
    'a field of a result with the name of a variable',
    {
      'START.sh': 'echo \'<function return="ADD">PICK</function>\'\n',
      'PICK.md': prompt(
        'result:\n  schema: { type: object, required: [FILE], properties: { FILE: { type: string } } }',
        'Pick a file. Answer in JSON: <result>…</result>',
      ),
      'ADD.sh': 'set -e\ngit add "$RAYMOND_RESULT_FILE"\necho "<result>added</result>"\n',
    },
    ['taken-variable-name ADD.sh:2:11'],
  ],
  [
    'programs that are no scripts for Raymond',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: function, target: CHECK.mjs, return: SUM.rb }',
        'Write data.json. <function return="SUM.rb">CHECK.mjs</function>',
      ),
      'CHECK.mjs': 'console.log("<result>1</result>");\n',
      'SUM.rb': 'puts "<result>1</result>"\n',
    },
    ['program-as-prompt START.md:3:30', 'program-as-prompt START.md:3:49'],
  ],
  [
    'a result of more than 100 KiB by nested loops',
    {
      'START.sh': 'echo \'<function return="SAVE" rows="200">TABLE</function>\'\n',
      'TABLE.py': lines(
        'import os',
        'rows = int(os.environ["rows"])',
        'table = [f"{a} x {b} = {a * b}" for a in range(1, rows + 1) for b in range(1, rows + 1)]',
        'print("<result>" + "\\n".join(table) + "</result>")',
      ),
      'SAVE.py':
        'import os\nopen("table.txt", "w").write(os.environ["RAYMOND_RESULT"])\nprint("<result>ok</result>")\n',
    },
    ['value-too-long SAVE.py:2:42'],
  ],
  [
    'an attribute of more than 100 KiB',
    {
      'START.sh': 'echo "<goto numbers=\\"$(seq -s \' \' 1 50000)\\">SUM</goto>"\n',
      'SUM.sh': 'sum=0\nfor n in $numbers; do sum=$((sum + n)); done\necho "<result>$sum</result>"\n',
    },
    ['value-too-long START.sh:1:23'],
  ],
  [
    'an input of more than 100 KiB by a loop',
    {
      'START.js': lines(
        'const rows = [];',
        'for (let n = 1; n <= 30000; n++) rows.push(`row ${n}`);',
        'console.log(`<goto input="${rows.join(";")}">COUNT</goto>`);',
      ),
      'COUNT.js': 'console.log(`<result>${process.env.RAYMOND_INPUT.length}</result>`);\n',
    },
    ['value-too-long COUNT.js:1:36'],
  ],
  [
    'a result that a loop prints',
    {
      'START.sh': 'echo \'<function return="SAVE">TABLE</function>\'\n',
      'TABLE.sh': 'echo "<result>"\nfor n in $(seq 1 40000); do echo "$n;$((n * n))"; done\necho "</result>"\n',
      'SAVE.sh': 'set -e\nprintf "%s" "$RAYMOND_RESULT" >squares.csv\necho "<result>saved</result>"\n',
    },
    ['value-too-long SAVE.sh:2:15'],
  ],
  [
    'an input that the manifest describes as long, and one that may have 400,000 characters',
    {
      'workflow.yaml': 'id: x\ninput: { mode: required, description: "the text of a book, up to 2 MB" }\n',
      'START.py': lines(
        'import os',
        'words = os.environ["RAYMOND_INPUT"].split()',
        'text = "".join(words)[:400_000]',
        'print(f"<goto input=\'{text}\'>COUNT</goto>")',
      ),
      'COUNT.sh': 'echo "<result>${#RAYMOND_INPUT}</result>"\n',
    },
    ['value-too-long COUNT.sh:1:18', 'value-too-long START.py:2:21'],
  ],
  [
    'an address that the manifest describes',
    {
      'workflow.yaml': 'id: x\ninput: { mode: required, label: E-mail address of the customer }\n',
      'START.md': LETTER,
      ...GUIDE,
    },
    ['file-not-read START.md:1:8'],
  ],
  [
    'an address that a question asks for, and one in a label',
    {
      'workflow.yaml': 'id: x\nlabels: [email]\n',
      'START.sh': 'echo \'<ask next="WRITE">Write the name of your account, such as @octocat.</ask>\'\n',
      'WRITE.md': LETTER.replace('<result>the letter</result>', '<goto>COPY</goto>'),
      'COPY.md': LETTER.replace('{{input}}', '{{email}}'),
      ...GUIDE,
    },
    ['file-not-read COPY.md:1:8', 'file-not-read WRITE.md:1:8'],
  ],
  [
    'a change as git shows it',
    {
      'START.sh': 'echo \'<function return="REVIEW">DIFF</function>\'\n',
      'DIFF.sh': 'echo "<result>$(git diff HEAD~1)</result>"\n',
      'REVIEW.md': 'Follow @{{state_dir}}/guide.md and review:\n{{result}}\n<result>text</result>\n',
      ...GUIDE,
    },
    ['file-not-read REVIEW.md:1:8'],
  ],
  [
    'an answer in the place of the text that was asked about',
    {
      'START.md': 'Write a post about cats. End with <goto input="the post">REVIEW</goto>\n',
      'REVIEW.sh': 'echo "<ask next=\\"STORE\\" choices=\\"yes,no\\">Publish this? ${RAYMOND_INPUT//\\"/}</ask>"\n',
      'STORE.sh': 'echo "$RAYMOND_INPUT" >>posts.txt\necho "<result>stored</result>"\n',
    },
    ['answer-as-text STORE.sh:1:1'],
  ],
  [
    'a fixed result in the place of a text and of a file',
    {
      'START.sh': 'echo \'<function return="SAVE">WRITE</function>\'\n',
      'WRITE.md': prompt('allowed_transitions:\n  - { tag: result, payload: done }', 'Write a haiku about rain.'),
      'SAVE.py':
        'import os\ntext = open(os.environ["RAYMOND_RESULT"]).read()\nprint(f"<result>{len(text)}</result>")\n',
    },
    ['answer-as-text SAVE.py:2:8'],
  ],
  [
    'defaults of values that are always set',
    {
      'START.sh': 'echo \'<goto input="" mode="">NEXT</goto>\'\n',
      'NEXT.py': lines(
        'import os',
        'scope = os.environ.get("RAYMOND_INPUT", "all")',
        'mode = os.getenv("mode", "fast")',
        'print(f"<result>{scope} {mode}</result>")',
      ),
    },
    ['default-of-empty-value NEXT.py:2:12', 'default-of-empty-value NEXT.py:3:11'],
  ],
  [
    'an attribute and a label in commands of a prompt',
    {
      'workflow.yaml': 'id: x\nlabels: [branch]\n',
      'START.sh': 'echo \'<goto stage="beta">RUN</goto>\'\n',
      'RUN.md': 'Run `git checkout "$branch"`, then `./deploy --stage "$stage"`. <result>ok</result>\n',
    },
    ['variable-of-scripts RUN.md:1:20', 'variable-of-scripts RUN.md:1:55'],
  ],
  [
    'variables in attributes of the frontmatter',
    {
      'START.md': prompt(
        lines(
          'allowed_transitions:',
          "  - { tag: reset, target: END, cd: '{{task_folder}}' }",
          'evaluate:',
          `  - { match: 'URGENT', transition: '<goto level="{{input}}">ALARM</goto>' }`,
        ).trimEnd(),
        'Read the mail about {{input}} and sum it up.',
      ),
      'ALARM.sh': 'echo "<result>$level</result>"\n',
      ...END,
    },
    ['unfilled-placeholder START.md:3:37', 'unfilled-placeholder START.md:5:50'],
  ],
  [
    'the own reply as a variable, and a reply that passes no value',
    {
      'START.sh': 'echo "<goto>DRAFT</goto>"\n',
      'DRAFT.md': prompt(
        "allowed_transitions:\n  - { tag: goto, target: SAVE, input: '{{result}}' }",
        'Write a slogan.',
      ),
      'SAVE.sh': 'echo "$RAYMOND_INPUT" >slogan.txt\necho "<goto>TITLE</goto>"\n',
      'TITLE.md': prompt('allowed_transitions:\n  - { tag: goto, target: STORE }', 'Write a title for slogan.txt.'),
      'STORE.sh': 'set -u\necho "$RAYMOND_INPUT" >title.txt\necho "<result>ok</result>"\n',
    },
    ['unbound-variable DRAFT.md:3:40', 'unbound-variable STORE.sh:2:7'],
  ],
  [
    'results of more than 100 KiB by a function and as JSON',
    {
      'START.sh': 'echo \'<function return="SAVE">TABLE</function>\'\n',
      'TABLE.ts': lines(
        'const LINES = 25_000;',
        'function report(): string {',
        '  const rows: string[] = [];',
        '  for (let i = 0; i < LINES; i++) {',
        '    rows.push(`line ${i}`);',
        '  }',
        '  return rows.join("\\n");',
        '}',
        'console.log(`<result>${report()}</result>`);',
      ),
      'SAVE.sh': 'echo "$RAYMOND_RESULT" >table.txt\necho \'<function return="LOAD">POINTS</function>\'\n',
      'POINTS.py': lines(
        'import json',
        'points = [{"x": x, "y": x * x} for x in range(20000)]',
        'print(f"<result>{json.dumps(points)}</result>")',
      ),
      'LOAD.py': 'import json, os\nprint(f"<result>{len(json.loads(os.environ[\'RAYMOND_RESULT\']))}</result>")\n',
    },
    ['value-too-long SAVE.sh:1:8', 'value-too-long LOAD.py:2:45'],
  ],
];
