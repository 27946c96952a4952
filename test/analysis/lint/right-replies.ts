// Packages that are near to the mistakes in mistakes-replies.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';
import { ANY, ask, CALL, evaluated, HOLD, RESULT } from './mistakes-replies.js';

/** What is odd, and the package. */
export const RIGHT_REPLIES: readonly (readonly [what: string, files: Files])[] = [
  [
    'two tags in a list of cases',
    {
      'START.md': prompt(
        ANY,
        'Read minutes.txt. Depending on what you find, end with one of these tags:\n\n- the report is complete: <result>complete</result>\n- and a part is missing: <goto>END</goto>',
      ),
      ...END,
    },
  ],
  [
    'a tag for a case, and then another one',
    {
      'START.md': prompt(
        ANY,
        'Is the folder empty? Then write <result>nothing to do</result>.\n\nWrite the list into list.txt, and then continue with <goto>END</goto>.',
      ),
      ...END,
    },
  ],
  [
    'a pattern of a line that only some replies have',
    {
      'START.md': prompt(
        evaluated('(?i)blockers'),
        'Review the change. If something must be changed, write a line that starts with "Blockers".\n\n<goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a pattern of some values of a line that every reply has',
    {
      'START.md': prompt(
        evaluated('Open risks: [1-9]'),
        'In your reply, write a line of the form `Open risks: N`, also if N is 0.\n\n<goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'a heading of a file, not of the reply',
    {
      'START.md': prompt(
        evaluated('(?i)open questions'),
        'Write the plan into plan.md, with the sections "Route" and "Open questions". In your reply, name what is unclear.\n\n<goto>END</goto>',
      ),
      ...HOLD,
    },
  ],
  [
    'output that the model gets by a file',
    {
      'START.sh': "make >make.log 2>&1 || true\necho '<goto>FIX</goto>'\n",
      'FIX.md': prompt(
        RESULT,
        'The errors that the compiler has printed are in make.log. Name the first: <result>it</result>',
      ),
    },
  ],
  [
    'output that the model makes itself',
    {
      'START.sh': "make || true\necho '<goto>FIX</goto>'\n",
      'FIX.md': prompt(
        RESULT,
        'Run `make test` and read the messages that it has printed. <result>the first message</result>',
      ),
    },
  ],
  [
    'a fixed result that reports what has been done',
    {
      ...CALL,
      'FIND.md': prompt(
        'force_implicit: true\nallowed_transitions:\n  - { tag: result, payload: the abstract is written }',
        'Write an abstract of thesis.txt into abstract.txt.',
      ),
      'USE.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'JSON alone in a result, with words around the tag',
    {
      ...CALL,
      'FIND.md': prompt(
        RESULT,
        'Explain your choice in one sentence. Then: <result>{"team": "web", "days": 3}</result>\nWrite nothing after it.',
      ),
      'USE.sh': 'echo "<result>$RAYMOND_RESULT_team</result>"\n',
    },
  ],
  [
    'choices, one of which is the rest',
    {
      'START.sh': ask('Yes, No, Later'),
      'USE.sh': lines(
        'case $RAYMOND_INPUT in',
        "[Yy]es | y) echo '<result>yes</result>' ;;",
        "No | no) echo '<result>no</result>' ;;",
        "*) echo '<result>later</result>' ;;",
        'esac',
      ),
    },
  ],
  [
    'another word for a choice, beside the choice itself',
    {
      'START.sh': ask('accept,reject'),
      'USE.sh': lines(
        'case $RAYMOND_INPUT in',
        "yes | approve | accept) echo '<result>yes</result>' ;;",
        "no | reject) echo '<result>no</result>' ;;",
        "*) echo '<result>a remark</result>' ;;",
        'esac',
      ),
    },
  ],
];
