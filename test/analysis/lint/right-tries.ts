// Packages that are near to the mistakes in mistakes-tries.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const FORCED = 'allowed_transitions:\n  - { tag: goto, target: END }\nforce_implicit: true';

/** What is odd, and the package. */
export const RIGHT_TRIES: readonly (readonly [what: string, files: Files])[] = [
  [
    'markers, temporary files and a passed path with the id of a turn',
    {
      'START.sh': lines(
        'mark="$RAYMOND_TASK_FOLDER/done-$RAYMOND_TURN_ID"',
        'list="$RAYMOND_TASK_FOLDER/list-$$.txt"',
        '[ -e "$mark" ] || ls >"$list"',
        'touch "$mark"',
        'echo "<goto list=\\"$list\\">COUNT</goto>"',
      ),
      'COUNT.sh': lines(
        'mark="$RAYMOND_TASK_FOLDER/done-$RAYMOND_TURN_ID"',
        'copy="$RAYMOND_TASK_FOLDER/list-$$.txt"',
        'cp "$list" "$copy"',
        '[ -e "$mark" ] || touch "$mark"',
        'echo "<goto>READ</goto>"',
      ),
      'READ.py': lines(
        'import os, subprocess',
        'path = os.path.join(os.environ["RAYMOND_TASK_FOLDER"], f"list-{os.getpid()}.txt")',
        'subprocess.run(["make", f"OUT={path}"], check=True)',
        'text = open(path).read()',
        'print(f"<result>{len(text)}</result>")',
      ),
    },
  ],
  [
    'effects with retries that come last, that are new each time, or that are asked for first',
    {
      'START.sh': lines(
        '# raymond: retries=3',
        'set -euo pipefail',
        'grep -qF "$RAYMOND_TURN_ID" gifts.csv || echo "$RAYMOND_TURN_ID,$RAYMOND_INPUT" >>gifts.csv',
        'list=$RAYMOND_TASK_FOLDER/list.txt',
        ': >"$list"',
        'for file in *.csv; do echo "$file" >>"$list"; done',
        'echo "$(date) start" >>run.log',
        'curl -fsS http://localhost:9300/refresh >/dev/null',
        'echo "$RAYMOND_INPUT" >>sent.csv',
        "echo '<goto>CHOOSE</goto>'",
      ),
      'CHOOSE.py': lines(
        '# raymond: retries=3',
        'import subprocess, sys',
        'done = subprocess.run(["check"])',
        'if done.returncode == 0:',
        '    with open("good.csv", "a") as file:',
        '        file.write(f"{done}\\n")',
        '    print("<result>good</result>")',
        'else:',
        '    sys.exit(1)',
      ),
    },
  ],
  [
    'tags that the next state writes, and tags that do not count, under force_implicit',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: CHECK }\nforce_implicit: true',
        'Write a.txt. CHECK then looks at it, and it goes on with <goto>END</goto> if it is good.',
      ),
      'CHECK.md': 'Look at a.txt. Reply with <goto>LAST</goto> or <goto>END</goto>.\n',
      'LAST.md': prompt(FORCED, 'Write b.txt. Do not reply with <goto>CHECK</goto>.\n\nIf nothing is missing, say so.'),
      ...END,
    },
  ],
  [
    'a reply without a tag that goes on like one with it',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }',
        'Write a.txt and reply with <goto>END</goto>. A reply without a tag does the same. If you cannot write it, say why.',
      ),
      ...END,
    },
  ],
  [
    'states that a text names because they come later, and a word that is written into a file',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: CHECK }\nforce_implicit: true',
        'Write a.txt. If the input is empty, write only EMPTY into a.txt. CHECK looks at it; good texts continue with LAST.',
      ),
      'CHECK.sh': "echo '<goto>LAST</goto>'\n",
      'LAST.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }',
        'Read a.txt. If it is empty, write only NOTHING into b.txt. Reply with <goto>END</goto>.',
      ),
      ...END,
    },
  ],
  [
    'files of a new folder, and lists that are no counters, beside retries',
    {
      'START.sh': lines(
        'set -eu',
        'work=$(mktemp -d)',
        'unzip -q in.zip -d "$work"',
        'wc -l <"$work/list.txt" >&2',
        "echo '<goto>SORT</goto>'",
      ),
      'SORT.sh': lines('set -eu', 'work=$(mktemp -d)', 'sort a.csv >"$work/list.txt"', "echo '<goto>BUILD</goto>'"),
      'BUILD.js': lines(
        '// raymond: retries=2',
        "const fs = require('fs');",
        "const config = JSON.parse(fs.readFileSync('config.json', 'utf8'));",
        'const targets = [];',
        'for (let i = 0; i < 3; i++) targets.push(`t${i}`);',
        'config.targets = targets;',
        "fs.writeFileSync('config.json', JSON.stringify(config));",
        "require('child_process').execSync('make all', { stdio: 'ignore' });",
        "console.log('<result>built</result>');",
      ),
    },
  ],
];
