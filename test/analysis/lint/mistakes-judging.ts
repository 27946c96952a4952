// Planted mistakes in judges and patterns, durations, and questions with files.
import { END, prompt, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const JUDGING_MISTAKES: readonly Fault[] = [
  [
    'a judge that keeps everything',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\nevaluate: [{ state: JUDGE }]\n---\nWrite the page. <goto>PUBLISH</goto>\n',
      'JUDGE.md':
        '---\nallowed_transitions: [{ tag: result, payload: keep }]\n---\nCheck this page: {{output}}. Then <result>keep</result>\n',
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['judge-without-effect JUDGE.md:4:35'],
  ],
  [
    'a script as a judge that keeps everything',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\nevaluate: [{ state: JUDGE }]\n---\nWrite the page. <goto>PUBLISH</goto>\n',
      'JUDGE.sh': 'set -e\ngrep -c TODO <<<"$output" >&2 || true\necho \'<result>keep</result>\'\n',
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['judge-without-effect JUDGE.sh:3:7'],
  ],
  [
    'a judge that replaces a poem by ok',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: result }]\nevaluate: [{ state: JUDGE }]\n---\nWrite a poem: <result>the poem</result>\n',
      'JUDGE.md':
        '---\nmodel: haiku\n---\nDoes this poem rhyme? {{output}}\n\nIf it does, <result>ok</result>. If not, <result>it does not rhyme</result>\n',
    },
    ['judge-replaces-result JUDGE.md:6:13'],
  ],
  [
    'a program as a judge that replaces a poem by ok',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: result }]\nevaluate: [{ state: JUDGE }]\n---\nWrite a poem: <result>the poem</result>\n',
      'JUDGE.py':
        'import os\nlines = os.environ["output"].splitlines()\nif len(lines) > 3:\n    print("<result>OK</result>")\nelse:\n    print("<result>too short</result>")\n',
    },
    ['judge-replaces-result JUDGE.py:4:12'],
  ],
  [
    'a judge that ends with an error',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\nevaluate: [{ state: JUDGE }]\n---\nWrite the page. <goto>PUBLISH</goto>\n',
      'JUDGE.sh':
        "set -e\ngrep -q '<title>' page.html || { echo 'no title' >&2; exit 1; }\necho '<result>keep</result>'\n",
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['judge-fails JUDGE.sh:2:55'],
  ],
  [
    'a program as a judge that ends with an error',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: goto, target: END }]\nevaluate: [{ state: JUDGE }]\n---\nWrite the page. <goto>END</goto>\n',
      ...END,
      'JUDGE.py':
        'import os, sys\nif "TODO" in os.environ["output"]:\n    print("reject: there is a TODO", file=sys.stderr)\n    sys.exit(1)\nprint("<result>keep</result>")\n',
    },
    ['judge-fails JUDGE.py:4:5'],
  ],
  [
    'a transition without the name of the file',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\n  - { tag: goto, target: FIX }\nevaluate: [{ state: JUDGE }]\n---\nWrite the page. <goto>PUBLISH</goto> or <goto>FIX</goto>\n',
      'FIX.sh': "echo '<result>to repair</result>'\n",
      'JUDGE.sh':
        "set -e\nif [ \"$transition\" = '<goto>PUBLISH</goto>' ] && ! tidy -q page.html >&2; then\n  echo '<goto>FIX</goto>'\nelse\n  echo '<result>keep</result>'\nfi\n",
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['misread-transition JUDGE.sh:2:23'],
  ],
  [
    'a transition that is only a name',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\n  - { tag: goto, target: FIX }\nevaluate: [{ state: JUDGE }]\n---\nWrite the page. <goto>PUBLISH</goto> or <goto>FIX</goto>\n',
      'FIX.sh': "echo '<result>to repair</result>'\n",
      'JUDGE.py':
        'import os\nif os.environ["transition"] == "PUBLISH" and "TODO" in os.environ["output"]:\n    print("<goto>FIX</goto>")\nelse:\n    print("<result>keep</result>")\n',
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['misread-transition JUDGE.py:2:33'],
  ],
  [
    'a word of a judge in the place of JSON',
    {
      'START.md':
        '---\nresult: { schema: { type: object, required: [score], properties: { score: { type: integer } } } }\nevaluate: [{ state: JUDGE }]\n---\nRate the text.\n',
      'JUDGE.md':
        '---\nallowed_transitions:\n  - { tag: result, payload: keep }\n  - { tag: result, payload: reject }\n---\nIs this fair? {{output}} If so <result>keep</result>, otherwise <result>reject</result>\n',
    },
    ['judge-without-schema JUDGE.md:4:7'],
  ],
  [
    'a judge with an evaluate',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: goto, target: END }, { tag: goto, target: START }]\nevaluate: [{ state: JUDGE }]\n---\nWrite the page, at most twice. <goto>END</goto> or <goto>START</goto>\n',
      ...END,
      'JUDGE.md':
        "---\nallowed_transitions:\n  - { tag: result, payload: keep }\n  - { tag: goto, target: START }\nevaluate: [{ match: '(?i)unsure', transition: '<goto>START</goto>' }]\n---\nJudge {{output}}: <result>keep</result>, or <goto>START</goto>; say \"unsure\" if you are.\n",
    },
    ['evaluate-of-judge JUDGE.md:5:1'],
  ],
  [
    'a pattern that matches a tag',
    {
      'START.md':
        "---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\n  - { tag: goto, target: FIX }\nevaluate:\n  - { match: '(?i)publish', transition: '<goto>FIX</goto>' }\n---\nLook at page.html. If it is ready: <goto>PUBLISH</goto>. If not: <goto>FIX</goto>\n",
      'FIX.sh': "echo '<result>to fix</result>'\n",
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['useless-pattern START.md:6:3'],
  ],
  [
    'a pattern in lower case',
    {
      'START.md':
        "---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\nevaluate:\n  - { match: 'todo', transition: '<goto>FIX</goto>' }\n---\nWrite the page. Write TODO where something is open. <goto>PUBLISH</goto>\n",
      'FIX.sh': "echo '<result>to fix</result>'\n",
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern with the name of a file',
    {
      'START.md':
        "---\nallowed_transitions:\n  - { tag: goto, target: PUBLISH }\nevaluate:\n  - { match: '<goto>PUBLISH.sh</goto>', transition: '<goto>FIX</goto>' }\n---\nWrite the page. <goto>PUBLISH</goto>\n",
      'FIX.sh': "echo '<result>to fix</result>'\n",
      'PUBLISH.sh': "echo '<result>published</result>'\n",
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'ten seconds for ten minutes',
    {
      'START.sh':
        "set -e\nif curl -fs https://x.example/ready >&2; then echo '<goto>END</goto>'; exit; fi\n# look again in ten minutes\necho '<reset delay=\"10\">START</reset>'\n",
      ...END,
    },
    ['wrong-duration START.sh:4:14'],
  ],
  [
    'milliseconds',
    {
      'START.js':
        "const waitMs = 30 * 1000;\nconst ready = await fetch('https://x.example/ready').then((r) => r.ok, () => false);\nif (ready) console.log('<goto>END</goto>');\nelse\n  console.log(`<reset delay=\"${waitMs}\">START</reset>`);\n",
      ...END,
    },
    ['wrong-duration START.js:5:23'],
  ],
  [
    'five seconds for five minutes in a prompt',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: reset, target: START }\n---\nCheck whether the build is green. If it is: <goto>END</goto>\n\nIf not, wait five minutes and check again, at most ten times: <reset delay="5">START</reset>\n',
      ...END,
    },
    ['wrong-duration START.md:8:70'],
  ],
  [
    'a point in time in bash',
    {
      'START.sh': 'echo "<goto delay=\\"$(date -d \'tomorrow 6:00\' +%s)\\">END</goto>"\n',
      ...END,
    },
    ['wrong-duration START.sh:1:13'],
  ],
  [
    'a point in time in Python',
    {
      'START.py':
        'import datetime\nwhen = datetime.datetime.now() + datetime.timedelta(hours=6)\nprint(f\'<goto delay="{when.isoformat()}">END</goto>\')\n',
      ...END,
    },
    ['wrong-duration START.py:3:15'],
  ],
  [
    'a timedelta',
    {
      'START.py':
        'import datetime\npause = datetime.timedelta(minutes=20)\nprint(f\'<goto delay="{pause}">END</goto>\')\n',
      ...END,
    },
    ['wrong-duration START.py:3:15'],
  ],
  [
    'a file to show in the task folder',
    {
      'START.sh':
        'set -e\necho \'first the walls\' >"$RAYMOND_TASK_FOLDER/plan.md"\necho \'<ask next="A" display_files="plan.md:The plan">Is it right?</ask>\'\n',
      'A.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unshowable-file START.sh:3:21'],
  ],
  [
    'a file to show below another directory',
    {
      'START.sh':
        'set -e\nmkdir -p out && cd out && date >plan.md\necho \'<ask next="A" display_files="plan.md:The plan">Is it right?</ask>\'\n',
      'A.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unshowable-file START.sh:3:21'],
  ],
  [
    'a path to show below the task folder',
    {
      'START.py':
        'import os, pathlib\nfolder = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"])\nplan = folder / "plan.md"\nplan.write_text("first the walls")\nprint(f\'<ask next="A" display_files="{plan}:The plan">Is it right?</ask>\')\n',
      'A.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unshowable-file START.py:5:23'],
  ],
  [
    'a copy without its label',
    {
      'START.sh':
        'set -e\necho \'first the walls\' >plan.md\necho \'<ask next="A" display_files="plan.md:The plan">Is it right?</ask>\'\n',
      'A.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/shown/plan.md")</result>"\n',
    },
    ['unshowable-file A.sh:1:70'],
  ],
  [
    'choices with bars',
    {
      'START.sh': 'echo \'<ask next="A" choices="yes|no|later">Which?</ask>\'\n',
      'A.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['misread-ask-attribute START.sh:1:30'],
  ],
  [
    'a size in megabytes',
    {
      'START.sh':
        '# at most 5 MB per file\necho \'<ask next="A" upload_bucket="true" upload_max_size="5">Your photos, at most 5 MB each</ask>\'\n',
      'A.sh': 'ls "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID" >&2\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['misread-ask-attribute START.sh:2:59'],
  ],
  [
    'a table without other answers',
    {
      'START.sh': 'echo \'<ask next="A" choices="yes,no">Is it right?</ask>\'\n',
      'A.py':
        'import os\nanswer = os.environ["RAYMOND_INPUT"]\nstate = {"yes": "B", "no": "C"}[answer]\nprint(f"<goto>{state}</goto>")\n',
      'B.sh': "echo '<result>b</result>'\n",
      'C.sh': "echo '<result>c</result>'\n",
    },
    ['answer-not-among-keys A.py:3:9'],
  ],
  [
    'a directory that a trap deletes',
    {
      'START.sh': 'set -e\ndir=$(mktemp -d)\ntrap \'rm -rf "$dir"\' EXIT\necho "<reset cd=\\"$dir\\">BUILD</reset>"\n',
      'BUILD.sh': 'echo "<result>$(ls | wc -l)</result>"\n',
    },
    ['deleted-folder START.sh:4:14'],
  ],
  [
    'a directory that Python deletes',
    {
      'START.py':
        'import tempfile, subprocess\nwith tempfile.TemporaryDirectory() as folder:\n    subprocess.run(["git", "init", "-q", folder], check=True)\n    (open(folder + "/a.txt", "w")).write("x")\nprint(f\'<reset cd="{folder}">BUILD</reset>\')\n',
      'BUILD.sh': 'echo "<result>$(ls | wc -l)</result>"\n',
    },
    ['deleted-folder START.py:5:16'],
  ],
  [
    'an attribute with a reserved name',
    {
      'START.sh': 'echo \'<goto RAYMOND_MODE="fast">SHOW</goto>\'\n',
      'SHOW.sh': 'echo "<result>$RAYMOND_MODE</result>"\n',
    },
    ['unusable-attribute-name START.sh:1:13'],
  ],
  [
    'a judge whose text and policy approve with a word of their own',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: FIX }\nevaluate:\n  - { state: JUDGE }',
        'Write it. End with <goto>END</goto>, or <goto>FIX</goto>',
      ),
      'JUDGE.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: fine }\n  - { tag: goto, target: FIX }',
        'Judge {{output}}.\n\nIf it is good: <result>fine</result>\nIf not: <goto>FIX</goto>',
      ),
      'FIX.md': 'Fix it. End with <goto>END</goto>\n',
      ...END,
    },
    ['judge-contradicts-policy JUDGE.md:3:7', 'judge-contradicts-policy JUDGE.md:8:16'],
  ],
];
