// Planted mistakes in settings that nothing reads, and in what a sandbox does not let a state reach.
import { END, lines, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const UNREAD_MISTAKES: readonly Fault[] = [
  [
    'a directory that begins with a tilde',
    {
      'START.sh': 'echo \'<reset cd="~/projects/app">BUILD</reset>\'\n',
      'BUILD.sh': 'echo "<result>$(ls)</result>"\n',
    },
    ['unexpanded-path START.sh:1:18'],
  ],
  [
    'a directory with a variable of a shell, in a prompt',
    {
      'START.md': 'Think about it. Then reply with <reset cd="$HOME/app">BUILD</reset>\n',
      'BUILD.sh': 'echo "<result>$(ls)</result>"\n',
    },
    ['unexpanded-path START.md:1:44'],
  ],
  [
    'a variable without braces in the environment',
    {
      'workflow.yaml': lines('id: x', 'environment:', '  ROOT: $HOME/data'),
      'START.sh': 'echo "<result>$(ls "$ROOT")</result>"\n',
    },
    ['environment-not-filled workflow.yaml:3:3'],
  ],
  [
    'a variable with a default in the environment',
    {
      'workflow.yaml': lines('id: x', 'environment:', '  ROOT: ${DATA_ROOT:-/srv/data}'),
      'START.sh': 'echo "<result>$(ls "$ROOT")</result>"\n',
    },
    ['environment-not-filled workflow.yaml:3:3'],
  ],
  [
    'a variable of the same environment',
    {
      'workflow.yaml': lines('id: x', 'environment:', '  BASE: /srv', '  ROOT: ${BASE}/data'),
      'START.sh': 'echo "<result>$(ls "$ROOT")</result>"\n',
    },
    ['environment-not-filled workflow.yaml:4:3'],
  ],
  [
    'a working directory that begins with a tilde',
    { 'workflow.yaml': lines('id: x', 'working_directory: ~/data'), 'START.sh': 'echo "<result>x</result>"\n' },
    ['unexpanded-path workflow.yaml:2:20'],
  ],
  [
    'a manifest with the other extension of YAML',
    {
      'workflow.yml': lines('id: x', 'environment: { CHANNEL: stable }'),
      'START.sh': 'echo "<result>$CHANNEL</result>"\n',
    },
    ['unread-manifest workflow.yml:1:1'],
  ],
  [
    'a manifest that is called so',
    {
      'manifest.yaml': lines('id: x', 'environment: { CHANNEL: stable }'),
      'START.sh': 'echo "<result>$CHANNEL</result>"\n',
    },
    ['unread-manifest manifest.yaml:1:1'],
  ],
  [
    'a header without its colon',
    { 'START.sh': lines('# raymond timeout=5m retries=2', 'make -s', "echo '<result>ok</result>'") },
    ['frontmatter-ignored START.sh:1:3'],
  ],
  [
    'a header with a capital letter',
    { 'START.sh': lines('# Raymond: timeout=5m', 'make -s', "echo '<result>ok</result>'") },
    ['frontmatter-ignored START.sh:1:3'],
  ],
  [
    'a header in a comment of another kind',
    { 'START.js': lines('/* raymond: timeout=5m */', "console.log('<result>ok</result>');") },
    ['frontmatter-ignored START.js:1:4'],
  ],
  [
    'a frontmatter of a script',
    { 'START.sh': lines('---', 'timeout: 5m', '---', "echo '<result>ok</result>'") },
    ['frontmatter-ignored START.sh:1:1'],
  ],
  [
    'a header in a prompt',
    { 'START.md': lines('# raymond: timeout=5m', 'End with <result>x</result>') },
    ['frontmatter-ignored START.md:1:1'],
  ],
  [
    'a delay of a fork',
    {
      'START.sh': 'echo \'<fork delay="10m" next="DONE">REMIND</fork>\'\n',
      'REMIND.sh': "echo '<result>reminded</result>'\n",
      'DONE.sh': "echo '<result>on its way</result>'\n",
    },
    ['setting-in-tag START.sh:1:13'],
  ],
  [
    'a model in a tag',
    {
      'START.md': 'Think. Then reply with <reset model="opus">WRITE</reset>\n',
      'WRITE.md': 'Write a poem. End with <result>the poem</result>.\n',
    },
    ['setting-in-tag START.md:1:31'],
  ],
  [
    'a library beside a YAML package, in bash',
    {
      'flow.yaml': lines(
        'states:',
        '  START:',
        '    sh: |',
        '      . "$RAYMOND_STATE_DIR/lib.sh"',
        '      echo "<result>$(greet)</result>"',
      ),
    },
    ['file-beside-yaml flow.yaml:4:10'],
  ],
  [
    'data beside a YAML package, in Python',
    {
      'flow.yaml': lines(
        'states:',
        '  START:',
        '    py: |',
        '      import json, os',
        '      terms = json.load(open(os.path.join(os.environ["RAYMOND_STATE_DIR"], "terms.json")))',
        '      print(f"<result>{len(terms)}</result>")',
      ),
    },
    ['file-beside-yaml flow.yaml:5:38'],
  ],
  [
    'an installation in a sandbox',
    { 'START.sh': lines('# raymond: sandbox=process', 'npm ci >&2', 'echo "<result>x</result>"') },
    ['no-network START.sh:2:1', 'sandbox-missing START.sh:1:1'],
  ],
  [
    'a clone by ssh in a sandbox',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.sh': lines('git clone git@github.com:acme/app.git >&2', 'echo "<result>x</result>"'),
    },
    ['no-network START.sh:1:1', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'an address in a variable, in a sandbox',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.py': lines(
        'import urllib.request',
        'URL = "https://api.example.com/rates"',
        'with urllib.request.urlopen(URL) as r:',
        '    data = r.read()',
        'print("<result>x</result>")',
      ),
    },
    ['no-network START.py:3:21', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'a host that is not below the listed domain',
    {
      'workflow.yaml': lines('id: x', 'sandbox: { kind: process, network: ["*.example.com"] }'),
      'START.sh': lines('curl -fsS https://example.com/rates >rates.json', 'echo "<result>x</result>"'),
    },
    ['no-network START.sh:1:1', 'sandbox-missing workflow.yaml:2:1', 'sandbox-not-allowed workflow.yaml:2:1'],
  ],
  [
    'a download by a prompt in a sandbox',
    {
      'START.md': lines(
        '---',
        'sandbox: process',
        '---',
        'Download https://example.com/rates.csv with curl and sum it up. End with <result>the sum</result>.',
      ),
    },
    ['no-network START.md:4:1', 'sandbox-missing START.md:2:1'],
  ],
  [
    'a server of the host, in a sandbox',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.sh': lines('curl -fsS http://localhost:8080/health >&2', 'echo "<result>x</result>"'),
    },
    ['no-network START.sh:1:1', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'a file of the home in a sandbox, in bash',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.sh': lines('. ~/.config/app/env', 'echo "<result>$APP</result>"'),
    },
    ['outside-sandbox START.sh:1:3', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'a file of the home in a sandbox, in Python',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.py': lines(
        'import os, json',
        'with open(os.path.expanduser("~/.aws/config.json")) as f:',
        '    print(f"<result>{len(json.load(f))}</result>")',
      ),
    },
    ['outside-sandbox START.py:2:19', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'a file of the folder above in a sandbox',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.sh': lines('cp report.html ../public/report.html', 'echo "<result>x</result>"'),
    },
    ['outside-sandbox START.sh:1:16', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'a file beside the state that a sandbox protects',
    {
      'workflow.yaml': lines('id: x', 'sandbox: process'),
      'START.sh': lines('date >>"$RAYMOND_STATE_DIR/history.log"', 'echo "<result>x</result>"'),
    },
    ['outside-sandbox START.sh:1:9', 'sandbox-missing workflow.yaml:2:1'],
  ],
  [
    'a credential that a sandbox does not pass',
    {
      'START.py': lines(
        '# raymond: sandbox=process',
        'import os',
        'token = os.environ["DEPLOY_TOKEN"]',
        'print(f"<result>{len(token)}</result>")',
      ),
    },
    ['outside-sandbox START.py:3:9', 'sandbox-missing START.py:1:1'],
  ],
  [
    'a call that leaves for another workflow',
    {
      'START.sh': 'echo \'<function return="DONE">WORK</function>\'\n',
      'WORK.sh': 'echo \'<reset-workflow input="x">../other/</reset-workflow>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      '../other/START.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['call-without-result-path WORK.sh:1:33'],
  ],
  [
    'the working directory of another workflow',
    {
      'START.sh': 'echo \'<function-workflow return="DONE">../other/</function-workflow>\'\n',
      'DONE.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
      '../other/workflow.yaml': lines('id: other', 'working_directory: ../data'),
      '../data/prices.csv': 'a,1\n',
      '../other/START.sh': 'echo "<result>$(cat prices.csv)</result>"\n',
    },
    ['lost-working-directory other/workflow.yaml:2:1'],
  ],
  [
    'the working directory of another workflow that forks begin',
    {
      'START.py': 'print(\'<fork-workflow next="DONE" input="x">../other/</fork-workflow>\')\n',
      'DONE.sh': 'echo "<result>x</result>"\n',
      '../other/workflow.yaml': lines('id: other', 'working_directory: ../data'),
      '../data/prices.csv': 'a,1\n',
      '../other/START.py': lines(
        'import os',
        'print("<result>" + open("prices.csv").read() + os.environ["RAYMOND_INPUT"] + "</result>")',
      ),
    },
    ['lost-working-directory other/workflow.yaml:2:1'],
  ],
  [
    'a variable of prompts in the directory of another workflow',
    {
      'START.sh': 'echo \'<fork-workflow next="DONE" cd="{{task_folder}}">../other/</fork-workflow>\'\n',
      'DONE.sh': "echo '<result>ok</result>'\n",
      '../other/START.sh': "echo '<result>ok</result>'\n",
    },
    ['unexpanded-path START.sh:1:38'],
  ],
  [
    'the directory of forked agents in an attribute that nothing reads',
    {
      'START.sh': 'for d in vendors/*/; do\n  echo "<fork dir=\\"$d\\" next=\\"WAIT\\">CHECK</fork>"\ndone\n',
      'CHECK.md': 'Check the licence in the file LICENSE. End with <result>its name</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
    ['setting-in-tag START.sh:2:15'],
  ],
];
