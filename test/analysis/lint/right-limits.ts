// Packages that are near to the mistakes in mistakes-limits.ts and mistakes-again.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const GUIDE = { 'guide.md': 'Write short sentences.\n' };

/** What is odd, and the package. */
export const RIGHT_LIMITS: readonly (readonly [what: string, files: Files])[] = [
  [
    'values of the manifest from the environment, and one that a script expands',
    {
      'workflow.yaml':
        'id: x\nenvironment: { BASE: "${BASE}", OUT: "${BASE}/out", PATH: "/opt/bin:${PATH}", RUN: "ls $HOME" }\n',
      'START.sh': 'echo "<result>$(eval "$RUN") $BASE $OUT</result>"\n',
    },
  ],
  [
    'an attribute of this name for a script, and the own id of a prompt',
    {
      'START.sh': 'echo \'<goto agent_id="ada">SHOW</goto>\'\n',
      'SHOW.sh': 'echo "<goto name=\\"$agent_id\\">GREET</goto>"\n',
      'GREET.md': 'You are {{agent_id}}. Greet {{name}}. <result>the greeting</result>\n',
    },
  ],
  [
    'a timer, a longer PATH, and a PATH of one command',
    {
      'START.sh':
        'SECONDS=0\nPATH=/opt/bin:$PATH\nexport PATH="$HOME/bin:$PATH"\nPATH=/opt/bin tool\nsleep 1\necho "<result>$SECONDS</result>"\n',
    },
  ],
  [
    'a first file that is moved, one that is left out when it is done, and the first of all files',
    {
      'START.sh': lines(
        'for file in in/*.txt; do',
        '  [ -e "out/$(basename "$file")" ] && continue',
        '  echo "<goto file=\\"$file\\">READ</goto>"',
        '  exit 0',
        'done',
        "echo '<goto>FIRST</goto>'",
      ),
      'READ.md': 'Read {{file}}, and write a summary with the same name to out. <goto>START</goto>\n',
      'FIRST.py': lines(
        'from pathlib import Path',
        'logs = sorted(Path("logs").iterdir())',
        'print(f"<result>{logs[0] if logs else None}</result>")',
      ),
    },
  ],
  [
    'a state that people start by its name, as a comment says',
    {
      'START.md': 'Rate {{input}}: <result>3</result>\n',
      'ALL.py': lines(
        '# For all files: raymond start scores/ALL',
        'from pathlib import Path',
        'for file in Path(".").glob("*.md"):',
        '    print(f"<fork input=\'{file.name}\'>START</fork>")',
        'print("<goto>WAIT</goto>")',
      ),
      'WAIT.sh': 'echo \'<await next="LIST">\'\n',
      'LIST.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a text file as a prompt',
    {
      'START.sh': 'echo "<goto>JUDGE.txt</goto>"\n',
      'JUDGE.txt': 'Judge it. Is it good? <result>good</result>, otherwise <call return="END">IMPROVE</call>\n',
      'IMPROVE.md': 'Improve it, then reply with <result>the new text</result>.\n',
      'END.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'a long result that is read from its file, one for a prompt, and a filtered one',
    {
      'START.sh': 'echo \'<function return="SAVE">TABLE</function>\'\n',
      'TABLE.py': 'print("<result>" + "\\n".join(str(n) for n in range(100000)) + "</result>")\n',
      'SAVE.sh': 'cp "$RAYMOND_RESULT_FILE" table.txt\necho \'<function return="SHOW">FEW</function>\'\n',
      'FEW.py': lines(
        'few = [str(n) for n in range(100000) if n % 997 == 0]',
        'print("<result>" + " ".join(few) + "</result>")',
      ),
      'SHOW.sh': 'echo "<goto numbers=\\"$(seq -s \' \' 1 50000)\\" sum=\\"$RAYMOND_RESULT\\">READ</goto>"\n',
      'READ.md': 'Look at {{numbers}} and {{sum}}. <result>text</result>\n',
    },
  ],
  [
    'the sum and the length of many numbers, and a short list',
    {
      'START.py': lines(
        'total = sum(range(100000))',
        'rows = ["x" * 10 for n in range(1000)]',
        'print(f\'<goto total="{total}" rows="{len(rows)}" all="{",".join(rows)}">NEXT</goto>\')',
      ),
      'NEXT.sh': 'echo "<result>$total $rows $all</result>"\n',
    },
  ],
  [
    'an upload of several megabytes, and a text without an address',
    {
      'workflow.yaml': 'id: x\ninput: { mode: required, label: name of the customer without the @ }\n',
      'START.md': 'Follow @{{state_dir}}/guide.md and write to {{input}}. <goto>ASK</goto>\n',
      'ASK.sh': 'echo \'<ask next="SHOW" upload_slots="log:text/plain">Send the log, up to 2 MB.</ask>\'\n',
      'SHOW.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      ...GUIDE,
    },
  ],
  [
    'the names of changed files',
    {
      'START.sh': 'echo \'<function return="REVIEW">DIFF</function>\'\n',
      'DIFF.sh': 'echo "<result>$(git diff --name-only HEAD~1)</result>"\n',
      'REVIEW.md': 'Follow @{{state_dir}}/guide.md and review:\n{{result}}\n<result>text</result>\n',
      ...GUIDE,
    },
  ],
  [
    'answers that are written down, and a question without a text',
    {
      'START.sh': 'echo \'<ask next="NOTE" choices="tea,coffee">What do you drink?</ask>\'\n',
      'NOTE.sh': 'echo "$RAYMOND_INPUT" >>drinks.txt\necho \'<ask next="LOG" choices="yes,no">Really?</ask>\'\n',
      'LOG.sh':
        'tr -cd a-z <<<"$RAYMOND_INPUT" >&2\necho "$RAYMOND_INPUT" >>decisions.log\necho "<result>noted</result>"\n',
    },
  ],
  [
    'a default of a value that may be absent, and one of an empty value',
    {
      'START.sh': 'if [ -f x ]; then echo \'<goto mode="">NEXT</goto>\'; else echo "<goto>NEXT</goto>"; fi\n',
      'NEXT.sh': 'echo "<goto scope=\\"\\" mode=\\"${mode-fast}\\">LAST</goto>"\n',
      'LAST.sh': 'echo "<result>${scope:-all} $mode</result>"\n',
    },
  ],
  [
    'a variable of a command that the prompt itself sets',
    {
      'START.sh': 'echo \'<goto stage="beta">RUN</goto>\'\n',
      'RUN.md': 'Run `stage={{stage}}; ./deploy --stage "$stage"`. <result>ok</result>\n',
    },
  ],
  [
    'a variable in the input of an entry, and a reply that may have an input',
    {
      'START.md': prompt(
        "allowed_transitions:\n  - { tag: goto, target: DRAFT, input: '{{input}}' }",
        'Tidy up for {{input}}.',
      ),
      'DRAFT.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: SAVE }',
        'Write a slogan for {{input}} and put it into the input of the tag.',
      ),
      'SAVE.sh': 'echo "$RAYMOND_INPUT" >slogan.txt\necho "<result>ok</result>"\n',
    },
  ],
  [
    'a retried script that is prepared for its folder',
    {
      'START.sh': lines(
        '# raymond: retries=2',
        'set -e',
        'rm -rf build',
        'mkdir build',
        'mkdir -p out',
        '[ -d repo ] || git clone https://example.com/repo repo',
        'curl -fsS "https://example.com/$RAYMOND_TURN_ID" >build/x',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.py': lines(
        '# raymond: retries=2',
        'import os, urllib.request',
        'os.makedirs("pages", exist_ok=True)',
        'page = urllib.request.urlopen("https://example.com").read()',
        'print(f"<result>{len(page)} {os.environ[\'RAYMOND_TURN_ID\']}</result>")',
      ),
    },
  ],
  [
    'a retried script in which nothing fails after its folder, and a loop that removes the folder',
    {
      'START.sh': '# raymond: retries=2\nset -e\nmkdir "out-$RAYMOND_TURN_ID"\necho "<goto>BUILD</goto>"\n',
      'BUILD.sh': 'set -e\nmkdir build\ncp -r src/. build/\necho "<goto>CHECK</goto>"\n',
      'CHECK.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: BUILD }\n  - { tag: result }',
        'Look at build, at most 3 times. Correct src, remove build and write <goto>BUILD</goto>, or end with <result>ok</result>',
      ),
    },
  ],
  [
    'background processes that a script in a sandbox waits for',
    {
      'START.sh': '# raymond: sandbox=container\n./one &\n./two &\nwait\necho "<goto>NEXT</goto>"\n',
      'NEXT.sh': './serve >serve.log 2>&1 &\necho "<result>ok</result>"\n',
    },
  ],
  [
    'comments about Raymond, and a header',
    {
      'START.sh':
        '#!/bin/bash\n# Raymond: this script prints the date.\n# raymond: timeout=60s\necho "<result>$(date)</result>"\n',
    },
  ],
  [
    'a warning of a tag, and a text about a missing tag',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result, payload: none }',
        'Never write <goto target="END"/>. If you write no tag, the turn fails. Write <goto>END</goto> or <result>none</result>',
      ),
      ...END,
    },
  ],
  [
    'a model and an effort of pi',
    {
      'START.md': prompt('backend: pi\neffort: minimal\nmodel: openai/gpt-5', 'Say hello. <goto>NEXT</goto>'),
      'NEXT.md': prompt('effort: off', 'Say hello. <result>hello</result>'),
    },
  ],
  [
    'an answer that is kept if it is not the first choice',
    {
      'START.sh':
        'echo "<ask next=\\"KEEP\\" choices=\\"submit,withdraw\\">Submit $RAYMOND_INPUT? If not, why?</ask>"\n',
      'KEEP.sh': lines(
        'case "$RAYMOND_INPUT" in',
        '  submit) echo "<result>submitted</result>" ;;',
        '  *)',
        '    printf \'%s\\n\' "$RAYMOND_INPUT" >why.txt',
        '    echo "<result>not submitted</result>"',
        '    ;;',
        'esac',
      ),
    },
  ],
];
