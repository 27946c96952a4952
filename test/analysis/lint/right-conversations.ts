// Packages that are near to the mistakes in mistakes-conversations.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const RESULT = 'allowed_transitions: [{ tag: result }]';
const TO_END = 'allowed_transitions: [{ tag: goto, target: END }]';
const CHECK = lines('set -e', 'bash -n job >job.log 2>&1 || true', "echo '<goto>FIX</goto>'");

/** What is odd, and the package. */
export const RIGHT_CONVERSATIONS: readonly (readonly [what: string, files: Files])[] = [
  [
    'what a check printed into a file',
    {
      'START.sh': CHECK,
      'FIX.md': prompt(TO_END, 'Repair what the check printed to job.log. <goto>END</goto>'),
      ...END,
    },
  ],
  [
    'what a check printed, in the prompt',
    {
      'START.sh': lines('set -e', 'list=$(ls | wc -l)', 'echo "<goto list=\\"$list\\">FIX</goto>"'),
      'FIX.md': prompt(TO_END, 'The check says:\n\n{{list}}\n\nRepair what it has printed above. <goto>END</goto>'),
      ...END,
    },
  ],
  [
    'what the model named before a goto, and in a branch of its conversation',
    {
      'START.md': 'Name three weaknesses of essay.md. End with <goto>MORE</goto>',
      'MORE.md': 'Sort the weaknesses that you have named. End with <fork next="END" context="branch">FIX</fork>',
      'FIX.md': prompt(RESULT, 'Repair the first of the weaknesses that you have named. <result>it</result>'),
      ...END,
    },
  ],
  [
    'what the model named before a reset, in a value and in a file',
    {
      'START.md': 'Name the worst weakness of essay.md. End with <reset input="the weakness">FIX</reset>',
      'FIX.md': prompt(
        'allowed_transitions: [{ tag: reset, target: REST }]',
        'Repair the weakness that you have named: {{input}}. Write the others to rest.md. <reset>REST</reset>',
      ),
      'REST.md': prompt(TO_END, 'Repair the weaknesses that you have listed in rest.md. <goto>END</goto>'),
      ...END,
    },
  ],
  [
    'a fresh prompt that refers to its own words',
    {
      'START.sh': "echo '<reset>FIX</reset>'\n",
      'FIX.md': prompt(
        TO_END,
        'Name five words for an idea. Choose the best of those that you have named above. <goto>END</goto>',
      ),
      ...END,
    },
  ],
  [
    'the input of an entry with a tag that repeats it, and of the only entry without a tag',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: SEND, input: all }, { tag: result }]',
        'End with <goto input="all">SEND</goto>, or with <result>nothing</result>',
      ),
      'SEND.md': prompt(
        'allowed_transitions: [{ tag: goto, target: LAST, input: one }]',
        'Write letter.md for {{input}}.',
      ),
      'LAST.sh': lines('set -eu', 'echo "<result>$RAYMOND_INPUT</result>"'),
    },
  ],
  [
    'a tag that the text forbids under force_implicit',
    {
      'START.md': prompt(
        `${TO_END}\nforce_implicit: true`,
        'Write page.md. Do not end with a tag such as this one:\n<goto title="x">END</goto>',
      ),
      ...END,
    },
  ],
  [
    'a goto and a reset with the input back to the first state',
    {
      'workflow.yaml': 'id: x\ninput: { mode: required }\n',
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Describe {{input}}. <goto>COUNT</goto>',
      ),
      'COUNT.sh': lines(
        'set -e',
        'if [ -e tried ]; then',
        "  echo '<result>done</result>'",
        'elif [ -e page.md ]; then',
        '  touch tried',
        "  echo '<goto>START</goto>'",
        'else',
        '  touch tried',
        `  echo '<reset input="tea">START</reset>'`,
        'fi',
      ),
    },
  ],
  [
    'a goto back to a script that needs its input only the first time',
    {
      'workflow.yaml': 'id: x\ninput: { mode: required }\n',
      'START.sh': lines('set -eu', '[ -f topic.txt ] || echo "$RAYMOND_INPUT" >topic.txt', "echo '<goto>WRITE</goto>'"),
      'WRITE.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Describe what topic.txt names. <goto>COUNT</goto>',
      ),
      'COUNT.sh': lines(
        'if [ -s page.md ]; then',
        "  echo '<result>done</result>'",
        'else',
        "  echo '<goto>START</goto>'",
        'fi',
      ),
    },
  ],
  [
    'patterns for one of several lines, in an order in which each counts',
    {
      'START.md': prompt(
        lines(
          TO_END,
          'evaluate:',
          `  - { match: 'Result: wrong', transition: '<goto>FIX</goto>' }`,
          `  - { match: '(?i)\\bcannot read\\b', transition: '<result>not read</result>' }`,
          `  - { match: '(?i)\\bcannot\\b', transition: '<goto>FIX</goto>' }`,
        ).trim(),
        'The last line but one is "Result: fine" or "Result: wrong". If you fail, write the line "I cannot". <goto>END</goto>',
      ),
      'FIX.md': prompt(TO_END, 'Correct page.md. <goto>END</goto>'),
      ...END,
    },
  ],
  [
    'a name that a program finds before an @, beside a file that is included',
    {
      'START.py': lines(
        'import re',
        String.raw`found = re.search(r"([\w.]+)@", open("mail.txt").read())`,
        `print(f'<goto sender="{found.group(1)}">WRITE</goto>')`,
      ),
      'WRITE.md': prompt(TO_END, '@{{state_dir}}/rules.txt\n\nWrite to {{sender}}. <goto>END</goto>'),
      'rules.txt': 'Be brief.\n',
      ...END,
    },
  ],
  [
    'forks of one reply that share a next, in a prompt with a policy',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: fork, target: WORK, next: END }]',
        'End with these tags:\n\n<fork item="tea" next="END">WORK</fork>\n<fork item="milk">WORK</fork>',
      ),
      'WORK.md': prompt(RESULT, 'Describe {{item}}. <result>it</result>'),
      ...END,
    },
  ],
  [
    'a function that names the file of an earlier text',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: TEST }]',
        'Read `prices.csv` and write a menu into `menu.txt`. End with <goto>TEST</goto>',
      ),
      'TEST.sh': 'set -e\nsort prices.csv\necho \'<function return="END">CHECK</function>\'\n',
      'CHECK.md': prompt(
        RESULT,
        'Compare `prices.csv` with the menu that you wrote earlier, `menu.txt`. <result>x</result>',
      ),
      ...END,
    },
  ],
  [
    'an attribute that two prompts pass by the same name',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Choose a shelf: <goto shelf="the number">COUNT</goto>',
      ),
      'COUNT.sh': 'set -eu\nwc -l "shelves/$shelf"\necho "<goto shelf=\\"$shelf\\">CHECK</goto>"\n',
      'CHECK.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }, { tag: result }]',
        'Count {{shelf}} again, at most twice: <goto shelf="{{shelf}}">COUNT</goto>. Or <result>counted</result>',
      ),
    },
  ],
];
