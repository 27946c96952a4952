// Planted mistakes in prompts whose text and policy disagree: ignored tags, listed payloads, states in words, judges.
import { END, prompt, type Fault } from './kit.js';

const FORCED = 'allowed_transitions:\n  - { tag: goto, target: END }\nforce_implicit: true';
const FIX = { 'FIX.md': 'Fix it. Then end with <goto>END</goto>\n', ...END };
const GATE = 'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: FIX }';
const JUDGED = prompt(
  `${GATE}\nevaluate:\n  - { state: JUDGE }`,
  'Write it, and end with <goto>END</goto>, or <goto>FIX</goto>',
);

/** What is wrong, the package, and what is found in it. */
export const PROMPT_MISTAKES: readonly Fault[] = [
  [
    'a second tag beside force_implicit',
    {
      'START.md': prompt(FORCED, 'Check it.\n\nIf it is wrong, end with <goto input="what">FIX</goto>'),
      ...FIX,
    },
    ['ignored-tag START.md:8:26'],
  ],
  [
    'a result beside force_implicit',
    {
      'START.md': prompt(FORCED, '- all is well: <goto>END</goto>\n- the file is empty: <result>empty</result>'),
      ...END,
    },
    ['ignored-tag START.md:7:22'],
  ],
  [
    'an input beside force_implicit',
    {
      'START.md': prompt(FORCED, 'Reply with the sentence in this tag: `<goto input="the sentence">END</goto>`'),
      'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['ignored-tag START.md:6:39'],
  ],
  [
    'an attribute beside force_implicit',
    {
      'START.md': prompt(FORCED, 'Choose a colour, and finish with <goto colour="the colour">END</goto>'),
      'END.sh': 'echo "<result>$colour</result>"\n',
    },
    ['ignored-tag START.md:6:34'],
  ],
  [
    'a tag with a variable that a schema without a policy does not allow',
    {
      'START.md': prompt(
        'result:\n  schema: { type: object, properties: { rent: { type: number } } }',
        'Read {{input}}.\n\nIf it has no text, end with <goto file="{{input}}">SCAN</goto>',
      ),
      'SCAN.sh': 'echo "<result>$file</result>"\n',
    },
    ['policy-contradicts-text START.md:7:29', 'unbound-variable SCAN.sh:1:15'],
  ],
  [
    'several payloads in one entry',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: "yes|no" }',
        'Is it right? Answer yes or no.',
      ),
    },
    ['several-texts-in-payload START.md:3:30'],
  ],
  [
    'several payloads in words',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: accept or reject }',
        'If it is right, accept; otherwise reject it.',
      ),
    },
    ['several-texts-in-payload START.md:3:29'],
  ],
  [
    'a state in words',
    { 'START.md': 'Write it. If it is odd, go to state REVIEW. Otherwise: <goto>END</goto>\n', ...END },
    ['unknown-state-in-words START.md:1:37'],
  ],
  [
    'a state in words, with a word behind it',
    { 'START.md': '- odd: continue with the `REVIEW` state\n- right: <goto>END</goto>\n', ...END },
    ['unknown-state-in-words START.md:1:27'],
  ],
  [
    'a judge without a policy that answers ok',
    {
      'START.md': JUDGED,
      'JUDGE.md': 'Judge {{output}}.\n\nIf it is good, reply with <result>ok</result>. If not: <goto>FIX</goto>\n',
      ...FIX,
    },
    ['judge-contradicts-policy JUDGE.md:3:27'],
  ],
  [
    'a script that judges and leads to a state that the policy does not allow',
    {
      'START.md': JUDGED,
      'JUDGE.sh':
        'case "$output" in\n  *TODO*) echo "<goto>START</goto>" ;;\n  *) echo "<result>keep</result>" ;;\nesac\n',
      ...FIX,
    },
    ['judge-contradicts-policy JUDGE.sh:2:17'],
  ],
  [
    'a pattern that must match the whole reply',
    {
      'START.md': prompt(
        `${GATE}\nevaluate:\n  - { match: '^(NONE|EMPTY)$', transition: '<goto>FIX</goto>' }`,
        'Write it. If there is nothing, write NONE in a line. End with <goto>END</goto> or <goto>FIX</goto>',
      ),
      ...FIX,
    },
    ['useless-pattern START.md:6:3'],
  ],
  [
    'a tag of the next state that the text commands as well, but the policy does not allow',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: CHECK }',
        'Write the menu. If a guest must not eat nuts, write nothing and end with <goto>END</goto>. Otherwise, end with <goto>CHECK</goto>',
      ),
      'CHECK.sh': 'if [ -s menu.md ]; then echo "<result>x</result>"; else echo "<goto>END</goto>"; fi\n',
      ...END,
    },
    ['policy-contradicts-text START.md:3:7'],
  ],
  [
    'a tag in the place of the one that the policy allows',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: CHECK }',
        'Write the menu. Then end with <goto>END</goto>',
      ),
      'CHECK.sh': 'if [ -s menu.md ]; then echo "<result>x</result>"; else echo "<goto>END</goto>"; fi\n',
      ...END,
    },
    ['policy-contradicts-text START.md:5:31'],
  ],
  [
    'a policy that differs from all forks of the text',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: fork, target: FIX, next: END }',
        'End with these tags:\n\n<fork next="WAIT">FIX</fork>\n<fork next="WAIT">FIX</fork>',
      ),
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...FIX,
    },
    ['policy-contradicts-text START.md:3:7', 'unreachable-state WAIT.sh:1:1'],
  ],
  [
    'a tag of a list in a prompt that its policy lacks, and that the next state prints, too',
    {
      'START.sh': 'echo "<goto>LOOK</goto>"\n',
      'LOOK.sh': 'if [ -f wet ]; then echo "<goto>JUDGE</goto>"; else echo "<reset delay=\\"30m\\">LOOK</reset>"; fi\n',
      'JUDGE.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: LOOK }',
        '- Rain: <reset delay="30m">LOOK</reset>\n- Flood: write reasons.txt, then <goto>END</goto>',
      ),
      ...END,
    },
    ['policy-contradicts-text JUDGE.md:6:9'],
  ],
  [
    'a field of the first agent that no agent has',
    {
      'START.sh': 'echo \'<fork next="WAIT">WORK</fork>\'\n',
      'WORK.sh': 'echo "<result>x</result>"\n',
      'WAIT.sh': 'echo \'<await next="LAST">\'\n',
      'LAST.py':
        'import json\nimport os\n\nagent = json.loads(os.environ["RAYMOND_INPUT"])[0]\nprint(f"<result>{agent[\'status\']}: {agent[\'output\']}</result>")\n',
    },
    ['misread-agents LAST.py:5:44'],
  ],
];
