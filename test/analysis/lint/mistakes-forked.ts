// Planted mistakes in the names, files and results of forked agents.
import { lines, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const FORKED_MISTAKES: readonly Fault[] = [
  [
    'a name of an agent with more than six characters of its state, in Python',
    {
      'START.py': lines(
        'langs = ["de", "fr"]',
        'for lang in langs:',
        '    print(f\'<fork lang="{lang}">TRANSLATE</fork>\')',
        "print('<goto>WAIT</goto>')",
      ),
      'TRANSLATE.sh': 'echo "<result>$lang done</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.py': lines(
        'import json, os',
        'agents = {a["id"]: a for a in json.loads(os.environ["RAYMOND_INPUT"])}',
        'first = agents["main_translate1"]',
        'print(f"<result>{first[\'status\']}</result>")',
      ),
    },
    ['unknown-agent-name PACK.py:3:17'],
  ],
  [
    'a name of an agent with more than six characters, in a template of JavaScript',
    {
      'START.sh': lines(
        'echo \'<fork lang="de" next="WAIT">TRANSLATE</fork>\'',
        'echo \'<fork lang="fr">TRANSLATE</fork>\'',
      ),
      'TRANSLATE.sh': 'echo "<result>$lang done</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        'const out = [1, 2].map((i) => agents.find((a) => a.id === `main_translate${i}`)?.result);',
        'console.log(`<result>${out.join(" ")}</result>`);',
      ),
    },
    ['unknown-agent-name PACK.js:2:60'],
  ],
  [
    'a name of an agent with more than six characters, in a prompt',
    {
      'START.sh': lines(
        'echo \'<fork lang="de" next="WAIT">TRANSLATE</fork>\'',
        'echo \'<fork lang="fr">TRANSLATE</fork>\'',
      ),
      'TRANSLATE.sh': 'echo "<result>$lang done</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.md': lines(
        'Here are the agents: {{input}}',
        '',
        'Take the text of main_translate1 as the German one and that of main_translate2 as the French one.',
        'End with <result>your comparison</result>.',
      ),
    },
    ['unknown-agent-name PACK.md:3:18'],
  ],
  [
    'an agent that compares its own name with one that is too long',
    {
      'START.sh': lines('echo \'<fork next="WAIT">SUMMARIZE</fork>\'', "echo '<fork>SUMMARIZE</fork>'"),
      'SUMMARIZE.sh': lines(
        'case "$RAYMOND_AGENT_ID" in',
        '  main_summarize1) part=front ;;',
        '  *) part=back ;;',
        'esac',
        'echo "<result>$part</result>"',
      ),
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unknown-agent-name SUMMARIZE.sh:2:3'],
  ],
  [
    'an agent with the number 0',
    {
      'START.py': lines(
        'for i in range(3):',
        '    print(f\'<fork n="{i}">WORKER</fork>\')',
        "print('<goto>WAIT</goto>')",
      ),
      'WORKER.sh': 'echo "<result>$n done</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.py': lines(
        'import json, os',
        'agents = {a["id"]: a for a in json.loads(os.environ["RAYMOND_INPUT"])}',
        'print("<result>" + agents["main_worker0"]["status"] + "</result>")',
      ),
    },
    ['unknown-agent-name PACK.py:3:28'],
  ],
  [
    'a number that another fork of the same parent has',
    {
      'START.sh': lines('echo \'<fork next="WAIT">LINT</fork>\'', "echo '<fork>TEST</fork>'"),
      'LINT.sh': 'echo "<result>lint ok</result>"\n',
      'TEST.sh': 'echo "<result>test ok</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.py': lines(
        'import json, os',
        'agents = {a["id"]: a for a in json.loads(os.environ["RAYMOND_INPUT"])}',
        "print(f\"<result>{agents['main_lint1']['status']} {agents['main_test1']['status']}</result>\")",
      ),
    },
    ['unknown-agent-name PACK.py:3:59'],
  ],
  [
    'files of forked agents that are read without an await, in bash',
    {
      'START.sh': lines('echo \'<fork next="JOIN" part="a">COUNT</fork>\'', 'echo \'<fork part="b">COUNT</fork>\''),
      'COUNT.sh': lines('wc -l <"$part.txt" >"count-$part.txt"', 'echo "<result>done</result>"'),
      'JOIN.sh': lines(
        "total=$(cat count-a.txt count-b.txt | awk '{ s += $1 } END { print s }')",
        'echo "<result>$total</result>"',
      ),
    },
    ['file-before-await START.sh:1:19'],
  ],
  [
    'files of forked agents that are read without an await, in Python',
    {
      'START.py': lines(
        'for part in ("a", "b"):',
        '    print(f\'<fork part="{part}">COUNT</fork>\')',
        'print("<goto>JOIN</goto>")',
      ),
      'COUNT.py': lines(
        'import os',
        'part = os.environ["part"]',
        'with open(f"count-{part}.txt", "w") as out:',
        '    out.write(str(len(part)))',
        'print("<result>done</result>")',
      ),
      'JOIN.py': lines(
        'import glob',
        'total = 0',
        'for name in glob.glob("count-*.txt"):',
        '    with open(name) as f:',
        '        total += int(f.read())',
        'print(f"<result>{total}</result>")',
      ),
    },
    ['file-before-await START.py:3:14'],
  ],
  [
    'files of forked agents that a prompt reads without an await',
    {
      'START.md': lines(
        'Split the topic {{input}} in two, then reply with',
        '<fork next="MERGE" topic="the first half">RESEARCH</fork><fork topic="the second half">RESEARCH</fork>',
      ),
      'RESEARCH.md':
        'Research {{topic}} and write what you find to findings-{{agent_id}}.md. End with <result>done</result>.\n',
      'MERGE.md': 'Read all files findings-*.md and merge them into report.md. End with <result>report.md</result>.\n',
    },
    ['file-before-await START.md:2:13'],
  ],
  [
    'a timeout that leads back to the forks by a goto',
    {
      'START.sh': lines(
        'for scene in 1 2 3; do echo "<fork scene=\\"$scene\\">RENDER</fork>"; done',
        "echo '<goto>WAIT</goto>'",
      ),
      'RENDER.sh': lines('echo "rendering $scene" >"scene-$scene.png"', 'echo "<result>$scene</result>"'),
      'WAIT.sh': 'echo \'<await next="DONE" timeout="1h" timeout_next="LATE"/>\'\n',
      'LATE.sh': lines('echo "still waiting" >&2', "echo '<goto>START</goto>'"),
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['forked-again LATE.sh:2:13'],
  ],
  [
    'a timeout that leads back to the forks at once',
    {
      'START.sh': lines(
        'for scene in 1 2 3; do echo "<fork scene=\\"$scene\\">RENDER</fork>"; done',
        "echo '<goto>WAIT</goto>'",
      ),
      'RENDER.md': 'Render scene {{scene}} to scene-{{scene}}.png. End with <result>ok</result>.\n',
      'WAIT.sh': 'echo \'<await next="DONE" timeout="1h" timeout_next="START"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['forked-again WAIT.sh:1:53'],
  ],
  [
    'a prompt after an await that has no variable for the results',
    {
      'START.sh': lines(
        'echo \'<fork next="WAIT" lens="style">REVIEW</fork>\'',
        'echo \'<fork lens="security">REVIEW</fork>\'',
      ),
      'REVIEW.md': 'Review the code in src for {{lens}}. End with <result>your findings</result>.\n',
      'WAIT.sh': 'echo \'<await next="SUM_UP"/>\'\n',
      'SUM_UP.md': 'Summarise what the reviewers have found in ten lines. End with <result>your summary</result>.\n',
    },
    ['unread-value SUM_UP.md:1:11'],
  ],
  [
    'a prompt after an await that speaks of arguments it does not get',
    {
      'START.md': 'Reply with both tags: <fork next="WAIT" view="pro">ARGUE</fork><fork view="contra">ARGUE</fork>\n',
      'ARGUE.md': 'Argue {{view}} the motion. End with <result>your arguments</result>.\n',
      'WAIT.sh': 'echo \'<await next="JUDGE"/>\'\n',
      'JUDGE.md': lines(
        'Two debaters have argued. Decide whose arguments are stronger, and say why.',
        'End with <result>your verdict</result>.',
      ),
    },
    ['unread-value JUDGE.md:1:34'],
  ],
  [
    'a fork that continues at the state with the results, without an await',
    {
      'START.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\">WORK</fork>"; done\necho "<goto>NOTE</goto>"\n',
      'WORK.sh': 'echo "<result>$n</result>"\n',
      'NOTE.sh': 'date >note.txt\necho "<goto>LIST</goto>"\n',
      'LIST.py':
        'import json, os\nagents = json.loads(os.environ["RAYMOND_INPUT"])\nprint(f"<result>{len(agents)}</result>")\n',
    },
    ['results-before-await NOTE.sh:2:13'],
  ],
  [
    'a prompt that gets the results by the next of its forks',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: fork, target: WORK, next: LIST }',
        'Start both: <fork next="LIST" n="1">WORK</fork> <fork next="LIST" n="2">WORK</fork>',
      ),
      'WORK.sh': 'echo "<result>$n</result>"\n',
      'LIST.md': 'All results: {{input}}\n\nEnd with <result>their sum</result>\n',
    },
    ['results-before-await START.md:5:13'],
  ],
  [
    'one of two forks without the shared task folder, to which its agent writes',
    {
      'START.sh':
        'echo \'<fork next="WAIT" task="inherit" side="for">ARGUE</fork><fork side="against">ARGUE</fork>\'\n',
      'ARGUE.sh': 'sort "$side.txt" >"$RAYMOND_TASK_FOLDER/$side.md"\necho "<result>sorted</result>"\n',
      'WAIT.sh': 'echo \'<await next="WEIGH"/>\'\n',
      'WEIGH.py': lines(
        'import os',
        'def text(name):',
        '    return open(os.path.join(os.environ["RAYMOND_TASK_FOLDER"], name)).read()',
        "print(f\"<result>{len(text('for.md'))} and {len(text('against.md'))}</result>\")",
      ),
    },
    ['other-task-folder START.sh:1:63'],
  ],
];
