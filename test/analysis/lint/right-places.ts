// Packages that are near to the mistakes in mistakes-places.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';
const WAIT = { 'WAIT.sh': 'echo "<await next=\\"END\\"/>"\n', ...END };

/** What is odd, and the package. */
export const RIGHT_PLACES: readonly (readonly [what: string, files: Files])[] = [
  [
    'an input of which the prompt speaks',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: reset, target: FIX }',
        'Find the bug. End with <reset>FIX</reset>, with the path of the report as its input.',
      ),
      'FIX.md': prompt(RESULT, 'Repair what {{input}} describes. <result>the cause</result>'),
    },
  ],
  [
    'a file in the directory that the fork passes on',
    {
      'START.sh': 'mkdir -p album\necho "<reset cd=\\"album\\">SPLIT</reset>"\n',
      'SPLIT.sh': lines(
        'count=$(wc -l <titles.txt)',
        'for ((i = 1; i <= count; i++)); do echo "<fork next=\\"WAIT\\" cd=\\"$PWD\\" line=\\"$i\\">DESCRIBE</fork>"; done',
        '[ "$count" -gt 0 ] || echo "<result>none</result>"',
      ),
      'DESCRIBE.sh': 'title=$(sed -n "${line}p" titles.txt)\necho "<result>${title//\\"/}</result>"\n',
      ...WAIT,
    },
  ],
  [
    'files of the forking agent by a number, in a shared task folder',
    {
      'START.sh': lines(
        'csplit -s -f "$RAYMOND_TASK_FOLDER/chapter-" book.md "/^#/" "{*}"',
        'for i in 00 01; do echo "<fork next=\\"WAIT\\" task=\\"inherit\\" chapter=\\"$i\\">READ</fork>"; done',
      ),
      'READ.md': prompt(RESULT, 'Read {{task_folder}}/chapter-{{chapter}}. <result>the words</result>'),
      ...WAIT,
    },
  ],
  [
    'files that the forked agent writes itself',
    {
      'START.sh':
        'echo x >"$RAYMOND_TASK_FOLDER/x"\nfor i in 00 01; do echo "<fork next=\\"WAIT\\" chapter=\\"$i\\">READ</fork>"; done\n',
      'READ.md': prompt(
        RESULT,
        'Write a summary to {{task_folder}}/chapter-{{chapter}}. Then read {{task_folder}}/chapter-{{chapter}} again. <result>the words</result>',
      ),
      ...WAIT,
    },
  ],
  [
    'a request to this host, in a sandbox',
    {
      'workflow.yaml': 'id: x\nsandbox: { kind: container, image: "x@sha256:0" }\n',
      'START.sh': 'curl -fsS http://localhost:8080/ || true\necho "<result>x</result>"\n',
    },
  ],
  [
    'a list by jq',
    {
      'START.sh': 'echo "<function return=\\"COUNT\\">LIST</function>"\n',
      'LIST.md': prompt(
        'allowed_transitions:\n  - { tag: result }\nresult:\n  schema: { type: object, properties: { files: { type: array }, words: { type: string } } }',
        'List them: <result>{"files": ["a"], "words": "a b"}</result>',
      ),
      'COUNT.sh': lines(
        'n=0',
        'for file in $(jq -r \'.[]\' <<<"$RAYMOND_RESULT_files"); do n=$((n + 1)); done',
        'for word in $RAYMOND_RESULT_words; do n=$((n + 1)); done',
        'echo "<result>$n</result>"',
      ),
    },
  ],
  [
    'a counter that a prompt passes back',
    {
      'START.sh': lines(
        'if [ "${tries:-0}" -ge 5 ]; then echo "<result>gave up</result>"',
        'else echo "<goto tries=\\"$((${tries:-0} + 1))\\">REPAIR</goto>"; fi',
      ),
      'REPAIR.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: START }',
        'Repair one failure. <goto tries="{{tries}}">START</goto>',
      ),
    },
  ],
  [
    'a pattern that is anchored to its line',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result, payload: returned }\nevaluate:\n  - { match: "(?m)^APPROVED$", transition: "<goto>END</goto>" }',
        'Write the line `APPROVED` and <goto>END</goto>, or the line `NOT APPROVED` and <result>returned</result>.',
      ),
      ...END,
    },
  ],
  [
    'a file of a shared task folder by a prompt that forks, written over two lines',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: fork, target: REVIEW, next: WAIT }',
        'Note in {{task_folder}}/summary.md what it is. End with\n\n<fork next="WAIT" context="branch" task="inherit" aspect="a">REVIEW</fork>\n<fork next="WAIT" context="branch" task="inherit" aspect="b">REVIEW</fork>',
      ),
      'REVIEW.md': prompt(
        RESULT,
        'Review the {{aspect}}. Write your remarks to\n{{task_folder}}/{{aspect}}.md. <result>done</result>',
      ),
      ...WAIT,
    },
  ],
  [
    'a file of the task folder with the name of one in the working directory, which a program makes',
    {
      'START.sh': lines(`echo '{}' >"$RAYMOND_TASK_FOLDER/result.json"`, "echo '<goto>NEXT</goto>'"),
      'NEXT.sh': lines(
        'pytest -q --json-report --json-report-file=result.json >&2 || true',
        'echo "<result>$(jq .summary.failed result.json) failed</result>"',
      ),
    },
  ],
  [
    'a relative path of an agent that works in its task folder',
    {
      'START.sh': lines(
        'mkdir -p "$RAYMOND_TASK_FOLDER/part"',
        'echo 1 >"$RAYMOND_TASK_FOLDER/n.txt"',
        'echo "<reset cd=\\"$RAYMOND_TASK_FOLDER\\">NEXT</reset>"',
      ),
      'NEXT.sh': lines('echo "$(cat n.txt)" >&2', 'echo \'<reset cd="part">LAST</reset>\''),
      'LAST.sh': "echo '<result>done</result>'\n",
    },
  ],
  [
    'a file of the task folder that a loop still has, behind a prompt that writes another one',
    {
      'START.md':
        'Write a poem into {{task_folder}}/poem.txt and its idea into {{task_folder}}/idea.txt. Then end with <goto>CHECK</goto>\n',
      'CHECK.sh': lines(
        'if [ "$(wc -l <"$RAYMOND_TASK_FOLDER/poem.txt")" -gt 20 ]; then',
        "  echo '<goto>SHORTEN</goto>'",
        'else',
        "  echo '<result>ready</result>'",
        'fi',
      ),
      'SHORTEN.md': lines(
        'The poem is too long: shorten it, three times at most. Say in {{task_folder}}/changes.txt what is left out.',
        'Then end with <goto>CHECK</goto>',
      ),
    },
  ],
  [
    'a relative cd to a directory of the project, with a copy in the task folder',
    {
      'START.sh': lines(
        'mkdir -p "$RAYMOND_TASK_FOLDER/src"',
        'grep -rl TODO src/ | while read -r f; do cp "$f" "$RAYMOND_TASK_FOLDER/src/"; done',
        'echo \'<reset cd="src">WORK</reset>\'',
      ),
      'WORK.md': 'Read every file here. End with <result>a summary</result>\n',
    },
  ],
  [
    'a file of the task folder that a call writes, behind a state that writes another one',
    {
      'START.sh': lines('date >"$RAYMOND_TASK_FOLDER/start.txt"', 'echo \'<function return="DONE">WORK</function>\''),
      'WORK.sh': lines('du -s . >"$RAYMOND_TASK_FOLDER/size.txt"', "echo '<result>ok</result>'"),
      'DONE.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/size.txt") kB</result>"\n',
    },
  ],
];
