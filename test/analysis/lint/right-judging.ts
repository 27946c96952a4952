// Packages that are near to the mistakes in mistakes-judging.ts, but run well.
import { END, prompt, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_JUDGING: readonly (readonly [what: string, files: Files])[] = [
  [
    'a judge that corrects a file, and keeps every transition',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: PUBLISH }]\nevaluate: [{ state: JUDGE }]',
        'Write article.md, and reply with <goto>PUBLISH</goto>.',
      ),
      'JUDGE.md': prompt(
        'allowed_transitions: [{ tag: result, payload: keep }]',
        'The article: {{output}}\nCorrect typing errors in the file article.md. Then <result>keep</result>',
      ),
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
  ],
  [
    'seconds beside a comment',
    {
      'START.sh':
        "set -e\nif [ -e ready ]; then echo '<goto>END</goto>'; exit; fi\n# look again in ten seconds, for five minutes\necho '<reset delay=\"10\">START</reset>'\n",
      ...END,
    },
  ],
  [
    'milliseconds that become seconds',
    {
      'START.js': 'const waitMs = 30 * 1000;\nconsole.log(`<goto delay="${Math.round(waitMs / 1000)}">END</goto>`);\n',
      ...END,
    },
  ],
  [
    'the seconds of a timedelta',
    {
      'START.py':
        'import datetime\npause = datetime.timedelta(minutes=20).total_seconds()\nprint(f\'<goto delay="{pause}">END</goto>\')\n',
      ...END,
    },
  ],
  [
    'the seconds until tomorrow',
    {
      'START.sh':
        'set -e\nrest=$(($(date -d \'tomorrow 6:00\' +%s) - $(date +%s)))\necho "<goto delay=\\"$rest\\">END</goto>"\n',
      ...END,
    },
  ],
  [
    'a judge that looks for a name in the tag',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: goto, target: END }, { tag: goto, target: START }]\nevaluate: [{ state: JUDGE }]\n---\nWrite the page, at most twice. <goto>END</goto> or <goto>START</goto>\n',
      ...END,
      'JUDGE.sh':
        "set -e\ncase \"$transition\" in\n  *'>END.sh<'*) ;;\n  *) echo '<result>keep</result>'; exit ;;\nesac\nif grep -q title page.html; then echo '<result>keep</result>'; else echo '<goto>START</goto>'; fi\n",
    },
  ],
  [
    'a judge that writes a better poem',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: result }]\nevaluate: [{ state: JUDGE }]\n---\nWrite a poem: <result>the poem</result>\n',
      'JUDGE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nDoes this poem rhyme? {{output}}\n\nIf it does, <result>keep</result>. If not: <result>a better poem</result>\n',
    },
  ],
  [
    'a judge that fails without the page',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: goto, target: END }, { tag: goto, target: START }]\nevaluate: [{ state: JUDGE }]\n---\nWrite the page, at most twice. <goto>END</goto> or <goto>START</goto>\n',
      ...END,
      'JUDGE.py':
        'import os, sys\nif not os.path.exists("page.html"):\n    sys.exit("no page")\nif os.environ["transition"] == "<goto>END.sh</goto>" and "TODO" in os.environ["output"]:\n    print("<goto>START</goto>")\nelse:\n    print("<result>keep</result>")\n',
    },
  ],
  [
    'patterns beside the names of states',
    {
      'START.md':
        "---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\n  - { tag: goto, target: FIX }\nevaluate:\n  - { match: '(?i)\\btodo\\b', transition: '<goto>FIX</goto>' }\n  - { match: '(?i)to be fixed', transition: '<goto>FIX</goto>' }\n---\nLook at page.html. Write TODO where something is open. If it is ready: <goto>PUBLISH</goto>. If not: <goto>FIX</goto>\n",
      'FIX.sh': "echo '<result>to fix</result>'\n",
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
  ],
  [
    'a copy of a file in the task folder',
    {
      'START.sh':
        'set -e\necho \'first the walls\' >"$RAYMOND_TASK_FOLDER/plan.md"\ncp "$RAYMOND_TASK_FOLDER/plan.md" plan.md\necho \'<ask next="A" display_files="plan.md:The plan" choices="yes,no">Is it right?</ask>\'\n',
      'A.sh':
        'set -e\ncat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/shown/The plan" >&2\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a file below the working directory',
    {
      'START.sh':
        'set -e\nmkdir -p out\n(cd out && date >plan.md)\necho \'<ask next="A" display_files="out/plan.md" upload_bucket="true" upload_max_size="5000000" choices="read/write,read only">Which?</ask>\'\n',
      'A.sh':
        'set -e\ncat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/shown/plan.md" >&2\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a table with other answers',
    {
      'START.sh': 'echo \'<ask next="A" choices="yes,no">Is it right?</ask>\'\n',
      'A.py':
        'import os\nanswer = os.environ["RAYMOND_INPUT"]\nstate = {"yes": "B", "no": "C"}.get(answer, "C")\nprint(f"<goto>{state}</goto>")\n',
      'B.sh': "echo '<result>b</result>'\n",
      'C.sh': "echo '<result>c</result>'\n",
    },
  ],
  [
    'a directory that stays',
    {
      'START.sh':
        'set -e\ndir=$(mktemp -d)\ntrap \'rm -rf "$dir"\' EXIT\nout=$RAYMOND_TASK_FOLDER/out\ncp -r "$dir" "$out"\necho "<reset cd=\\"$out\\">BUILD</reset>"\n',
      'BUILD.sh': 'echo "<result>$(ls | wc -l)</result>"\n',
    },
  ],
  [
    'a judge that may write a corrected JSON object',
    {
      'START.md':
        '---\nresult: { schema: { type: object, required: [score], properties: { score: { type: integer } } } }\nevaluate: [{ state: JUDGE }]\n---\nRate the text.\n',
      'JUDGE.md': prompt(
        'allowed_transitions: [{ tag: result }]',
        'Is this fair? {{output}} If so <result>keep</result>, otherwise <result>the JSON object with a fair score</result>',
      ),
    },
  ],
];
