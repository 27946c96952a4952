// Planted mistakes about scripts that run again, headers that are none, processes in a sandbox, and elements that are no tags.
import { END, lines, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const AGAIN_MISTAKES: readonly Fault[] = [
  [
    'a file that each round of a loop takes',
    {
      'START.py': lines(
        'from pathlib import Path',
        'def waiting():',
        '    return sorted(Path("articles").glob("*.md"))',
        'articles = waiting()',
        'if articles:',
        '    print(f\'<call return="START" input="{articles[0]}">TAG</call>\')',
        'else:',
        '    print("<result>done</result>")',
      ),
      'TAG.md': 'Read {{input}}, and add three words to words.txt. <result>ok</result>\n',
    },
    ['same-file-again START.py:4:1'],
  ],
  [
    'a file that each forking agent takes',
    {
      'START.sh': lines(
        'for letter in inbox/*.txt; do',
        '  [ -s "$letter" ] || continue',
        '  echo "<fork next=\\"START\\" letter=\\"$letter\\">READ</fork>"',
        '  exit 0',
        'done',
        'echo \'<await next="END"/>\'',
      ),
      'READ.md': 'Read {{letter}}. <result>the sender</result>\n',
      ...END,
    },
    ['same-file-again START.sh:1:1'],
  ],
  [
    'a list that is written back with the item that was taken',
    {
      'START.sh': lines('printf "a\\nb\\n" >todo.txt', "echo '<goto>NEXT</goto>'"),
      'NEXT.js': lines(
        'const fs = require("fs");',
        'const names = fs.readFileSync("todo.txt", "utf8").split("\\n");',
        'const [name, ...rest] = names;',
        'fs.writeFileSync("todo.txt", names.join("\\n"));',
        'console.log(name ? `<call return="NEXT" input="${name}">WRITE</call>` : "<result>done</result>");',
      ),
      'WRITE.md': 'Describe {{input}} in words.txt. <result>ok</result>\n',
    },
    ['same-item-again NEXT.js:4:1'],
  ],
  [
    'an item that a branch notes, but leaves in the list',
    {
      'START.py': lines(
        'import json',
        'from pathlib import Path',
        'Path("todo.json").write_text(json.dumps(["a", "b"]))',
        'print("<goto>NEXT</goto>")',
      ),
      'NEXT.py': lines(
        'import json',
        'from pathlib import Path',
        'todo = json.loads(Path("todo.json").read_text())',
        'print(f\'<reset name="{todo[0]}">WRITE</reset>\' if todo else "<result>done</result>")',
      ),
      'WRITE.md': prompt('allowed_transitions: [{ tag: goto, target: NOTE }]', 'Describe {{name}}. <goto>NOTE</goto>'),
      'NOTE.py': lines(
        'import json',
        'from pathlib import Path',
        'todo = json.loads(Path("todo.json").read_text())',
        'if Path("page.md").exists():',
        '    Path("todo.json").write_text(json.dumps(todo[1:]))',
        '    print("<goto>NEXT</goto>")',
        'else:',
        '    failed = json.loads(Path("failed.json").read_text())',
        '    failed.append(todo[0])',
        '    Path("failed.json").write_text(json.dumps(failed))',
        '    print("<goto>NEXT</goto>")',
      ),
    },
    ['same-item-again NOTE.py:11:12'],
  ],
  [
    'a verdict that is written over the earlier ones',
    {
      'START.sh': lines('ls pages >todo', "echo '<goto>NEXT</goto>'"),
      'NEXT.sh': lines(
        'page=$(head -n 1 todo)',
        'sed -i 1d todo',
        'if [ -z "$page" ]; then',
        '  echo "<goto>LAST</goto>"',
        'else',
        '  echo "<function return=\\"NOTE\\" page=\\"$page\\">JUDGE</function>"',
        'fi',
      ),
      'JUDGE.md': 'Is pages/{{page}} correct? <result>one sentence</result>\n',
      'NOTE.py': lines(
        'import os',
        'with open("verdicts.txt", "w") as out:',
        '    out.write(os.environ["RAYMOND_RESULT"])',
        'print("<goto>NEXT</goto>")',
      ),
      'LAST.py': lines('text = open("verdicts.txt").read()', 'print(f"<result>{len(text)}</result>")'),
    },
    ['results-overwritten NOTE.py:2:6'],
  ],
  [
    'a queue that is filled again in every round',
    {
      'START.js': lines(
        'const fs = require("fs");',
        'fs.writeFileSync("todo.json", JSON.stringify(["tea", "rice"]));',
        'console.log("<goto>NEXT</goto>");',
      ),
      'NEXT.py': lines(
        'import json',
        'todo = json.load(open("todo.json"))',
        'name = todo.pop(0) if todo else None',
        'with open("todo.json", "w") as out:',
        '    json.dump(todo, out)',
        'print(f\'<reset name="{name}">WRITE</reset>\' if name else "<result>done</result>")',
      ),
      'WRITE.md': prompt(
        'allowed_transitions: [{ tag: goto, target: START }]',
        'Describe {{name}}. <goto>START</goto>',
      ),
    },
    ['counter-reset START.js:2:1'],
  ],
  [
    'a counter of a program that is set back in every round',
    {
      'START.py': lines('from pathlib import Path', 'Path("tries").write_text("0")', 'print("<goto>WRITE</goto>")'),
      'WRITE.md': prompt('allowed_transitions: [{ tag: goto, target: COUNT }]', 'Correct it. <goto>COUNT</goto>'),
      'COUNT.py': lines(
        'from pathlib import Path',
        'tries = int(Path("tries").read_text()) + 1',
        'Path("tries").write_text(str(tries))',
        'print("<result>done</result>" if tries > 3 else "<goto>START</goto>")',
      ),
    },
    ['counter-reset START.py:2:1'],
  ],
  [
    'a folder that exists in the second try',
    {
      'START.sh': lines(
        '# raymond: retries=2',
        'set -e',
        'mkdir build',
        'curl -fsS "https://example.com/$RAYMOND_TURN_ID" >build/x',
        'echo "<result>ok</result>"',
      ),
    },
    ['fails-second-time START.sh:3:1'],
  ],
  [
    'a folder that exists in the second try of a program',
    {
      'START.py': lines(
        '# raymond: retries=2',
        'import os, urllib.request',
        'os.mkdir("pages")',
        'page = urllib.request.urlopen("https://example.com").read()',
        'print(f"<result>{len(page)} {os.environ[\'RAYMOND_TURN_ID\']}</result>")',
      ),
    },
    ['fails-second-time START.py:3:1'],
  ],
  [
    'a folder that exists in the second round of a loop',
    {
      'START.sh': 'set -e\nmkdir build\ncp -r src/. build/\necho "<goto>CHECK</goto>"\n',
      'CHECK.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: START }\n  - { tag: result }',
        'Look at build, at most 3 times. Correct src and write <goto>START</goto>, or end with <result>ok</result>',
      ),
    },
    ['fails-second-time START.sh:2:1'],
  ],
  [
    'a process in the background of a sandbox',
    {
      'START.sh':
        '# raymond: sandbox=container\npython3 -m http.server 8080 >server.log 2>&1 &\necho "<goto>PROBE</goto>"\n',
      'PROBE.sh': 'curl -fsS http://localhost:8080/ >page.html\necho "<result>ok</result>"\n',
    },
    ['background-in-sandbox START.sh:2:1'],
  ],
  [
    'a process in the background of a package with a sandbox',
    {
      'workflow.yaml': 'id: x\nsandbox: container\n',
      'START.py': 'import subprocess\nsubprocess.Popen(["./serve"])\nprint("<goto>END</goto>")\n',
      ...END,
    },
    ['background-in-sandbox START.py:2:1'],
  ],
  [
    'a header without its colon, and one in a block comment',
    {
      'START.sh': '#!/bin/bash\n# raymond timeout=60s\necho "<goto>NEXT</goto>"\n',
      'NEXT.js': '/*\n * raymond: timeout=60s\n */\nconsole.log("<goto>LAST</goto>");\n',
      'LAST.py': '"""raymond: timeout=60s"""\nprint("<result>ok</result>")\n',
    },
    ['frontmatter-ignored LAST.py:1:4', 'frontmatter-ignored NEXT.js:2:4', 'frontmatter-ignored START.sh:2:3'],
  ],
  [
    'a frontmatter in the text of a YAML state',
    {
      'flow.yaml': lines(
        'states:',
        '  START:',
        '    prompt: |',
        '      ---',
        '      model: haiku',
        '      ---',
        '      Say hello. <result>hello</result>',
      ),
    },
    ['frontmatter-ignored flow.yaml:4:7'],
  ],
  [
    'a tag that nothing closes, and one in capitals',
    {
      'START.md': 'Decide: <goto target="BUILD"/>, <GOTO>BUILD</GOTO> or <goto>END</goto>\n',
      'BUILD.sh': 'echo "<result>built</result>"\n',
      ...END,
    },
    ['not-a-tag START.md:1:9', 'not-a-tag START.md:1:33'],
  ],
  [
    'a print with an attribute',
    { 'START.sh': 'echo "<print level=\\"info\\">half way</print>"\necho "<result>ok</result>"\n' },
    ['unknown-attribute START.sh:1:7'],
  ],
  [
    'a reply without a tag where two transitions are allowed',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: A }\n  - { tag: goto, target: END }',
        'Tidy up. If you write no tag, the workflow continues at A. Otherwise write <goto>END</goto>',
      ),
      'A.sh': 'echo "<result>a</result>"\n',
      ...END,
    },
    ['tag-needed START.md:6:10'],
  ],
  [
    'a reply without a tag where every transition is allowed',
    { 'START.md': prompt('allowed_transitions: []', 'Tidy the folder notes. You need not write any tag.') },
    ['tag-needed START.md:4:28'],
  ],
  [
    'an effort and a model of another backend',
    {
      'START.md': prompt('effort: minimal', 'Say hello. <goto>NEXT</goto>'),
      'NEXT.md': prompt('model: openai/gpt-5', 'Say hello. <result>hello</result>'),
    },
    ['unknown-model NEXT.md:2:8', 'invalid-effort START.md:2:9'],
  ],
  [
    'two tags, one after that',
    {
      'START.md': 'Sum it up. First write <result>the summary</result>, and after that end with <goto>END</goto>\n',
      ...END,
    },
    ['several-tags-asked START.md:1:24'],
  ],
  [
    'lines that were printed by the script',
    {
      'START.sh': 'git log --oneline -20\necho "<goto>SUM</goto>"\n',
      'SUM.md': 'Sum up the commits that were printed just now by the script. <result>the summary</result>\n',
    },
    ['unseen-output SUM.md:1:30'],
  ],
  [
    'tags that only the frontmatter shows',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result, payload: ok }',
        'Check the links. Go to END if one is broken, otherwise return ok, with the tags from the frontmatter.',
      ),
      ...END,
    },
    ['unseen-frontmatter START.md:6:76'],
  ],
  [
    'a mark of what is done with another ending than the loop looks for',
    {
      'START.sh': lines(
        'for letter in inbox/*.txt; do',
        '  [ -e "${letter%.txt}.sent" ] && continue',
        '  echo "<goto letter=\\"$letter\\">ANSWER</goto>"',
        '  exit 0',
        'done',
        "echo '<result>x</result>'",
      ),
      'ANSWER.js': lines(
        'const fs = require("fs");',
        'const letter = process.env.letter.replace(/^inbox.|[.]txt$/g, "");',
        'fs.writeFileSync(`inbox/${letter}.answered`, "yes");',
        'console.log("<goto>START</goto>");',
      ),
    },
    ['same-file-again ANSWER.js:3:1'],
  ],
];
