// Packages that run well: the neighbours of the mistakes in mistakes-forked.ts, mistakes-directories.ts and mistakes-unread.ts.
import { END, lines, type Files } from './kit.js';

/** What is odd about the package, and the package. */
export const RIGHT_FORKED: readonly (readonly [what: string, files: Files])[] = [
  [
    'six characters of the name of a state',
    {
      'START.sh': lines(
        'echo \'<fork lang="de" next="WAIT">TRANSLATE</fork>\'',
        'echo \'<fork lang="fr">TRANSLATE</fork>\'',
      ),
      'TRANSLATE.sh': 'echo "<result>$lang by ${RAYMOND_AGENT_ID#main_}</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.sh': lines(
        'de=$(jq -r \'.[] | select(.id == "main_transl1") | .result\' <<<"$RAYMOND_INPUT")',
        'echo "<result>$de is no main_translation</result>"',
      ),
    },
  ],
  [
    'forks of two states with their common numbers',
    {
      'START.sh': lines('echo \'<fork next="WAIT">LINT</fork>\'', "echo '<fork>TEST</fork>'"),
      'LINT.sh': 'echo "<result>lint ok</result>"\n',
      'TEST.sh': 'echo "<result>test ok</result>"\n',
      'WAIT.sh': 'echo \'<await next="PACK"/>\'\n',
      'PACK.py': lines(
        'import json, os',
        'agents = {a["id"]: a for a in json.loads(os.environ["RAYMOND_INPUT"])}',
        "print(f\"<result>{agents['main_lint1']['status']} {agents['main_test2']['status']}</result>\")",
      ),
    },
  ],
  [
    'files of forked agents after an await',
    {
      'START.sh': lines(
        'for part in a b; do echo "<fork part=\\"$part\\">COUNT</fork>"; done',
        "echo '<goto>WAIT</goto>'",
      ),
      'COUNT.sh': lines('wc -l <"$part.txt" >"count-$part.txt"', 'echo "<result>done</result>"'),
      'WAIT.sh': 'echo \'<await next="JOIN"/>\'\n',
      'JOIN.sh': 'echo "<result>$(cat count-a.txt count-b.txt)</result>"\n',
    },
  ],
  [
    'a state that looks for the files of forked agents until they are there',
    {
      'START.sh': lines(
        'for part in a b; do echo "<fork part=\\"$part\\">COUNT</fork>"; done',
        "echo '<goto>JOIN</goto>'",
      ),
      'COUNT.sh': lines('wc -l <"$part.txt" >"count-$part.txt"', 'echo "<result>done</result>"'),
      'JOIN.sh': lines(
        'until [ -s count-a.txt ] && [ -s count-b.txt ]; do sleep 5; done',
        'echo "<result>$(cat count-a.txt count-b.txt)</result>"',
      ),
    },
  ],
  [
    'a timeout after which the agent waits again',
    {
      'START.sh': lines(
        'for scene in 1 2 3; do echo "<fork scene=\\"$scene\\">RENDER</fork>"; done',
        "echo '<goto>WAIT</goto>'",
      ),
      'RENDER.sh': 'echo "<result>$scene</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE" timeout="1h" timeout_next="LATE"/>\'\n',
      'LATE.sh': lines('echo "still waiting" >&2', "echo '<goto>WAIT</goto>'"),
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a prompt that reads the files of the agents',
    {
      'START.sh': lines(
        'echo \'<fork next="WAIT" lens="style">REVIEW</fork>\'',
        'echo \'<fork lens="security">REVIEW</fork>\'',
      ),
      'REVIEW.md':
        'Review the code for {{lens}} and write your findings to review-{{lens}}.md. End with <result>done</result>.\n',
      'WAIT.sh': 'echo \'<await next="SUM_UP"/>\'\n',
      'SUM_UP.md':
        'Summarise the findings in review-style.md and review-security.md. End with <result>your summary</result>.\n',
    },
  ],
  [
    'a prompt with the list of agents',
    {
      'START.sh': lines(
        'echo \'<fork next="WAIT" lens="style">REVIEW</fork>\'',
        'echo \'<fork lens="security">REVIEW</fork>\'',
      ),
      'REVIEW.md': 'Review the code for {{lens}}. End with <result>your findings</result>.\n',
      'WAIT.sh': 'echo \'<await next="SUM_UP"/>\'\n',
      'SUM_UP.md': lines(
        'Summarise what the reviewers have found: {{input}}',
        '',
        'End with <result>your summary</result>.',
      ),
    },
  ],
  [
    'a directory that is made before the tag',
    {
      'START.sh': lines('mkdir -p repo', 'echo \'<reset cd="repo">CLONE</reset>\''),
      'CLONE.sh': lines('git init >&2', 'mkdir -p repo/docs', "echo '<goto>BUILD</goto>'"),
      'BUILD.sh': 'echo "<result>$(pwd)</result>"\n',
    },
  ],
  [
    'a file of the directory above',
    {
      'START.sh': lines(
        'echo "the plan" >plan.md',
        'mkdir -p app lib',
        'echo \'<fork cd="app" rules="../plan.md" next="WAIT">BUILD</fork>\'',
        'echo \'<fork cd="lib" rules="../plan.md">BUILD</fork>\'',
      ),
      'BUILD.sh': lines(
        'wc -l <"$rules" >lines.txt',
        'wc -l ../plan.md >&2',
        'echo "<result>$(cat lines.txt)</result>"',
      ),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$(cat app/lines.txt lib/lines.txt)</result>"\n',
    },
  ],
  [
    'a directory of the same name below itself',
    {
      'START.md':
        'Create the folder `build` and the folder `build/build`. Then reply with <reset cd="build">COMPILE</reset>\n',
      'COMPILE.md': 'Compile the sources. Then reply with <reset cd="build">TEST</reset>\n',
      'TEST.md': 'Run the tests. End with <result>ok</result>.\n',
    },
  ],
  [
    'results of agents that are parsed',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.sh': 'echo \'<result>{"high": 20, "low": 9}</result>\'\n',
      'WAIT.sh': 'echo \'<await next="TABLE"/>\'\n',
      'TABLE.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        "const failed = agents.filter((agent) => agent.status === 'failed').map((agent) => agent.error);",
        "const highs = agents.filter((agent) => agent.status === 'completed').map((agent) => JSON.parse(agent.result).high);",
        "console.log(`<goto input='${JSON.stringify(agents)}'>DONE</goto>`, failed.length, agents[0].result.length, highs);",
      ),
      'DONE.sh':
        'echo "<result>$(jq \'[.[] | select(.status == "completed") | (.result | fromjson).high] | max\' <<<"$RAYMOND_INPUT")</result>"\n',
    },
  ],
  [
    'a header, and a comment that speaks of headers',
    {
      'START.sh': lines(
        '#!/bin/bash',
        '#raymond: timeout=5m',
        '# The retries of Raymond: two, see the timeout = five minutes',
        'echo "<result>ok</result>"',
      ),
    },
  ],
  [
    'values of the manifest that are filled',
    {
      'workflow.yaml': lines('id: x', 'environment:', '  ROOT: ${HOME}/data', '  PRICE: 5 $ each', '  NAMES: a~/b'),
      'START.sh': 'echo "<result>$ROOT $PRICE $NAMES</result>"\n',
    },
  ],
  [
    'another file with the name of a manifest',
    {
      'manifest.yaml': lines('apiVersion: v1', 'kind: Service', 'metadata: { name: web }'),
      'START.sh': 'echo "<result>$(cat "$RAYMOND_STATE_DIR/manifest.yaml")</result>"\n',
    },
  ],
  [
    'an attribute that is called as a setting, and is read',
    {
      'START.sh': 'echo \'<fork delay="15" model="T4" next="DONE">WORK</fork>\'\n',
      'WORK.sh': lines('sleep "$delay"', 'echo "<result>$model</result>"'),
      'DONE.sh': 'echo "<result>ok</result>"\n',
    },
  ],
  [
    'a file that is written again in the new task folder',
    {
      'START.sh': lines('echo one >"$RAYMOND_TASK_FOLDER/note.txt"', 'echo \'<reset task="new">NEXT</reset>\''),
      'NEXT.sh': lines('echo two >"$RAYMOND_TASK_FOLDER/note.txt"', 'echo "<goto>LAST</goto>"'),
      'LAST.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/note.txt")</result>"\n',
    },
  ],
  [
    'what the calling prompt has listed',
    {
      'START.md': 'List every bug that you see. Then reply with <call return="FIX">BUILD</call>\n',
      'BUILD.md': 'Build the project. End with <result>done</result>.\n',
      'FIX.md': 'Fix all bugs that you have listed. End with <result>fixed</result>.\n',
    },
  ],
  [
    'what a called prompt says in its result',
    {
      'START.md': 'Read the code. Then reply with <call return="FIX">REVIEW</call>\n',
      'REVIEW.md': 'List every bug that you see. End with <result>the list</result>.\n',
      'FIX.md': 'Fix all bugs that you have listed: {{result}}. End with <result>fixed</result>.\n',
    },
  ],
  [
    'a state of a YAML package beside another one',
    {
      'flow.yaml': lines(
        'states:',
        '  START:',
        '    sh: |',
        '      bash "$RAYMOND_STATE_DIR/GREET.sh" >&2',
        '      date >>"$RAYMOND_STATE_DIR/log.txt"',
        '      echo "<result>$(cat "$RAYMOND_STATE_DIR/log.txt")</result>"',
        '  GREET:',
        '    sh: |',
        '      echo "hello"',
      ),
    },
  ],
  [
    'a called state that leaves for another workflow in one case',
    {
      'START.sh': 'echo \'<function return="DONE">WORK</function>\'\n',
      'WORK.sh':
        'if [ -e stop ]; then echo \'<reset-workflow>../other/</reset-workflow>\'; else echo "<result>x</result>"; fi\n',
      'DONE.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      '../other/START.sh': 'echo "<result>left</result>"\n',
    },
  ],
  [
    'a sandbox with a server of its own script',
    {
      'workflow.yaml': lines('id: x', 'sandbox: container'),
      'START.sh': lines(
        'export PATH="$HOME/.local/bin:$PATH"',
        'python3 -m http.server 8000 &',
        'curl -fsS http://localhost:8000/ >&2',
        'npm run build >&2',
        "git commit -qam 'built' >&2",
        "echo '<goto>ASK</goto>'",
      ),
      'ASK.md':
        'Explain the rates in rates.json; the help is at https://example.org/help. End with <result>the text</result>\n',
    },
  ],
  [
    'a forked agent for which no state waits, beside a state with another input',
    {
      'START.sh': 'echo "<fork n=\\"1\\">WORK</fork>"\necho "<goto input=\\"[]\\">LIST</goto>"\n',
      'WORK.sh': 'date >"$n.txt"\necho "<result>$n</result>"\n',
      'LIST.py':
        'import json, os\nagents = json.loads(os.environ["RAYMOND_INPUT"])\nprint(f"<result>{len(agents)}</result>")\n',
    },
  ],
  [
    'a timeout of an await that leads to the results as well, with a default',
    {
      'START.sh': 'for n in 1 2; do echo "<fork n=\\"$n\\" next=\\"WAIT\\">WORK</fork>"; done\n',
      'WORK.sh': 'echo "<result>$n</result>"\n',
      'WAIT.sh': 'echo \'<await next="LIST" timeout="1m" timeout_next="LATE"/>\'\n',
      'LATE.sh': 'echo "<goto>LIST</goto>"\n',
      'LIST.py':
        'import json, os\nagents = json.loads(os.environ.get("RAYMOND_INPUT", "[]"))\nprint(f"<result>{len(agents)}</result>")\n',
    },
  ],
  [
    'the directory of forked agents in an attribute that a library of the state reads',
    {
      'START.sh': 'for d in vendors/*/; do\n  echo "<fork dir=\\"$d\\" next=\\"WAIT\\">CHECK</fork>"\ndone\n',
      'CHECK.py': 'from place import place\n\nprint(f"<result>{place()}</result>")\n',
      'place.py': 'import os\n\n\ndef place():\n    return os.environ["dir"]\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
  ],
  [
    'one of two forks without the shared task folder, whose file only its agent needs',
    {
      'START.sh':
        'echo \'<fork next="WAIT" task="inherit" side="for">ARGUE</fork><fork side="against">ARGUE</fork>\'\n',
      'ARGUE.sh':
        'sort "$side.txt" >"$RAYMOND_TASK_FOLDER/$side.md"\necho "<result>$(wc -l <"$RAYMOND_TASK_FOLDER/$side.md")</result>"\n',
      'WAIT.sh': 'echo \'<await next="WEIGH"/>\'\n',
      'WEIGH.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/for.md") $RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'files in a shared task folder with a variable behind a point in their names',
    {
      'START.sh':
        'for lang in de fr; do echo "<fork lang=\\"$lang\\" task=\\"inherit\\" next=\\"WAIT\\">TRANSLATE</fork>"; done\n',
      'TRANSLATE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nTranslate menu.txt into {{lang}}. Write it into {{task_folder}}/menu.{{lang}}.txt. <result>done</result>\n',
      'WAIT.sh': 'echo \'<await next="JOIN"/>\'\n',
      'JOIN.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER"/menu.*.txt | wc -l)</result>"\n',
    },
  ],
];
