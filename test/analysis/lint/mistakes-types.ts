// Planted mistakes in the values of programs: texts in the place of numbers, of true and false, and of lists, and values that are used up.
import { END, prompt, type Fault } from './kit.js';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

/** A prompt whose result has a score and a decision, and the call of it. */
const JUDGED = {
  'START.sh': 'echo \'<function return="GATE">JUDGE</function>\'\n',
  'JUDGE.md': prompt(
    'result:\n  schema:\n    type: object\n    required: [score, signed]\n    properties:\n      score: { type: integer }\n      signed: { type: boolean }',
    'Judge it, as JSON in <result>…</result>.',
  ),
};

/** What is wrong, the package, and what is found in it. */
export const TYPE_MISTAKES: readonly Fault[] = [
  [
    'a text that is compared with a number, in Python',
    {
      ...JUDGED,
      'GATE.py': lines(
        'import os',
        'LIMIT = 7',
        'score = os.environ["RAYMOND_RESULT_score"].strip()',
        'if score >= LIMIT:',
        '    print(f"<result>score > 7: {score}</result>")',
        'elif os.environ.get("RAYMOND_RESULT_score", "0") == 3:',
        '    print("<result>three</result>")',
        'else:',
        '    print("<result>bad</result>")',
      ),
    },
    ['text-as-number GATE.py:4:4', 'text-as-number GATE.py:6:6'],
  ],
  [
    'a text that is compared with numbers, in JavaScript',
    {
      ...JUDGED,
      'GATE.js': lines(
        'const { RAYMOND_RESULT_score: score } = process.env;',
        'if (score === 10) console.log("<result>excellent</result>");',
        'else if ([8, 9].includes(process.env.RAYMOND_RESULT_score)) console.log("<result>good</result>");',
        'else console.log("<result>bad</result>");',
      ),
    },
    ['text-as-number GATE.js:2:5', 'text-as-number GATE.js:3:10'],
  ],
  [
    'a number that is added to a text, in JavaScript',
    {
      'START.sh': 'echo \'<goto round="0" input="a">NEXT</goto>\'\n',
      'NEXT.js': lines(
        "const fs = require('node:fs');",
        "const round = (process.env.round ?? '0') + 1;",
        "let seen = fs.readFileSync('seen.txt', 'utf8').trim();",
        'seen += 1;',
        'console.log(`<result>${round} ${process.env.round + 1} ${seen} ${process.env.RAYMOND_INPUT}</result>`);',
      ),
    },
    ['text-as-number NEXT.js:2:15', 'text-as-number NEXT.js:4:1', 'text-as-number NEXT.js:5:33'],
  ],
  [
    'a number that is added to a text, in Python',
    {
      'START.sh': 'echo \'<goto round="0">NEXT</goto>\'\n',
      'NEXT.py': lines(
        'import os',
        'from pathlib import Path',
        'step = os.getenv("round", "0")',
        'step += 1',
        'total = 1 + Path("total.txt").read_text()',
        'rounds = [n for n in range(os.environ["round"])]',
        'print(f"<result>{step} {total} {rounds}</result>")',
      ),
    },
    ['text-as-number NEXT.py:4:1', 'text-as-number NEXT.py:6:22'],
  ],
  [
    'an attribute with the text false as a condition',
    {
      'START.sh':
        'if [ -f x ]; then\n  echo \'<goto dry_run="true">NEXT</goto>\'\nelse\n  echo \'<goto dry_run="false">NEXT</goto>\'\nfi\n',
      'NEXT.py': lines(
        'import os',
        'if os.environ.get("dry_run"):',
        '    print("<result>nothing done</result>")',
        'else:',
        '    print("<result>done</result>")',
      ),
    },
    ['text-as-condition NEXT.py:2:1'],
  ],
  [
    'a field that is true or false as a condition',
    {
      ...JUDGED,
      'GATE.js': lines(
        'const signed = process.env.RAYMOND_RESULT_signed;',
        "const folder = signed ? 'archive' : 'waiting';",
        'console.log(`<result>${folder} ${process.env.RAYMOND_RESULT_score}</result>`);',
      ),
    },
    ['text-as-condition GATE.js:2:14'],
  ],
  [
    'a text that is compared with True, and one that is made a bool',
    {
      ...JUDGED,
      'GATE.py': lines(
        'import os',
        'signed = bool(os.environ["RAYMOND_RESULT_signed"])',
        'late = os.environ["RAYMOND_RESULT_signed"] == True',
        'print(f"<result>{signed} {late}</result>")',
      ),
    },
    ['text-as-condition GATE.py:3:8'],
  ],
  [
    'a field that is true or false in a test of bash for empty texts',
    {
      ...JUDGED,
      'GATE.sh': lines(
        'if [ -n "$RAYMOND_RESULT_signed" ]; then',
        '  echo "<goto>END</goto>"',
        'else',
        '  echo "<result>$RAYMOND_RESULT_score</result>"',
        'fi',
      ),
      ...END,
    },
    ['text-as-condition GATE.sh:1:1'],
  ],
];
