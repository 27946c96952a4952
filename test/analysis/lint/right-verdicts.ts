// Packages that are near to the mistakes in mistakes-verdicts.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const evaluated = (...patterns: readonly string[]): string =>
  [
    'allowed_transitions:\n  - { tag: goto, target: END }\nevaluate:',
    ...patterns.map((pattern) => `  - { match: '${pattern}', transition: '<goto>HOLD</goto>' }`),
  ].join('\n');
const HOLD = { 'HOLD.sh': "echo '<result>on hold</result>'\n", ...END };
const JUDGED =
  'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: HOLD }\nevaluate:\n  - { state: JUDGE }';
const JUDGE = 'model: haiku\nallowed_transitions:\n  - { tag: result, payload: keep }\n  - { tag: goto, target: HOLD }';

/** What is odd, and the package. */
export const RIGHT_VERDICTS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a pattern of a form for some replies',
    {
      'START.md': prompt(
        evaluated('FAILED:'),
        'Look at backup.log. For each host whose backup is not complete, write a line of this form into your reply:\n\n    FAILED: <name of the host>\n\nIf all are complete, say so. End with <goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern of a line that may be missing',
    {
      'START.md': prompt(
        evaluated('Missing papers:'),
        'Reply in this form:\n\nApplicant: the name\nMissing papers: a list\n\nLeave the second line out if nothing is missing. End with <goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern of some values in a form',
    {
      'START.md': prompt(
        evaluated('Vulnerable packages: [1-9]', '(?i)toxicity=(?:[89]|10)'),
        'Your answer must have exactly this layout:\n\n```\nVulnerable packages: 3\n```\n\nThen rate the tone as `toxicity=N`, where N is a number from 0 to 10. End with <goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern of one of two words, and of a form that a file has',
    {
      'START.md': prompt(
        evaluated('HIGH', 'Priority'),
        'The ticket in ticket.txt has this form:\n\nTitle: one line\nPriority: low or high\n\nAnswer it. End the answer with one of these words:\n\nHIGH: data was lost\nLOW: nothing was lost\n\nThen end with <goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern of what other patterns leave',
    {
      'START.md': prompt(
        evaluated('Severity: blocker').concat("\n  - { match: 'Severity:', transition: '<result>listed</result>' }"),
        'Sum up incident.txt. Then add a line of the form `Severity: X`, where X is one of minor, major and blocker. End with <goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern with a colon after the words of the text',
    {
      'START.md': prompt(
        evaluated('(?m)^CANNOT REPRODUCE:'),
        'If the report lacks what you need, begin a line of your reply with the words `CANNOT REPRODUCE`, a colon and the reason. End with <goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a judge that reads the file with the text',
    {
      'START.md': prompt(
        JUDGED,
        'Write a speech into speech.txt, and reply with <goto>END</goto> or <goto>HOLD</goto>.',
      ),
      'JUDGE.md': prompt(
        JUDGE,
        'Read speech.txt. Is the speech good? <result>keep</result>, or else <goto>HOLD</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a judge that looks at the changes itself',
    {
      'START.md': prompt(
        JUDGED,
        'Fix the bug in src/. Reply with a summary, and <goto>END</goto> or <goto>HOLD</goto>.',
      ),
      'JUDGE.md': prompt(
        JUDGE,
        'Look at the git diff. Is the bug fixed? <result>keep</result>, or else <goto>HOLD</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a judge that sees the text in the tag',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result }\n  - { tag: goto, target: HOLD }\nevaluate:\n  - { state: JUDGE }',
        'Translate speech.txt: <result>the translation</result>, or <goto>HOLD</goto>',
      ),
      'JUDGE.md': prompt(
        JUDGE,
        'Is the translation in this tag good English? {{transition}}\n\n<result>keep</result>, or <goto>HOLD</goto>',
      ),
      'HOLD.sh': "echo '<result>on hold</result>'\n",
    },
  ],
  [
    'a judge that decides by the day',
    {
      'START.md': prompt(JUDGED, 'Is the build in build.json ready? <goto>END</goto> or <goto>HOLD</goto>'),
      'JUDGE.md': prompt(
        JUDGE,
        'If today is a Friday or a holiday in Poland: <goto>HOLD</goto>, else <result>keep</result>',
      ),
      ...HOLD,
    },
  ],
  [
    'judges that read a file, and all variables by their names',
    {
      'START.md': prompt(JUDGED, 'Write page.html, and reply with <goto>END</goto> or <goto>HOLD</goto>'),
      'JUDGE.py': lines(
        'import os',
        '',
        'names = ("output", "transition")',
        'values = {name: os.environ[name] for name in names}',
        'if "TODO" in values["output"]:',
        '    print("<goto>HOLD</goto>")',
        'else:',
        '    print("<result>keep</result>")',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern that looks for a count above 0 in a line of counts',
    {
      'START.md': prompt(
        "allowed_transitions:\n  - { tag: result }\nevaluate:\n  - { match: 'failed: [1-9]', transition: '<goto>HOLD</goto>' }",
        'Read test.log. Begin your reply with one line of this form:\n\nPassed: 120, failed: 0\n\nEnd with <result>ok</result>',
      ),
      'HOLD.sh': "echo '<result>on hold</result>'\n",
    },
  ],
  [
    'attributes with the quotes of a function',
    {
      'START.py': lines(
        'import os',
        'from billing import quote',
        'for name in os.environ["RAYMOND_INPUT"].split():',
        '    customer = quote(name)',
        '    print(f"<fork customer={customer}>BILL</fork>")',
        'print("<goto>END</goto>")',
      ),
      'billing.py': 'from xml.sax.saxutils import quoteattr as quote\n',
      'BILL.sh': 'echo "<result>$customer</result>"\n',
      ...END,
    },
  ],
  [
    'a judge that writes a result of its own as JSON',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result }\nevaluate:\n  - { state: JUDGE }',
        'Write a haiku: <result>the haiku</result>',
      ),
      'JUDGE.py': lines(
        'import json',
        'import os',
        '',
        'text = os.environ["transition"].removeprefix("<result>").removesuffix("</result>")',
        'print("<result>" + json.dumps({"haiku": text.strip()}) + "</result>")',
      ),
    },
  ],
];
