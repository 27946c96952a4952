// Planted mistakes in the values of programs: texts in the place of numbers, of true and false, and of lists, and values that are used up.
import { END, lines, prompt, type Fault } from './kit.js';

/** A prompt whose result has a score and a decision, and the call of it. */
const JUDGED = {
  'START.sh': 'echo \'<function return="GATE">JUDGE</function>\'\n',
  'JUDGE.md': prompt(
    'result:\n  schema:\n    type: object\n    required: [score, signed]\n    properties:\n      score: { type: integer }\n      signed: { type: boolean }',
    'Judge it, as JSON in <result>…</result>.',
  ),
};

const FORKED = {
  'WORK.md': 'Review {{item}}: <result>good</result>',
  'WAIT.sh': 'echo \'<await next="END"/>\'\n',
  ...END,
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
    ['text-as-number GATE.py:3:1', 'text-as-number GATE.py:6:6'],
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
    ['text-as-number NEXT.js:2:15', 'text-as-number NEXT.js:3:1', 'text-as-number NEXT.js:5:33'],
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
    ['text-as-number NEXT.py:3:1', 'text-as-number NEXT.py:6:22'],
  ],
  [
    'a cell of a CSV file that a table keeps as a text, and a text in the format of a number',
    {
      'START.py': lines(
        'import csv, os',
        'runs = {}',
        'with open("runs.csv") as file:',
        '    for row in csv.DictReader(file):',
        '        runs[row["name"]] = {"seconds": row["seconds"]}',
        'first = runs.get("first")',
        'limit = os.environ["LIMIT"]',
        'late = 1.5 - first["seconds"]',
        'print(f"<result>{late} of {limit:.1f}</result>")',
      ),
      'workflow.yaml': 'id: x\nenvironment: { LIMIT: "4" }\n',
    },
    ['text-as-number START.py:5:30', 'text-as-number START.py:7:1'],
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
  [
    'a generator of Path.glob that is counted before its loop',
    {
      ...FORKED,
      'START.py': lines(
        'import sys',
        'from pathlib import Path',
        'drafts = Path("drafts").glob("*.md")',
        'count = len(list(drafts))',
        'if count == 0:',
        '    print("<result>none</result>")',
        '    sys.exit()',
        'for draft in drafts:',
        '    print(f\'<fork item="{draft.name}">WORK</fork>\')',
        'print("<goto>WAIT</goto>")',
      ),
    },
    ['read-twice START.py:8:1'],
  ],
  [
    'an open file and a generator of the program that are read twice',
    {
      'START.py': lines(
        'def words(text):',
        '    for word in text.split():',
        '        yield word.lower()',
        'with open("notes.txt") as notes:',
        '    count = sum(1 for line in notes)',
        '    found = words(notes.read())',
        'print(f"<result>{sorted(found)[0]} {count} {list(found)}</result>")',
      ),
    },
    ['read-twice START.py:6:19'],
  ],
  [
    'matches that JavaScript reads twice',
    {
      'START.js': lines(
        "const text = require('node:fs').readFileSync('notes.txt', 'utf8');",
        'const found = text.matchAll(/TODO/g);',
        'const count = [...found].length;',
        'let last = 0;',
        'for (const match of found) last = match.index;',
        'console.log(`<result>${count} ${last}</result>`);',
      ),
    },
    ['read-twice START.js:5:1'],
  ],
  [
    'the text of a JSON file that a program uses as a list and as an object',
    {
      'START.js': lines(
        "const fs = require('node:fs');",
        "const load = (name) => fs.readFileSync(name, 'utf8');",
        "const items = load('items.json');",
        'console.log(`<goto count="${items.filter((item) => item.ok).length}">NEXT</goto>`);',
      ),
      'NEXT.py': lines(
        'import os',
        'from pathlib import Path',
        'limits = Path("limits.json").read_text()',
        "print(f\"<result>{os.environ['count']} of {limits['most']}</result>\")",
      ),
    },
    ['unparsed-json NEXT.py:3:1', 'unparsed-json START.js:2:1'],
  ],
  [
    'values of functions in another order than they are returned',
    {
      'START.py': lines(
        'from stats import compare, limits',
        'high, low = limits([1, 2])',
        'p_value, lift = compare(3, 4)',
        'print(f"<result>{low} {high} {lift} {p_value}</result>")',
      ),
      'stats.py': lines(
        'def limits(values):',
        '    low, high = min(values), max(values)',
        '    return low, high',
        '',
        '',
        'def compare(one, other):',
        '    """Returns the relative lift of the other and the two-sided p-value."""',
        '    return one / other, one - other',
      ),
    },
    ['values-in-other-order START.py:2:1', 'values-in-other-order START.py:3:1'],
  ],
  [
    'rows that a loop reads in every round',
    {
      'START.py': lines(
        'import csv',
        'with open("rows.csv") as file:',
        '    rows = csv.DictReader(file)',
        '    for rule in ("a", "b"):',
        '        found = sum(1 for row in rows if row["rule"] == rule)',
        '        print(f\'<fork item="{rule} {found}">WORK</fork>\')',
        'print("<goto>WAIT</goto>")',
      ),
      ...FORKED,
    },
    ['read-twice START.py:3:5'],
  ],
  [
    'a sum of an async callback of forEach',
    {
      'START.js': lines(
        "const { readdir, readFile } = require('node:fs/promises');",
        'async function main() {',
        "  const names = await readdir('chapters');",
        '  let total = 0;',
        '  names.forEach(async (name) => {',
        "    total += (await readFile(name, 'utf8')).length;",
        '  });',
        '  console.log(`<result>${total}</result>`);',
        '}',
        'main();',
      ),
    },
    ['callback-not-awaited START.js:5:9'],
  ],
  [
    'promises that a program takes for a list and for an answer',
    {
      'START.js': lines(
        "const fs = require('fs');",
        'async function main() {',
        '  const names = fs.promises.readdir(process.env.RAYMOND_INPUT);',
        "  const answer = fetch('https://example.org/a.json');",
        '  const { size } = await answer.json();',
        "  console.log(`<result>${names.filter((name) => name !== 'a').length} ${size}</result>`);",
        '}',
        'main();',
      ),
    },
    ['missing-await START.js:3:17', 'missing-await START.js:4:18'],
  ],
  [
    'promises of map and filter in the place of values',
    {
      'START.js': lines(
        "const { readFile, stat } = require('node:fs/promises');",
        "const names = ['a', 'b'];",
        "const texts = names.map(async (name) => (await readFile(name, 'utf8')).trim());",
        'const large = names.filter(async (name) => (await stat(name)).size > 1000);',
        "console.log(`<result>${texts.join(', ')} ${large.length}</result>`);",
      ),
    },
    ['callback-not-awaited START.js:3:21', 'callback-not-awaited START.js:4:21'],
  ],
  [
    'a helper that hides a module of Python from itself and from others',
    {
      'START.py': lines(
        'import csv',
        'import os',
        'from prices import total',
        'with open("out.csv", "w") as file:',
        '    csv.writer(file).writerow([total(os.environ["RAYMOND_INPUT"])])',
        'print("<result>done</result>")',
      ),
      'prices.py': lines('from csv import rows', 'def total(path):', '    return len(rows(path))'),
      'csv.py': lines('import csv', 'def rows(path):', '    return list(csv.reader(open(path)))'),
    },
    ['hidden-module START.py:1:1', 'hidden-module csv.py:1:1'],
  ],
  [
    'a helper that a module of Node.js hides',
    {
      'START.js': lines("const { shorten } = require('util');", 'console.log(`<result>${shorten("text")}</result>`);'),
      'util.js': lines('const shorten = (text) => text.slice(0, 3);', 'module.exports = { shorten };'),
    },
    ['hidden-module START.js:1:7'],
  ],
];
