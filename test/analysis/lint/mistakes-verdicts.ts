// Planted mistakes in patterns that are compared with the labels of the reply, in judges that do not see the reply, and in their answers.
import { END, lines, prompt, type Fault } from './kit.js';

const evaluated = (pattern: string): string =>
  `allowed_transitions:\n  - { tag: goto, target: END }\nevaluate:\n  - { match: '${pattern}', transition: '<goto>HOLD</goto>' }`;
const HOLD = { 'HOLD.sh': "echo '<result>on hold</result>'\n", ...END };
const JUDGED = {
  ...HOLD,
  'START.md': prompt(
    'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: HOLD }\nevaluate:\n  - { state: JUDGE }',
    'Write a speech for {{input}} in your reply. End with <goto>END</goto>, or with <goto>HOLD</goto> if you are not sure.',
  ),
  'workflow.yaml': 'id: speech\ninput: { mode: required, label: occasion }\n',
};
const JUDGE = 'model: haiku\nallowed_transitions:\n  - { tag: result, payload: keep }\n  - { tag: goto, target: HOLD }';

/** What is wrong, the package, and what is found in it. */
export const VERDICT_MISTAKES: readonly Fault[] = [
  [
    'a pattern of a count below the sentence that wants it in each reply',
    {
      'START.md': prompt(
        evaluated('ERRORS: '),
        'Count the errors in server.log. The last line before the tag must be the count, also if it is 0:\n\nERRORS: 0\n\nThen end with <goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern of a row of the table that each reply has',
    {
      'START.md': prompt(
        evaluated('Hazardous goods'),
        'Read freight.csv. Your reply starts with a table, with these rows:\n\n| Question | Answer |\n| --- | --- |\n| Weight | in kilograms |\n| Hazardous goods | the rows, or "none" |\n\nUnderneath, write <goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern of a heading in the outline of each reply',
    {
      'START.md': prompt(
        evaluated('## Open items'),
        'Sum up the talk in your reply. Keep to this outline:\n\n## Decisions\n\nEach in one sentence.\n\n## Open items\n\nWho does what, or "None."\n\nEnd with <goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern of a label with each of its values',
    {
      'START.md': prompt(
        evaluated('RISK:'),
        'Explain the change. The line before the tag is your estimate of the risk: RISK: low, RISK: medium or RISK: high.\n\n<goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern without the bold letters of the text',
    {
      'START.md': prompt(
        evaluated('Verdict: reject'),
        'Review essay.md. Below the review, write one of these lines:\n\n**Verdict:** accept\n**Verdict:** reject\n\nThen end with <goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern with values that the text does not offer',
    {
      'START.md': prompt(
        evaluated('Severity: (high|critical)'),
        'Sum up incident.txt. Then add a line of the form `Severity: X`, where X is one of minor, major and blocker. End with <goto>END</goto>',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern at the beginning for a line below the summary',
    {
      'START.md': prompt(
        evaluated('^RED FLAG:').replace('END }', 'END }\n  - { tag: result }'),
        'Sum up lease.txt. After the summary, write a line that begins with "RED FLAG:" for each bad clause. The last line is <goto>END</goto> or <result>no lease</result>.',
      ),
      ...HOLD,
    },
    ['useless-pattern START.md:6:3'],
  ],
  [
    'a judge that speaks of a speech that it does not see',
    {
      ...JUDGED,
      'JUDGE.md': prompt(
        JUDGE,
        'You sit in the audience. Is the speech boring?\n\nIf not: <result>keep</result>. If so: <goto>HOLD</goto>',
      ),
    },
    ['unseen-reply JUDGE.md:7:1'],
  ],
  [
    'a judge that sees only the rules, not the reply',
    {
      ...JUDGED,
      'JUDGE.md': prompt(
        JUDGE,
        'Compare the speech above with the rules in @{{state_dir}}/rules.txt.\n\nIf it keeps them: <result>keep</result>. If not: <goto>HOLD</goto>',
      ),
      'rules.txt': 'Be short.\n',
    },
    ['unseen-reply JUDGE.md:7:1'],
  ],
  [
    'a program as a judge that reads another variable',
    {
      ...JUDGED,
      'JUDGE.js': lines(
        "const reply = process.env.OUTPUT ?? '';",
        "console.log(reply.length > 900 ? '<goto>HOLD</goto>' : '<result>keep</result>');",
      ),
    },
    ['unseen-reply JUDGE.js:1:15'],
  ],
  [
    'a script as a judge that reads stdin',
    {
      ...JUDGED,
      'JUDGE.sh': lines(
        'set -e',
        'reply=$(cat)',
        'if [ "${#reply}" -gt 900 ]; then',
        "  echo '<goto>HOLD</goto>'",
        'else',
        "  echo '<result>keep</result>'",
        'fi',
      ),
    },
    ['unseen-reply JUDGE.sh:2:7'],
  ],
  [
    'a pattern that a line of counts always matches',
    {
      'START.md': prompt(
        "allowed_transitions:\n  - { tag: result }\n  - { tag: goto, target: HOLD }\nevaluate:\n  - { match: '(?i)fail', transition: '<goto>HOLD</goto>' }",
        lines(
          'Read test.log. Begin your reply with one line of this form:',
          '',
          'Passed: 120, failed: 0',
          '',
          'End with <result>ok</result> or <goto>HOLD</goto>',
        ),
      ),
      'HOLD.sh': "echo '<result>on hold</result>'\n",
    },
    ['useless-pattern START.md:6:3'],
  ],
  [
    'a pattern that matches an attribute of the tag',
    {
      'START.md': prompt(
        "allowed_transitions:\n  - { tag: goto, target: SHOW }\nevaluate:\n  - { match: '(?i)delay|cancel', transition: '<goto>HOLD</goto>' }",
        'Say what the drivers write. End with <goto delay="90s">SHOW</goto>',
      ),
      'SHOW.sh': 'echo "<result>shown</result>"\n',
      'HOLD.sh': "echo '<result>on hold</result>'\n",
    },
    ['useless-pattern START.md:5:3'],
  ],
  [
    'a pattern that also matches the line for nothing',
    {
      'START.md': prompt(
        "allowed_transitions:\n  - { tag: result }\nevaluate:\n  - { match: '(?i)todo', transition: '<goto>HOLD</goto>' }",
        'The last line says what is open. If nothing is open, it is `TODO: none`. End with <result>ok</result>',
      ),
      'HOLD.sh': "echo '<result>on hold</result>'\n",
    },
    ['pattern-of-opposite START.md:5:3'],
  ],
  [
    'a judge with a schema',
    {
      ...JUDGED,
      'JUDGE.md': prompt(
        'result:\n  schema: { type: object, required: [good], properties: { good: { type: boolean } } }',
        'Is this speech good?\n\n{{output}}',
      ),
    },
    ['unknown-verdict JUDGE.md:2:1'],
  ],
  [
    'a word of a function as the answer of a judge',
    {
      ...JUDGED,
      'JUDGE.py': lines(
        'import os',
        '',
        '',
        'def verdict(text):',
        '    return "shorten" if len(text) > 900 else "keep"',
        '',
        '',
        'print(f"<result>{verdict(os.environ[\'output\'])}</result>")',
      ),
    },
    ['unknown-verdict JUDGE.py:8:9'],
  ],
];
