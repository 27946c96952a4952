// Planted mistakes in what agents, questions and YAML texts pass on.
import { END, lines, prompt, type Fault, type Files } from './kit.js';

/** Two waves of forks, each with an `<await>`. */
export const WAVES: Files = {
  'START.sh':
    'echo \'<fork suite="lint">RUN</fork>\'\necho \'<fork suite="unit">RUN</fork>\'\necho "<goto>FIRST</goto>"\n',
  'FIRST.sh': 'echo \'<await next="MORE"/>\'\n',
  'MORE.sh': 'echo \'<fork suite="load" next="SECOND">RUN</fork>\'\n',
  'SECOND.sh': 'echo \'<await next="REPORT"/>\'\n',
  'RUN.sh': 'echo "<result>$suite</result>"\n',
};

/** A script that gets the results of two states. */
export const CREW: Files = {
  'START.sh': 'echo \'<fork next="WAIT">LINES</fork>\'\necho \'<fork next="WAIT">WORDS</fork>\'\n',
  'WAIT.sh': 'echo \'<await next="REPORT"/>\'\n',
  'LINES.sh': 'echo "<result>1</result>"\n',
  'WORDS.sh': 'echo "<result>2</result>"\n',
};

/** A prompt whose result has one of three severities. */
export const RATED: Files = {
  'START.sh': 'echo \'<function return="ROUTE">RATE</function>\'\n',
  'RATE.md': prompt(
    'allowed_transitions:\n  - { tag: result }\nresult:\n  schema: { type: object, required: [severity], properties: { severity: { enum: [low, major, critical] } } }',
    'Rate it: <result>{"severity": "low"}</result>',
  ),
};

/** What is wrong, the package, and what is found in it. */
export const WAVE_MISTAKES: readonly Fault[] = [
  [
    'an agent that an earlier await has delivered',
    {
      ...WAVES,
      'REPORT.py': lines(
        'import json',
        'import os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'results = {agent["attributes"]["suite"]: agent["status"] for agent in agents}',
        `print(f"<result>{results['lint']} {results['load']}</result>")`,
      ),
    },
    ['agents-of-earlier-await REPORT.py:5:27'],
  ],
  [
    'the name of a state without its extension',
    {
      ...CREW,
      'REPORT.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        'const found = agents.find((agent) => agent.state === "WORDS");',
        'console.log(`<result>${found?.result ?? "none"}</result>`);',
      ),
    },
    ['state-without-extension REPORT.js:2:55'],
  ],
  [
    'a forked agent that goes to the state which collects',
    {
      ...CREW,
      'LINES.sh': 'echo \'<goto input="1">REPORT</goto>\'\n',
      'REPORT.py': lines(
        'import json',
        'import os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'print("<result>" + ", ".join(agent["status"] for agent in agents) + "</result>")',
      ),
    },
    ['collected-by-worker LINES.sh:1:23'],
  ],
  [
    'a value of a result without a branch, in bash',
    {
      ...RATED,
      'ROUTE.sh': lines(
        'case $RAYMOND_RESULT_severity in',
        "  low) echo '<result>later</result>' ;;",
        "  critical) echo '<goto>END</goto>' ;;",
        '  *) exit 1 ;;',
        'esac',
      ),
      ...END,
    },
    ['unhandled-value ROUTE.sh:1:1'],
  ],
  [
    'a value of a result without a branch, in Python',
    {
      ...RATED,
      'ROUTE.py': lines(
        'import os',
        'import sys',
        'severity = os.environ["RAYMOND_RESULT_severity"]',
        'if severity == "low":',
        '    print("<result>later</result>")',
        'elif severity == "critical":',
        '    print("<goto>END</goto>")',
        'else:',
        '    sys.exit("unknown severity")',
      ),
      ...END,
    },
    ['unhandled-value ROUTE.py:4:1'],
  ],
  [
    'a prompt that ends at a number sign',
    {
      'flow.yaml':
        'id: x\nstates:\n  START:\n    prompt: Answer issue #{{input}}. Then end with <result>done</result>\n',
    },
    ['dead-end-state flow.yaml:3:3', 'text-in-comment flow.yaml:4:26'],
  ],
  [
    'a question with a bucket and slots, put together by a program',
    {
      'START.js': lines(
        "const attributes = ['next=\"END\"', 'upload_bucket=\"true\"', 'upload_slots=\"cover\"'].join(' ');",
        'console.log(`<ask ${attributes}>Which picture?</ask>`);',
      ),
      ...END,
    },
    ['bad-attribute-value START.js:1:60'],
  ],
  [
    'the input of a fork, read where the forking agent continues',
    {
      'START.sh': 'echo \'<fork next="WAIT" input="Q1">WORK</fork>\'\n',
      'WORK.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo "${RAYMOND_INPUT:-none}" >quarter\necho \'<await next="END"/>\'\n',
      ...END,
    },
    ['unbound-variable WAIT.sh:1:7'],
  ],
  [
    'a variable that is exported for a state with a default for it',
    {
      'START.sh': 'export stage=production\necho "<goto>END</goto>"\n',
      'END.sh': 'echo "<result>${stage:-preview}</result>"\n',
    },
    ['lost-export START.sh:1:1'],
  ],
  [
    'an await after a timeout whose list goes to the first await',
    {
      'START.sh': 'echo "<fork next=\\"WAIT\\" n=\\"1\\">WORK</fork><fork next=\\"WAIT\\" n=\\"2\\">WORK</fork>"\n',
      'WORK.sh': 'echo "<result>$n</result>"\n',
      'WAIT.sh': 'echo \'<await next="LIST" timeout="1h" timeout_next="LATE"/>\'\n',
      'LATE.sh': 'echo "<print>late</print>"\necho \'<await next="WAIT"/>\'\n',
      'LIST.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['await-without-fork LATE.sh:2:20'],
  ],
  [
    'results that a program keeps without parsing them, and of which it reads fields',
    {
      'START.sh': 'for n in 1 2; do echo "<fork next=\\"WAIT\\" n=\\"$n\\">RATE</fork>"; done\n',
      'RATE.md': prompt(
        'result: { schema: { type: object, required: [points], properties: { points: { type: integer } } } }',
        'Give points to recipe {{n}}.',
      ),
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'SUM.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'votes = [agent["result"] for agent in agents if agent["status"] == "completed"]',
        'print(f"<result>{sum(vote[\'points\'] for vote in votes)}</result>")',
      ),
    },
    ['misread-agents SUM.py:3:16'],
  ],
  [
    'a state after a timeout that goes to the reader of the list without a second await',
    {
      'START.sh': 'for n in 1 2; do echo "<fork next=\\"WAIT\\" n=\\"$n\\">LOOK</fork>"; done\n',
      'LOOK.sh': 'echo "<result>$n</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM" timeout="1h" timeout_next="LATE"/>\'\n',
      'LATE.sh': "echo '<goto>SUM</goto>'\n",
      'SUM.py': lines(
        'import json, os',
        'agents = json.loads(os.environ["RAYMOND_INPUT"])',
        'print(f"<result>{len(agents)}</result>")',
      ),
    },
    ['value-not-repeated LATE.sh:1:7'],
  ],
  [
    'a forked agent that goes to the state which waits for the forked agents',
    {
      ...CREW,
      'LINES.sh': 'wc -l *.txt >lines.txt\necho "<goto>WAIT</goto>"\n',
      'REPORT.sh': 'cat lines.txt\necho "<result>counted</result>"\n',
    },
    ['collected-by-worker LINES.sh:2:13'],
  ],
  [
    'a goto without an attribute that each branch of the next script uses',
    {
      'START.sh': 'echo "<goto topic=\\"tea\\">WORK</goto>"\n',
      'WORK.sh': lines(
        'set -u',
        'if make; then',
        '  echo "<result>$topic: done</result>"',
        'else',
        '  echo "<goto topic=\\"$topic\\">MEND</goto>"',
        'fi',
      ),
      'MEND.md': prompt(
        'allowed_transitions: [{ tag: goto, target: WORK }]',
        'Mend the topic {{topic}}. <goto>WORK</goto>',
      ),
    },
    ['value-not-repeated MEND.md:4:27'],
  ],
];
