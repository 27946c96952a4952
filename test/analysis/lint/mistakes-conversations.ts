// Planted mistakes about what the model does not see, about patterns of replies, and about tags that pass less than was meant.
import { END, lines, prompt, type Fault } from './kit.js';

const RESULT = 'allowed_transitions: [{ tag: result }]';
const TO_END = 'allowed_transitions: [{ tag: goto, target: END }]';
const REQUIRED = { 'workflow.yaml': 'id: x\ninput: { mode: required }\n' };
const CHECK = lines('set -e', 'bash -n job || true', "echo '<goto>FIX</goto>'");

/** A prompt with patterns that lead to FIX. */
const judged = (patterns: readonly string[], body: string): string =>
  prompt(
    lines(
      TO_END,
      'evaluate:',
      ...patterns.map((one) => `  - { match: '${one}', transition: '<goto>FIX</goto>' }`),
    ).trim(),
    body,
  );
const FIX = { 'FIX.md': prompt(TO_END, 'Correct page.md, then end with <goto>END</goto>') };

/** What is wrong, the package, and what is found in it. */
export const CONVERSATION_MISTAKES: readonly Fault[] = [
  [
    'a prompt that sees above what a script printed',
    {
      'START.sh': CHECK,
      'FIX.md': prompt(TO_END, 'You see above what the tests have printed. Repair it. <goto>END</goto>'),
      ...END,
    },
    ['unseen-output FIX.md:4:9'],
  ],
  [
    'a number before the words about what a check printed',
    {
      'START.sh': CHECK.replace('<goto>', '<goto count="3">'),
      'FIX.md': prompt(
        TO_END,
        '{{count}} scripts are wrong. Correct what the check has printed\nabove. <goto>END</goto>',
      ),
      ...END,
    },
    ['unseen-output FIX.md:4:47'],
  ],
  [
    'what a linter printed, without a word about where it is',
    { 'START.sh': CHECK, 'FIX.md': prompt(TO_END, 'Repair what the linter printed. <goto>END</goto>'), ...END },
    ['unseen-output FIX.md:4:8'],
  ],
  [
    'what the model named before a reset',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: reset, target: FIX }]',
        'Name the weaknesses of essay.md. End with <reset>FIX</reset>',
      ),
      'FIX.md': prompt(TO_END, 'Remove the three weaknesses that you have named. End with <goto>END</goto>'),
      ...END,
    },
    ['unseen-conversation START.md:4:43'],
  ],
  [
    'the text above in a function, and an earlier reply in a forked agent',
    {
      'START.md': 'Write a poem in your reply. End with <function return="MORE">JUDGE</function>',
      'JUDGE.md': prompt(RESULT, 'Judge the poem above. <result>your verdict</result>'),
      'MORE.sh': `echo '<fork next="END">SHOW</fork>'\n`,
      'SHOW.md': prompt(RESULT, 'Take the first idea of your previous reply. <result>it</result>'),
      ...END,
    },
    ['unseen-conversation START.md:1:38', 'unseen-conversation MORE.sh:1:7'],
  ],
  [
    'the input of an entry that the written tag does not have',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: SEND, input: all }, { tag: result }]',
        'End with <goto>SEND</goto>, or with <result>nothing</result>',
      ),
      'SEND.sh': lines('set -eu', 'echo "<result>$RAYMOND_INPUT</result>"'),
    },
    ['unfilled-attribute START.md:2:25'],
  ],
  [
    'the attribute of the only entry, for a program',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: SEND, list: all }]',
        'Write letter.md. End your reply with exactly this tag: <goto>SEND</goto>',
      ),
      'SEND.py': lines('import os', 'print(f"<result>{os.environ[\'list\']}</result>")'),
    },
    ['unfilled-attribute START.md:2:25'],
  ],
  [
    'a title without quotes, and one in a fence, under force_implicit',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: SAVE }]\nforce_implicit: true',
        'End your reply with this tag, with a title and no quotes:\n<goto title="the title">SAVE</goto>',
      ),
      'SAVE.md': prompt(
        'allowed_transitions: [{ tag: goto, target: END }]\nforce_implicit: true',
        'Count the words. End with this tag:\n\n```\n<goto words="the number">END</goto>\n```',
      ),
      ...END,
    },
    ['ignored-tag SAVE.md:8:1', 'ignored-tag START.md:6:1'],
  ],
  [
    'a reset to the first state without its input',
    {
      ...REQUIRED,
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Describe {{input}}. <goto>COUNT</goto>',
      ),
      'COUNT.sh': lines(
        'set -e',
        'if [ -e tried ]; then',
        "  echo '<result>done</result>'",
        'else',
        '  touch tried',
        "  echo '<reset>START</reset>'",
        'fi',
      ),
    },
    ['value-not-repeated COUNT.sh:6:9'],
  ],
  [
    'a reset to a later state without its attribute',
    {
      'START.sh': `echo '<goto topic="tea">WRITE</goto>'\n`,
      'WRITE.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Describe {{topic}}. <goto>COUNT</goto>',
      ),
      'COUNT.py': lines(
        'import os',
        'if os.path.exists("page.md"):',
        '    print("<result>done</result>")',
        'else:',
        '    print("<reset>WRITE</reset>")',
      ),
    },
    ['value-not-repeated COUNT.py:5:12'],
  ],
  [
    'a goto back to a prompt without its attribute',
    {
      'START.sh': `echo '<goto topic="tea">WRITE</goto>'\n`,
      'WRITE.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Describe {{topic}}. <goto>COUNT</goto>',
      ),
      'COUNT.sh': lines(
        'if [ -s page.md ]; then',
        "  echo '<result>done</result>'",
        'else',
        "  echo '<goto>WRITE</goto>'",
        'fi',
      ),
    },
    ['value-not-repeated COUNT.sh:4:9'],
  ],
  [
    'a goto back to a script that needs its input',
    {
      ...REQUIRED,
      'START.js': lines(
        'const fs = require("fs");',
        'fs.writeFileSync("topic.txt", process.env.RAYMOND_INPUT);',
        'console.log("<goto>WRITE</goto>");',
      ),
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
    ['value-not-repeated COUNT.sh:4:9'],
  ],
  [
    'a pattern that matches the line that the text demands',
    {
      'START.md': judged(
        ['(?i)\\btodo\\b'],
        'Write page.md. End with these two lines:\n\nTODO left: 0\n<goto>END</goto>',
      ),
      ...FIX,
      ...END,
    },
    ['useless-pattern START.md:4:3'],
  ],
  [
    'a pattern that matches both lines of which the text wants one',
    {
      'START.md': judged(
        ['Result:'],
        'Check page.md. The last line but one is either "Result: fine" or "Result: wrong". End with <goto>END</goto>',
      ),
      ...FIX,
      ...END,
    },
    ['useless-pattern START.md:4:3'],
  ],
  [
    'a pattern of several words that matches the negation',
    {
      'START.md': judged(
        ['(?im)^verdict:.*\\bready\\b'],
        'Write "Verdict: ready" or "Verdict: not ready". <goto>END</goto>',
      ),
      ...FIX,
      ...END,
    },
    ['pattern-of-opposite START.md:4:3'],
  ],
  [
    'a pattern below a more general one',
    {
      'START.md': prompt(
        lines(
          TO_END,
          'evaluate:',
          `  - { match: '(?i)\\berror\\b', transition: '<goto>FIX</goto>' }`,
          `  - { match: '(?i)\\berror: (no memory|no disk)\\b', transition: '<goto>END</goto>' }`,
        ).trim(),
        'Quote log.txt. End with <goto>END</goto>',
      ),
      ...FIX,
      ...END,
    },
    ['hidden-pattern START.md:5:3'],
  ],
  [
    'addresses that programs find, beside a file that is included',
    {
      'START.py': lines(
        'import re',
        'found = None',
        String.raw`found = re.search(r"From: .*?([\w.]+@[\w.]+)", open("mail.txt").read())`,
        `print(f'<goto sender="{found.group(1)}">WRITE</goto>')`,
      ),
      'WRITE.md': prompt(TO_END, '@{{state_dir}}/rules.txt\n\nWrite to {{sender}}. <goto>END</goto>'),
      'END.sh': lines('who=$(git log -1 --format=%ae)', 'echo "<goto who=\\"$who\\">LAST</goto>"'),
      'LAST.md': prompt(RESULT, '@{{state_dir}}/rules.txt\n\nThank {{who}}. <result>it</result>'),
      'rules.txt': 'Be brief.\n',
    },
    ['file-not-read LAST.md:4:1', 'file-not-read WRITE.md:4:1', 'unquotable-value END.sh:2:19'],
  ],
  [
    'forks without the conversation of an earlier prompt',
    {
      'START.md': 'Read essay.md. End with <goto>PANEL</goto>\n',
      'PANEL.sh': `echo '<fork next="WAIT" part="style">JUDGE</fork>'\necho '<fork next="WAIT" part="plot">JUDGE</fork>'\n`,
      'JUDGE.md': prompt(
        RESULT,
        'Judge the {{part}} of the essay that you have read above. <result>your verdict</result>',
      ),
      'WAIT.sh': `echo '<await next="LIST"/>'\n`,
      'LIST.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['unseen-conversation PANEL.sh:1:7'],
  ],
  [
    'an earlier reply in a run without an earlier prompt',
    {
      'START.sh': `echo '<function return="LIST">SHOW</function>'\n`,
      'SHOW.md': prompt(RESULT, 'Take the first idea of your previous reply. <result>it</result>'),
      'LIST.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
    ['unseen-conversation SHOW.md:4:21'],
  ],
  [
    'a function that speaks of an earlier text, and of a file that earlier states only read',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: TEST }]',
        'Read `prices.csv` and write a menu into `menu.txt`. End with <goto>TEST</goto>',
      ),
      'TEST.sh': 'set -e\nsort prices.csv\necho \'<function return="END">CHECK</function>\'\n',
      'CHECK.md': prompt(RESULT, 'Compare `prices.csv` with the menu that you wrote above. <result>verdict</result>'),
      ...END,
    },
    ['unseen-conversation TEST.sh:3:7'],
  ],
  [
    'an attribute that a prompt passes by another name than the prompt before',
    {
      'START.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }]',
        'Choose a shelf: <goto shelf="the number">COUNT</goto>',
      ),
      'COUNT.sh': 'set -eu\nwc -l "shelves/$shelf"\necho "<goto shelf=\\"$shelf\\">CHECK</goto>"\n',
      'CHECK.md': prompt(
        'allowed_transitions: [{ tag: goto, target: COUNT }, { tag: result }]',
        'Count {{shelf}} again, at most twice: <goto row="{{shelf}}">COUNT</goto>. Or <result>counted</result>',
      ),
    },
    ['value-not-repeated CHECK.md:4:39'],
  ],
];
