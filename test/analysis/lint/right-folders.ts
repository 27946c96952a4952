// Packages that are near to the mistakes in mistakes-folders.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';
const WAIT = { 'WAIT.sh': 'echo "<await next=\\"END\\"/>"\n', ...END };

/** What is odd, and the package. */
export const RIGHT_FOLDERS: readonly (readonly [what: string, files: Files])[] = [
  [
    'pages of the directory of a reset, with the directory in each fork',
    {
      'START.sh': 'mkdir -p unpacked\ntar -xzf pages.tgz -C unpacked\necho "<reset cd=\\"unpacked\\">PLAN</reset>"\n',
      'PLAN.sh': lines(
        'pages=(*.html)',
        'for page in "${pages[@]}"; do echo "<fork cd=\\".\\" page=\\"$page\\">AUDIT</fork>"; done',
        'echo "<goto>WAIT</goto>"',
      ),
      'AUDIT.sh': 'echo "<result>$(wc -l <"$page")</result>"\n',
      ...WAIT,
    },
  ],
  [
    'pages that forked agents look for below the directory of the run',
    {
      'START.sh': 'mkdir -p unpacked\ntar -xzf pages.tgz -C unpacked\necho "<reset cd=\\"unpacked\\">PLAN</reset>"\n',
      'PLAN.sh': 'for page in *.html; do echo "<fork page=\\"$page\\">AUDIT</fork>"; done\necho "<goto>WAIT</goto>"\n',
      'AUDIT.sh': 'echo "<result>$(wc -l <"unpacked/$page")</result>"\n',
      ...WAIT,
    },
  ],
  [
    'files of forked agents in a shared task folder',
    {
      'START.sh': 'echo \'<fork next="WAIT" task="inherit" chapter="one">WRITE</fork>\'\n',
      'WRITE.md': prompt(RESULT, 'Write chapter {{chapter}} to {{task_folder}}/{{chapter}}.md. <result>saved</result>'),
      'WAIT.sh': 'echo "<await next=\\"MERGE\\"/>"\n',
      'MERGE.sh': 'set -e\ncd "$RAYMOND_TASK_FOLDER"\ncat one.md >tale.md\necho "<result>done</result>"\n',
    },
  ],
  [
    'files after cd that the next script names with their directory',
    {
      'START.sh': 'set -e\nmkdir -p out\ncd out\nprintf "hello\\n" >index.html\necho "<goto>PACK</goto>"\n',
      'PACK.sh': 'set -e\ntar -cf site.tar out/index.html\necho "<result>packed</result>"\n',
    },
  ],
  [
    'a folder in /tmp without a sandbox',
    {
      'START.sh': 'set -e\nstage=/tmp/stage-1\nmkdir -p "$stage"\necho "<goto stage=\\"$stage\\">PACK</goto>"\n',
      'PACK.sh': 'set -e\ntar -czf notes.tgz -C "$stage" .\necho "<result>packed</result>"\n',
    },
  ],
  [
    'tries that are counted in one task folder',
    {
      'START.md': prompt('allowed_transitions:\n  - { tag: goto, target: CHECK }', 'Write a line. <goto>CHECK</goto>'),
      'CHECK.sh': lines(
        'set -e',
        'echo x >>"$RAYMOND_TASK_FOLDER/tries.txt"',
        'count=$(wc -l <"$RAYMOND_TASK_FOLDER/tries.txt")',
        'if ((count >= 3)); then echo "<result>enough</result>"',
        'else echo "<reset>START</reset>"; fi',
      ),
    },
  ],
  [
    'a task folder that forked agents share with the one that forks them',
    {
      'START.sh': lines(
        'for n in 1 2; do',
        '  date >"$RAYMOND_TASK_FOLDER/job-$n.txt"',
        '  echo "<fork next=\\"WAIT\\" task=\\"inherit\\" n=\\"$n\\">WORK</fork>"',
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
  ],
  [
    'a cd with the whole path of the folder',
    {
      'START.sh': lines(
        'for name in $(cat names.txt); do',
        '  mkdir -p "inbox/claims/$name"',
        '  date >"inbox/claims/$name/claim.txt"',
        '  echo "<fork cd=\\"inbox/claims/$name\\" next=\\"WAIT\\">CHECK</fork>"',
        'done',
      ),
      'CHECK.md': prompt(RESULT, 'Read claim.txt. <result>your finding</result>'),
      ...WAIT,
    },
  ],
  [
    'a reset with a new task folder to a state that writes the file if it is not there',
    {
      'START.sh': 'git rev-parse HEAD >"$RAYMOND_TASK_FOLDER/fix"\necho "<goto>PICK</goto>"\n',
      'PICK.sh': lines(
        '[ -s "$RAYMOND_TASK_FOLDER/fix" ] || git rev-parse HEAD >"$RAYMOND_TASK_FOLDER/fix"',
        'git cherry-pick "$(cat "$RAYMOND_TASK_FOLDER/fix")" >&2',
        'echo "<goto>CHECK</goto>"',
      ),
      'CHECK.sh': lines(
        'if make; then',
        "  echo '<result>done</result>'",
        'else',
        '  echo \'<reset task="new">PICK</reset>\'',
        'fi',
      ),
    },
  ],
  [
    'forked agents that change a text into another one by the rules of a file in the shared task folder',
    {
      'START.sh': 'cp rules.md "$RAYMOND_TASK_FOLDER/rules.md"\necho "<goto>FORK</goto>"\n',
      'FORK.py': `for n in "ab":\n    print(f'<fork next="WAIT" task="inherit" page="{n}">WORK</fork>')\n`,
      'WORK.md': 'Turn page {{page}} into prose from the rules in {{task_folder}}/rules.md. <result>done</result>',
      'WAIT.sh': `echo '<await next="LAST"/>'\n`,
      'LAST.sh': 'cat "$RAYMOND_TASK_FOLDER/rules.md" >&2\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
];
