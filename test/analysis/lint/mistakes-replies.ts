// Planted mistakes in what a prompt wants in the reply, and in what the next state makes of it: two tags, lines of every reply, output that
// nothing shows, fixed texts, words around JSON, and choices.
import { END, lines, prompt, type Fault } from './kit.js';

export const RESULT = 'allowed_transitions:\n  - { tag: result }';
export const ANY = 'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: result }';
export const evaluated = (pattern: string): string =>
  `allowed_transitions:\n  - { tag: goto, target: END }\nevaluate:\n  - { match: '${pattern}', transition: '<goto>HOLD</goto>' }`;
export const HOLD = { 'HOLD.sh': "echo '<result>on hold</result>'\n", ...END };
export const CALL = { 'START.sh': 'echo \'<function return="USE">FIND</function>\'\n' };
export const ask = (choices: string): string => `echo '<ask next="USE" choices="${choices}">Publish it?</ask>'\n`;

/** What is wrong, the package, and what is found in it. */
export const REPLY_MISTAKES: readonly Fault[] = [
  [
    'a prompt that asks for a result first, and then for the next state',
    {
      'START.md': prompt(
        ANY,
        'First put the decisions into a tag: <result>the decisions</result>\nThen let the minutes be sent with <goto>END</goto>',
      ),
      ...END,
    },
    ['several-tags-asked START.md:6:37'],
  ],
  [
    'a prompt whose steps ask for two tags',
    {
      'START.md': prompt(
        ANY,
        '1. Translate letter.txt.\n2. Report how sure you are: <result>a number</result>\n3. Pass on to the next step: <goto>END</goto>',
      ),
      ...END,
    },
    ['several-tags-asked START.md:7:29'],
  ],
  [
    'a pattern of a line that each reply has, also for the number 0',
    {
      'START.md': prompt(
        evaluated('(?i)open risks'),
        'In your reply, write a line of the form\n`Open risks: N`, with the number of the risks, also if this number is 0.\n\nEnd with <goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern of a heading that each reply has',
    {
      'START.md': prompt(
        evaluated('(?i)open questions'),
        'Reply with two sections: "Route", and "Open questions" with what you must know, or the word "none".\n\n<goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern of a line in the form of each reply',
    {
      'START.md': prompt(
        evaluated('Blockers:'),
        'Give your reply this form:\n\nSummary: one sentence\nBlockers: what must be changed, or "none"\n\n<goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'error messages above the prompt, in a loop that counts its rounds',
    {
      'START.sh': 'echo \'<goto round="1">TEST</goto>\'\n',
      'TEST.sh': lines(
        'if python3 -m unittest 2>&1; then',
        "  echo '<result>all pass</result>'",
        'elif [ "$round" -ge 3 ]; then',
        "  echo '<result>given up</result>'",
        'else',
        '  echo "<goto round=\\"$((round + 1))\\">REPAIR</goto>"',
        'fi',
      ),
      'REPAIR.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: TEST }',
        'The tests have run, and some fail: you see the tracebacks above. Repair the code.\n\n<goto round="{{round}}">TEST</goto>',
      ),
    },
    ['unseen-output REPAIR.md:5:36'],
  ],
  [
    'numbers that a program has printed',
    {
      'START.js': "console.log('12 7 9');\nconsole.log('<goto>EXPLAIN</goto>');\n",
      'EXPLAIN.md': prompt(
        RESULT,
        'Explain the figures that the program has printed. <result>the explanation</result>',
      ),
    },
    ['unseen-output EXPLAIN.md:5:21'],
  ],
  [
    'a fixed result in the place of an abstract',
    {
      ...CALL,
      'FIND.md': prompt(
        'force_implicit: true\nallowed_transitions:\n  - { tag: result, payload: the abstract }',
        'Write an abstract of thesis.txt. Do not write it into a\nfile. End with <result>the abstract</result>',
      ),
      'USE.sh': 'cp "$RAYMOND_RESULT_FILE" abstract.txt\necho \'<result>abstract.txt</result>\'\n',
    },
    ['fixed-text-for-reply FIND.md:4:29'],
  ],
  [
    'a fixed input in the place of a translation',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: USE, input: the translated text }',
        'Translate the text in text.txt. Reply with the translation only.',
      ),
      'USE.md': prompt(RESULT, 'Is this French correct?\n\n{{input}}\n\n<result>yes</result> or <result>no</result>'),
    },
    ['fixed-text-for-reply START.md:3:38'],
  ],
  [
    'a word before the JSON of a result',
    {
      ...CALL,
      'FIND.md': prompt(RESULT, 'Who repairs the bug?\n\n<result>Team: {"team": "web", "days": 3}</result>'),
      'USE.sh': 'echo "<result>$RAYMOND_RESULT_team</result>"\n',
    },
    ['words-around-json FIND.md:7:1'],
  ],
  [
    'a sentence after the JSON of an input',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: USE }',
        `Choose a chart. <goto input='{"kind": "bar"} because it is simple'>USE</goto>`,
      ),
      'USE.py': lines(
        'import json',
        'import os',
        'chart = json.loads(os.environ["RAYMOND_INPUT"])',
        'print(f"<result>{chart[\'kind\']}</result>")',
      ),
    },
    ['words-around-json START.md:5:30'],
  ],
  [
    'a comma in a choice that the next state compares',
    {
      'START.sh': ask('Yes, roll back,No, keep it'),
      'USE.sh': lines(
        'case $RAYMOND_INPUT in',
        "'Yes, roll back') echo '<result>rolled back</result>' ;;",
        "*) echo '<result>kept</result>' ;;",
        'esac',
      ),
    },
    ['comma-in-choice START.sh:1:32'],
  ],
  [
    'a comma in a choice that a program puts into a list',
    {
      'START.js': lines(
        "const choices = ['Yes, delete all', 'No'].join(',');",
        'console.log(`<ask next="USE" choices="${choices}">Delete the logs?</ask>`);',
      ),
      'USE.js': lines(
        "const isYes = process.env.RAYMOND_INPUT === 'Yes, delete all';",
        "console.log(isYes ? '<result>deleted</result>' : '<result>kept</result>');",
      ),
    },
    ['comma-in-choice START.js:1:18'],
  ],
  [
    'a table whose keys differ from the choices in their case',
    {
      'START.sh': ask('Retry,Stop'),
      'USE.py': lines(
        'import os',
        'texts = {"retry": "again", "stop": "stopped"}',
        "print(f\"<result>{texts.get(os.environ['RAYMOND_INPUT'], '?')}</result>\")",
      ),
    },
    ['text-of-no-choice USE.py:2:10'],
  ],
  [
    'a branch for an answer that is none of the choices',
    {
      'START.sh': ask('accept,reject,postpone'),
      'USE.sh': lines(
        'if [ "$RAYMOND_INPUT" = accept ]; then',
        "  echo '<result>accepted</result>'",
        'elif [ "$RAYMOND_INPUT" = rejected ]; then',
        "  echo '<result>rejected</result>'",
        'else',
        "  echo '<result>postponed</result>'",
        'fi',
      ),
    },
    ['text-of-no-choice USE.sh:3:27'],
  ],
  [
    'a choice of two that the script compares as another word',
    {
      'START.sh': ask('accept,reject'),
      'USE.sh': lines(
        'case $RAYMOND_INPUT in',
        "approve) echo '<result>yes</result>' ;;",
        "reject) echo '<result>no</result>' ;;",
        "*) echo '<result>a remark</result>' ;;",
        'esac',
      ),
    },
    ['text-of-no-choice USE.sh:2:1'],
  ],
];
