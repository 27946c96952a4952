// Planted mistakes about directories and folders that one state fills and another does not have: those of forks, of cd, of rounds, and /tmp.
import { END, lines, prompt, type Fault } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';
const WAIT = { 'WAIT.sh': 'echo "<await next=\\"END\\"/>"\n', ...END };

/** What is wrong, the package, and what is found in it. */
export const FOLDER_MISTAKES: readonly Fault[] = [
  [
    'pages of the directory of a reset, passed to forked agents in the directory of the run',
    {
      'START.sh': 'mkdir -p unpacked\ntar -xzf pages.tgz -C unpacked\necho "<reset cd=\\"unpacked\\">PLAN</reset>"\n',
      'PLAN.sh': lines(
        'pages=(*.html)',
        'for page in "${pages[@]}"; do echo "<fork page=\\"$page\\">AUDIT</fork>"; done',
        'echo "<goto>WAIT</goto>"',
      ),
      'AUDIT.py': lines(
        'import os',
        'from pathlib import Path',
        'page = Path(os.environ["page"])',
        'print(f"<result>{len(page.read_text())}</result>")',
      ),
      ...WAIT,
    },
    ['fork-without-cd PLAN.sh:2:37'],
  ],
  [
    'a folder in the directory of a reset that forked agents look for in the directory of the run',
    {
      'START.sh': 'mkdir -p packages/core/src/api\necho "<reset cd=\\"packages/core\\">SPLIT</reset>"\n',
      'SPLIT.sh': 'echo \'<fork next="WAIT" part="api">COUNT</fork>\'\n',
      'COUNT.sh': 'set -e\nn=$(cd "src/$part" && find . -type f | wc -l)\necho "<result>$((n))</result>"\n',
      ...WAIT,
    },
    ['fork-without-cd SPLIT.sh:1:7'],
  ],
  [
    'files with computed names that each forked script writes to a task folder of its own',
    {
      'START.sh':
        'for check in tabs length; do echo "<fork check=\\"$check\\">CHECK</fork>"; done\necho "<goto>WAIT</goto>"\n',
      'CHECK.py': lines(
        'import os',
        'from pathlib import Path',
        'check = os.environ["check"]',
        'report = Path(os.environ["RAYMOND_TASK_FOLDER"]) / f"{check}.txt"',
        'report.write_text("none")',
        'print("<result>checked</result>")',
      ),
      'WAIT.sh': 'echo "<await next=\\"MERGE\\"/>"\n',
      'MERGE.py': lines(
        'import os',
        'from pathlib import Path',
        'folder = Path(os.environ["RAYMOND_TASK_FOLDER"])',
        'for check in ["tabs", "length"]:',
        '    hits = (folder / f"{check}.txt").read_text()',
        'print("<result>merged</result>")',
      ),
    },
    ['other-task-folder MERGE.py:5:12'],
  ],
  [
    'files that forked prompts write to their task folders, and a cd to the folder of main',
    {
      'START.sh': 'echo \'<fork next="WAIT" chapter="one">WRITE</fork>\'\n',
      'WRITE.md': prompt(
        RESULT,
        'Write chapter {{chapter}} and save it as\n{{task_folder}}/{{chapter}}.md. <result>saved</result>',
      ),
      'WAIT.sh': 'echo "<await next=\\"MERGE\\"/>"\n',
      'MERGE.sh': 'set -e\ncd "$RAYMOND_TASK_FOLDER"\ncat one.md >tale.md\necho "<result>done</result>"\n',
    },
    ['other-task-folder MERGE.sh:3:5'],
  ],
  [
    'files that a script writes after cd, and that the next script reads',
    {
      'START.sh': 'set -e\nmkdir -p out\ncd out\nprintf "hello\\n" >index.html\necho "<goto>PACK</goto>"\n',
      'PACK.sh': 'set -e\ntar -cf site.tar index.html\necho "<result>packed</result>"\n',
    },
    ['lost-directory START.sh:3:1'],
  ],
  [
    'files that a program writes after os.chdir',
    {
      'START.py': lines(
        'import os',
        'from pathlib import Path',
        'Path("public").mkdir(exist_ok=True)',
        'os.chdir("public")',
        'for name in ["a", "b"]:',
        '    Path(f"{name}.html").write_text("x")',
        'print("<goto>INDEX</goto>")',
      ),
      'INDEX.py': lines(
        'from pathlib import Path',
        'names = [path.name for path in Path(".").glob("*.html")]',
        'print(f"<result>{len(names)} pages</result>")',
      ),
    },
    ['lost-directory START.py:4:1'],
  ],
  [
    'a folder in /tmp that a state in a sandbox passes on',
    {
      'workflow.yaml': 'id: x\nsandbox: { kind: container, image: "x@sha256:0" }\n',
      'START.sh': lines(
        'set -e',
        'stage=/tmp/stage-$RAYMOND_WORKFLOW_ID',
        'mkdir -p "$stage"',
        'cp notes.txt "$stage/"',
        'echo "<goto stage=\\"$stage\\">PACK</goto>"',
      ),
      'PACK.sh': 'set -e\ntar -czf notes.tgz -C "$stage" .\necho "<result>packed</result>"\n',
    },
    ['lost-temporary-file START.sh:2:1'],
  ],
  [
    'tries that are counted in the task folder of one round',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: CHECK }', 'Write a line. <goto>CHECK</goto>'),
      'CHECK.sh': lines(
        'set -e',
        'echo x >>"$RAYMOND_TASK_FOLDER/tries.txt"',
        'count=$(wc -l <"$RAYMOND_TASK_FOLDER/tries.txt")',
        'if ((count >= 3)); then echo "<result>enough</result>"',
        'else echo "<reset task=\\"new\\">START</reset>"; fi',
      ),
    },
    ['counter-in-new-folder CHECK.sh:2:10'],
  ],
  [
    'a forked agent and the one that forks it that both miss files of the other',
    {
      'START.sh': lines(
        'for n in 1 2; do',
        '  date >"$RAYMOND_TASK_FOLDER/job-$n.txt"',
        '  echo "<fork next=\\"WAIT\\" n=\\"$n\\">WORK</fork>"',
        'done',
      ),
      'WORK.sh': lines(
        'set -eu',
        'wc -w <"$RAYMOND_TASK_FOLDER/job-$n.txt" >"$RAYMOND_TASK_FOLDER/words-$n.txt"',
        "echo '<result>counted</result>'",
      ),
      'WAIT.sh': 'echo "<await next=\\"SUM\\"/>"\n',
      'SUM.sh': lines('cat "$RAYMOND_TASK_FOLDER"/words-*.txt >all.txt', "echo '<result>done</result>'"),
    },
    ['other-task-folder START.sh:3:9'],
  ],
  [
    'a cd without the beginning of the folder that the package makes',
    {
      'START.sh': lines(
        'for name in $(cat names.txt); do',
        '  mkdir -p "inbox/claims/$name"',
        '  date >"inbox/claims/$name/claim.txt"',
        '  echo "<fork cd=\\"claims/$name\\" next=\\"WAIT\\">CHECK</fork>"',
        'done',
      ),
      'CHECK.md': prompt(RESULT, 'Read claim.txt. <result>your finding</result>'),
      ...WAIT,
    },
    ['directory-made-later START.sh:4:15'],
  ],
  [
    'a reset with a new task folder to a state that reads a file of the old one',
    {
      'START.sh': 'git rev-parse HEAD >"$RAYMOND_TASK_FOLDER/fix"\necho "<goto>PICK</goto>"\n',
      'PICK.sh': 'git cherry-pick "$(cat "$RAYMOND_TASK_FOLDER/fix")" >&2\necho "<goto>CHECK</goto>"\n',
      'CHECK.sh': lines(
        'if make; then',
        "  echo '<result>done</result>'",
        'else',
        '  echo \'<reset task="new">PICK</reset>\'',
        'fi',
      ),
    },
    ['other-task-folder CHECK.sh:4:9'],
  ],
];
