// Planted mistakes in scripts that compare fields of a result, or attributes, with texts that nothing gives.
import { END, lines, prompt, type Fault } from './kit.js';

const JUDGED = {
  'START.sh': 'echo \'<call return="DECIDE">JUDGE</call>\'\n',
  'JUDGE.md': prompt(
    'allowed_transitions:\n  - { tag: result }\nresult:\n  schema: { type: object, required: [verdict], properties: { verdict: { enum: [pass, fail] } } }',
    'Judge it: <result>{"verdict": "pass"}</result>',
  ),
};

/** What is wrong, the package, and what is found in it. */
export const KNOWN_VALUE_MISTAKES: readonly Fault[] = [
  [
    'a field of a result compared with a text that its schema does not list, in bash',
    {
      ...JUDGED,
      'DECIDE.sh': lines(
        'case "$RAYMOND_RESULT_verdict" in',
        '  passed) echo "<goto>END</goto>" ;;',
        '  *) echo "<result>no</result>" ;;',
        'esac',
      ),
      ...END,
    },
    ['impossible-value DECIDE.sh:2:3'],
  ],
  [
    'a field of a result compared with a text that its schema does not list, in Python',
    {
      ...JUDGED,
      'DECIDE.py': lines(
        'import os',
        'verdict = os.environ["RAYMOND_RESULT_verdict"]',
        'if verdict == "ok":',
        '    print("<goto>END</goto>")',
        'else:',
        '    print("<result>no</result>")',
      ),
      ...END,
    },
    ['impossible-value DECIDE.py:3:16'],
  ],
  [
    'an attribute compared with a text that no tag passes',
    {
      'START.sh':
        'if [ -f x ]; then echo "<goto mode=\'fast\'>WORK</goto>"; else echo "<goto mode=\'full\'>WORK</goto>"; fi\n',
      'WORK.sh': lines('if [ "$mode" = quick ]; then echo "<goto>END</goto>"; else echo "<result>slow</result>"; fi'),
      ...END,
    },
    ['impossible-value WORK.sh:1:16'],
  ],
];
