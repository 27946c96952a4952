// Planted mistakes in the directories of agents, and in what scripts read of the agents that an <await> gives.
import { lines, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const DIRECTORY_MISTAKES: readonly Fault[] = [
  [
    'a reset into a directory that the next state clones',
    {
      'START.sh': 'echo \'<reset cd="repo">CLONE</reset>\'\n',
      'CLONE.sh': lines('git clone --depth 1 https://example.com/app.git repo >&2', "echo '<goto>BUILD</goto>'"),
      'BUILD.sh': 'make -s && echo "<result>built</result>" || echo "<result>broken</result>"\n',
    },
    ['directory-made-later START.sh:1:14'],
  ],
  [
    'a reset into a directory that the next program makes',
    {
      'START.py': 'print(\'<reset cd="work">PREPARE</reset>\')\n',
      'PREPARE.py': lines('import os', 'os.makedirs("work", exist_ok=True)', 'print("<goto>RUN</goto>")'),
      'RUN.sh': lines('pwd >where.txt', 'echo "<result>ok</result>"'),
    },
    ['directory-made-later START.py:1:15'],
  ],
  [
    'a reset into a directory that the next prompt clones',
    {
      'START.md': 'Read the issue {{input}}. Then reply with <reset cd="checkout">CLONE</reset>\n',
      'CLONE.md': 'Clone https://example.com/app.git into the folder `checkout` and reply with <goto>FIX</goto>.\n',
      'FIX.md': 'Fix the bug. End with <result>done</result>.\n',
    },
    ['directory-made-later START.md:1:50'],
  ],
  [
    'a fork into a directory that its own state makes',
    {
      'START.sh': 'echo \'<fork cd="site" next="WAIT">BUILD</fork>\'\n',
      'BUILD.sh': lines('mkdir -p site', 'echo hi >index.html', 'echo "<result>ok</result>"'),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['directory-made-later START.sh:1:13'],
  ],
  [
    'a second reset into the directory where the agent already works',
    {
      'START.sh': lines('mkdir -p build', 'echo \'<reset cd="build">COMPILE</reset>\''),
      'COMPILE.sh': lines('make -C .. >log.txt 2>&1 || true', 'echo \'<reset cd="build">TEST</reset>\''),
      'TEST.sh': 'echo "<result>$(tail -n 1 log.txt)</result>"\n',
    },
    ['file-in-other-directory TEST.sh:1:27', 'growing-directory COMPILE.sh:2:14'],
  ],
  [
    'a second reset of a prompt into the directory where it already works',
    {
      'START.md': 'Create the folder `build`. Then reply with <reset cd="build">COMPILE</reset>\n',
      'COMPILE.md': 'Compile the sources in `..` into this folder. Then reply with <reset cd="build">TEST</reset>\n',
      'TEST.md': 'Run the tests. End with <result>ok</result>.\n',
    },
    ['growing-directory COMPILE.md:1:70'],
  ],
  [
    'a file that is left in the directory above, in bash',
    {
      'START.sh': lines('echo "the plan" >plan.md', 'mkdir -p app', 'echo \'<reset cd="app">BUILD</reset>\''),
      'BUILD.sh': lines('wc -l plan.md >lines.txt', 'echo "<result>$(cat lines.txt)</result>"'),
    },
    ['file-in-other-directory BUILD.sh:1:7'],
  ],
  [
    'a file that is left in the directory above, in prompts',
    {
      'START.md':
        'Write the plan to `plan.md` and create the folder `app`. Then reply with <reset cd="app">BUILD</reset>\n',
      'BUILD.md': 'Read plan.md and build what it describes in this folder. End with <result>done</result>.\n',
    },
    ['file-in-other-directory BUILD.md:1:6'],
  ],
  [
    'a file of the parent that agents in other directories read',
    {
      'START.sh': lines(
        'echo "the plan" >plan.md',
        'mkdir -p app lib',
        'echo \'<fork cd="app" next="WAIT">BUILD</fork>\'',
        'echo \'<fork cd="lib">BUILD</fork>\'',
      ),
      'BUILD.sh': lines('wc -l <plan.md >lines.txt', 'echo "<result>$(cat lines.txt)</result>"'),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['file-in-other-directory BUILD.sh:1:8'],
  ],
  [
    'a path that a prompt passes to agents in other directories',
    {
      'START.md': lines(
        'Look at the folders `app` and `lib`. Write the common rules to rules.md. Then reply with',
        '<fork cd="app" rules="rules.md" next="WAIT">CHECK</fork><fork cd="lib" rules="rules.md">CHECK</fork>',
      ),
      'CHECK.md':
        'Read {{rules}} and check every file in this folder against it. End with <result>your findings</result>.\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['file-in-other-directory START.md:2:16', 'file-in-other-directory START.md:2:72'],
  ],
  [
    'a path that begins in the directory of the parent, beside cd',
    {
      'START.sh': lines(
        'mkdir -p services/api services/web',
        'for s in api web; do echo "<fork cd=\\"services/$s\\" folder=\\"services/$s\\">CHECK</fork>"; done',
        "echo '<goto>WAIT</goto>'",
      ),
      'CHECK.sh': lines('n=$(find "$folder" -name \'*.go\' | wc -l)', 'echo "<result>$n</result>"'),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['file-in-other-directory START.sh:2:53'],
  ],
  [
    'files of agents in other directories that the parent reads in its own',
    {
      'START.sh': lines(
        'mkdir -p a b',
        'echo \'<fork cd="a" next="WAIT">CHECK</fork>\'',
        'echo \'<fork cd="b">CHECK</fork>\'',
      ),
      'CHECK.sh': lines('ls | wc -l >count.txt', 'echo "<result>ok</result>"'),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$(cat count.txt)</result>"\n',
    },
    ['file-in-other-directory DONE.sh:1:21'],
  ],
  [
    'a path that a prompt in another directory passes to an agent at the start',
    {
      'START.md': 'Clone the repository into `app`. Then reply with <reset cd="app">SPLIT</reset>\n',
      'SPLIT.md':
        'List the packages. For each reply with a tag such as <fork path="packages/core" next="WAIT">CHECK</fork>\n',
      'CHECK.md': 'Check the files in {{path}}. End with <result>your findings</result>.\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['file-in-other-directory SPLIT.md:1:60'],
  ],
  [
    'a file that a call has written in another directory',
    {
      'START.sh': 'echo \'<function return="DONE">WORK</function>\'\n',
      'WORK.sh': lines('mkdir -p build', 'echo \'<reset cd="build">MAKE</reset>\''),
      'MAKE.sh': lines('echo 42 >answer.txt', "echo '<result>ok</result>'"),
      'DONE.sh': 'echo "<result>$(cat answer.txt)</result>"\n',
    },
    ['file-in-other-directory DONE.sh:1:21'],
  ],
  [
    'a file of the task folder before the reset, in bash',
    {
      'START.sh': lines('echo one >"$RAYMOND_TASK_FOLDER/note.txt"', 'echo \'<reset task="new">NEXT</reset>\''),
      'NEXT.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/note.txt")</result>"\n',
    },
    ['other-task-folder NEXT.sh:1:21'],
  ],
  [
    'a file of the task folder before the reset, in prompts',
    {
      'START.md': 'Write the outline to {{task_folder}}/outline.md. Then reply with <reset task="new">WRITE</reset>\n',
      'WRITE.md': 'Read {{task_folder}}/outline.md and write the chapters. End with <result>done</result>.\n',
    },
    ['other-task-folder WRITE.md:1:6'],
  ],
  [
    'a field of the result of an agent, in Python',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.py': lines('import json', 'print("<result>" + json.dumps({"high": 20, "low": 9}) + "</result>")'),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'highs = [a["result"]["high"] for a in agents]',
        'print(f"<result>{max(highs)}</result>")',
      ),
    },
    ['misread-agents DONE.py:3:13'],
  ],
  [
    'a field of the result of an agent, in jq',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.sh': 'echo \'<result>{"high": 20, "low": 9}</result>\'\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': lines('high=$(jq \'[.[].result.high] | max\' <<<"$RAYMOND_INPUT")', 'echo "<result>$high</result>"'),
    },
    ['misread-agents DONE.sh:1:17'],
  ],
  [
    'a field of the result of an agent, in JavaScript',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.md': lines(
        '---',
        'allowed_transitions:',
        '  - { tag: result }',
        'result:',
        '  schema: { type: object, required: [high], properties: { high: { type: number } } }',
        '---',
        'Forecast {{city}}. End with <result>{"high": 20}</result>.',
      ),
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        'const highs = agents.map((agent) => agent.result.high);',
        'console.log(`<result>${Math.max(...highs)}</result>`);',
      ),
    },
    ['misread-agents DONE.js:2:43'],
  ],
  [
    'the result of an agent that has failed, in Python',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.sh': 'echo "<result>$city</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'for a in agents:',
        '    if a["status"] == "failed":',
        '        raise SystemExit(a["result"])',
        'print("<result>ok</result>")',
      ),
    },
    ['misread-agents DONE.py:5:29'],
  ],
  [
    'the result of an agent that has failed, in JavaScript',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.sh': 'echo "<result>$city</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        'const failed = agents.filter((a) => a.status === "failed").map((a) => a.result);',
        'console.log(`<result>${failed.join()}</result>`);',
      ),
    },
    ['misread-agents DONE.js:2:79'],
  ],
  [
    'the result of an agent that has failed, in jq',
    {
      'START.sh': 'echo \'<fork next="WAIT" city="Rome">FORECAST</fork>\'\n',
      'FORECAST.sh': 'echo "<result>$city</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': lines(
        'failed=$(jq -r \'.[] | select(.status == "failed") | .result\' <<<"$RAYMOND_INPUT")',
        'echo "<result>$failed</result>"',
      ),
    },
    ['misread-agents DONE.sh:1:54'],
  ],
  [
    'the input of a fork among its attributes',
    {
      'START.sh': lines(
        'echo \'<fork next="WAIT" input="Rome">FORECAST</fork>\'',
        'echo \'<fork input="Oslo">FORECAST</fork>\'',
      ),
      'FORECAST.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'by_city = {a["attributes"]["input"]: a["result"] for a in agents}',
        'print(f"<result>{by_city[\'Rome\']}</result>")',
      ),
    },
    ['misread-agents DONE.py:3:29'],
  ],
  [
    'a state that the agent has left',
    {
      'START.sh': 'echo \'<fork next="WAIT">COLLECT</fork>\'\n',
      'COLLECT.sh': "echo '<goto>CLEAN</goto>'\n",
      'CLEAN.sh': 'echo "<result>a</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'found = [a["result"] for a in agents if a["state"] == "COLLECT.sh"]',
        'print(f"<result>{found[0]}</result>")',
      ),
    },
    ['misread-agents DONE.py:3:41'],
  ],
  [
    'an agent behind the last one, in Python',
    {
      'START.sh': lines('echo \'<fork next="WAIT">LINT</fork>\'', "echo '<fork>TEST</fork>'"),
      'LINT.sh': 'echo "<result>a</result>"\n',
      'TEST.sh': 'echo "<result>b</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        "print(f\"<result>{agents[1]['result']} {agents[2]['result']}</result>\")",
      ),
    },
    ['misread-agents DONE.py:3:47'],
  ],
  [
    'an agent behind the last one, in jq',
    {
      'START.sh': lines('echo \'<fork next="WAIT">LINT</fork>\'', "echo '<fork>TEST</fork>'"),
      'LINT.sh': 'echo "<result>a</result>"\n',
      'TEST.sh': 'echo "<result>b</result>"\n',
      'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
      'DONE.sh': lines(
        'lint=$(jq -r \'.[1].result\' <<<"$RAYMOND_INPUT")',
        'test=$(jq -r \'.[2].result\' <<<"$RAYMOND_INPUT")',
        'echo "<result>$lint $test</result>"',
      ),
    },
    ['misread-agents DONE.sh:2:17'],
  ],
  [
    'a list that was made in a call which returns only done',
    {
      'START.md': 'Read the code. Then reply with <call return="FIX">REVIEW</call>\n',
      'REVIEW.md': 'List every bug that you see, with file and line. End with <result>done</result>.\n',
      'FIX.md': 'Fix all bugs that you have listed. End with <result>fixed</result>.\n',
    },
    ['unseen-conversation FIX.md:1:19'],
  ],
];
