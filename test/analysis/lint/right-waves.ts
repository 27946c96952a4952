// Packages that run well: the neighbours of the mistakes in mistakes-waves.ts.
import type { Files } from './kit.js';
import { END, lines, prompt } from './kit.js';
import { CREW, RATED, WAVES } from './mistakes-waves.js';

/** What is odd about the package, and the package. */
export const RIGHT_WAVES: readonly (readonly [what: string, files: Files])[] = [
  [
    'agents of the last wave by their names',
    {
      ...WAVES,
      'REPORT.py':
        'import json\nimport os\nagents = json.loads(os.environ["RAYMOND_INPUT"])\nprint([a["status"] for a in agents if a["attributes"]["suite"] == "load"], file=open("x", "w"))\nprint("<result>x</result>")\n',
    },
  ],
  [
    'the name of a state with its extension',
    {
      ...CREW,
      'REPORT.js':
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);\nconst found = agents.find((agent) => agent.state === "WORDS.sh");\nconsole.log(`<result>${found?.result ?? "none"}</result>`);\n',
    },
  ],
  [
    'a branch for each value, and a default that fails',
    {
      ...RATED,
      'ROUTE.sh':
        "case $RAYMOND_RESULT_severity in\n  low) echo '<result>later</result>' ;;\n  major | crit*) echo '<goto>END</goto>' ;;\n  *) exit 1 ;;\nesac\n",
      ...END,
    },
  ],
  [
    'a comment behind a text in YAML',
    {
      'flow.yaml':
        "id: x\nname: Checks # of the night\nstates:\n  START:\n    sh: echo '<result>done</result>' # the end\n",
    },
  ],
  [
    'an await after a timeout whose list goes to a state that forks again before it waits',
    {
      'START.sh': 'echo "<fork next=\\"WAIT\\" n=\\"1\\">WORK</fork><fork next=\\"WAIT\\" n=\\"2\\">WORK</fork>"\n',
      'WORK.sh': 'echo "<result>$n</result>"\n',
      'WAIT.sh': 'echo \'<await next="LIST" timeout="1h" timeout_next="LATE"/>\'\n',
      'LATE.sh': 'echo \'<await next="AGAIN" timeout="1h" timeout_next="WAIT"/>\'\n',
      'AGAIN.sh': 'echo \'<fork next="WAIT" n="3">WORK</fork>\'\n',
      'LIST.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'results that a program parses in their place, and texts of which it takes characters',
    {
      'START.sh': 'for n in 1 2; do echo "<fork next=\\"WAIT\\" n=\\"$n\\">RATE</fork>"; done\n',
      'RATE.sh': 'echo "<result>{\\"points\\": $n}</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'SUM.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'texts = [agent["result"] for agent in agents if agent["status"] == "completed"]',
        'for agent in agents:',
        '    agent["result"] = json.loads(agent["result"])',
        'votes = [agent["result"] for agent in agents if agent["status"] == "completed"]',
        'print(f"<result>{sum(vote[\'points\'] for vote in votes)} {texts[0][0]}</result>")',
      ),
    },
  ],
  [
    'a state after a timeout that waits again, and one that passes an empty list',
    {
      'START.sh': 'for n in 1 2; do echo "<fork next=\\"WAIT\\" n=\\"$n\\">LOOK</fork>"; done\n',
      'LOOK.sh': 'echo "<result>$n</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM" timeout="1h" timeout_next="LATE"/>\'\n',
      'LATE.sh': 'echo \'<await next="SUM" timeout="1h" timeout_next="STOP"/>\'\n',
      'STOP.sh': 'echo \'<goto input="[]">SUM</goto>\'\n',
      'SUM.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'print(f"<result>{len(agents)}</result>")',
      ),
    },
  ],
  [
    'forked agents that fork and wait themselves, and a state of all agents',
    {
      'START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">SPLIT</goto>"\n',
      'SPLIT.sh':
        'for part in "$RAYMOND_INPUT"/*/; do echo "<fork input=\\"$part\\">SPLIT</fork>"; done\necho "<goto>READY</goto>"\n',
      'READY.sh': 'echo "<goto>WAIT</goto>"\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
  ],
  [
    'a goto without an attribute that one branch of the next script does not use, and one that its prompt asks for',
    {
      'START.sh': 'echo "<goto topic=\\"tea\\">WORK</goto>"\n',
      'WORK.sh': lines(
        'set -u',
        'if make; then',
        '  echo "<result>done</result>"',
        'else',
        '  echo "<goto topic=\\"$topic\\">MEND</goto>"',
        'fi',
      ),
      'MEND.md': prompt(
        'allowed_transitions: [{ tag: goto, target: TEST }]',
        'Mend {{topic}}. Pass the topic {{topic}} on. <goto>TEST</goto>',
      ),
      'TEST.sh': lines(
        'set -u',
        'if [ -e tests ]; then',
        '  echo "<goto topic=\\"$topic\\">WORK</goto>"',
        'else',
        '  echo "<result>$topic: no tests</result>"',
        'fi',
      ),
    },
  ],
];
